package workload

import (
	_ "embed"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"revopt/internal/text"
)

// sp2Text has the tables that describe the last 5000 jobs of the SDSC SP2 trace, and says
// what they are.
//
//go:embed sp2.txt
var sp2Text string

var (
	sp2Levels, sp2Gaps    = sp2Table("levels")[0], sp2Table("gaps")[0]
	sp2Hours, sp2Days     = sp2Table("hours")[0], sp2Table("days")[0]
	sp2Widths, sp2Jobs    = sp2Table("widths")[0], sp2Table("jobs")[0]
	sp2All                = floats.Sum(sp2Jobs)
	sp2Groups             = sp2Table("groups")[0]
	sp2NeverRan           = sp2Table("never-ran")[0]
	sp2RunTimes           = sp2Table("run-times")
	sp2Bins, sp2Estimates = sp2Table("bins")[0], sp2Table("estimates")
	sp2RoundTimes         = sp2Table("round-times")[0]
)

// sp2MeanGap is the mean time between arrivals, s.
const sp2MeanGap = 1968.876

// sp2Table returns the rows of a table.
func sp2Table(name string) (rows [][]float64) {
	for line := range strings.Lines(sp2Text) {
		if key, numbers, _ := strings.Cut(line, ":"); key == name {
			rows = append(rows, text.Each(strings.Fields(numbers), func(word string) float64 {
				x, err := strconv.ParseFloat(word, 64)
				if err != nil {
					panic("workload: sp2.txt: " + err.Error())
				}
				return x
			}))
		}
	}
	return rows
}

// sp2Quantile returns the quantile of a row of quantiles at level u.
func sp2Quantile(row []float64, u float64) float64 {
	i := 1
	for i < len(sp2Levels)-1 && u > sp2Levels[i] {
		i++
	}
	low, high := sp2Levels[i-1], sp2Levels[i]
	return row[i-1] + (row[i]-row[i-1])*(u-low)/(high-low)
}

package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	files "revopt/testdata/bench"
)

// Best is what is known of a table on an instance.
type Best struct {
	Score         // of the best built-in policy
	Online  Known // of all policies
	Offline Known // also of programs that know all jobs
}

// BestKnown returns what is known of all instances: built-in policies have scores in a file that the program carries.
func BestKnown() []Best { return bestOf(knownScores()) }

// bestOf returns the best schedules among some scores, of the instances that have any: of the table Whole, then of Any,
// in which whole schedules count as well. Of equals, it is the first.
func bestOf(scores []Score) []Best {
	var list []Best
	kept := Keeps()
	for _, in := range Instances() {
		for _, table := range []string{Whole, Any} {
			best := -1
			for i, s := range scores {
				counts := s.Name == in.Name && s.Why == "" && (s.Table == Whole || s.Table == table)
				if counts && (best < 0 || in.better(s.Value, scores[best].Value)) {
					best = i
				}
			}
			if best >= 0 {
				b := Best{Score: in.newScore(scores[best].Policy, scores[best].Value, table, 0)}
				b.Online = in.known(Known{b.Policy, b.Value}, table, kept, false)
				b.Offline = in.known(b.Online, table, kept, true)
				list = append(list, b)
			}
		}
	}
	return list
}

// knownScores reads the scores of the policies of revopt, which revopt bench run --csv has written.
func knownScores() []Score {
	list, err := readKnown(strings.NewReader(files.Scores))
	if err != nil {
		panic("bench: scores.csv: " + err.Error())
	}
	return list
}

func readKnown(r io.Reader) (list []Score, err error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	rows, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	for i, row := range rows[1:] {
		cell := func(name string) string { return row[slices.Index(rows[0], name)] }
		s := Score{Name: cell("instance"), Policy: cell("policy"), Table: cell("table"), Why: cell("why")}
		if s.Why == "" {
			value, err := strconv.ParseFloat(cell("value"), 64)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", i+1, err)
			}
			s.Value = value
		}
		list = append(list, s)
	}
	return list, nil
}

package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/metric"
	files "revopt/testdata/bench"
)

// Best is the best known schedule of a table.
type Best struct {
	Policy string        `json:"policy"`
	Value  metric.Number `json:"value"`
	Bound  metric.Number `json:"bound"`
	Share  metric.Number `json:"share"` // of the bound

	Kind string `json:"-"` // name of the bound
}

// Listed is an instance with its best known schedules.
type Listed struct {
	Name      string `json:"name"`
	Objective string `json:"objective"`
	Best      struct {
		Whole *Best `json:"whole"` // nil: none is known
		Any   *Best `json:"any"`
	} `json:"best"`

	About string `json:"-"`
}

// Bests is the best known schedules of all instances.
type Bests struct {
	Instances []*Listed `json:"instances"`
}

// Known returns the best schedules among the scores of all policies of revopt, a file that the program carries.
func Known() *Bests { return bestOf(knownScores()) }

// bestOf returns the best schedules among some scores, of the instances that have any. Of equals, it is the first.
func bestOf(scores []Score) *Bests {
	all := &Bests{Instances: []*Listed{}}
	for _, in := range Instances() {
		bestIn := func(tables ...string) *Best {
			var best *Best
			for _, s := range scores {
				scored := s.Name == in.Name && s.Why == "" && slices.Contains(tables, s.Table)
				if scored && (best == nil || in.better(float64(s.Value), float64(best.Value))) {
					best = &Best{Policy: s.Policy, Value: s.Value}
				}
			}
			if best != nil {
				kind, limit := in.Limit(tables[0])
				best.Kind, best.Bound, best.Share = kind, metric.Number(limit), in.share(float64(best.Value), limit)
			}
			return best
		}
		listed := &Listed{Name: in.Name, Objective: in.Objective, About: in.About}
		listed.Best.Whole, listed.Best.Any = bestIn(Whole), bestIn(Any, Whole)
		if listed.Best.Any != nil {
			all.Instances = append(all.Instances, listed)
		}
	}
	return all
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
			s.Value = metric.Number(value)
		}
		list = append(list, s)
	}
	return list, nil
}

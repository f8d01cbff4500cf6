//go:build long

package run

import (
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate/workload"
)

// servers is a queue whose mean waits the multiserver convention estimates.
type servers struct {
	name    string
	classes []model.Class // rates are shares
	within  [][]float64   // relative error by class and number of servers, as in docs/theory.md
}

func multiserverCases() []servers {
	one := func(kind model.Kind, sd float64) []model.Class { return []model.Class{class("all", 1, 1, kind, 1, sd)} }
	two := func(kind model.Kind, urgent, other, c float64) []model.Class {
		return []model.Class{class("urgent", 0.3, 9, kind, urgent, c*urgent), class("other", 0.7, 1, kind, other, c*other)}
	}
	return []servers{
		{"exponential", one(model.Exponential, 0), [][]float64{{0, 0, 0}}},
		{"normal, c = 1/3", one(model.Normal, 1.0/3), [][]float64{{0.06, 0.21, 0.1}}},
		{"deterministic", one(model.Deterministic, 0), [][]float64{{0.06, 0.24, 0.1}}},
		{"hyperexponential, c = 2", one(model.HyperExponential, 2), [][]float64{{0.14, 0.64, 0.2}}},
		{"exponential, two classes", two(model.Exponential, 1, 1, 0), [][]float64{{0, 0, 0}, {0, 0, 0}}},
		{"normal, c = 1/3, two classes, urgent a quarter as long", two(model.Normal, 0.5, 2, 1.0/3), [][]float64{{0.21, 0.41, 0.44}, {0.06, 0.21, 0.09}}},
	}
}

// at returns n servers at a load.
func (s servers) at(n int, load float64) model.System {
	work := 0.0
	for _, c := range s.classes {
		work += c.Rate * c.Length.Mean()
	}
	sys := model.System{Parallel: float64(n), Residual: model.Multiserver, Phi: 1}
	for _, c := range s.classes {
		c.Rate *= load * float64(n) / work
		sys.Classes = append(sys.Classes, c)
	}
	return sys
}

// errors returns the relative error of the estimate and its uncertainty for
// each class, NaN where the wait is faint.
func (s servers) errors(t *testing.T, n int, load float64) (off, unsure []float64) {
	t.Helper()
	count := int64(15_000)
	if load >= 0.9 {
		count = 60_000
	}
	sys := s.at(n, load)
	hol, err := model.NewHOL(sys)
	if err != nil {
		t.Fatal(err)
	}
	q := make([]float64, hol.Len())
	for i := range q {
		q[i] = 1
	}
	estimate := hol.Waits(make([]float64, len(q)), q)
	jobs, err := workload.NewClasses(sys.Classes, n, workload.Length{Jobs: count, WarmupFraction: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	runs := replicated(t, under(t, jobs, "hol", nil, nil, 1), 20, 0)
	for i, w := range estimate {
		wait := new(Frame).Estimate(runs.Series(Customer(sys.Classes[i].Name), ColumnMeanWait))
		if wait.Mean < faint {
			off, unsure = append(off, math.NaN()), append(unsure, 0)
			continue
		}
		off = append(off, w/wait.Mean-1)
		unsure = append(unsure, wait.Relative())
	}
	return off, unsure
}

// TestMultiserver compares the multiserver convention with simulation and logs
// the table of docs/theory.md, which has ten times the jobs. An error may exceed its bound by twice the
// uncertainty of the simulation.
func TestMultiserver(t *testing.T) {
	loads := []float64{0.5, 0.7, 0.9, 0.95}
	for _, s := range multiserverCases() {
		for k, n := range serverCounts() {
			rows := make([]string, len(s.classes))
			for _, load := range loads {
				off, unsure := s.errors(t, n, load)
				for i := range off {
					if math.Abs(off[i]) > s.within[i][k]+2*unsure[i] {
						t.Errorf("%s, %s, %d servers, load %g: off by %s %%", s.name, s.classes[i].Name, n, load, errorWords(off[i], unsure[i]))
					}
					rows[i] += " " + errorWords(off[i], unsure[i]) + " |"
				}
			}
			for i, c := range s.classes {
				t.Logf("| %s | %s | %d |%s %.0f |", s.name, c.Name, n, rows[i], 100*s.within[i][k])
			}
		}
	}
}

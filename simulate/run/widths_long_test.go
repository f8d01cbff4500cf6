//go:build long

package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// ofWidths draws classes of various widths for a cluster.
func ofWidths(rnd *rand.Rand) (classes []model.Class, nodes int) {
	nodes = []int{8, 16, 32, 64, 128}[rnd.IntN(5)]
	load, work := 0.3+0.5*rnd.Float64(), 0.0
	for i := range 2 + rnd.IntN(3) {
		mean := math.Exp(2 * rnd.Float64())
		kind := []model.Kind{model.Exponential, model.Gamma, model.Deterministic}[rnd.IntN(3)]
		c := class(fmt.Sprint("c", i), 1, math.Exp(3*rnd.NormFloat64())/10, kind, mean, mean/2)
		c.Width = model.FixedWidth(math.Round(math.Pow(float64(nodes)/2, rnd.Float64())))
		c.Price.Fixed = c.Width.Mean() * mean * math.Exp(rnd.NormFloat64())
		c.Rate = math.Exp(rnd.NormFloat64()) / (mean * c.Width.Mean())
		work += c.Rate * mean * c.Width.Mean()
		classes = append(classes, c)
	}
	for i := range classes {
		classes[i].Rate *= load * float64(nodes) / work
		classes[i].Decay *= classes[i].Price.Fixed / 10
	}
	return classes, nodes
}

// form is a way to see jobs of unlike widths, and its errors in each scenario.
type form struct {
	name          string
	system        func(stated model.System) model.System
	waits, values []float64
}

// forms are those of the table in docs/theory.md: the mean width for all jobs, and three with their own widths.
func forms() []*form {
	own := func(s model.System, r model.Residual) model.System {
		s.Classes, s.Residual = model.ByWidth(s.Classes), r
		return s
	}
	return []*form{
		{name: "mean width, `pooled`", system: func(s model.System) model.System { s.Residual = model.Pooled; return s }},
		{name: "own, `pooled`", system: func(s model.System) model.System { return s.By(model.Pooled) }},
		{name: "own, M/G/k", system: func(s model.System) model.System { return own(s, model.Multiserver) }},
		{name: "own, `pooled`, busy nodes", system: func(s model.System) model.System {
			s.Parallel = s.By(model.Multiserver).Parallel
			return own(s, model.Pooled)
		}},
		{name: "own, M/G/k, busy nodes (`multiserver`)", system: func(s model.System) model.System {
			return s.By(model.Multiserver)
		}},
	}
}

// compare adds the errors of the form: of waits over the mean wait, at most 9, of the value over the prices of all jobs, at
// most 1.
func (f *form) compare(t *testing.T, stated model.System, runs *Runs) {
	hol, err := model.NewHOL(f.system(stated))
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Repeat([]float64{1}, hol.Len())
	var off, waited, gross float64
	for i, w := range hol.Waits(make([]float64, hol.Len()), all) {
		c := stated.Classes[i]
		wait := new(Frame).Estimate(runs.Series(Customer(c.Name), ColumnMeanWait)).Mean
		off += c.Rate * math.Abs(w-wait)
		waited += c.Rate * wait
		gross += c.Rate * c.Price.Fixed
	}
	f.waits = append(f.waits, math.Min(9, off/math.Max(waited, 1e-9)))
	value := interval(runs, "value").Mean / metric.Hour
	f.values = append(f.values, math.Min(1, math.Abs(hol.Revenue(all)-value)/gross))
}

// TestWidthForms writes the table of docs/theory.md. The default form, the last, has the least mean errors.
func TestWidthForms(t *testing.T) {
	rnd := rand.New(rand.NewPCG(59, 3))
	list := forms()
	for range 300 {
		classes, nodes := ofWidths(rnd)
		jobs, err := workload.NewClasses(classes, nodes, workload.Length{Jobs: 20_000, WarmupFraction: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		runs := replicated(t, under(t, jobs, "hol", nil, nil, 1), 5, 0)
		stated := model.System{Classes: classes, Parallel: float64(nodes) / model.MeanWidth(classes), Phi: 1}
		for _, f := range list {
			f.compare(t, stated, runs)
		}
	}
	mean := func(x []float64) float64 { return text.Sum(x, func(x float64) float64 { return x }) / float64(len(x)) }
	best := list[len(list)-1]
	for _, f := range list {
		t.Logf("|%s|%.2f / %.1f|%.3f / %.2f|", f.name, mean(f.waits), slices.Max(f.waits), mean(f.values), slices.Max(f.values))
		if mean(best.waits) > mean(f.waits) || mean(best.values) > mean(f.values) {
			t.Errorf("%s is better than the default", f.name)
		}
	}
}

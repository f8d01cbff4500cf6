package workload

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"revopt/model"
	"revopt/simulate"
)

// The table of a law has the mean work of the jobs that its generator draws, under every rule of
// cleaning, and their shares.
func TestLawTable(t *testing.T) {
	for _, file := range model.Generators() {
		for _, rule := range []Rule{Keep, Reject, Drop} {
			const n = 100_000
			trace := &Trace{selection: Selection{File: file}, nodes: 1 << 20, cleaning: Cleaning{Rule: rule}}
			var left, void, work float64
			trace.typical(func(chance float64, e *entry) {
				left += chance
				if e.void {
					void += chance
				} else {
					work += chance * e.runtime * float64(e.width)
				}
			})
			s, err := Selection{File: file, Subset: Subset{First: n}}.Open(context.Background(), 5, 0)
			if err != nil {
				t.Fatal(err)
			}
			c := Cleaning{Rule: rule}
			var works []float64
			var kept, never float64
			f := feed{stream: s, cleaning: &c}
			for e := (entry{}); ; {
				ok, err := f.next(&e)
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					break
				}
				kept++
				if e.void {
					never++
				} else {
					works = append(works, e.runtime*float64(e.width))
				}
			}
			for len(works) < n {
				works = append(works, 0)
			}
			mean, sd := stat.MeanStdDev(works, nil)
			if math.Abs(mean-work) > 4*sd/math.Sqrt(n) || math.Abs(kept/n-left) > 0.005 || math.Abs(never/n-void) > 0.005 {
				t.Errorf("%s, %s: %.5g node-seconds, %.3f left, %.3f void; drawn %.5g +- %.2g, %.3f, %.3f", file, rule, work,
					left, void, mean, sd/math.Sqrt(n), kept/n, never/n)
			}
		}
	}
}

// The factor of a load is a number of the scenario: that of every seed, and such that the mean load over
// replications is the one asked for.
func TestLoadOfGenerated(t *testing.T) {
	ctx := context.Background()
	pools := []model.Pool{
		{Name: "wide", Units: 64, Of: &model.Selector{Width: &model.Range{Least: 9, Most: 64}, Share: 1}}, {Name: "rest", Units: 24},
	}
	for _, c := range []struct {
		file  string
		jobs  Subset
		rule  Rule
		nodes int
		pools []model.Pool
		reps  int
	}{
		{model.SP2Like, Subset{Last: 300}, Drop, 128, nil, 400},
		{model.SP2Like, Subset{First: 40}, Keep, 64, nil, 2000},
		{model.SP2Like, Subset{First: 300}, Reject, 88, pools, 400},
		{model.AILike, Subset{First: 1000}, Keep, 576, nil, 200},
	} {
		t.Run(fmt.Sprint(c.file, c.jobs, c.rule), func(t *testing.T) {
			var factors, loads []float64
			for seed := range uint64(2) {
				trace, err := Load(ctx, Selection{File: c.file, Subset: c.jobs, Rule: c.rule, Nodes: c.nodes}, seed)
				if err != nil {
					t.Fatal(err)
				}
				w, err := NewReplay(ctx, trace, ReplayOptions{Load: 0.8, LoadOn: c.nodes, Pools: c.pools}, seed)
				if err != nil {
					t.Fatal(err)
				}
				factors = append(factors, w.Delay())
				if math.Abs(w.Load()-0.8) > 1e-9 {
					t.Errorf("seed %d: the mean load is %g", seed, w.Load())
				}
				nodes := 0
				for _, s := range w.Sites() {
					nodes += s.Processors
				}
				for r := range c.reps {
					source, err := w.Jobs(seed, r)
					if err != nil {
						t.Fatal(err)
					}
					var work, last float64
					for j := (simulate.Job{}); ; {
						ok, err := source.Next(&j)
						if err != nil {
							t.Fatal(err)
						}
						if !ok {
							break
						}
						last = j.Submit
						if !j.Void && w.fits(&j) {
							work += j.Work * float64(j.Width)
						}
					}
					loads = append(loads, work/(float64(nodes)*last))
				}
			}
			if factors[0] != factors[1] {
				t.Errorf("factors %v", factors)
			}
			mean, sd := stat.MeanStdDev(loads, nil)
			if off := 0.008 + 3*sd/math.Sqrt(float64(len(loads))); math.Abs(mean-0.8) > off {
				t.Errorf("the mean load of %d replications is %.4f +- %.4f", len(loads), mean, sd/math.Sqrt(float64(len(loads))))
			}
			t.Logf("%.4f +- %.4f, factor %.4f", mean, sd/math.Sqrt(float64(len(loads))), factors[0])
		})
	}
}

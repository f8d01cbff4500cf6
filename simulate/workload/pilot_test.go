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

// The jobs of the pilot have the mean work of the jobs that their generator draws.
func TestPilot(t *testing.T) {
	for _, file := range model.Generators() {
		trace := &Trace{selection: Selection{File: file}, nodes: 1 << 20}
		var work, jobs, drawn float64
		trace.works(func(e *entry) {
			work += e.runtime * float64(e.width)
			jobs++
		})
		const replications = 400 // 2 million jobs, which are known to 0.5 %
		want := 0.0
		for i := range replications {
			st, err := (Selection{File: file}).Open(context.Background(), 5, i)
			if err != nil {
				t.Fatal(err)
			}
			f := feed{stream: st, cleaning: &Cleaning{}}
			for e := (entry{}); ; drawn++ {
				if ok, _ := f.next(&e); !ok {
					break
				}
				want += e.runtime * float64(e.width)
			}
		}
		if got, want := work/jobs, want/drawn; math.Abs(got/want-1) > 0.015 {
			t.Errorf("%s: %.5g unit-seconds, want %.5g", file, got, want)
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

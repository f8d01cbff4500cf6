package workload_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/workload"
)

func distribution(kind model.Kind, mean, sd, min float64) model.Distribution {
	return must(model.New(kind, mean, sd, min))
}

// draw returns the first n jobs of the classes.
func draw(t *testing.T, classes []model.Class, replication, n int) []simulate.Job {
	t.Helper()
	w := must(workload.NewClasses(classes, 64, workload.Length{}))
	source := must(w.Jobs(1, replication))
	jobs := make([]simulate.Job, n)
	last := 0.0
	for i := range jobs {
		if ok, err := source.Next(&jobs[i]); !ok || err != nil {
			t.Fatalf("job %d: %t, %v", i, ok, err)
		}
		if jobs[i].Submit < last {
			t.Fatalf("job %d is submitted at %g, after one at %g", i, jobs[i].Submit, last)
		}
		last = jobs[i].Submit
	}
	return jobs
}

func mixed() []model.Class {
	length := distribution(model.Normal, 7200, 2400, 300)
	return []model.Class{
		{Name: "calm", Rate: 0.02, Length: length, Decay: 1, Price: model.Tariff{Fixed: 10, PerSecond: 0.5}, Floor: model.Floor{None: true}},
		{Name: "wide", Rate: 0.01, Length: length, Decay: 9, Price: model.Tariff{PerNodeSecond: 1. / 3600},
			Width: model.Width{Values: []float64{250, 750, 1500}, Weights: []float64{0.5, 0.3, 0.2}},
			Grace: model.Grace{Lengths: 3}, Floor: model.Floor{OfPrice: 0.05}, Expire: model.ExpireZero},
		{Name: "keen", Rate: 0.03, Length: distribution(model.Exponential, 100, 0, 0), Decay: 0.5, Price: model.Tariff{Fixed: 7},
			Grace: model.Grace{Fixed: 50}, Floor: model.Floor{Fixed: 2}, Expire: model.ExpireFloor},
		{Name: "absent", Rate: 0, Length: length, Decay: 1, Floor: model.Floor{None: true}},
	}
}

// TestClassesUtility compares what a job carries with the model's utility.
func TestClassesUtility(t *testing.T) {
	classes := mixed()
	for _, j := range draw(t, classes, 0, 2000) {
		u := classes[j.Class].Utility(j.Work, float64(j.Width))
		for _, tau := range []float64{0, 49, 51, 60, 21000, 25000, 40000, 1e6} {
			if got, want := j.Value.At(tau+j.Work), u.At(tau); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("job %+v is worth %g after %g s, want %g", j, got, tau, want)
			}
		}
		want := [...]float64{math.Inf(1), u.Zero(), u.Corner()}[j.Class]
		if j.Expire != j.Submit+want {
			t.Fatalf("job %+v expires at %g, want %g after submission", j, j.Expire, want)
		}
		// keen 0.5/100, calm 1/7200, wide 9/7200 over its mean width 650; absent ties with calm.
		if want := [...]int{1, 0, 3}[j.Class]; j.Rank != want {
			t.Fatalf("class %d has rank %d, want %d", j.Class, j.Rank, want)
		}
	}
}

// TestClassStreams draws every class by hand from the streams that its documentation
// names: so no class depends on another, be they few or many.
func TestClassStreams(t *testing.T) {
	const replication, kinds = 4, 4
	for _, classes := range [][]model.Class{mixed(), slices.Repeat(mixed(), 10)} {
		type streams struct{ arrivals, lengths, widths, lots *rand.Rand }
		of, at := make([]streams, len(classes)), make([]float64, len(classes))
		for i := range of {
			stream := func(purpose string) *rand.Rand { return simulate.Stream(1, replication, purpose, i) }
			of[i] = streams{stream("arrivals"), stream("lengths"), stream("widths"), stream("admission")}
		}
		for _, j := range draw(t, classes, replication, 3000) {
			c, s := &classes[j.Class], of[j.Class]
			at[j.Class] += s.arrivals.ExpFloat64() / c.Rate
			work, chance, width := c.Length.Rand(s.lengths), s.lots.Float64(), 1.0
			if j.Class%kinds == 1 { // 0.5, 0.3 and 0.2 of the jobs
				width = 1500
				if u := s.widths.Float64(); u < 0.5 {
					width = 250
				} else if u < 0.8 {
					width = 750
				}
			}
			if math.Abs(j.Submit-at[j.Class]) > 1e-9*j.Submit || j.Work != work || j.Chance != chance || float64(j.Width) != width {
				t.Fatalf("%+v, want a job at %g of %g s, width %g and lot %g", j, at[j.Class], work, width, chance)
			}
		}
		for i, last := range at {
			if absent := i%kinds == 3; (last == 0) != absent {
				t.Errorf("last jobs at %v", at)
			}
		}
	}
}

package workload_test

import (
	"context"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/workload"
)

// customersAt returns the jobs of a class with a demand at a price, up to a horizon.
func customersAt(t *testing.T, price float64) []simulate.Job {
	t.Helper()
	length := must(model.New(model.Exponential, 5, 5, 0))
	class := model.Class{Name: "a", Rate: 1, Length: length, Price: model.Tariff{Fixed: 10}, Floor: model.Floor{None: true},
		Demand: &model.Demand{Curve: model.ExponentialDemand, Elasticity: 2, Price: 10, Rate: 1}}
	w := must(workload.NewClasses([]model.Class{class.At(price)}, 10, workload.Length{Horizon: 20000}))
	source := must(w.Jobs(7, 0))
	var jobs []simulate.Job
	for {
		var j simulate.Job
		if ok, err := source.Next(&j); err != nil {
			t.Fatal(err)
		} else if !ok || j.Submit > 2000 {
			return jobs
		}
		jobs = append(jobs, j)
	}
}

// TestCustomersByPrice checks that at a higher price some of the same customers
// come, and that as many come as the demand says.
func TestCustomersByPrice(t *testing.T) {
	type customer struct{ submit, work float64 }
	var before map[customer]bool
	for _, price := range []float64{2, 6, 10, 12, 20} {
		now := map[customer]bool{}
		for _, j := range customersAt(t, price) {
			c := customer{j.Submit, j.Work}
			if now[c] = true; before != nil && !before[c] {
				t.Fatalf("a customer comes at %g who does not at a lower price", price)
			}
		}
		mean := 2000 * math.Exp(2*(1-price/10))
		if n := float64(len(now)); math.Abs(n-mean) > 4*math.Sqrt(mean) {
			t.Errorf("%g customers come at %g, want about %g", n, price, mean)
		}
		before = now
	}
}

// TestTraceCustomersByPrice checks that a price above that of the demand leaves a
// subset of the jobs of a trace, as many as the demand says, and that the others
// are untouched.
func TestTraceCustomersByPrice(t *testing.T) {
	trace := load(t, workload.Selection{File: model.SP2Like})
	at := func(price float64) (map[float64]simulate.Job, *workload.Replay) {
		half := model.Selector{Share: 0.5}
		d := &model.Demand{Curve: model.LinearDemand, Elasticity: 1.5, Price: 2, Rate: 1}
		dear := model.Class{Name: "a", Price: model.Tariff{PerNodeSecond: price}, Floor: model.Floor{None: true}, Demand: d, Rate: d.RateAt(price), Hard: 0.5}
		other := model.Class{Name: "b", Price: model.Tariff{Fixed: 1}, Floor: model.Floor{None: true}}
		w := must(workload.NewReplay(context.Background(), trace, workload.ReplayOptions{Classes: []model.Class{dear, other}, Of: []*model.Selector{&half, nil}}, 1))
		source := must(w.Jobs(1, 0))
		jobs := map[float64]simulate.Job{}
		for {
			var j simulate.Job
			if ok, err := source.Next(&j); err != nil {
				t.Fatal(err)
			} else if !ok {
				return jobs, w
			}
			jobs[j.Submit+j.Work/1e7] = j
		}
	}
	count := func(jobs map[float64]simulate.Job) (n [2]float64) {
		for _, j := range jobs {
			n[j.Class]++
		}
		return n
	}
	all, full := at(2)
	before, stated := all, count(all)
	for _, price := range []float64{2.2, 2.8, 3.2, 4} {
		now, w := at(price)
		for key, j := range now {
			if old, ok := before[key]; !ok || old.Class != j.Class || old.Chance != j.Chance || old.Value.Hard != j.Value.Hard {
				t.Fatalf("at %g job %+v, before %+v", price, j, old)
			}
		}
		n, share := count(now), max(0, 1+1.5*(1-price/2))
		if mean := share * stated[0]; math.Abs(n[0]-mean) > 4*math.Sqrt(mean*(1-share)) || n[1] != stated[1] {
			t.Errorf("%g and %g jobs come at %g, want about %g and %g", n[0], n[1], price, mean, stated[1])
		}
		if got := w.Size(); got != float64(len(now)) || !(w.Load() < full.Load()) {
			t.Errorf("size %g, want %d; load %g of %g", got, len(now), w.Load(), full.Load())
		}
		before = now
	}
	if cheap, _ := at(1); len(cheap) != len(all) {
		t.Errorf("%d jobs at a lower price, want all %d", len(cheap), len(all))
	}
}

package workload_test

import (
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/workload"
)

// customersAt returns the jobs of a class with a demand at a price, up to a horizon.
func customersAt(t *testing.T, price float64) []simulate.Job {
	t.Helper()
	length, err := model.New(model.Exponential, 5, 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	class := model.Class{Name: "a", Rate: 1, Length: length, Price: model.Tariff{Fixed: 10}, Floor: model.Floor{None: true},
		Demand: &model.Demand{Curve: model.ExponentialDemand, Elasticity: 2, Price: 10, Rate: 1}}
	w, err := workload.NewClasses([]model.Class{class.At(price)}, 10, workload.Length{Horizon: 20000})
	if err != nil {
		t.Fatal(err)
	}
	source, err := w.Jobs(7, 0)
	if err != nil {
		t.Fatal(err)
	}
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

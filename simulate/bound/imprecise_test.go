package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// TestFromImprecise checks that the layers of a job lie on or above what it
// pays for any length executed, and meet it for the whole.
func TestFromImprecise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 1))
	for _, c := range []struct {
		name  string
		bonus simulate.Bonus
		loose float64 // how far above, of the whole pay
	}{
		{"none", nil, 0},
		{"linear", simulate.Linear(0.5), 0},
		{"concave", simulate.Concave{Top: 9, Length: 20, Exponent: 0.4}, 0.03},
		{"steps", simulate.Steps{{At: 0, Amount: 1}, {At: 5, Amount: 4}, {At: 5, Amount: 1}, {At: 12, Amount: 2}, {At: 30, Amount: 7}}, 1},
	} {
		i := simulate.Imprecise{Mandatory: 10, Optional: 20, Reward: 30, Bonus: c.bonus}
		j := FromImprecise(&simulate.Job{
			Submit: 3, Width: 4, Spec: simulate.Spec{Imprecise: &i, Constraints: simulate.Constraints{Deadline: 50}},
		})
		items, free := newItems([]Job{j}, Uniform(2)) // two nodes for four tasks
		if len(items) != 1 || free != 0 || j.Validate() != nil {
			t.Fatalf("%s: %+v became %+v", c.name, j, items)
		}
		whole := i.Worth(i.Optional)
		for range 200 {
			executed := i.Optional * rnd.Float64()
			got, want := items[0].worth(4*(10+executed))/4, i.Worth(executed)
			if got < want*(1-1e-12) || got > want+c.loose*whole+1e-9 {
				t.Errorf("%s: %g for %g executed, want at least %g", c.name, got, executed, want)
			}
		}
		if got := items[0].worth(4*30) / 4; math.Abs(got-whole) > 1e-9 {
			t.Errorf("%s: %g for the whole, want %g", c.name, got, whole)
		}
		// 50 s on two nodes are 100 node-seconds: 2.5 mandatory lengths for
		// each of four tasks, so 15 s of each optional one fit.
		r := clairvoyant(t, []Job{j}, Uniform(2), Options{})
		if want := 4 * i.Worth(15); r.Bound < want*(1-1e-9) || r.Bound > items[0].worth(100*(1+1e-6)) || !r.Exact {
			t.Errorf("%s: bound %g, want at least %g", c.name, r.Bound, want)
		}
	}
}

// TestImpreciseVector is the example of one processor and two jobs that is
// worked by hand for the schemes of Kim, Buyya and Kim: the best of them
// expects 2500, and no scheme can have more.
func TestImpreciseVector(t *testing.T) {
	job := func(at, deadline, slope float64) Job {
		return FromImprecise(&simulate.Job{
			Submit: at, Width: 1,
			Spec: simulate.Spec{
				Imprecise:   &simulate.Imprecise{Mandatory: 1000, Optional: 1000, Reward: 1000, Bonus: simulate.Linear(slope)},
				Constraints: simulate.Constraints{Deadline: deadline},
			},
		})
	}
	r := clairvoyant(t, []Job{job(0, 3000, 0.5), job(500, 2100, 0.2)}, Uniform(1), Options{})
	if math.Abs(r.Bound-2500) > 0.01 || !r.Exact {
		t.Errorf("%+v, want 2500", r)
	}
}

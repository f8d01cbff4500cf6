package policy

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// boundChecker is Libra with a look at the bounds on its nodes at every arrival,
// against the sums of the shares.
type boundChecker struct {
	*libra
	t    *testing.T
	seen int
}

func (p *boundChecker) Arrive(c *simulate.Cluster, j *simulate.Job) {
	now := c.Now()
	for i := range p.libra.bounds {
		n, at := c.Node(i), now-p.libra.bounds[i].since
		if n.Changed() || p.libra.bounds[i].steady || at > p.libra.bounds[i].limit {
			continue
		}
		p.seen++
		if load := loadOf(n, now); !(p.libra.bounds[i].least(at) <= load && load <= p.libra.bounds[i].most(at)) {
			p.t.Fatalf("the load of node %d, %v, is not between %v and %v", i, load, p.libra.bounds[i].least(at), p.libra.bounds[i].most(at))
		}
	}
	p.libra.Arrive(c, j)
}

// TestLoadBound: the load of a node stays within its bounds.
func TestLoadBound(t *testing.T) {
	for _, spare := range []Spare{Proportional, Equal, None} {
		rnd := rand.New(rand.NewPCG(10, uint64(spare)))
		var jobs []simulate.Job
		at := 0.0
		for range 3000 {
			at += 3 * rnd.ExpFloat64()
			work := 1 + 20*rnd.Float64()
			j := simulate.Job{Submit: at, Work: work, Width: 1 + rnd.IntN(3)}
			j.Spec.Details.Estimate = work * (1 + float64(rnd.IntN(2))*rnd.Float64())
			j.Value = simulate.ByDeadline(1e9, j.Spec.Details.Estimate*(1+6*rnd.Float64()), 0, false)
			jobs = append(jobs, j)
		}
		terms := LibraTerms{Gamma: 1, Delta: 1, Spare: spare}
		p := &boundChecker{libra: NewLibra(terms).(*libra), t: t}
		_, err := simulate.Run(context.Background(), simulate.Config{Source: simulate.Slice(jobs), Sites: []simulate.Site{{Processors: 6, Policy: p}}})
		if err != nil {
			t.Fatal(err)
		}
		if (p.seen > 1000) != (spare != None) {
			t.Errorf("spare %d: %d loads had bounds", spare, p.seen)
		}
	}
}

package policy

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// coursed is Libra with a look at the courses of its nodes at every arrival,
// against the sums of the shares.
type coursed struct {
	*libra
	t      *testing.T
	bounds int
}

func (p *coursed) Arrive(c *simulate.Cluster, j *simulate.Job) {
	now := c.Now()
	for i := range p.courses {
		n, at := c.Nodes()[i], now-p.courses[i].since
		if n.Changed() || p.courses[i].steady || at > p.courses[i].limit {
			continue
		}
		p.bounds++
		if load := loadOf(n, now); !(p.courses[i].least(at) <= load && load <= p.courses[i].most(at)) {
			p.t.Fatalf("the load of node %d, %v, is not between %v and %v", i, load, p.courses[i].least(at), p.courses[i].most(at))
		}
	}
	p.libra.Arrive(c, j)
}

// TestCourse: the load of a node stays within its bounds.
func TestCourse(t *testing.T) {
	for _, spare := range []Spare{Proportional, Equal, None} {
		rnd := rand.New(rand.NewPCG(10, uint64(spare)))
		var jobs impreciseJobs
		at := 0.0
		for range 3000 {
			at += 3 * rnd.ExpFloat64()
			work := 1 + 20*rnd.Float64()
			j := simulate.Job{Submit: at, Work: work, Width: 1 + rnd.IntN(3)}
			j.Spec.Details.Estimate = work * (1 + float64(rnd.IntN(2))*rnd.Float64())
			j.Value = simulate.ByDeadline(1e9, j.Spec.Details.Estimate*(1+6*rnd.Float64()), 0, false)
			jobs = append(jobs, j)
		}
		terms := DefaultLibra()
		terms.Spare = spare
		p := &coursed{libra: NewLibra(terms).(*libra), t: t}
		_, err := simulate.Run(context.Background(), simulate.Config{Source: &jobs, Sites: []simulate.Site{{Processors: 6, Policy: p}}})
		if err != nil {
			t.Fatal(err)
		}
		if (p.bounds > 1000) != (spare != None) {
			t.Errorf("spare %d: %d loads had bounds", spare, p.bounds)
		}
	}
}

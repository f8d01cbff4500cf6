package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// foreseeing is LibraSLA with a look at what the books of its nodes foresee at
// every arrival, against the returns summed up task by task.
type foreseeing struct {
	*librasla
	t     *testing.T
	count [loss + 1]int
	stale int // how often the outlook was not of the moment
}

func (p *foreseeing) Arrive(c *simulate.Cluster, j *simulate.Job) {
	now, due := c.Now(), j.Value.Due
	fresh := claim{terms: termsOf(j), ahead: due, reach: due}
	for _, n := range c.Nodes() {
		b := p.open(n)
		fresh.share = j.Spec.Details.Estimate / n.Speed / due
		if b == nil || !b.short || fresh.share > 1 {
			continue
		}
		what, most := b.foresee(n, &fresh, now)
		p.count[what]++
		if what != unclear && !b.isStuck() && b.since < now {
			p.stale++
		}
		present, value := returnsOf(n, &fresh, now)
		ok := value >= present && !math.IsInf(value, -1)
		if what == gain && !(ok && value <= most) || what == loss && ok {
			p.t.Fatalf("node %d: foreseen %d, at most %v, but the return goes from %v to %v", n.ID, what, most, present, value)
		}
	}
	p.librasla.Arrive(c, j)
}

// returnsOf returns the return of a node without and with a claim, minus
// infinity where hard deadlines would be missed.
func returnsOf(n *simulate.Node, fresh *claim, now float64) (present, value float64) {
	var s standing
	for i := range n.Tasks {
		c := claimOf(&n.Tasks[i], n.Left(i, now), now)
		s.add(&c)
	}
	present = s.value()
	s.add(fresh)
	if fresh.hard && s.hard > 1+slack {
		return present, math.Inf(-1)
	}
	return present, s.value()
}

// TestOutlook: what the books foresee comes true, with and without penalties
// and estimates that are too small, on nodes of different speeds.
func TestOutlook(t *testing.T) {
	for kind := range uint64(4) {
		free, blunders := kind&1 != 0, kind&2 != 0
		rnd := rand.New(rand.NewPCG(11, kind))
		var jobs impreciseJobs
		at := 0.0
		for range 3000 {
			at += 2 * rnd.ExpFloat64()
			j := simulate.Job{Submit: at, Work: 1 + 20*rnd.Float64(), Width: 1 + rnd.IntN(3)}
			estimate := j.Work * (1 + float64(rnd.IntN(2))*rnd.Float64())
			if blunders && rnd.IntN(20) == 0 {
				estimate = j.Work * (0.5 + rnd.Float64()/2)
			}
			j.Spec.Details.Estimate = estimate
			due, price := estimate*(1+6*rnd.Float64()), estimate*(1+3*rnd.Float64())
			j.Value = simulate.ByDeadline(price, due, 0, rnd.IntN(5) == 0)
			if !free {
				j.Value.Decay = 0.2 * rnd.Float64()
			}
			jobs = append(jobs, j)
		}
		p := &foreseeing{librasla: NewLibraSLA().(*librasla), t: t}
		_, err := simulate.Run(context.Background(), simulate.Config{Source: &jobs, Sites: []simulate.Site{{
			Processors: 6, Policy: p, Machines: []simulate.Machine{{Speed: 1}, {Speed: 1}, {Speed: 2}, {Speed: 1}, {Speed: 0.5}, {Speed: 1}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("free %t, blunders %t: %d unclear, %d gains, %d losses, %d of them from earlier", free, blunders, p.count[unclear], p.count[gain], p.count[loss], p.stale)
		if p.count[gain] < 500 || p.count[loss] < 100 || p.stale < 500 {
			t.Errorf("free %t, blunders %t: foresaw %d gains and %d losses, %d of them from earlier", free, blunders, p.count[gain], p.count[loss], p.stale)
		}
	}
}

package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// TestReturns: the returns of one node at time 0, worked by hand. A is (runtime
// 100, deadline 200, budget 400, penalty 1), B' (100, 200, 200, p), C (100, 250,
// 300, 0.1).
func TestReturns(t *testing.T) {
	job := func(deadline, budget, penalty float64, hard bool) claim {
		return claim{
			terms: terms{worth: budget / 100 / deadline, fine: penalty / 100 / deadline, hard: hard},
			share: 100 / deadline, reach: deadline, ahead: deadline,
		}
	}
	a := job(200, 400, 1, false)
	rival := func(p float64) claim { return job(200, 200, p, false) }
	soft, hard := job(250, 300, 0.1, false), job(250, 300, 0.1, true)
	for _, test := range []struct {
		name   string
		claims []claim
		want   float64
	}{
		{"empty", nil, 0},
		{"A", []claim{a}, 0.02},
		{"A, B'", []claim{a, rival(0.5)}, 0.03},
		{"A, B', soft C, p = 0.5", []claim{a, rival(0.5), soft}, 0.0372},
		{"A, B', soft C, p = 2", []claim{a, rival(2), soft}, 0.0252},
		{"A, B', hard C, p = 0.5", []claim{a, rival(0.5), hard}, 0.022},
		{"A, B', hard C, p = 0.1", []claim{a, rival(0.1), hard}, 0.038},
		// The order does not matter.
		{"C, B', A, p = 0.5", []claim{soft, rival(0.5), a}, 0.0372},
		// Hard shares of 0.8 leave A 0.2: it ends at 500, 300 late, and is
		// worth 100; A, best or not, is the only one to give way.
		{"A, two hard C", []claim{a, hard, hard}, 0.005 + 2*0.012},
		// Nothing is left for B'.
		{"B', hard C and A", []claim{job(250, 300, 0.1, true), job(250, 300, 0.1, true), a, rival(0)}, math.Inf(-1)},
	} {
		var s nodeSum
		for i := range test.claims {
			s.add(&test.claims[i])
		}
		if got := s.value(); !(math.Abs(got-test.want) < 1e-12) && got != test.want {
			t.Errorf("%s: return %.6f, want %.6f", test.name, got, test.want)
		}
	}
}

// foreseeing is LibraSLA with a look at what the accounts of its nodes foresee, and
// at how they are listed, at every arrival, against the returns summed up task by
// task.
type foreseeing struct {
	*librasla
	t     *testing.T
	count [loss + 1]int
	stale int // how often the forecast was not of the moment
	lost  int // how often a node is listed as one that the job makes lose
}

func (p *foreseeing) Arrive(c *simulate.Cluster, j *simulate.Job) {
	now, due := c.Now(), j.Value.Due
	fresh := claim{terms: termsOf(j), ahead: due, reach: due}
	for _, n := range c.Nodes() {
		fresh.share = j.Spec.Details.Estimate / n.Speed / due
		if n.Changed() || len(n.Tasks) == 0 || fresh.share > 1 {
			continue
		}
		present, value := returnsOf(n, &fresh, now)
		ok := value >= present && !math.IsInf(value, -1)
		e := p.places[n.ID].block.entries[p.places[n.ID].at]
		if e.until > now {
			loses := e.isLoss(&fresh)
			if ok && (loses || value > e.rank+fresh.worth*(1+slack)) {
				p.t.Fatalf("node %d: listed %+v, loss %t, but the return goes from %v to %v with %+v", n.ID, e, loses, present, value, fresh)
			}
			if loses {
				p.lost++
			}
		}
		b := &p.accounts[n.ID]
		if !b.short {
			continue
		}
		what, most := b.foresee(n, &fresh, now)
		p.count[what]++
		if what != unclear && !b.isStuck() && b.since < now {
			p.stale++
		}
		if what == gain && !(ok && value <= most) || what == loss && ok {
			p.t.Fatalf("node %d: foreseen %d, at most %v, but the return goes from %v to %v", n.ID, what, most, present, value)
		}
	}
	p.librasla.Arrive(c, j)
}

// returnsOf returns the return of a node without and with a claim, minus
// infinity where hard deadlines would be missed.
func returnsOf(n *simulate.Node, fresh *claim, now float64) (present, value float64) {
	var s nodeSum
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

// TestForecast: what the accounts foresee comes true, with and without penalties
// and estimates that are too small, on nodes of different speeds.
func TestForecast(t *testing.T) {
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
		p := &foreseeing{librasla: NewLibraSLA(SLATerms{}).(*librasla), t: t}
		_, err := simulate.Run(context.Background(), simulate.Config{Source: &jobs, Sites: []simulate.Site{{
			Processors: 6, Policy: p, Machines: []simulate.Machine{{Speed: 1}, {Speed: 1}, {Speed: 2}, {Speed: 1}, {Speed: 0.5}, {Speed: 1}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("free %t, blunders %t: %d unclear, %d gains, %d losses, %d of them from earlier, %d by the list", free, blunders, p.count[unclear], p.count[gain], p.count[loss], p.stale, p.lost)
		if p.count[gain] < 500 || p.count[loss] < 100 || p.stale < 500 || !free && p.lost < 100 {
			t.Errorf("free %t, blunders %t: foresaw %d gains and %d losses, %d of them from earlier", free, blunders, p.count[gain], p.count[loss], p.stale)
		}
	}
}

package causal_test

import (
	"cmp"
	"context"
	"errors"

	"slices"
	"testing"

	"revopt/internal/truth"
	"revopt/simulate"
	"revopt/simulate/causal"
	"revopt/simulate/policy"
)

// peeking starts the jobs that fit, the least key first.
type peeking struct {
	key   func(c *simulate.Cluster, j *simulate.Job) float64
	waits []*simulate.Job
	seen  map[int64]float64 // what a router or a transfer has shown
	moves bool              // jobs are transferred to the site where they are
}

func (p *peeking) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if _, seen := p.seen[j.ID]; p.moves && !seen {
		p.waits = append(p.waits, j)
		p.seen[j.ID] = 0
		c.Transfer(j, c, func(j *simulate.Job) { p.seen[j.ID] = j.Work })
		return
	}
	p.waits = append(p.waits, j)
}

func (p *peeking) Leave(_ *simulate.Cluster, j *simulate.Job) {
	p.waits = slices.DeleteFunc(p.waits, func(other *simulate.Job) bool { return other == j })
}

func (p *peeking) Schedule(c *simulate.Cluster) {
	for {
		var best *simulate.Job
		for _, j := range p.waits {
			if j.Width <= c.Free() && (best == nil || p.key(c, j) < p.key(c, best)) {
				best = j
			}
		}
		if best == nil {
			return
		}
		p.Leave(c, best)
		c.Start(best)
	}
}

// informed says that it may know run times, and was not asked to.
type informed struct{ *peeking }

func (informed) KnowsRunTimes() bool { return true }

// showing is a router that shows run times to the policy.
type showing struct{ *peeking }

func (r showing) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	r.seen[j.ID] = j.Work
	return sites[0], simulate.NoReason
}

func (showing) Next(*simulate.Job, *simulate.Cluster, []*simulate.Cluster) *simulate.Cluster {
	return nil
}

// crowding starts jobs at once, on the nodes whose tasks end last. It tries rates until a task is over.
type crowding struct{}

func (crowding) Arrive(c *simulate.Cluster, j *simulate.Job) {
	left := make([]float64, c.Processors())
	for i := range left {
		n := c.Node(i)
		for k := range n.Tasks {
			left[i] = max(left[i], ends(n, k, c.Now()))
		}
	}
	order := make([]int, len(left))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(left[b], left[a]) })
	order = order[:j.Width]
	slices.Sort(order)
	c.StartOn(j, order)
}

// ends returns about how long a task has still to run.
func ends(n *simulate.Node, i int, now float64) float64 {
	t, elapsed := &n.Tasks[i], n.Elapsed(now)
	rate, step := t.Rate, 1.0
	defer func() { t.Rate = rate }()
	for ; step < 1e4 && elapsed > 0; step *= 1.1 {
		t.Rate = step / elapsed
		if n.Over(i) {
			break
		}
	}
	return step
}

func (crowding) Schedule(*simulate.Cluster) {}

func (crowding) SetRates(n *simulate.Node, _ float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 1 / float64(len(n.Tasks))
	}
}

// TestPeeking: what a policy tries to read of the future is hidden from it, or it is caught. What is not exported, such
// as the work of a task, does not compile.
func TestPeeking(t *testing.T) {
	own := func(key func(c *simulate.Cluster, j *simulate.Job) float64) func() (simulate.Policy, simulate.Router) {
		return func() (simulate.Policy, simulate.Router) { return &peeking{key: key}, nil }
	}
	work := func(_ *simulate.Cluster, j *simulate.Job) float64 { return j.Work }
	shown := func() *peeking {
		p := &peeking{seen: map[int64]float64{}}
		p.key = func(_ *simulate.Cluster, j *simulate.Job) float64 { return p.seen[j.ID] }
		return p
	}
	for _, test := range []struct {
		name   string
		make   func() (simulate.Policy, simulate.Router)
		caught bool // otherwise it finds nothing
		shares bool
	}{
		{name: "run time", make: own(work)},
		{name: "expiry", make: own(func(_ *simulate.Cluster, j *simulate.Job) float64 { return -j.Expire })},
		{name: "patience", make: own(func(_ *simulate.Cluster, j *simulate.Job) float64 { return j.Patience })},
		{name: "start in the log", make: own(func(_ *simulate.Cluster, j *simulate.Job) float64 { return j.Spec.Recorded.At })},
		{name: "value", make: own(func(_ *simulate.Cluster, j *simulate.Job) float64 { return -j.Value.Price })},
		{name: "lengths of parts", make: own(func(_ *simulate.Cluster, j *simulate.Job) float64 {
			if i := j.Spec.Imprecise; i != nil && !j.Spec.Details.Exact {
				return i.Mandatory
			}
			return 0
		})},
		{name: "who leaves soon", make: own(func(c *simulate.Cluster, j *simulate.Job) float64 {
			if j.Gone(c.Now() + 20) {
				return -1
			}
			return 0
		})},
		{name: "what is left", caught: true, make: own(func(c *simulate.Cluster, j *simulate.Job) float64 {
			return j.Left(truth.Key{}, c.Now())
		})},
		{name: "informed", caught: true, make: func() (simulate.Policy, simulate.Router) {
			return informed{&peeking{key: work}}, nil
		}},
		{name: "router", caught: true, make: func() (simulate.Policy, simulate.Router) {
			p := shown()
			return p, showing{p}
		}},
		{name: "transfer", caught: true, make: func() (simulate.Policy, simulate.Router) {
			p := shown()
			p.moves = true
			return p, nil
		}},
		{name: "rates", caught: true, shares: true, make: func() (simulate.Policy, simulate.Router) { return crowding{}, nil }},
	} {
		spec := policy.Spec{Name: test.name, Needs: policy.Needs{Shared: test.shares, Alike: true},
			Make: func(policy.Settings, policy.Context) ([]simulate.Policy, simulate.Router, error) {
				p, router := test.make()
				return []simulate.Policy{p}, router, nil
			}}
		for seed := range uint64(20) {
			check := causal.Check{Spec: spec, Seed: 1000 * seed, Workloads: 5}
			var found *causal.Finding
			if err := check.Run(context.Background()); errors.As(err, &found) != test.caught || err != nil && found == nil {
				t.Errorf("%s, seed %d: %v", test.name, seed, err)
			}
		}
	}
}

package policy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// under runs jobs on so many processors, or on machines, under audit.
func under(t *testing.T, p simulate.Policy, processors int, jobs []simulate.Job, machines ...simulate.Machine) []ending {
	t.Helper()
	return audited(t, simulate.Config{Sites: []simulate.Site{{Processors: processors, Policy: p, Machines: machines}}}, jobs)
}

// TestBidShareByHand: two nodes. A bids 3 on node 0, B 1 on node 1, C at 2 also
// 1, on node 1. D bids 2 for each of both nodes at 4. On node 0 A then runs at
// 3/5 and ends at 14; D has 2 s left and ends at 16. On node 1 D runs at 1/2 and
// ends at 16 as well; B and C, at 1/4 until then, have 4 s left each.
func TestBidShareByHand(t *testing.T) {
	jobs := []submission{
		{at: 0, runtime: 10, estimate: 10, width: 1, deadline: 100, budget: 30},
		{at: 0, runtime: 10, estimate: 10, width: 1, deadline: 100, budget: 10},
		{at: 2, runtime: 8, estimate: 8, width: 1, deadline: 100, budget: 8},
		{at: 4, runtime: 6, estimate: 6, width: 2, deadline: 100, budget: 24},
	}
	for i, got := range execute(t, 2, policy.NewBidShare(), jobs) {
		if want := []float64{14, 24, 24, 16}[i]; math.Abs(got.finish-want) > 1e-9 || math.Abs(got.revenue-jobs[i].budget) > 1e-9 {
			t.Errorf("job %d ends at %g and pays %g, want %g and %g", i, got.finish, got.revenue, want, jobs[i].budget)
		}
	}
}

// naiveBids places a job on the nodes with the least bids for their speed by a
// look at all of them.
type naiveBids struct{ simulate.Finisher }

func naiveBid(j *simulate.Job) float64 {
	return math.Max(1e-7, j.Value.At(j.Spec.Details.Estimate)/j.Spec.Details.Estimate/float64(j.Width))
}

func (p naiveBids) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
		return
	}
	keys, nodes := make([]float64, c.Processors()), make([]int, c.Processors())
	for i, n := range c.Nodes() {
		nodes[i], keys[i] = i, naiveBid(j)
		for _, t := range n.Tasks {
			keys[i] += naiveBid(t.Job)
		}
		keys[i] /= n.Speed
	}
	slices.SortStableFunc(nodes, func(a, b int) int {
		switch d := keys[a] - keys[b]; {
		case math.Abs(d) <= 1e-9*keys[a]:
			return 0
		case d < 0:
			return -1
		}
		return 1
	})
	nodes = nodes[:j.Width]
	slices.Sort(nodes)
	c.StartOn(j, nodes)
}

func (p naiveBids) SetRates(n *simulate.Node, _ float64) {
	var sum float64
	for _, t := range n.Tasks {
		sum += naiveBid(t.Job)
	}
	for i := range n.Tasks {
		n.Tasks[i].Rate = naiveBid(n.Tasks[i].Job) / sum
	}
}

// TestBidShareAgrees: the search does what a look at all nodes does, on nodes
// that are alike and on others, with many bids equal.
func TestBidShareAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 15))
	for round := range 60 {
		jobs := assorted(rnd, 120, 2+40*rnd.Float64())
		for i := range jobs {
			j := &jobs[i]
			if rnd.IntN(2) == 0 {
				j.Value.Price, j.Value.Due = float64(rnd.IntN(3)*j.Width)*j.Spec.Details.Estimate, math.Inf(1)
			}
		}
		processors := []int{1, 8, 400}[round%3]
		var machines []simulate.Machine
		if round%2 == 0 {
			for range processors {
				machines = append(machines, simulate.Machine{Speed: []float64{0.5, 1, 2}[rnd.IntN(3)]})
			}
		}
		want := under(t, naiveBids{policy.NewBidShare()}, processors, jobs, machines...)
		for i, got := range under(t, policy.NewBidShare(), processors, jobs, machines...) {
			if got.kind != want[i].kind || math.Abs(got.at-want[i].at) > 1e-6*(1+want[i].at) || math.Abs(got.revenue-want[i].revenue) > 1e-6 {
				t.Fatalf("round %d: job %d: %+v, want %+v", round, i, got, want[i])
			}
		}
	}
}

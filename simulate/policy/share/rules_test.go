package share_test

import (
	"math"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/policy/share"
)

// TestPricedMemory: the same example in a run. Time is in hours. A job that
// holds 80 units for 1.125 h takes 90 unit-hours, one that holds 20 for half an
// hour takes 10.
func TestPricedMemory(t *testing.T) {
	for _, test := range []struct{ deadline, price, paid float64 }{{2, 2, 20}, {5, 1.25, 12.5}} {
		other, job := policytest.Exact(0, 1.125, 100, 1e9, 1), policytest.Exact(0, 0.5, test.deadline, 1e9, 1)
		other.Memory, job.Memory = 80, 20
		p := share.NewLibraDollar(share.DollarTerms{Pricing: share.Pricing{Beta: 1}, Base: share.Prices{Memory: 1}})
		got := settleOn(t, simulate.Site{Processors: 1, Policy: p, Machines: []simulate.Machine{{Speed: 1, Memory: 100}}}, []policytest.Submission{other, job})
		if math.Abs(got[1].paid-test.paid) > 1e-9 {
			t.Errorf("deadline of %g h: 10 unit-hours cost %g, want 10 at $%g", test.deadline, got[1].paid, test.price)
		}
		// All three resources are summed: a second of processor at
		// D/(D - 1.125 - 0.5) on top, and of disk without a limit at 1.
		all := share.DollarTerms{Pricing: share.Pricing{Beta: 1}, Base: share.Prices{Processor: 1, Memory: 1, Disk: 1}}
		job.Disk = 3
		got = settleOn(t, simulate.Site{Processors: 1, Policy: share.NewLibraDollar(all), Machines: []simulate.Machine{{Speed: 1, Memory: 100}}}, []policytest.Submission{other, job})
		want := test.paid + 0.5*test.deadline/(test.deadline-1.625) + 0.5*3
		if math.Abs(got[1].paid-want) > 1e-9 {
			t.Errorf("deadline of %g h: all resources cost %g, want %g", test.deadline, got[1].paid, want)
		}
	}
}

// rated counts the nodes whose rates are set, and their processors.
type rated struct{ nodes, processors int }

func (r *rated) Observe(e simulate.Event) {
	if e.Kind == simulate.Rated {
		r.nodes++
		r.processors += len(e.Node.Members)
	}
}

// TestGroups: A runs on 1000 processors, B after 10 s on the first 300 of them, C on one
// of the others. Rates are set at the three starts, again for what a start leaves of a
// node, and at five ends: of A on three nodes, of B and of C.
func TestGroups(t *testing.T) {
	var r rated
	jobs := []policytest.Submission{policytest.Exact(0, 100, 400, 1e9, 1000), policytest.Exact(10, 50, 100, 1e9, 300), policytest.Exact(11, 20, 400, 1e9, 1)}
	got := settle(t, 1000, share.NewLibra(share.LibraTerms{LeastLoaded: true}), jobs, &r)
	if r != (rated{10, 1000 + 300 + 700 + 1 + 699 + 2*300 + 2*1 + 699}) || got[2].nodes[0] != 300 {
		t.Errorf("rates set %+v, C runs on %v", r, got[2].nodes)
	}
}

// TestFree: A needs 10 s of 40 and has a node to itself. After 4 s it has 6 left
// and 36 to its deadline. A job that comes then pays RE D/RESFree.
func TestFree(t *testing.T) {
	for _, test := range []struct {
		estimate, deadline float64
		free               map[string]float64 // RESFree by reading; none where no node can take the job
	}{
		{4, 12, map[string]float64{"remaining": 12 - 6 - 4, "window": 12 - 6*12/36.0 - 4, "nominal": 12 - 0.25*12 - 4}},
		{4, 72, map[string]float64{"full": 72 - 10 - 4, "remaining": 72 - 6 - 4, "window": 72 - 6 - 4, "nominal": 72 - 0.25*36 - 4}},
		// Its share is 0.8. A still needs 1/6, but was taken with 1/4.
		{9.6, 12, map[string]float64{"window": 12 - 2 - 9.6}},
	} {
		for _, free := range []string{"full", "remaining", "window", "nominal"} {
			p := policytest.ByName(t, "libra+$", policy.Settings{"free": free, "alpha": "0", "beta": "1"})
			got := settle(t, 1, p, []policytest.Submission{policytest.Exact(0, 10, 40, 99, 1), policytest.Exact(4, test.estimate, test.deadline, 1e9, 1)})[1]
			want, ok := test.free[free]
			if ok != (got.reason == simulate.NoReason) || ok && math.Abs(got.paid-test.estimate*test.deadline/want) > 1e-9 {
				t.Errorf("%g s of %g, %s: pays %g, rejected for %v, want RESFree %g", test.estimate, test.deadline, free, got.paid, got.reason, want)
			}
		}
	}
}

// TestWish: node 0 has the memory for a job of 10 s of 20. Node 1 is twice as fast
// and twice as dear. A job of 4 s of 10 would end after 9 s on node 0, at the rate
// 0.4/0.9, after 2 on node 1 and after 4 on node 2.
func TestWish(t *testing.T) {
	machines := []simulate.Machine{{Speed: 1, Memory: 9}, {Speed: 2, Memory: 1, Price: 2}, {Speed: 1, Memory: 1}}
	other := policytest.Exact(0, 10, 20, 99, 1)
	other.Memory = 9
	for _, test := range []struct {
		policy, wish string
		budget       float64
		node         int32
		paid         float64
	}{
		{"libra", "none", 99, 0, 4.4},
		{"libra", "time", 99, 1, 2 * 4.4},
		{"libra", "time", 8, 2, 4.4},
		{"libra", "cost", 99, 0, 4.4},
		{"libra+$", "none", 99, 0, 4 * (1 + 0.5*10/1)}, // RESFree 10 - 5 - 4
		{"libra+$", "none", 9, 2, 4 * (1 + 0.5*10/6)},
		{"libra+$", "time", 99, 1, 2 * 2 * (1 + 0.5*10/8)},
		{"libra+$", "time", 7.4, 1, 6.5},
		{"libra+$", "cost", 99, 1, 6.5},
	} {
		settings := policy.Settings{"optimize": test.wish}
		if test.policy == "libra+$" {
			settings["beta"], settings["free"] = "0.5", "window"
		}
		got := settleOn(t, simulate.Site{Processors: 3, Policy: policytest.ByName(t, test.policy, settings), Machines: machines},
			[]policytest.Submission{other, policytest.Exact(0, 4, 10, test.budget, 1)})
		if !slices.Equal(got[1].nodes, []int32{test.node}) || math.Abs(got[1].paid-test.paid) > 1e-9 {
			t.Errorf("%s, %s, budget %g: runs on %v for %g, want node %d for %g", test.policy, test.wish, test.budget, got[1].nodes, got[1].paid, test.node, test.paid)
		}
	}
}

// TestOverrunShared: A says 4 s and needs 10, due at 20; B needs 10, due at 25.
// Shares 0.2 and 0.4. Under proportional spare A has spent its estimate at 12,
// an event of its own, and keeps 0.2 where B needs 2/13: B ends at 16.6, A at
// 20. Without spare A runs at 0.2 for 50 s, and pays nothing as it is late.
func TestOverrunShared(t *testing.T) {
	jobs := []policytest.Submission{{At: 0, Runtime: 10, Estimate: 4, Width: 1, Deadline: 20, Budget: 99}, policytest.Exact(0, 10, 25, 99, 1)}
	for _, test := range []struct {
		spare string
		ends  []float64
		paid  float64 // by A
	}{{"proportional", []float64{20, 16.6}, 4.2}, {"none", []float64{50, 25}, 0}} {
		seen := new(rates)
		got := settle(t, 1, policytest.ByName(t, "libra", policy.Settings{"spare": test.spare}), jobs, seen)
		if !close4(got[0].finish, test.ends[0]) || !close4(got[1].finish, test.ends[1]) || !close4(got[0].paid, test.paid) {
			t.Errorf("%s: end at %g and %g, A pays %g; want %v, %g", test.spare, got[0].finish, got[1].finish, got[0].paid, test.ends, test.paid)
		}
		if test.spare == "proportional" {
			want := []float64{0.2 / (0.2 + 2.0/13), 2.0 / 13 / (0.2 + 2.0/13)}
			if second := (*seen)[1]; !slices.EqualFunc(second, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
				t.Errorf("rates after the estimate is spent: %v, want %v", second, want)
			}
		}
	}
}

// TestMachines: nodes of speed 1, 2 and 1 with 50, 100 and 100 units of memory.
func TestMachines(t *testing.T) {
	machines := []simulate.Machine{{Speed: 1, Memory: 50}, {Speed: 2, Memory: 100}, {Speed: 1, Memory: 100, Disk: 10}}
	need := func(c policytest.Submission, memory, disk float64) policytest.Submission {
		c.Memory, c.Disk = memory, disk
		return c
	}
	for _, name := range []string{"libra", "libra+$", "libra-sla"} {
		got := settleOn(t, simulate.Site{Processors: 3, Policy: policytest.ByName(t, name, nil), Machines: machines}, []policytest.Submission{
			need(policytest.Exact(0, 10, 100, 99, 3), 60, 0), // two nodes have so much
			need(policytest.Exact(0, 10, 100, 99, 2), 60, 0), // they take it
			need(policytest.Exact(0, 10, 100, 99, 1), 60, 0), // now none has
			need(policytest.Exact(0, 1, 100, 99, 3), 40, 0),  // all have 40 left
			need(policytest.Exact(0, 1, 100, 99, 3), 0, 11),  // node 2 has not so much disk
			need(policytest.Exact(0, 1, 100, 99, 3), 0, 6),   // it has 10
			need(policytest.Exact(0, 1, 100, 99, 3), 0, 6),   // now it has 4
		})
		for i, want := range []struct {
			nodes []int32
			why   simulate.Reason
		}{
			{nil, simulate.Resources}, {[]int32{1, 2}, 0}, {nil, simulate.Deadline}, {[]int32{0, 1, 2}, 0}, {nil, simulate.Resources},
			{[]int32{0, 1, 2}, 0}, {nil, simulate.Deadline},
		} {
			if got[i].reason != want.why || !slices.Equal(got[i].nodes, want.nodes) {
				t.Errorf("%s: job %d runs on %v, rejected for %v; want %v, %v", name, i, got[i].nodes, got[i].reason, want.nodes, want.why)
			}
		}
		fast := settleOn(t, simulate.Site{Processors: 3, Policy: policytest.ByName(t, name, nil), Machines: machines}, []policytest.Submission{policytest.Exact(0, 6, 3.5, 99, 1)})
		if !slices.Equal(fast[0].nodes, []int32{1}) || fast[0].finish != 3 {
			t.Errorf("%s: 6 s due in 3.5 run on %v until %g, want node 1 until 3", name, fast[0].nodes, fast[0].finish)
		}
	}
	// The runtime on a node of speed 2 is half, and so is the price.
	got := settleOn(t, simulate.Site{Processors: 1, Policy: policytest.ByName(t, "libra+$", nil), Machines: machines[1:2]}, []policytest.Submission{policytest.Exact(0, 10, 25, 99, 1)})
	if got[0].finish != 5 || !close4(got[0].paid, 5*(1+0.1*25/20)) {
		t.Errorf("10 s at speed 2 end at %g for %g, want 5 for 5.625", got[0].finish, got[0].paid)
	}
}

// TestLibraSLAPaysOnce: a parallel job is paid once, by its last task. Both
// nodes run the wide job; on node 0 it yields to a better one of the same
// deadline and ends 5 s late.
func TestLibraSLAPaysOnce(t *testing.T) {
	wide, better := sla(0, 10, 15, 20, 1), sla(0, 10, 15, 30, 0)
	wide.Width = 2
	got := settle(t, 2, share.NewLibraSLA(share.SLATerms{}), []policytest.Submission{wide, better})
	if got[0].finish != 20 || got[0].paid != 20-5 || got[1].finish != 15 || got[1].paid != 30 {
		t.Errorf("the wide job ends at %g and pays %g, the better one at %g and pays %g; want 20, 15, 15, 30", got[0].finish, got[0].paid, got[1].finish, got[1].paid)
	}
}

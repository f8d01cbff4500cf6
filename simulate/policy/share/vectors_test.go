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

// TestSevenContracts: finish times, nodes and costs worked by hand.
func TestSevenContracts(t *testing.T) {
	const budget, deadline = simulate.Budget, simulate.Deadline
	gone := math.NaN()
	for _, test := range []struct {
		policy  string
		options policy.Settings
		finish  []float64
		paid    []float64
		nodes   [][]int32 // nil where it was not worked out
		why     []simulate.Reason
	}{
		{
			"libra+$", nil,
			[]float64{20, 18.5714, gone, gone, gone, 16, gone}, []float64{11.3333, 15, 0, 0, 0, 3.4, 0},
			[][]int32{{0, 1}, {0}, nil, nil, nil, {1, 2}, nil},
			[]simulate.Reason{2: deadline, 3: budget, 4: deadline, 6: simulate.Resources},
		},
		{
			"libra", nil,
			[]float64{23, 22.1884, 15.3141, gone, gone, 20.1844, gone}, []float64{10.25, 10.4, 6.75, 0, 0, 3.25, 0},
			nil, []simulate.Reason{3: budget, 4: deadline, 6: simulate.Resources},
		},
		{
			"libra", policy.Settings{"spare": "none"},
			[]float64{40, 30, 16, gone, gone, 25, gone}, []float64{10.25, 10.4, 6.75, 0, 0, 3.25, 0},
			nil, []simulate.Reason{3: budget, 4: deadline, 6: simulate.Resources},
		},
	} {
		for i, got := range settle(t, 3, policytest.ByName(t, test.policy, test.options), policytest.Seven()) {
			if !close4(got.finish, test.finish[i]) || !close4(got.paid, test.paid[i]) || got.reason != test.why[i] {
				t.Errorf("%s %v: J%d: ends at %.4f, pays %.4f, rejected for %v; want %.4f, %.4f, %v",
					test.policy, test.options, i, got.finish, got.paid, got.reason, test.finish[i], test.paid[i], test.why[i])
			}
			if test.nodes != nil && !slices.Equal(got.nodes, test.nodes[i]) {
				t.Errorf("%s: J%d runs on %v, want %v", test.policy, i, got.nodes, test.nodes[i])
			}
		}
	}
}

// sla returns a job with a soft deadline and a penalty.
func sla(at, runtime, deadline, budget, penalty float64) policytest.Submission {
	c := policytest.Exact(at, runtime, deadline, budget, 1)
	c.Penalty = penalty
	return c
}

// rates is an observer that notes the rates set on node 0, set by set.
type rates [][]float64

func (r *rates) Observe(e simulate.Event) {
	if e.Kind == simulate.Rated && e.Node.ID == 0 {
		var set []float64
		for _, t := range e.Node.Tasks {
			set = append(set, t.Rate)
		}
		*r = append(*r, set)
	}
}

// TestLibraSLAVectors: one node at time 0. All jobs come at once, so that the
// first rates are those of the full list.
func TestLibraSLAVectors(t *testing.T) {
	a := sla(0, 100, 200, 400, 1)
	soft, hard := sla(0, 100, 250, 300, 0.1), sla(0, 100, 250, 300, 0.1)
	hard.Hard = true
	rival := func(penalty float64) policytest.Submission { return sla(0, 100, 200, 200, penalty) }
	for _, test := range []struct {
		name   string
		jobs   []policytest.Submission
		reject bool      // the last one
		rates  []float64 // of those taken
	}{
		{"A alone", []policytest.Submission{a}, false, []float64{1}},
		{"A and B", []policytest.Submission{a, sla(0, 100, 400, 400, 1)}, false, []float64{0.75, 0.25}},
		{"soft C, p = 0.5", []policytest.Submission{a, rival(0.5), soft}, false, []float64{0.5, 0.27778, 0.22222}},
		{"soft C, p = 2", []policytest.Submission{a, rival(2), soft}, true, []float64{0.5, 0.5}},
		{"hard C, p = 0.5", []policytest.Submission{a, rival(0.5), hard}, true, []float64{0.5, 0.5}},
		{"hard C, p = 0.1", []policytest.Submission{a, rival(0.1), hard}, false, []float64{0.5, 0.1, 0.4}},
	} {
		seen := new(rates)
		got := settle(t, 1, share.NewLibraSLA(share.SLATerms{}), test.jobs, seen)
		last := got[len(got)-1]
		if (last.reason == simulate.Return) != test.reject || last.reason != simulate.NoReason && !test.reject {
			t.Errorf("%s: rejected for %v", test.name, last.reason)
		}
		if first := (*seen)[0]; !slices.EqualFunc(first, test.rates, func(a, b float64) bool { return math.Abs(a-b) < 0.5001e-5 }) {
			t.Errorf("%s: rates %v, want %v", test.name, first, test.rates)
		}
	}
	got := settle(t, 1, share.NewLibraSLA(share.SLATerms{}), []policytest.Submission{a, sla(0, 100, 400, 400, 1)})
	if math.Abs(got[0].finish-400.0/3) > 1e-9 || math.Abs(got[1].finish-200) > 1e-9 || got[0].paid+got[1].paid != 800 {
		t.Errorf("A and B end at %g and %g and pay %g, want 133.33, 200 and 800", got[0].finish, got[1].finish, got[0].paid+got[1].paid)
	}
}

// TestLibra2004: two nodes of 100 MIPS, work in MI.
func TestLibra2004(t *testing.T) {
	jobs := []policytest.Submission{policytest.Exact(0, 10000, 200, 1e9, 1), policytest.Exact(0, 5000, 100, 1e9, 1), policytest.Exact(0, 6000, 100, 1e9, 1), policytest.Exact(50, 4000, 80, 1e9, 1)}
	for _, test := range []struct {
		spare string
		node  int32     // of the last job
		ends  []float64 // worked by hand; NaN where not
	}{
		{"none", 0, []float64{200, 100, math.NaN(), 130}},
		// Alone on their nodes the first two end at 100 and 50, the last at 90.
		{"equal", 1, []float64{100, 50, math.NaN(), 90}},
		{"proportional", 1, []float64{100, 50, math.NaN(), 90}},
	} {
		p := policytest.ByName(t, "libra", policy.Settings{"choice": "least-loaded", "spare": test.spare})
		got := settleOn(t, simulate.Site{
			Processors: 2, Policy: p, Machines: []simulate.Machine{{Speed: 100}, {Speed: 100}},
		}, jobs)
		if got[2].reason != simulate.Deadline {
			t.Errorf("%s: the third job is rejected for %v, want deadline", test.spare, got[2].reason)
		}
		for i, want := range []int32{0, 1, -1, test.node} {
			if !close4(got[i].finish, test.ends[i]) || want >= 0 && !slices.Equal(got[i].nodes, []int32{want}) {
				t.Errorf("%s: job %d ends at %g on %v, want %g on %d", test.spare, i, got[i].finish, got[i].nodes, test.ends[i], want)
			}
		}
	}
	// FIFO completes two in time: the third starts at 50 and ends at 110.
	inTime := 0
	for i, g := range settle(t, 2, policy.NewFCFS(false), []policytest.Submission{policytest.Exact(0, 100, 200, 0, 1), policytest.Exact(0, 50, 100, 0, 1), policytest.Exact(0, 60, 100, 0, 1), policytest.Exact(50, 40, 80, 0, 1)}) {
		if g.finish <= jobs[i].At+jobs[i].Deadline {
			inTime++
		}
	}
	if inTime != 2 {
		t.Errorf("FIFO completes %d in time, want 2", inTime)
	}
}

// TestTimeSharing: a period of updates and a cost of switching, worked by hand on
// one node. The first job runs alone until 5. With its share of 1/4 as of time 0
// there is no room for one of 4/5; as of time 4 there is, but not with a fifth of
// the node lost.
func TestTimeSharing(t *testing.T) {
	gone := math.NaN()
	for _, test := range []struct {
		options policy.Settings
		second  policytest.Submission
		finish  []float64
	}{
		{nil, policytest.Exact(5, 20, 25, 99, 1), []float64{30, 28.5714}},
		{policy.Settings{"update": "10"}, policytest.Exact(5, 20, 25, 99, 1), []float64{10, gone}},
		{policy.Settings{"update": "4", "switching": "0.2"}, policytest.Exact(5, 20, 25, 99, 1), []float64{10, gone}},
		{nil, policytest.Exact(5, 3, 25, 99, 1), []float64{13, 11.5714}},
		{policy.Settings{"update": "4"}, policytest.Exact(5, 3, 25, 99, 1), []float64{13, 11.9826}},
		{policy.Settings{"switching": "0.2"}, policytest.Exact(5, 6, 15, 99, 1), []float64{18.0357, 15.1786}},
	} {
		for i, got := range settle(t, 1, policytest.ByName(t, "libra", test.options), []policytest.Submission{policytest.Exact(0, 10, 40, 99, 1), test.second}) {
			if !close4(got.finish, test.finish[i]) {
				t.Errorf("%v, then %+v: job %d ends at %.4f, want %.4f", test.options, test.second, i, got.finish, test.finish[i])
			}
		}
	}
}

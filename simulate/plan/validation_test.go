package plan

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// TestDrainedByLindley sets what a class workload books against Lindley's
// recursion over all its jobs: no warm-up, and followed to the last.
func TestDrainedByLindley(t *testing.T) {
	doc := fixture.Parsed(t, fixture.Constant)
	rows := []Row{beside(t, "fcfs", nil, nil), beside(t, "hol", nil, []float64{0.5})}
	p := against{scenario: doc, rows: rows, seed: 5, jobs: 150}.run(t, 2)[0]
	w := fixture.Opened(t, fixture.Constant).Workload
	if p.Seconds == nil || replicationsOf(p) != 3 || len(p.Bounds) != 5 {
		t.Fatalf("%d replications, %d bounds, seconds %v", replicationsOf(p), len(p.Bounds), p.Seconds)
	}
	submitted, _ := metric.Lookup("jobs_submitted")
	for k := range 3 {
		source, err := w.Jobs(5, k)
		if err != nil {
			t.Fatal(err)
		}
		var all, half, last float64
		free, freeHalf := 0.0, 0.0
		for range 150 {
			var j simulate.Job
			if _, err := source.Next(&j); err != nil {
				t.Fatal(err)
			}
			start := math.Max(j.Submit, free)
			all, free = all+100-(start-j.Submit), start+10
			if j.Chance < 0.5 {
				start := math.Max(j.Submit, freeHalf)
				half, freeHalf = half+100-(start-j.Submit), start+10
			}
			last = j.Submit
		}
		for i, want := range []float64{all, half} {
			if got := p.Rows[i].Delivered[k]; math.Abs(got-want) > 1e-6 || p.Rows[i].Charged[k] != got {
				t.Errorf("replication %d, %s: %g and %g charged, want %g", k, rows[i].Label(), got, p.Rows[i].Charged[k], want)
			}
			if jobs, seconds := p.Rows[i].Plain(submitted, -1)[k], p.Rows[i].extra(extraSeconds)[k]; jobs != 150 || math.Abs(seconds-last) > 1e-9 {
				t.Errorf("%g jobs in %g s, want 150 in %g", jobs, seconds, last)
			}
		}
		if p.Jobs[k] != 150 || math.Abs(p.Seconds[k]-last) > 1e-9 {
			t.Errorf("%d jobs in %g s, want 150 in %g", p.Jobs[k], p.Seconds[k], last)
		}
		// Nobody can have more than the price of each job; a wait is certain
		// for one of two jobs that overlap.
		if best := p.Best()[k]; best < all || best > 150*100 {
			t.Errorf("bound %g, earned %g of 15000", best, all)
		}
	}
	if e := p.Efficiency(0).Mean; e < 0.8 || e > 1+1e-6 {
		t.Errorf("efficiency %g", e)
	}
	if d := p.Difference(0, 1); math.Abs(d.Mean-(p.Efficiency(0).Mean-p.Efficiency(1).Mean)) > 1e-12 || d.Mean < 0.3 {
		t.Errorf("paired difference %+v", d)
	}
	if rate := p.Estimate(PerSecond(p.Bounds[len(p.Bounds)-1].Total, p.Seconds)).Mean; math.Abs(rate-0.08*100) > 1e-5 {
		t.Errorf("a stream of 0.08 jobs/s earns 8 $/s at most, %g here", rate)
	}
}

// TestEfficiencyByHand works an example on paper. In turn the two jobs earn 100
// and 90. The relaxed problem pays the work of the first ten seconds in full and
// that of the others $1 less per second, so $5 less in all: 195.
func TestEfficiencyByHand(t *testing.T) {
	doc := fixture.Parsed(t, fixture.Constant)
	x, err := against{scenario: doc, rows: []Row{beside(t, "fcfs", nil, nil)}, replications: 1, gap: 1e-6, jobs: 2}.open()
	if err != nil {
		t.Fatal(err)
	}
	at, err := x.ready(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	// Two jobs of 10 s and $100 come at once to one node and lose $1 per second of
	// wait.
	job := simulate.Job{Work: 10, Width: 1, Value: simulate.Value{Price: 100, Due: 10, Decay: 1, Floor: math.Inf(1)}}
	at.workload = &given{
		sites: []workload.Site{{Site: simulate.Site{Processors: 1}}}, has: simulate.Has{Alike: true, Sites: 1}, charging: simulate.ByValue, jobs: []simulate.Job{job, job},
	}
	found, err := runOn(context.Background(), x, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	p := found.Bounded(0, 1)
	if p.Rows[0].Delivered[0] != 190 || math.Abs(p.Best()[0]-195) > 0.02 || math.Abs(p.Efficiency(0).Mean-190.0/195) > 1e-4 {
		t.Errorf("delivered %g, bound %g, efficiency %g, want 190, 195", p.Rows[0].Delivered[0], p.Best()[0], p.Efficiency(0).Mean)
	}
	if fluid := p.Bounds[0].Total[0]; math.Abs(fluid-200) > 1e-9 || p.Bounds[0].Gap != nil || !math.IsNaN(p.Bounds[0].WidestGap()) {
		t.Errorf("fluid bound %g, want 200", fluid)
	}
	if gap := p.Bounds[1].WidestGap(); !(gap >= 0 && gap < 1e-3) {
		t.Errorf("gap %g", gap)
	}
}

// TestTightInLightLoad checks that the bounds are near what policies earn where
// jobs are hardly ever in each other's way, and the order of bounds under load.
func TestTightInLightLoad(t *testing.T) {
	found := against{
		scenario: fixture.Parsed(t, fixture.Constant), rows: []Row{beside(t, "fcfs", nil, nil)}, jobs: 200, seed: 2,
		vary: scenario.Axis{Path: "load", Values: []float64{0.02, 3}},
	}.run(t, 0)
	if e := found[0].Efficiency(0); e.Mean < 0.998 || e.Mean > 1+1e-6 {
		t.Errorf("efficiency %+v in light load", e)
	}
	heavy := found[1]
	if e := heavy.Efficiency(0); e.Mean > 0 { // an unbounded penalty on nearly every job
		t.Errorf("efficiency %+v in heavy load", e)
	}
	for k := range heavy.Jobs {
		if fluid, best := heavy.Bounds[0].Total[k], heavy.Bounds[1].Total[k]; best > fluid || best < 0.3*fluid {
			t.Errorf("clairvoyant %g, fluid %g", best, fluid)
		}
	}
}

// TestAllThereIs checks that a policy which collects all there is, in another
// order than the bounds add it up, is not above them by a rounding error.
func TestAllThereIs(t *testing.T) {
	const idle = `server: {nodes: 3}
load: 0.001
simulation: {replications: 8}
classes:
  - {name: a, share: 0.3, length: {mean: 10, dist: deterministic}, price: 3, decay: 0.1}
  - {name: b, share: 0.7, length: {mean: 10, sd: 30, dist: hyperexponential}, width: {values: [1, 3], weights: [0.5, 0.5]}, price: {per_unit_hour: 100}, decay: 0.01, grace: {lengths: 2}}
`
	p := against{scenario: fixture.Parsed(t, idle), rows: []Row{beside(t, "hol", nil, nil)}, jobs: 300, seed: 1}.run(t, 0)[0]
	for _, b := range p.Bounds[:2] {
		for k, most := range b.Total {
			if got := p.Rows[0].Delivered[k]; got > most {
				t.Errorf("replication %d delivers %v, the %s bound is %v", k, got, b.Name, most)
			}
		}
	}
}

// TestKinds: the bound for whole jobs that run once holds for policies of that
// kind alone, and no policy passes the least bound of its kind.
func TestKinds(t *testing.T) {
	const crowded = `server: {nodes: 8}
load: 3
simulation: {replications: 2}
classes:
  - {name: a, share: 0.5, length: {mean: 100, sd: 50, dist: gamma}, width: {values: [1, 3, 5], weights: [0.4, 0.3, 0.3]}, price: {per_unit_hour: 10}, deadline: {lengths: 1.5}, hard: true}
  - {name: b, share: 0.5, length: {mean: 100, sd: 50, dist: gamma}, width: 5, price: {per_unit_hour: 20}, deadline: {lengths: 2}, decay: 0.01}
`
	rows := []Row{beside(t, "easy", nil, nil), beside(t, "edf-bf", nil, nil), beside(t, "libra", nil, nil)}
	p := against{scenario: fixture.Parsed(t, crowded), rows: rows, jobs: 60, seed: 3}.run(t, 0)[0]
	best, once, any := p.Best(), p.BestFor(1), p.BestFor(2)
	for k := range best {
		if !(once[k] < 0.999*best[k]) || once[k] > any[k] || any[k] > best[k] {
			t.Errorf("clairvoyant %g, for any policy %g, for whole jobs that run once %g", best[k], any[k], once[k])
		}
	}
	for i, kind := range []string{UnpreemptedPolicies, UnpreemptedPolicies, AllPolicies} {
		if e, of := p.Efficiency(i), p.EfficiencyOfKind(i); p.Kind(i) != kind || !(math.Abs(of.Mean) >= math.Abs(e.Mean)) || of.Mean > 1 {
			t.Errorf("contender %d is of kind %s: %g of the possible, %g of that of its kind", i, p.Kind(i), e.Mean, of.Mean)
		}
	}
	for _, b := range p.Bounds {
		if b.Limits() == UnpreemptedPolicies {
			for k, found := range b.Found {
				if found > b.Total[k] || found < p.Rows[1].Delivered[k] || found < 0.6*b.Total[k] {
					t.Errorf("a schedule of %g under a bound of %g; edf-bf delivers %g", found, b.Total[k], p.Rows[1].Delivered[k])
				}
			}
			return
		}
	}
	t.Error("no bound for whole jobs that run once")
}

// TestNothingToEarn checks the order where no policy can have an efficiency.
func TestNothingToEarn(t *testing.T) {
	const free = "server: {nodes: 1}\nload: 2\nclasses: [{name: a, length: {mean: 10, sd: 3}, price: 0, decay: 1}]\n"
	rows := []Row{beside(t, "hol", nil, nil), beside(t, "hol", nil, []float64{0})}
	p := against{scenario: fixture.Parsed(t, free), rows: rows, jobs: 50, seed: 1}.run(t, 0)[0]
	if order := p.Order(); !math.IsNaN(p.Efficiency(0).Mean) || !slices.Equal(order, []int{1, 0}) {
		t.Errorf("order %v, efficiency %+v", order, p.Efficiency(0))
	}
}

// Every policy that applies is validated on traces and grids of the kinds that
// scenarios can describe: what stands for what, and in which order.
func TestValidationOfTraces(t *testing.T) {
	const trace = "trace: {file: sp2-like, jobs: last:60, nodes: 128, arrival_delay_factor: 0.2}\nqos: {high_urgency: 0.2, penalty: {low_mean: 0.02}, inaccuracy: 0.2}\n"
	all := func(policy.Spec) bool { return true }
	for _, c := range []struct {
		name, text string
		keep       func(policy.Spec) bool
		serves     string
	}{
		{"whole", trace + "ic: {rate: 0.2}\n", func(s policy.Spec) bool { return !s.Needs.Optional }, "whole jobs"},
		{"partial", trace + "ic: {rate: 0.2}\n", func(s policy.Spec) bool { return s.Needs.Optional }, "partial results by the deadline"},
		{"both", trace + "ic: {rate: 0.2}\n", all, "whole jobs, also late, or partial results by the deadline"},
		{"unlike nodes", strings.Replace(trace, ", nodes: 128", "", 1) + "nodes: [{count: 100, speed: 100}, {count: 28, speed: 250}]\n", all, "whole jobs"},
		{"customers", fixture.MixedTrace, all, "whole jobs"},
		{"grid", "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 40, interarrival: 100}\n", all, "partial results by the deadline"},
		{"batch", "sites: [{processors: 3, mips: 89}]\nbatch: {jobs: 60}\n", all, "whole jobs"},
	} {
		v := against{scenario: fixture.Parsed(t, c.text), replications: 2, seed: 4}
		has := fixture.Opened(t, c.text).Workload.Has()
		for _, spec := range subject.Standard() {
			if c.keep(spec) && spec.Check(has) == nil {
				v.rows = append(v.rows, Row{Policy: subject.PolicyOf(spec)})
			}
		}
		x, err := v.open()
		if err != nil {
			t.Fatal(err)
		}
		found, err := runOn(context.Background(), x, Engine{})
		if err != nil {
			t.Fatal(err)
		}
		p := pointsOf(found)[0]
		bounds := 3 // and one for whole jobs that run once, on equal nodes
		if strings.HasPrefix(c.serves, "whole") && c.name != "unlike nodes" {
			bounds = 4
		}
		if found.work.Serves != c.serves || len(p.Seconds) != len(p.Jobs) || len(p.Bounds) != bounds {
			t.Errorf("%s: serves %s, seconds %v, %d bounds", c.name, found.work.Serves, p.Seconds, len(p.Bounds))
		}
		submitted, _ := metric.Lookup("jobs_submitted")
		order := p.Order()
		for n, i := range order {
			e, charged := p.Efficiency(i), p.ChargedEfficiency(i)
			if e.Mean > 1 || charged.Mean > 1 || math.IsNaN(e.Mean) || n > 0 && p.Delivered(i).Mean > p.Delivered(order[n-1]).Mean {
				t.Errorf("%s: %s has efficiency %g and charges %g", c.name, v.rows[i].Label(), e.Mean, charged.Mean)
			}
			if spec := v.rows[i].Policy.Spec; (spec.Needs.Optional || c.name == "customers") && math.Abs(charged.Mean-e.Mean) > 1e-9 {
				t.Errorf("%s: %s charges %+v and delivers %+v", c.name, v.rows[i].Label(), charged, e)
			}
			last := len(p.Jobs) - 1
			if jobs := p.Rows[i].Plain(submitted, -1)[last]; int(jobs) != p.Jobs[last] {
				t.Errorf("%s: %g jobs, %d under the bounds", c.name, jobs, p.Jobs[last])
			}
		}
		if best := p.Efficiency(order[0]).Mean; best < 0.3 {
			t.Errorf("%s: the best policy has efficiency %g", c.name, best)
		}
	}
}

func TestValidationRefuses(t *testing.T) {
	trace := "trace: {file: sp2-like, jobs: last:50, nodes: 128}\n"
	qos := trace + "qos: {high_urgency: 0.2}\n"
	easy := []Row{beside(t, "easy", nil, nil)}
	for _, c := range []struct {
		name, text string
		v          against
		want       string
	}{
		{"no rows", fixture.Constant, against{}, "nothing to run"},
		{"no qos", trace, against{rows: easy}, "expected jobs with prices"},
		{"free", strings.Replace(fixture.Customers(t), "price: {per_unit_hour: 2.5}, decay: {per_hour: 10%}", "price: 0", 1), against{rows: easy}, ""},
		{"no ic", qos, against{rows: []Row{beside(t, "mf-edf", nil, nil)}}, "mf-edf needs optional parts"},
		{"admission of a trace", qos, against{rows: []Row{beside(t, "easy", nil, []float64{0.1, 1, 1, 1})}}, "4 admission probabilities for 2 customers"},
		{"probabilities", fixture.Constant, against{rows: []Row{beside(t, "hol", nil, []float64{1, 1, 1})}}, "3 admission"},
		{"path", fixture.Constant, against{rows: []Row{beside(t, "hol", nil, nil)}, vary: scenario.Axis{Path: "lod", Values: []float64{1}}}, "lod"},
		{"cells", fixture.Constant, against{rows: []Row{beside(t, "hol", nil, nil)}, replications: maxCells}, "at most"},
	} {
		c.v.scenario = fixture.Parsed(t, c.text)
		if _, err := c.v.open(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

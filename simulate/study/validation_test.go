package study

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// TestDrainedByLindley sets what a class workload books against Lindley's
// recursion over all its jobs: no warm-up, and followed to the last.
func TestDrainedByLindley(t *testing.T) {
	doc := parsed(t, constant)
	rows := []PlanRow{beside(t, "fcfs", nil, nil), beside(t, "hol", nil, []float64{0.5})}
	p := against{scenario: doc, rows: rows, seed: 5, jobs: 300}.run(t, 2)[0]
	w := opened(t, constant).Workload
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
		for range 300 {
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
			if jobs, seconds := p.Rows[i].Plain(submitted, -1)[k], p.Rows[i].extra(extraSeconds)[k]; jobs != 300 || math.Abs(seconds-last) > 1e-9 {
				t.Errorf("%g jobs in %g s, want 300 in %g", jobs, seconds, last)
			}
		}
		if p.Jobs[k] != 300 || math.Abs(p.Seconds[k]-last) > 1e-9 {
			t.Errorf("%d jobs in %g s, want 300 in %g", p.Jobs[k], p.Seconds[k], last)
		}
		// Nobody can have more than the price of each job; a wait is certain
		// for one of two jobs that overlap.
		if best := p.Best()[k]; best < all || best > 300*100 {
			t.Errorf("bound %g, earned %g of 30000", best, all)
		}
	}
	if e := p.Efficiency(0).Mean; e < 0.8 || e > 1+1e-6 {
		t.Errorf("efficiency %g", e)
	}
	if d := p.Difference(0, 1); math.Abs(d.Mean-(p.Efficiency(0).Mean-p.Efficiency(1).Mean)) > 1e-12 || d.Mean < 0.3 {
		t.Errorf("paired difference %+v", d)
	}
	if rate := p.estimate(perSecond(p.Bounds[len(p.Bounds)-1].Total, p.Seconds)).Mean; math.Abs(rate-0.08*100) > 1e-5 {
		t.Errorf("a stream of 0.08 jobs/s earns 8 $/s at most, %g here", rate)
	}
}

// given is a workload of given jobs, of one customer each. Lots are drawn.
type given struct {
	workload.Workload // what is not said below
	sites             []simulate.Site
	has               simulate.Has
	charging          simulate.Charging
	jobs              []simulate.Job
}

func (g *given) Sites() []simulate.Site { return slices.Clone(g.sites) }
func (g *given) Customers() []model.Class {
	return []model.Class{{Name: "all", Floor: model.Floor{None: true}}}
}
func (g *given) Pools() *workload.Pools                    { return nil }
func (g *given) Has() simulate.Has                         { return g.has }
func (g *given) Charging() simulate.Charging               { return g.charging }
func (g *given) Window() simulate.Window                   { return simulate.Window{} }
func (g *given) Size() float64                             { return float64(len(g.jobs)) }
func (g *given) Load() float64                             { return 1 }
func (g *given) Stream() float64                           { return 0 }
func (g *given) Random() bool                              { return false }
func (g *given) Drained(int) workload.Workload             { return g }
func (g *given) Jobs(uint64, int) (simulate.Source, error) { return &queued{g.jobs}, nil }

// queued yields given jobs.
type queued struct{ left []simulate.Job }

func (q *queued) Next(j *simulate.Job) (bool, error) {
	if len(q.left) == 0 {
		return false, nil
	}
	n := &q.left[0]
	j.Submit, j.Work, j.Width, j.Rank, j.Value, j.Expire, j.Chance, j.Spec, j.Void = n.Submit, n.Work, n.Width, n.Rank, n.Value, n.Expire, n.Chance, n.Spec, n.Void
	q.left = q.left[1:]
	return true, nil
}

// TestEfficiencyByHand works an example on paper. In turn the two jobs earn 100
// and 90. The relaxed problem pays the work of the first ten seconds in full and
// that of the others $1 less per second, so $5 less in all: 195.
func TestEfficiencyByHand(t *testing.T) {
	doc := parsed(t, constant)
	x, err := against{scenario: doc, rows: []PlanRow{beside(t, "fcfs", nil, nil)}, replications: 1, gap: 1e-6, jobs: 2}.open()
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
		sites: []simulate.Site{{Processors: 1}}, has: simulate.Has{Alike: true, Sites: 1}, charging: simulate.ByValue, jobs: []simulate.Job{job, job},
	}
	found, err := x.RunOn(context.Background(), Engine{})
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
		scenario: parsed(t, constant), rows: []PlanRow{beside(t, "fcfs", nil, nil)}, jobs: 400, seed: 2,
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
	p := against{scenario: parsed(t, idle), rows: []PlanRow{beside(t, "hol", nil, nil)}, jobs: 300, seed: 1}.run(t, 0)[0]
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
	rows := []PlanRow{beside(t, "easy", nil, nil), beside(t, "edf-bf", nil, nil), beside(t, "libra", nil, nil)}
	p := against{scenario: parsed(t, crowded), rows: rows, jobs: 60, seed: 3}.run(t, 0)[0]
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
	rows := []PlanRow{beside(t, "hol", nil, nil), beside(t, "hol", nil, []float64{0})}
	p := against{scenario: parsed(t, free), rows: rows, jobs: 50, seed: 1}.run(t, 0)[0]
	if order := p.Order(); !math.IsNaN(p.Efficiency(0).Mean) || !slices.Equal(order, []int{1, 0}) {
		t.Errorf("order %v, efficiency %+v", order, p.Efficiency(0))
	}
}

// Without choices all policies whose needs are met take part, with the options
// that the scenario lists, and the others are left out with a reason.
func TestContenders(t *testing.T) {
	const trace = "trace: {file: sp2-like, jobs: last:60, nodes: 128}\n"
	const qos = "qos: {high_urgency: 0.2, penalty: {low_mean: 0.02}}\n"
	const grid = "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"
	const queues = "hol hol:backfill=true fcfs fcfs-bf sjf-bf edf-bf easy conservative sjf saf-bf wfp3 unicef f1" +
		" slurm value-bf value-bf:preempt=suspend first-price first-reward qops d-over cmu-theta fluid-index" +
		" server-filling server-filling-srpt las spot"
	const shares = " libra libra+$ libra-sla" +
		" bid-share"
	under := func(labels string, admissions ...string) string {
		var list []string
		for _, label := range strings.Fields(labels) {
			for _, name := range admissions {
				list = append(list, label+", "+name)
			}
		}
		return strings.Join(list, " ")
	}
	half := []Admission{{Name: "all"}, {Name: "half", Admit: []float64{0.5}}}
	widths := strings.Replace(strings.Replace(constant, "parallel: 1", "nodes: 4", 1), "price:", "width: {values: [1, 4], weights: [0.5, 0.5]}, price:", 1)
	for _, c := range []struct {
		name, text string
		admissions []Admission
		want       string
		out        int
	}{
		{"no qos", trace, nil, queues + " bid-share bid-price", 8},
		{"qos", trace + qos, nil, queues + shares + " bid-price", 5},
		{"ic", trace + qos + "ic: {rate: 0.2}\n", nil, queues + shares + " mf-edf mf-hbf mf-timeshare hard-mo hard-m bid-price", 0},
		{"options", trace + qos + "policies: [{libra+$: {beta: 0.3}}, {libra+$: {beta: 1}}, {easy: {overrun: kill}}]\n", nil,
			strings.Replace(queues, "easy", "easy:overrun=kill", 1) + " libra libra+$:beta=0.3 libra+$:beta=1 libra-sla" +
				" bid-share bid-price", 5},
		{"listed", trace + "policies: [hol, {value-bf: {future: 1}}]\n", nil,
			strings.Replace(queues, "value-bf value-bf:preempt=suspend", "value-bf:future=1", 1) + " bid-share bid-price", 8},
		{"listed twice", trace + "policies: [{hol: {backfill: true}}, hol]\n", nil,
			strings.Replace(queues, "hol hol:backfill=true", "hol:backfill=true hol", 1) + " bid-share bid-price", 8},
		{"unlike nodes", "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\n" + qos, nil, "libra libra+$ libra-sla bid-share", 30},
		{"grid", grid, nil, "mf-edf mf-hbf mf-timeshare hard-mo hard-m", 29},
		{"batch", "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n", nil, queues + shares + " bid-price", 5},
		{"classes", constant, nil, "hol, all hol, analytic hol, simulated " +
			under(strings.TrimPrefix(queues, "hol")+" bid-share bid-price", "all"), 8},
		{"widths", widths + "policies: [easy]\n", half,
			under(strings.Replace(queues, " fcfs", " fcfs fcfs:backfill=true", 1)+" bid-share bid-price", "all", "half"), 8},
	} {
		v := &Validation{Subject: opened(t, c.text), Admissions: c.admissions}
		var labels []string
		for _, row := range v.rows() {
			labels = append(labels, row.Label())
		}
		if got := strings.Join(labels, " "); got != c.want || len(v.leftOut) != c.out {
			t.Errorf("%s: %s and %d left out, want %s and %d", c.name, got, len(v.leftOut), c.want, c.out)
		}
		for _, o := range v.leftOut {
			if !strings.HasPrefix(o.Reason, "needs ") || o.Policy == "" {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
	}
}

// Every policy that applies is validated on traces and grids of the kinds that
// scenarios can describe: what stands for what, and in which order.
func TestValidationOfTraces(t *testing.T) {
	const trace = "trace: {file: sp2-like, jobs: last:120, nodes: 128, arrival_delay_factor: 0.2}\nqos: {high_urgency: 0.2, penalty: {low_mean: 0.02}, inaccuracy: 0.2}\n"
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
		{"customers", mixedTrace, all, "whole jobs"},
		{"grid", "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 40, interarrival: 100}\n", all, "partial results by the deadline"},
		{"batch", "sites: [{processors: 3, mips: 89}]\nbatch: {jobs: 60}\n", all, "whole jobs"},
	} {
		v := against{scenario: parsed(t, c.text), replications: 2, seed: 4}
		has := opened(t, c.text).Workload.Has()
		for _, spec := range Standard() {
			if c.keep(spec) && spec.Check(has) == nil {
				v.rows = append(v.rows, PlanRow{Policy: PolicyOf(spec)})
			}
		}
		x, err := v.open()
		if err != nil {
			t.Fatal(err)
		}
		found, err := x.RunOn(context.Background(), Engine{})
		if err != nil {
			t.Fatal(err)
		}
		p := pointsOf(found)[0]
		bounds := 3 // and one for whole jobs that run once, on equal nodes
		if strings.HasPrefix(c.serves, "whole") && c.name != "unlike nodes" {
			bounds = 4
		}
		if found.work.serves != c.serves || len(p.Seconds) != len(p.Jobs) || len(p.Bounds) != bounds {
			t.Errorf("%s: serves %s, seconds %v, %d bounds", c.name, found.work.serves, p.Seconds, len(p.Bounds))
		}
		submitted, _ := metric.Lookup("jobs_submitted")
		order := p.Order()
		for n, i := range order {
			e, charged := p.Efficiency(i), p.ChargedEfficiency(i)
			if e.Mean > 1 || charged.Mean > 1 || math.IsNaN(e.Mean) || n > 0 && p.Delivered(i).Mean > p.Delivered(order[n-1]).Mean {
				t.Errorf("%s: %s has efficiency %g and charges %g", c.name, v.rows[i].Label(), e.Mean, charged.Mean)
			}
			if spec := v.rows[i].Policy.Spec; !spec.Market && (spec.Needs.Optional || c.name == "customers") && math.Abs(charged.Mean-e.Mean) > 1e-9 {
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

// Long streams are cut, and short ones are not.
func TestDrained(t *testing.T) {
	for _, c := range []struct {
		simulation string
		jobs       int
		want       float64
		horizon    float64
	}{
		{"{jobs: 100000}", 0, workload.DrainedJobs, 0}, {"{jobs: 70}", 0, 70, 0}, {"{jobs: 70}", 9000, 9000, 0},
		{"{horizon: 1000}", 0, 80, 1000}, {"{horizon: 1000000}", 0, workload.DrainedJobs, 62500}, {"{horizon: 1000}", 30, 30, 0},
	} {
		jobs := opened(t, strings.Replace(constant, "{jobs: 2000, warmup: 50%, replications: 3}", c.simulation, 1)).Workload.Drained(c.jobs)
		if math.Abs(jobs.Size()-c.want) > 1e-9*c.want || math.Abs(jobs.Window().Horizon-c.horizon) > 1e-6 {
			t.Errorf("%s: %g jobs to %g s, want %g to %g", c.simulation, jobs.Size(), jobs.Window().Horizon, c.want, c.horizon)
		}
		source, err := jobs.Jobs(1, 3)
		if err != nil {
			t.Fatal(err)
		}
		list, err := bound.Collect(context.Background(), source, 0, bound.Whole)
		if err != nil || c.horizon > 0 && list[len(list)-1].Release > c.horizon || c.horizon == 0 && len(list) != int(c.want) {
			t.Errorf("%s: %d jobs, %v", c.simulation, len(list), err)
		}
	}
}

func TestValidationRefuses(t *testing.T) {
	trace := "trace: {file: sp2-like, jobs: last:50, nodes: 128}\n"
	qos := trace + "qos: {high_urgency: 0.2}\n"
	easy := []PlanRow{beside(t, "easy", nil, nil)}
	for _, c := range []struct {
		name, text string
		v          against
		want       string
	}{
		{"no rows", constant, against{}, "nothing to run"},
		{"no qos", trace, against{rows: easy}, "expected jobs with prices"},
		{"free", strings.Replace(customers(t), "price: {per_unit_hour: 2.5}, decay: {per_hour: 10%}", "price: 0", 1), against{rows: easy}, ""},
		{"no ic", qos, against{rows: []PlanRow{beside(t, "mf-edf", nil, nil)}}, "mf-edf needs optional parts"},
		{"admission of a trace", qos, against{rows: []PlanRow{beside(t, "easy", nil, []float64{0.1, 1, 1, 1})}}, "4 admission probabilities for 2 customers"},
		{"probabilities", constant, against{rows: []PlanRow{beside(t, "hol", nil, []float64{1, 1, 1})}}, "3 admission"},
		{"path", constant, against{rows: []PlanRow{beside(t, "hol", nil, nil)}, vary: scenario.Axis{Path: "lod", Values: []float64{1}}}, "lod"},
		{"cells", constant, against{rows: []PlanRow{beside(t, "hol", nil, nil)}, replications: maxCells}, "at most"},
	} {
		c.v.scenario = parsed(t, c.text)
		if _, err := c.v.open(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A validation carries everything out: admissions, model bounds, points along an
// axis, and a result with the JSON that scripts read.
func TestValidation(t *testing.T) {
	for _, c := range []struct {
		name, text string
		models     int
		vary       string
	}{
		{"classes", strings.Replace(constant, "replications: 3", "replications: 2", 1), 3, "load"},
		{"trace", smallTrace, 1, "trace.arrival_delay_factor"},
		{"customers", customers(t), 1, "trace.arrival_delay_factor"},
		{"grid", "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 20, interarrival: 100}\n", 0, "applications.interarrival"},
	} {
		s := opened(t, c.text)
		v := &Validation{Subject: s, Policies: named(t, s.Usual), Admissions: []Admission{{Name: scenario.AdmitAll}}, Figures: true, Jobs: 100, Replications: 2, Seed: 1}
		if c.models > 0 {
			v.Admissions = append(v.Admissions, Admission{Name: scenario.AdmitAnalytic})
		}
		if err := v.Open(context.Background()); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		r, err := v.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := decoded(t, r)
		for _, field := range []string{"bounds", "steady_state", "closest", "vary", "points", "left_out", "scenario", "seed", "replications", "cleaning", "policies", "warnings"} {
			if _, ok := m[field]; !ok {
				t.Errorf("%s: no %s", c.name, field)
			}
		}
		kinds := map[any]int{}
		best := 0
		for _, b := range m["bounds"].([]any) {
			o := b.(map[string]any)
			kinds[o["kind"]]++
			for _, field := range []string{"name", "kind", "proves", "total", "half_width", "level", "n", "revenue_per_second", "gap", "limits", "found", "best", "total_by_replication"} {
				if _, ok := o[field]; !ok {
					t.Errorf("%s: a bound has no %s", c.name, field)
				}
			}
			if o["best"] == true {
				best++
			}
		}
		proven := 4
		if c.name == "grid" { // partial results
			proven = 3
		}
		if kinds[Proven] != proven || kinds[Model] != c.models || best != 1 {
			t.Errorf("%s: bounds %v, %d of them best", c.name, kinds, best)
		}
		for i, row := range m["policies"].([]any) {
			o := row.(map[string]any)
			checkMeasures(t, c.name, o)
			e := o["efficiency"].(map[string]any)["mean"].(float64)
			if !(e <= 1) || o["charged_efficiency"] == nil || !(math.Abs(o["efficiency_of_kind"].(map[string]any)["mean"].(float64)) >= math.Abs(e)) || o["kind"] == nil || o["delivered"] == nil || i == 0 && m["closest"].(map[string]any)["label"] != o["label"] {
				t.Errorf("%s: %v, closest is %v", c.name, o, m["closest"])
			}
		}
		points := m["points"].([]any)
		if m["vary"] != c.vary || len(points) != 5 {
			t.Errorf("%s: %d points along %v", c.name, len(points), m["vary"])
		}
		for i, x := range points {
			p := x.(map[string]any)
			if i > 0 && p["value"].(float64) <= points[i-1].(map[string]any)["value"].(float64) || len(p["policies"].([]any)) != len(v.Admissions) || len(p["bounds"].([]any)) != proven+c.models {
				t.Errorf("%s: %v", c.name, p)
			}
		}
		// The scenario's own point is that of the table.
		own := points[2].(map[string]any)
		if own["policies"].([]any)[0].(map[string]any)["label"] != m["policies"].([]any)[0].(map[string]any)["label"] || own["value"].(float64) != s.Value {
			t.Errorf("%s: %v is not the scenario's own point %g", c.name, own["value"], s.Value)
		}
	}
}

// Rules of admission, and those that are searched, take part in validations.
func TestValidationAdmissions(t *testing.T) {
	s := opened(t, customers(t))
	full := Admission{Name: "short queues", Rule: simulate.Thresholds{Waiting: []int{0, 0, 0}}}
	v := &Validation{Subject: s, Policies: named(t, "easy"), Admissions: []Admission{{Name: scenario.AdmitAll}, full, {Name: scenario.AdmitSimulated}, {Name: "none", Admit: []float64{0, 0}}}, Seed: 1}
	if err := v.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]Row{}
	for _, row := range r.Policies {
		rows[row.Label] = row
	}
	refused := func(label string) Number { return rows[label].Total.Get("rejected_admission").Mean }
	if refused("easy, all") != 0 || refused("easy, short queues") == 0 || refused("easy, none") != 27 || !rows["easy, simulated"].Searched {
		t.Errorf("refused %g, %g and %g", refused("easy, all"), refused("easy, short queues"), refused("easy, none"))
	}
	grid := opened(t, "sites: [{processors: 8, mips: 500}, {processors: 12, mips: 800}]\napplications: {count: 20, interarrival: 100}\n")
	few := *grid
	few.specs = Standard()[:2]
	for _, v := range []*Validation{
		{Subject: grid, Policies: named(t, "mf-edf"), Admissions: []Admission{{Name: scenario.AdmitAnalytic}}},
		{Subject: &few}, {Subject: grid, Policies: []Policy{}},
	} {
		if err := v.Open(context.Background()); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
	}
}

// With a precision a validation goes on until all intervals are narrow enough.
func TestValidationStops(t *testing.T) {
	s := opened(t, constant)
	v := &Validation{Subject: s, Policies: named(t, "fcfs"), Admissions: []Admission{{Name: scenario.AdmitAll}}, Jobs: 40, Seed: 1,
		Stop: &Stop{Measure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: 0.04, Max: 40}}}
	if err := v.Open(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := r.Policies[0].Total.Get("revenue_per_second").Interval()
	if r.Precision == nil || r.Precision.Met != (i.Relative() <= 0.04) || r.Replications < 20 || r.Replications > 40 {
		t.Errorf("%+v after %d replications: %+v", r.Precision, r.Replications, i)
	}
}

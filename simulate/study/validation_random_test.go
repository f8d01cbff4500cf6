package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// randomClass returns a customer with a price, a decay, a floor and an expiry of
// all kinds, with or without a deadline.
func randomClass(rnd *rand.Rand, name string, dated bool) model.Class {
	c := model.Class{
		Name: name, Price: model.Tariff{Fixed: 100 * rnd.Float64(), PerSecond: rnd.Float64(), PerNodeSecond: float64(rnd.IntN(3))},
		Decay: 10 * rnd.Float64() * rnd.Float64(), Expire: model.ExpireNever, Dated: dated, Floor: model.Floor{None: true},
	}
	if rnd.IntN(3) == 0 {
		c.Decay = 0
	}
	if rnd.IntN(3) == 0 {
		c.DecayOfPrice = 0.01 * rnd.Float64()
	}
	switch {
	case dated && rnd.IntN(2) == 0:
		c.Deadline = model.Grace{Fixed: 20 * rnd.Float64(), Lengths: 0.5 + 3*rnd.Float64()} // some too short
	case dated:
		c.Grace = model.Grace{Fixed: 10 * rnd.Float64(), Lengths: 3 * rnd.Float64()}
	case rnd.IntN(2) == 0:
		c.Grace.Lengths = 3 * rnd.Float64()
	}
	if dated {
		c.Hard = []float64{0, 0.5, 1}[rnd.IntN(3)]
	}
	if rnd.IntN(3) > 0 {
		c.Floor = model.Floor{Fixed: 60*rnd.Float64() - 10, OfPrice: 0.1 * rnd.Float64()}
		c.Expire = []model.Expiry{model.ExpireNever, model.ExpireFloor, model.ExpireZero}[rnd.IntN(3)]
	}
	return c
}

// randomClasses returns jobs drawn from a few classes.
func randomClasses(t *testing.T, rnd *rand.Rand, dated bool) workload.Workload {
	t.Helper()
	nodes := 1 + rnd.IntN(12)
	kinds := model.Kinds()
	var classes []model.Class
	for i := range 1 + rnd.IntN(3) {
		c := randomClass(rnd, fmt.Sprint(i), dated)
		mean := 10 * math.Exp(2*rnd.Float64())
		kind, sd := kinds[rnd.IntN(len(kinds))], mean*0.3
		if kind == model.HyperExponential {
			sd = mean * 2
		}
		var err error
		if c.Length, err = model.New(kind, mean, sd, 0); err != nil {
			t.Fatal(err)
		}
		c.Width = model.FixedWidth(float64(1 + rnd.IntN(nodes)))
		if rnd.IntN(2) == 0 { // some too wide
			c.Width = model.Width{Values: []float64{1, float64(1 + rnd.IntN(nodes+1))}, Weights: []float64{0.6, 0.4}}
		}
		c.Rate = (0.2 + 2*rnd.Float64()) * float64(nodes) / (mean * c.Width.Mean()) / 2
		classes = append(classes, c)
	}
	w, err := workload.NewClasses(classes, nodes, workload.Length{Jobs: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return w.Drained(10 + rnd.IntN(40))
}

// randomReplay returns a trace of random jobs with QoS, or with customers of
// whom some pay by length, some state no deadline and some have hard ones.
func randomReplay(t *testing.T, rnd *rand.Rand, customers, split bool) workload.Workload {
	t.Helper()
	nodes := 1 + rnd.IntN(10)
	var lines strings.Builder
	fmt.Fprintf(&lines, "; MaxNodes: %d\n; MaxProcs: %d\n", nodes, nodes)
	at, gap := 0, 1+rnd.IntN(60)
	for i := range 10 + rnd.IntN(40) {
		at += rnd.IntN(2 * gap)
		length, width := 1+rnd.IntN(100), 1+rnd.IntN(nodes)
		if rnd.IntN(15) == 0 {
			width = nodes + 1
		}
		if rnd.IntN(20) == 0 {
			length = -1 // it never ran
		}
		lines.WriteString(swfLine(i+1, at, length, width, 1+rnd.IntN(150), 1, 1+rnd.IntN(3)))
	}
	path := filepath.Join(t.TempDir(), "random.swf")
	if err := os.WriteFile(path, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	rules := []workload.Rule{workload.Keep, workload.Reject, workload.Drop}
	trace, err := workload.Load(context.Background(), workload.Selection{File: path, Rule: rules[rnd.IntN(len(rules))]}, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := workload.ReplayOptions{Delay: 0.5 + rnd.Float64(), Exact: rnd.IntN(3) == 0}
	if split {
		o.Split = &model.Split{Optional: model.Interval{Low: 0, High: 4}, Rate: 2000 * rnd.Float64()}
	}
	if customers {
		dated := split || rnd.IntN(2) == 0
		for i := range 1 + rnd.IntN(3) {
			c := randomClass(rnd, fmt.Sprint(i), dated || rnd.IntN(2) == 0)
			of := &model.Selector{Groups: []model.Party{{Number: i + 1, IsNumber: true}}, Share: 1}
			if rnd.IntN(4) == 0 {
				of.Share = 0.5
			}
			o.Classes, o.Of = append(o.Classes, c), append(o.Of, of)
		}
	} else {
		o.QoS = &model.QoS{
			HighUrgency: rnd.Float64(), Deadline: model.Spread{LowMean: 1.5, Ratio: 2, SD: 0.2}, Budget: model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
			Penalty: model.Spread{LowMean: 0.5 * rnd.Float64(), Ratio: 4, SD: 0.5}, Hard: [2]float64{rnd.Float64(), rnd.Float64()}, Inaccuracy: []float64{0, 0.5}[rnd.IntN(2)],
		}
	}
	w, err := workload.NewReplay(context.Background(), trace, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// randomJobs returns jobs with deadlines and budgets, some late in the clock.
func randomJobs(rnd *rand.Rand) workload.Workload {
	nodes := 1 + rnd.IntN(10)
	g := &given{sites: []workload.Site{{Site: simulate.Site{Processors: nodes}}}, has: simulate.Has{Deadlines: true, Alike: true, Sites: 1}}
	at := []float64{0, 1e7}[rnd.IntN(2)]
	soft, inaccuracy := rnd.Float64(), []float64{0, 0.5}[rnd.IntN(2)]
	gap := 60 * math.Exp(2*rnd.Float64()-2) / float64(nodes)
	for range 10 + rnd.IntN(40) {
		at += rnd.ExpFloat64() * gap * float64(nodes)
		j := simulate.Job{Submit: at, Work: math.Exp(1 + 3*rnd.Float64()), Width: 1 + rnd.IntN(nodes), Void: rnd.IntN(30) == 0, Chance: rnd.Float64()}
		if rnd.IntN(15) == 0 {
			j.Width = nodes + 1
		}
		j.Spec.Details.Estimate = j.Work * (1 - inaccuracy*rnd.Float64())
		j.Value = simulate.ByDeadline(j.Work*(1.1+4*rnd.Float64()), j.Work*(1+5*rnd.Float64()), float64(rnd.IntN(2))*rnd.Float64(), rnd.Float64() >= soft)
		g.jobs = append(g.jobs, j)
	}
	return g
}

// randomGrid returns applications on a few sites of unlike speeds, or on one.
func randomGrid(t *testing.T, rnd *rand.Rand, sites int) workload.Workload {
	t.Helper()
	var list []model.Site
	for range sites {
		list = append(list, model.Site{Processors: 1 + rnd.IntN(4), MIPS: float64(5 + rnd.IntN(20))})
	}
	w, err := workload.NewGrid(list, model.Applications{
		Count: 10 + rnd.IntN(30), Gap: 1 + 30*rnd.Float64(), Parts: model.Interval{Low: 1, High: float64(1 + rnd.IntN(6))},
		Mandatory: model.Interval{Low: 50, High: 900}, Optional: model.Interval{Low: 0, High: 4}, Reward: 1,
		Laxity: model.Interval{Low: -0.3, High: 2 * rnd.Float64()}, Rate: 1000 * rnd.Float64(), Spread: 0.5,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func randomBatch(t *testing.T, rnd *rand.Rand) workload.Workload {
	t.Helper()
	w, err := workload.NewBatch(model.Site{Processors: 1 + rnd.IntN(5), MIPS: 89}, model.Batch{
		Jobs: 10 + rnd.IntN(50), Arrivals: model.Interval{Low: 1, High: 20 + 500*rnd.Float64()}, Lengths: model.Interval{Low: 1000, High: 10900},
		Deadline: model.Interval{Low: 1, High: 1200 * rnd.Float64()}, Budget: 1000, Random: 0.2, Budgets: model.Interval{Low: 1000, High: 12000},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// someOptions chooses among the options of a policy.
func someOptions(rnd *rand.Rand, spec policy.Spec) Policy {
	p := PolicyOf(spec)
	for _, o := range spec.Options {
		if !o.Number && rnd.IntN(3) == 0 {
			p.Settings[o.Name] = o.Values[rnd.IntN(len(o.Values))]
		}
	}
	return p
}

// TestNoPolicyExceedsABound is the promise of a validation: on random workloads
// of all kinds every standard policy whose needs are met runs, passes the audit,
// and delivers no more than a proven bound.
func TestNoPolicyExceedsABound(t *testing.T) { exceeds(t, 1, 10) }

// exceeds runs so many rounds of one workload of each kind.
func exceeds(t *testing.T, seed uint64, rounds int) {
	rnd := rand.New(rand.NewPCG(23, seed))
	choices := rand.New(rand.NewPCG(24, seed)) // apart, so that one more policy changes no workload
	kinds := []struct {
		name string
		make func() workload.Workload
	}{
		{"classes", func() workload.Workload { return randomClasses(t, rnd, false) }},
		{"classes, deadlines", func() workload.Workload { return randomClasses(t, rnd, true) }},
		{"trace, qos", func() workload.Workload { return randomReplay(t, rnd, false, false) }},
		{"trace, parts", func() workload.Workload { return randomReplay(t, rnd, false, true) }},
		{"trace, customers", func() workload.Workload { return randomReplay(t, rnd, true, false) }},
		{"trace, customers, parts", func() workload.Workload { return randomReplay(t, rnd, true, true) }},
		{"jobs", func() workload.Workload { return randomJobs(rnd) }},
		{"grid", func() workload.Workload { return randomGrid(t, rnd, 2+rnd.IntN(2)) }},
		{"one site", func() workload.Workload { return randomGrid(t, rnd, 1) }},
		{"batch", func() workload.Workload { return randomBatch(t, rnd) }},
	}
	count, caught, tried, tighter := 0, 0, 0, 0
	near, double, seen := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	for range rounds {
		for _, kind := range kinds {
			w := kind.make()
			admit := []float64(nil)
			if rnd.IntN(2) == 0 {
				for range w.Customers() {
					admit = append(admit, rnd.Float64())
				}
			}
			// Policies of whole jobs and those of partial results have bounds of
			// their own; one of both is above either.
			plan := &Plan{Seed: rnd.Uint64(), Bounds: &PlanBounds{}, Rows: []PlanRow{{Policy: PolicyOf(policy.Standard()[0])}}}
			v := &Execution{Plan: plan, finderOf: []int{-1}}
			at := &point{plan: plan, workload: w, policies: []Policy{plan.Rows[0].Policy}}
			limits := map[bool][]float64{}
			for _, partial := range []bool{false, true} {
				if v.convert = bound.Whole; partial {
					v.convert = bound.Partial
				}
				if rnd.IntN(4) == 0 {
					v.convert = bound.WholeOrPartial
				}
				if partial && !w.Has().Optional {
					continue
				}
				numbers, err := v.runBounds(context.Background(), 0, at, 0)
				if err != nil {
					t.Fatal(err)
				}
				limits[partial] = numbers
				if numbers[cellClairvoyant] > numbers[cellFluid]*(1+1e-9) || numbers[cellGap] > 0.01 {
					t.Errorf("%s: clairvoyant %g with gap %g, fluid %g", kind.name, numbers[cellClairvoyant], numbers[cellGap], numbers[cellFluid])
				}
			}
			best, top := math.Inf(-1), 0.0
			for _, spec := range Standard() {
				e := &Experiment{Workload: w, Policy: someOptions(choices, spec), Admission: Admission{Admit: admit}, Seed: plan.Seed}
				if spec.Check(w.Has()) != nil {
					continue
				}
				var audit simulate.Audit
				s, err := e.Run(context.Background(), 0, &audit)
				if err != nil || audit.Err() != nil || audit.Unfinished() != 0 {
					t.Fatalf("%s: %s: %v, %v, %d jobs not finished", kind.name, e.Policy.Label(), err, audit.Err(), audit.Unfinished())
				}
				numbers := limits[spec.Needs.Optional]
				most := math.Min(numbers[cellFluid], numbers[cellClairvoyant])
				least := math.Min(most, numbers[cellIndivisible])
				if once := limits[false][cellUnpreempted]; e.Policy.Unpreempted() && once < least {
					least = once
					tighter++
				}
				// Price rules of the papers may charge more than a job is worth.
				charged := w.Charging() == simulate.ByValue || kind.name == "jobs"
				if s.Total.Value > least || charged && s.Total.Revenue > most {
					t.Errorf("%s: %s delivers %g and charges %g, bounds %g and %g", kind.name, e.Policy.Label(), s.Total.Value, s.Total.Revenue, least, most)
				}
				if s.Total.Value > best {
					best, top = s.Total.Value, most
				}
				count++
				if seen[kind.name] == nil {
					seen[kind.name] = map[string]int{}
				}
				seen[kind.name][spec.Name]++
			}
			if tried < 100 {
				tried++
				if best > halved(t, v, w) {
					caught++
				}
			}
			if best > 0.99*top && top > 0 {
				near[kind.name]++
			}
			if best > 0.5*top && top > 0 {
				double[kind.name]++
			}
		}
	}
	if count < 1000 || tighter < 100 {
		t.Errorf("%d runs, %d under a bound of their kind", count, tighter)
	}
	if caught < 20 { // else nothing would be noticed
		t.Errorf("on half of the machine the bound is exceeded %d times in %d", caught, tried)
	}
	ran := map[string]bool{}
	for _, kind := range kinds {
		for name := range seen[kind.name] {
			ran[name] = true
		}
		if rounds >= 40 && near[kind.name] < 1 || double[kind.name] < rounds/4 {
			t.Errorf("%s: on %d workloads the best was within 1 %% of the bound on %d and within 2 times on %d", kind.name, rounds, near[kind.name], double[kind.name])
		}
	}
	if len(ran) != len(Standard())-1 { // without recorded
		t.Errorf("policies %v", ran)
	}
	t.Logf("%d runs, above half the machine's bound %d times in %d, within 1 %% %v, within twice %v, by kind %v", count, caught, tried, near, double, seen)
}

// halved returns the bound on half of the machine, which is none.
func halved(t *testing.T, v *Execution, w workload.Workload) float64 {
	t.Helper()
	source, err := w.Jobs(v.Plan.Seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := bound.Collect(context.Background(), source, 0, v.convert)
	if err != nil {
		t.Fatal(err)
	}
	m := machineOf(w)
	m.Capacity /= 2
	r, err := bound.Clairvoyant(context.Background(), jobs, m, bound.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Bound
}

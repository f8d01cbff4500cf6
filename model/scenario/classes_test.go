package scenario

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model"
)

// customers is a trace with three customers.
const customers = `trace: {file: kth.swf, jobs: last:5000, nodes: 100}
classes:
  - name: industry
    of: {group: [3, 7], width: [1, 16], estimate: 1h}
    price: {per_unit_hour: 2.5}
    decay: {per_hour: 10%}
    deadline: {lengths: 3}
    hard: 25%
    slo: {within: 10m, level: 90%}
  - name: lot
    of: {user: [alice, 4], account: physics, length: [90, 2h], share: 0.5}
    price: 5
    decay: {per_second: 1%}
    grace: 2h
    max_penalty: {of_price: 0.2}
    length: 2h
  - name: students
    price: {per_hour: 0.4}
`

func TestCustomers(t *testing.T) {
	s, err := decodeTrace(customers)
	if err != nil {
		t.Fatal(err)
	}
	if s.Trace == nil || s.Nodes != 100 || len(s.Classes) != 3 || s.Trace.QoS != nil {
		t.Fatalf("got %+v", s)
	}
	selectors := []*model.Selector{
		{Groups: []model.Party{{Number: 3, IsNumber: true}, {Number: 7, IsNumber: true}}, Width: &model.Range{Least: 1,
			Most: 16}, Estimate: &model.Range{Least: 3600, Most: 3600}, Share: 1},
		{Users: []model.Party{{Name: "alice"}, {Number: 4, IsNumber: true}}, Accounts: []model.Party{{Name: "physics"}},
			Length: &model.Range{Least: 90, Most: 7200}, Share: 0.5},
		nil,
	}
	if !reflect.DeepEqual(s.Selectors, selectors) {
		t.Errorf("got %+v %+v, want %+v", s.Selectors[0], s.Selectors[1], selectors)
	}
	length := s.Classes[1].Length
	if length == nil || length.Mean() != 7200 || s.Classes[0].Length != nil {
		t.Errorf("lengths %v and %v", s.Classes[0].Length, length)
	}
	s.Classes[1].Length = nil
	want := []model.Class{
		{Name: "industry", Price: model.Tariff{PerNodeSecond: 2.5 / 3600}, DecayOfPrice: 0.1 / 3600,
			Deadline: model.Grace{Lengths: 3}, Dated: true, Hard: 0.25, Floor: model.Floor{None: true},
			SLO: &model.SLO{Within: 600, Level: 0.9}},
		{Name: "lot", Price: model.Tariff{Fixed: 5}, DecayOfPrice: 0.01, Grace: model.Grace{Fixed: 7200}, Dated: true,
			Floor: model.Floor{OfPrice: 0.2}},
		{Name: "students", Price: model.Tariff{PerSecond: 0.4 / 3600}, Floor: model.Floor{None: true}},
	}
	if !reflect.DeepEqual(s.Classes, want) {
		t.Errorf("got %+v\nwant %+v", s.Classes, want)
	}
	if all, without := s.Deadlines(); all || len(without) != 1 || without[0] != "students" {
		t.Errorf("deadlines %t, without %v", all, without)
	}
}

// TestTraceLoad: a load in place of a delay factor, of the machine of the file
// unless it is overridden, and growth.
func TestTraceLoad(t *testing.T) {
	const text = "trace: {file: a.swf, nodes: 100}\nload: 0.8\n"
	const delayed = "trace: {file: a.swf, arrival_delay_factor: 0.6}\n"
	for _, tt := range []struct {
		text             string
		sets             []Override
		load, delay      float64
		loadNodes, nodes int
	}{
		{text, nil, 0.8, 1, 100, 100},
		{text, []Override{Set("trace.nodes", 120)}, 0.8, 1, 100, 120},
		{text, []Override{Set("trace.nodes", 120), Set("load", 0.5)}, 0.5, 1, 120, 120},
		{text, []Override{Set("trace.arrival_delay_factor", 0.5)}, 0, 0.5, 0, 100},
		{text, []Override{{Path: "growth", Value: "25%"}}, 1, 1, 100, 100},
		{delayed, []Override{Set("load", 0.5)}, 0.5, 1, 0, 0},
		{delayed, []Override{Set("growth", 0.2)}, 0, 0.5, 0, 0},
		{delayed, []Override{Set("growth", -0.5)}, 0, 1.2, 0, 0},
	} {
		s, err := decodeTrace(tt.text, tt.sets...)
		if err != nil {
			t.Fatal(err)
		}
		if tr := s.Trace; !near(tr.Load, tt.load) || s.Load != tr.Load || !near(tr.Delay, tt.delay) ||
			tr.LoadNodes != tt.loadNodes || tr.Nodes != tt.nodes {
			t.Errorf("%s%v: got %+v, want %+v", tt.text, tt.sets, tr, tt)
		}
	}
	_, err := decodeTrace(delayed, Set("load", 1), Set("trace.arrival_delay_factor", 1))
	checkError(t, err, "--set load=1: load: expected arrival_delay_factor or load, got both")
	_, err = decodeTrace(delayed, Set("growth", -1))
	checkError(t, err, "--set growth=-1: growth: expected a growth above -100% such as 20% or 0.2, got -1")
}

// TestDemand: more nodes do not bring more customers. Good has a load of 0.9 on
// 100 nodes; classes a and b have shares 1/4 and 3/4 of the jobs and need 1000
// and 60 node seconds per job.
func TestDemand(t *testing.T) {
	const total = 90 / (0.25*1000 + 0.75*60)
	for _, tt := range []struct {
		sets       []Override
		a, b, load float64
	}{
		{nil, total / 4, total * 3 / 4, 0.9},
		{[]Override{Set("phi", 2)}, total / 4, total * 3 / 4, 0.9},
		{[]Override{Set("server.nodes", 150)}, total / 4, total * 3 / 4, 0.6},
		{[]Override{Set("classes.a.length.mean", 200)}, total / 4, total * 3 / 4, total * (0.25*2000 + 0.75*60) / 100},
		{[]Override{Set("classes.a.width", 5)}, total / 4, total * 3 / 4, total * (0.25*500 + 0.75*60) / 100},
		{[]Override{Set("classes.a.share", 0.5)}, total / 2, total / 2, total * (0.5*1000 + 0.5*60) / 100},
		{[]Override{Set("server.nodes", 150), Set("load", 0.9)}, 1.5 * total / 4, 1.5 * total * 3 / 4, 0.9},
		{[]Override{Set("load", 0.45)}, total / 8, total * 3 / 8, 0.45},
		{[]Override{Set("growth", 0.2)}, 1.2 * total / 4, 1.2 * total * 3 / 4, 1.08},
		{[]Override{{Path: "growth", Value: "-50%"}, Set("server.nodes", 200)}, total / 8, total * 3 / 8, 0.225},
	} {
		s, err := decodeText(good, tt.sets...)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Classes; math.Abs(got[0].Rate-tt.a) > 1e-9 || math.Abs(got[1].Rate-tt.b) > 1e-9 ||
			math.Abs(s.Load-tt.load) > 1e-9 || math.Abs(s.System().Load()-tt.load) > 1e-9 {
			t.Errorf("%v: rates %g and %g, load %g of %g, want %+v", tt.sets, got[0].Rate, got[1].Rate, s.Load, s.System().Load(), tt)
		}
	}
	// Overrides in two steps are those of one.
	doc, err := Parse("s.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Override{Set("server.nodes", 120), Set("server.nodes", 150)} {
		if doc, err = doc.With(o); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := doc.Scenario(nil); err != nil || !near(s.Load, 0.6) {
		t.Errorf("load %v, %v", s, err)
	}
	// A file that is not valid alone is no base.
	s, err := decodeText(strings.Replace(good, "nodes: 100", "nodes: 5", 1), Set("server.nodes", 150))
	if err != nil || s.Load != 0.9 {
		t.Errorf("load %v, %v", s, err)
	}
	// Rates stay, whatever the machine.
	if s, err = decodeText(byRates, Set("server.nodes", 120)); err != nil || s.Classes[0].Rate != 0.2 || !near(s.Load, 0.25) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestArrivals(t *testing.T) {
	hours := "[" + strings.Repeat("1, ", 23) + "0]"
	for text, want := range map[string]model.Arrivals{
		"poisson":                                {},
		"{renewal: {cv: 2}}":                     {Kind: model.ArriveRenewal, CV: 2},
		"{bursts: {on: 10m, off: 1h, ratio: 5}}": {Kind: model.ArriveBursts, On: 600, Off: 3600, Ratio: 5},
		"{profile: a.swf}":                       {Kind: model.ArriveProfile, File: "a.swf"},
		"{profile: daily, hours: " + hours + "}": {Kind: model.ArriveProfile, Hours: append(ones(23), 0)},
		"{profile: a.swf, renewal: {cv: 2}}":     {Kind: model.ArriveRenewal, CV: 2, File: "a.swf"},
		"{profile: daily, hours: " + hours + ", bursts: {on: 10m, off: 1h, ratio: 5}}": {Kind: model.ArriveBursts, On: 600,
			Off: 3600, Ratio: 5, Hours: append(ones(23), 0)},
	} {
		s, err := decodeText(good, Override{Path: "classes.b.arrivals", Value: text}, Override{Path: "arrivals",
			Value: "{renewal: {cv: 3}}"})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := s.Classes[1].Arrivals; !reflect.DeepEqual(got, want) || got.Poisson() != (text == "poisson") ||
			s.Classes[0].Arrivals.CV != 3 {
			t.Errorf("%s: got %+v", text, s.Classes)
		}
	}
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// TestValues: the fields of a class's value, what they exclude and default to.
func TestValues(t *testing.T) {
	class := func(sets ...string) (model.Class, error) {
		var list []Override
		for _, set := range sets {
			list = append(list, mustParse(t, "classes.b."+set))
		}
		s, err := decodeText(good, list...)
		if err != nil {
			return model.Class{}, err
		}
		return s.Classes[1], nil
	}
	c, err := class("deadline=2m", "hard=true", "decay={per_hour: 50%}")
	if err != nil || c.Hard != 1 || c.Floor != (model.Floor{}) || c.Expire != model.ExpireFloor || !c.Dated ||
		c.Due(7) != 120 || c.MeanGrace() != 60 {
		t.Errorf("got %+v, %v", c, err)
	}
	// 60 s at 100 $/h cost 5/3 $, of which half is lost per hour.
	if !near(c.MeanDecay(), 5.0/3/2/3600) || !near(c.Utility(60, 1).Decay, c.MeanDecay()) || c.Utility(150, 1).Grace != -30 {
		t.Errorf("decay %g, utility %+v", c.MeanDecay(), c.Utility(150, 1))
	}
	if c, err = class("deadline={lengths: 4}", "hard=0.3", "max_penalty=none"); err != nil || c.Hard != 0.3 ||
		!c.Floor.None || c.Expire != model.ExpireNever || c.Due(7) != 28 {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err = class("grace=30", "hard=false"); err != nil || c.Hard != 0 || !c.Dated || c.Due(7) != 37 {
		t.Errorf("got %+v, %v", c, err)
	}
	if c, err = class("grace=0"); err != nil || c.Dated {
		t.Errorf("got %+v, %v", c, err)
	}
	// A deadline below the mean length costs a job served at once.
	if c, err = class("deadline=30", "decay=0.01"); err != nil || c.MeanGrace() != 0 || !near(c.MeanPrice(), 5.0/3-0.3) {
		t.Errorf("got %+v, %v", c, err)
	}
	_, err = class("deadline=30", "decay=1")
	checkError(t, err, "--set classes.b.deadline=30: classes.b.deadline: expected a deadline by which a job of mean length and width, served at once, has not lost all of its price")
	// The grace of class a is of the file: a deadline given besides stands for it.
	s, err := decodeText(good, Set("classes.a.deadline", 500))
	if err != nil || s.Classes[0].Deadline.Fixed != 500 || s.Classes[0].Grace != (model.Grace{}) {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestGraceIgnored: the formulas lose v Phi T0 / ((1-sigma)(1-sigma')) of every
// job, summed here by hand, and the jobs themselves keep their grace.
func TestGraceIgnored(t *testing.T) {
	doc, err := Builtin("nist-cluster")
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = doc.With(Override{Path: "server.grace", Value: "ignored"}, Override{Path: "server.residual",
		Value: "pooled"}, Set("phi", 1.525)); err != nil {
		t.Fatal(err)
	}
	s, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Classes[0].Grace.Lengths != 3 || s.System().Classes[0].MeanGrace() != 0 {
		t.Errorf("grace %v of the jobs, %g of the formulas", s.Classes[0].Grace, s.System().Classes[0].MeanGrace())
	}
	if len(s.Warnings) != 1 || s.Warnings[0].Kind != WarnGrace || s.Warnings[0].Class != "LvLu, LvHu, HvLu, HvHu" {
		t.Errorf("warnings %v", s.Warnings)
	}
	hol, err := model.NewHOL(s.System())
	if err != nil {
		t.Fatal(err)
	}
	q := []float64{0.8, 0.3, 1, 0.9}
	price, decay := []float64{1000, 1000, 5000, 5000}, []float64{0.1, 1, 0.5, 5}
	var t0, want float64
	for i, c := range s.Classes {
		t0 += q[i] * c.Rate * c.Length.Moment(2) / (2 * 10 * 10)
	}
	for i, c := range s.Classes {
		var above, with float64
		for j, other := range s.Classes {
			if rho := q[j] * other.Rate * 720; decay[j] > decay[i] {
				above += rho
			} else if j == i {
				with = rho
			}
		}
		want += q[i] * c.Rate * (price[i] - decay[i]*1.525*t0/((1-above)*(1-above-with)))
	}
	if got := hol.Revenue(q); math.Abs(got-want) > 1e-9*want {
		t.Errorf("revenue %g, want %g", got, want)
	}
	_, err = decodeText(good, Override{Path: "server.grace", Value: "none"})
	checkError(t, err, `--set server.grace=none: server.grace: expected counted or ignored, got "none"`)
}

// TestWarningKinds: what each warning is about and whom it concerns.
func TestWarningKinds(t *testing.T) {
	s, err := decodeText(strings.Replace(good, ", residual: pooled", "", 1), Set("server.waiting", 3), Set("classes.a.hard", 1),
		Override{Path: "classes.b.arrivals", Value: "{renewal: {cv: 2}}"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Warning{
		{Kind: WarnWidths, Analytic: true, Value: s.Parallel},
		{Kind: WarnHard, Class: "a", Analytic: true},
		{Kind: WarnArrivals, Class: "b", Analytic: true, Detail: "renewal (cv 2)"},
		{Kind: WarnWaiting, Analytic: true, Value: 3},
	}
	if !reflect.DeepEqual(s.Warnings, want) {
		t.Errorf("got %+v", s.Warnings)
	}
	for _, w := range want {
		if w.String() == string(w.Kind) {
			t.Errorf("%s says nothing", w.Kind)
		}
	}
	// Without loss the conventions agree on revenue.
	if s, err = decodeText(byRates); err != nil || len(s.Warnings) != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestRoundTrip: random scenarios are read as they were written.
func TestRoundTrip(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		want := randomScenario(t, rnd)
		if i%4 == 3 {
			onTrace(want, rnd)
		}
		if i%3 == 2 {
			inPools(want, rnd)
		}
		if i%5 < 2 {
			outOfOrder(want, rnd)
		}
		if want.Trace != nil && i%8 == 3 {
			limits(want, rnd)
		}
		checkRoundTrip(t, want)
	}
}

func checkRoundTrip(t *testing.T, want *Scenario) {
	t.Helper()
	var text bytes.Buffer
	if err := want.WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	got, err := decodeText(text.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	got.Warnings = nil
	for i := range got.Classes {
		a, b := got.Classes[i].Length, want.Classes[i].Length
		if (a == nil) != (b == nil) || a != nil && (math.Abs(a.Mean()/b.Mean()-1) > 1e-9 ||
			math.Abs(model.SD(a)-model.SD(b)) > 1e-6*b.Mean() || kindOf(a) != kindOf(b)) {
			t.Fatalf("length %v, want %v\n%s", a, b, &text)
		}
		got.Classes[i].Length = b
	}
	if math.Abs(got.Load-want.Load) > 1e-9*want.Load || math.Abs(got.Parallel-want.Parallel) > 1e-9*want.Parallel {
		t.Fatalf("load %g, parallel %g, want %g, %g\n%s", got.Load, got.Parallel, want.Load, want.Parallel, &text)
	}
	got.Load, got.Parallel = want.Load, want.Parallel
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v\nwant %+v\n%s", got, want, &text)
	}
}

func kindOf(d model.Distribution) model.Kind {
	kind, _, _ := model.Family(d)
	return kind
}

// randomScenario returns a scenario of job classes with every field in use now
// and then.
func randomScenario(t *testing.T, rnd *rand.Rand) *Scenario {
	s := &Scenario{Name: "a " + fmt.Sprint(rnd.IntN(9)), Nodes: 50 + rnd.IntN(100),
		Residual: model.Residual(rnd.IntN(3)), Phi: 1 + float64(rnd.IntN(2))/3,
		Simulation: Simulation{Jobs: 1 + rnd.IntN(1000), Warmup: Warmup{Fraction: rnd.Float64() / 100}, Replications: 1 + rnd.IntN(9)}}
	if rnd.IntN(2) == 0 {
		s.Simulation.Jobs, s.Simulation.Horizon, s.Simulation.Warmup = 0, 100+rnd.Float64(), Warmup{Seconds: 1 + rnd.Float64()}
	}
	s.GraceIgnored = rnd.IntN(2) == 0
	if rnd.IntN(2) == 0 {
		k := rnd.IntN(5)
		s.Waiting = &k
	}
	for i := range 1 + rnd.IntN(4) {
		s.Classes = append(s.Classes, randomClass(t, rnd, fmt.Sprintf("c%d:", i)))
	}
	s.Parallel = float64(s.Nodes) / model.MeanWidth(s.Classes)
	s.Load = (&server{}).work(s.Classes) / float64(s.Nodes)
	if rnd.IntN(3) == 0 {
		s.Policies = []Policy{{Name: "easy"}, {Name: "libra+$", Options: map[string]string{"beta": "0.5"}}}
	}
	for k := range rnd.IntN(3) {
		p := Provider{Name: fmt.Sprint("p ", k), Nodes: 1 + rnd.IntN(9), Waiting: s.Waiting, Analytic: k == 0}
		if k == 1 {
			p.Admit, p.Policy = slices.Repeat([]float64{rnd.Float64()}, len(s.Classes)), &Policy{Name: "hol",
				Options: map[string]string{"backfill": "true"}}
		}
		s.Providers = append(s.Providers, p)
	}
	return s
}

func randomClass(t *testing.T, rnd *rand.Rand, name string) model.Class {
	c := model.Class{Name: name, Rate: rnd.Float64(), Width: model.FixedWidth(float64(1 + rnd.IntN(9))),
		Floor: model.Floor{None: true}}
	kind := model.Kinds()[rnd.IntN(len(model.Kinds()))]
	mean := math.Exp(10 * rnd.Float64())
	sd, least := mean*0.3, mean*0.1*float64(rnd.IntN(2))
	if kind == model.HyperExponential {
		sd = 2 * mean
	}
	var err error
	if c.Length, err = model.New(kind, mean, sd, least); err != nil {
		t.Fatal(err)
	}
	if rnd.IntN(2) == 0 {
		c.Width = model.Width{Values: []float64{1, 4}, Weights: []float64{0.25, 0.75}}
	}
	c.Price = []model.Tariff{{Fixed: rnd.Float64()}, {PerSecond: rnd.Float64() / 3600},
		{PerNodeSecond: rnd.Float64() / 3600}}[rnd.IntN(3)]
	if rnd.IntN(2) == 0 {
		c.Decay = rnd.Float64()
	} else {
		c.DecayOfPrice = rnd.Float64() / 3600
	}
	allowed := []model.Grace{{Fixed: 1 + rnd.Float64()}, {Lengths: 1 + rnd.Float64()}}[rnd.IntN(2)]
	switch rnd.IntN(3) {
	case 0:
		c.Grace, c.Dated = allowed, true
	case 1:
		allowed.Fixed *= 1e6
		c.Deadline, c.Dated = allowed, true
	}
	if c.Dated && rnd.IntN(2) == 0 {
		c.Hard = rnd.Float64()
	}
	if rnd.IntN(3) > 0 {
		c.Floor = []model.Floor{{}, {Fixed: rnd.Float64()}, {OfPrice: rnd.Float64()}}[rnd.IntN(3)]
		c.Expire = []model.Expiry{model.ExpireFloor, model.ExpireZero, model.ExpireNever}[rnd.IntN(3)]
	}
	if rnd.IntN(3) == 0 {
		c.SLO = &model.SLO{Within: rnd.Float64(), Level: 0.1 + 0.8*rnd.Float64()}
	}
	c.Arrivals = []model.Arrivals{{}, {Kind: model.ArriveRenewal, CV: 1 + rnd.Float64()}, {Kind: model.ArriveBursts,
		On: 1 + rnd.Float64(), Off: rnd.Float64(), Ratio: 2},
		{Kind: model.ArriveProfile, File: "a file.swf"}, {Kind: model.ArriveProfile, Hours: ones(168)},
		{Kind: model.ArriveProfile, Hours: ones(24)}}[rnd.IntN(6)]
	return c
}

// onTrace lays the classes of a scenario over a trace.
func onTrace(s *Scenario, rnd *rand.Rand) {
	*s = Scenario{Name: s.Name, Nodes: 64, Classes: s.Classes, Policies: s.Policies, Simulation: Simulation{Replications: 10},
		Trace: &Trace{File: "a.swf", Jobs: []model.Subset{{}, {First: 5}, {Last: 7}, {From: 1, To: 2}}[rnd.IntN(4)],
			Cleaning: "drop", Delay: rnd.Float64(), Nodes: 64, Estimates: "exact"}}
	if rnd.IntN(2) == 0 {
		s.Load = 0.5 + rnd.Float64()
		s.Trace.Load, s.Trace.Delay, s.Trace.LoadNodes = s.Load, 1, 64
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		c.Rate, c.Width, c.Arrivals = 0, model.Width{}, model.Arrivals{}
		if rnd.IntN(2) == 0 {
			c.Length = nil
		}
		pick := &model.Selector{Share: 1}
		switch rnd.IntN(4) {
		case 0:
			pick.Queues, pick.Partitions = []model.Party{{Number: -1, IsNumber: true}, {Name: "5"}}, []model.Party{{Name: "b c"}}
		case 1:
			pick.Share = rnd.Float64()
		case 2:
			pick.Width, pick.Length, pick.Estimate = &model.Range{Least: 1, Most: 5}, &model.Range{Least: rnd.Float64(), Most: 2},
				&model.Range{Least: 0, Most: 5}
		}
		if i == len(s.Classes)-1 && rnd.IntN(2) == 0 {
			pick = nil
		}
		s.Selectors = append(s.Selectors, pick)
	}
}

// TestBuiltinRoundTrip reads every built-in scenario, traces and grids included, as
// it is written.
func TestBuiltinRoundTrip(t *testing.T) {
	for _, info := range Builtins() {
		want := builtin(t, info.Name)
		want.Warnings, want.total = nil, 0
		checkRoundTrip(t, want)
	}
}

package ask

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/run"
)

// fewJobs are overrides of the built-in site.
func fewJobs(more ...scenario.Override) []scenario.Override {
	few := []scenario.Override{{Path: "trace.jobs", Value: "last:150"}, scenario.Set("simulation.replications", 4)}
	return append(few, more...)
}

// whatIfOn asks what changes bring.
func whatIfOn(t *testing.T, l *run.Lab, q Request, changes ...string) *Comparison {
	t.Helper()
	q.Changes = changes
	c, err := WhatIf(t.Context(), l, q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// changeOf returns a value of the row of a change.
func changeOf(t *testing.T, c *Comparison, change, column string) answer.Value {
	t.Helper()
	i := slices.IndexFunc(c.Answer.Tables[0].Rows, func(row []answer.Value) bool { return row[0].Word == change })
	if i < 0 {
		t.Fatalf("no change %s", change)
	}
	return cell(t, c.Answer, i, column)
}

// warned reports whether an answer has a warning.
func warned(c *Comparison, code string) bool {
	return slices.ContainsFunc(c.Answer.Warnings, func(f answer.Fact) bool { return f.Code == code })
}

// writtenTrace writes a trace for 4 nodes.
func writtenTrace(t *testing.T, lines string) string {
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte("; MaxNodes: 4\n; MaxProcs: 4\n"+lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWhatIfNothing: a change that changes nothing gives 0 ± 0 exactly, by every method.
func TestWhatIfNothing(t *testing.T) {
	l := openLab(t, "site", run.Options{Workers: 2}, fewJobs()...)
	c := whatIfOn(t, l, Request{}, "policy=easy", "admission=all", "classes.urgent.price.per_unit_hour=+0%",
		"growth=+0%", "trace.nodes=128")
	if len(c.Rows) != 7 {
		t.Fatalf("%d rows", len(c.Rows))
	}
	for _, r := range c.Rows[1:] {
		if d := changeOf(t, c, r.Label, "gain"); d.Number != 0 || d.Low != 0 || d.High != 0 {
			t.Errorf("%s: %+v", r.Label, d)
		}
		for _, column := range []string{"value", "mean_wait"} {
			if got, want := changeOf(t, c, r.Label, column), changeOf(t, c, asItIs, column); got != want {
				t.Errorf("%s: %s %+v, want %+v", r.Label, column, got, want)
			}
		}
	}
	if c.Answer.Headline.Code != "PRESENT_IS_BEST" {
		t.Errorf("%+v", c.Answer.Headline)
	}
}

// TestWhatIfPolicy: the gain of a change of policy is that of a simulation of both.
func TestWhatIfPolicy(t *testing.T) {
	for name, o := range map[string][]scenario.Override{"nist-cluster": nil, "site": fewJobs()} {
		policies := map[string]string{"nist-cluster": "hol,fcfs", "site": "easy,value-bf"}[name]
		first, second, _ := strings.Cut(policies, ",")
		both, err := Simulate(t.Context(), openLab(t, name, run.Options{Workers: 2}, o...),
			Request{Policies: []string{policies}, Replications: "4"})
		if err != nil {
			t.Fatal(err)
		}
		c := whatIfOn(t, openLab(t, name, run.Options{Workers: 2}, o...),
			Request{Policies: []string{first}, Replications: "4"}, "policy="+second)
		got, want := changeOf(t, c, "policy="+second, "value"), cell(t, both.Answer, 1, "value")
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		less := changeOf(t, c, "policy="+second, "gain").Number
		if !fixture.Near(less, want.Number-cell(t, both.Answer, 0, "value").Number, 1e-9) {
			t.Errorf("%s: gain %g", name, less)
		}
	}
}

// TestWhatIfSpan: by hand, money is divided by the time in which jobs are recorded, whether or not the last of them
// comes: 40 jobs of 1 node-hour never wait, so that n that come at 1.5 $ earn 1.5 n $ in 1000 h.
func TestWhatIfSpan(t *testing.T) {
	var lines string
	for i := range 40 {
		lines += fixture.SWFLine(i+1, 4000*i, 3600, 1, 3600, 1, 1)
	}
	lines += fixture.SWFLine(41, 3600_000, 3600, 1, 3600, 1, 2)
	l := openLab(t, "trace: {file: "+writtenTrace(t, lines)+", nodes: 4}\n"+`classes:
  - {name: a, price: {per_unit_hour: 1}, demand: {curve: linear, elasticity: 1}, decay: {per_hour: 10%}}
simulation: {replications: 8}
`, run.Options{})
	const change = "classes.a.price.per_unit_hour=1.5"
	c := whatIfOn(t, l, Request{}, change)
	if got := changeOf(t, c, asItIs, "value").Number; !fixture.Near(got, 0.041, 1e-9) {
		t.Errorf("before %g", got)
	}
	mean := 0.0
	for k := range 8 {
		lots := simulate.Stream(1, k, "demand", 0)
		for range 41 {
			if lots.Float64() < 0.5 { // the share that comes at half as much again
				mean += 1.5 / 1000 / 8
			}
		}
	}
	for column, want := range map[string]float64{"value": mean, "gain": mean - 0.041} {
		if got := changeOf(t, c, change, column).Number; !fixture.Near(got, want, 1e-6) {
			t.Errorf("%s %g, want %g", column, got, want)
		}
	}
	if warned(c, "INELASTIC") {
		t.Error("a demand is stated")
	}
}

// TestWhatIfBatch: by hand, money of jobs that are submitted at once is by hour of the time until the last of them ends.
// Two jobs of 4 nodes and 1 h take 2 h. The first pays 4 $, the second 10 $ less 20 $ for the hour that it waits. In the
// other order the first loses 1 $. On 8 nodes none waits, and both take 1 h. On 2 nodes none runs.
func TestWhatIfBatch(t *testing.T) {
	file := writtenTrace(t, fixture.SWFLine(1, 0, 3600, 4, 3600, 1, 1)+fixture.SWFLine(2, 0, 3600, 4, 3600, 1, 2))
	l := openLab(t, "trace: {file: "+file+", nodes: 4}\n"+`classes:
  - {name: slow, of: {group: [1]}, price: 4, decay: {per_hour: 25%}}
  - {name: fast, of: {group: [2]}, price: 10, decay: {per_hour: 200%}, max_penalty: none}
`, run.Options{})
	c := whatIfOn(t, l, Request{Policies: []string{"fcfs"}}, "policy=value-bf", "trace.nodes=8", "trace.nodes=2")
	for change, want := range map[string]float64{
		asItIs: -3, "policy=value-bf": 6.5, "trace.nodes=8": 14, "trace.nodes=2": 0, "all together, trace.nodes=8": 14,
	} {
		if got := changeOf(t, c, change, "value").Number; !fixture.Near(got, want, 1e-9) {
			t.Errorf("%s: %g, want %g", change, got, want)
		}
	}
	if !warned(c, "INSTANT") {
		t.Errorf("warnings %v", c.Answer.Warnings)
	}
}

// TestWhatIfQueue: on M/M/1 the value that is known by hand lies inside the interval of the simulation: a job of 100 s
// waits 150 s at load 0.6, 100 0.72/0.28 s at 0.72.
func TestWhatIfQueue(t *testing.T) {
	l := openLab(t, `
server: {parallel: 1, residual: pooled}
load: 0.6
simulation: {jobs: 20000, replications: 10}
classes: [{name: a, length: {mean: 100, dist: exponential}, price: 10, decay: 0.01, max_penalty: none}]
`, run.Options{Workers: 2})
	c := whatIfOn(t, l, Request{Level: "0.99"}, "growth=20%", "classes.a.price=+10%")
	before := 3600 * 0.006 * (10 - 0.01*150)
	for change, want := range map[string]float64{
		asItIs: before, "growth=20%": 3600 * 0.0072 * (10 - 0.01*100*0.72/0.28),
		"classes.a.price=+10%": 3600 * 0.006 * (11 - 0.01*150),
		"all together":         3600 * 0.0072 * (11 - 0.01*100*0.72/0.28),
	} {
		if v := changeOf(t, c, change, "value"); v.Low > want || v.High < want {
			t.Errorf("%s: %+v without %g", change, v, want)
		}
	}
}

// TestWhatIfNodes: more nodes bring no customers, also where a flag states the load, and beside a load that is to
// change; what is left is the gain less the cost of the nodes.
func TestWhatIfNodes(t *testing.T) {
	l := openLab(t, "nist-cluster", run.Options{Workers: 2}, scenario.Set("load", 1.5))
	q := Request{Replications: "3", Costs: []string{"35040/node"}, Life: "2y"}
	c := whatIfOn(t, l, q, "nodes=+10%", "load=+20%")
	nodes := float64(l.Subject().Nodes())
	more := "nodes=+10% (5500)"
	for change, want := range map[string]float64{more: 1.5 * nodes, "load=+20%": 1.8 * nodes, "all together": 1.8 * nodes} {
		i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Label == change })
		s, err := l.SubjectOf(t.Context(), c.Rows[i].Case)
		if err != nil || !fixture.Near(s.Workload.Load()*float64(s.Nodes()), want, 1e-9) {
			t.Errorf("%s: load %g on %d nodes, %v", change, s.Workload.Load(), s.Nodes(), err)
		}
	}
	gain, net := changeOf(t, c, more, "gain"), changeOf(t, c, more, "net")
	cost := 2 * 0.1 * nodes
	if changeOf(t, c, more, "cost").Number != cost || !fixture.Near(net.Number, gain.Number-cost, 1e-9) ||
		!fixture.Near(net.High-net.Low, gain.High-gain.Low, 1e-9) {
		t.Errorf("net %+v of %+v", net, gain)
	}
	if changeOf(t, c, "load=+20%", "net").Known() || !changeOf(t, c, "all together", "net").Known() {
		t.Error("a cost of nodes that do not change")
	}
}

// TestWhatIfOnce: where nothing is random there are no intervals, and a lottery after the change has some.
func TestWhatIfOnce(t *testing.T) {
	l := openLab(t, fixture.Customers(t), run.Options{})
	c := whatIfOn(t, l, Request{Replications: "4"}, "trace.nodes=+4", "admission=1,0.5")
	if changeOf(t, c, "trace.nodes=+4", "gain").Random || changeOf(t, c, asItIs, "value").Random {
		t.Error("an interval of what is not random")
	}
	name := c.Rows[len(c.Rows)-2].Label
	if v := changeOf(t, c, name, "gain"); !v.Random || !(changeOf(t, c, name, "rejected_admission").Number > 0) {
		t.Errorf("%s: %+v", name, v)
	}
}

// TestWhatIfHarm: by hand, 4 nodes and jobs of 4 nodes and 1 h. At time 0 come a slow job, at 1 s a fast one that loses
// all value within half an hour, and another slow one. fcfs serves all three. value-bf gives the fast one up.
func TestWhatIfHarm(t *testing.T) {
	file := writtenTrace(t, fixture.SWFLine(1, 0, 3600, 4, 3600, 1, 1)+
		fixture.Waited(3599, fixture.SWFLine(2, 1, 3600, 4, 3600, 1, 2))+
		fixture.Waited(7198, fixture.SWFLine(3, 2, 3600, 4, 3600, 1, 1)))
	l := openLab(t, "trace: {file: "+file+", nodes: 4}\n"+`classes:
  - {name: slow, of: {group: [1]}, price: 4, decay: {per_hour: 10%}, max_penalty: 0}
  - {name: fast, of: {group: [2]}, price: 10, decay: {per_hour: 200%}, max_penalty: 0, expire: never, slo: {within: 2h, level: 90%}}
`, run.Options{})
	c := whatIfOn(t, l, Request{Policies: []string{"fcfs"}}, "policy=value-bf")
	harms := changeOf(t, c, "policy=value-bf", "harms").Number
	if changeOf(t, c, "policy=value-bf", "jobs_given_up").Number != 1 || !(harms > 0) || !warned(c, "BROKEN_PROMISE") {
		t.Errorf("%v", c.Answer.Warnings)
	}
	table, _ := c.Answer.Table("affected")
	harmed := len(text.Where(table.Rows, func(row []answer.Value) bool { return row[len(row)-1].True }))
	if float64(harmed) != harms || c.Answer.Headline.Code != "NO_WINNER" {
		t.Errorf("%d groups of the table are harmed, want %g; %+v", harmed, harms, c.Answer.Headline)
	}
}

// TestWhatIfRecorded: the schedule of the log stands beside a policy that is simulated, with its waits; a present that
// repeats the log is not compared with itself. What waited for nothing in the log does not wait in a simulation.
func TestWhatIfRecorded(t *testing.T) {
	l := openLab(t, logOfTwo(t), run.Options{})
	c := whatIfOn(t, l, Request{Policies: []string{"easy"}}, "growth=+0%")
	if changeOf(t, c, asItIs, "mean_wait").Number != 0 || changeOf(t, c, "recorded", "mean_wait").Number != 1600 ||
		c.Answer.Headline.Code != "PRESENT_IS_BEST" {
		t.Errorf("%v, %+v", c.Answer.Headline, c.Answer.Tables[0].Rows)
	}
	c = whatIfOn(t, l, Request{Policies: []string{"recorded"}}, "policy=easy")
	if len(c.Rows) != 2 || changeOf(t, c, "policy=easy", "mean_wait").Number != 0 ||
		changeOf(t, c, asItIs, "mean_wait").Number != 1600 {
		t.Errorf("%+v", c.Answer.Tables[0].Rows)
	}
}

// logOfTwo is a log of two jobs on 8 nodes, the second of which waited 3200 s for nothing.
func logOfTwo(t *testing.T) string {
	t.Helper()
	lines := "; MaxNodes: 8\n; MaxProcs: 8\n" + "1 0 0 3600 8 -1 -1 8 3600 -1 1 1 1 1 1 1 -1 -1\n" +
		"2 4000 3200 3600 8 -1 -1 8 3600 -1 1 1 1 1 1 1 -1 -1\n"
	path := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return "trace: {file: " + path + "}\nclasses: [{name: all, price: {per_unit_hour: 1}, decay: {per_hour: 10%}}]\n"
}

// TestObjectiveOfChanges: by hand, jobs on 2 nodes that objectives rank differently. Job 1 holds both nodes until 100 s.
// At 1 s a wide job of 20 s and two narrow ones of 30 s come, one before and one after it. The wide job first, as sjf-bf
// has it: waits of 99, 119 and 119 s. The narrow ones first, as saf-bf has it: 99, 99 and 129 s. In order of submission,
// as fcfs has it: 99, 129 and 149 s. Job 1 does not wait.
func TestObjectiveOfChanges(t *testing.T) {
	trace := writtenTrace(t, fixture.SWFLine(1, 0, 100, 2, 100, 1, 1)+fixture.Waited(99, fixture.SWFLine(2, 1, 30, 1, 30, 1, 1))+
		fixture.Waited(129, fixture.SWFLine(3, 1, 20, 2, 20, 1, 1))+fixture.Waited(149, fixture.SWFLine(4, 1, 30, 1, 30, 1, 1)))
	source := "trace: {file: " + trace + ", nodes: 2}\npolicies: [fcfs]\nclasses:\n" +
		"  - {name: wide, of: {width: [2, 2]}, price: 1000, decay: 1}\n  - {name: narrow, price: 1}\n"
	for objective, want := range map[string]struct {
		column string
		means  []float64 // of fcfs, sjf-bf and saf-bf
		best   string
	}{
		"wait": {"mean_total_wait", []float64{377. / 4, 337. / 4, 327. / 4}, "policy=saf-bf"},
		"slowdown": {"slowdown", []float64{(1 + 129./30 + 149./20 + 179./30) / 4, (1 + 119./20 + 2*149./30) / 4,
			(1 + 2*129./30 + 149./20) / 4}, "policy=sjf-bf"},
	} {
		c := whatIfOn(t, openLab(t, source, run.Options{}), Request{Objective: objective},
			"policy=sjf-bf,saf-bf")
		for i, change := range []string{asItIs, "policy=sjf-bf", "policy=saf-bf"} {
			if got := changeOf(t, c, change, want.column).Number; !fixture.Near(got, want.means[i], 1e-12) {
				t.Errorf("%s: %s has %g, by hand %g", objective, change, got, want.means[i])
			}
			gain := want.means[0] - want.means[i]
			if got := changeOf(t, c, change, "gain").Number; !fixture.Near(got, gain, 1e-9) {
				t.Errorf("%s: %s gains %g, by hand %g", objective, change, got, gain)
			}
		}
		if got := (answer.Fact{Values: c.Answer.Values}).Value("best").Word; got != want.best {
			t.Errorf("%s: best %s, want %s", objective, got, want.best)
		}
	}
}

// TestWhatIfInterrupted: changes that are whole stay if all of them together are interrupted.
func TestWhatIfInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0 // of the lab: three rows come first, then the fourth
	l := openLab(t, "site", run.Options{Workers: 1, Progress: func(done, _ int) {
		if done == 0 {
			runs++
		}
		if runs == 2 && done == 1 {
			cancel()
		}
	}}, fewJobs()...)
	c, err := WhatIf(ctx, l, Request{Changes: []string{"trace.nodes=+16", "policy=fcfs"}})
	if !errors.Is(err, context.Canceled) || len(c.Rows) != 3 || c.Answer.Replications != 4 {
		t.Errorf("%v, %d rows", err, len(c.Rows))
	}
}

// TestParseGrowth: growth and load are over what comes today.
func TestParseGrowth(t *testing.T) {
	s := openLab(t, "site", run.Options{}, fewJobs(scenario.Set("growth", 0.25))...).Subject() // load 1
	for arg, want := range map[string]float64{
		"growth=50%": 0.2, "growth=+20%": 0.2, "growth=-20%": -0.2, "load=1.2": 0.2, "load=+0.2": 0.2, "load=-10%": -0.1,
		"load=100%": 0,
	} {
		c, err := parseField(s, arg)
		if err != nil || math.Abs(c.growth-want) > 1e-9 || c.set != nil || c.name != arg {
			t.Errorf("%s: %+v, %v, want growth %g", arg, c, err, want)
		}
	}
	var bad *scenario.Error
	for _, arg := range []string{"growth=20", "load=80", "load=0", "load=x", "growth=+x"} {
		if _, err := parseField(s, arg); !errors.As(err, &bad) {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// TestMachinePath: nodes are the machine on every workload, unless it has parts.
func TestMachinePath(t *testing.T) {
	for name, want := range map[string]string{"site": "trace.nodes", "nist-cluster": "server.nodes",
		"nist-two": "server.parallel", "libra-2004": "sites.0.processors"} {
		c, err := parseField(fixture.Builtin(t, name), "nodes=+2")
		if err != nil || c.choice != want || c.name != "nodes=+2" {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

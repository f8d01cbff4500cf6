package ask

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// simulated asks a question about a scenario.
func simulated(t *testing.T, source string, q Request, set ...scenario.Override) *Comparison {
	t.Helper()
	c, err := Simulate(t.Context(), openLab(t, source, run.Options{}, set...), q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// of returns the interval of a column of a group under the first policy.
func of(c *Comparison, group, column string) metric.Interval {
	return c.frame.Estimate(c.frame.Series(c.Rows[0].Case, group, column))
}

// within fails the test unless an estimate has the given mean, by four of the standard errors of its interval.
func within(t *testing.T, what string, i metric.Interval, want float64) {
	t.Helper()
	if !(math.Abs(i.Mean-want) <= 2*i.HalfWidth+1e-12) {
		t.Errorf("%s: %g ± %g, want %g", what, i.Mean, i.HalfWidth, want)
	}
}

func codesOf(c *Comparison) (list []string) {
	for _, f := range c.Answer.Warnings {
		list = append(list, f.Code)
	}
	return list
}

// TestLossChain: jobs of exponential length that go to the first provider with a free processor see one loss system
// after the other, so that of three providers the first k lose what Erlang's formula says of all their processors
// together.
func TestLossChain(t *testing.T) {
	c := simulated(t, `
server: {nodes: 4, waiting: 0}
load: 1
simulation: {jobs: 20000, replications: 10}
classes: [{name: all, length: {dist: exponential, mean: 100}, price: 10}]
providers: [{name: second, nodes: 2, waiting: 0}, {name: third, nodes: 3, waiting: 0, policy: fcfs}]
`, Request{})
	lost, reach := 1.0, 1.0 // Erlang B by its recursion; share of the jobs that reach a provider
	k := 0
	for i, nodes := range []int{4, 2, 3} {
		for range nodes {
			k++
			lost = 4 * lost / (float64(k) + 4*lost)
		}
		name := []string{scenario.ServerName, "second", "third"}[i]
		within(t, name+" admits", of(c, run.AtProvider(name), "admitted"), 1-lost/reach)
		within(t, name+" is used", of(c, run.AtProvider(name), run.ColumnUtilization), 4*(reach-lost)/float64(nodes))
		reach = lost
	}
	within(t, "all admit", of(c, run.All, "admitted"), 1-lost)
	if table, _ := c.Answer.Table("providers"); len(table.Rows) != 3 {
		t.Errorf("%d providers", len(table.Rows))
	}
}

// TestThinnedChain: lots leave Poisson streams, and the lots of one provider say nothing of those of the next.
func TestThinnedChain(t *testing.T) {
	c := simulated(t, thinned, Request{Policies: []string{"hol"}, Admission: []string{"0.5,0.5"}})
	all := of(c, run.All, run.ColumnSubmitted)
	table, _ := c.Answer.Table("providers")
	for i, row := range table.Rows {
		name := row[2].Word
		got := of(c, run.AtProvider(name), run.ColumnSubmitted)
		got.Mean, got.HalfWidth = got.Mean/all.Mean, got.HalfWidth/all.Mean
		within(t, name+" is offered", got, []float64{1, 0.5, 0.25}[i])
	}
	within(t, "the server is used", of(c, run.AtProvider(scenario.ServerName), run.ColumnUtilization), 0.75)
}

// TestPlacesToWait: one node without places to wait refuses what Erlang's formula says, a/(1+a) of a load of a; with
// places for K it refuses as M/M/1/K does, and is not overloaded.
func TestPlacesToWait(t *testing.T) {
	const text = `
server: {nodes: 1, waiting: %s}
load: 0.8
simulation: {jobs: 100000, replications: 5}
classes:
  - {name: only, share: 1, length: {dist: exponential, mean: 10}, price: 100, decay: 1}
`
	const a = 0.8
	for k, want := range map[string]float64{"0": a / (1 + a), "2": math.Pow(a, 3) / (1 + a + a*a + a*a*a)} {
		for _, name := range []string{"hol", "easy"} {
			c := simulated(t, fmt.Sprintf(text, k), Request{Policies: []string{name}})
			within(t, name+" admits", of(c, run.All, "admitted"), 1-want)
			if of(c, run.All, "rejected_admission").Mean == 0 {
				t.Errorf("%s: not refused by the admission", name)
			}
		}
	}
	c := simulated(t, fmt.Sprintf(text, "2"), Request{Replications: "2"}, scenario.Set("load", 3),
		scenario.Set("simulation.jobs", 2000))
	if slices.Contains(codesOf(c), "OVERLOAD") {
		t.Error(c.Answer.Warnings)
	}
}

// TestShortRun: a short run that ends with jobs in the queue is not overloaded.
func TestShortRun(t *testing.T) {
	for load, want := range map[string]bool{"0.8": false, "1.5": true} {
		text := strings.Replace(fixture.Constant, "load: 0.8", "load: "+load, 1)
		text = strings.Replace(text, "jobs: 2000, warmup: 50%", "jobs: 10, warmup: 0", 1)
		c := simulated(t, text, Request{Replications: "20"})
		if got := slices.Contains(codesOf(c), "OVERLOAD"); got != want {
			t.Errorf("load %s: %v", load, c.Answer.Warnings)
		}
	}
}

// TestPoolOverload: one pool may have more work than it can serve although the machine as a whole does not.
func TestPoolOverload(t *testing.T) {
	c := simulated(t, `
load: 0.5
pools: [{name: big, units: 30}, {name: small, units: 2}]
simulation: {jobs: 500, replications: 2}
classes:
  - {name: x, pool: big, share: 50%, length: {dist: deterministic, mean: 10}, price: 1, decay: 0.001, max_penalty: none}
  - {name: y, pool: small, share: 50%, length: {dist: deterministic, mean: 10}, price: 1, decay: 0.001, max_penalty: none}
`, Request{Policies: []string{"fcfs"}})
	i := slices.Index(codesOf(c), "OVERLOAD")
	if i < 0 || c.Answer.Warnings[i].Value("pool").Word != "small" {
		t.Errorf("warnings %v", c.Answer.Warnings)
	}
	if used := of(c, run.Pool("small"), run.ColumnUtilization).Mean; used < 0.99 {
		t.Errorf("the small pool is used to %g", used)
	}
}

// TestCountsWithoutPool: a job that no pool takes is counted among the rejected jobs, under its reason.
func TestCountsWithoutPool(t *testing.T) {
	const text = "pools: [{name: a, units: 2, of: {partition: a}}]\nclasses: [{name: x, price: {per_unit_hour: 1}}]\n"
	s := fixture.Ruled(t, text, [5]int{0, 10, 1, 1, 1}, [5]int{5, 10, 1, 1, 2})
	l, err := run.NewLab(t.Context(), s.Document, run.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Simulate(t.Context(), l, Request{Policies: []string{"easy"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jobs_rejected", "rejected_no_pool"} {
		if got := cell(t, c.Answer, 0, name); got.Number != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestBudgetShapes: two applications on one processor of 1000 MIPS, by hand. Both mandatory lengths are done at 2000 s.
// By deadline, 600 s of B come next, of which the step at a half pays 50, then 400 s of A, which pay 500 sqrt(0.4). By
// budget rate A gets all of its length. With time sharing each has 300 s at 2600 s, too little for the step of B, and A
// then 400 s more.
func TestBudgetShapes(t *testing.T) {
	c := simulated(t, `
sites: [{processors: 1, mips: 1000}]
applications:
  - {at: 0, mandatory: 1000000, optional: 1000000, deadline: 3000, reward: 1000, slope: 0.0005, budget: {concave: 0.5}}
  - {at: 500, mandatory: 1000000, optional: 1000000, deadline: 2100, reward: 1000, slope: 0.0002, budget: {steps: {at: [50%, 100%], pay: [25%, 75%]}}}
policies: [mf-edf, mf-hbf, mf-timeshare, hard-mo, hard-m]
simulation: {replications: 1}
`, Request{})
	for i, want := range []float64{2050 + 500*math.Sqrt(0.4), 2500, 2000 + 500*math.Sqrt(0.7), 1500, 2000} {
		if got := cell(t, c.Answer, i, run.ColumnValueTotal).Number; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %g, want %g", c.Rows[i].Label, got, want)
		}
	}
}

// TestOwnPolicy: a policy that a caller hands in runs beside others, and may be named by scenarios.
func TestOwnPolicy(t *testing.T) {
	density := policy.Spec{
		Name: "density", Options: []policy.Option{policy.NumberOption("power", "1")}, Needs: policy.Needs{Alike: true},
		Make: policy.PerSite(func(s policy.Settings) simulate.Policy {
			return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
				return -j.Value.Price / math.Pow(estimate*float64(j.Width), s.Number("power"))
			}}
		}),
	}
	twin := policy.Spec{Name: "twin", Needs: policy.Needs{Alike: true},
		Make: policy.PerSite(func(policy.Settings) simulate.Policy { return &policy.Backfill{} })}
	text := fixture.SmallTrace + "policies: [easy, {density: {power: 2}}, twin, libra]\nsimulation: {replications: 2}\n"
	doc := fixture.Parsed(t, text)
	if _, err := run.NewLab(t.Context(), doc, run.Options{Seed: 1}); err == nil ||
		!strings.Contains(err.Error(), `unknown policy "density"`) {
		t.Errorf("an unknown policy: %v", err)
	}
	l, err := run.NewLab(t.Context(), doc, run.Options{Seed: 1, Policies: append(subject.Standard(), density, twin)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Simulate(t.Context(), l, Request{})
	if err != nil {
		t.Fatal(err)
	}
	delivers := func(row int) answer.Value { return cell(t, c.Answer, row, run.ColumnValue) }
	if c.Rows[1].Label != "density:power=2" || delivers(1) == delivers(0) || delivers(2) != delivers(0) {
		t.Errorf("%s delivers %+v, easy %+v, its twin %+v", c.Rows[1].Label, delivers(1), delivers(0), delivers(2))
	}
}

// TestContext: a policy knows its run: seed, replication, processors, and the date of time 0, which is the first
// submission that is used, 3600 + 10 s after the beginning of the log, in UTC.
func TestContext(t *testing.T) {
	var lock sync.Mutex
	var seen []policy.Context
	curious := policy.Spec{Name: "curious", Make: policy.InContext(func(_ policy.Settings, c policy.Context) simulate.Policy {
		lock.Lock()
		defer lock.Unlock()
		seen = append(seen, c)
		return &policy.Backfill{}
	})}
	header, log := "; UnixStartTime: 1000000000\n; TimeZone: 7200\n; MaxProcs: 4\n", ""
	for i := range 4 {
		log += fmt.Sprintf("%d %d 0 10 1 -1 -1 1 20 -1 1 %d 1 1 1 1 -1 -1\n", i+1, 3600+10*i, i+1)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for trace, want := range map[string]float64{write("dated.swf", header+log): 1000003610,
		write("bare.swf", "; MaxProcs: 4\n"+log): 0, "sp2-like": 0} {
		doc := fixture.Parsed(t, "trace: {file: "+trace+", jobs: last:3}\npolicies: [fcfs]\n")
		l, err := run.NewLab(t.Context(), doc, run.Options{Seed: 7, Policies: append(subject.Standard(), curious)})
		if err != nil {
			t.Fatal(err)
		}
		seen = nil
		if _, err := Simulate(t.Context(), l, Request{Policies: []string{"curious"}, Replications: "2"}); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(seen, func(a, b policy.Context) int { return a.Replication - b.Replication })
		for i, got := range seen {
			if got.Offset != want || got.Seed != 7 || got.Replication != i || len(got.Processors) != 1 {
				t.Errorf("%s: %+v, want the offset %g", trace, got, want)
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s: no policy was made", trace)
		}
	}
}

// TestGeneratedLoad: the seed does not change the arrival delay factor of generated jobs, but the load that they offer.
func TestGeneratedLoad(t *testing.T) {
	var factors, loads []float64
	for seed := range uint64(2) {
		doc, err := scenario.Builtin("site")
		if err == nil {
			doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"})
		}
		if err != nil {
			t.Fatal(err)
		}
		l, err := run.NewLab(t.Context(), doc, run.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Simulate(t.Context(), l, Request{Policies: []string{"easy"}, Replications: "3"})
		if err != nil {
			t.Fatal(err)
		}
		about := answer.Fact{Values: c.Answer.Values}
		factors = append(factors, about.Value("arrival_delay_factor").Number)
		loads = append(loads, about.Value("load").Number)
		used := c.frame.Series(c.Rows[0].Case, run.All, run.ColumnUtilization)
		observed := c.frame.Series(c.Rows[0].Case, run.All, run.ColumnObserved)
		work := used.Times(observed).Over(c.frame.Series(c.Rows[0].Case, run.All, run.ColumnSpan))
		if done, _ := work.Mean(); math.Abs(done-loads[seed]) > 1e-9 {
			t.Errorf("load %g, but the work done is %g of the capacity while jobs come", loads[seed], done)
		}
	}
	if factors[0] != factors[1] || loads[0] == loads[1] {
		t.Errorf("factors %v, loads %v", factors, loads)
	}
}

// TestRecordedLeftOut: with other times, jobs or machines there is no row of the log, which is said once.
func TestRecordedLeftOut(t *testing.T) {
	lines := []string{fixture.LoggedJob(0, 5, 60, 4, 4, 1, 1), fixture.LoggedJob(10, 5, 60, 4, 4, 1, 1)}
	ask := func(s *subject.Subject, q Request) (*Comparison, error) {
		l, err := run.NewLab(t.Context(), s.Document, run.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return Simulate(t.Context(), l, q)
	}
	guess := append([]string{"; Guess: MaxProcs and MaxNodes are the most that were busy"}, lines...)
	for _, s := range []*subject.Subject{
		fixture.Logged(t, ", arrival_delay_factor: 0.5", lines), fixture.Logged(t, ", nodes: 9", lines),
		fixture.Logged(t, "", lines, scenario.Set("growth", 0.2)), fixture.Logged(t, ", nodes: 7", guess),
		fixture.Logged(t, "", append(lines, fixture.LoggedJob(20, -1, 60, 4, 4, 1, 1))),
	} {
		c, err := ask(s, Request{})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.DeleteFunc(codesOf(c), func(code string) bool { return code != "UNRECORDED" })
		if len(c.Rows) != 1 || len(said) != 1 {
			t.Errorf("%d rows, %v", len(c.Rows), c.Answer.Warnings)
		}
	}
	c, err := ask(fixture.Logged(t, ", nodes: 9", guess), Request{})
	if err != nil || len(c.Rows) != 2 || slices.Contains(codesOf(c), "OTHER_MACHINE") {
		t.Errorf("a larger machine than was busy: %v, %+v", err, c)
	}
}

// TestPromiseMatchesWaits: the shares of promises that are kept are those of the waits, inside intervals at 99.9 %.
func TestPromiseMatchesWaits(t *testing.T) {
	const text = `
name: one-server
server: {parallel: 1}
load: 0.8
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: urgent, share: 0.3, length: {mean: 100, sd: 100, dist: exponential}, price: 10, decay: 0.004, slo: {within: 200, level: 0.9}}
  - {name: usual, share: 0.3, length: {mean: 100, sd: 40, dist: gamma}, price: 6, decay: 0.002, slo: {within: 5m, level: 0.6}}
  - {name: batch, share: 0.4, length: {mean: 100, sd: 30}, price: 4, decay: 0.0001, slo: {within: 0, level: 0.05}}
`
	l := openLab(t, text, run.Options{})
	c, err := Simulate(t.Context(), l, Request{Admission: []string{"1,0.9,0.8"}, Level: "0.999"})
	if err != nil {
		t.Fatal(err)
	}
	waits, err := model.NewWaits(l.Subject().Scenario.System(), []float64{1, 0.9, 0.8}, model.WaitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, promised := range map[string]struct {
		class  int
		within float64
	}{"urgent": {0, 200}, "usual": {1, 300}, "batch": {2, 0}} {
		late, _, _, _ := waits.TailExcess(promised.class, promised.within)
		if kept := of(c, run.Customer(i), "promise_kept_of_admitted"); !kept.Contains(1 - late) {
			t.Errorf("%s: %.4f ± %.4f are kept, by the waits %.4f", i, kept.Mean, kept.HalfWidth, 1-late)
		}
	}
}

// TestRangesEverywhere: in an answer of resampled spans all that is random is a range, ties and differences too, and
// replications are those that ran. No bound is below a mean beside it.
func TestRangesEverywhere(t *testing.T) {
	q := Request{Resample: true, Replications: "12", Policies: []string{"easy,fcfs"}}
	drawn := q
	drawn.Policies, drawn.Changes = nil, []string{"policy=fcfs"}
	for name, ask := range map[string]func(l *run.Lab) answer.Answer{
		"simulate": func(l *run.Lab) answer.Answer { return must(Simulate(t.Context(), l, q)).Answer },
		"validate": func(l *run.Lab) answer.Answer { return must(Validate(t.Context(), l, q)).Answer },
		"whatif":   func(l *run.Lab) answer.Answer { return must(WhatIf(t.Context(), l, drawn)).Answer },
	} {
		a := ask(openLab(t, weekly(t), run.Options{}))
		random := 0
		for _, table := range a.Tables {
			for _, row := range table.Rows {
				for k, v := range row {
					if v.Random {
						random++
					}
					if v.Random && !v.Range {
						t.Errorf("%s: %s.%s is no range: %+v", name, table.Name, table.Columns[k].Name, v)
					}
				}
			}
		}
		if a.Replications != 12 || random == 0 {
			t.Errorf("%s: %d replications, %d random numbers", name, a.Replications, random)
		}
		bounds, _ := a.Table("bounds")
		for i := range bounds.Rows {
			for row := range a.Tables[0].Rows {
				b, v := bounds.Rows[i][slices.IndexFunc(bounds.Columns, named("value"))], cell(t, a, row, "value")
				if b.Known() && v.Known() && b.Number < v.Number*(1-1e-9) {
					t.Errorf("%s: bound %g, mean %g", name, b.Number, v.Number)
				}
			}
		}
	}
}

func named(name string) func(answer.Column) bool {
	return func(c answer.Column) bool { return c.Name == name }
}

// TestResampled: intervals of resampled spans are ranges of what the replications measure, paired ones too.
func TestResampled(t *testing.T) {
	c := simulated(t, weekly(t), Request{Policies: []string{"easy,fcfs"}, Resample: true, Replications: "50"})
	var waits [2][]float64
	for i, row := range c.Rows {
		for _, record := range c.frame.Records(row.Case) {
			x, _ := record.Groups[run.All].Get(run.ColumnMeanWait)
			waits[i] = append(waits[i], x)
		}
		got, want := c.frame.Estimate(c.frame.Series(row.Case, run.All, run.ColumnMeanWait)), metric.Spread(waits[i], 0.95)
		if got != want || !(want.Low < want.High) {
			t.Errorf("%s: %+v, want %+v", row.Label, got, want)
		}
	}
	few := simulated(t, weekly(t), Request{Resample: true, Replications: "9"})
	if !slices.Contains(codesOf(few), "FEW_SPANS") {
		t.Error(few.Answer.Warnings)
	}
	for _, source := range []string{"nist-cluster", "sp2-like", fixture.Customers(t)} {
		var bad *workload.Error
		if _, err := Simulate(t.Context(), openLab(t, source, run.Options{}), Request{Resample: true}); !errors.As(err, &bad) {
			t.Errorf("%v", err)
		}
	}
}

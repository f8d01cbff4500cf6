package simulation

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/validate"
	"revopt/simulate/subject"
)

// A policy that a caller hands in runs in comparisons, validations and sweeps,
// and may be named by scenarios and sweep files.
func TestOwnPolicy(t *testing.T) {
	specs := withOwn()
	text := fixture.SmallTrace + "policies: [easy, {density: {power: 2}}, twin, libra]\nsimulation: {replications: 2}\n"
	if _, err := subject.Open(context.Background(), fixture.Parsed(t, text), 1, nil); err == nil || !strings.Contains(err.Error(), `unknown policy "density"`) {
		t.Errorf("an unknown policy: %v", err)
	}
	s, err := subject.Open(context.Background(), fixture.Parsed(t, text), 1, specs)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Policies()
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, &Simulation{Subject: s, Policies: list, Seed: 1})
	easy, density, twin := r.Policies[0], r.Policies[1], r.Policies[2]
	utility := func(row study.Row) study.Estimate { return row.Total.Get("utility") }
	if density.Label != "density:power=2" || utility(density) == utility(easy) || utility(twin) != utility(easy) {
		t.Errorf("%s delivers %+v, easy %+v, its twin %+v", density.Label, utility(density), utility(easy), utility(twin))
	}
	// A simulation of a subject that was opened with these policies knows them.
	if same := run(t, &Simulation{Subject: s, Seed: 1}); utility(same.Policies[1]) != utility(density) {
		t.Errorf("%+v", same.Policies[1].Label)
	}

	v := &validate.Validation{Subject: s, Replications: 2, Seed: 1}
	found, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.Policies, func(r study.Row) bool { return r.Label == "density:power=2" })
	if i < 0 {
		t.Fatalf("%d policies, none of them ours", len(found.Policies))
	}
	if e := found.Policies[i].Validated.Efficiency.Mean; !(e > 0 && e <= 1) || found.Policies[i].Total.Get("utility") != utility(density) {
		t.Errorf("efficiency %g, %+v delivered, want %+v", e, found.Policies[i].Total.Get("utility"), utility(density))
	}

	dir := t.TempDir()
	path := filepath.Join(dir, "sweep.yaml")
	sweep := "scenario: |\n  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\nvary: {policies.density.power: [1, 2]}\npolicies: [easy, density]\nseeds: 2\nmetrics: [utility]\n"
	if err := os.WriteFile(path, []byte(sweep), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.ReadSweep(path, nil); err == nil || !strings.Contains(err.Error(), "density") {
		t.Errorf("an unknown policy: %v", err)
	}
	spec, err := plan.ReadSweep(path, specs)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept")
	results, err := runOn(context.Background(), p, plan.Engine{Dir: kept})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := results.Interval(plan.Case{Point: 1, Policy: 1}, "utility", ""), utility(density).Interval(); math.Abs(got.Mean-want.Mean) > 1e-9*want.Mean {
		t.Errorf("the sweep delivers %+v, the simulation %+v", got, want)
	}
	if _, err := plan.CollectSweep(context.Background(), kept, nil, false); err == nil {
		t.Error("a journal with a policy that is not known was read")
	}
	if again, err := plan.CollectSweep(context.Background(), kept, specs, false); err != nil || tableText(t, again) != tableText(t, results) {
		t.Errorf("read back: %v", err)
	}
}

// TestBudgetShapes: two applications on one processor of 1000 MIPS, by hand. Both
// mandatory lengths are done at 2000 s. By deadline, 600 s of B come next, of which
// the step at a half pays 50, then 400 s of A, which pay 500 sqrt(0.4). By budget
// rate A gets all of its length. With time sharing each has 300 s at 2600 s, too
// little for the step of B, and A then 400 s more.
func TestBudgetShapes(t *testing.T) {
	r := run(t, &Simulation{Seed: 1, Subject: fixture.Opened(t, `
sites: [{processors: 1, mips: 1000}]
applications:
  - {at: 0, mandatory: 1000000, optional: 1000000, deadline: 3000, reward: 1000, slope: 0.0005, budget: {concave: 0.5}}
  - {at: 500, mandatory: 1000000, optional: 1000000, deadline: 2100, reward: 1000, slope: 0.0002, budget: {steps: {at: [50%, 100%], pay: [25%, 75%]}}}
policies: [mf-edf, mf-hbf, mf-timeshare, hard-mo, hard-m]
simulation: {replications: 1}
`)})
	for i, want := range []float64{2050 + 500*math.Sqrt(0.4), 2500, 2000 + 500*math.Sqrt(0.7), 1500, 2000} {
		if got := float64(r.Policies[i].Total.Get("utility").Mean); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %g, want %g", r.Policies[i].Label, got, want)
		}
	}
}

// A policy knows its run: seed, replication, processors, and the date of time 0, which is the
// first submission that is used, 3600 + 10 s after the beginning of the log, in UTC.
func TestContext(t *testing.T) {
	var lock sync.Mutex
	var seen []policy.Context
	curious := policy.Spec{Name: "curious", Make: policy.InContext(func(_ policy.Settings, c policy.Context) simulate.Policy {
		lock.Lock()
		defer lock.Unlock()
		seen = append(seen, c)
		return &policy.Backfill{}
	})}
	dir := t.TempDir()
	header, log := "; UnixStartTime: 1000000000\n; TimeZone: 7200\n; MaxProcs: 4\n", ""
	for i := range 4 {
		log += fmt.Sprintf("%d %d 0 10 1 -1 -1 1 20 -1 1 %d 1 1 1 1 -1 -1\n", i+1, 3600+10*i, i+1)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dated, bare := write("dated.swf", header+log), write("bare.swf", "; MaxProcs: 4\n"+log)
	for _, c := range []struct {
		trace string
		want  float64
	}{{dated, 1000003610}, {bare, 0}, {"sp2-like", 0}} {
		text := "trace: {file: " + c.trace + ", jobs: last:3}\npolicies: [curious]\n"
		s, err := subject.Open(context.Background(), fixture.Parsed(t, text), 1, append(subject.Standard(), curious))
		if err != nil {
			t.Fatal(err)
		}
		seen = nil
		run(t, &Simulation{Subject: s, Replications: 2, Seed: 7})
		slices.SortFunc(seen, func(a, b policy.Context) int { return a.Replication - b.Replication })
		for i, got := range seen {
			if got.Offset != c.want || got.Seed != 7 || got.Replication != i || len(got.Processors) != 1 {
				t.Errorf("%s: %+v, want the offset %g", c.trace, got, c.want)
			}
		}
		if len(seen) == 0 {
			t.Errorf("%s: no policy was made", c.trace)
		}
	}
}

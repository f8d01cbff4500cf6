package study

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

	"revopt/simulate"
	"revopt/simulate/policy"
)

// withOwn returns the standard policies and two of our own: one orders EASY's
// queue by value density, scaled by an option, the other is EASY under a name of
// its own.
func withOwn() []policy.Spec {
	density := policy.Spec{
		Name: "density", Title: "Value density", Summary: "EASY backfilling by price per node-second", Options: []policy.Option{policy.NumberOption("power", "1")},
		Needs: policy.Needs{Alike: true},
		New: func(s policy.Settings) simulate.Policy {
			return &policy.Backfill{Key: func(j *simulate.Job, estimate float64) float64 {
				return -j.Value.Price / math.Pow(estimate*float64(j.Width), s.Number("power"))
			}}
		},
	}
	twin := policy.Spec{Name: "twin", Needs: policy.Needs{Alike: true}, New: func(policy.Settings) simulate.Policy { return &policy.Backfill{} }}
	return append(Standard(), density, twin)
}

// A policy that a caller hands in runs in comparisons, validations and sweeps,
// and may be named by scenarios and sweep files.
func TestOwnPolicy(t *testing.T) {
	specs := withOwn()
	text := smallTrace + "policies: [easy, {density: {power: 2}}, twin, libra]\nsimulation: {replications: 2}\n"
	if _, err := Open(context.Background(), parsed(t, text), 1, nil); err == nil || !strings.Contains(err.Error(), `unknown policy "density"`) {
		t.Errorf("an unknown policy: %v", err)
	}
	s, err := Open(context.Background(), parsed(t, text), 1, specs)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Policies()
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, &Simulation{Subject: s, Policies: list, Seed: 1})
	easy, density, twin := r.Policies[0], r.Policies[1], r.Policies[2]
	utility := func(row Row) Estimate { return row.Total.Get("utility") }
	if density.Label != "density:power=2" || utility(density) == utility(easy) || utility(twin) != utility(easy) {
		t.Errorf("%s delivers %+v, easy %+v, its twin %+v", density.Label, utility(density), utility(easy), utility(twin))
	}
	// A simulation of a subject that was opened with these policies knows them.
	if same := run(t, &Simulation{Subject: s, Seed: 1}); utility(same.Policies[1]) != utility(density) {
		t.Errorf("%+v", same.Policies[1].Label)
	}

	v := &Validation{Subject: s, Replications: 2, Seed: 1}
	found, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.Policies, func(r Row) bool { return r.Label == "density:power=2" })
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
	if _, err := ReadSweep(path, nil); err == nil || !strings.Contains(err.Error(), "density") {
		t.Errorf("an unknown policy: %v", err)
	}
	spec, err := ReadSweep(path, specs)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "kept")
	results, err := p.RunOn(context.Background(), Engine{Dir: kept})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := results.Interval(Case{Point: 1, Policy: 1}, "utility", ""), utility(density).Interval(); math.Abs(got.Mean-want.Mean) > 1e-9*want.Mean {
		t.Errorf("the sweep delivers %+v, the simulation %+v", got, want)
	}
	if _, err := CollectSweep(context.Background(), kept, nil, false); err == nil {
		t.Error("a journal with a policy that is not known was read")
	}
	if again, err := CollectSweep(context.Background(), kept, specs, false); err != nil || tableText(t, again) != tableText(t, results) {
		t.Errorf("read back: %v", err)
	}
}

// A sweep over a trace with customers finds admissions by customer. Where at one
// point all jobs belong to a customer and at another some to nobody, there are
// others in the table all the same. A point at which nothing is drawn is run once.
func TestSweepOfCustomers(t *testing.T) {
	file := traceOfGroups(t)
	text := "scenario: |\n  trace: {file: " + file + ", nodes: 16}\n  classes:\n    - {name: some, of: {share: 1}, price: {per_unit_hour: 1}, decay: 0.001, grace: 60, max_penalty: 0}\n" +
		"vary: {classes.some.of.share: [SHARES]}\npolicies: [easy, hol]\nadmissions: [all, analytic, {simulated: {replications: 2, step: 0.25}}, [0.5]]\nseeds: 2\nmetrics: [utility, jobs_submitted]\nclasses: true\n"
	for _, shares := range []string{"0.5, 1", "1, 0.5"} {
		p := plan(t, strings.Replace(text, "SHARES", shares, 1))
		r, err := p.RunOn(context.Background(), Engine{Dir: t.TempDir(), Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Names(), []string{"some", "others"}) {
			t.Errorf("customers %v", r.Names())
		}
		all := slices.Index(p.Plan.Vary[0].Values, 1)
		half := 1 - all
		submitted := func(point int, class string) []float64 { return r.Values(Case{Point: point}, "jobs_submitted", class) }
		if got := submitted(all, "others"); !slices.Equal(got, []float64{0}) || !slices.Equal(submitted(all, "some"), []float64{40}) {
			t.Errorf("%v jobs of others where there are none", got)
		}
		if a, b := submitted(half, "some"), submitted(half, "others"); a[0]+b[0] != 40 || b[0] == 0 {
			t.Errorf("%v jobs, %v of others", a, b)
		}
		for point := range 2 {
			for _, admission := range []int{1, 2} {
				if admit := r.Admit(Case{Point: point, Admission: admission}); len(admit) != 2 {
					t.Errorf("admission %v", admit)
				}
			}
		}
		if found := r.Found(); len(found) != 2*3 {
			t.Errorf("found %+v", found)
		}
	}
}

// TestBudgetShapes: two applications on one processor of 1000 MIPS, by hand. Both
// mandatory lengths are done at 2000 s. By deadline, 600 s of B come next, of which
// the step at a half pays 50, then 400 s of A, which pay 500 sqrt(0.4). By budget
// rate A gets all of its length. With time sharing each has 300 s at 2600 s, too
// little for the step of B, and A then 400 s more.
func TestBudgetShapes(t *testing.T) {
	r := run(t, &Simulation{Seed: 1, Subject: opened(t, `
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
	curious := policy.Spec{Name: "curious", Join: func(_ policy.Settings, c policy.Context) []simulate.Policy {
		lock.Lock()
		defer lock.Unlock()
		seen = append(seen, c)
		return []simulate.Policy{&policy.Backfill{}}
	}}
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
		s, err := Open(context.Background(), parsed(t, text), 1, append(Standard(), curious))
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

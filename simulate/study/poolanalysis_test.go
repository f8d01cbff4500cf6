package study

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate"
)

// twoPools returns a scenario of two pools whose classes alternate, and one of each pool
// alone: a server with its units.
func twoPools(rnd *rand.Rand, residual, dist string, more ...string) (whole string, alone []string) {
	list := []string{"cpu", "gpu"}
	var b strings.Builder
	parts := make([]strings.Builder, len(list))
	fmt.Fprintf(&b, "name: all\nserver: {residual: %s}\nsimulation: {horizon: 20d}\npools:\n", residual)
	units := []int{4 + 2*rnd.IntN(3), 2 + rnd.IntN(3)}
	for i, name := range list {
		fmt.Fprintf(&b, "  - {name: %s, units: %d, unit: %s}\n", name, units[i], name)
		fmt.Fprintf(&parts[i], "name: %s\nserver: {nodes: %d, residual: %s}\nsimulation: {horizon: 20d}\nclasses:\n",
			name, units[i], residual)
	}
	b.WriteString("classes:\n")
	for k := range 4 {
		i, width := k%2, 2-k%2
		mean := []float64{3600, 1800}[i]
		rate := (0.4 + 0.3*rnd.Float64()) * float64(units[i]) / float64(width) / mean
		class := fmt.Sprintf("rate: %.9g, length: {mean: %g, dist: %s}, width: %d, price: %.9g, decay: %.9g%s}\n",
			rate, mean, dist, width, 5+20*rnd.Float64(), 0.001+0.01*rnd.Float64(), strings.Join(more, ""))
		fmt.Fprintf(&b, "  - {name: c%d, pool: %s, %s", k, list[i], class)
		fmt.Fprintf(&parts[i], "  - {name: c%d, %s", k, class)
	}
	for i := range parts {
		alone = append(alone, parts[i].String())
	}
	return b.String(), alone
}

// alike reports whether two values have the same numbers, to 1e-12 of each, and the same
// words, except for names of pools.
func alike(x, y any) string {
	var walk func(path string, a, b reflect.Value) string
	walk = func(path string, a, b reflect.Value) string {
		switch a.Kind() {
		case reflect.Float64:
			u, v := a.Float(), b.Float()
			if u == v || math.IsNaN(u) && math.IsNaN(v) || math.Abs(u-v) <= 1e-12*math.Max(math.Abs(u), math.Abs(v)) {
				return ""
			}
			return fmt.Sprintf("%s: %v, alone %v", path, u, v)
		case reflect.Pointer, reflect.Interface:
			if a.IsNil() || b.IsNil() {
				if a.IsNil() != b.IsNil() {
					return path + ": one is nil"
				}
				return ""
			}
			return walk(path, a.Elem(), b.Elem())
		case reflect.Struct:
			for i := range a.NumField() {
				f := a.Type().Field(i)
				if f.Name == "Pool" || f.Type == reflect.TypeFor[model.System]() {
					continue
				}
				if bad := walk(path+"."+f.Name, a.Field(i), b.Field(i)); bad != "" {
					return bad
				}
			}
			return ""
		case reflect.Slice:
			if a.Len() != b.Len() {
				return fmt.Sprintf("%s: %d and %d", path, a.Len(), b.Len())
			}
			for i := range a.Len() {
				if bad := walk(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); bad != "" {
					return bad
				}
			}
			return ""
		}
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v, alone %v", path, a, b)
		}
		return ""
	}
	return walk("", reflect.ValueOf(x), reflect.ValueOf(y))
}

// modeled opens a scenario and returns its analysis.
func analyzed(t *testing.T, text string, overrides ...scenario.Override) *Analysis {
	t.Helper()
	a, err := Analyze(context.Background(), opened(t, text, overrides...), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Two pools are two scenarios: solve finds in each what it finds alone, with every
// option, and adds up the money.
func TestSolvePools(t *testing.T) {
	rnd := rand.New(rand.NewPCG(30, 1))
	for _, c := range []struct {
		residual, dist, more string
		o                    SolveOptions
	}{
		{"pooled", "lognormal, sd: 5000", "", SolveOptions{}},
		{"printed", "exponential", "", SolveOptions{Method: optimize.MethodCG}},
		{"multiserver", "exponential", ", slo: {within: 2h, level: 0.7}, max_penalty: 3", SolveOptions{Exact: true}},
		{"pooled", "exponential", "", SolveOptions{Control: ControlThreshold, Gap: 1e-4}},
		{"multiserver", "exponential", "", SolveOptions{Control: ControlState, Gap: 1e-3}},
		{"pooled", "exponential", ", demand: {curve: linear, elasticity: 1.5}", SolveOptions{Prices: true}},
	} {
		whole, alone := twoPools(rnd, c.residual, c.dist, c.more)
		a := analyzed(t, whole)
		all, err := Solve(context.Background(), a, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var earns, bound, stated, control, busy, units Number
		for i, text := range alone {
			part := analyzed(t, text)
			one, err := Solve(context.Background(), part, c.o)
			if err != nil {
				t.Fatal(err)
			}
			got := all.Pools[i]
			if bad := alike(got.Optimum, one.Optimum); bad != "" || got.Name != part.Name || got.Units != part.Units {
				t.Errorf("%+v: pool %s%s", c, got.Name, bad)
			}
			want := one.Prices.Capacity * Number(part.System.Parallel) / Number(part.Units)
			if alike(got.ShadowPrice, want) != "" {
				t.Errorf("%+v: a unit of %s for %v, alone %v", c, got.Name, got.ShadowPrice, want)
			}
			earns, bound = earns+one.RevenuePerSecond, bound+one.UpperBoundPerSecond
			busy, units = busy+one.Utilization*Number(part.Units), units+Number(part.Units)
			if one.Stated != nil {
				stated += *one.Stated
			}
			if one.Control != nil {
				control += one.Control.RevenuePerSecond
			}
		}
		sums := [][2]Number{
			{all.RevenuePerSecond, earns}, {all.UpperBoundPerSecond, bound}, {all.Utilization, busy / units},
		}
		if gap := max(0, bound-earns) / bound; all.Proven() {
			sums = append(sums, [2]Number{all.RelativeGap, gap})
		}
		if all.Stated != nil {
			sums = append(sums, [2]Number{*all.Stated, stated})
		}
		if all.Control != nil {
			sums = append(sums, [2]Number{all.Control.RevenuePerSecond, control})
		}
		for k, s := range sums {
			if math.Abs(float64(s[0]-s[1])) > 1e-12*math.Abs(float64(s[1]))+1e-15 {
				t.Errorf("%+v: sum %d is %v, want %v", c, k, s[0], s[1])
			}
		}
		order := each(all.Classes, func(_ int, c ClassSolution) string { return c.Name + " " + c.Pool })
		if !slices.Equal(order, []string{"c0 cpu", "c1 gpu", "c2 cpu", "c3 gpu"}) {
			t.Errorf("classes %v", order)
		}
	}
}

// The shadow price of a unit is what one more and one less earn, where that is smooth.
func TestShadowPriceOfPools(t *testing.T) {
	const file = `name: site
pools: [{name: cpu, units: 512, unit: core}, {name: gpu, units: 200, unit: gpu}]
load: 1.2
classes:
  - {name: a, pool: cpu, share: 0.4, length: {mean: 3600, dist: exponential}, width: 4, price: 20, decay: 0.01}
  - {name: b, pool: cpu, share: 0.3, length: {mean: 1800, dist: exponential}, width: 2, price: 5, decay: 0.001}
  - {name: g, pool: gpu, share: 0.3, length: {mean: 9000, dist: exponential}, price: 30, decay: 0.002}
`
	solved := func(overrides ...scenario.Override) *Answer {
		all, err := Solve(context.Background(), analyzed(t, file, overrides...), SolveOptions{Gap: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for i, p := range solved().Pools {
		path := "pools." + p.Name + ".units"
		more, less := solved(scenario.Set(path, float64(p.Units+1))), solved(scenario.Set(path, float64(p.Units-1)))
		want := (more.RevenuePerSecond - less.RevenuePerSecond) / 2
		if got := p.ShadowPrice; !(want > 0) || math.Abs(float64(got/want-1)) > 1e-3 {
			t.Errorf("%s: %v $/s, one more and one less say %v", p.Name, got, want)
		}
		if other := 1 - i; more.Pools[other].RevenuePerSecond != less.Pools[other].RevenuePerSecond {
			t.Errorf("units of %s change what another pool earns", p.Name)
		}
	}
}

// A curve and the waits of two pools are those of two scenarios.
func TestCurveAndWaitsOfPools(t *testing.T) {
	whole, alone := twoPools(rand.New(rand.NewPCG(30, 2)), "pooled", "exponential")
	curve := func(text string) *Curve {
		c, err := SolveCurve(context.Background(), "growth", []float64{0, 0.3, 0.6}, func(x float64) (*Analysis, error) {
			return analyzed(t, text, scenario.Set("growth", x)), nil
		}, SolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	waits := func(text string, o WaitOptions) *WaitAnswer {
		o.At, o.Quantiles, o.Length.Horizon, o.Replications = []float64{0, 600}, []float64{0.5, 0.9}, 1e6, 2
		w, err := Waits(context.Background(), analyzed(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	all := curve(whole)
	for i, text := range alone {
		one := curve(text)
		for k, p := range all.Points {
			if bad := alike(p.Pools[i].Solution, one.Points[k].Solution); bad != "" {
				t.Errorf("pool %d at %v%s", i, p.Value, bad)
			}
			if p.RevenuePerSecond != p.Pools[0].RevenuePerSecond+p.Pools[1].RevenuePerSecond {
				t.Errorf("%v $/s at %v", p.RevenuePerSecond, p.Value)
			}
		}
		for _, o := range []WaitOptions{{}, {Queue: QueueMultiserver}, {Simulate: true}} {
			o.Admission.Admit = []float64{1, 0.9, 0.2, 0.1}
			got := waits(whole, o)
			o.Admission.Admit = []float64{o.Admission.Admit[i], o.Admission.Admit[i+2]}
			if bad := alike(got.Pools[i].Classes, waits(text, o).Classes); bad != "" {
				t.Errorf("waits of pool %d, %+v%s", i, o, bad)
			}
		}
	}
}

// Admissions that the model knows are those of every pool, and on the same jobs two pools
// earn what two machines earn.
func TestAdmissionsOfPools(t *testing.T) {
	whole, alone := twoPools(rand.New(rand.NewPCG(30, 3)), "multiserver", "exponential")
	all := opened(t, whole)
	parts, err := all.Pools()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{scenario.AdmitAnalytic, ControlThreshold, ControlState} {
		admitted := func(s *Subject) Admission {
			got, err := Admit(context.Background(), s, Admission{Name: name}, nil, 1, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			return got.Admission
		}
		earns := func(s *Subject, a Admission) float64 {
			e := under(t, s.Workload, "hol", nil, nil, 1)
			e.Admission, e.Plain = a, true
			sample, err := e.Run(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			return sample.Total.Revenue
		}
		got := admitted(all)
		var sum float64
		for i, text := range alone {
			one := admitted(opened(t, text))
			for k := range 2 {
				if name == scenario.AdmitAnalytic && got.Admit[i+2*k] != one.Admit[k] {
					t.Errorf("%s: pool %d admits %v, alone %v", name, i, got.Admit, one.Admit)
				}
				if rule := got.thresholds(all.Names()); rule != nil {
					if bad := alike(rule[i+2*k], one.thresholds(make([]string, 2))[k]); strings.Contains(bad, "Waiting") {
						t.Errorf("%s: pool %d%s", name, i, bad)
					}
				}
			}
			sum += earns(parts[i], one)
		}
		if money := earns(all, got); math.Abs(money-sum) > 1e-9*sum || !(sum > 0) {
			t.Errorf("%s earns %v $, alone %v", name, money, sum)
		}
	}
}

// crossing is a trace of two customers, by group, in two partitions: jobs arrive every 90 s,
// a third of them for the smaller pool; both pools are busy.
func crossing(t *testing.T) *Subject {
	t.Helper()
	rnd := rand.New(rand.NewPCG(30, 4))
	var b strings.Builder
	for i := range 200 {
		partition, width := 1+i%3/2, 1+rnd.IntN(2)
		fmt.Fprintf(&b, "%d %d 0 %d %d -1 -1 %d 600 -1 1 1 %d 1 1 %d -1 -1\n",
			i+1, 90*i, 60+rnd.IntN(540), width, width, 1+rnd.IntN(2), partition)
	}
	path := filepath.Join(t.TempDir(), "crossing.swf")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return opened(t, `name: crossing
trace: {file: `+path+`}
pools:
  - {name: cpu, units: 4, unit: core, of: {partition: [1]}}
  - {name: gpu, units: 2, unit: gpu, of: {partition: [2]}}
  - {name: idle, units: 5, of: {partition: [3]}}
classes:
  - name: ana
    of: {group: [1]}
    price: {per_unit_hour: {cpu: 1, gpu: 9}}
    decay: 0.001
    slo: {within: 2m, level: 0.8}
  - {name: ben, of: {group: [2]}, price: 2, decay: 0.001, slo: {gpu: {within: 1m, level: 0.9}}}
`)
}

// On a trace the formulas are of classes that are fitted in each pool, at the rates that
// the jobs have over the whole trace.
func TestFittedPools(t *testing.T) {
	s := crossing(t)
	a, err := Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, err := Solve(context.Background(), a, SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	jobs, work := make([]float64, 2), make([]float64, 2)
	source, err := s.Workload.Jobs(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer source.(io.Closer).Close()
	for j := (simulate.Job{}); ; {
		if ok, err := source.Next(&j); err != nil || !ok {
			break
		}
		pool := s.Workload.Pools().Sections[j.Class].Pool
		jobs[pool]++
		work[pool] += j.Work * float64(j.Width)
	}
	const span = 199 * 90
	for i, p := range best.Pools {
		rate, _ := p.Rates()
		if want := jobs[i] / span; math.Abs(rate/want-1) > 1e-9 {
			t.Errorf("%s: %v jobs/s, want %v", p.Name, rate, want)
		}
		if want := work[i] / span / float64(p.Units); math.Abs(float64(p.Load)/want-1) > 1e-9 {
			t.Errorf("%s: load %v, want %v", p.Name, p.Load, want)
		}
	}
	if want := (work[0] + work[1]) / span / 11; len(best.Pools) != 2 || math.Abs(float64(best.Load)/want-1) > 1e-9 {
		t.Errorf("%d pools, load %v, want %v of all units", len(best.Pools), best.Load, want)
	}
	idle := func(w Warning) bool { return w.Kind == WarnIdlePool && slices.Equal(w.Names, []string{"idle"}) }
	inPool := func(w Warning) bool { return w.Kind == WarnPromise && w.Scope == "pool cpu" && w.Names[0] == "ana" }
	if !slices.ContainsFunc(best.Warnings, idle) || !slices.ContainsFunc(best.Warnings, inPool) {
		t.Errorf("warnings %v", best.Warnings)
	}
	_, err = Solve(context.Background(), a, SolveOptions{Exact: true})
	if err == nil || !strings.Contains(err.Error(), "ana") {
		t.Errorf("a promise about all pools, pool by pool: %v", err)
	}
}

// A promise without a pool is about all jobs of a customer, one with a pool about those in
// it; a search for an admission keeps both, and a journal has what it found.
func TestPromisesOfPools(t *testing.T) {
	s := crossing(t)
	type promise struct {
		name, pool string
		column     int   // after two customers and three pools
		in         []int // pools
	}
	var got []promise
	for _, p := range pledges(s.Workload) {
		in := each(p.admits, func(_, k int) int { return s.Workload.Pools().Sections[k].Pool })
		got = append(got, promise{p.Name, p.Pool, p.column, in})
	}
	want := []promise{{"ana", "", 0, []int{0, 1}}, {"ben", "gpu", 2 + 3 + 3, []int{1}}}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("promises %+v", got)
	}
	e := under(t, s.Workload, "fcfs", nil, nil, 1)
	e.Admission.Name = scenario.AdmitPromise
	effort := &scenario.SearchEffort{Replications: 3, Step: 0.2}
	found, err := (&Admissions{Subject: s, Seed: 1}).compute(context.Background(), e, effort, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	about := text.Each(found.Checks, func(c Check) string { return Section{Name: c.Name, Pool: c.Pool}.Label() })
	if !slices.Equal(about, []string{"ana", "ben in gpu"}) {
		t.Fatalf("checks %+v", found.Checks)
	}
	for _, c := range found.Checks {
		if c.Kept < c.Level {
			t.Errorf("%s: %v of the jobs are punctual, %v are promised", c.Name, c.Kept, c.Level)
		}
	}
	x := &Execution{Plan: &Plan{Rows: []PlanRow{{}}}, names: names(s.Workload.Customers())}
	again := (&point{subject: s}).promised(x.decode(0, found.numbers(x.names)))
	if !reflect.DeepEqual(again.Checks, found.Checks) || !slices.Equal(again.Admit, found.Admit) {
		t.Errorf("from the journal %+v, found %+v", again, found)
	}
}

package ask

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Two pools are two scenarios: solve finds in each what it finds alone, with every
// option, and adds up the money.
func TestSolvePools(t *testing.T) {
	rnd := rand.New(rand.NewPCG(30, 1))
	for _, c := range []struct {
		residual, dist, more string
		o                    solveOptions
	}{
		{"pooled", "lognormal, sd: 5000", "", solveOptions{}},
		{"printed", "exponential", "", solveOptions{Method: optimize.MethodCG}},
		{"multiserver", "exponential", ", slo: {within: 2h, level: 0.7}, max_penalty: 3", solveOptions{Exact: true}},
		{"pooled", "exponential", ", demand: {curve: linear, elasticity: 1.5}", solveOptions{Prices: true}},
	} {
		whole, alone := fixture.TwoPools(rnd, c.residual, c.dist, c.more)
		a := analyzed(t, whole)
		all, err := best(context.Background(), a, c.o)
		if err != nil {
			t.Fatal(err)
		}
		var earns, bound, stated, busy, units float64
		for i, text := range alone {
			part := analyzed(t, text)
			one, err := best(context.Background(), part, c.o)
			if err != nil {
				t.Fatal(err)
			}
			got := all.Pools[i]
			if bad := fixture.Alike(got.optimum, one.optimum); bad != "" || got.Units != part.Units {
				t.Errorf("%+v: pool %s%s", c, got.Name, bad)
			}
			want := one.Prices.Capacity * part.System.Parallel / float64(part.Units)
			if fixture.Alike(got.ShadowPrice, want) != "" {
				t.Errorf("%+v: a unit of %s for %v, alone %v", c, got.Name, got.ShadowPrice, want)
			}
			earns, bound = earns+one.RevenuePerSecond, bound+one.UpperBoundPerSecond
			busy, units = busy+one.Utilization*float64(part.Units), units+float64(part.Units)
			if one.Stated != nil {
				stated += *one.Stated
			}
		}
		sums := [][2]float64{
			{all.RevenuePerSecond, earns}, {all.UpperBoundPerSecond, bound}, {all.Utilization, busy / units},
		}
		if gap := max(0, bound-earns) / bound; all.Proven() {
			sums = append(sums, [2]float64{all.RelativeGap, gap})
		}
		if all.Stated != nil {
			sums = append(sums, [2]float64{*all.Stated, stated})
		}
		for k, s := range sums {
			if math.Abs(float64(s[0]-s[1])) > 1e-12*math.Abs(float64(s[1]))+1e-15 {
				t.Errorf("%+v: sum %d is %v, want %v", c, k, s[0], s[1])
			}
		}
		order := text.EachAt(all.Classes, func(_ int, c analytic.ClassSolution) string { return c.Name + " " + c.Pool })
		if !slices.Equal(order, []string{"c0 cpu", "c1 gpu", "c2 cpu", "c3 gpu"}) {
			t.Errorf("classes %v", order)
		}
	}
}

// The shadow price of a unit is what one more and one less earn, where that is smooth.
func TestShadowPriceOfPools(t *testing.T) {
	const file = `name: site
pools: [{name: cpu, units: 512, unit: core}, {name: gpu, units: 200, unit: gpu}]
server: {residual: pooled}
load: 1.2
classes:
  - {name: a, pool: cpu, share: 0.4, length: {mean: 3600, dist: exponential}, width: 4, price: 20, decay: 0.01}
  - {name: b, pool: cpu, share: 0.3, length: {mean: 1800, dist: exponential}, width: 2, price: 5, decay: 0.001}
  - {name: g, pool: gpu, share: 0.3, length: {mean: 9000, dist: exponential}, price: 30, decay: 0.002}
`
	solved := func(overrides ...scenario.Override) *solved {
		all, err := best(context.Background(), analyzed(t, file, overrides...), solveOptions{Gap: 1e-12})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for i, p := range solved().Pools {
		path := "pools." + p.Name + ".units"
		more, less := solved(scenario.Set(path, float64(p.Units+1))), solved(scenario.Set(path, float64(p.Units-1)))
		want := float64(more.RevenuePerSecond-less.RevenuePerSecond) / 2
		if got := p.ShadowPrice; !(want > 0) || math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: %v $/s, one more and one less say %v", p.Name, got, want)
		}
		if other := 1 - i; more.Pools[other].RevenuePerSecond != less.Pools[other].RevenuePerSecond {
			t.Errorf("units of %s change what another pool earns", p.Name)
		}
	}
}

// A curve and the waits of two pools are those of two scenarios.
func TestCurveAndWaitsOfPools(t *testing.T) {
	whole, alone := fixture.TwoPools(rand.New(rand.NewPCG(30, 2)), "pooled", "exponential")
	along := func(text string) *curve {
		c := &curve{Vary: "growth", gap: usualGap, at: func(x float64) (*analytic.Analysis, *subject.Subject, error) {
			return analyzed(t, text, scenario.Set("growth", x)), nil, nil
		}}
		if err := c.solve(context.Background(), []float64{0, 0.3, 0.6}); err != nil {
			t.Fatal(err)
		}
		return c
	}
	waits := func(text string, o waitOptions) *queueWaits {
		o.At, o.Quantiles, o.Length.Horizon, o.Replications = []float64{0, 600}, []float64{0.5, 0.9}, 1e6, 2
		w, err := waitsIn(context.Background(), analyzed(t, text), o)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	all := along(whole)
	for i, file := range alone {
		one := along(file)
		for k, p := range all.Points {
			if bad := fixture.Alike(p.Pools[i].Solution, one.Points[k].Solution); bad != "" {
				t.Errorf("pool %d at %v%s", i, p.Value, bad)
			}
			if p.RevenuePerSecond != p.Pools[0].RevenuePerSecond+p.Pools[1].RevenuePerSecond {
				t.Errorf("%v $/s at %v", p.RevenuePerSecond, p.Value)
			}
		}
		for _, o := range []waitOptions{{}, {Queue: model.Multiserver.String()}, {Simulate: true}} {
			o.Admission.Admit = []float64{1, 0.9, 0.2, 0.1}
			got := waits(whole, o)
			o.Admission.Admit = []float64{o.Admission.Admit[i], o.Admission.Admit[i+2]}
			one := text.Where(got.Classes, func(c classWait) bool { return c.Pool == all.Points[0].Pools[i].Name })
			if bad := fixture.Alike(one, waits(file, o).Classes); bad != "" {
				t.Errorf("waits of pool %d, %+v%s", i, o, bad)
			}
		}
	}
}

// On a trace the formulas are of classes that are fitted in each pool, at the rates that
// the jobs have over the whole trace.
func TestFittedPools(t *testing.T) {
	s := crossing(t)
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, err := best(context.Background(), a, solveOptions{})
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
	for i, p := range found.Pools {
		rate, _ := p.Rates()
		if want := jobs[i] / span; math.Abs(rate/want-1) > 1e-9 {
			t.Errorf("%s: %v jobs/s, want %v", p.Name, rate, want)
		}
		if want := work[i] / span / float64(p.Units); math.Abs(p.Load/want-1) > 1e-9 {
			t.Errorf("%s: load %v, want %v", p.Name, p.Load, want)
		}
	}
	if want := (work[0] + work[1]) / span / 11; len(found.Pools) != 2 || math.Abs(found.Load/want-1) > 1e-9 {
		t.Errorf("%d pools, load %v, want %v of all units", len(found.Pools), found.Load, want)
	}
	idle := func(w warn.Warning) bool { return w.Ignores("pool idle, to which no jobs come") }
	inPool := func(w warn.Warning) bool {
		return w.Ignores("slo") && w.Value("scope").Word == "pool cpu" && strings.HasPrefix(w.Value("classes").Word, "ana")
	}
	if !slices.ContainsFunc(found.Warnings, idle) || !slices.ContainsFunc(found.Warnings, inPool) {
		t.Errorf("warnings %v", found.Warnings)
	}
}

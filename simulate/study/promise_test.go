package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
)

// oneServer is a queue whose waits are known exactly.
const oneServer = `
name: one-server
server: {parallel: 1}
load: 0.8
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: urgent, share: 0.3, length: {mean: 100, sd: 100, dist: exponential}, price: 10, decay: 0.004, slo: {within: 200, level: 0.9}}
  - {name: usual, share: 0.3, length: {mean: 100, sd: 40, dist: gamma}, price: 6, decay: 0.002, slo: {within: 5m, level: 0.6}}
  - {name: batch, share: 0.4, length: {mean: 100, sd: 30}, price: 4, decay: 0.0001, slo: {within: 0, level: 0.05}}
`

// The shares of promises that are kept are those of the waits, inside intervals at
// 99.9 %.
func TestPromiseMatchesWaits(t *testing.T) {
	s := opened(t, oneServer)
	admit := []float64{1, 0.9, 0.8}
	r := run(t, &Simulation{Subject: s, Admissions: []Admission{{Name: "some", Admit: admit}}, Level: 0.999, Seed: 5})
	waits, err := model.NewWaits(s.Scenario.System(), admit, model.WaitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Policies[0].Customers {
		late, _, _, _ := waits.TailExcess(i, c.Promise.Within)
		if kept := c.Get("promise_kept_of_admitted").Interval(); !kept.Contains(1 - late) {
			t.Errorf("%s: %.4f ± %.4f are kept, by the waits %.4f", c.Name, kept.Mean, kept.HalfWidth, 1-late)
		}
	}
}

// The admission that keeps the promises does so on fresh random numbers, earns
// nearly what the exact optimum of the same queue does, and costs no more.
func TestAdmissionPromise(t *testing.T) {
	doc, err := parsed(t, oneServer).With(scenario.Set("classes.urgent.slo.within", 100), scenario.Set("classes.urgent.slo.level", 0.8))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := Solve(context.Background(), a, SolveOptions{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	e := under(t, s.Workload, "hol", nil, nil, 7)
	starts, grid, _, _, err := (&Admissions{Subject: s, Seed: 7}).promiseStarts(context.Background(), e.Policy)
	if err != nil {
		t.Fatal(err)
	}
	admit, checks, formula, err := Search{e, scenario.SearchEffort{Jobs: 2000, Replications: 4, Step: 1.0 / 32}, 1, nil}.promises(context.Background(), starts, grid, false)
	if short := (Keeping{Checks: checks}).Short(); err != nil || short != nil || formula || len(checks) != 3 {
		t.Fatalf("%v, %v, %v", formula, checks, err)
	}
	r := run(t, &Simulation{Subject: s, Admissions: []Admission{{Name: "found", Admit: admit}, {Name: "all"}}, Level: 0.999, Seed: 11})
	for _, c := range r.Policies[0].Customers {
		if kept := c.Get("promise_kept_of_admitted").Interval(); kept.Mean+kept.HalfWidth < c.Promise.Level {
			t.Errorf("%s: %.4f ± %.4f are kept of %g", c.Name, kept.Mean, kept.HalfWidth, c.Promise.Level)
		}
	}
	earns := r.Policies[0].Total.Get("revenue_per_second").Interval()
	if want := float64(exact.RevenuePerSecond); earns.Mean < 0.96*want || earns.Mean > 1.04*want {
		t.Errorf("the search earns %g ± %g, the exact optimum %g", earns.Mean, earns.HalfWidth, want)
	}
	cost := r.Differences[0].Total.Get("revenue_per_second").Interval()
	if want := float64(exact.Exact.PromiseCost); !(want > 0) || cost.Mean > want+0.04*float64(exact.RevenuePerSecond) {
		t.Errorf("the promises cost %g ± %g, by the exact optimum %g", cost.Mean, cost.HalfWidth, want)
	}
}

// rarely is a queue whose best admission that keeps the promise lets in almost none
// of the class that makes it.
const rarely = `
name: rarely
server: {parallel: 1}
simulation: {jobs: 4000, replications: 8}
classes:
  - {name: few, rate: 0.36, length: {mean: 1, dist: exponential}, price: 3.4, decay: 0.04, slo: {within: 1.7, level: 0.93}}
  - {name: many, rate: 0.5, length: {mean: 1, dist: exponential}, price: 4.4, decay: 0.06}
  - {name: rest, rate: 0.34, length: {mean: 1, dist: exponential}, price: 1, decay: 0.115}
`

// The admission that keeps promises earns what the exact optimum does where the
// formula is that of the queue, keeps them on fresh random numbers, and earns no less
// where a promise is weaker.
func TestPromiseRelaxed(t *testing.T) {
	for path, ladder := range map[string][]float64{"classes.few.slo.level": {0.97, 0.93, 0.8}, "classes.few.slo.within": {0.5, 1.7, 4}} {
		last := 0.0
		for _, x := range ladder {
			doc, err := parsed(t, rarely).With(scenario.Set(path, x))
			if err != nil {
				t.Fatal(err)
			}
			s, err := Open(context.Background(), doc, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Analyze(context.Background(), s, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			exact, err := Solve(context.Background(), a, SolveOptions{Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			row := run(t, &Simulation{Subject: s, Admissions: []Admission{{Name: scenario.AdmitPromise}}, Level: 0.999, Seed: 3}).Policies[0]
			earns, want := row.Total.Get("revenue_per_second").Interval(), float64(exact.RevenuePerSecond)
			if earns.Mean+earns.HalfWidth < want || !row.Admission.Formula || row.Admission.Short() != nil {
				t.Errorf("%s=%g: %g ± %g is earned, by the formula %g; %+v", path, x, earns.Mean, earns.HalfWidth, want, row.Admission)
			}
			if earns.Mean < last {
				t.Errorf("%s=%g: %g is earned, %g with a stricter promise", path, x, earns.Mean, last)
			}
			last = earns.Mean
			// The class is admitted as the optimum says, or refused, not in traces.
			few, q := row.Customers[0], row.Admission.Admit[0]
			if kept := few.Get("promise_kept_of_admitted").Interval(); q != float64(exact.Classes[0].Admit) || q > 0 && kept.Mean+kept.HalfWidth < few.Promise.Level {
				t.Errorf("%s=%g: %.4f ± %.4f are kept of %g at %v", path, x, kept.Mean, kept.HalfWidth, few.Promise.Level, row.Admission.Admit)
			}
		}
	}
}

// A strict promise on a server that is offered more than it can do is kept, by the
// formula and by search: little enough keeps any. In the M/M/1 queue with two
// priorities P(W > t) = rho exp(-mu (1 - rho_1) t) for the first, and the mean waits are
// rho/(mu (1 - rho_1)) and as much over 1 - rho.
func TestPromiseStrict(t *testing.T) {
	const mu, rate = 0.01, 0.006 // of a class
	kept := func(q []float64, within float64) float64 {
		return 1 - (q[0]+q[1])*rate/mu*math.Exp(-(mu-q[0]*rate)*within)
	}
	earns := func(q []float64) float64 {
		rho := (q[0] + q[1]) * rate / mu
		wait := rho / (mu - q[0]*rate)
		return q[0]*rate*(5-0.004*wait) + q[1]*rate*(4-0.001*wait/(1-rho))
	}
	for level, within := range map[float64]float64{0.97: 0, 0.9: 150} {
		var most float64
		const cells = 1000
		for i := 1; i <= cells; i++ {
			for j := range cells + 1 {
				if q := []float64{float64(i) / cells, float64(j) / cells}; (q[0]+q[1])*rate < mu && kept(q, within) >= level {
					most = math.Max(most, earns(q))
				}
			}
		}
		s := opened(t, fmt.Sprintf(`
name: strict
server: {parallel: 1}
load: 1.2
simulation: {jobs: 2000, replications: 4}
classes:
  - {name: high, share: 0.5, length: {mean: 100, dist: exponential}, price: 5, decay: 0.004, slo: {within: %g, level: %g}}
  - {name: low, share: 0.5, length: {mean: 100, dist: exponential}, price: 4, decay: 0.001}
`, within, level))
		e := under(t, s.Workload, "hol", nil, nil, 7)
		starts, grid, exact, _, err := (&Admissions{Subject: s, Seed: 7}).promiseStarts(context.Background(), e.Policy)
		if err != nil || !exact {
			t.Fatal(exact, err)
		}
		for _, exact := range []bool{true, false} {
			q, checks, formula, err := Search{e, scenario.SearchEffort{Jobs: 2000, Replications: 4}, 1, nil}.promises(context.Background(), starts, grid, exact)
			if short := (Keeping{Checks: checks}).Short(); err != nil || formula != exact || !exact && short != nil {
				t.Errorf("within %g, %v: %+v, %v", within, exact, checks, err)
				continue
			}
			// A search sees some 1000 jobs of a rare class.
			slack, least := 1e-6, 0.98
			if !exact {
				slack, least = 0.1*(1-level), 0.6
			}
			if got := kept(q, within); got < level-slack || earns(q) < least*most {
				t.Errorf("within %g, %v: %v keeps %.4f of %g and earns %g, at most %g", within, exact, q, got, level, earns(q), most)
			}
		}
	}
}

// pledged returns an evaluator of revenue and promises in closed form: a customer
// is punctual with a probability that falls with the load that it sees.
func pledged(price, weight []float64, level float64, promises int) (*evaluator, SearchSettings) {
	v := &evaluator{workers: 1}
	s := SearchSettings{Replications: 2, worth: 1e-5}.withDefaults()
	s.least = make([]float64, len(price))
	for k := range promises {
		v.promises = append(v.promises, pledge{Check: Check{Level: Number(level)}, admits: []int{k}, at: 1 + 2*k, level: level, aim: level})
		s.least[k] = 1.0 / 4096
	}
	v.run = func(_ context.Context, admit []float64, _ int) ([]float64, error) {
		var load float64
		numbers := []float64{0}
		for i, q := range admit {
			load += q * weight[i]
			numbers[0] += q * price[i]
		}
		for k := range promises {
			jobs := 1e9 * admit[k]
			numbers = append(numbers, jobs*math.Exp(-float64(k+1)*load*load), jobs)
		}
		return numbers, nil
	}
	s.Starts = [][]float64{slices.Repeat([]float64{1}, len(price))}
	return v, s
}

// Without noise the search comes near the best of a grid, and a weaker promise
// never earns less.
func TestKeepMatchesGrid(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 9))
	for trial := range 20 {
		price, weight := make([]float64, 3), make([]float64, 3)
		for i := range price {
			price[i], weight[i] = 1+9*rnd.Float64(), 0.2+rnd.Float64()
		}
		promises, last := 1+rnd.IntN(2), math.Inf(-1)
		for _, level := range []float64{0.95, 0.8, 0.6} {
			v, s := pledged(price, weight, level, promises)
			top, err := v.keep(context.Background(), s)
			if err != nil || v.room(top, surely) < 0 {
				t.Fatalf("%d, level %g: %v, %+v", trial, level, err, top)
			}
			const cells = 32
			var most float64
			for k := range (cells + 1) * (cells + 1) * (cells + 1) {
				q := []float64{float64(k%(cells+1)) / cells, float64(k/(cells+1)%(cells+1)) / cells, float64(k/(cells+1)/(cells+1)) / cells}
				numbers, _ := v.run(context.Background(), q, 0)
				kept := true
				for _, p := range v.promises {
					kept = kept && !p.void(q) && numbers[p.at] >= level*numbers[p.at+1]
				}
				if kept {
					most = math.Max(most, numbers[0])
				}
			}
			if top.means[0] < 0.98*most {
				t.Errorf("%d, level %g, %d promises: found %v for %g, the grid has %g", trial, level, promises, top.admit, top.means[0], most)
			}
			if top.means[0] < 0.995*last {
				t.Errorf("%d: level %g earns %g, a stricter promise %g", trial, level, top.means[0], last)
			}
			last = top.means[0]
		}
	}
}

// A promise that nobody can keep, whatever is admitted, is said to be one, with
// the share that can be.
func TestShortfall(t *testing.T) {
	v, s := pledged([]float64{1, 2}, []float64{1, 1}, 0.9, 1)
	run := v.run
	v.run = func(ctx context.Context, admit []float64, k int) ([]float64, error) {
		numbers, err := run(ctx, admit, k)
		numbers[1] *= 0.75 // a quarter is late even alone
		return numbers, err
	}
	top, err := v.keep(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	short := Keeping{Checks: v.checks(top)}.Short()
	if len(short) != 1 || math.Abs(float64(short[0].Kept)-0.75) > 0.01 {
		t.Fatalf("%+v", short)
	}
	var none *NoPromiseError
	sim := &Simulation{Subject: builtin(t, "nist-four"), Admissions: []Admission{{Name: scenario.AdmitPromise}}}
	if _, err := sim.Run(context.Background()); !errors.As(err, &none) {
		t.Errorf("a scenario without promises: %v", err)
	}
}

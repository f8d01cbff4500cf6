package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

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
		s := fixture.Opened(t, fmt.Sprintf(`
name: strict
server: {parallel: 1}
load: 1.2
simulation: {jobs: 2000, replications: 4}
classes:
  - {name: high, share: 0.5, length: {mean: 100, dist: exponential}, price: 5, decay: 0.004, slo: {within: %g, level: %g}}
  - {name: low, share: 0.5, length: {mean: 100, dist: exponential}, price: 4, decay: 0.001}
`, within, level))
		e := under(t, s.Workload, "hol", nil, nil, 7)
		from, err := (&Admissions{Subject: s, Seed: 7}).PromiseStarts(context.Background(), e.Policy)
		if err != nil || !from.Exact {
			t.Fatal(from.Exact, err)
		}
		for _, exact := range []bool{true, false} {
			from.Exact = exact
			search := Search{e, scenario.SearchEffort{Jobs: 2000, Replications: 4}, 1, nil}
			q, keeping, err := search.Promises(context.Background(), from)
			if short := (Keeping{Checks: keeping.Checks}).Short(); err != nil || keeping.Formula != exact || !exact && short != nil {
				t.Errorf("within %g, %v: %+v, %v", within, exact, keeping.Checks, err)
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
		v.promises = append(v.promises, pledge{Check: Check{Level: metric.Number(level)}, admits: []int{k}, at: 1 + 2*k, level: level, aim: level})
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
}

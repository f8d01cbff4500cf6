package solve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// machine is a cluster of 100 nodes under jobs of four nodes each.
const machine = `
server: {nodes: 100, residual: printed}
load: 0.84
simulation: {jobs: 4000, warmup: 10%, replications: 5}
classes:
  - {name: urgent, share: 0.3, length: {mean: 3600, sd: 1200}, width: 4, price: 100, decay: 0.05, grace: 60, max_penalty: 50, expire: never}
  - {name: patient, share: 0.7, length: {mean: 3600, sd: 1200}, width: 4, price: 20, decay: 0.001, max_penalty: 0}
`

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *experiment.Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Experiment{Workload: w, Policy: p, Admission: experiment.Admission{Admit: admit}, Seed: seed}
}

// run carries a simulation out.
func run(t testing.TB, s *simulation.Simulation) *study.Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// runOn runs the cells of a plan.
func runOn(ctx context.Context, x *plan.Execution, e plan.Engine) (*plan.Samples, error) {
	all, err := e.Results(ctx, x)
	if all == nil {
		return nil, err
	}
	return plan.NewSamples(x, all, ""), err
}

// beside is a row of a standard policy behind probabilities.
func beside(t testing.TB, name string, options policy.Settings, admit []float64) plan.Row {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Row{Policy: p, Admission: experiment.Admission{Admit: admit}}
}

// against is rows of a scenario against bounds, along an axis or at one point.
type against struct {
	scenario       *scenario.Document
	rows           []plan.Row
	vary           scenario.Axis
	seed           uint64
	replications   int
	jobs           int
	gap            float64
	wholeOrPartial bool
}

// open opens the plan.
func (a against) open() (*plan.Execution, error) {
	p := plan.New(a.scenario, nil, a.rows)
	p.Seed, p.Replications = a.seed, a.replications
	p.Bounds = &plan.Bounds{Jobs: a.jobs, Gap: a.gap, WholeOrPartial: a.wholeOrPartial}
	if a.vary.Values != nil {
		p.Vary = []scenario.Axis{a.vary}
	}
	return p.Open(context.Background(), nil)
}

// run returns the points in all replications that are finished.
func (a against) run(t testing.TB, workers int) []*plan.BoundedPoint {
	t.Helper()
	x, err := a.open()
	if err != nil {
		t.Fatal(err)
	}
	s, err := runOn(context.Background(), x, plan.Engine{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return pointsOf(s)
}

// pointsOf returns all points of samples against their bounds.
func pointsOf(s *plan.Samples) []*plan.BoundedPoint {
	var list []*plan.BoundedPoint
	least := s.Plan().Replications
	for point := range s.Plan().Points() {
		n, once := s.Replications(point)
		if !once {
			least = min(least, n)
		}
	}
	for point := range s.Plan().Points() {
		n, _ := s.Replications(point)
		if n = min(n, least); n == 0 {
			return nil
		}
		list = append(list, s.Bounded(point, n))
	}
	return list
}

// Replicate runs the given number of replications of an experiment on the given number
// of workers (0: one per processor). After an error, or when the context is canceled,
// it returns those before the first that did not finish.
func Replicate(ctx context.Context, e *experiment.Experiment, replications, workers int) (plan.Outcome, error) {
	samples, err := metric.Replicate(ctx, 0, replications, workers, func(ctx context.Context, k int) (experiment.Sample, error) {
		return e.Run(ctx, k)
	})
	return plan.NewOutcome(e, samples), err
}

// modeled opens a scenario and returns its analysis.
func analyzed(t *testing.T, text string, overrides ...scenario.Override) *analytic.Analysis {
	t.Helper()
	a, err := analytic.Analyze(context.Background(), fixture.Opened(t, text, overrides...), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// rentable is a class of jobs of exponential lengths, as the tests compute with it.
type rentable struct{ rate, length, width, price, decay, grace float64 }

// rentScenario returns the scenario of some classes on 20 units with rent.
func rentScenario(classes []rentable, r model.Rent, residual string) string {
	s := fmt.Sprintf("server: {nodes: 20, residual: %s}\nmachine: {rent: {price: %.17g, startup: %.17g, minimum: %.17g}}\nclasses:\n",
		residual, 3600*r.Price, r.Startup, r.Minimum)
	for i, c := range classes {
		s += fmt.Sprintf("  - {name: c%d, rate: %.17g, length: {dist: exponential, mean: %.17g}, width: %g, "+
			"price: %.17g, decay: %.17g, grace: %.17g}\n", i, c.rate, c.length, c.width, c.price, c.decay, c.grace)
	}
	return s
}

// outside returns what a refused job of the class earns on rented units.
func (c rentable) outside(r model.Rent) float64 {
	idle := math.Max(0, r.Minimum-r.Startup)
	paid := r.Startup + idle + c.length*math.Exp(-idle/c.length)
	return math.Max(0, c.price-c.decay*math.Max(0, r.Startup-c.grace)-r.Price*c.width*paid)
}

// earns returns the revenue of an admission to one fast server: the jobs that it serves, by
// urgency, and refused ones on rented units.
func earns(classes []rentable, r model.Rent, q []float64) float64 {
	var work, wide float64
	for _, c := range classes {
		work, wide = work+c.rate*c.length, wide+c.rate*c.length*c.width
	}
	n := 20 * work / wide // jobs at a time
	var residual float64
	for i, c := range classes {
		residual += q[i] * c.rate * c.length * c.length / (n * n) // E[X^2]/2 of exponential lengths
	}
	var sum float64
	for i, c := range classes {
		above, upTo := 1.0, 1-q[i]*c.rate*c.length/n
		for k, d := range classes {
			if u, v := d.decay/d.length, c.decay/c.length; u > v || u == v && k > i {
				above -= q[k] * d.rate * d.length / n
				upTo -= q[k] * d.rate * d.length / n
			}
		}
		if upTo <= 0 {
			return math.Inf(-1)
		}
		wait := residual / above / upTo
		sum += c.rate * (q[i]*(c.price-c.decay*math.Max(0, wait-c.grace)) + (1-q[i])*c.outside(r))
	}
	return sum
}

// brute returns the most that any admission earns, by grids around the best points of coarser ones.
func brute(classes []rentable, r model.Rent) float64 {
	type point struct {
		q []float64
		r float64
	}
	const steps = 20
	grid := func(center []float64, half float64) (list []point) {
		q := make([]float64, len(classes))
		var walk func(i int)
		walk = func(i int) {
			if i == len(q) {
				list = append(list, point{q: slices.Clone(q), r: earns(classes, r, q)})
				return
			}
			for k := range steps + 1 {
				q[i] = math.Min(1, math.Max(0, center[i]+half*(2*float64(k)/steps-1)))
				walk(i + 1)
			}
		}
		walk(0)
		slices.SortFunc(list, func(a, b point) int { return int(math.Copysign(1, b.r-a.r)) })
		return list
	}
	top := grid(slices.Repeat([]float64{0.5}, len(classes)), 0.5)[:8]
	for half := 0.1; half > 1e-6; half /= 3 {
		var next []point
		for _, p := range top {
			next = append(next, grid(p.q, half)[0])
		}
		top = next
	}
	return slices.MaxFunc(top, func(a, b point) int { return int(math.Copysign(1, a.r-b.r)) }).r
}

func length(kind model.Kind, mean, sd float64) model.Distribution {
	d, err := model.New(kind, mean, sd, 0)
	if err != nil {
		panic(err)
	}
	return d
}

package optimize

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	gopt "gonum.org/v1/gonum/optimize"

	"revopt/model"
)

// MethodExact is the best of several local searches on the exact revenue.
const MethodExact Method = "exact"

// ExactResult is an admission that maximizes the exact revenue under the
// promises that classes make.
type ExactResult struct {
	Result
	Error    float64   // $/s: of Revenue, by numerical inversion
	Earns    []float64 // $/s by class
	Kept     []float64 // P(W <= within) by class; NaN without a promise
	Free     float64   // $/s of the best admission found without promises
	Costs    []float64 // $/s by class: the gain if only its promise is dropped
	Refusing *Refusal  // nil unless refusing classes with promises earns more
	Prices   Prices    // shadow prices
}

// Refusal is the best admission found that refuses some classes with promises. No
// job of these classes is admitted, so their promises are void.
type Refusal struct {
	Admit   []float64
	Closed  []bool  // by class
	Revenue float64 // $/s
}

// Exact maximizes the revenue under the utility (2)-(4) with grace and floor,
// model.Exact, subject to P(W_s <= within) >= level for every class that
// promises so. For a refused class the wait is the one that a job would have:
// refusing the whole class does not keep its promise. If it earns more, Refusing
// says so.
//
// Exact climbs from the optima of the linear utility, from admitting all, and from
// Settings.Starts-1 further points (0 means one for each class left out). If there
// are many starts, it climbs from those that earn most. The climbs are quasi-Newton
// steps (BFGS) on the gradient of the inverted transforms, with a logarithmic barrier
// at the promises and at the edge of stability. The result is the best local optimum
// found, without a proof of optimality. Its UpperBound is valid: without floors the
// certified bound of the pooled queue with the loss of the mean wait, which by
// Jensen's inequality is never above the mean loss; with floors, and on several
// servers, the revenue if delay cost nothing. Both include the promises, see
// promiseBound.
//
// A promise with 0 < level < 1 can always be kept, by admitting little enough.
// Other levels are a [*PromiseError].
func Exact(ctx context.Context, sys model.System, settings Settings) (ExactResult, error) {
	x, err := newExact(ctx, sys)
	if err != nil {
		return ExactResult{}, err
	}
	bound, starts, err := x.starts(settings)
	if err != nil {
		return ExactResult{}, err
	}
	closed := make([]bool, x.n)
	free := x.best(starts, closed, false)
	if err := ctx.Err(); err != nil {
		return ExactResult{}, err
	}
	r := ExactResult{Costs: make([]float64, x.n)}
	kept := free
	if x.breaks(free.q) {
		starts = append([][]float64{free.q}, starts...)
		kept = x.best(starts, closed, true)
		r.Refusing = x.refusing(free, kept)
		x.costs(r.Costs, starts, free, kept)
		knows, err := x.promiseBound(settings)
		if err != nil {
			return ExactResult{}, err
		}
		bound = math.Min(bound, knows)
	}
	if err := ctx.Err(); err != nil {
		return ExactResult{}, err
	}
	r.Result = Result{Method: MethodExact, Admit: kept.q, UpperBound: bound, Solves: x.solves}
	x.report(&r, kept, free)
	if err := ctx.Err(); err != nil {
		return ExactResult{}, err
	}
	r.Result.close(settings)
	return r, nil
}

// PromiseError is a promise that no admission keeps, or that every admission keeps.
type PromiseError struct {
	Class  string
	Within float64 // s
	Level  float64 // a probability outside (0, 1), or of a negative wait
}

func (e *PromiseError) Error() string {
	return fmt.Sprintf("optimize: class %s promises a wait of at most %g with probability %g, "+
		"which is not above 0 and below 1", e.Class, e.Within, e.Level)
}

// promise is the promise of one class.
type promise struct {
	class         int
	within, level float64
}

// optimum is a local optimum.
type optimum struct {
	q       []float64
	r       float64
	weights []float64 // multipliers: of each promise, then of stability
}

func newExact(ctx context.Context, sys model.System) (*exact, error) {
	e, err := model.NewExact(sys)
	if err != nil {
		return nil, err
	}
	x := &exact{box: newBox(ctx, sys), e: e, sys: sys, n: e.Len()}
	x.kept = make([]float64, x.n)
	for i, c := range sys.Classes {
		if c.SLO == nil {
			continue
		}
		if !(c.SLO.Level > 0 && c.SLO.Level < 1) || !(c.SLO.Within >= 0) {
			return nil, &PromiseError{c.Name, c.SLO.Within, c.SLO.Level}
		}
		if c.Rate > 0 {
			x.promises = append(x.promises, promise{i, c.SLO.Within, c.SLO.Level})
		}
	}
	return x, nil
}

// limit sets the box: a class is admitted with at most twice the probability at
// which it alone keeps the promises. Strict promises leave so little of the unit box
// that a climb would not find it.
func (x *exact) limit() {
	alone := make([]float64, x.n)
	for i := range x.most {
		x.most[i] = 1
		for half := 0.5; x.bind && x.ctx.Err() == nil; half /= 2 {
			alone[i] = half
			if x.e.Utilization(alone) <= 1-margin && !x.breaks(alone) {
				break
			}
			x.most[i] = half
		}
		alone[i] = 0
	}
	x.rescale(x.sys)
}

// starts returns an upper bound of the exact revenue and admissions to climb
// from: linear optima first.
func (x *exact) starts(settings Settings) (bound float64, starts [][]float64, err error) {
	if settings.Start != nil {
		starts = append(starts, settings.Start)
	}
	pooled := x.sys
	pooled.Residual = model.Pooled
	hol, err := model.NewHOL(pooled)
	if err != nil {
		return 0, nil, err
	}
	p, err := newProblem(hol)
	if err != nil {
		return 0, nil, err
	}
	bound = p.gross * p.money
	limited := settings
	limited.MaxNodes, limited.Start = min(settings.maxNodes(), 400), nil
	linear, err := Certified(x.ctx, pooled, limited)
	if err != nil {
		return 0, nil, err
	}
	starts = append(starts, linear.Admit)
	if !x.floors() && x.sys.Residual != model.Multiserver {
		bound = math.Min(bound, linear.UpperBound)
	}
	if x.sys.Residual != model.Pooled { // of its own convention
		var stated Result
		if x.sys.Residual == model.Multiserver {
			stated, err = Solve(x.ctx, x.sys, Settings{})
		} else {
			stated, err = Certified(x.ctx, x.sys, limited)
		}
		if err != nil {
			return 0, nil, err
		}
		starts = append(starts, stated.Admit)
	}
	count := cmp.Or(max(settings.Starts, 0), 1+x.n)
	rnd := rand.New(rand.NewPCG(settings.Seed, 0xe8ac7))
	for k := range count {
		if err := x.ctx.Err(); err != nil {
			return 0, nil, err
		}
		q := slices.Repeat([]float64{1}, x.n) // all, then all but one, then any
		for i := range q {
			if k > x.n {
				q[i] = rnd.Float64()
			} else if i == k-1 {
				q[i] = 0
			}
		}
		starts = append(starts, q)
	}
	return bound, starts, nil
}

// floors reports whether the loss of some class is bounded.
func (x *exact) floors() bool {
	return slices.ContainsFunc(x.sys.Classes, func(c model.Class) bool { return c.MeanDecay() > 0 && !c.Floor.None })
}

// best climbs a little from all starts, and to the end from the best of the results.
// Closed classes are not admitted.
func (x *exact) best(starts [][]float64, closed []bool, bind bool) optimum {
	x.closed, x.bind = closed, bind
	x.limit()
	var rough []optimum
	for _, start := range x.promising(starts) {
		if x.ctx.Err() != nil {
			break
		}
		rough = append(rough, x.climb(start, false))
	}
	sort.SliceStable(rough, func(i, j int) bool { return rough[i].r > rough[j].r })
	const finalists = 3
	// If no climb succeeds, nothing is admitted.
	top := optimum{q: make([]float64, x.n), r: math.Inf(-1), weights: make([]float64, len(x.promises)+1)}
	for i, f := range rough {
		if i >= finalists || x.ctx.Err() != nil || i > 0 && same(f.q, rough[i-1].q) {
			continue
		}
		if g := x.climb(f.q, true); g.r > top.r {
			top = g
		}
	}
	if math.IsInf(top.r, -1) && x.ctx.Err() == nil { // little enough keeps the strictest promise
		copy(top.q, starts[0])
		x.inside(top.q)
		top.r = x.value(top.q)
	}
	return top
}

// promising returns the starts to climb from: all if they are few, else those that
// earn most. A climb costs as much as dozens of evaluations, each of them quadratic
// in the number of classes, and there are as many starts as classes.
func (x *exact) promising(starts [][]float64) [][]float64 {
	const most = 8
	if len(starts) <= most {
		return starts
	}
	earns := make(map[*float64]float64, len(starts))
	for _, start := range starts {
		if x.ctx.Err() != nil {
			break
		}
		copy(x.q, start)
		x.inside(x.q)
		earns[&start[0]] = x.value(x.q)
	}
	starts = slices.Clone(starts)
	slices.SortStableFunc(starts, func(a, b []float64) int { return cmp.Compare(earns[&b[0]], earns[&a[0]]) })
	return starts[:most]
}

// same reports whether two admissions are close.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return !(math.Abs(x-y) > 0.02) })
}

// exact climbs on the exact revenue of one system, in a box whose most are the
// probabilities beyond which a class alone breaks promises. The gradient is that of
// the barrier function by admitted rates.
type exact struct {
	box
	e        *model.Exact
	sys      model.System
	n        int
	promises []promise
	solves   int

	closed []bool // classes not to admit
	bind   bool   // the promises count
	mu     float64
	kept   []float64
}

// breaks reports whether an admission breaks a promise of a class that is not
// closed.
func (x *exact) breaks(q []float64) bool {
	return slices.ContainsFunc(x.promises, func(p promise) bool {
		return !x.closed[p.class] && x.e.Kept(x.kept, q, p.class, p.within) < p.level
	})
}

// climb returns the local optimum above start, roughly or to the end.
func (x *exact) climb(start []float64, whole bool) optimum {
	x.solves++
	for i, q := range start {
		// Off the edges, where the derivative of (1+sin x)/2 vanishes.
		x.q[i] = x.most[i] * math.Min(0.999, math.Max(0.001, q/x.most[i]))
	}
	x.inside(x.q)
	x.variables()
	steps := 12
	if whole {
		steps = 150
	}
	best := optimum{q: make([]float64, x.n)}
	for _, mu := range x.barrier(whole) {
		x.mu = mu
		x.ascend(steps)
		if x.ctx.Err() != nil {
			return best
		}
		if mu != sharpest {
			// At the last weight slacks are as small as the error of quick
			// tails, and say nothing about multipliers.
			x.admission(best.q, x.x)
			best.weights = x.weights(best.q)
		}
	}
	if whole {
		x.release(steps)
	}
	x.admission(best.q, x.x)
	x.snap(best.q)
	best.r = x.value(best.q)
	return best
}

// inside scales an admission down until the barrier is finite. That ends,
// because an empty queue is stable and keeps every promise.
func (x *exact) inside(q []float64) {
	for i := range q {
		if x.closed[i] {
			q[i] = 0
		}
	}
	for x.ctx.Err() == nil && x.slack(q) <= 0 {
		for i := range q {
			q[i] *= 0.8
		}
	}
}

// slack returns the distance of an admission from the nearest constraint, less some
// room to start from.
func (x *exact) slack(q []float64) float64 {
	least := 0.95 - x.e.Utilization(q)
	for _, p := range x.promises {
		if least > 0 && x.counts(p) {
			least = math.Min(least, x.e.Kept(x.kept, q, p.class, p.within)-p.level-0.02*(1-p.level))
		}
	}
	return least
}

// variables sets the variables of the search from the admission in x.q.
func (x *exact) variables() {
	for i, q := range x.q {
		x.x[i] = x.variable(i, q)
	}
}

// admission sets q from the variables of the search.
func (x *exact) admission(q, at []float64) {
	x.admit(q, at)
	for i := range q {
		if x.closed[i] || x.load[i] == 0 {
			q[i] = 0
		}
	}
}

// evaluate sets the gradient at x.loc.X and returns the objective to minimize:
// the negative barrier function as a share of the offered revenue.
func (x *exact) evaluate() float64 {
	x.admission(x.q, x.loc.X)
	f := x.lagrangian(x.q)
	if math.IsInf(f, -1) || math.IsNaN(f) {
		return math.Inf(1)
	}
	for i, v := range x.loc.X {
		x.loc.Gradient[i] = -x.grad[i] * x.sys.Classes[i].Rate * x.most[i] * math.Cos(v) / 2 / x.scale
		if x.closed[i] {
			x.loc.Gradient[i] = 0
		}
	}
	return -f / x.scale
}

// value returns the revenue of an admission, -Inf where it breaks a
// constraint.
func (x *exact) value(q []float64) float64 {
	f := math.Inf(-1)
	if x.e.Utilization(q) <= 1-margin && !(x.bind && x.breaks(q)) {
		f = x.e.Gradient(x.grad, q)
	}
	return f
}

// ascend runs a descent of at most so many steps. Quick tails are good to 1e-8.
func (x *exact) ascend(steps int) {
	search := gopt.LinesearchMethod{NextDirectioner: &gopt.BFGS{}, Linesearcher: &gopt.Bisection{CurvatureFactor: 0.5}}
	x.descend(&search, descent{steps: steps, calls: 4 * steps, slope: 1e-7, decrease: 1e-9, patience: 2}, x.evaluate)
}

// release climbs again where a class sits at an edge of the box, at which the
// derivative by x vanishes, but would earn more off it.
func (x *exact) release(steps int) {
	for range 3 {
		x.admission(x.q, x.x)
		if math.IsInf(x.lagrangian(x.q), -1) {
			return
		}
		moved := false
		for i, c := range x.sys.Classes {
			share, gain := x.q[i]/x.most[i], x.grad[i]*c.Rate*x.most[i]/x.scale
			switch {
			case x.closed[i] || c.Rate == 0:
			case share < 1e-3 && gain > 1e-6:
				x.x[i], moved = math.Asin(2*0.02-1), true
			case share > 1-1e-3 && gain < -1e-6:
				x.x[i], moved = math.Asin(2*0.98-1), true
			}
		}
		if !moved {
			return
		}
		x.admission(x.q, x.x)
		x.inside(x.q)
		x.variables()
		x.ascend(steps)
	}
}

// snap rounds probabilities near 0 or 1 if the admission keeps the constraints and
// earns as much.
func (x *exact) snap(q []float64) {
	r := x.value(q)
	for i, old := range q {
		share := old / x.most[i]
		if share > 1e-3 && share < 1-1e-3 || x.closed[i] || x.ctx.Err() != nil {
			continue
		}
		q[i] = math.Round(share) * x.most[i]
		if moved := x.value(q); moved >= r-1e-9*x.scale {
			r = moved
		} else {
			q[i] = old
		}
	}
}

// sharpest is the last weight of the barrier.
const sharpest = 1e-8

// barrier returns the weights of the barrier to climb with, in turn.
func (x *exact) barrier(whole bool) []float64 {
	switch {
	case !(x.bind && len(x.promises) > 0) && x.total < 0.9:
		return []float64{0}
	case whole:
		return []float64{1e-2, 1e-4, 1e-6, sharpest}
	default:
		return []float64{1e-2}
	}
}

// lagrangian returns the barrier function, revenue + mu sum log slack, -Inf
// outside, and sets x.grad to its derivatives by admitted rates, which are those of
// the Lagrangian: the weight mu/slack of a constraint tends to its multiplier.
func (x *exact) lagrangian(q []float64) float64 {
	if x.e.Utilization(q) > 1-margin {
		return math.Inf(-1)
	}
	f := x.e.Gradient(x.grad, q)
	if x.mu == 0 {
		return f
	}
	mu := x.mu * x.scale
	room := 1 - margin - x.e.Utilization(q)
	if room <= 0 {
		return math.Inf(-1)
	}
	f += mu * math.Log(room)
	x.addRoom(mu / room)
	for _, p := range x.promises {
		if !x.counts(p) {
			continue
		}
		slack := x.e.Kept(x.kept, q, p.class, p.within) - p.level
		if slack <= 0 {
			return math.Inf(-1)
		}
		f += mu * math.Log(slack)
		floats.AddScaled(x.grad, mu/slack, x.kept)
	}
	return f
}

func (x *exact) counts(p promise) bool { return x.bind && !x.closed[p.class] }

// addRoom adds the derivatives of the room left on the server.
func (x *exact) addRoom(weight float64) {
	for i, c := range x.sys.Classes {
		x.grad[i] -= weight * c.Length.Mean() / x.sys.Parallel
	}
}

// weights returns the multipliers of the promises and of stability at an
// optimum of the barrier function.
func (x *exact) weights(q []float64) []float64 {
	w := make([]float64, len(x.promises)+1)
	mu := x.mu * x.scale
	if mu == 0 {
		return w
	}
	for k, p := range x.promises {
		if x.counts(p) {
			w[k] = mu / (x.e.Kept(x.kept, q, p.class, p.within) - p.level)
		}
	}
	w[len(x.promises)] = mu / (1 - margin - x.e.Utilization(q))
	return w
}

// report sets the fields that follow from an optimum.
func (x *exact) report(r *ExactResult, kept, free optimum) {
	x.idle(r.Admit, kept)
	r.Revenue, r.Error = x.e.Revenue(r.Admit)
	r.Earns = x.e.ClassRevenue(make([]float64, x.n), r.Admit)
	r.StabilityBinds = x.e.Utilization(r.Admit) > 1-1e-6
	r.Kept = make([]float64, x.n)
	for i, c := range x.sys.Classes {
		r.Kept[i] = math.NaN()
		if c.SLO != nil && x.ctx.Err() == nil {
			r.Kept[i] = x.e.Kept(x.kept, r.Admit, i, c.SLO.Within)
		}
	}
	// The same search finds the optimum without promises, and may miss a better
	// admission that the search with promises has found.
	r.Free = r.Revenue
	if &free.q[0] != &kept.q[0] {
		alone, _ := x.e.Revenue(free.q)
		r.Free = math.Max(r.Revenue, alone)
	}
	r.Prices = x.prices(r.Admit, kept)
}

// idle admits classes without arrivals if a first job would pay more than it costs.
func (x *exact) idle(q []float64, at optimum) {
	x.marginal(q, at.weights)
	for i, c := range x.sys.Classes {
		if c.Rate == 0 && x.grad[i] > 0 {
			q[i] = 1
		}
	}
}

// marginal returns the Lagrangian at an optimum, up to a constant, and sets
// x.grad to its derivatives by admitted rates.
func (x *exact) marginal(q, weights []float64) float64 {
	f := x.e.Gradient(x.grad, q)
	last := len(x.promises)
	x.addRoom(weights[last])
	f -= weights[last] * x.e.Utilization(q)
	for k, p := range x.promises {
		if weights[k] > 0 {
			f += weights[k] * x.e.Kept(x.kept, q, p.class, p.within)
			floats.AddScaled(x.grad, weights[k], x.kept)
		}
	}
	return f
}

// prices returns the shadow prices: the derivatives of the Lagrangian, by the
// rate of a class that is admitted in full and by the capacity.
func (x *exact) prices(q []float64, at optimum) Prices {
	p := Prices{Demand: make([]float64, x.n)}
	x.marginal(q, at.weights)
	for i, c := range x.sys.Classes {
		if c.Rate == 0 || q[i] > 1-free {
			p.Demand[i] = math.Max(0, x.grad[i])
		}
	}
	// The transform has no simple derivative by n.
	before, n := x.e, x.sys.Parallel
	value := func(parallel float64) float64 {
		sys := x.sys
		sys.Parallel = parallel
		e, err := model.NewExact(sys)
		if err != nil {
			panic("optimize: " + err.Error())
		}
		x.e = e
		return x.marginal(q, at.weights)
	}
	// The queue must stay stable with less capacity.
	step := n * math.Min(1e-4, (1-before.Utilization(q))/10)
	p.Capacity = math.Max(0, (value(n+step)-value(n-step))/(2*step))
	p.Last = p.Capacity
	x.e = before
	return p
}

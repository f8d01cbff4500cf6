package optimize

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	gopt "gonum.org/v1/gonum/optimize"

	"revopt/model"
)

// MethodExact is the best of several local searches on the exact revenue.
const MethodExact Method = "exact"

// ExactResult is an admission that maximizes the exact revenue.
type ExactResult struct {
	Result
	Earns  []float64 // $/s by class
	Prices Prices    // shadow prices
}

// Exact maximizes the revenue under the utility (2)-(4) with grace and floor, model.Exact.
//
// Exact climbs from the optima of the linear utility, from admitting all, and from
// Settings.Starts-1 further points (0 means one for each class left out). If there
// are many starts, it climbs from those that earn most. The climbs are quasi-Newton
// steps (BFGS) on the gradient of the inverted transforms, with a logarithmic barrier
// at the edge of stability. The result is the best local optimum
// found, without a proof of optimality. Its UpperBound is valid: without floors the
// certified bound of the pooled queue with the loss of the mean wait, which by
// Jensen's inequality is never above the mean loss; with floors, and on several
// servers, the revenue if delay cost nothing.
func Exact(ctx context.Context, sys model.System, settings Settings) (ExactResult, error) {
	e, err := model.NewExact(sys)
	if err != nil {
		return ExactResult{}, err
	}
	x := &exact{box: newBox(ctx, sys), e: e, sys: sys, n: e.Len()}
	bound, starts, err := x.starts(settings)
	if err != nil {
		return ExactResult{}, err
	}
	best := x.best(starts)
	if err := ctx.Err(); err != nil {
		return ExactResult{}, err
	}
	r := ExactResult{Result: Result{Method: MethodExact, Admit: best.q, UpperBound: bound}}
	x.report(&r, best)
	r.Result.close(settings)
	return r, nil
}

// optimum is a local optimum.
type optimum struct {
	q      []float64
	r      float64
	weight float64 // multiplier of stability
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
func (x *exact) best(starts [][]float64) optimum {
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
	top := optimum{q: make([]float64, x.n), r: math.Inf(-1)}
	for i, f := range rough {
		if i >= finalists || x.ctx.Err() != nil || i > 0 && same(f.q, rough[i-1].q) {
			continue
		}
		if g := x.climb(f.q, true); g.r > top.r {
			top = g
		}
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

// exact climbs on the exact revenue of one system. The gradient is that of the barrier
// function by admitted rates.
type exact struct {
	box
	e   *model.Exact
	sys model.System
	n   int
	mu  float64
}

// climb returns the local optimum above start, roughly or to the end.
func (x *exact) climb(start []float64, whole bool) optimum {
	for i, q := range start {
		// Off the edges, where the derivative of (1+sin x)/2 vanishes.
		x.q[i] = math.Min(0.999, math.Max(0.001, q))
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
			// At the last weight the room is as small as the error of quick
			// tails, and says nothing about the multiplier.
			x.admission(best.q, x.x)
			best.weight = x.weight(best.q)
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

// inside scales an admission down until the barrier is finite.
func (x *exact) inside(q []float64) {
	for x.ctx.Err() == nil && x.e.Utilization(q) >= 0.95 {
		for i := range q {
			q[i] *= 0.8
		}
	}
}

// variables sets the variables of the search from the admission in x.q.
func (x *exact) variables() {
	for i, q := range x.q {
		x.x[i] = variable(q)
	}
}

// admission sets q from the variables of the search.
func (x *exact) admission(q, at []float64) {
	admit(q, at)
	for i, load := range x.load {
		if load == 0 {
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
		x.loc.Gradient[i] = -x.grad[i] * x.sys.Classes[i].Rate * math.Cos(v) / 2 / x.scale
	}
	return -f / x.scale
}

// value returns the revenue of an admission, -Inf where the queue is not stable.
func (x *exact) value(q []float64) float64 {
	if x.e.Utilization(q) > 1-margin {
		return math.Inf(-1)
	}
	return x.e.Gradient(x.grad, q)
}

// ascend runs a descent of at most so many steps. Quick tails are good to 1e-8.
func (x *exact) ascend(steps int) {
	search := gopt.LinesearchMethod{NextDirectioner: &gopt.BFGS{}, Linesearcher: &gopt.Bisection{CurvatureFactor: 0.5}}
	x.descend(&search, descent{steps: steps, calls: 4 * steps, slope: 1e-7, decrease: 1e-9, patience: 2}, x.evaluate)
}

// release climbs again where a probability is 0 or 1, where the
// derivative by x vanishes, but would earn more off it.
func (x *exact) release(steps int) {
	for range 3 {
		x.admission(x.q, x.x)
		if math.IsInf(x.lagrangian(x.q), -1) {
			return
		}
		moved := false
		for i, c := range x.sys.Classes {
			share, gain := x.q[i], x.grad[i]*c.Rate/x.scale
			switch {
			case c.Rate == 0:
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

// snap rounds probabilities near 0 or 1 if the queue stays stable and the admission earns
// as much.
func (x *exact) snap(q []float64) {
	r := x.value(q)
	for i, old := range q {
		if old > 1e-3 && old < 1-1e-3 || x.ctx.Err() != nil {
			continue
		}
		q[i] = math.Round(old)
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
	case x.total < 0.9:
		return []float64{0}
	case whole:
		return []float64{1e-2, 1e-4, 1e-6, sharpest}
	default:
		return []float64{1e-2}
	}
}

// lagrangian returns the barrier function, revenue + mu log room, -Inf
// outside, and sets x.grad to its derivatives by admitted rates, which are those of
// the Lagrangian: the weight mu/room of stability tends to its multiplier.
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
	x.addRoom(mu / room)
	return f + mu*math.Log(room)
}

// addRoom adds the derivatives of the room left on the server.
func (x *exact) addRoom(weight float64) {
	for i, c := range x.sys.Classes {
		x.grad[i] -= weight * c.Length.Mean() / x.sys.Parallel
	}
}

// weight returns the multiplier of stability at an optimum of the barrier function.
func (x *exact) weight(q []float64) float64 {
	if x.mu == 0 {
		return 0
	}
	return x.mu * x.scale / (1 - margin - x.e.Utilization(q))
}

// report sets the fields that follow from an optimum.
func (x *exact) report(r *ExactResult, best optimum) {
	x.idle(best)
	r.Revenue, _ = x.e.Revenue(best.q)
	r.Earns = x.e.ClassRevenue(make([]float64, x.n), best.q)
	r.StabilityBinds = x.e.Utilization(best.q) > 1-1e-6
	r.Prices = x.prices(best)
}

// idle admits classes without arrivals if a first job would pay more than it costs.
func (x *exact) idle(at optimum) {
	x.marginal(at)
	for i, c := range x.sys.Classes {
		if c.Rate == 0 && x.grad[i] > 0 {
			at.q[i] = 1
		}
	}
}

// marginal returns the Lagrangian at an optimum, up to a constant, and sets
// x.grad to its derivatives by admitted rates.
func (x *exact) marginal(at optimum) float64 {
	f := x.e.Gradient(x.grad, at.q)
	x.addRoom(at.weight)
	return f - at.weight*x.e.Utilization(at.q)
}

// prices returns the shadow prices: the derivatives of the Lagrangian, by the
// rate of a class that is admitted in full and by the capacity.
func (x *exact) prices(at optimum) Prices {
	p := Prices{Demand: make([]float64, x.n)}
	x.marginal(at)
	for i, c := range x.sys.Classes {
		if c.Rate == 0 || at.q[i] > 1-free {
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
		return x.marginal(at)
	}
	// The queue must stay stable with less capacity.
	step := n * math.Min(1e-4, (1-before.Utilization(at.q))/10)
	p.Capacity = math.Max(0, (value(n+step)-value(n-step))/(2*step))
	p.Last = p.Capacity
	x.e = before
	return p
}

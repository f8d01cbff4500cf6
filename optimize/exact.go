package optimize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"revopt/model"
)

// MethodExact is the best of several local searches on the exact revenue.
const MethodExact Method = "exact"

// ExactResult is an admission that maximises the exact revenue under the
// promises that classes make.
type ExactResult struct {
	Result
	Error    float64   // $/s: of Revenue, by numerical inversion
	Earns    []float64 // $/s by class
	Kept     []float64 // P(W <= within) by class; NaN without a promise
	Free     float64   // $/s: what the best admission found without promises earns
	Prices   Prices    // shadow prices
	Promises bool      // some class makes one
}

// Exact maximises the revenue under the utility (2)-(4) with grace and floor,
// model.Exact, subject to P(W_s <= within) >= level for every class that
// promises so and is admitted at all: a class of which nothing is admitted
// keeps any promise. Waits are those of the pooled queue, whatever the system's
// convention for T0.
//
// It climbs from the optima of the linear utility, from admitting all, and
// from Settings.Starts-1 further points (0 means one for each class left out),
// by quasi-Newton steps (BFGS) on the gradient of the inverted transforms, with
// a logarithmic barrier at the promises and at the edge of stability. The
// result is the best local optimum found and proves nothing of itself. Its
// UpperBound is valid: without floors the certified bound of the pooled queue
// with the loss of the mean wait, which by Jensen's inequality is never above
// the mean loss; with floors what could be earned if delay cost nothing.
//
// A promise with 0 < level < 1 can always be kept, by admitting little enough.
// Other levels are an error.
func Exact(sys model.System, settings Settings) (ExactResult, error) {
	x, err := newExact(sys)
	if err != nil {
		return ExactResult{}, err
	}
	bound, starts, err := x.starts(settings)
	if err != nil {
		return ExactResult{}, err
	}
	closed := make([]bool, x.n)
	free := x.best(starts, closed, false)
	kept := free
	if x.breaks(free.q) {
		kept = x.promised(append([][]float64{free.q}, starts...))
	}
	r := ExactResult{
		Result:   Result{Method: MethodExact, Admit: kept.q, UpperBound: bound, Solves: x.solves},
		Promises: len(x.promises) > 0,
	}
	x.report(&r, kept, free)
	r.Result.close(settings)
	return r, nil
}

// close fills in what follows from the revenue and the bound.
func (r *Result) close(settings Settings) {
	r.UpperBound = math.Max(r.UpperBound, r.Revenue)
	if r.UpperBound > r.Revenue {
		r.Gap = (r.UpperBound - r.Revenue) / r.UpperBound
	}
	r.Certified = r.Gap <= settings.gap()
}

// promise is that of one class.
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

func newExact(sys model.System) (*exact, error) {
	e, err := model.NewExact(sys)
	if err != nil {
		return nil, err
	}
	x := &exact{e: e, sys: sys, n: e.Len()}
	for i, c := range sys.Classes {
		x.load = append(x.load, c.Rate*c.Length.Mean()/sys.Parallel)
		x.scale += c.Rate * c.MeanPrice()
		if c.SLO == nil {
			continue
		}
		if !(c.SLO.Level > 0 && c.SLO.Level < 1) || !(c.SLO.Within >= 0) {
			return nil, fmt.Errorf("optimize: class %s promises a wait of at most %g with probability %g, which is not above 0 and below 1", c.Name, c.SLO.Within, c.SLO.Level)
		}
		if c.Rate > 0 {
			x.promises = append(x.promises, promise{i, c.SLO.Within, c.SLO.Level})
		}
	}
	if x.scale == 0 {
		x.scale = 1
	}
	x.prepare()
	return x, nil
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
	p := newProblem(hol)
	bound = p.gross * p.money
	limited := settings
	limited.MaxNodes, limited.Start = min(settings.maxNodes(), 400), nil
	linear, err := Certified(pooled, limited)
	if err != nil {
		return 0, nil, err
	}
	starts = append(starts, linear.Admit)
	if !x.floors() {
		bound = math.Min(bound, linear.UpperBound)
	}
	if x.sys.Residual == model.Printed {
		printed, err := Certified(x.sys, limited)
		if err != nil {
			return 0, nil, err
		}
		starts = append(starts, printed.Admit)
	}
	count := 1 + x.n
	if settings.Starts > 0 {
		count = settings.Starts
	}
	rnd := rand.New(rand.NewPCG(settings.Seed, 0xe8ac7))
	for k := range count {
		q := make([]float64, x.n)
		for i := range q {
			switch {
			case k <= x.n:
				q[i] = 1 // all, then all but one
			default:
				q[i] = rnd.Float64()
			}
		}
		if k > 0 && k <= x.n {
			q[k-1] = 0
		}
		starts = append(starts, q)
	}
	return bound, starts, nil
}

// floors reports whether the loss of some class is bounded.
func (x *exact) floors() bool {
	for _, c := range x.sys.Classes {
		if c.MeanDecay() > 0 && !c.Floor.None {
			return true
		}
	}
	return false
}

// best climbs from all starts a little, and from the best of what that gives
// to the end. Classes that are closed are not admitted.
func (x *exact) best(starts [][]float64, closed []bool, bind bool) optimum {
	x.closed, x.bind = closed, bind
	var found []optimum
	for _, start := range starts {
		found = append(found, x.climb(start, false))
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].r > found[j].r })
	const finalists = 3
	top := optimum{r: math.Inf(-1)}
	for i, f := range found {
		if i >= finalists || i > 0 && same(f.q, found[i-1].q) {
			continue
		}
		if g := x.climb(f.q, true); g.r > top.r {
			top = g
		}
	}
	return top
}

// same reports whether two admissions are close.
func same(a, b []float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 0.02 {
			return false
		}
	}
	return true
}

// promised returns the best admission that keeps the promises: with all
// classes open, and with classes closed whose promise is then void.
func (x *exact) promised(starts [][]float64) optimum {
	const most = 4 // of promises whose every combination is tried
	m := len(x.promises)
	var sets []int
	for set := range 1 << min(m, most) {
		sets = append(sets, set)
	}
	for k := most; k < m; k++ {
		sets = append(sets, 1<<k)
	}
	top := optimum{r: math.Inf(-1)}
	for i, set := range sets {
		closed := make([]bool, x.n)
		for k, p := range x.promises {
			closed[p.class] = set&(1<<k) != 0
		}
		from := starts
		if i > 0 {
			// The first is the optimum without promises; top the best so far.
			from = [][]float64{starts[0], top.q}
		}
		if found := x.best(from, closed, true); found.r > top.r {
			top = found
		}
	}
	return top
}

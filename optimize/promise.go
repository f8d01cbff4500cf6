package optimize

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"revopt/internal/text"
	"revopt/model"
)

// costs sets the cost of each promise: the best revenue found without it, less the best
// revenue found with all promises.
func (x *exact) costs(dst []float64, starts [][]float64, free, kept optimum) {
	all := x.promises
	defer func() { x.promises = all }()
	for k, p := range all {
		if x.ctx.Err() != nil {
			return
		}
		without := free
		if len(all) > 1 {
			x.promises = slices.Delete(slices.Clone(all), k, k+1)
			without = x.best([][]float64{kept.q, starts[0]}, make([]bool, x.n), true)
		}
		if cost := without.r - kept.r; cost > 1e-8*x.scale { // less is the error of a climb
			dst[p.class] = cost
		}
	}
}

// refusing returns the best admission found that closes classes with promises, or nil
// if none earns more than keeping all promises. It tries every combination of the first
// few promises.
func (x *exact) refusing(free, kept optimum) *Refusal {
	const most = 4
	m := len(x.promises)
	var sets []int
	for set := 1; set < 1<<min(m, most); set++ {
		sets = append(sets, set)
	}
	for k := most; k < m; k++ {
		sets = append(sets, 1<<k)
	}
	var top *Refusal
	best := kept.r + 1e-6*math.Abs(kept.r)
	for _, set := range sets {
		closed := make([]bool, x.n)
		for k, p := range x.promises {
			closed[p.class] = set&(1<<k) != 0
		}
		if x.ctx.Err() != nil {
			break
		}
		if o := x.best([][]float64{free.q, kept.q}, closed, true); o.r > best {
			top, best = &Refusal{o.q, closed, o.r}, o.r
		}
	}
	x.closed = make([]bool, x.n)
	return top
}

// promiseBound returns an upper bound of the revenue of the admissions that keep the
// promises, or +Inf.
//
// A promise P(W_s > t) <= 1 - level bounds a linear function of the admitted rates
// from above, since a job waits at least until the job in service ends. In the
// pooled queue a residual exceeds t with probability
//
//	sum_j lambda_j E[(X_j - n t)^+]/n <= 1 - level,
//
// and on several servers, for jobs of one length distribution, all servers are busy and
// the first is free after more than t with probability C(n, n rho) P(R > t), which
// bounds rho. The linear program that maximizes the gross revenue under these bounds and
// rho <= 1 has multipliers mu. The multipliers of the promises are prices of admitting
// jobs. By weak duality, for any mu >= 0, the largest revenue at prices less these, by
// the program or by the certificate of the linear utility, plus mu times the right-hand
// sides, is a bound.
func (x *exact) promiseBound(settings Settings) (float64, error) {
	rows, allowed := [][]float64{x.perRate(meanLength)}, []float64{1}
	for _, p := range x.promises {
		row, most := x.necessary(p)
		rows, allowed = append(rows, row), append(allowed, most)
	}
	price := text.Each(x.sys.Classes, model.Class.MeanPrice)
	mu := promisePrices(x.sys.Classes, price, rows, allowed)
	if mu == nil {
		return math.Inf(1), nil
	}
	gross, fixed := mu[0], 0.0
	less := x.sys
	less.Residual, less.Classes = model.Pooled, slices.Clone(x.sys.Classes)
	for k := 1; k < len(mu); k++ {
		fixed += mu[k] * allowed[k]
	}
	for j := range less.Classes {
		c := &less.Classes[j]
		net := price[j]
		for k := 1; k < len(mu); k++ {
			net -= mu[k] * rows[k][j]
		}
		gross += c.Rate * math.Max(0, net-mu[0]*rows[0][j])
		c.Decay, c.DecayOfPrice = c.MeanDecay(), 0
		c.Grace, c.Deadline = model.Grace{Fixed: c.MeanGrace()}, model.Grace{} // net of what is lost without a wait
		c.Price = model.Tariff{Fixed: math.Max(0, net)}
	}
	bound := (gross + fixed) * (1 + 1e-12)
	if x.floors() || x.sys.Residual == model.Multiserver {
		return bound, nil
	}
	limited := settings
	limited.MaxNodes, limited.Start = min(settings.maxNodes(), 400), nil
	r, err := Certified(x.ctx, less, limited)
	if err != nil {
		return 0, err
	}
	return math.Min(bound, r.UpperBound+fixed), nil
}

// perRate returns a function of each class, divided by the number of parallel jobs.
func (x *exact) perRate(f func(model.Class) float64) []float64 {
	return text.Each(x.sys.Classes, func(c model.Class) float64 { return f(c) / x.sys.Parallel })
}

// necessary returns weights of the admitted rates, and the bound on the weighted sum
// that follows from a promise.
func (x *exact) necessary(p promise) (row []float64, most float64) {
	n := x.sys.Parallel
	if x.sys.Residual != model.Multiserver || n <= 1 {
		return x.perRate(func(c model.Class) float64 { return c.Length.Excess(n * p.within) }), 1 - p.level
	}
	row = x.perRate(meanLength)
	least, ok := x.e.FirstDelay(p.within)
	if !ok {
		return row, 1
	}
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; model.ErlangC(n, n*mid)*least <= 1-p.level {
			low = mid
		} else {
			high = mid
		}
	}
	return row, high
}

// promisePrices returns the multipliers of the constraints of
//
//	max sum_j price_j lambda_j,  sum_j rows_kj lambda_j <= allowed_k,  0 <= lambda_j <= rate_j,
//
// from its dual, or nil if the simplex method fails.
func promisePrices(classes []model.Class, price []float64, rows [][]float64, allowed []float64) []float64 {
	n, m := len(classes), len(rows)
	cost, a := make([]float64, m+2*n), mat.NewDense(n, m+2*n, nil)
	copy(cost, allowed)
	for j, c := range classes {
		cost[m+j] = c.Rate
		for k, row := range rows {
			a.Set(j, k, row[j])
		}
		a.Set(j, m+j, 1)
		a.Set(j, m+n+j, -1)
	}
	_, mu, err := lp.Simplex(cost, a, price, 1e-10, nil)
	if err != nil {
		return nil
	}
	for k, y := range mu[:m] {
		mu[k] = math.Max(0, y)
	}
	return mu[:m]
}

func meanLength(c model.Class) float64 { return c.Length.Mean() }

package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	gopt "gonum.org/v1/gonum/optimize"

	"revopt/internal/text"
	"revopt/model"
)

// ConjugateGradient returns the best of several local optima, by gonum's conjugate
// gradients (Marbukh & Mills solve (21) and (28) by this method). It proves nothing:
// Result.UpperBound is +Inf.
//
// The substitution q = (1 + sin x)/2 removes the box 0 <= q <= 1. The kinks of max(0, .)
// are smoothed and a logarithmic barrier keeps the queue stable, both ever more tightly.
// A refiner removes the errors that these leave.
//
// The starts are Settings.Start or admit all, an even share, all but one class,
// one class only, and random points.
func ConjugateGradient(ctx context.Context, sys model.System, settings Settings) (Result, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return Result{}, err
	}
	if err := inRange(sys); err != nil {
		return Result{}, err
	}
	l := newLocal(ctx, hol)
	optima := l.best(settings.starts(), settings)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r := Result{Method: MethodCG, Admit: optima[0], UpperBound: math.Inf(1)}
	admitIdle(hol, r.Admit)
	r.finish(hol, settings)
	return r, nil
}

// local runs conjugate gradients on one system, again and again without
// building its parts anew.
type local struct {
	box
	hol     *model.HOL
	kinks   bool // a class has a grace
	cg      gopt.CG
	search  gopt.LinesearchMethod
	refiner *refiner
	other   []float64

	width, barrier float64 // of the smoothing and the stability constraint
}

func newLocal(ctx context.Context, hol *model.HOL) *local {
	sys := hol.System()
	l := &local{box: newBox(ctx, sys), hol: hol, refiner: newRefiner(ctx, hol), other: make([]float64, hol.Len())}
	for _, c := range sys.Classes {
		l.kinks = l.kinks || c.MeanDecay() > 0 && c.MeanGrace() > 0
	}
	l.cg = gopt.CG{
		Variant: &gopt.HestenesStiefel{}, InitialStep: &gopt.FirstOrderStepSize{},
		IterationRestartFactor: 6, AngleRestartThreshold: -0.9,
	}
	l.search = gopt.LinesearchMethod{NextDirectioner: &l.cg, Linesearcher: &gopt.Bisection{CurvatureFactor: 0.2}}
	return l
}

// best returns the local optima of the given number of starts, the one that
// earns most first. The first is no worse than Settings.Start.
func (l *local) best(starts int, settings Settings) [][]float64 {
	rnd := rand.New(rand.NewPCG(settings.Seed, 0x5eed))
	optima := make([]optimum, 0, min(starts, 1000)+1)
	if given := settings.Start; given != nil {
		q := append([]float64(nil), given...)
		optima = append(optima, optimum{q: q, r: l.hol.Revenue(q)})
	}
	start := make([]float64, l.hol.Len())
	for k := range starts {
		if l.ctx.Err() != nil {
			break
		}
		if k == 0 && settings.Start != nil {
			copy(start, settings.Start)
		} else {
			l.start(start, k, rnd)
		}
		q := make([]float64, len(start))
		optima = append(optima, optimum{q: q, r: l.solve(q, start)})
	}
	sort.SliceStable(optima, func(i, j int) bool { return optima[i].r > optima[j].r })
	return text.Each(optima, func(o optimum) []float64 { return o.q })
}

// start sets the k-th start: admit all, half of all, all but one class, one
// class only, and random points after that.
func (l *local) start(q []float64, k int, rnd *rand.Rand) {
	n := len(q)
	for i := range q {
		switch {
		case k == 1:
			q[i] = 0.5
		case k >= 2+2*n:
			q[i] = rnd.Float64()
		case i == k-2, k >= 2+n && i != k-2-n:
			q[i] = 0
		default:
			q[i] = 1
		}
	}
}

// solve climbs from start, sets q to the local optimum and returns its
// revenue.
func (l *local) solve(q, start []float64) float64 {
	load := 0.0
	for i, s := range start {
		load += s * l.load[i]
	}
	room := 1.0
	if load > 0.95 {
		room = 0.95 / load
	}
	least := math.Min(0.001, 0.04/l.total) // of all classes together a stable load
	for i, s := range start {
		// Off the edges, where the derivative of (1+sin x)/2 vanishes.
		l.x[i] = variable(math.Min(0.999, math.Max(least, s*room)))
	}
	l.tighten(1e-1, 1e-3, 1e-6)
	admit(q, l.x)
	r := l.refiner.climb(q)
	if l.release(q) {
		l.tighten(1e-6)
		admit(l.other, l.x)
		if again := l.refiner.climb(l.other); again > r {
			copy(q, l.other)
		}
	}
	return snap(l.hol, q)
}

// tighten descends from l.x with the smoothing and the barrier at each of the
// given widths in turn.
func (l *local) tighten(widths ...float64) {
	if !l.kinks {
		// Without a grace there is no kink, and the loss itself keeps the queue
		// stable if every class decays.
		widths = widths[len(widths)-1:]
	}
	for _, w := range widths {
		l.width, l.barrier = w, 0
		if l.total >= 0.9 {
			l.barrier = 0.1 * w * l.scale
		}
		l.descend(&l.search, descent{steps: 2000, calls: 2000, slope: 1e-9, decrease: 1e-13, patience: 3}, l.evaluate)
	}
}

// release sets l.x to q, moves the classes that would earn more off their bounds, and
// reports whether there are any. At a bound the derivative of (1+sin x)/2 vanishes, so
// that descend cannot leave it.
func (l *local) release(q []float64) bool {
	l.hol.Gradient(l.grad, q)
	moved := false
	for i, x := range q {
		if x < 1e-3 && l.grad[i] > 0 || x > 1-1e-3 && l.grad[i] < 0 {
			x = math.Min(0.95, math.Max(0.05, x))
			moved = true
		}
		l.x[i] = variable(math.Min(0.999999, math.Max(0.000001, x)))
	}
	return moved
}

// evaluate sets the gradient at l.loc.X and returns the objective: the
// negative smoothed revenue as a share of the offered, plus the barrier.
func (l *local) evaluate() float64 {
	admit(l.q, l.loc.X)
	f := l.hol.SmoothGradient(l.grad, l.q, l.width)
	room := 1.0
	if l.barrier > 0 {
		room = 1 - margin
		for i, q := range l.q {
			room -= q * l.load[i]
		}
		if room <= 0 {
			return math.Inf(1)
		}
		f += l.barrier * math.Log(room)
	}
	for i, x := range l.loc.X {
		g := l.grad[i]
		if l.barrier > 0 {
			g -= l.barrier * l.load[i] / room
		}
		l.loc.Gradient[i] = -g * math.Cos(x) / 2 / l.scale
	}
	return -f / l.scale
}

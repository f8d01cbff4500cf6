package optimize

import (
	"cmp"
	"context"
	"math"

	gopt "gonum.org/v1/gonum/optimize"

	"revopt/internal/text"
	"revopt/model"
)

// box is the part of a local search over admissions 0 <= q <= 1 that does not
// depend on the utility. The substitution q = (1 + sin x)/2 removes the box.
type box struct {
	ctx   context.Context // once it has ended, loops stop and leave the rest undone
	load  []float64       // utilization by class, if all of it is admitted
	total float64         // sum of load
	scale float64         // revenue of admitting all without delay

	q, grad []float64 // admission at loc.X, and the gradient there
	x       []float64 // the variables after a descent
	loc     gopt.Location
}

func newBox(ctx context.Context, sys model.System) box {
	b := box{ctx: ctx, load: loads(sys)}
	n := len(b.load)
	for _, v := range []*[]float64{&b.q, &b.grad, &b.x, &b.loc.X, &b.loc.Gradient} {
		*v = make([]float64, n)
	}
	for i, load := range b.load {
		b.total += load
		b.scale += sys.Classes[i].Rate * sys.Classes[i].MeanPrice()
	}
	b.scale = cmp.Or(b.scale, 1)
	return b
}

// loads returns the utilization by class if all of it is admitted.
func loads(sys model.System) []float64 {
	return text.Each(sys.Classes, func(c model.Class) float64 { return c.Rate * c.Length.Mean() / sys.Parallel })
}

// variable returns x of a probability.
func variable(q float64) float64 { return math.Asin(2*q - 1) }

// admit sets the probabilities at some variables.
func admit(q, at []float64) {
	for i, x := range at {
		q[i] = (1 + math.Sin(x)) / 2
	}
}

// descent says when to stop.
type descent struct {
	steps, calls int     // at most
	slope        float64 // of the objective
	decrease     float64 // relative, of the objective in a step
	patience     int     // steps of less than decrease
}

// descend minimizes from b.x and leaves the minimum there. The function evaluate
// sets the gradient at b.loc.X and returns the objective. Driving gonum's line
// search by hand costs no goroutines and no allocation.
func (b *box) descend(search *gopt.LinesearchMethod, d descent, evaluate func() float64) {
	copy(b.loc.X, b.x)
	b.loc.F = evaluate()
	if math.IsInf(b.loc.F, 1) {
		return
	}
	op, err := search.Init(&b.loc)
	last, steps, stalled := b.loc.F, 0, 0
	for calls := 0; err == nil && b.ctx.Err() == nil && steps < d.steps && calls < d.calls; calls++ {
		if op == gopt.MajorIteration {
			steps++
			copy(b.x, b.loc.X)
			var norm float64
			for _, g := range b.loc.Gradient {
				norm = math.Max(norm, math.Abs(g))
			}
			stalled++
			if last-b.loc.F > d.decrease*math.Abs(last) {
				stalled = 0
			}
			last = b.loc.F
			if norm < d.slope || stalled == d.patience {
				return
			}
		} else {
			b.loc.F = evaluate()
		}
		op, err = search.Iterate(&b.loc)
	}
}

package optimize

import (
	"context"
	"math"
	"sort"

	"revopt/internal/text"
	"revopt/model"
)

// refiner sharpens an admission by a sequence of linear programs in a trust
// region: maximize the linearized revenue over steps of at most delta in each
// probability, under the box and the stability constraint. Each program is a
// fractional knapsack, solved by sorting. A step that earns more is taken; otherwise
// delta shrinks. Unlike descent after a change of variables it ends exactly on bounds
// and on the edge of stability.
type refiner struct {
	ctx   context.Context
	hol   *model.HOL
	load  []float64 // utilization by class, if all of it is admitted
	grad  []float64
	trial []float64
	order []int
}

func newRefiner(ctx context.Context, hol *model.HOL) *refiner {
	n := hol.Len()
	return &refiner{
		ctx: ctx, hol: hol, load: loads(hol.System()),
		grad: make([]float64, n), trial: make([]float64, n), order: text.Numbers(n),
	}
}

// climb improves q in place and returns its revenue.
func (r *refiner) climb(q []float64) float64 {
	value := r.hol.Revenue(q)
	delta := 0.1
	for range 200 {
		if delta < 1e-12 || r.ctx.Err() != nil || math.IsInf(value, 0) {
			break
		}
		r.hol.Gradient(r.grad, q)
		r.step(q, delta)
		if next := r.hol.Revenue(r.trial); next > value {
			copy(q, r.trial)
			value = next
			delta = math.Min(0.1, 1.5*delta)
		} else {
			delta /= 3
		}
	}
	return value
}

// step sets r.trial to the best step from q in the trust region: all classes go down as
// far as allowed, then the free capacity goes to the classes with the largest gradient
// per load.
func (r *refiner) step(q []float64, delta float64) {
	room := 1 - margin
	for i, x := range q {
		r.trial[i] = math.Max(0, x-delta)
		room -= r.trial[i] * r.load[i]
	}
	sort.Slice(r.order, func(a, b int) bool {
		i, j := r.order[a], r.order[b]
		return r.grad[i]*r.load[j] > r.grad[j]*r.load[i]
	})
	for _, i := range r.order {
		if !(r.grad[i] > 0) || r.load[i] == 0 {
			continue
		}
		up := math.Min(1, q[i]+delta) - r.trial[i]
		if up*r.load[i] > room {
			up = math.Max(0, room/r.load[i])
		}
		r.trial[i] += up
		room -= up * r.load[i]
	}
}

package model

import (
	"math"
	"slices"
)

// HOL is the head-of-the-line priority queue of a System, prepared for fast evaluation at
// many admission probabilities. Arguments and results are in the order of the system's
// classes; internal vectors are in the order of service, ascending by urgency, the last
// served first.
//
// An HOL has scratch space, so that evaluation does not allocate: it must not be used by
// two goroutines at once.
type HOL struct {
	sys   System
	order []int // order[k] is the class at place k of the service order

	rate, price, decay, grace []float64 // mu, p, v, tau
	b1, b2                    []float64
	unit                      []float64 // utilization of one admitted job/s: b1/n
	demand                    []*Demand // if admission sets the price; nil: no class

	lambda, d       []float64 // admitted rates; d[k] = 1 - sigma_k, d[S] = 1
	weight, partial []float64 // parts of the gradient
}

// NewHOL prepares a system for evaluation.
func NewHOL(sys System) (*HOL, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	sys.Phi = sys.DelayCoefficient()
	s := len(sys.Classes)
	h := &HOL{sys: sys, order: ServiceOrder(sys.Classes)}
	buf := make([]float64, 11*s+1)
	next := func(n int) []float64 {
		part := buf[:n:n]
		buf = buf[n:]
		return part
	}
	for _, v := range []*[]float64{
		&h.rate, &h.price, &h.decay, &h.grace, &h.b1, &h.b2, &h.unit, &h.lambda, &h.weight, &h.partial,
	} {
		*v = next(s)
	}
	h.d = next(s + 1)
	for k, i := range h.order {
		c := sys.Classes[i]
		h.rate[k] = c.Rate
		h.price[k] = c.MeanPrice()
		h.decay[k] = c.MeanDecay()
		h.grace[k] = c.MeanGrace()
		h.b1[k], h.b2[k] = c.Length.Mean(), c.Length.Moment(2)
		h.unit[k] = h.b1[k] / sys.Parallel
		if sys.Prices && c.Demand != nil && c.Demand.Rate > 0 {
			if h.demand == nil {
				h.demand = make([]*Demand, s)
			}
			h.demand[k] = c.Demand
		}
	}
	return h, nil
}

// System returns the system that h evaluates.
func (h *HOL) System() System { return h.sys }

// Len returns the number of classes.
func (h *HOL) Len() int { return len(h.order) }

// admit sets lambda and d from admission probabilities in class order and
// reports whether the queue is stable, sigma_1 < 1.
func (h *HOL) admit(q []float64) bool {
	if len(q) != len(h.order) {
		panic("model: length of admission vector is not the number of classes")
	}
	s := len(h.order)
	h.d[s] = 1
	sigma := 0.0
	for k := s - 1; k >= 0; k-- {
		h.lambda[k] = q[h.order[k]] * h.rate[k]
		sigma += h.lambda[k] * h.unit[k]
		h.d[k] = 1 - sigma
	}
	return h.d[0] > 0
}

// Utilization returns sigma_1, the utilization (19) by all classes at admission
// probabilities q. It exceeds 1 if the queue is not stable.
func (h *HOL) Utilization(q []float64) float64 {
	h.admit(q)
	return 1 - h.d[0]
}

// Waits sets dst to the mean waits W_s = T0/((1-sigma_s)(1-sigma_{s+1})),
// (16), in class order at admission probabilities q, and returns dst.
//
// If the queue is not stable, the classes above the saturation point still have finite
// waits: T0 then counts the class that saturates the server at the rate at which it is
// served, and the classes below it, which are never served, at 0. Those classes wait
// +Inf.
func (h *HOL) Waits(dst, q []float64) []float64 {
	saturated := -1
	if !h.admit(q) {
		for saturated = len(h.order) - 1; h.d[saturated] > 0; saturated-- {
		}
		h.lambda[saturated] = h.d[saturated+1] / h.unit[saturated]
		for k := range saturated {
			h.lambda[k] = 0
		}
	}
	t0 := h.residual()
	for k, i := range h.order {
		if k <= saturated {
			dst[i] = math.Inf(1)
		} else {
			dst[i] = t0 / (h.d[k] * h.d[k+1])
		}
	}
	return dst
}

// ResidualSlopes sets dst to dT0/dlambda_s, in class order, at admission
// probabilities q of a stable queue, and returns dT0/dn.
func (h *HOL) ResidualSlopes(dst, q []float64) (dn float64) {
	h.admit(q)
	h.residualSlopes(h.weight)
	for k, i := range h.order {
		dst[i] = h.weight[k]
	}
	return h.residualCapacitySlope()
}

// WaitSlopes sets dst to dW_c/dlambda_s, in class order, for the wait W_c of
// the given class at admission probabilities q of a stable queue, and returns
// dW_c/dn.
func (h *HOL) WaitSlopes(dst, q []float64, class int) (dn float64) {
	dn = h.ResidualSlopes(dst, q)
	place := slices.Index(h.order, class)
	d, above := h.d[place], h.d[place+1]
	wait := h.residual() / (d * above)
	for k, i := range h.order {
		dst[i] /= d * above
		if k >= place {
			dst[i] += wait * h.unit[k] / d
		}
		if k > place {
			dst[i] += wait * h.unit[k] / above
		}
	}
	return dn/(d*above) - wait/h.sys.Parallel*((1-d)/d+(1-above)/above)
}

package model

import "math"

// Revenue returns the mean revenue in dollars per second at admission
// probabilities q, (9), (20), (28) and (30). By the Printed convention it is
//
//	R = sum lambda_s (p_s - v_s max(0, Phi T0 - tau_s) / ((1-sigma_s)(1-sigma_{s+1})))
//
// with the grace subtracted from T0, as printed; by the others
//
//	R = sum lambda_s (p_s - v_s max(0, Phi W_s - tau_s)).
//
// A queue that is not stable, sigma_1 >= 1, has revenue -Inf. A class that is
// not admitted or does not decay loses nothing.
func (h *HOL) Revenue(q []float64) float64 {
	if !h.admit(q) {
		return math.Inf(-1)
	}
	t0 := h.residual()
	var sum float64
	for k, l := range h.lambda {
		if l > 0 {
			sum += h.earns(k, l, h.decay[k]*h.late(k, t0))
		}
	}
	return sum
}

// earns returns the revenue of the class at place k at an admitted rate, with the given
// loss per job.
func (h *HOL) earns(k int, rate, loss float64) float64 {
	if h.demand != nil && h.demand[k] != nil {
		value, _, _ := h.demand[k].Revenue(rate)
		return value - rate*loss
	}
	return rate * (h.price[k] - loss)
}

// pays returns the price of one more admitted job of the class at place k. It is finite:
// for unbounded demand curves it is the price at a small rate.
func (h *HOL) pays(k int, rate float64) float64 {
	if h.demand != nil && h.demand[k] != nil {
		_, slope, _ := h.demand[k].Revenue(math.Max(rate, 1e-12*h.rate[k]))
		return slope
	}
	return h.price[k]
}

// Marginals sets dst to the price of one more admitted job of each class, in class order,
// at admission probabilities q, and returns dst. Less MarginalValues it is the cost of
// the delay that the job causes.
func (h *HOL) Marginals(dst, q []float64) []float64 {
	for k, i := range h.order {
		dst[i] = h.pays(k, q[i]*h.rate[k])
	}
	return dst
}

// late returns the delay of the class at place k that costs money.
func (h *HOL) late(k int, t0 float64) float64 {
	delay, _, _ := h.lateSlopes(k, t0, 0)
	return delay
}

// ClassRevenue sets dst to the revenue of each class, in class order, at
// admission probabilities q, and returns dst. Their sum is Revenue(q).
func (h *HOL) ClassRevenue(dst, q []float64) []float64 {
	stable := h.admit(q)
	t0 := h.residual()
	for k, i := range h.order {
		switch {
		case !stable:
			dst[i] = math.Inf(-1)
		case h.lambda[k] == 0:
			dst[i] = 0
		default:
			dst[i] = h.earns(k, h.lambda[k], h.decay[k]*h.late(k, t0))
		}
	}
	return dst
}

// Gradient sets dst to dR/dq_s, in class order, at admission probabilities q
// of a stable queue, and returns R. On a kink, where a delay equals a grace
// exactly, it is the gradient of the side that loses nothing. If the queue is not stable
// it returns -Inf and sets dst to NaN.
func (h *HOL) Gradient(dst, q []float64) float64 { return h.SmoothGradient(dst, q, 0) }

// MarginalValues sets dst to dR/dlambda_s, in class order: the value of one more admitted
// job, in dollars, and returns R. Unlike Gradient it is meaningful for a class without
// arrivals.
func (h *HOL) MarginalValues(dst, q []float64) float64 {
	r := h.rateGradient(q, 0)
	for k, i := range h.order {
		dst[i] = h.partial[k]
	}
	return r
}

// SmoothGradient is Gradient with max(0, x) replaced by the smooth
// (x + sqrt(x^2 + w^2))/2, which is never below it and above it by at most
// w/2. Local methods need it: the kinks of max(0, x) hide ascent directions.
// w is width times the grace of the class, so that a class without grace, which has no
// kink, does not change; width 0 is Gradient.
func (h *HOL) SmoothGradient(dst, q []float64, width float64) float64 {
	r := h.rateGradient(q, width)
	for k, i := range h.order {
		dst[i] = h.partial[k] * h.rate[k]
	}
	return r
}

// rateGradient sets h.partial, by place, to dR/dlambda_k and returns R.
//
// With factor_s = 1/((1-sigma_s)(1-sigma_{s+1})) and u_k = b1_k/n, the loss of
// class s, L_s = lambda_s v_s late_s, moves with T0 as dL_s/dT0 and with
// factor_s as dL_s/dfactor_s, and
//
//	dfactor_s/dlambda_k = u_k factor_s ([k>=s]/(1-sigma_s) + [k>s]/(1-sigma_{s+1})),
//
// so that one pass over the classes with running sums gives all derivatives.
func (h *HOL) rateGradient(q []float64, width float64) float64 {
	if !h.admit(q) {
		for k := range h.partial {
			h.partial[k] = math.NaN()
		}
		return math.Inf(-1)
	}
	t0 := h.residual()
	h.residualSlopes(h.weight)
	r, byT0, below := 0.0, 0.0, 0.0
	for k, l := range h.lambda {
		delay, dT0, dFactor := h.lateSlopes(k, t0, width)
		net := h.pays(k, l) - h.decay[k]*delay
		r += h.earns(k, l, h.decay[k]*delay)
		lv := l * h.decay[k]
		byT0 += lv * dT0
		h.partial[k] = net - h.unit[k]*(below+lv*dFactor/h.d[k])
		below += lv * dFactor * (1/h.d[k] + 1/h.d[k+1])
	}
	for k := range h.partial {
		h.partial[k] -= byT0 * h.weight[k]
	}
	return r
}

// lateSlopes returns the late delay of the class at place k, its derivative
// in T0, and factor times its derivative in factor.
func (h *HOL) lateSlopes(k int, t0, width float64) (delay, dT0, dFactor float64) {
	factor := 1 / (h.d[k] * h.d[k+1])
	if h.sys.Residual == Printed {
		x, dx := positivePart(h.sys.Phi*t0-h.grace[k], width*h.grace[k])
		return x * factor, dx * h.sys.Phi * factor, x * factor
	}
	x, dx := positivePart(h.sys.Phi*t0*factor-h.grace[k], width*h.grace[k])
	return x, dx * h.sys.Phi * factor, dx * h.sys.Phi * t0 * factor
}

// positivePart returns max(0, x), smoothed over the given width, and its
// derivative.
func positivePart(x, width float64) (y, dy float64) {
	if width == 0 {
		if x > 0 {
			return x, 1
		}
		return 0, 0
	}
	root := math.Sqrt(x*x + width*width)
	y = (x + root) / 2
	if x < 0 {
		// x + root without cancellation.
		y = width * width / (2 * (root - x))
	}
	return y, y / root
}

// CapacityValue returns dR/dn at fixed admitted rates: the value of one more parallel
// slot, in dollars per second.
func (h *HOL) CapacityValue(q []float64) float64 {
	if !h.admit(q) {
		return math.NaN()
	}
	t0, n := h.residual(), h.sys.Parallel
	slope := h.residualCapacitySlope()
	var sum float64
	for k, l := range h.lambda {
		_, dT0, dFactor := h.lateSlopes(k, t0, 0)
		rise := (1-h.d[k])/h.d[k] + (1-h.d[k+1])/h.d[k+1]
		sum += l * h.decay[k] * (dFactor/n*rise - dT0*slope)
	}
	return sum
}

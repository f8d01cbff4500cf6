package model

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
	place := 0
	for k, i := range h.order {
		if i == class {
			place = k
		}
	}
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

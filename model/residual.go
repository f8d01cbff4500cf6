package model

// Residual returns T0 at admission probabilities q of a stable queue, by the
// convention of the system.
func (h *HOL) Residual(q []float64) float64 {
	h.admit(q)
	return h.residual()
}

// ResidualWeights returns, in class order, the weights w with
// T0 = sum w_s lambda_s. ok is false for Multiserver, whose T0 is not linear.
func (h *HOL) ResidualWeights() (w []float64, ok bool) {
	if h.sys.Residual == Multiserver {
		return nil, false
	}
	w = make([]float64, len(h.order))
	for k, i := range h.order {
		w[i] = h.residualWeight(k)
	}
	return w, true
}

// residualWeight returns the weight of class k, by place, in a linear T0.
func (h *HOL) residualWeight(k int) float64 {
	if h.sys.Residual == Pooled {
		return h.b2[k] / (2 * h.sys.Parallel * h.sys.Parallel)
	}
	return h.b2[k] / 2
}

// residual returns T0 at the rates in h.lambda: (17) as printed or divided by
// n^2, or for n servers
//
//	T0 = C(n, a) / n * sum lambda b2 / (2 sum lambda b1),  a = sum lambda b1,
//
// which makes the FCFS wait T0/(1-rho) that of Lee & Longton:
// (1+c^2)/2 times the M/M/n wait.
func (h *HOL) residual() float64 {
	if h.sys.Residual != Multiserver {
		var t0 float64
		for k, l := range h.lambda {
			t0 += l * h.residualWeight(k)
		}
		return t0
	}
	a, m2 := h.work()
	if a == 0 {
		return 0
	}
	n := h.sys.Parallel
	return ErlangC(n, a) * m2 / (2 * n * a)
}

// work returns sum lambda b1 and sum lambda b2.
func (h *HOL) work() (a, m2 float64) {
	for k, l := range h.lambda {
		a += l * h.b1[k]
		m2 += l * h.b2[k]
	}
	return a, m2
}

// residualSlopes sets dst, by place, to dT0/dlambda_k.
func (h *HOL) residualSlopes(dst []float64) {
	if h.sys.Residual != Multiserver {
		for k := range dst {
			dst[k] = h.residualWeight(k)
		}
		return
	}
	a, m2 := h.work()
	n := h.sys.Parallel
	if a == 0 {
		// The first job to be admitted finds all servers idle unless n <= 1.
		for k := range dst {
			dst[k] = erlangCSlope(n, 0) * h.b2[k] / (2 * n)
		}
		return
	}
	c, dc := ErlangC(n, a), erlangCSlope(n, a)
	for k := range dst {
		dst[k] = (dc*h.b1[k]*m2 + c*h.b2[k] - c*m2*h.b1[k]/a) / (2 * n * a)
	}
}

// residualCapacitySlope returns dT0/dn at the rates in h.lambda.
func (h *HOL) residualCapacitySlope() float64 {
	n := h.sys.Parallel
	switch h.sys.Residual {
	case Printed:
		return 0
	case Pooled:
		return -2 * h.residual() / n
	}
	a, m2 := h.work()
	if a == 0 {
		return 0
	}
	// dC/dn has no closed form; C is smooth in n, so a central difference
	// with this step is good to about 1e-10 of C.
	step := 1e-4 * (n - a)
	dc := (ErlangC(n+step, a) - ErlangC(n-step, a)) / (2 * step)
	return m2 / (2 * n * a) * (dc - ErlangC(n, a)/n)
}

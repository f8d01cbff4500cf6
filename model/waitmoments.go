package model

// series is a power series in s up to s^4.
type series [5]float64

func (a series) plus(b series, factor float64) series {
	for i, x := range b {
		a[i] += factor * x
	}
	return a
}

func (a series) times(b series) series {
	var c series
	for i, x := range a {
		for j := 0; i+j < len(c); j++ {
			c[i+j] += x * b[j]
		}
	}
	return c
}

// complementSeries returns the series of 1 - B(eta(s)) from its second term in
// eta on, where first is false, else whole: sum_k (-1)^{k+1} E[X^k]/k! eta^k.
func (l *length) complementSeries(eta series, first bool) series {
	var sum series
	power, sign := eta, 1.0
	for k := 1; k < len(eta); k++ {
		if k > 1 || first {
			sum = sum.plus(power, sign*l.moment[k])
		}
		power, sign = power.times(eta), -sign
	}
	return sum
}

// slack returns what is left of the server by the class and those above it,
// over what those above leave: 1 - sigma_k over 1 - sigma_{k+1}. Waits explode
// as it vanishes.
func (w *waitTransform) slack() float64 {
	above, own := 0.0, 0.0
	for i, l := range w.lengths {
		above += w.above[i] * l.mean
		own += w.own[i] * l.mean
	}
	return 1 - own/(1-above)
}

// moments sets E[W^k], k = 1 to 3, from the Taylor series of the transform at
// s = 0: W* = sum_k (-s)^k E[W^k]/k!.
func (c *waitClass) moments() {
	if c.forever {
		return
	}
	rho := 0.0
	for i, l := range c.lengths {
		rho += c.above[i] * l.mean
	}
	// eta = s + sum_above lambda_i (1 - B_i(eta)): coefficient m of the terms
	// of second and higher order in eta needs only those below m.
	var eta series
	for m := 1; m < len(eta); m++ {
		var known series
		known[1] = 1
		for i, l := range c.lengths {
			if c.above[i] > 0 {
				known = known.plus(l.complementSeries(eta, false), c.above[i])
			}
		}
		eta[m] = known[m] / (1 - rho)
	}
	var own, below series
	for i, l := range c.lengths {
		full := l.complementSeries(eta, true)
		own = own.plus(full, c.own[i])
		below = below.plus(full, c.below[i])
	}
	// 1 - W* = [ rho s - (1-rho)(eta-s) - own - below ] / [ s - own ], both
	// divided by s.
	var top, bottom series
	for i := 1; i < len(eta); i++ {
		top[i-1] = -c.idle*eta[i] - own[i] - below[i]
		bottom[i-1] = -own[i]
	}
	top[0] += c.busy + c.idle
	bottom[0]++
	// What is left of order 0 is rounding: W*(0) = 1.
	top[0] = 0
	tail := top.over(bottom)
	value := series{1}.plus(tail, -1)
	switch {
	case c.preempt:
		gap := eta
		gap[1]--
		tail = tail.plus(value.times(c.lengths[c.self].complementSeries(gap, true)), 1)
	case c.first != nil:
		tail = tail.plus(value.times(c.first.complementSeries(eta, true)), 1)
	}
	c.moment = [4]float64{1, tail[1], -2 * tail[2], 6 * tail[3]}
}

// over returns a/b for a series b that does not begin with 0.
func (a series) over(b series) series {
	var q series
	for i := range a {
		x := a[i]
		for j := 0; j < i; j++ {
			x -= q[j] * b[i-j]
		}
		q[i] = x / b[0]
	}
	return q
}

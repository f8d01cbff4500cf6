package optimize

import "math"

// lift finds the shares of the losses that prove most at one t. With a
// variable G_s for g(sigma_s) and z_s for the loss of class s it solves
//
//	maximize   sum_s pi_s rho_s - z_s
//	subject to z_s >= 0                                                              (1 - theta_s - eta_s)
//	           z_s >= omega_s ((t - tauT_s)(G_s - G_{s+1}) - tauW_s rho_s)           (theta_s)
//	           z_s >= m_s rho_s                                                      (eta_s)
//	           g(sigma_s) <= G_s <= the chord of g over the box of sigma_s
//
// and the constraints of a chain. The shares are the multipliers in brackets.
// A class that is late everywhere and whose G_{s+1} equals g has share 1 and no z_s; a
// class that is late nowhere has share 0.
//
// The Newton matrix is a band, where that of a chain is tridiagonal.
type lift struct {
	interior
	place []int     // variable of sigma_s
	upper []int     // variable of G_s, or -1
	kink  []int     // variable between sigma_s and sigma_{s+1}, or -1
	theta []int     // row of the share, or -1
	eta   []int     // likewise
	cost  []float64 // to be minimized, by variable
	curve []float64 // weight of g(x) in the cost, by variable
	pays  []liftPay
	terms []liftRow // without the dense one
	band  []float64 // of the Newton matrix, by variable
	wide  int       // of the band, with the diagonal
	pivot []float64 // 1/pivot
}

// liftBand is the largest distance between the variables of a row: sigma_s, G_s, z_s,
// sigma_{s+1}, G_{s+1}. A payoff with a kink adds a variable: sigma_{s+1} plus the
// utilization below the kink.
const liftBand = 4

// narrow is the widening of boxes, relative to problem.size: they need an interior.
const narrow = 1e-10

// liftRow is a constraint sum c_i v_i <= b, or g(v_0) - v_1 <= 0.
type liftRow struct {
	n      int
	at     [5]int
	c      [5]float64
	b      float64
	convex bool
	unit   float64 // divisor of the row
}

// liftPay is a payoff of the difference of two variables, or of one variable if above is
// negative.
type liftPay struct {
	*payoff
	x, above int
	from     float64 // utilization at which the payoff starts
}

// rho returns the difference in v.
func (f *liftPay) rho(v []float64) float64 {
	if f.above < 0 {
		return v[f.x]
	}
	return v[f.x] - v[f.above]
}

func newLift(n int) *lift {
	ints := make([]int, 5*n)
	return &lift{place: ints[:n], upper: ints[n : 2*n], kink: ints[2*n : 3*n], theta: ints[3*n : 4*n], eta: ints[4*n:]}
}

// variable appends a variable with a first value.
func (l *lift) variable(value float64) int {
	l.cost = append(l.cost, 0)
	l.curve = append(l.curve, 0)
	l.last = append(l.last, 0)
	l.x = append(l.x, value)
	return len(l.x) - 1
}

// constraint appends a constraint without coefficients.
func (l *lift) constraint(b float64, convex bool) *liftRow {
	l.terms = append(l.terms, liftRow{b: b, convex: convex, unit: 1})
	return &l.terms[len(l.terms)-1]
}

// add adds a coefficient. A negative variable stands for none.
func (r *liftRow) add(at int, c float64) *liftRow {
	if at >= 0 && c != 0 {
		r.at[r.n], r.c[r.n] = at, c
		r.n++
	}
	return r
}

// scale divides a row by its largest coefficient.
func (r *liftRow) scale() {
	r.unit = 0
	for i := range r.n {
		r.unit = max(r.unit, math.Abs(r.c[i]))
	}
	for i := range r.n {
		r.c[i] /= r.unit
	}
	r.b /= r.unit
}

// share returns the multiplier of a row as it was before it was scaled.
func (l *lift) share(row int) float64 { return positive(l.rows[row].lambda) / l.terms[row].unit }

// steep reports whether a box reaches so close to 1 that the chord of g over it is
// useless.
func steep(hi float64) bool { return 1-hi < 1e-3 }

// wants reports whether class s needs a variable for its loss at t in a node, and its
// share if it does not.
func wants(p *problem, d *node, s int, t float64) (free bool, share float64) {
	if p.omega[s] == 0 || t <= p.tauT[s] || d.closed(s) {
		return false, 0
	}
	late := d.late(p, s)
	if late == 0 {
		return false, 0
	}
	if late == undecided && p.tauW[s] > 0 {
		return true, 0
	}
	if k := d.above(s); k < len(p.beta) && d.hi[k]-d.lo[k] > 1e-7 {
		next := 0.0
		if l := d.late(p, k); l == 1 || l == undecided && p.tauT[k] > 0 {
			next = p.omega[k] * max(0, t-p.tauT[k])
		}
		if p.omega[s]*(t-p.tauT[s]) > next {
			return true, 1
		}
	}
	return false, 1
}

// shares sets theta and eta of m for the node at t, and reports whether any
// class needed a variable.
func (l *lift) shares(m *multipliers, p *problem, d *node, t float64) bool {
	n := len(p.beta)
	lifted := false
	for s := range n {
		free, share := wants(p, d, s, t)
		m.theta[s], m.eta[s] = share, 0
		l.theta[s], l.eta[s] = -1, -1
		if free {
			l.theta[s] = 0
			lifted = true
		}
	}
	if !lifted {
		return false
	}
	l.build(m, p, d, t)
	l.solve(t)
	for s := range n {
		if l.theta[s] >= 0 {
			m.theta[s] = l.share(l.theta[s])
			m.eta[s] = 0
			if l.eta[s] >= 0 {
				m.eta[s] = l.share(l.eta[s])
			}
			if sum := m.theta[s] + m.eta[s]; sum > 1 {
				m.theta[s] /= sum
				m.eta[s] /= sum
			}
		}
	}
	return true
}

// sums sets dst to the cumulated utilizations of the solution.
func (l *lift) sums(dst []float64) {
	x := 0.0
	for s := len(dst) - 1; s >= 0; s-- {
		if l.place[s] >= 0 {
			x = l.x[l.place[s]]
		}
		dst[s] = x
	}
}

// build sets up the problem of a node at t.
func (l *lift) build(m *multipliers, p *problem, d *node, t float64) {
	n, narrow := len(p.beta), narrow*p.size
	l.cost, l.curve = l.cost[:0], l.curve[:0]
	l.last, l.x = l.last[:0], l.x[:0]
	l.terms, l.pays = l.terms[:0], l.pays[:0]
	below := -1
	l.wide = liftBand + 1
	for s := range n {
		l.place[s], l.upper[s], l.kink[s] = -1, -1, -1
		if d.closed(s) {
			continue
		}
		mid := (d.lo[s] + d.hi[s]) / 2
		if d.hi[s] > 0.999 {
			mid = max(d.lo[s], 0.9*d.hi[s])
		}
		l.place[s] = l.variable(mid)
		l.last[l.place[s]] = p.kappa[s]
		if below >= 0 {
			l.last[l.place[s]] -= p.kappa[below]
		}
		if l.theta[s] >= 0 || below >= 0 && l.theta[below] >= 0 {
			l.upper[s] = l.variable(0)
		}
		if l.theta[s] >= 0 {
			z := l.variable(0.1)
			l.cost[z] = 1
		}
		if p.kinked(s) && !flat(p, d, s) {
			l.kink[s] = l.variable(mid)
			l.wide = liftBand + 2
		}
		below = s
	}
	l.spread(p, d)
	for s := range n {
		if d.closed(s) {
			continue
		}
		x, up, z := l.place[s], l.upper[s], -1
		ax, aup := -1, -1
		above := d.above(s)
		if above < n {
			ax, aup = l.place[above], l.upper[above]
		}
		u := p.omega[s] * (t - p.tauT[s])
		pi := p.pi[s]
		switch f := p.pay[s]; {
		case f == nil:
		case flat(p, d, s):
			_, pi, _ = f.at(max(f.least, (d.least[s]+d.most[s])/2))
		case l.kink[s] >= 0:
			k := l.kink[s]
			_, pi, _ = f.at(0)
			l.cost[k] -= pi
			if ax >= 0 {
				l.cost[ax] += pi
			}
			pi = 0
			l.pays = append(l.pays, liftPay{f, x, k, f.kink})
			l.constraint(narrow, false).add(x, -1).add(k, 1)
			l.constraint(narrow, false).add(k, -1).add(ax, 1)
			l.constraint(narrow+f.kink, false).add(k, 1).add(ax, -1)
		default:
			pi = 0
			l.pays = append(l.pays, liftPay{f, x, ax, 0})
		}
		if l.theta[s] >= 0 {
			z = up + 1
			// At the last class the variable above is the constant g(0) = 1.
			b := 0.0
			if above == n {
				b = u
			}
			f := p.omega[s] * p.tauW[s]
			l.constraint(b, false).add(x, -f).add(up, u).add(z, -1).add(ax, f).add(aup, -u).scale()
			l.theta[s] = len(l.terms) - 1
			l.eta[s] = -1
			if k := p.slope(d, s, t); k > 0 {
				l.constraint(0, false).add(x, k).add(z, -1).add(ax, -k).scale()
				l.eta[s] = len(l.terms) - 1
			}
			l.constraint(0, false).add(z, -1)
		} else if m.theta[s] > 0 {
			pi += p.omega[s] * p.tauW[s]
			l.raise(s, u)
			if above < n {
				l.raise(above, -u)
			}
		}
		l.cost[x] -= pi
		if ax >= 0 {
			l.cost[ax] += pi
		}
		if up >= 0 {
			l.constraint(0, true).add(x, 1).add(up, -1)
			l.x[up] = 1.5 / (1 - l.x[x])
			if steep(d.hi[s]) {
				l.constraint(1e4, false).add(up, 1)
			} else {
				at, slope := chord(d.lo[s], d.hi[s])
				l.constraint(at-slope*d.lo[s]+narrow, false).add(x, -slope).add(up, 1).scale()
				if mid := at + slope*(l.x[x]-d.lo[s]); mid < l.x[up] {
					l.x[up] = (1/(1-l.x[x]) + mid) / 2
				}
			}
		}
		l.constraint(narrow-d.least[s], false).add(x, -1).add(ax, 1)
		l.constraint(narrow+d.most[s], false).add(x, 1).add(ax, -1)
		l.constraint(narrow+d.hi[s], false).add(x, 1)
		if d.lo[s] > 0 {
			l.constraint(narrow-d.lo[s], false).add(x, -1)
		}
	}
	// Without a variable for g(sigma_s), a negative weight applies to the chord.
	for s := range n {
		if x := l.place[s]; x >= 0 && l.curve[x] < 0 {
			_, slope := chord(d.lo[s], d.hi[s])
			l.cost[x] += l.curve[x] * slope
			l.curve[x] = 0
		}
	}
}

// flat reports whether the box of a class is too narrow for its payoff to bend.
func flat(p *problem, d *node, s int) bool { return d.most[s]-d.least[s] < 1e-8*p.size }

// spread moves the first values of the sums so that all classes have some utilization:
// the slopes of payoffs may be infinite at 0.
func (l *lift) spread(p *problem, d *node) {
	curved, all := false, 0.0
	for s, f := range p.pay {
		curved = curved || f != nil
		all += d.most[s]
	}
	if !curved {
		return
	}
	share, sum, above := min(0.5, 0.5*d.hi[0]/all), 0.0, 0.0
	for s := len(p.pay) - 1; s >= 0; s-- {
		x := l.place[s]
		if x < 0 {
			continue
		}
		w, rho := 0.1*(d.hi[s]-d.lo[s]), d.least[s]+share*(d.most[s]-d.least[s])
		sum += rho
		l.x[x] = min(max(sum, d.lo[s]+w), d.hi[s]-w)
		if f := p.pay[s]; f != nil {
			l.x[x] = max(l.x[x], above+0.1*rho)
			if k := l.kink[s]; k >= 0 {
				l.x[k] = above + 0.5*min(f.kink, l.x[x]-above)
			}
		}
		above = l.x[x]
	}
}

// raise adds u g(sigma_s) to the cost.
func (l *lift) raise(s int, u float64) {
	if up := l.upper[s]; up >= 0 {
		l.cost[up] += u
	} else {
		l.curve[l.place[s]] += u
	}
}

// chord returns the value at lo and the slope of the chord of g over [lo, hi].
func chord(lo, hi float64) (at, slope float64) {
	at = 1 / (1 - lo)
	return at, at / (1 - hi) // (g(hi)-g(lo))/(hi-lo) = g(lo) g(hi)
}

// solve sets x to the solution and lambda to its multipliers.
func (l *lift) solve(t float64) {
	n, last := len(l.x), len(l.terms)
	l.resize(n, last+1)
	l.pivot, l.band = resize(l.pivot, n), resize(l.band, n*l.wide)
	l.values()
	l.on = l.on[:0]
	for i := range l.rows {
		r := &l.rows[i]
		r.rhs = t
		if i < last {
			r.rhs = l.terms[i].b
		}
		slack := r.rhs - r.value
		if slack < 1e-8 {
			slack = 1e-3
		}
		r.open(slack)
		l.on = append(l.on, i)
	}
	l.interior.solve(l, false, 1e-10)
}

func (l *lift) values() {
	l.times(l.x)
	for i := range l.terms {
		if r := &l.terms[i]; r.convex {
			l.rows[i].value = 1/(1-l.x[r.at[0]]) - l.x[r.at[1]]
		}
	}
}

func (l *lift) times(v []float64) {
	for i := range l.terms {
		r := &l.terms[i]
		sum := 0.0
		for k := range r.n {
			sum += r.c[k] * v[r.at[k]]
		}
		l.rows[i].value = sum
	}
	sum := 0.0
	for i, k := range l.last {
		sum += k * v[i]
	}
	l.rows[len(l.terms)].value = sum
}

func (l *lift) addTransposed(dst []float64) {
	weight := l.rows[len(l.terms)].weight
	for i, k := range l.last {
		dst[i] += k * weight
	}
	for i := range l.terms {
		r, weight := &l.terms[i], l.rows[i].weight
		for k := range r.n {
			dst[r.at[k]] += weight * r.c[k]
		}
	}
}

func (l *lift) derivatives() {
	clear(l.band)
	for i, c := range l.cost {
		l.grad[i] = c
		if a := l.curve[i]; a > 0 {
			g := 1 / (1 - l.x[i])
			l.grad[i] += a * g * g
			l.band[i*l.wide] = 2 * a * g * g * g
		}
	}
	for i := range l.pays {
		f := &l.pays[i]
		slope, curvature := f.beyond(f.from + f.rho(l.x))
		l.grad[f.x] -= slope
		l.band[f.x*l.wide] -= curvature
		if f.above >= 0 {
			l.grad[f.above] += slope
			l.band[f.above*l.wide] -= curvature
			l.band[f.x*l.wide+f.above-f.x] += curvature
		}
	}
	for i := range l.terms {
		if r := &l.terms[i]; r.convex {
			x := r.at[0]
			g := 1 / (1 - l.x[x])
			r.c[0] = g * g
			l.band[x*l.wide] += 2 * l.rows[i].lambda * g * g * g
		}
	}
}

// factor adds the rows to the Newton matrix and factors it as L D L'.
func (l *lift) factor() {
	w := l.wide
	for i := range l.terms {
		r := &l.terms[i]
		weight := l.rows[i].lambda * l.rows[i].inv
		for a := range r.n {
			x := weight * r.c[a]
			for b := range r.n {
				if j := r.at[b] - r.at[a]; j >= 0 {
					l.band[r.at[a]*w+j] += x * r.c[b]
				}
			}
		}
	}
	n := len(l.x)
	for i := range n {
		l.dir[i] = l.band[i*w]
	}
	for i := range n {
		// A pivot lost in rounding belongs to a variable that cannot move.
		l.pivot[i] = 0
		if l.band[i*w] > 1e-14*l.dir[i] {
			l.pivot[i] = 1 / l.band[i*w]
		}
		for a := 1; a < w && i+a < n; a++ {
			f := l.band[i*w+a] * l.pivot[i]
			if f == 0 {
				continue
			}
			for b := a; b < w && i+b < n; b++ {
				l.band[(i+a)*w+b-a] -= f * l.band[i*w+b]
			}
		}
	}
}

func (l *lift) backsolve(x []float64) {
	w := l.wide
	n := len(x)
	for i := range n {
		f := x[i] * l.pivot[i]
		for a := 1; a < w && i+a < n; a++ {
			x[i+a] -= f * l.band[i*w+a]
		}
	}
	for i := n - 1; i >= 0; i-- {
		sum := x[i]
		for a := 1; a < w && i+a < n; a++ {
			sum -= l.band[i*w+a] * x[i+a]
		}
		x[i] = sum * l.pivot[i]
	}
}

// domain keeps a step off the pole of g and the start of the payoffs.
func (l *lift) domain(longest float64) float64 {
	for _, x := range l.place {
		if x >= 0 && l.dx[x] > 0 {
			longest = min(longest, 0.9*(1-l.x[x])/l.dx[x])
		}
	}
	for i := range l.pays {
		f := &l.pays[i]
		if rho, d := f.from+f.rho(l.x), f.rho(l.dx); d < 0 && rho > 0 {
			longest = min(longest, -0.9*rho/d)
		}
	}
	return longest
}

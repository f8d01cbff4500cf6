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
// A class that is late everywhere, and whose G_{s+1} cannot leave g, has share
// 1 and no z_s; a class that is late nowhere has share 0.
//
// The method is that of chain, with a band matrix in place of the springs.
type lift struct {
	t     float64
	slope []float64 // kappa on the variables, 0 where it is no sigma
	place []int     // variable of sigma_s
	upper []int     // variable of G_s, or -1
	cost  []float64 // to be minimized, by variable
	curve []float64 // weight of g(v) in the cost, by variable
	v     []float64
	rows  []liftRow
	band  []float64 // of the Newton matrix, by variable, liftBand+1 each
	inv   []float64 // of the pivots
	dir   []float64
	dx    []float64
	grad  []float64
	pays  []liftPay
	kink  []int   // variable between sigma_s and sigma_{s+1}, or -1
	wide  int     // of the band, with the diagonal
	y     liftRow // kappa rho <= t: dense, and not among rows
	theta []int   // row of the share, or -1
	eta   []int   // likewise
}

// liftBand is how far apart the variables of a row lie: sigma_s, G_s, z_s,
// sigma_{s+1}, G_{s+1}. A payoff with a kink puts one more in between, up to which
// the utilization is that below the kink.
const liftBand = 4

// narrow is by how much boxes are widened, because they need some inside, as a
// share of utilizations that matter.
const narrow = 1e-10

// liftRow is a constraint sum c_i v_i <= b, or g(v_0) - v_1 <= 0.
type liftRow struct {
	n      int
	at     [5]int
	c      [5]float64
	b      float64
	convex bool
	unit   float64 // what the row was divided by

	lambda, slack, dl, ds, rc, rp float64
}

// liftPay is a payoff of the difference of two variables, or of one where above
// is negative.
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
	l := &lift{place: make([]int, n), upper: make([]int, n), theta: make([]int, n), eta: make([]int, n), kink: make([]int, n)}
	for _, v := range []*[]float64{&l.slope, &l.cost, &l.curve, &l.v, &l.dir, &l.dx, &l.grad, &l.inv} {
		*v = make([]float64, 0, 3*n)
	}
	l.rows = make([]liftRow, 0, 9*n)
	l.band = make([]float64, 0, 3*n*(liftBand+1))
	return l
}

// variable appends a variable with a first value.
func (l *lift) variable(value float64) int {
	l.cost = append(l.cost, 0)
	l.curve = append(l.curve, 0)
	l.slope = append(l.slope, 0)
	l.v = append(l.v, value)
	return len(l.v) - 1
}

// row appends a constraint without coefficients.
func (l *lift) row(b float64, convex bool) *liftRow {
	l.rows = append(l.rows, liftRow{b: b, convex: convex, unit: 1})
	return &l.rows[len(l.rows)-1]
}

// add adds a coefficient; a variable below 0 is none.
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

// multiplier returns that of the row before it was scaled.
func (r *liftRow) multiplier() float64 { return positive(r.lambda) / r.unit }

// steep says that a box reaches so close to 1 that the chord of g over it says
// nothing.
func steep(hi float64) bool { return 1-hi < 1e-3 }

// wants says whether class s needs a variable for its loss at t in a node, and
// its share where it does not.
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
	l.solve(1e-10)
	for s := range n {
		if l.theta[s] >= 0 {
			m.theta[s] = l.rows[l.theta[s]].multiplier()
			m.eta[s] = 0
			if l.eta[s] >= 0 {
				m.eta[s] = l.rows[l.eta[s]].multiplier()
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
			x = l.v[l.place[s]]
		}
		dst[s] = x
	}
}

// build sets up the problem of a node at t.
func (l *lift) build(m *multipliers, p *problem, d *node, t float64) {
	n, narrow := len(p.beta), narrow*p.size
	l.t = t
	l.cost, l.curve, l.slope, l.v, l.rows, l.pays = l.cost[:0], l.curve[:0], l.slope[:0], l.v[:0], l.rows[:0], l.pays[:0]
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
		l.slope[l.place[s]] = p.kappa[s]
		if below >= 0 {
			l.slope[l.place[s]] -= p.kappa[below]
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
			l.row(narrow, false).add(x, -1).add(k, 1)
			l.row(narrow, false).add(k, -1).add(ax, 1)
			l.row(narrow+f.kink, false).add(k, 1).add(ax, -1)
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
			l.row(b, false).add(x, -f).add(up, u).add(z, -1).add(ax, f).add(aup, -u).scale()
			l.theta[s] = len(l.rows) - 1
			l.eta[s] = -1
			if k := p.slope(d, s, t); k > 0 {
				l.row(0, false).add(x, k).add(z, -1).add(ax, -k).scale()
				l.eta[s] = len(l.rows) - 1
			}
			l.row(0, false).add(z, -1)
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
			l.row(0, true).add(x, 1).add(up, -1)
			l.v[up] = 1.5 / (1 - l.v[x])
			if steep(d.hi[s]) {
				l.row(1e4, false).add(up, 1)
			} else {
				at, slope := chord(d.lo[s], d.hi[s])
				l.row(at-slope*d.lo[s]+narrow, false).add(x, -slope).add(up, 1).scale()
				if mid := at + slope*(l.v[x]-d.lo[s]); mid < l.v[up] {
					l.v[up] = (1/(1-l.v[x]) + mid) / 2
				}
			}
		}
		l.row(narrow-d.least[s], false).add(x, -1).add(ax, 1)
		l.row(narrow+d.most[s], false).add(x, 1).add(ax, -1)
		l.row(narrow+d.hi[s], false).add(x, 1)
		if d.lo[s] > 0 {
			l.row(narrow-d.lo[s], false).add(x, -1)
		}
	}
	// Where there is no variable for g(sigma_s), a negative weight is that of
	// the chord.
	for s := range n {
		if x := l.place[s]; x >= 0 && l.curve[x] < 0 {
			_, slope := chord(d.lo[s], d.hi[s])
			l.cost[x] += l.curve[x] * slope
			l.curve[x] = 0
		}
	}
}

// flat says that the box of a class is too narrow for its payoff to bend.
func flat(p *problem, d *node, s int) bool { return d.most[s]-d.least[s] < 1e-8*p.size }

// spread moves the first values of the sums where classes have payoffs, whose
// slopes may have no end at 0, so that all have some utilization.
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
		l.v[x] = min(max(sum, d.lo[s]+w), d.hi[s]-w)
		if f := p.pay[s]; f != nil {
			l.v[x] = max(l.v[x], above+0.1*rho)
			if k := l.kink[s]; k >= 0 {
				l.v[k] = above + 0.5*min(f.kink, l.v[x]-above)
			}
		}
		above = l.v[x]
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

// resize returns a slice of the given length, of v where it has room.
func resize(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// solve runs Mehrotra's predictor-corrector method.
func (l *lift) solve(tol float64) {
	n := len(l.v)
	l.dir, l.dx, l.grad, l.inv = resize(l.dir, n), resize(l.dx, n), resize(l.grad, n), resize(l.inv, n)
	l.band = resize(l.band, n*l.wide)
	l.y = liftRow{b: l.t}
	for i := range l.rows {
		r := &l.rows[i]
		r.open(r.b - r.value(l.v))
	}
	l.y.open(l.t - l.kappa(l.v))
	rows := float64(len(l.rows) + 1)
	last := math.Inf(1)
	for range 60 {
		gap := l.residuals()
		if gap <= tol || gap < 1e-7 && gap > 0.9*last {
			break
		}
		last = gap
		l.factor()
		for i := range l.rows {
			l.rows[i].aim()
		}
		l.y.aim()
		l.step()
		alpha := l.reach(1)
		after := l.y.product(alpha)
		for i := range l.rows {
			after += l.rows[i].product(alpha)
		}
		ratio := after / gap
		center := ratio * ratio * ratio * gap / rows
		for i := range l.rows {
			l.rows[i].correct(center)
		}
		l.y.correct(center)
		l.step()
		alpha = l.centered(l.reach(0.99), rows)
		if !(alpha > 1e-13) || math.IsNaN(l.dx[0]) {
			break
		}
		for i := range l.v {
			l.v[i] += alpha * l.dx[i]
		}
		for i := range l.rows {
			l.rows[i].move(alpha)
		}
		l.y.move(alpha)
	}
}

// open sets a first slack and multiplier, on the central path.
func (r *liftRow) open(slack float64) {
	if slack < 1e-8 {
		slack = 1e-3
	}
	r.slack, r.lambda = slack, 0.1/slack
}

// aim sets the residual of complementarity, correct with Mehrotra's correction.
func (r *liftRow) aim()                   { r.rc = r.slack * r.lambda }
func (r *liftRow) correct(center float64) { r.rc = r.slack*r.lambda + r.ds*r.dl - center }

// product returns slack times multiplier after a step.
func (r *liftRow) product(alpha float64) float64 {
	return (r.slack + alpha*r.ds) * (r.lambda + alpha*r.dl)
}

// move takes a step.
func (r *liftRow) move(alpha float64) {
	r.slack += alpha * r.ds
	r.lambda += alpha * r.dl
}

// value returns the left-hand side.
func (r *liftRow) value(v []float64) float64 {
	if r.convex {
		return 1/(1-v[r.at[0]]) - v[r.at[1]]
	}
	return r.times(v)
}

// times returns the row of the Jacobian times v.
func (r *liftRow) times(v []float64) float64 {
	sum := 0.0
	for i := range r.n {
		sum += r.c[i] * v[r.at[i]]
	}
	return sum
}

// kappa returns the left-hand side of the constraint on T0.
func (l *lift) kappa(v []float64) float64 {
	sum := 0.0
	for i, k := range l.slope {
		sum += k * v[i]
	}
	return sum
}

// residuals fills the gradient of the Lagrangian, the diagonal of its Hessian
// and the primal residuals, and returns the complementarity gap.
func (l *lift) residuals() float64 {
	clear(l.band)
	for i, c := range l.cost {
		l.grad[i] = c + l.y.lambda*l.slope[i]
		if a := l.curve[i]; a > 0 {
			g := 1 / (1 - l.v[i])
			l.grad[i] += a * g * g
			l.band[i*l.wide] = 2 * a * g * g * g
		}
	}
	for i := range l.pays {
		f := &l.pays[i]
		slope, curvature := f.beyond(f.from + f.rho(l.v))
		l.grad[f.x] -= slope
		l.band[f.x*l.wide] -= curvature
		if f.above >= 0 {
			l.grad[f.above] += slope
			l.band[f.above*l.wide] -= curvature
			l.band[f.x*l.wide+f.above-f.x] += curvature
		}
	}
	gap := 0.0
	for i := range l.rows {
		r := &l.rows[i]
		if r.convex {
			x := r.at[0]
			g := 1 / (1 - l.v[x])
			r.c[0] = g * g
			l.band[x*l.wide] += 2 * r.lambda * g * g * g
		}
		r.rp = r.value(l.v) + r.slack - r.b
		for k := range r.n {
			l.grad[r.at[k]] += r.lambda * r.c[k]
		}
		gap += r.slack * r.lambda
	}
	l.y.rp = l.kappa(l.v) + l.y.slack - l.y.b
	return gap + l.y.slack*l.y.lambda
}

// factor adds the rows to the Newton matrix and factors it as L D L'.
func (l *lift) factor() {
	w := l.wide
	for i := range l.rows {
		r := &l.rows[i]
		weight := r.lambda / r.slack
		for a := range r.n {
			x := weight * r.c[a]
			for b := range r.n {
				if j := r.at[b] - r.at[a]; j >= 0 {
					l.band[r.at[a]*w+j] += x * r.c[b]
				}
			}
		}
	}
	n := len(l.v)
	for i := range n {
		l.dir[i] = l.band[i*w]
	}
	for i := range n {
		// A pivot lost in rounding belongs to a variable that is held fast.
		if l.inv[i] = 0; l.band[i*w] > 1e-14*l.dir[i] {
			l.inv[i] = 1 / l.band[i*w]
		}
		for a := 1; a < w && i+a < n; a++ {
			f := l.band[i*w+a] * l.inv[i]
			if f == 0 {
				continue
			}
			for b := a; b < w && i+b < n; b++ {
				l.band[(i+a)*w+b-a] -= f * l.band[i*w+b]
			}
		}
	}
	copy(l.dir, l.slope)
	l.backsolve(l.dir)
}

// backsolve solves the factored system in place.
func (l *lift) backsolve(x []float64) {
	w := l.wide
	n := len(x)
	for i := range n {
		f := x[i] * l.inv[i]
		for a := 1; a < w && i+a < n; a++ {
			x[i+a] -= f * l.band[i*w+a]
		}
	}
	for i := n - 1; i >= 0; i-- {
		sum := x[i]
		for a := 1; a < w && i+a < n; a++ {
			sum -= l.band[i*w+a] * x[i+a]
		}
		x[i] = sum * l.inv[i]
	}
}

// step computes the Newton direction. The constraint on T0 is eliminated last.
func (l *lift) step() {
	for i, g := range l.grad {
		l.dx[i] = -g
	}
	for i := range l.rows {
		r := &l.rows[i]
		f := (r.lambda*r.rp - r.rc) / r.slack
		for k := range r.n {
			l.dx[r.at[k]] -= f * r.c[k]
		}
	}
	l.backsolve(l.dx)
	y := &l.y
	dl := (l.kappa(l.dx) - y.rc/y.lambda + y.rp) / (l.kappa(l.dir) + y.slack/y.lambda)
	for i := range l.dx {
		l.dx[i] -= dl * l.dir[i]
	}
	for i := range l.rows {
		r := &l.rows[i]
		r.ds = -r.rp - r.times(l.dx)
		r.dl = -(r.rc + r.lambda*r.ds) / r.slack
	}
	y.dl = dl
	y.ds = -(y.rc + y.slack*dl) / y.lambda
}

// centered is chain.centered.
func (l *lift) centered(alpha, rows float64) float64 {
	const share = 1e-3
	for range 30 {
		sum := l.y.product(alpha)
		least := sum
		for i := range l.rows {
			product := l.rows[i].product(alpha)
			sum += product
			if product < least {
				least = product
			}
		}
		if least >= share*sum/rows {
			break
		}
		alpha *= 0.8
	}
	return alpha
}

// reach shortens a step to the given share of what slack and multiplier allow.
func (r *liftRow) reach(longest, share float64) float64 {
	if r.ds < 0 {
		if x := -share * r.slack / r.ds; x < longest {
			longest = x
		}
	}
	if r.dl < 0 {
		if x := -share * r.lambda / r.dl; x < longest {
			longest = x
		}
	}
	return longest
}

// reach is chain.reach.
func (l *lift) reach(share float64) float64 {
	longest := l.y.reach(1, share)
	for i := range l.rows {
		longest = l.rows[i].reach(longest, share)
	}
	for _, x := range l.place {
		if x >= 0 && l.dx[x] > 0 {
			longest = min(longest, 0.9*(1-l.v[x])/l.dx[x])
		}
	}
	for i := range l.pays {
		f := &l.pays[i]
		if rho, d := f.from+f.rho(l.v), f.rho(l.dx); d < 0 && rho > 0 {
			longest = min(longest, -0.9*rho/d)
		}
	}
	return longest
}

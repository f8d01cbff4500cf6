package optimize

import (
	"context"
	"math"
	"slices"

	"revopt/internal/heap"
	"revopt/model"
)

// Certified returns the global optimum of static admission with a proven relative
// gap, by branch and bound.
//
// A node of the search is an interval of t = Phi T0 and a box of utilizations.
// Its bound is a Lagrangian dual (see problem.weigh), which holds for all
// multipliers; a concave relaxation proposes good ones. For fixed t and a grace
// common to all classes the loss sum_s omega_s (t-tau)^+ (g(sigma_s) -
// g(sigma_{s+1})), g(x) = 1/(1-x), is convex in the utilizations, because by
// parts its coefficients of g(sigma_s) are the differences of the urgencies,
// which ascend in the order of service: only t is split. If graces differ between
// classes, or are subtracted from the wait, the coefficients may descend; then the
// boxes are split too.
//
// The search cuts off all parts of the boxes that, by the multipliers, earn less than
// the best admission found. The bound is valid in every case. The reported gap is the
// proven one, which is above the one asked for if MaxNodes ran out.
//
// Model.Multiserver lacks this structure: the result is a [*ResidualError].
func Certified(ctx context.Context, sys model.System, settings Settings) (Result, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return Result{}, err
	}
	p, err := newProblem(hol)
	if err != nil {
		return Result{}, err
	}
	r := Result{Method: MethodCertified, Admit: make([]float64, hol.Len())}
	if p.gross > 0 {
		s := newSearch(ctx, p, settings)
		s.run()
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		copy(r.Admit, s.admit)
		r.Tied = settle(hol, r.Admit, p.classes)
		r.UpperBound, r.Nodes = s.upper*p.money, s.nodes
	}
	admitIdle(hol, r.Admit)
	r.finish(hol, settings)
	return r, nil
}

// admitIdle sets the admission of classes without arrivals to 1 if a first job would
// pay more than it costs, and to 0 otherwise.
func admitIdle(hol *model.HOL, q []float64) {
	value := make([]float64, hol.Len())
	hol.MarginalValues(value, q)
	for i, c := range hol.System().Classes {
		if c.Rate == 0 {
			q[i] = 0
			if value[i] > 0 {
				q[i] = 1
			}
		}
	}
}

// search is a branch and bound in progress.
type search struct {
	ctx      context.Context // once it has ended, loops stop and leave the rest undone
	p        *problem
	relax    *relaxation
	settings Settings
	open     heap.Heap[*node] // the largest bound first
	nodes    int

	best     float64 // revenue of admit, in the problem's units
	bestT    float64 // limit on T0 of the relaxed problem that gave it
	admit    []float64
	trial    []float64
	refiner  *refiner
	upper    float64 // bound of the nodes that were set aside
	gap      float64 // to be proven next
	polished float64 // revenue after the last polish
	seeded   bool

	left, right, mid lagrangian
	v1, v2           [3]float64 // bounds that the proofs of a node give at its ends
	class, place     []float64  // scratch
}

func newSearch(ctx context.Context, p *problem, settings Settings) *search {
	n, classes := len(p.beta), p.hol.Len()
	s := &search{
		ctx: ctx, p: p, relax: newRelaxation(p), settings: settings, refiner: newRefiner(ctx, p.hol),
		admit: make([]float64, classes), trial: make([]float64, classes),
	}
	s.open.Less = func(a, b **node) bool { return (*a).bound > (*b).bound }
	for _, v := range []*[]float64{&s.left.c, &s.left.d, &s.left.top, &s.right.c, &s.right.d, &s.right.top,
		&s.mid.c, &s.mid.d, &s.mid.top, &s.class, &s.place} {
		*v = make([]float64, n)
	}
	if settings.Start != nil {
		copy(s.trial, settings.Start)
		s.consider()
	}
	return s
}

// kappaAt returns Phi T0 of the admission q.
func (p *problem) kappaAt(q []float64) float64 {
	var t float64
	for s, i := range p.classes {
		t += p.kappa[s] * p.beta[s] * q[i]
	}
	return t
}

// consider takes the admission in s.trial if it earns more than the best so far.
func (s *search) consider() {
	s.p.stabilize(s.trial)
	if revenue := s.p.hol.Revenue(s.trial) / s.p.money; revenue > s.best {
		s.best = revenue
		s.bestT = s.p.kappaAt(s.trial)
		copy(s.admit, s.trial)
	}
}

// considerSolution considers the solution of the relaxation, with and without the
// classes that it hardly admits: if delay costs much, a few of their jobs lose all that
// the others earn.
func (s *search) considerSolution() {
	p := s.p
	sigma := s.relax.sigma
	trace := false
	for k, i := range p.classes {
		rho := sigma[k]
		if k+1 < len(sigma) {
			rho -= sigma[k+1]
		}
		q := min(1, max(0, rho/p.beta[k]))
		trace = trace || q > 0 && q < 1e-6
		s.trial[i] = q
	}
	s.consider()
	if trace {
		for _, i := range p.classes {
			if s.trial[i] < 1e-6 {
				s.trial[i] = 0
			}
		}
		s.consider()
	}
}

// level returns the revenue below which nothing is searched: that of the best
// admission, plus the sharpest gap.
func (s *search) level() float64 { return s.best * (1 + 0.9*min(sharp, s.settings.gap())) }

// done returns the bound below which nodes wait.
func (s *search) done() float64 { return s.best * (1 + 0.9*s.gap) }

// run searches until the gap asked for is proven or the nodes are used up. If that
// fails it runs conjugate gradients, so that the result is never below theirs. A proof
// of the gap asked for is then sharpened, because local optima may lie closer to the
// global optimum than that.
func (s *search) run() {
	if s.p.ordered {
		s.polish() // a start
	}
	s.restart(s.p.gross, 1)
	most := s.settings.maxNodes()
	s.work(s.settings.gap(), most)
	if s.best <= 0 || s.open.Len() > 0 && (*s.open.First()).bound > s.done() {
		s.seed()
		s.work(s.settings.gap(), most+most/4)
	}
	if s.best > s.polished {
		s.polish()
	}
	s.work(sharp, min(most, s.nodes+max(40, s.nodes/2)))
	if s.open.Len() > 0 && (*s.open.First()).bound > s.done() {
		s.seed() // a local optimum may still earn a trace more
	}
	if s.best > s.polished {
		s.polish()
	}
	if s.open.Len() > 0 {
		s.upper = max(s.upper, (*s.open.First()).bound)
	}
	// The parts cut off earn no more than the level.
	s.upper = max(s.best, min(s.p.gross, max(s.upper, s.level())))
}

// restart begins the search anew with a known bound and a known largest utilization.
func (s *search) restart(bound, utilization float64) {
	root := s.p.root()
	root.bound = bound
	root.at = 0.3 * root.t2
	if s.best > 0 {
		root.at = s.bestT
	}
	for k := range root.hi {
		root.hi[k] = min(root.hi[k], utilization)
	}
	s.open.List = s.open.List[:0]
	s.keep(root)
}

// rescale restarts the search with the bound as the unit of money if the bound has
// become small.
func (s *search) rescale() {
	bound := max((*s.open.First()).bound, s.upper, s.level())
	if bound > 0.02 || bound <= 0 {
		return
	}
	utilization := 0.0
	for _, d := range s.open.List {
		utilization = max(utilization, d.hi[0])
	}
	s.p.rescale(bound, utilization)
	s.best /= bound
	s.upper /= bound
	s.polished /= bound
	s.restart(1, utilization)
}

// sharp is the gap to which optima are proven if nodes are left.
const sharp = 1e-9

// work explores nodes until the gap is proven or the nodes are used up.
func (s *search) work(gap float64, most int) {
	s.gap = min(gap, s.settings.gap())
	for s.ctx.Err() == nil && s.open.Len() > 0 && s.nodes < most {
		if (*s.open.First()).bound <= s.done() {
			break
		}
		s.explore(s.open.Pop())
		if s.open.Len() > 0 {
			s.rescale()
		}
	}
}

// explore solves the relaxation of a node, cuts off all it can, and splits the rest.
func (s *search) explore(d *node) {
	s.nodes++
	t := s.p.inside(d)
	m := s.relax.propose(d, t)
	had := s.best
	if s.considerSolution(); s.best > had && !s.p.ordered {
		copy(s.trial, s.admit)
		s.refiner.climb(s.trial)
		s.consider()
	}
	s.p.weigh(&s.mid, d, m, t)
	middle := s.mid.value
	waste := s.relax.waste(s.class, s.place, d, m, t)
	before, width := d.bound, d.t2-d.t1
	d.proofs[d.count] = m
	d.count++
	if !s.assess(d) {
		return
	}
	gain := before - d.bound
	if s.p.ordered || s.p.kink(d, t) {
		s.splitT(d, t, m)
		return
	}
	d.rounds++
	if d.rounds < 6 && (gain > 0.5*(before-s.level()) || d.t2-d.t1 < 0.5*width) {
		s.open.Push(d)
		return
	}
	s.split(d, t, middle, waste, m)
}

// kink reports whether t is a kink of the loss in a node.
func (p *problem) kink(d *node, t float64) bool {
	return t > d.t1 && t < d.t2 && slices.Contains(p.tauT, t)
}

// inside returns the t at which to solve a node: where its bound is attained, off the
// ends, or the nearest kink of the loss.
func (p *problem) inside(d *node) float64 {
	t := min(max(d.at, 0.9*d.t1+0.1*d.t2), 0.1*d.t1+0.9*d.t2)
	kink := math.Inf(1)
	for s, tau := range p.tauT {
		if p.omega[s] > 0 && tau > d.t1 && tau < d.t2 && math.Abs(tau-t) < math.Abs(kink-t) {
			kink = tau
		}
	}
	if !math.IsInf(kink, 1) {
		return kink
	}
	return t
}

// keep assesses a node and adds it to the open nodes unless nothing is left of it.
func (s *search) keep(d *node) {
	if s.assess(d) {
		s.open.Push(d)
	}
}

// assess bounds a node with its multipliers, and cuts off all parts that they prove to
// be below the level. It reports whether anything is left.
func (s *search) assess(d *node) bool {
	level := s.level()
	for pass := 0; ; pass++ {
		if !d.shrink(s.p, level) {
			return false
		}
		if d.count == 0 {
			return true
		}
		t1, t2, much := d.t1, d.t2, false
		for i, m := range d.proofs[:d.count] {
			if !s.sharpen(d, i, m, level, &t1, &t2, &much) {
				return false
			}
		}
		if t1 > t2 {
			return false
		}
		// The proofs hold for the old ends; little gain is not worth new ones.
		if t2-t1 < 0.9*(d.t2-d.t1) {
			d.t1, d.t2, much = t1, t2, true
		} else if pass > 0 || !much {
			break
		}
		if pass == 3 {
			for i, m := range d.proofs[:d.count] {
				s.ends(d, i, m)
			}
			break
		}
	}
	s.combine(d)
	return d.bound > level
}

// ends sets the bounds that m proves at the ends of a node.
func (s *search) ends(d *node, i int, m *multipliers) {
	s.p.weigh(&s.left, d, m, d.t1)
	s.p.weigh(&s.right, d, m, d.t2)
	s.v1[i], s.v2[i] = s.left.value, s.right.value
}

// sharpen cuts off the parts of the boxes that m proves to be below the level, sets much
// if that was a large part, raises t1 and lowers t2 to where the interval of t could be
// cut, and reports whether anything is left.
func (s *search) sharpen(d *node, i int, m *multipliers, level float64, t1, t2 *float64, much *bool) bool {
	p := s.p
	s.ends(d, i, m)
	v1, v2 := s.v1[i], s.v2[i]
	top := max(v1, v2)
	if top <= level {
		return false
	}
	if v1 < level {
		*t1 = max(*t1, s.crossing(d, m, d.t1, v1, d.t2, v2, level))
	} else if v2 < level {
		*t2 = min(*t2, s.crossing(d, m, d.t2, v2, d.t1, v1, level))
	}
	spare := top - level
	spare1, spare2 := v1-level, v2-level
	for k := range p.beta {
		if d.closed(k) {
			continue
		}
		if w := d.most[k] - d.least[k]; spare < m.z[k]*w {
			*much = *much || spare < 0.8*m.z[k]*w
			d.most[k] = d.least[k] + spare/m.z[k]
		} else if spare < m.w[k]*w {
			*much = *much || spare < 0.8*m.w[k]*w
			d.least[k] = d.most[k] - spare/m.w[k]
		}
		lo, hi := d.lo[k], d.hi[k]
		a, b := trim(s.left.c[k], s.left.d[k], lo, hi, s.left.top[k]-spare1)
		if a > lo || b < hi {
			a2, b2 := trim(s.right.c[k], s.right.d[k], lo, hi, s.right.top[k]-spare2)
			a, b = min(a, a2), max(b, b2)
			if a > b {
				return false
			}
			*much = *much || b-a < 0.8*(hi-lo)
			d.lo[k], d.hi[k] = a, b
		}
	}
	return true
}

// crossing returns a point between a, where the bound of m is va, below the level, and
// b, where it is vb, above the level. From a to that point the bound is below the level:
// it is convex, and nowhere above the line through two of its values.
func (s *search) crossing(d *node, m *multipliers, a, va, b, vb, level float64) float64 {
	for i := 0; ; i++ {
		t := a + (b-a)*(level-va)/(vb-va)*(1-1e-12)
		if i == 2 {
			return t
		}
		s.p.weigh(&s.mid, d, m, t)
		a, va = t, min(s.mid.value, level)
	}
}

// combine sets the bound of a node from its proofs and keeps the best two.
//
// Each proves a line over [t1, t2]; the bound is the largest value of the least of the
// lines. Two proofs with the same shares prove more: for fixed admission the relaxed
// loss is affine in t, so that the relaxed optimum F(t', t), with the loss at t' and
// the limit t on T0, is convex in t' as a maximum of affine functions. With
// a = (t-t1)/(t2-t1)
//
//	F(t, t) <= (1-a) F(t1, t) + a F(t2, t) <= (1-a) left(t) + a right(t),
//
// a quadratic in a.
func (s *search) combine(d *node) {
	v1, v2 := &s.v1, &s.v2
	l, r, best := 0, 0, 0
	for i := range d.count {
		if v1[i] < v1[l] {
			l = i
		}
		if v2[i] < v2[r] {
			r = i
		}
		if max(v1[i], v2[i]) < max(v1[best], v2[best]) {
			best = i
		}
	}
	w := d.t2 - d.t1
	// The best line alone, and the best two where they cross.
	bound, at := v1[best], d.t1
	if v2[best] > bound {
		bound, at = v2[best], d.t2
	}
	pair := false
	if x := v1[r] - v1[l]; l != r && x+v2[l]-v2[r] > 0 {
		a := x / (x + v2[l] - v2[r])
		cross := v1[l] + a*(v2[l]-v1[l])
		if math.Abs(v2[r]-v1[r]) < math.Abs(v2[l]-v1[l]) {
			cross = v1[r] + a*(v2[r]-v1[r]) // the less steep line has less rounding
		}
		if top := max(v1[l], v2[r], cross); top < bound {
			bound, at, pair = top, d.t1+a*w, true
		}
		left, right := d.proofs[l], d.proofs[r]
		large := max(-v1[l], -v2[r], left.y*w, right.y*w)
		if s.p.ordered && large < 1e3 && slices.Equal(left.theta, right.theta) {
			if top, a := quadratic(v1[l], left.y*w, v2[r], right.y*w); top < bound {
				bound, at, pair = top, d.t1+a*w, true
			}
		}
	}
	if pair {
		d.proofs, d.count = [3]*multipliers{d.proofs[l], d.proofs[r]}, 2
	} else {
		d.proofs, d.count = [3]*multipliers{d.proofs[best]}, 1
	}
	if bound < d.bound {
		d.bound, d.at = bound, at
	} else {
		d.at = (d.t1 + d.t2) / 2 // no proof says where
	}
}

// quadratic returns the maximum over 0 <= a <= 1 of (1-a)(left + up a) +
// a (right - down (1-a)), and its argument.
func quadratic(left, up, right, down float64) (top, a float64) {
	c1 := right - left + up - down
	c2 := down - up
	top, a = left, 0
	if right > top {
		top, a = right, 1
	}
	if c2 < 0 {
		if b := -c1 / (2 * c2); b > 0 && b < 1 {
			if v := left + b*(c1+b*c2); v > top {
				top, a = v, b
			}
		}
	}
	return top, a
}

// splitT replaces a node by two that share t.
func (s *search) splitT(d *node, t float64, m *multipliers) {
	if !(t > d.t1 && t < d.t2) {
		t = (d.t1 + d.t2) / 2
	}
	if d.t2-d.t1 <= thin*d.t2 {
		s.upper = max(s.upper, d.bound) // it is set aside, and its bound remains
		return
	}
	low := d.child()
	low.t2, d.t1 = t, t
	// Cut off the part around t that is below the level.
	if s.p.weigh(&s.mid, d, m, t); s.mid.value < s.level() {
		at := s.mid.value
		s.p.weigh(&s.left, d, m, low.t1)
		s.p.weigh(&s.right, d, m, d.t2)
		if v := s.left.value; v > s.level() {
			low.t2 = s.crossing(low, m, t, at, low.t1, v, s.level())
		}
		if v := s.right.value; v > s.level() {
			d.t1 = s.crossing(d, m, t, at, d.t2, v, s.level())
		}
	}
	d.rounds = 0
	s.keep(low)
	s.keep(d)
}

// thin is the relative width below which an interval is not split.
const thin = 1e-11

// split replaces a node by two halves. It splits the interval of t if the bound is
// further above the relaxation at t than the relaxation is above the level, and the box
// of the sigma with the largest waste otherwise.
func (s *search) split(d *node, t, middle, waste float64, m *multipliers) {
	level := s.level()
	branch, at := -1, 0.0
	if !(middle <= d.bound+waste) { // the relaxation was not solved
		branch, at = d.widest(0, len(d.lo))
	} else if mid := max(middle, level); d.t2-d.t1 <= thin*d.t2 || d.bound-mid < mid-level {
		explained := 0.0
		for k := range s.place {
			explained += s.place[k] + s.class[k]
		}
		if explained < 0.5*(min(mid, d.bound)-level) {
			// The solution is one of many: use the largest waste in the node.
			s.relax.potential(s.class, s.place, d, m, t)
		}
		branch, at = s.branch(d, 1e-3*(min(mid, d.bound)-level))
	}
	if branch < 0 {
		s.splitT(d, t, m)
		return
	}
	low := d.child()
	low.hi[branch], d.lo[branch] = at, at
	d.rounds = 0
	s.keep(low)
	s.keep(d)
}

// branch returns the sigma to split, and where, or -1 for t: the one with the largest
// waste, or the widest if no waste exceeds the trifle.
func (s *search) branch(d *node, trifle float64) (branch int, at float64) {
	branch = -1
	score := trifle
	for k, waste := range s.place {
		if d.hi[k]-d.lo[k] > 1e-12 && waste > score {
			branch, score = k, waste
			x := s.relax.sigma[k]
			w := 0.1 * (d.hi[k] - d.lo[k])
			at = min(max(x, d.lo[k]+w), d.hi[k]-w)
		}
	}
	class := -1
	for k, waste := range s.class {
		if waste > score {
			class, score = k, waste
		}
	}
	switch {
	case class >= 0:
		return d.widest(class, class+2)
	case branch < 0:
		return d.widest(0, len(d.lo))
	}
	return branch, at
}

// widest returns the sigma of the given places, or -1 for t, with the widest interval on
// a logarithmic scale, and its middle.
func (d *node) widest(from, to int) (branch int, at float64) {
	branch = -1
	widest := math.Log(d.t2 / max(d.t1, 1e-3*d.t2))
	for i := from; i < to && i < len(d.lo); i++ {
		if w := math.Log((1 - d.lo[i]) / (1 - d.hi[i])); w > widest {
			branch, widest = i, w
			at = 1 - math.Sqrt((1-d.lo[i])*(1-d.hi[i]))
		}
	}
	return branch, at
}

// seed considers the local optima of conjugate gradients. They cost far more than a
// proof and are computed only if that fails.
func (s *search) seed() {
	if s.seeded || s.ctx.Err() != nil {
		return
	}
	s.seeded = true
	local := newLocal(s.ctx, s.p.hol)
	for _, q := range local.best(s.settings.starts(), s.settings) {
		copy(s.trial, q)
		s.consider()
	}
}

package optimize

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"revopt/model"
)

// Certified returns the global optimum of an admission problem with a proven
// relative gap, by branch and bound.
//
// A node of the search is an interval of t = Phi T0 and a box of utilizations.
// Its bound is a Lagrangian dual (see problem.weigh), which holds for all
// multipliers; a concave relaxation proposes good ones. For fixed t and a grace
// common to all classes the loss sum_s omega_s (t-tau)^+ (g(sigma_s) -
// g(sigma_{s+1})), g(x) = 1/(1-x), is convex in the utilizations, because by
// parts its coefficients of g(sigma_s) are the differences of the urgencies,
// which ascend in the order of service: only t is split. Where graces differ
// between classes, or are subtracted from the wait, the coefficients may
// descend; then the boxes are split too.
//
// What the multipliers show to earn less than the best admission found is cut
// off the boxes. The bound is valid in every case and the reported gap is the
// one proven, which is above the one asked for if MaxNodes ran out.
//
// For model.Multiserver, where this structure does not hold, it returns a
// [*ResidualError].
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
		r.UpperBound, r.Nodes, r.Solves = s.upper*p.money, s.nodes, s.relax.count
	}
	admitIdle(hol, r.Admit)
	r.finish(hol, settings)
	return r, nil
}

// admitIdle sets the admission of classes that offer nothing to 1 where a
// first job would pay more than it costs, and to 0 elsewhere.
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
	ctx      context.Context // where it has ended, loops stop and leave the rest undone
	p        *problem
	relax    *relaxation
	settings Settings
	open     frontier
	nodes    int

	best  float64 // revenue of admit, in the problem's units
	bestT float64 // room for T0 of the relaxed problem that gave it
	admit []float64
	trial []float64
	upper float64 // of what was set aside or cut off

	left, right, mid lagrangian
	class, place     []float64 // scratch
}

func newSearch(ctx context.Context, p *problem, settings Settings) *search {
	n, classes := len(p.beta), p.hol.Len()
	s := &search{
		ctx: ctx, p: p, relax: newRelaxation(p), settings: settings,
		admit: make([]float64, classes), trial: make([]float64, classes),
	}
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

// considerSolution considers the solution of the relaxation, as it is and
// with the classes left out of which it admits next to nothing: where delay
// costs much, a trace of them loses all that the others earn.
func (s *search) considerSolution() {
	p := s.p
	sigma := s.relax.chain.sigma
	trace := false
	for k, i := range p.classes {
		rho := sigma[k]
		if k+1 < len(sigma) {
			rho -= sigma[k+1]
		}
		q := math.Min(1, math.Max(0, rho/p.beta[k]))
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
// admission and what the gap to prove leaves open.
func (s *search) level() float64 { return s.best * (1 + 0.9*s.target()) }

func (s *search) target() float64 { return s.settings.gap() }

// run searches until the gap asked for is proven or the nodes are used up.
func (s *search) run() {
	if !s.p.ordered {
		s.seed()
	}
	root := s.p.root()
	root.bound = s.p.gross
	root.at = 0.3 * root.t2
	if s.best > 0 {
		root.at = s.bestT
	}
	s.keep(root)
	for s.ctx.Err() == nil && s.open.Len() > 0 && s.nodes < s.settings.maxNodes() {
		if s.open[0].bound <= s.level() {
			break
		}
		s.explore(heap.Pop(&s.open).(*node))
	}
	if s.open.Len() > 0 {
		s.upper = math.Max(s.upper, s.open[0].bound)
	}
	if !s.p.ordered {
		s.climb()
	}
	if !s.p.onWait {
		s.polish()
	}
	s.snap()
	s.upper = math.Max(s.upper, s.best)
}

// cut notes that admissions up to the present level were discarded.
func (s *search) cut() { s.upper = math.Max(s.upper, s.level()) }

// explore solves the relaxation of a node, cuts off what it can, and splits
// what remains.
func (s *search) explore(d *node) {
	s.nodes++
	t := s.p.inside(d)
	m := s.relax.propose(d, t)
	s.considerSolution()
	s.p.weigh(&s.mid, d, m, t)
	s.relax.waste(s.class, s.place, d, m, t)
	before, width := d.bound, d.t2-d.t1
	d.proofs = append(slices.Clone(d.proofs), m)
	if !s.assess(d) {
		return
	}
	gain := before - d.bound
	if s.p.ordered {
		s.splitT(d, t)
		return
	}
	d.rounds++
	if d.rounds < 6 && (gain > 0.5*(before-s.level()) || d.t2-d.t1 < 0.5*width) {
		heap.Push(&s.open, d)
		return
	}
	s.split(d, t)
}

// inside returns where in a node to solve: where its bound is attained, off the
// ends, or at a kink of the loss next to it.
func (p *problem) inside(d *node) float64 {
	t := math.Min(math.Max(d.at, 0.9*d.t1+0.1*d.t2), 0.1*d.t1+0.9*d.t2)
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

// keep assesses a node and keeps it if it is open.
func (s *search) keep(d *node) {
	if s.assess(d) {
		heap.Push(&s.open, d)
	}
}

// assess bounds a node with the multipliers it has, and cuts off what they show
// to be below the level. It reports whether anything is left.
func (s *search) assess(d *node) bool {
	for range 4 {
		level := s.level()
		if !d.shrink(s.p, level) {
			s.cut()
			return false
		}
		if len(d.proofs) == 0 {
			return true
		}
		shrunk := false
		for _, m := range d.proofs {
			again, empty := s.sharpen(d, m, level)
			if empty {
				s.cut()
				return false
			}
			shrunk = shrunk || again
		}
		if !shrunk {
			break
		}
		s.cut()
	}
	s.combine(d)
	if d.bound <= s.level() {
		s.cut()
		return false
	}
	return true
}

// sharpen cuts off what m shows to be below the level, and reports whether
// that was much, or all.
func (s *search) sharpen(d *node, m *multipliers, level float64) (much, empty bool) {
	p := s.p
	p.weigh(&s.left, d, m, d.t1)
	p.weigh(&s.right, d, m, d.t2)
	v1, v2 := s.left.value, s.right.value
	top := math.Max(v1, v2)
	if top <= level {
		return false, true
	}
	// The bound is nowhere above the line through its ends.
	w := d.t2 - d.t1
	if v1 < level {
		by := (level - v1) / (v2 - v1)
		d.t1 += by * w * (1 - 1e-9)
		much = much || by > 0.2
	} else if v2 < level {
		by := (level - v2) / (v1 - v2)
		d.t2 -= by * w * (1 - 1e-9)
		much = much || by > 0.2
	}
	for k := range p.beta {
		if spare := top - level; spare < m.z[k]*(d.most[k]-d.least[k]) {
			to := d.least[k] + spare/m.z[k]
			much = much || to-d.least[k] < 0.8*(d.most[k]-d.least[k])
			d.most[k] = to
		} else if spare < m.w[k]*(d.most[k]-d.least[k]) {
			from := d.most[k] - spare/m.w[k]
			much = much || d.most[k]-from < 0.8*(d.most[k]-d.least[k])
			d.least[k] = from
		}
		a1, b1 := trim(s.left.c[k], s.left.d[k], d.lo[k], d.hi[k], level-(v1-s.left.top[k]))
		a2, b2 := trim(s.right.c[k], s.right.d[k], d.lo[k], d.hi[k], level-(v2-s.right.top[k]))
		a, b := math.Min(a1, a2), math.Max(b1, b2)
		if a > b {
			return false, true
		}
		much = much || b-a < 0.8*(d.hi[k]-d.lo[k])
		d.lo[k], d.hi[k] = a, b
	}
	return much, false
}

// combine sets the bound of a node from its proofs and keeps the best two.
//
// Each proves a line over [t1, t2]; the bound is where the least of the lines
// is largest. Two proofs with the same shares prove more: for fixed admission
// the relaxed loss is affine in t, so that the relaxed optimum F(t', t), with
// the loss at t' and room t for T0, is convex in t' as a maximum of affine
// functions. With a = (t-t1)/(t2-t1)
//
//	F(t, t) <= (1-a) F(t1, t) + a F(t2, t) <= (1-a) left(t) + a right(t),
//
// a quadratic in a.
func (s *search) combine(d *node) {
	n := len(d.proofs)
	var v1, v2 [3]float64
	l, r := 0, 0
	for i, m := range d.proofs {
		s.p.weigh(&s.left, d, m, d.t1)
		s.p.weigh(&s.right, d, m, d.t2)
		v1[i], v2[i] = s.left.value, s.right.value
		if v1[i] < v1[l] {
			l = i
		}
		if v2[i] < v2[r] {
			r = i
		}
	}
	w := d.t2 - d.t1
	// The best line alone, and the best two where they cross.
	bound, at := math.Inf(1), d.t1
	for i := range n {
		if top := math.Max(v1[i], v2[i]); top < bound {
			bound, at = top, d.t1
			if v2[i] > v1[i] {
				at = d.t2
			}
		}
	}
	one := bound
	if l != r {
		if x := v1[r] - v1[l]; x+v2[l]-v2[r] > 0 {
			a := x / (x + v2[l] - v2[r])
			if top := math.Max(v1[l]+a*(v2[l]-v1[l]), math.Max(v1[l], v2[r])); top < bound {
				bound, at = top, d.t1+a*w
			}
		}
		if s.p.ordered {
			y1, y2 := d.proofs[l].y, d.proofs[r].y
			if top, a := quadratic(v1[l], y1*w, v2[r], y2*w); top < bound {
				bound, at = top, d.t1+a*w
			}
		}
	}
	if bound < one {
		d.proofs = []*multipliers{d.proofs[l], d.proofs[r]}
	} else if n > 1 {
		best := 0
		for i := range n {
			if math.Max(v1[i], v2[i]) == one {
				best = i
			}
		}
		d.proofs = []*multipliers{d.proofs[best]}
	}
	if bound < d.bound || math.IsNaN(d.bound) {
		d.bound = bound
	}
	d.at = at
}

// quadratic returns the maximum over 0 <= a <= 1 of (1-a)(left + up a) +
// a (right - down (1-a)), and where it is attained.
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
func (s *search) splitT(d *node, t float64) {
	if !(t > d.t1 && t < d.t2) {
		t = (d.t1 + d.t2) / 2
	}
	if d.t2-d.t1 <= 1e-13*d.t2 {
		s.setAside(d)
		return
	}
	low := d.child()
	low.t2, d.t1 = t, t
	d.rounds = 0
	s.keep(low)
	s.keep(d)
}

// setAside gives a node up that is too narrow to be split: its bound stands.
func (s *search) setAside(d *node) { s.upper = math.Max(s.upper, d.bound) }

// split replaces a node by two halves: of the interval of t or of the box of a
// sigma, whichever gives more away.
func (s *search) split(d *node, t float64) {
	branch, score, at := -1, d.bound-s.mid.value, 0.0
	if d.t2-d.t1 <= 1e-13*d.t2 {
		score = 0
	}
	for k, waste := range s.place {
		if d.hi[k]-d.lo[k] > 1e-12 && waste > score {
			branch, score = k, waste
			x := s.relax.chain.sigma[k]
			w := 0.1 * (d.hi[k] - d.lo[k])
			at = math.Min(math.Max(x, d.lo[k]+w), d.hi[k]-w)
		}
	}
	for k, waste := range s.class {
		if waste <= score {
			continue
		}
		widest := 0.0
		for i := k; i <= k+1 && i < len(d.lo); i++ {
			if w := math.Log((1 - d.lo[i]) / (1 - d.hi[i])); w > widest {
				branch, score, widest = i, waste, w
				at = 1 - math.Sqrt((1-d.lo[i])*(1-d.hi[i]))
			}
		}
		if w := math.Log(d.t2 / math.Max(d.t1, 1e-3*d.t2)); w > widest {
			branch, score = -1, waste
		}
	}
	if branch < 0 {
		s.splitT(d, t)
		return
	}
	low := d.child()
	low.hi[branch], d.lo[branch] = at, at
	d.rounds = 0
	s.keep(low)
	s.keep(d)
}

// seed considers local optima before the search starts, so that it prunes early.
func (s *search) seed() {
	local := newLocal(s.ctx, s.p.hol)
	for _, q := range local.best(4+len(s.p.beta), s.settings) {
		copy(s.trial, q)
		s.consider()
	}
}

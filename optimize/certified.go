package optimize

import (
	"container/heap"
	"math"

	"revopt/model"
)

// Certified returns the global optimum of an admission problem with a proven
// relative gap, by branch and bound over t = Phi T0.
//
// For fixed t the loss sum_s omega_s (t-tau)^+ (g(sigma_s) - g(sigma_{s+1})),
// g(x) = 1/(1-x), is convex in the utilizations, because by parts its
// coefficients of g(sigma_s) are the differences of the urgencies, which
// ascend in the order of service. What remains is concave with one linear
// constraint; its dual gives an upper bound that is affine in t, and two such
// bounds cover an interval of t (see node.combine).
//
// Where graces differ between classes, or are subtracted from the wait, the
// coefficients may descend. Then the boxes of the cumulated utilizations are
// branched on too. The bound is valid in every case and the reported gap is
// the one proven, which is above the one asked for if MaxNodes ran out.
//
// Certified panics for model.Multiserver, where this structure does not hold.
func Certified(sys model.System, settings Settings) (Result, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return Result{}, err
	}
	p := newProblem(hol)
	r := Result{Method: MethodCertified, Admit: make([]float64, hol.Len())}
	if p.gross > 0 {
		s := newSearch(p, settings)
		s.run()
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
	p        *problem
	relax    *relaxation
	settings Settings
	open     frontier
	nodes    int

	best  float64 // revenue of admit, in the problem's units
	bestT float64 // room for T0 of the relaxed problem that gave it
	admit []float64
	trial []float64
	upper float64

	// Scratch, by place: the largest chord gap and its sigma; and where the
	// grace is subtracted from the wait, the share of each class's loss that
	// counts, its excess and what its share gives away.
	touched, where        []float64
	theta, excess, wasted []float64
}

func newSearch(p *problem, settings Settings) *search {
	n, classes := len(p.beta), p.hol.Len()
	s := &search{
		p: p, relax: newRelaxation(p), settings: settings,
		admit: make([]float64, classes), trial: make([]float64, classes),
	}
	for _, v := range []*[]float64{&s.touched, &s.where, &s.theta, &s.excess, &s.wasted} {
		*v = make([]float64, n)
	}
	if settings.Start != nil {
		copy(s.trial, settings.Start)
		p.stabilise(s.trial)
		s.offer(p.hol.Revenue(s.trial)/p.money, p.kappaAt(s.trial))
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

// offer takes the admission in s.trial if it earns more than the best so far.
func (s *search) offer(revenue, t float64) {
	if revenue > s.best {
		s.best, s.bestT = revenue, t
		copy(s.admit, s.trial)
	}
}

// run searches until the gap asked for is proven or the nodes are used up.
func (s *search) run() {
	if !s.p.ordered {
		s.seed()
	}
	points := s.p.breakpoints()
	root := s.root()
	for i := range len(points) - 1 {
		d := root.child()
		d.t1, d.t2 = points[i], points[i+1]
		s.push(d)
	}
	pruned := s.best
	for s.open.Len() > 0 && s.nodes < s.settings.maxNodes() {
		if s.closed(s.open[0].bound) {
			break
		}
		d := heap.Pop(&s.open).(*node)
		s.split(d)
	}
	if s.open.Len() > 0 {
		pruned = math.Max(pruned, s.open[0].bound)
	}
	if !s.p.ordered {
		s.climb()
	}
	if !s.p.onWait {
		s.polish()
	}
	s.snap()
	s.upper = math.Max(pruned, s.best)
}

// root returns the whole search space.
func (s *search) root() *node {
	n := len(s.p.beta)
	d := &node{lo: make([]float64, n), hi: make([]float64, n), bound: math.Inf(1)}
	tail := 0.0
	for k := n - 1; k >= 0; k-- {
		tail += s.p.beta[k]
		d.hi[k] = math.Min(tail, 1-margin)
	}
	d.least, d.most = d.lo, d.hi
	return d.child()
}

// closed reports whether a bound is within the gap of the best admission.
func (s *search) closed(bound float64) bool {
	return bound-s.best <= 0.9*s.settings.gap()*bound
}

// push bounds a node and keeps it. Nodes that are closed are kept too: the
// largest bound of the open ones is the proof.
func (s *search) push(d *node) {
	s.nodes++
	if !d.tighten(s.p, s.best) {
		return
	}
	if !s.p.ordered {
		// Where the box asks for more T0 than t1, the left end would be
		// infeasible and its bound useless.
		d.t1 = math.Max(d.t1, s.p.shortest(d.least)*(1-1e-9))
		if d.t1 > d.t2 {
			return
		}
	}
	parent := d.bound
	if s.p.onWait {
		s.boundOnWait(d)
	} else {
		s.boundPrinted(d)
	}
	if !(d.bound <= parent) {
		d.bound = parent // also where rounding has left no number
	}
	heap.Push(&s.open, d)
}

// split replaces a node by its two halves.
func (s *search) split(d *node) {
	low, high := d.child(), d
	if d.branch < 0 {
		low.t2, high.t1 = d.splitAt, d.splitAt
		if s.p.ordered {
			mid := s.solve(d, d.splitAt, d.splitAt)
			low.right, low.hasRight = mid, true
			high.left, high.hasLeft = mid, true
		}
	} else {
		low.hi[d.branch], high.lo[d.branch] = d.splitAt, d.splitAt
	}
	s.push(low)
	s.push(high)
}

// solve solves the relaxation of a node with the loss at t and the given room
// for T0, offers its admission as a candidate and records its chord gaps.
func (s *search) solve(d *node, t, room float64) affine {
	bound := s.relax.solve(d, t, room)
	s.offer(s.p.admission(s.trial, s.relax.chain.sigma), room)
	for k := range s.touched {
		if gap, at := s.relax.chordGap(d, k); gap > s.touched[k] {
			s.touched[k], s.where[k] = gap, at
		}
	}
	return bound
}

// room returns the room for T0 with which the left end of a node is solved.
// At t1 = 0 no admission fits, and where boxes are branched on hardly any may
// fit at t1: the multiplier, the slope of the bound, would be useless at t2.
func (s *search) room(d *node) float64 {
	if !s.p.ordered || d.t1 == 0 {
		return d.t2
	}
	return d.t1
}

// boundPrinted bounds a node of a problem whose grace is subtracted from T0.
func (s *search) boundPrinted(d *node) {
	clear(s.touched)
	// The ends of an ordered problem bound both neighbors.
	if !s.p.ordered || !d.hasLeft || d.t1 == 0 {
		d.left, d.hasLeft = s.solve(d, d.t1, s.room(d)), true
	}
	if !s.p.ordered || !d.hasRight {
		d.right, d.hasRight = s.solve(d, d.t2, d.t2), true
	}
	s.choose(d)
}

// choose sets the bound of a node from its ends and where to split it.
func (s *search) choose(d *node) {
	var t float64
	d.bound, t = d.combine()
	d.branch, d.splitAt = -1, clamp(t, d.t1, d.t2)
	score := s.spread(d)
	for k, gap := range s.touched {
		if gap > score && d.most[k]-d.least[k] > 1e-12 {
			score = gap
			d.branch, d.splitAt = k, clamp(s.where[k], d.least[k], d.most[k])
		}
	}
}

// spread returns what taking the loss at t1 instead of t2 gives away: what
// splitting the interval of t could gain.
func (s *search) spread(d *node) float64 {
	if s.p.ordered {
		return math.Inf(1)
	}
	return d.left.at(d.t2) - d.right.at(d.t2)
}

// clamp returns x moved into the middle eight tenths of [lo, hi].
func clamp(x, lo, hi float64) float64 {
	w := 0.1 * (hi - lo)
	return math.Min(math.Max(x, lo+w), hi-w)
}

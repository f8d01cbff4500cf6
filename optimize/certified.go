package optimize

import (
	"container/heap"
	"context"
	"math"

	"revopt/model"
)

// Certified returns the global optimum of an admission problem with a proven
// relative gap, by branch and bound over t = Phi T0.
//
// For fixed t the loss sum_s omega_s (t-tau)^+ (g(sigma_s) - g(sigma_{s+1})),
// g(x) = 1/(1-x), is convex in the utilizations, because by parts its
// coefficients of g(sigma_s) are the differences of the urgencies, which
// ascend in the order of service. The rest is concave with one linear
// constraint; its dual gives an upper bound that is affine in t, and two such
// bounds cover an interval of t (see node.combine).
//
// Where graces differ between classes, or are subtracted from the wait, the
// coefficients may descend. Then the boxes of the cumulated utilizations are
// branched on too. The bound is valid in every case and the reported gap is
// the one proven, which is above the one asked for if MaxNodes ran out.
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
	upper float64

	// Scratch, by place: the largest chord gap and its sigma; and where the
	// grace is subtracted from the wait, the share of each class's loss that
	// counts, its excess and what its share gives away.
	touched, where        []float64
	theta, excess, wasted []float64
}

func newSearch(ctx context.Context, p *problem, settings Settings) *search {
	n, classes := len(p.beta), p.hol.Len()
	s := &search{
		ctx: ctx, p: p, relax: newRelaxation(p), settings: settings,
		admit: make([]float64, classes), trial: make([]float64, classes),
	}
	for _, v := range []*[]float64{&s.touched, &s.where, &s.theta, &s.excess, &s.wasted} {
		*v = make([]float64, n)
	}
	if settings.Start != nil {
		copy(s.trial, settings.Start)
		p.stabilize(s.trial)
		s.consider(p.hol.Revenue(s.trial)/p.money, p.kappaAt(s.trial))
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
func (s *search) consider(revenue, t float64) {
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
		if s.ctx.Err() != nil {
			return
		}
		d := root.child()
		d.t1, d.t2 = points[i], points[i+1]
		s.push(d)
	}
	pruned := s.best
	for s.ctx.Err() == nil && s.open.Len() > 0 && s.nodes < s.settings.maxNodes() {
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
// for T0, considers its admission and records its chord gaps.
func (s *search) solve(d *node, t, room float64) affine {
	bound := s.relax.solve(d, t, room)
	s.consider(s.p.admission(s.trial, s.relax.chain.sigma), room)
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

// node is a part of the search space: an interval of t = Phi T0 and a box of
// cumulated utilizations.
type node struct {
	t1, t2 float64
	// The box as branched on, and what the interval of t leaves of it.
	lo, hi      []float64
	least, most []float64
	// left and right bound the relaxed problem with the loss taken at t1 and
	// at t2, as functions of the room for T0.
	left, right affine
	hasLeft     bool
	hasRight    bool
	bound       float64

	branch  int     // where to split: -1 for t, else the place of a sigma
	splitAt float64 // the point of the split
}

// combine returns the upper bound of the node and where in [t1, t2] it is
// attained. For fixed admission the relaxed loss is affine in t, so the
// relaxed optimum F(t', t), with the loss at t' and room t, is convex in t'
// as a maximum of affine functions: with a = (t-t1)/(t2-t1)
//
//	F(t, t) <= (1-a) F(t1, t) + a F(t2, t) <= (1-a) left(t) + a right(t),
//
// a quadratic in a.
func (d *node) combine() (bound, t float64) {
	w := d.t2 - d.t1
	c0 := d.left.at(d.t1)
	c1 := d.right.at(d.t1) - c0 + d.left.slope*w
	c2 := (d.right.slope - d.left.slope) * w
	bound, t = c0, d.t1
	if end := c0 + c1 + c2; end > bound {
		bound, t = end, d.t2
	}
	if c2 < 0 {
		if a := -c1 / (2 * c2); a > 0 && a < 1 {
			if v := c0 + a*(c1+a*c2); v > bound {
				bound, t = v, d.t1+a*w
			}
		}
	}
	return bound, t
}

// tighten sets least and most to what the interval of T0 and the neighboring
// utilizations leave of the box for admissions that earn at least best, and
// reports whether anything is left.
func (d *node) tighten(p *problem, best float64) bool {
	n := len(p.beta)
	copy(d.least, d.lo)
	copy(d.most, d.hi)
	d.affordable(p, best)
	smallest, largest := math.Inf(1), 0.0
	for _, k := range p.kappa {
		largest = math.Max(largest, k)
	}
	for s := n - 1; s >= 0; s-- {
		smallest = math.Min(smallest, p.kappa[s])
		above, room := 0.0, p.beta[s]
		if s+1 < n {
			above = d.least[s+1]
			room += d.most[s+1]
		}
		d.least[s] = math.Max(d.least[s], above)
		d.most[s] = math.Min(d.most[s], room)
		if smallest > 0 {
			// A whisker wider, so that rounding never cuts the optimum off.
			d.most[s] = math.Min(d.most[s], d.t2/smallest*(1+1e-12))
		}
	}
	if largest > 0 {
		d.least[0] = math.Max(d.least[0], d.t1/largest*(1-1e-12))
	}
	for s := range n - 1 {
		d.least[s+1] = math.Max(d.least[s+1], d.least[s]-p.beta[s])
		d.most[s+1] = math.Min(d.most[s+1], d.most[s])
	}
	for s := range n {
		if d.least[s] > d.most[s] {
			return false
		}
	}
	return true
}

// affordable lowers most to where the loss alone would eat what could be
// earned beyond best. With weights of at least w in the classes from s on,
// their loss is at least w (g(sigma_s) - 1) less what the graces forgive.
func (d *node) affordable(p *problem, best float64) {
	forgiven, least := 0.0, math.Inf(1)
	for s := len(p.beta) - 1; s >= 0; s-- {
		if p.onWait {
			least = math.Min(least, p.omega[s]*d.t1)
			forgiven += p.omega[s] * p.tau[s] * p.beta[s]
		} else {
			least = math.Min(least, p.omega[s]*math.Max(0, d.t1-p.tau[s]))
		}
		if least > 0 {
			room := (p.gross - best + forgiven) / least
			d.most[s] = math.Min(d.most[s], room/(1+room)*(1+1e-12))
		}
	}
}

// lateness classifies class s where the grace is subtracted from the wait: 1
// where it is late everywhere in the node, 0 where nowhere, undecided else.
func (d *node) lateness(p *problem, s int) float64 {
	lo, hi := 0.0, 0.0
	if s+1 < len(d.lo) {
		lo, hi = d.least[s+1], d.most[s+1]
	}
	switch tau := p.tau[s]; {
	case d.t1 >= tau*(1-d.least[s])*(1-lo):
		return 1
	case d.t2 <= tau*(1-d.most[s])*(1-hi):
		return 0
	}
	return undecided
}

// child returns a copy of the node that owns its box.
func (d *node) child() *node {
	n := len(d.lo)
	box := make([]float64, 4*n)
	c := *d
	c.lo, c.hi, c.least, c.most = box[:n:n], box[n:2*n:2*n], box[2*n:3*n:3*n], box[3*n:]
	copy(c.lo, d.lo)
	copy(c.hi, d.hi)
	copy(c.least, d.least)
	copy(c.most, d.most)
	return &c
}

// frontier is a heap of nodes, the largest bound first.
type frontier []*node

func (f frontier) Len() int           { return len(f) }
func (f frontier) Less(i, j int) bool { return f[i].bound > f[j].bound }
func (f frontier) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)        { *f = append(*f, x.(*node)) }
func (f *frontier) Pop() any {
	old := *f
	last := old[len(old)-1]
	*f = old[:len(old)-1]
	return last
}

// undecided marks a class that is late in part of a node.
const undecided = -1

// boundOnWait bounds a node of a problem whose graces are subtracted from the
// wait: the loss of class s is (x_s)^+ with
// x_s = omega_s (t (g(sigma_s) - g(sigma_{s+1})) - tau_s rho_s).
//
// (x)^+ >= theta x for every theta in [0, 1], so any shares theta give a
// valid bound, the same for both ends of the interval. theta is 1 where the
// class is late everywhere in the node and 0 where it is nowhere; for the
// other classes a few values are tried and the least bound is kept.
func (s *search) boundOnWait(d *node) {
	d.bound = math.Inf(1)
	decided := true
	for k := range s.theta {
		s.theta[k] = d.lateness(s.p, k)
		decided = decided && s.theta[k] != undecided
	}
	s.tryShares(d, 1)
	if !decided {
		s.tryShares(d, 0)
	}
}

// tryShares bounds the node with the shares in s.theta. Those of undecided
// classes are first set to the given share, then moved half-way and all the
// way to what the solution asks for.
func (s *search) tryShares(d *node, share float64) {
	for k, theta := range s.theta {
		if theta == undecided {
			theta = share
		}
		s.relax.theta[k] = theta
	}
	for _, far := range [3]float64{0.5, 1, 0} {
		if !s.boundShares(d) || far == 0 {
			return
		}
		for k, theta := range s.theta {
			if theta == undecided {
				want := 0.0
				if s.excess[k] > 0 {
					want = 1
				}
				s.relax.theta[k] += far * (want - s.relax.theta[k])
			}
		}
	}
}

// boundShares bounds the node with the shares in s.relax.theta and reports
// whether the solution asks for other shares. It leaves the excesses of the
// classes, summed over the two ends, in s.excess.
func (s *search) boundShares(d *node) (move bool) {
	trial := *d
	clear(s.touched)
	clear(s.excess)
	clear(s.wasted)
	trial.left = s.solve(d, d.t1, s.room(d))
	s.addExcess(d.t1)
	trial.right = s.solve(d, d.t2, d.t2)
	s.addExcess(d.t2)
	s.choose(&trial)
	if trial.bound < d.bound {
		*d = trial
		s.chooseUndecided(d)
	}
	for k, theta := range s.theta {
		move = move || theta == undecided && s.wasted[k] > 0
	}
	return move
}

// addExcess adds the excess of each class at the last solution, with T0 at t,
// and records the most that its share gives away: (x)^+ - theta x.
func (s *search) addExcess(t float64) {
	for k := range s.excess {
		x := s.relax.excess(k, t)
		s.excess[k] += x
		s.wasted[k] = math.Max(s.wasted[k], math.Max(0, x)-s.relax.theta[k]*x)
	}
}

// chooseUndecided splits the node where an undecided class gives away more
// than the interval of t and the chords do: at the variable, of the three
// that decide its wait, with which the wait varies most.
func (s *search) chooseUndecided(d *node) {
	score := s.spread(d)
	for _, gap := range s.touched {
		score = math.Max(score, gap)
	}
	class := -1
	for k, wasted := range s.wasted {
		if s.theta[k] == undecided && wasted > score {
			score, class = wasted, k
		}
	}
	if class < 0 {
		return
	}
	d.branch = -1
	d.splitAt = (d.t1 + d.t2) / 2
	widest := math.Log(d.t2 / math.Max(d.t1, 1e-3*d.t2))
	for k := class; k <= class+1 && k < len(d.lo); k++ {
		if w := math.Log((1 - d.least[k]) / (1 - d.most[k])); w > widest {
			widest = w
			d.branch = k
			d.splitAt = 1 - math.Sqrt((1-d.least[k])*(1-d.most[k]))
		}
	}
}

// seed considers local optima before the search starts, so that it prunes early.
func (s *search) seed() {
	local := newLocal(s.ctx, s.p.hol)
	for _, q := range local.best(4+len(s.p.beta), s.settings) {
		copy(s.trial, q)
		s.p.stabilize(s.trial)
		s.consider(s.p.hol.Revenue(s.trial)/s.p.money, s.p.kappaAt(s.trial))
	}
}

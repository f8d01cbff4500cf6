package optimize

import "math"

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
	undecided := false
	for k := range s.theta {
		switch d.lateness(s.p, k) {
		case 1:
			s.theta[k] = 1
		case 0:
			s.theta[k] = 0
		default:
			undecided = true
			s.theta[k] = -1
		}
	}
	for first := 1.0; first >= 0; first-- {
		s.tryShares(d, first)
		if !undecided {
			return
		}
	}
}

// tryShares bounds the node with the shares in s.theta, those of undecided
// classes being first set to the given share and then moved towards what the
// solution says.
func (s *search) tryShares(d *node, share float64) {
	for k, theta := range s.theta {
		if theta < 0 {
			theta = share
		}
		s.relax.theta[k] = theta
	}
	for round := range 3 {
		move := s.boundShares(d)
		if !move || round == 2 {
			return
		}
		for k, theta := range s.theta {
			if theta < 0 {
				s.relax.theta[k] = s.next(k, round)
			}
		}
	}
}

// next moves the share of class k half-way, then all the way, to what its
// excess at the last solutions asks for.
func (s *search) next(k, round int) float64 {
	want := 0.0
	if s.where[k] > 0 {
		want = 1
	}
	if round == 0 {
		return (s.relax.theta[k] + want) / 2
	}
	return want
}

// boundShares bounds the node with the shares in s.relax.theta and reports
// whether the solution asks for other shares. s.where is left with the sum of
// the excesses of each class at the two ends.
func (s *search) boundShares(d *node) (move bool) {
	trial := *d
	clear(s.touched)
	trial.left = s.solve(d, d.t1, d.room(d.t1))
	excess := make([]float64, len(s.theta))
	gap := make([]float64, len(s.theta))
	for k := range excess {
		excess[k] = s.relax.excess(k, d.t1)
		gap[k] = s.shareGap(k, excess[k])
	}
	trial.right = s.solve(d, d.t2, d.t2)
	for k := range excess {
		x := s.relax.excess(k, d.t2)
		gap[k] = math.Max(gap[k], s.shareGap(k, x))
		excess[k] += x
	}
	s.choose(&trial)
	if trial.bound < d.bound {
		box := d.child()
		*d = trial
		d.lo, d.hi, d.least, d.most = box.lo, box.hi, box.least, box.most
		s.chooseUndecided(d, gap)
	}
	for k := range excess {
		s.where[k] = excess[k]
		if s.theta[k] < 0 && gap[k] > 0 {
			move = true
		}
	}
	return move
}

// shareGap returns (x)^+ - theta x: what the share of class k gives away.
func (s *search) shareGap(k int, x float64) float64 {
	return math.Max(0, x) - s.relax.theta[k]*x
}

// chooseUndecided splits the node where a class that is late in part of it
// gives away more than the interval of t and the chords do.
func (s *search) chooseUndecided(d *node, gap []float64) {
	score := d.bound - math.Max(d.left.at(d.t1), d.right.at(d.t2))
	for _, g := range s.touched {
		score = math.Max(score, g)
	}
	class := -1
	for k, g := range gap {
		if s.theta[k] < 0 && g > score {
			score, class = g, k
		}
	}
	if class < 0 {
		return
	}
	// Of the three variables that decide the wait, the one it varies with most.
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

// seed offers local optima before the search starts, so that it prunes early.
func (s *search) seed() {
	local := newLocal(s.p.hol)
	for _, q := range local.best(4+len(s.p.beta), s.settings) {
		copy(s.trial, q)
		s.p.stabilise(s.trial)
		s.offer(s.p.hol.Revenue(s.trial)/s.p.money, s.p.kappaAt(s.trial))
	}
}

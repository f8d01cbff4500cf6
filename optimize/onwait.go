package optimize

import "math"

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

// seed offers local optima before the search starts, so that it prunes early.
func (s *search) seed() {
	local := newLocal(s.p.hol)
	for _, q := range local.best(4+len(s.p.beta), s.settings) {
		copy(s.trial, q)
		s.p.stabilise(s.trial)
		s.offer(s.p.hol.Revenue(s.trial)/s.p.money, s.p.kappaAt(s.trial))
	}
}

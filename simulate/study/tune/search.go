package tune

import (
	"context"
	"slices"

	"revopt/simulate/plan"
)

// search changes as few settings as earn most. From today's settings it repeats: all settings that are still as
// today race, each at some of its values, and the first leader that gains beyond chance enters; then every
// setting leaves without which the value is not lower beyond chance. When no setting enters, the values of those that
// are left are moved, and settings may leave once more. A setting that left does not come back.
//
// Beyond chance means: by the interval of confirmed at the level of the race, on replications that no round has seen,
// and by FlatShare or more. A setting may also enter, or stay, as fewer rules are broken with it.
type search struct {
	*race
	order []int // knobs that entered, the first one first
	left  []bool
	tries [][]int // places that a knob is tried at
}

// Step is how far a search is.
type Step struct {
	Runs, Limit int     // of the search; it may end earlier, or exceed the limit by a round
	Gain        float64 // of the best so far over today's settings, $/s or in the unit of the objective
	Objective   string  // of the search
	Best        string  // its label
}

// run searches, and returns the best candidate.
func (s *search) run(ctx context.Context) (*candidate, error) {
	at := s.now
	s.left = make([]bool, len(s.knobs))
	start := s.start()
	for k, knob := range s.knobs {
		s.tries = append(s.tries, knob.spread(start[k]))
	}
	for {
		if s.runs >= s.limit {
			s.spent = true
			break
		}
		s.best = at
		next, err := s.enter(ctx, at)
		if err != nil {
			return nil, err
		}
		if next == at {
			break
		}
		at, err = s.leave(ctx, next)
		if err != nil {
			return nil, err
		}
	}
	at, err := s.adjust(ctx, at)
	if err != nil {
		return nil, err
	}
	return s.leave(ctx, at)
}

// spread returns places at which a knob is tried: the middles of four parts of its values, and a start.
func (k knob) spread(start int) []int {
	list := []int{start}
	last := len(k.values) - 1
	for part := range 4 {
		list = append(list, ((2*part+1)*last+4)/8)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(place int) bool { return place == k.now })
}

// fewTries is how many values of a setting are tried after the first round.
const fewTries = 2

// enter returns a candidate with one setting more that gains beyond chance, else the candidate itself. After its first
// round a setting is tried at its best values only.
func (s *search) enter(ctx context.Context, at *candidate) (*candidate, error) {
	var moves []*candidate
	tried := map[int][]*candidate{} // by knob
	for k, knob := range s.knobs {
		if at.places[k] != knob.now || s.left[k] {
			continue
		}
		for _, place := range s.tries[k] {
			c := s.moved(at, k, place)
			moves = append(moves, c)
			tried[k] = append(tried[k], c)
		}
	}
	leaders, err := s.round(ctx, at, FlatShare, moves)
	if err != nil {
		return nil, err
	}
	for k, list := range tried {
		slices.SortStableFunc(list, s.ahead)
		s.tries[k] = s.tries[k][:0]
		for _, c := range list[:min(len(list), fewTries)] {
			s.tries[k] = append(s.tries[k], c.places[k])
		}
	}
	for _, c := range leaders {
		if err := s.confirm(ctx, at, c); err != nil {
			return nil, err
		}
		if s.gains(c, at, FlatShare) {
			s.order = append(s.order, s.differing(at, c)...)
			return c, nil
		}
	}
	return at, nil
}

// differing returns the knobs at which candidates differ.
func (s *search) differing(a, b *candidate) (list []int) {
	for k := range s.knobs {
		if a.places[k] != b.places[k] {
			list = append(list, k)
		}
	}
	return list
}

// gains reports whether a candidate breaks fewer rules than another one, or as many and gains beyond chance, and at least a
// share of the value.
func (r *race) gains(c, than *candidate, least float64) bool {
	broken, gain := r.confirmed(c, than, r.level)
	low, _ := gain.Bounds()
	return broken < 0 || broken == 0 && low > 0 && gain.Mean >= r.share(than, least)
}

// leave turns settings back, one at a time, the one first without which the value is highest, while that
// neither breaks a rule nor costs value beyond chance.
func (s *search) leave(ctx context.Context, at *candidate) (*candidate, error) {
	for {
		changed := s.differing(s.now, at)
		var out *candidate
		knob := -1
		for _, k := range changed {
			back := s.moved(at, k, s.knobs[k].now)
			if err := s.confirm(ctx, at, back); err != nil {
				return nil, err
			}
			if s.gains(at, back, FlatShare) {
				continue
			}
			if broken, _ := s.confirmed(back, at, s.level); broken > 0 {
				continue
			}
			if out == nil || s.mean(back) > s.mean(out) {
				out, knob = back, k
			}
		}
		if out == nil {
			return at, nil
		}
		at = out
		s.left[knob] = true
		s.order = slices.DeleteFunc(s.order, func(k int) bool { return k == knob })
	}
}

// mean returns the value of a candidate on fresh replications, $/s; of an objective that is to be small its mean with
// the sign changed, so that more is better.
func (r *race) mean(c *candidate) float64 {
	return plan.Merit(r.objective, c.fresh.Interval(plan.ObjectiveMeasure(r.objective), -1).Mean)
}

// adjust moves the values of changed settings up and down, by 4 steps, then 2, then 1, while that gains beyond chance.
func (s *search) adjust(ctx context.Context, at *candidate) (*candidate, error) {
	for step := raceStep; step > 0; {
		if s.runs >= s.limit {
			s.spent = s.spent || at != s.now
			break
		}
		var moves []*candidate
		for _, k := range s.differing(s.now, at) {
			for _, to := range []int{at.places[k] + step, at.places[k] - step} {
				if c := s.moved(at, k, to); c.places[k] != s.knobs[k].now {
					moves = append(moves, c)
				}
			}
		}
		leaders, err := s.round(ctx, at, worth, moves)
		if err != nil {
			return nil, err
		}
		if len(leaders) > 0 {
			if err := s.confirm(ctx, at, leaders[0]); err != nil {
				return nil, err
			}
		}
		if len(leaders) == 0 || !s.gains(leaders[0], at, worth) {
			step /= 2
			continue
		}
		at = leaders[0]
		s.best = at
	}
	return at, nil
}

// flat returns the values of changed settings, up to raceStep steps from those of a
// candidate, between which the loss is below the noise or below FlatShare.
func (s *search) flat(ctx context.Context, best *candidate) (map[string][2]string, error) {
	ranges := map[string][2]string{}
	for _, k := range s.differing(s.now, best) {
		knob, at := s.knobs[k], best.places[k]
		var near []*candidate // by place
		from := max(0, at-raceStep)
		for to := from; to <= min(at+raceStep, len(knob.values)-1); to++ {
			near = append(near, s.moved(best, k, to))
		}
		if err := s.measure(ctx, min(8, s.most), near...); err != nil {
			return nil, err
		}
		ends := [2]string{knob.values[at], knob.values[at]}
		for i, step := range []int{-1, 1} {
			for to := at + step - from; to >= 0 && to < len(near); to += step {
				broken, gain := s.versus(near[to], best)
				if broken > 0 || gain.Mean < -max(gain.HalfWidth, s.share(best, FlatShare)) {
					break
				}
				ends[i] = knob.values[from+to]
			}
		}
		ranges[knob.name] = ends
	}
	return ranges, nil
}

package run

import (
	"cmp"
	"context"
	"slices"

	"revopt/internal/text"
)

// Run changes as few coordinates as deliver most, and returns the best candidate. From today it repeats: all coordinates
// that are still as today race, each at some of its values, and the first leader that gains beyond chance enters; then
// every coordinate leaves without which the value is not lower beyond chance. When none enters, the values of those
// that are left are moved, and coordinates may leave once more. A coordinate that left does not come back.
//
// Beyond chance means: by the interval of Confirmed at the level of the search, on replications that no round has seen,
// and by FlatShare or more. A coordinate may also enter, or stay, as fewer rules are broken with it. Promises that are
// broken today are no rules.
func (s *Search) Run(ctx context.Context) (*Candidate, error) {
	s.Now = s.at(text.Each(s.Coordinates, func(c Coordinate) int { return c.Now }))
	if err := s.measure(ctx, s.Most, s.Now); err != nil {
		return nil, err
	}
	if err := s.Confirm(ctx, s.Now); err != nil {
		return nil, err
	}
	s.Promises = text.Where(s.Promises, func(p Promise) bool { return p.Excess(&s.seen, s.Now.Case) == 0 })
	at := s.Now
	s.left = make([]bool, len(s.Coordinates))
	s.tries = text.Each(s.Coordinates, Coordinate.spread)
	for {
		if s.Runs >= s.Limit {
			s.Spent = true
			break
		}
		next, err := s.enter(ctx, at)
		if err != nil {
			return nil, err
		}
		if next == at {
			break
		}
		at, err = s.Leave(ctx, next)
		if err != nil {
			return nil, err
		}
	}
	at, err := s.adjust(ctx, at, raceStep, worth, func(at *Candidate, step int) (moves []*Candidate) {
		for _, k := range s.differing(s.Now, at) {
			for _, c := range s.around(at, step, k) {
				if c.Places[k] != s.Coordinates[k].Now {
					moves = append(moves, c)
				}
			}
		}
		return moves
	})
	if err != nil {
		return nil, err
	}
	return s.Leave(ctx, at)
}

// Climb moves all coordinates by so many steps, then by half as many, down to one, from the best of some places. It
// returns what it comes to, or one of these places if that delivers more on replications that no round has seen.
func (s *Search) Climb(ctx context.Context, step int, starts [][]int) (*Candidate, error) {
	list := text.Each(starts, s.at)
	s.Now = list[0]
	if err := s.measure(ctx, s.Most, list...); err != nil {
		return nil, err
	}
	if err := s.Confirm(ctx, list...); err != nil {
		return nil, err
	}
	every := text.Numbers(len(s.Coordinates))
	at, err := s.adjust(ctx, slices.MinFunc(list, s.ahead), step, 0, func(at *Candidate, step int) []*Candidate {
		return text.Join(every, func(k int) []*Candidate { return s.around(at, step, k) })
	})
	if err != nil {
		return nil, err
	}
	return slices.MaxFunc(append([]*Candidate{at}, list...), func(a, b *Candidate) int {
		return cmp.Compare(s.Mean(a), s.Mean(b))
	}), nil
}

// around returns the candidates with a coordinate so many steps up and down.
func (s *Search) around(at *Candidate, step, k int) []*Candidate {
	return []*Candidate{s.moved(at, k, at.Places[k]+step), s.moved(at, k, at.Places[k]-step)}
}

// spread returns places at which a coordinate is tried: the middles of four parts of its values, and its start.
func (c Coordinate) spread() []int {
	list := []int{c.Start}
	last := len(c.Values) - 1
	for part := range 4 {
		list = append(list, ((2*part+1)*last+4)/8)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(place int) bool { return place == c.Now })
}

// fewTries is how many values of a coordinate are tried after the first round.
const fewTries = 2

// enter returns a candidate with one coordinate more that gains beyond chance, else the candidate itself. After its
// first round a coordinate is tried at its best values only.
func (s *Search) enter(ctx context.Context, at *Candidate) (*Candidate, error) {
	var moves []*Candidate
	tried := map[int][]*Candidate{} // by coordinate
	for k, c := range s.Coordinates {
		if at.Places[k] != c.Now || s.left[k] {
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
			s.tries[k] = append(s.tries[k], c.Places[k])
		}
	}
	for _, c := range leaders {
		if err := s.Confirm(ctx, at, c); err != nil {
			return nil, err
		}
		if s.Gains(c, at, FlatShare) {
			s.order = append(s.order, s.differing(at, c)...)
			return c, nil
		}
	}
	return at, nil
}

// differing returns the coordinates at which candidates differ.
func (s *Search) differing(a, b *Candidate) (list []int) {
	for k := range s.Coordinates {
		if a.Places[k] != b.Places[k] {
			list = append(list, k)
		}
	}
	return list
}

// Leave turns coordinates back, one at a time, the one first without which the value is highest, while that neither
// breaks a rule nor costs value beyond chance.
func (s *Search) Leave(ctx context.Context, at *Candidate) (*Candidate, error) {
	for {
		var out *Candidate
		turned := -1
		for _, k := range s.differing(s.Now, at) {
			back := s.moved(at, k, s.Coordinates[k].Now)
			if err := s.Confirm(ctx, at, back); err != nil {
				return nil, err
			}
			if s.Gains(at, back, FlatShare) {
				continue
			}
			if broken, _ := s.Confirmed(back, at, s.Level); broken > 0 {
				continue
			}
			if out == nil || s.Mean(back) > s.Mean(out) {
				out, turned = back, k
			}
		}
		if out == nil {
			return at, nil
		}
		at = out
		s.left[turned] = true
		s.order = slices.DeleteFunc(s.order, func(k int) bool { return k == turned })
	}
}

// adjust makes the best move by so many steps, then by half as many, down to one, while that gains beyond chance, and at
// least a share of the value.
func (s *Search) adjust(ctx context.Context, at *Candidate, step int, least float64,
	moves func(at *Candidate, step int) []*Candidate) (*Candidate, error) {
	for step > 0 {
		if s.Runs >= s.Limit {
			s.Spent = s.Spent || at != s.Now
			break
		}
		leaders, err := s.round(ctx, at, least, moves(at, step))
		if err != nil {
			return nil, err
		}
		if len(leaders) > 0 {
			if err := s.Confirm(ctx, at, leaders[0]); err != nil {
				return nil, err
			}
		}
		if len(leaders) == 0 || !s.Gains(leaders[0], at, least) {
			step /= 2
			continue
		}
		at = leaders[0]
	}
	return at, nil
}

// Flat returns the values of changed coordinates by name, up to raceStep steps from those of a candidate, between which
// the loss is below the noise or below FlatShare.
func (s *Search) Flat(ctx context.Context, best *Candidate) (map[string][2]string, error) {
	ranges := map[string][2]string{}
	for _, k := range s.differing(s.Now, best) {
		c, at := s.Coordinates[k], best.Places[k]
		var near []*Candidate // by place
		from := max(0, at-raceStep)
		for to := from; to <= min(at+raceStep, len(c.Values)-1); to++ {
			near = append(near, s.moved(best, k, to))
		}
		if err := s.measure(ctx, min(8, s.Most), near...); err != nil {
			return nil, err
		}
		ends := [2]string{c.Values[at], c.Values[at]}
		for i, step := range []int{-1, 1} {
			for to := at + step - from; to >= 0 && to < len(near); to += step {
				broken, gain := s.versus(near[to], best)
				if broken > 0 || gain.Mean < -max(gain.HalfWidth, s.share(best, FlatShare)) {
					break
				}
				ends[i] = c.Values[from+to]
			}
		}
		ranges[c.Name] = ends
	}
	return ranges, nil
}

// Changed returns the coordinates of a candidate that differ from today's, in the order in which they entered.
func (s *Search) Changed(c *Candidate) []int {
	list := s.differing(s.Now, c)
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(slices.Index(s.order, a), slices.Index(s.order, b))
	})
	return list
}

// Without returns candidates with each changed coordinate turned back, in the order of Changed.
func (s *Search) Without(c *Candidate) (list []*Candidate) {
	for _, k := range s.Changed(c) {
		list = append(list, s.moved(c, k, s.Coordinates[k].Now))
	}
	return list
}

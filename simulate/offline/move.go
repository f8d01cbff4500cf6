package offline

import (
	"cmp"
	"math"
	"slices"
)

// mostOut is how many jobs of each kind a move takes out at most, and mostAfter how many of those that may run earlier
// when it is over.
const (
	mostOut   = 24
	mostAfter = 4
)

// move takes some jobs out and puts them back in another order, where the schedule then loses at most so much more. It
// returns how much more that is, and whether it was done.
func (s *schedule) move(more float64) (change float64, done bool) {
	s.choose()
	s.before = s.before[:0]
	var old, sum float64
	for _, i := range s.out {
		s.before = append(s.before, s.start[i])
		old += s.loss[i]
		sum += s.least[i]
		s.take(i)
		s.marked[i] = false
	}
	put := 0
	for ; put < len(s.out) && sum <= old+more; put++ {
		i := s.out[put]
		s.put(i)
		sum += s.loss[i] - s.least[i]
	}
	if sum <= old+more {
		s.total += sum - old
		return sum - old, true
	}
	for _, i := range s.out[:put] {
		s.take(i)
	}
	s.undo()
	return sum - old, false
}

// undo puts the jobs of a move back to where they were; all of them are out.
func (s *schedule) undo() {
	for k, i := range s.out {
		s.restore(i, s.before[k])
	}
}

// choose chooses the jobs of a move, and their order. One that loses something goes first, to start at some time between
// its release and its start. The others start while it then runs, or run already. They keep their order, or two of them
// change places.
func (s *schedule) choose() {
	first := s.delayed()
	j := &s.jobs[first]
	latest := math.Min(j.Last, s.end)
	if s.runs(first) {
		latest = s.start[first]
	}
	at := j.Release + s.rnd.Float64()*math.Max(latest-j.Release, 0)
	few, swap, after := 1+s.rnd.IntN(mostOut), s.rnd.IntN(2) == 0, s.rnd.IntN(2) == 0
	s.out = s.out[:0]
	s.pick(first)
	if !math.IsInf(j.Skipped, 1) {
		s.ending(at, at+j.Length, few)
	}
	s.starting(at, at+j.Length, few)
	if after && s.runs(first) {
		s.starting(s.start[first], s.start[first]+j.Length, mostAfter)
	}
	rest := s.out[1:]
	slices.SortFunc(rest, func(a, b int32) int { return cmp.Or(cmp.Compare(s.start[a], s.start[b]), int(a-b)) })
	if swap && len(rest) > 1 {
		a, b := s.rnd.IntN(len(rest)), s.rnd.IntN(len(rest))
		rest[a], rest[b] = rest[b], rest[a]
	}
}

// delayed returns a job, if possible one that loses more than it has to.
func (s *schedule) delayed() (i int32) {
	const tries = 16
	for range tries {
		i = int32(s.rnd.IntN(len(s.jobs)))
		if s.loss[i] > s.least[i] {
			break
		}
	}
	return i
}

// pick adds a job to those of a move.
func (s *schedule) pick(i int32) {
	if !s.marked[i] {
		s.marked[i] = true
		s.out = append(s.out, i)
	}
}

// starting picks the first jobs that start in [from, to).
func (s *schedule) starting(from, to float64, most int) {
	s.line.each(from, to, func(job int32, starts bool) bool {
		if starts {
			s.pick(job)
			most--
		}
		return most > 0
	})
}

// ending picks some of the jobs that run at a time and end before another.
func (s *schedule) ending(from, to float64, most int) {
	const oneOf = 4
	s.line.each(from, to, func(job int32, starts bool) bool {
		if !starts && s.start[job] < from && s.rnd.IntN(oneOf) == 0 {
			s.pick(job)
			most--
		}
		return most > 0
	})
}

package offline

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// schedule says which job starts when.
type schedule struct {
	jobs  []Job
	least []float64 // losses of jobs that start at their release
	line  *timeline
	start []float64 // not a number where a job does not run
	loss  []float64
	total float64
	end   float64 // s, about when all jobs are over
	rnd   *rand.Rand

	out    []int32   // the jobs of a move, in the order in which they are put back
	before []float64 // their starts before it
	marked []bool    // whether a job is among them
}

// newSchedule returns a schedule in which nothing runs.
func newSchedule(jobs []Job, m Machine, rnd *rand.Rand) *schedule {
	from, to, area, longest := math.Inf(1), math.Inf(-1), 0.0, 0.0
	s := &schedule{jobs: jobs, rnd: rnd, start: make([]float64, len(jobs)), loss: make([]float64, len(jobs)),
		least: make([]float64, len(jobs)), marked: make([]bool, len(jobs))}
	for i := range jobs {
		j := &jobs[i]
		from, to = min(from, j.Release), max(to, j.Release)
		area += float64(j.Width) * j.Length
		longest = max(longest, j.Length)
		s.least[i] = min(j.Loss(j.Release), j.Skipped)
		s.start[i] = math.NaN()
	}
	s.end = max(to, from+area/float64(m.Nodes)) + longest
	s.line = newTimeline(len(jobs), m, from, s.end)
	return s
}

// runs reports whether a job runs.
func (s *schedule) runs(i int32) bool { return !math.IsNaN(s.start[i]) }

// put lets a job start at the first time at which it fits, if that is worth it.
func (s *schedule) put(i int32) {
	j := &s.jobs[i]
	at, change := s.line.fit(int32(j.Width), j.Length, j.Release, j.Last)
	s.start[i], s.loss[i] = math.NaN(), j.Skipped
	if change == none {
		return
	}
	if loss := j.Loss(at); loss < j.Skipped {
		s.start[i], s.loss[i] = at, loss
		s.line.add(i, change, at, at+j.Length, int32(j.Width))
	}
}

// restore lets a job start at a time at which it fits, or not at all.
func (s *schedule) restore(i int32, at float64) {
	j := &s.jobs[i]
	s.start[i], s.loss[i] = at, j.Skipped
	if !math.IsNaN(at) {
		s.loss[i] = j.Loss(at)
		s.line.add(i, s.line.at(at), at, at+j.Length, int32(j.Width))
	}
}

// take takes a job out.
func (s *schedule) take(i int32) {
	if s.runs(i) {
		s.line.remove(i, int32(s.jobs[i].Width))
		s.start[i] = math.NaN()
	}
}

// clear takes all jobs out.
func (s *schedule) clear() {
	for i := range s.jobs {
		s.take(int32(i))
	}
}

// generate puts all jobs in an order.
func (s *schedule) generate(order []int32) {
	s.clear()
	s.total = 0
	for _, i := range order {
		s.put(i)
		s.total += s.loss[i]
	}
}

// load makes the starts of the schedule those of another one.
func (s *schedule) load(start []float64) {
	s.clear()
	s.total = 0
	for i, at := range start {
		s.restore(int32(i), at)
		s.total += s.loss[i]
	}
}

// ordered returns the jobs by falling urgency, of which the smallest number goes first and no number last.
func ordered(urgency []float64) []int32 {
	list := make([]int32, len(urgency))
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := urgency[a], urgency[b]
		if math.IsNaN(x) || math.IsNaN(y) {
			return cmp.Compare(y, x) // not a number is before all others there
		}
		return cmp.Compare(x, y)
	})
	return list
}

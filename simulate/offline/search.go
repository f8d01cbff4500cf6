package offline

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
)

// Options say how long a search takes: so many moves, or so long if there are none. Equal options with moves have equal
// results, and a search that ends by time has the result of one with the moves that it reached.
type Options struct {
	Moves  int
	For    time.Duration
	Seed   uint64
	Starts [][]float64 // of the jobs in known schedules; not a number where a job does not run
}

// Result is the best schedule that a search has found.
type Result struct {
	Start []float64 // of the jobs; not a number where a job does not run
	Loss  float64
	Moves int
}

// firstCycle is the length of an annealing of every first schedule, in moves.
const firstCycle = 1000

// heats are the temperatures at which annealing starts, as shares of the mean rise of a move, and cooled is the last
// one as a share of the first. Which is best depends on the jobs, so that they take turns.
var heats = [...]float64{0.006, 0.2, 0.03}

const cooled = 0.02

// growth is by how much an annealing is longer than the one before.
const growth = 1.3

// search is a schedule on the way, and the best so far.
type search struct {
	*schedule
	ctx     context.Context
	options Options
	end     time.Time
	rise    float64 // the mean of moves that make the first schedule worse
	best    Result
}

// Search looks for a schedule of little loss. No job is wider than the machine. First every known schedule, and some
// simple ones, are annealed briefly, and the better half of them again, for longer, until one is left (successive
// halving). From then on the best schedule so far is annealed, longer and longer.
//
// Where ctx ends before, Search returns its error.
func Search(ctx context.Context, jobs []Job, m Machine, o Options) (Result, error) {
	rnd := rand.New(rand.NewPCG(o.Seed, uint64(len(jobs))))
	s := &search{schedule: newSchedule(jobs, m, rnd), ctx: ctx, options: o, end: time.Now().Add(o.For)}
	s.best = Result{Start: slices.Clone(s.start), Loss: math.Inf(1)}
	if len(jobs) == 0 {
		s.best.Loss = 0
		return s.best, nil
	}
	list := s.first()
	if err := ctx.Err(); err != nil {
		return s.best, err
	}
	s.load(list[0].Start)
	s.measure()
	length := firstCycle
	for ; len(list) > 1 && !s.over(); length *= 2 {
		for i := range list {
			s.load(list[i].Start)
			s.anneal(length, heats[i%len(heats)])
			list[i] = Result{Start: slices.Clone(s.start), Loss: s.total}
		}
		slices.SortStableFunc(list, func(a, b Result) int { return cmp.Compare(a.Loss, b.Loss) })
		list = list[:(len(list)+1)/2]
	}
	for turn := 0; !s.over() && s.best.Loss > 0; turn++ {
		s.load(s.best.Start)
		s.anneal(length, heats[turn%len(heats)])
		length = int(growth * float64(length))
	}
	return s.best, ctx.Err()
}

// first returns the schedules to start from, the best first.
func (s *search) first() (list []Result) {
	rules := []func(j *Job) float64{
		func(j *Job) float64 { return j.Release },
		func(j *Job) float64 { return j.Length },
		func(j *Job) float64 { return j.Length * float64(j.Width) },
		func(j *Job) float64 { return -math.Min(j.Skipped, math.MaxFloat64) / (j.Length * float64(j.Width)) },
		func(j *Job) float64 { return -j.Rate / (j.Length * float64(j.Width)) },
	}
	orders := slices.Clone(s.options.Starts)
	for _, rule := range rules {
		urgency := make([]float64, len(s.jobs))
		for i := range s.jobs {
			urgency[i] = rule(&s.jobs[i])
		}
		orders = append(orders, urgency)
	}
	for _, urgency := range orders {
		if s.ctx.Err() != nil {
			break
		}
		s.generate(ordered(urgency))
		s.keep()
		list = append(list, Result{Start: slices.Clone(s.start), Loss: s.total})
	}
	slices.SortStableFunc(list, func(a, b Result) int { return cmp.Compare(a.Loss, b.Loss) })
	return list
}

// measure finds the mean rise of moves.
func (s *search) measure() {
	const samples = 500
	var sum, n float64
	for range samples {
		if s.over() {
			return
		}
		rise, _ := s.schedule.move(math.Inf(1))
		for _, i := range s.out {
			s.take(i)
		}
		s.undo()
		s.total -= rise
		s.best.Moves++
		if rise > 0 {
			sum, n = sum+rise, n+1
		}
	}
	s.rise = sum / math.Max(n, 1)
}

// anneal makes so many moves, at a temperature that starts at a share of the mean rise and falls evenly on a scale of
// logarithms.
func (s *search) anneal(length int, heat float64) {
	for i := range length {
		if s.over() {
			break
		}
		temperature := heat * s.rise * math.Pow(cooled, float64(i)/float64(length))
		s.schedule.move(temperature * s.rnd.ExpFloat64())
		s.best.Moves++
		if i%(1+len(s.jobs)/sparse) == 0 {
			s.keep()
		}
	}
	s.keep()
}

// keep keeps the schedule if it is the best so far. Moves add their changes to the total, so that its rounding grows: the
// total is summed again before it counts.
func (s *search) keep() {
	if s.total < s.best.Loss {
		s.total = floats.Sum(s.loss)
	}
	if s.total < s.best.Loss {
		s.best.Loss = s.total
		copy(s.best.Start, s.start)
	}
}

// sparse is the number of jobs per move after which a schedule is compared with the best again, so that a move costs
// more than that.
const sparse = 64

// over reports whether the search is to end.
func (s *search) over() bool {
	if s.options.Moves > 0 {
		return s.best.Moves >= s.options.Moves || s.best.Moves%256 == 0 && s.ctx.Err() != nil
	}
	return s.best.Moves%256 == 0 && (s.ctx.Err() != nil || !time.Now().Before(s.end))
}

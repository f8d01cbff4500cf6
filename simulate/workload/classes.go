package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"revopt/model"
	"revopt/simulate"
)

// Classes is a source without end: a Poisson stream of jobs per class, merged
// in order of time. Lengths, widths, prices, graces and floors are those of
// the job's class; the rank is the class's place in model.ServiceOrder, so
// that the most urgent class, (14)-(15), is served first.
//
// Every class draws arrivals, lengths, widths and lots of admission from
// streams of its own, each once per job whatever becomes of it. So job k of a
// class has the same length in every run of one seed and replication, and the
// same time of submission where the class's rate is the same.
type Classes struct {
	streams []stream
}

// stream is the jobs of one class to come.
type stream struct {
	next    float64 // time of the next job, +Inf where there is none
	gap     float64 // mean time between jobs
	class   model.Class
	rank    int
	widths  []width
	arrival *rand.Rand
	length  *rand.Rand
	wide    *rand.Rand
	admit   *rand.Rand
}

// width is one of the widths of a class.
type width struct {
	nodes int
	below float64 // cumulative share of jobs
}

// NewClasses returns the jobs of the classes in one replication.
func NewClasses(classes []model.Class, seed uint64, replication int) (*Classes, error) {
	w := &Classes{streams: make([]stream, len(classes))}
	for i, c := range classes {
		widths, err := widthsOf(c)
		if err != nil {
			return nil, err
		}
		switch {
		case !(c.Rate >= 0) || math.IsInf(c.Rate, 1):
			return nil, fmt.Errorf("workload: class %s has rate %g", c.Name, c.Rate)
		case c.Expire == model.ExpireZero && c.Floor.None:
			return nil, fmt.Errorf("workload: a job of class %s that expires at value zero would cost an unbounded penalty", c.Name)
		}
		s := &w.streams[i]
		*s = stream{
			gap: 1 / c.Rate, class: c, widths: widths,
			arrival: simulate.Stream(seed, replication, "arrivals", i),
			length:  simulate.Stream(seed, replication, "lengths", i),
			wide:    simulate.Stream(seed, replication, "widths", i),
			admit:   simulate.Stream(seed, replication, "admission", i),
		}
		s.advance()
	}
	for rank, i := range model.ServiceOrder(classes) {
		w.streams[i].rank = rank
	}
	return w, nil
}

// widthsOf returns the widths of a class.
func widthsOf(c model.Class) ([]width, error) {
	if len(c.Width.Values) == 0 {
		return []width{{nodes: 1, below: 1}}, nil
	}
	var widths []width
	var sum float64
	for i, v := range c.Width.Values {
		if v < 1 || v != math.Trunc(v) || v > math.MaxInt32 {
			return nil, fmt.Errorf("workload: width %g of class %s is not a whole number of nodes", v, c.Name)
		}
		sum += c.Width.Weights[i]
		widths = append(widths, width{nodes: int(v), below: sum})
	}
	return widths, nil
}

// advance draws the time of the stream's next job.
func (s *stream) advance() { s.next += s.arrival.ExpFloat64() * s.gap }

// Next implements simulate.Source.
func (w *Classes) Next(j *simulate.Job) (ok bool, err error) {
	class, at := -1, math.Inf(1)
	for i := range w.streams {
		if next := w.streams[i].next; next < at {
			class, at = i, next
		}
	}
	if class < 0 {
		return false, nil
	}
	s := &w.streams[class]
	j.Class = class
	j.Rank = s.rank
	j.Submit = at
	j.Work = s.class.Length.Rand(s.length)
	j.Width = s.width()
	j.Chance = s.admit.Float64()
	s.value(j)
	s.advance()
	return true, nil
}

// width draws a width.
func (s *stream) width() int {
	last := len(s.widths) - 1
	if last == 0 {
		return s.widths[0].nodes
	}
	u := s.wide.Float64()
	for _, w := range s.widths[:last] {
		if u < w.below {
			return w.nodes
		}
	}
	return s.widths[last].nodes
}

// value sets what the job pays and when it gives up.
func (s *stream) value(j *simulate.Job) {
	u := s.class.Utility(j.Work, float64(j.Width))
	j.Value = simulate.Value{Price: u.Base, Due: u.Grace + j.Work, Decay: u.Decay, Floor: u.Penalty, Dated: u.Grace > 0}
	j.Spec.Details.Estimate = j.Work
	switch s.class.Expire {
	case model.ExpireFloor:
		j.Expire = j.Submit + u.Corner()
	case model.ExpireZero:
		j.Expire = j.Submit + u.Zero()
	default:
		j.Expire = math.Inf(1)
	}
}

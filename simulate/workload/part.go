package workload

import (
	"fmt"
	"io"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// Part returns the workload of some pools on one machine of their units together. Its jobs
// are those of the whole that come to these pools, drawn by the same random numbers. Its
// customers are the sections to which they come, and it has no pools itself. Each job has
// the best price of those pools of the part that it may run in.
func Part(w Workload, pools []int) (Workload, error) {
	p := w.Pools()
	if p == nil {
		return nil, fmt.Errorf("workload: a part of a workload without pools")
	}
	cut := &cut{pools: p, to: make([]int, len(p.Sections)), in: make([]bool, len(p.List))}
	for _, i := range pools {
		cut.in[i] = true
	}
	for i, s := range p.Sections {
		cut.to[i] = -1
		if s.Pool >= 0 && cut.in[s.Pool] && p.direct[i] {
			cut.to[i] = len(cut.from)
			cut.from = append(cut.from, i)
		}
	}
	switch w := w.(type) {
	case *Classes:
		return w.part(cut, p.units(cut.in)), nil
	case *Replay:
		return w.part(cut, p.units(cut.in)), nil
	}
	return nil, fmt.Errorf("workload: %T has no parts", w)
}

// cut is the part of a workload that some pools have.
type cut struct {
	pools *Pools
	in    []bool // by pool
	to    []int  // by section of the whole: its index in the part; negative: it is not there
	from  []int  // the inverse
	ranks []int  // by section of the part
}

// pick returns the entries of a list at some indices.
func pick[T any](at []int, list []T) []T {
	return text.Each(at, func(i int) T { return list[i] })
}

// source returns the jobs of the part out of those of the whole.
func (c *cut) source(jobs simulate.Source, err error) (simulate.Source, error) {
	return &cutSource{jobs, c}, err
}

// cutSource is the jobs of a part.
type cutSource struct {
	simulate.Source
	*cut
}

// Close closes the trace, if there is one.
func (s *cutSource) Close() error {
	if c, ok := s.Source.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Span implements Spanned: it is that of the whole, 0 for classes.
func (s *cutSource) Span() float64 {
	if whole, ok := s.Source.(Spanned); ok {
		return whole.Span()
	}
	return 0
}

// Next implements simulate.Source.
func (s *cutSource) Next(j *simulate.Job) (bool, error) {
	for {
		ok, err := s.Source.Next(j)
		if !ok || err != nil {
			return ok, err
		}
		if i := s.to[j.Class]; i >= 0 {
			s.improve(j)
			j.Class, j.Rank, j.Choice = i, s.ranks[i], 0
			return true, nil
		}
	}
}

// improve gives a job the best price of the pools of the part that it may run in. If all are
// too small for it, it never runs.
func (s *cutSource) improve(j *simulate.Job) {
	p := s.pools
	at := p.Sections[j.Class]
	terms, best := p.Customers[at.Customer].Terms, -1
	for _, from := range append([]int{at.Pool}, p.run.Choices[j.Choice]...) {
		for _, pool := range p.paths[from] {
			if j.Width > p.List[pool].Units { // it is refused there, or stays where it is
				break
			}
			if s.in[pool] && (best < 0 || terms != nil && terms[pool].PerNodeSecond > terms[best].PerNodeSecond) {
				best = pool
			}
		}
	}
	switch {
	case best < 0 && j.Width <= p.units(s.in): // the one machine would have room
		j.Void = true
	case best >= 0 && best != at.Pool && terms != nil:
		class := p.Customers[at.Customer].In(best)
		setValue(j, &class, j.Value.Hard)
	}
}

// part returns the part of a workload of classes. A window of a number of jobs has the
// share of the jobs that come to the part.
func (w *Classes) part(c *cut, nodes int) *Classes {
	part := *w
	part.whole, part.cut, part.pools, part.nodes, part.down = w, c, nil, nodes, w.down.part(c.in)
	part.classes, part.widths, part.hours = pick(c.from, w.classes), pick(c.from, w.widths), pick(c.from, w.hours)
	part.ranks = make([]int, len(part.classes))
	for rank, i := range model.ServiceOrder(part.classes) {
		part.ranks[i] = rank
	}
	c.ranks = part.ranks
	return &part
}

// part returns the part of a replayed trace.
func (w *Replay) part(c *cut, nodes int) *Replay {
	part := *w
	part.whole, part.cut, part.pools, part.jobs, part.others = w, c, nil, nil, 0
	part.down = w.down.part(c.in)
	part.classes, part.pays, part.ranks = pick(c.from, w.classes), pick(c.from, w.pays), pick(c.from, w.ranks)
	part.sections = pick(c.from, w.sections)
	if w.urgency != nil {
		for rank, i := range model.ByUrgency(pick(c.from, w.urgency)) {
			part.ranks[i] = rank
		}
	}
	c.ranks = part.ranks
	if w.options.Classes != nil {
		part.options.Classes = part.classes
	}
	part.resize(nodes)
	part.trace.hosts, part.trace.other, part.trace.cleaning.Left = 0, false, 0
	for _, s := range part.sections {
		part.jobs = append(part.jobs, s.jobs)
		part.trace.cleaning.Left += s.seen
	}
	return &part
}

package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"revopt/simulate"
)

// Trace is a selection of jobs, read and cleaned. It is never changed, so it
// may be shared between replications that run side by side.
type Trace struct {
	selection Selection
	nodes     int
	header    int // nodes by the header of the file, 0 where it does not say
	cleaning  Cleaning
	entries   []entry // nil where there are too many to keep
}

// maxKept is how many jobs of a trace are kept in memory; a longer one is read
// anew by every replication.
const maxKept = 1 << 20

// Load reads a selection once, to the end, so that whatever is wrong with it
// is known before anything is simulated. Of a generated trace it reads
// replication 0 of the given seed.
func Load(s Selection, seed uint64) (*Trace, error) {
	t := &Trace{selection: s, cleaning: Cleaning{Rule: s.Rule}}
	f, err := t.open(seed, 0, &t.cleaning)
	if err != nil {
		return nil, err
	}
	defer f.close()
	t.nodes, t.header = f.stream.Nodes, f.stream.Header.Nodes()
	var e entry
	for {
		ok, err := f.next(&e)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return t, t.check()
		case s.File != SP2Like && f.cleaning.Left <= maxKept:
			t.entries = append(t.entries, e)
		default:
			t.entries = nil
		}
	}
}

// check refuses traces that make no workload.
func (t *Trace) check() error {
	switch {
	case t.cleaning.Read == 0:
		return &Error{File: t.selection.File, Message: fmt.Sprintf("no jobs in %s", t.selection.Subset)}
	case t.cleaning.Left == 0:
		return &Error{File: t.selection.File, Message: fmt.Sprintf("no job of %s ran (cleaning: drop)", t.selection.Subset)}
	case t.nodes == 0:
		return &Error{File: t.selection.File, Message: "the header gives neither MaxProcs nor MaxNodes: say how many nodes there are"}
	}
	return nil
}

// Nodes returns the size of the machine.
func (t *Trace) Nodes() int { return t.nodes }

// HeaderNodes returns the size of the machine by the header of the file, 0 where
// it does not say. A selection may say otherwise.
func (t *Trace) HeaderNodes() int { return t.header }

// Subset returns which part of the trace it is.
func (t *Trace) Subset() Subset { return t.selection.Subset }

// Cleaning returns what was counted, in replication 0 of a generated trace.
func (t *Trace) Cleaning() Cleaning { return t.cleaning }

// feed is one pass over the entries of a trace.
type feed struct {
	stream   *Stream // nil where the entries are kept
	cleaning *Cleaning
	kept     []entry
}

// open starts a pass over the trace as read from its file or generated.
func (t *Trace) open(seed uint64, replication int, count *Cleaning) (*feed, error) {
	s, err := t.selection.Open(seed, replication)
	if err != nil {
		return nil, err
	}
	return &feed{stream: s, cleaning: count}, nil
}

// next returns the next entry that cleaning leaves.
func (f *feed) next(e *entry) (bool, error) {
	if f.stream == nil {
		if len(f.kept) == 0 {
			return false, nil
		}
		*e, f.kept = f.kept[0], f.kept[1:]
		return true, nil
	}
	var r Record
	for {
		ok, err := f.stream.Next(&r)
		if !ok || err != nil {
			return false, err
		}
		if f.cleaning.apply(&r, f.stream.Nodes, e) {
			return true, nil
		}
	}
}

func (f *feed) close() error {
	if f.stream == nil {
		return nil
	}
	return f.stream.Close()
}

// Shape says how the jobs of a trace arrive and what their users ask for.
type Shape struct {
	Delay float64 // arrival delay factor: scales every time between arrivals
	QoS   *QoS    // nil: users state nothing but their own estimates
	Split *Split  // nil: jobs are whole; needs QoS
}

// Jobs is the source of the jobs of a trace in one replication. Time starts at
// the first of them. Money is left to the policy: prices are 0.
type Jobs struct {
	feed      *feed
	shape     Shape
	decorator *decorator // nil without QoS
	splitter  *splitter  // nil where jobs are whole
	lots      *rand.Rand
	begun     bool
	first     float64
}

// Jobs returns the jobs of one replication. Close it after use.
func (t *Trace) Jobs(shape Shape, seed uint64, replication int) (*Jobs, error) {
	if !(shape.Delay > 0) || math.IsInf(shape.Delay, 0) {
		return nil, fmt.Errorf("workload: arrival delay factor %g", shape.Delay)
	}
	s := &Jobs{shape: shape, lots: simulate.Stream(seed, replication, "admission", 0), feed: &feed{kept: t.entries}}
	var err error
	if shape.QoS != nil {
		if s.decorator, err = newDecorator(*shape.QoS, seed, replication); err != nil {
			return nil, err
		}
	}
	if shape.QoS != nil && shape.Split != nil {
		if s.splitter, err = newSplitter(*shape.Split, seed, replication); err != nil {
			return nil, err
		}
	}
	if t.entries == nil {
		s.feed, err = t.open(seed, replication, &Cleaning{Rule: t.selection.Rule})
	}
	return s, err
}

// Close closes the file, if there is one.
func (s *Jobs) Close() error { return s.feed.close() }

// Next implements simulate.Source.
func (s *Jobs) Next(j *simulate.Job) (ok bool, err error) {
	var e entry
	if ok, err := s.feed.next(&e); !ok || err != nil {
		return false, err
	}
	if !s.begun {
		s.begun, s.first = true, e.submit
	}
	j.Submit = (e.submit - s.first) * s.shape.Delay
	j.Work = e.runtime
	j.Width = int(e.width)
	j.Void = e.void
	j.Expire = math.Inf(1)
	j.Chance = s.lots.Float64()
	j.Spec = simulate.Spec{
		Details:      simulate.Details{Estimate: e.estimate, User: int(e.user), Group: int(e.group), Queue: int(e.queue)},
		Requirements: simulate.Requirements{Memory: e.memory},
	}
	if s.decorator != nil {
		s.decorator.decorate(j)
	}
	if s.splitter != nil {
		s.splitter.split(j)
	}
	return true, nil
}

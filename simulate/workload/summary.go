package workload

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// Summary describes a trace.
type Summary struct {
	Selection Selection
	Header    Header
	Nodes     int // of the machine, 0 if unknown
	Cleaning  Cleaning
	Moved     int64 // records that were out of order, if sorted
	Unlike    bool  // partitions count in different units, such as cores and GPUs

	Span        float64      // s, from the first submission to the last
	Gaps        Distribution // s between submissions
	RunTimes    Distribution // s
	Widths      Distribution // processors
	Estimates   Distribution // s
	Accuracy    Distribution // run time over estimate
	Work        float64      // processor-seconds
	PowersOfTwo int64        // jobs whose width is one
	Hours       [24]int64    // submissions by local hour of the day
	Sizes       []int64      // jobs by width: 1, 2, 3-4, 5-8, ... up to 2^i
	Asked       float64      // processor-seconds by ByAsked, of the jobs that ran and have both widths
	Held        float64      // likewise by ByAllocated
	NoStart     int64        // jobs that ran and have no start, if they are so few that Load leaves them out

	seed  uint64
	piped bool // cannot be read twice
}

// Load returns the offered load, the work over the capacity of the machine between the
// first submission and the last.
func (s *Summary) Load() float64 { return s.Work / (float64(s.Nodes) * s.Span) }

// Summarize reads a selection once, in bounded memory. Jobs that the rule
// rejects count as submitted and ask for no work.
func Summarize(ctx context.Context, sel Selection, seed uint64) (*Summary, error) {
	st, err := sel.Open(ctx, seed, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	s := &Summary{Selection: sel, Header: st.Header, Nodes: st.Nodes, Moved: st.Moved, seed: seed}
	s.piped = st.reader != nil && st.reader.piped
	s.Cleaning = sel.cleaning()
	clock := st.Header.Clock()
	var first, last float64
	ran := int64(0)
	err = st.each(ctx, &s.Cleaning, func(r *Record, e *entry) {
		if r[RunTime] > 0 && r[Requested] > 0 && r[Allocated] > 0 {
			s.Asked += r[RunTime] * r[Requested]
			s.Held += r[RunTime] * r[Allocated]
		}
		if e.ran {
			ran++
		}
		if e.ran && e.wait < 0 {
			s.NoStart++
		}
		if s.Cleaning.Left == 1 {
			first = e.submit
		} else {
			s.Gaps.Add(e.submit - last)
		}
		last = e.submit
		s.Hours[int((last+clock)/3600)%24]++
		s.add(e)
	})
	if err != nil {
		return nil, err
	}
	s.Span = last - first
	if !few(s.NoStart, ran) {
		s.NoStart = 0
	}
	return s, (&Trace{selection: sel, cleaning: s.Cleaning, nodes: -1}).check()
}

// each calls f with the records that cleaning leaves.
func (st *Stream) each(ctx context.Context, count *Cleaning, f func(*Record, *entry)) error {
	var e entry
	err := each(ctx, st, func(r *Record) error {
		if count.apply(r, st.Nodes, &e) {
			f(r, &e)
		}
		return nil
	})
	count.chain = nil // of this pass
	return err
}

// each reads the trace again.
func (s *Summary) each(ctx context.Context, f func(*Record, *entry)) error {
	st, err := s.Selection.Open(ctx, s.seed, 0)
	if err != nil {
		return err
	}
	defer st.Close()
	return st.each(ctx, new(s.Selection.cleaning()), f)
}

// add adds a job.
func (s *Summary) add(e *entry) {
	width := int(e.width)
	s.Widths.Add(float64(width))
	s.Estimates.Add(e.estimate)
	if width&(width-1) == 0 {
		s.PowersOfTwo++
	}
	size := bits.Len(uint(width - 1))
	for size >= len(s.Sizes) {
		s.Sizes = append(s.Sizes, 0)
	}
	s.Sizes[size]++
	work := e.runtime * float64(width)
	if e.void {
		work = 0
	} else {
		s.RunTimes.Add(e.runtime)
		s.Accuracy.Add(min(e.runtime/e.estimate, maxNumber))
	}
	s.Work += work
}

// Distribution sums up numbers of at least 0 in bounded memory. Quantiles are
// exact while no more than a hundred thousand of the numbers differ, and within
// 0.5 % of their value beyond.
type Distribution struct {
	N        int64
	Min, Max float64

	sum    float64
	fresh  []float64 // not yet merged
	exact  []repeated
	counts []int64 // by logarithm, once too many differ
}

// repeated is a number and how often it occurs.
type repeated struct {
	x float64
	n int64
}

const (
	maxFresh = 1 << 14
	maxExact = 1 << 17
	growth   = 1.01 // of the bounds of counts
	smallest = 1e-3 // smaller numbers are counted together
)

// Add adds a number.
func (d *Distribution) Add(x float64) {
	if d.N == 0 || x < d.Min {
		d.Min = x
	}
	if d.N == 0 || x > d.Max {
		d.Max = x
	}
	d.N++
	d.sum += x
	if d.counts != nil {
		d.count(x, 1)
		return
	}
	d.fresh = append(d.fresh, x)
	if len(d.fresh) == maxFresh {
		d.settle()
	}
}

// settle merges the fresh numbers with the others.
func (d *Distribution) settle() {
	slices.Sort(d.fresh)
	old := d.exact
	d.exact = make([]repeated, 0, len(old)+len(d.fresh))
	add := func(r repeated) {
		if last := len(d.exact) - 1; last >= 0 && d.exact[last].x == r.x {
			d.exact[last].n += r.n
		} else {
			d.exact = append(d.exact, r)
		}
	}
	for _, x := range d.fresh {
		for len(old) > 0 && old[0].x < x {
			add(old[0])
			old = old[1:]
		}
		add(repeated{x, 1})
	}
	for _, r := range old {
		add(r)
	}
	d.fresh = d.fresh[:0]
	if len(d.exact) > maxExact {
		for _, r := range d.exact {
			d.count(r.x, r.n)
		}
		d.exact, d.fresh = nil, nil
	}
}

// count adds a number that occurs n times to its place by logarithm.
func (d *Distribution) count(x float64, n int64) {
	place := 0
	if x > smallest {
		place = 1 + int(math.Log(x/smallest)/math.Log(growth))
	}
	for place >= len(d.counts) {
		d.counts = append(d.counts, make([]int64, place+1-len(d.counts))...)
	}
	d.counts[place] += n
}

// Mean returns the mean, NaN without numbers.
func (d *Distribution) Mean() float64 { return d.sum / float64(d.N) }

// Quantile returns the number below which a share p of all numbers lies, interpolated
// linearly between neighbors; NaN without numbers.
func (d *Distribution) Quantile(p float64) float64 { return d.at(p * float64(d.N-1)) }

// Within returns the least of the numbers that at least a share p of all do not exceed;
// NaN without numbers.
func (d *Distribution) Within(p float64) float64 {
	const rounding = 1e-12 // of the product
	return d.at(max(math.Ceil(p*float64(d.N)*(1-rounding))-1, 0))
}

// at returns the number at a place of the sorted numbers, from 0.
func (d *Distribution) at(place float64) float64 {
	if d.N == 0 {
		return math.NaN()
	}
	rank := int64(place)
	if len(d.fresh) > 0 {
		d.settle()
	}
	if d.counts != nil {
		return d.counted(rank)
	}
	for i, r := range d.exact {
		rank -= r.n
		if rank == -1 && i+1 < len(d.exact) {
			return r.x + (d.exact[i+1].x-r.x)*(place-math.Trunc(place))
		} else if rank < 0 {
			return r.x
		}
	}
	return d.Max
}

// counted returns the middle of the place of the number of the given rank.
func (d *Distribution) counted(rank int64) float64 {
	for i, n := range d.counts {
		rank -= n
		if rank < 0 {
			middle := smallest * math.Pow(growth, float64(i)-0.5)
			return min(max(middle, d.Min), d.Max)
		}
	}
	return d.Max
}

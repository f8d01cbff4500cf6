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
	Nodes     int // of the machine, 0 where nothing says
	Cleaning  Cleaning
	Moved     int64 // records that were out of order, if sorted

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
	Demand      Series       // processor-seconds submitted, over time
}

// Load returns the offered load, the work over what the machine could do
// between the first submission and the last.
func (s *Summary) Load() float64 { return s.Work / (float64(s.Nodes) * s.Span) }

// Summarize reads a selection once, in bounded memory. Jobs that the rule
// rejects count as submitted and ask for no work.
func Summarize(ctx context.Context, sel Selection, seed uint64) (*Summary, error) {
	st, err := sel.Open(seed, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	s := &Summary{Selection: sel, Header: st.Header, Nodes: st.Nodes, Moved: st.Moved, Cleaning: Cleaning{Rule: sel.Rule}}
	clock := st.Header.Clock()
	var r Record
	var e entry
	var first, last float64
	for {
		ok, err := st.Next(&r)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if s.Cleaning.Read&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !s.Cleaning.apply(&r, s.Nodes, &e) {
			continue
		}
		if s.Cleaning.Left == 1 {
			first = e.submit
		} else {
			s.Gaps.Add(e.submit - last)
		}
		last = e.submit
		s.Hours[int((last+clock)/3600)%24]++
		s.add(&e, last-first)
	}
	s.Span = last - first
	return s, (&Trace{selection: sel, cleaning: s.Cleaning, nodes: -1}).check()
}

// add adds a job submitted the given time after the first.
func (s *Summary) add(e *entry, at float64) {
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
	s.Demand.add(at, work)
}

// Series is amounts by time, in bounded memory: where there are too many
// steps, neighbors are joined and the step doubles.
type Series struct {
	Step float64 // s
	Sums []float64
}

const (
	firstStep = 86400 // s
	maxSteps  = 256
)

func (s *Series) add(at, amount float64) {
	if s.Step == 0 {
		s.Step = firstStep
	}
	for at >= s.Step*maxSteps {
		half := s.Sums[:(len(s.Sums)+1)/2]
		for i := range half {
			half[i] = s.Sums[2*i]
			if 2*i+1 < len(s.Sums) {
				half[i] += s.Sums[2*i+1]
			}
		}
		s.Sums = half
		s.Step *= 2
	}
	i := int(at / s.Step)
	for i >= len(s.Sums) {
		s.Sums = append(s.Sums, 0)
	}
	s.Sums[i] += amount
}

// Distribution sums up numbers of at least 0 in bounded memory. Quantiles are
// exact up to a million numbers, and within 0.5 % of their value beyond.
type Distribution struct {
	N        int64
	Min, Max float64

	sum    float64
	exact  []float64
	sorted bool
	counts []int64 // by logarithm, once there are too many to keep
}

const (
	maxExact = 1 << 20
	growth   = 1.01 // of the bounds of counts
	smallest = 1e-3 // below it all is one
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
	d.sorted = false
	if d.counts == nil {
		d.exact = append(d.exact, x)
		if len(d.exact) <= maxExact {
			return
		}
		for _, y := range d.exact {
			d.count(y)
		}
		d.exact = nil
		return
	}
	d.count(x)
}

// count adds a number to its place by logarithm.
func (d *Distribution) count(x float64) {
	place := 0
	if x > smallest {
		place = 1 + int(math.Log(x/smallest)/math.Log(growth))
	}
	for place >= len(d.counts) {
		d.counts = append(d.counts, make([]int64, place+1-len(d.counts))...)
	}
	d.counts[place]++
}

// Mean returns the mean, NaN of no numbers.
func (d *Distribution) Mean() float64 { return d.sum / float64(d.N) }

// Quantile returns the number below which a share p of all lie, interpolated
// linearly between neighbors; NaN of no numbers.
func (d *Distribution) Quantile(p float64) float64 {
	if d.N == 0 {
		return math.NaN()
	}
	place := p * float64(d.N-1)
	if d.counts != nil {
		return d.counted(int64(place))
	}
	if !d.sorted {
		slices.Sort(d.exact)
		d.sorted = true
	}
	i := int(place)
	if i+1 == len(d.exact) {
		return d.exact[i]
	}
	return d.exact[i] + (d.exact[i+1]-d.exact[i])*(place-float64(i))
}

// counted returns the middle of the place of the number of the given rank.
func (d *Distribution) counted(rank int64) float64 {
	for i, n := range d.counts {
		if rank -= n; rank < 0 {
			middle := smallest * math.Pow(growth, float64(i)-0.5)
			return min(max(middle, d.Min), d.Max)
		}
	}
	return d.Max
}

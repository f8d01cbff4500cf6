package waits

import "math"

// Part is a state of a waiting job. At each instant a job is in the first state that holds, in the order of Parts.
type Part int

const (
	// Unknown is before [Log.KnownFrom]: jobs that ran before the log are not in it.
	Unknown Part = iota
	// NotEligible is before Eligible, or before the job that it depends on has ended and thought.
	NotEligible
	// Down is in an outage of the whole pool; or, in one of some of its units, if the job fits with these units and not
	// without them.
	Down
	// Full is when the job is wider than the units of the pool less those of the jobs that run.
	Full
	// AtLimit is when what an owner holds and the job exceed a limit of the owner.
	AtLimit
	// Reserved is when an older job of the same pool and queue waits that is eligible, not at a limit, and wider than the
	// free units that are up: the machine is being emptied for it. Older is submitted earlier; of two jobs that were
	// submitted at once, it is the one that comes first in the log.
	Reserved
	// Unexplained is the rest: holds, reservations, dependencies that the log lacks.
	Unexplained

	// Parts is how many there are.
	Parts = iota
)

// Seconds is a time by part.
type Seconds [Parts]float64

// Sum returns the sum of the parts.
func (s Seconds) Sum() (sum float64) {
	for _, x := range s {
		sum += x
	}
	return sum
}

// Add adds other times.
func (s *Seconds) Add(other Seconds) {
	for p, x := range other {
		s[p] += x
	}
}

// Decomposition is where the waiting of a log comes from.
type Decomposition struct {
	Jobs     []Seconds // the wait of each job; the parts sum to it
	InOutage []float64 // job-seconds in each outage of the log
	AtLimit  []float64 // job-seconds at each limit of the log; the first that binds counts
	Overfull float64   // s in which more ran in a pool than it has units, so that none were free

	From, To float64   // of Series
	Series   []Seconds // job-seconds in equal spans of time
}

// Decompose splits the wait of each job by what it waits for. A job waits from its submission to its start, or until it
// leaves without one. The series has a number of spans from the first submission to the last time at which a job waits.
func (l *Log) Decompose(spans int) *Decomposition {
	d := &Decomposition{
		Jobs: make([]Seconds, len(l.Jobs)), InOutage: make([]float64, len(l.Outages)), Series: make([]Seconds, spans),
		AtLimit: make([]float64, len(l.Limits)), From: math.Inf(1), To: math.Inf(-1),
	}
	for i := range l.Jobs {
		d.From, d.To = min(d.From, l.Jobs[i].Submit), max(d.To, l.Jobs[i].leaves())
	}
	known := l.KnownFrom()
	for i := range l.Jobs {
		j := &l.Jobs[i]
		unknown, eligible, left := min(max(j.Submit, known), j.leaves()), l.eligible(i), j.leaves()
		d.Jobs[i][Unknown] = unknown - j.Submit
		d.spread(Unknown, 1, j.Submit, unknown)
		if eligible > unknown {
			d.Jobs[i][NotEligible] = min(eligible, left) - unknown
			d.spread(NotEligible, 1, unknown, eligible)
		}
	}
	newSweep(l, l.Limits, d).run()
	for i := range d.Jobs {
		d.settle(i, l.Jobs[i].leaves()-l.Jobs[i].Submit)
	}
	return d
}

// settle gives the rounding error of a job to its longest part.
func (d *Decomposition) settle(i int, wait float64) {
	parts := &d.Jobs[i]
	longest := 0
	for p := range parts {
		if parts[p] > parts[longest] {
			longest = p
		}
	}
	parts[longest] += wait - parts.Sum()
}

// spread adds the time that some jobs spend in a state to the spans that it touches.
func (d *Decomposition) spread(part Part, jobs int, from, to float64) {
	if len(d.Series) == 0 || to <= from || jobs == 0 {
		return
	}
	length := (d.To - d.From) / float64(len(d.Series))
	first := min(int((from-d.From)/length), len(d.Series)-1)
	last := min(int((to-d.From)/length), len(d.Series)-1)
	for k := first; k <= last; k++ {
		start, end := max(from, d.From+float64(k)*length), min(to, d.From+float64(k+1)*length)
		if k == len(d.Series)-1 {
			end = to
		}
		d.Series[k][part] += float64(jobs) * max(end-start, 0)
	}
}

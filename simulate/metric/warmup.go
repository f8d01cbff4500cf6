package metric

import (
	"cmp"

	"revopt/simulate"
)

// mser returns how many leading batch means y of a run to discard as warm-up: the d
// that minimizes the squared standard error of the rest,
//
//	sum_{i>d} (y_i - mean_{i>d})^2 / (m-d)^2
//
// (White 1997). A minimum in the second half means that the run is too short to
// tell; ok is then false. It runs backwards, so that mean and sum of squares of
// the rest are updated and never recomputed (Welford).
func mser(y []float64) (discard int, ok bool) {
	var mean, squares, least float64
	discard = -1
	for d := len(y) - 1; d >= 0; d-- {
		n := float64(len(y) - d)
		delta := y[d] - mean
		mean += delta / n
		squares += delta * (y[d] - mean)
		// The variance of fewer batches than these is mere luck.
		if n < 5 {
			continue
		}
		if z := squares / (n * n); discard < 0 || z <= least {
			discard, least = d, z
		}
	}
	if discard < 0 || discard > len(y)/2 {
		return max(discard, 0), false
	}
	return discard, true
}

// Pilot is an observer that finds the warm-up of a run by MSER-5 on the number
// of jobs in the system as each submitted job finds it. That series exists
// under every policy, and its index is the number of a job. Memory is bounded:
// when there are too many batches, neighbors are joined and the batch size
// doubles. The zero value is ready for use.
type Pilot struct {
	means  []float64
	size   int     // jobs per batch
	sum    float64 // of the batch being filled
	filled int
	inside int
}

const pilotBatches = 1 << 12

// Observe implements simulate.Observer.
func (p *Pilot) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Submitted:
		p.add(float64(p.inside))
		p.inside++
	case simulate.Rejected, simulate.Completed, simulate.Expired, simulate.Moved:
		p.inside--
	}
}

func (p *Pilot) add(x float64) {
	p.size = cmp.Or(p.size, 5)
	p.sum += x
	if p.filled++; p.filled < p.size {
		return
	}
	p.means = append(p.means, p.sum/float64(p.size))
	p.sum, p.filled = 0, 0
	if len(p.means) == pilotBatches { // two batches become one
		half := p.means[:len(p.means)/2]
		for i := range half {
			half[i] = (p.means[2*i] + p.means[2*i+1]) / 2
		}
		p.means, p.size = half, 2*p.size
	}
}

// Warmup returns the number of jobs to discard. It reports false where the run
// was too short to tell.
func (p *Pilot) Warmup() (jobs int64, ok bool) {
	d, ok := mser(p.means)
	return int64(d) * int64(p.size), ok
}

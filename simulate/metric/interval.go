package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// DefaultLevel is the usual confidence level.
const DefaultLevel = 0.95

// Interval is the mean of independent replications and its confidence
// interval, Mean +- HalfWidth, or the range of the replications themselves, see
// Spread.
type Interval struct {
	Mean      float64
	HalfWidth float64 // +Inf below two replications
	Level     float64
	N         int

	Range     bool // from Low to High, of which HalfWidth is half the distance
	Low, High float64
}

// Estimate returns the Student-t interval of the mean of x at the given level,
//
//	HalfWidth = t_{N-1, (1+level)/2} sd / sqrt(N).
//
// Replications in which the figure is not defined (NaN) are left out, and N
// does not count them. Without any the mean is NaN.
func Estimate(x []float64, level float64) Interval {
	if !(level > 0 && level < 1) {
		panic("metric: confidence level outside (0, 1)")
	}
	n, mean, squares := spread(x)
	i := Interval{Mean: known(mean, int64(n)), HalfWidth: math.Inf(1), Level: level, N: n}
	switch {
	case n > 1 && squares == 0: // without the quantile, which takes long
		i.HalfWidth = 0
	case n > 1:
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
		i.HalfWidth = t * math.Sqrt(squares/float64(n-1)/float64(n))
	}
	return i
}

// Spread returns the range that the given share of further replications falls into:
// from the quantile (1 - level)/2 of x to that of (1 + level)/2. Quantile p is the
// order statistic number p (N + 1), interpolated, and the least or the largest one
// beyond these: a further replication falls below the k-th of N with probability
// k/(N + 1). The range covers what differs between replications and does not
// shrink with their number. NaN are left out; below two numbers there is no range,
// as in Estimate.
func Spread(x []float64, level float64) Interval {
	i := Estimate(x, level)
	if i.N < 2 {
		return i
	}
	sorted := slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	slices.Sort(sorted)
	at := func(p float64) float64 {
		h := min(max(p*float64(i.N+1), 1), float64(i.N))
		k := min(int(h), i.N-1)
		return sorted[k-1] + (h-float64(k))*(sorted[k]-sorted[k-1])
	}
	i.Range, i.Low, i.High = true, at((1-level)/2), at((1+level)/2)
	i.HalfWidth = (i.High - i.Low) / 2
	return i
}

// SpreadLeast returns how many replications there have to be for Spread to be
// within the least and the largest one.
func SpreadLeast(level float64) int { return int(math.Ceil(2/(1-level) - 1 - 1e-9)) }

// Bounds returns the ends of the interval.
func (i Interval) Bounds() (low, high float64) {
	if i.Range {
		return i.Low, i.High
	}
	return i.Mean - i.HalfWidth, i.Mean + i.HalfWidth
}

// Times returns the interval in another unit, of which one is scale > 0.
func (i Interval) Times(scale float64) Interval {
	i.Mean *= scale
	i.HalfWidth *= scale
	i.Low *= scale
	i.High *= scale
	return i
}

// Mean returns the mean of the numbers that are defined, NaN without any: that of Estimate.
func Mean(x []float64) float64 {
	n, mean, _ := spread(x)
	return known(mean, int64(n))
}

// spread returns how many numbers there are, their mean, and the squares of their
// deviations from it. Welford's recurrence: no cancellation where the spread is
// small.
func spread(x []float64) (n int, mean, squares float64) {
	for _, v := range x {
		if math.IsNaN(v) {
			continue
		}
		n++
		d := v - mean
		mean += d / float64(n)
		squares += d * (v - mean)
	}
	return n, mean, squares
}

// Difference returns the interval of the mean of a[i] - b[i]: replication i of
// two policies on common random numbers, whose common luck cancels.
func Difference(a, b []float64, level float64) Interval { return Estimate(Less(a, b), level) }

// Less returns a[i] - b[i].
func Less(a, b []float64) []float64 {
	if len(a) != len(b) {
		panic("metric: paired samples of unequal length")
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// Contains reports whether x lies in the interval.
func (i Interval) Contains(x float64) bool {
	low, high := i.Bounds()
	return low <= x && x <= high
}

// Relative returns the half width as a share of the mean, +Inf where the mean
// is 0 or undefined and the half width is not 0.
func (i Interval) Relative() float64 {
	switch {
	case i.HalfWidth == 0:
		return 0
	case i.Mean == 0 || math.IsNaN(i.Mean):
		return math.Inf(1)
	}
	return i.HalfWidth / math.Abs(i.Mean)
}

// LookLevel returns the level at which an interval of n replications has to be
// taken to cover as often as the given level says where a look at it may end the
// run: its risk is the given one times n / (n + 16).
func LookLevel(level float64, n int) float64 {
	return 1 - (1-level)*float64(n)/float64(n+16)
}

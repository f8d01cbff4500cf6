package run

import (
	"math"
	"slices"

	"revopt/simulate/metric"
)

// Series is a number of every replication of a frame. A replication may lack it. Where nothing is random, one number
// stands for all replications. The zero value has no numbers.
//
// The arithmetic of two series pairs their replications: both are of the same jobs, so that their common luck cancels.
// Of series of different lengths the common replications count.
type Series struct {
	// Floating-point arithmetic carries missing numbers on: they are not a number.
	values []float64
	once   bool
	spread bool // see Runs
}

// Constant returns the series of one number.
func Constant(x float64) Series {
	return Series{values: []float64{x}, once: true}
}

// Len returns how many replications there are; 1 where one number stands for all.
func (s Series) Len() int { return len(s.values) }

// At returns the number of a replication and whether there is one.
func (s Series) At(replication int) (x float64, ok bool) {
	if s.once && len(s.values) > 0 {
		replication = 0
	}
	if replication >= len(s.values) {
		return 0, false
	}
	x = s.values[replication]
	return x, !math.IsNaN(x)
}

// Mean returns the mean over the replications that have the number, and whether one has it.
func (s Series) Mean() (mean float64, ok bool) {
	mean = metric.Mean(s.values)
	return mean, !math.IsNaN(mean)
}

// Largest returns the largest number, and whether there is one.
func (s Series) Largest() (most float64, ok bool) {
	known := slices.DeleteFunc(slices.Clone(s.values), math.IsNaN)
	if len(known) == 0 {
		return 0, false
	}
	return slices.Max(known), true
}

// Positive returns in how many replications the number is above 0.
func (s Series) Positive() (n int) {
	for _, x := range s.values {
		if x > 0 {
			n++
		}
	}
	return n
}

// noise is the share of two numbers below which their difference is an error of rounding.
const noise = 1e-12

// Less returns the difference. Errors of rounding are 0.
func (s Series) Less(o Series) Series {
	return s.with(o, func(a, b float64) float64 {
		d := a - b
		if math.Abs(d) <= noise*math.Max(math.Abs(a), math.Abs(b)) {
			return 0
		}
		return d
	})
}

// Plus returns the sum.
func (s Series) Plus(o Series) Series { return s.with(o, func(a, b float64) float64 { return a + b }) }

// Times returns the product.
func (s Series) Times(o Series) Series { return s.with(o, func(a, b float64) float64 { return a * b }) }

// Scaled returns the series in another unit.
func (s Series) Scaled(k float64) Series { return s.Times(Constant(k)) }

// Over returns the ratio to a series of positive numbers. Replications in which that is not positive lack it.
func (s Series) Over(o Series) Series {
	return s.with(o, func(a, b float64) float64 {
		if b > 0 {
			return a / b
		}
		return math.NaN()
	})
}

// Min returns the smaller one, as far as the other is known.
func (s Series) Min(o Series) Series {
	return s.with(o, func(a, b float64) float64 {
		if b < a || math.IsNaN(a) {
			return b
		}
		return a
	})
}

// Max returns the larger one, as far as the other is known.
func (s Series) Max(o Series) Series {
	return s.with(o, func(a, b float64) float64 {
		if b > a || math.IsNaN(a) {
			return b
		}
		return a
	})
}

// Whole returns the series if all replications have the number, else one without numbers: the replications that are
// left would not be a fair sample.
func (s Series) Whole() Series {
	if slices.ContainsFunc(s.values, math.IsNaN) {
		return s.Scaled(math.NaN())
	}
	return s
}

// with pairs two series. A series without replications is one that lacks every number.
func (s Series) with(o Series, f func(a, b float64) float64) Series {
	both := Series{once: s.once && o.once, spread: s.spread || o.spread}
	n := min(len(s.values), len(o.values))
	switch {
	case len(s.values) == 0 && len(o.values) == 0:
		return both
	case s.once || len(s.values) == 0:
		n = len(o.values)
	case o.once || len(o.values) == 0:
		n = len(s.values)
	}
	at := func(list []float64, k int) float64 {
		if len(list) == 0 {
			return math.NaN()
		}
		return list[min(k, len(list)-1)]
	}
	for k := range n {
		both.values = append(both.values, f(at(s.values, k), at(o.values, k)))
	}
	return both
}

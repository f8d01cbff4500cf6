package switchback

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"revopt/simulate/metric"
)

// LeastPairs is the number of closed pairs from which on a gain has an interval.
const LeastPairs = 6

// Gain is what the rule brings, as a share of what the jobs pay at once.
type Gain struct {
	// Interval is the mean difference of the closed pairs with Student's interval. It may be looked at after every pair:
	// its level is that of metric.LookLevel. Its half width is +Inf below LeastPairs.
	metric.Interval
	Off    float64 // the mean score without the rule
	Spread float64 // standard deviation of the differences; NaN below two
}

// GainOf returns the gain of the closed pairs of a list, at a level as that of a single look.
func GainOf(list []Scored, level float64) Gain {
	var differences, off []float64
	for i := range list {
		if d := list[i].Difference(); !math.IsNaN(d) {
			differences, off = append(differences, d), append(off, list[i].Off.Score())
		}
	}
	n := len(differences)
	g := Gain{Interval: metric.Estimate(differences, metric.LookLevel(level, max(n, 1))), Spread: math.NaN()}
	g.Off = metric.Estimate(off, level).Mean
	if n > 1 {
		g.Spread = g.HalfWidth * math.Sqrt(float64(n)) / student(n, (1+g.Level)/2)
	}
	if n < LeastPairs {
		g.HalfWidth = math.Inf(1)
	}
	return g
}

// Enough reports whether there are enough pairs for an interval.
func (g Gain) Enough() bool { return g.N >= LeastPairs }

// power is the share of trials with a gain whose interval shall exclude 0.
const power = 0.8

// mostPairs bounds a search for a number of pairs.
const mostPairs = 1_000_000

// Needs returns how many pairs four of five trials need until their interval excludes 0, if the true difference has a
// given size and the pairs spread as they do here: the least n with
//
//	(t_{n-1, (1+level)/2} + t_{n-1, power}) spread / sqrt(n) <= size,
//
// LeastPairs or more. It is 0 if that cannot be said, or would be more than a million.
func (g Gain) Needs(size, level float64) int {
	size = math.Abs(size)
	if math.IsNaN(g.Spread) || !(size > 0) {
		return 0
	}
	enough := func(n int) bool {
		t := student(n, (1+metric.LookLevel(level, n))/2) + student(n, power)
		return t*g.Spread <= size*math.Sqrt(float64(n))
	}
	least, most := LeastPairs-1, LeastPairs
	for !enough(most) {
		least, most = most, 2*most
		if most > mostPairs {
			return 0
		}
	}
	for most-least > 1 {
		middle := (least + most) / 2
		if enough(middle) {
			most = middle
		} else {
			least = middle
		}
	}
	return most
}

// student returns a quantile of Student's distribution for the mean of n numbers.
func student(n int, p float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(p)
}

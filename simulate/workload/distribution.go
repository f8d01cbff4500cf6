package workload

import (
	"math"
	"slices"
)

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
// linearly between neighbours; NaN of no numbers.
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

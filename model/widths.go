package model

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// By returns a system of stated classes by a convention for T0. Printed takes the mean
// width for all jobs; by the others a job counts by its own width, see ByWidth. Several
// servers are as many as jobs in random order keep busy, see filled.
func (s System) By(r Residual) System {
	s.Residual, s.Fill = r, 1
	if r == Multiserver {
		s.Fill = filled(s.Classes, int(math.Round(s.Parallel*MeanWidth(s.Classes))))
		s.Parallel *= s.Fill
	}
	if r != Printed {
		s.Classes = ByWidth(s.Classes)
	}
	return s
}

// filled returns the mean share of the nodes that jobs in random order keep busy when the
// next job does not fit. With the probability p_w of width w the nodes left idle are, of n,
//
//	idle(n) = sum over w <= n of p_w idle(n-w) + sum over w > n of p_w n.
//
// On a machine far larger than the widest job idle(n) repeats.
func filled(classes []Class, nodes int) float64 {
	const fine, far = 1 << 20, 64
	unit := float64(1 + nodes/fine)
	share, total := map[int]float64{}, 0.0
	widest := 1
	for _, c := range classes {
		total += c.Rate
		for i, v := range c.Width.Values {
			w := int(math.Ceil(v / unit))
			share[w] += c.Rate * c.Width.Weights[i]
			widest = max(widest, w)
		}
	}
	n := int(float64(nodes) / unit)
	if len(share) < 2 || total == 0 || n < widest {
		return 1
	}
	if n > (far+1)*widest {
		n = far*widest + n%widest
	}
	widths := slices.Sorted(maps.Keys(share))
	idle := make([]float64, n+1)
	for free := range idle {
		for _, w := range widths {
			if w <= free {
				idle[free] += share[w] / total * idle[free-w]
			} else {
				idle[free] += share[w] / total * float64(free)
			}
		}
	}
	return 1 - idle[n]*unit/float64(nodes)
}

// ByWidth returns classes of jobs of the mean width that are as much work: a job of width
// w and length L has length S = L w / MeanWidth. The fees and losses of a class stay, so
// that its urgency becomes v / E[S]. Classes of one width stay as they are.
func ByWidth(classes []Class) []Class {
	mean := MeanWidth(classes)
	list := slices.Clone(classes)
	for i := range list {
		list[i] = list[i].counted(mean)
	}
	return list
}

// MeanWidth returns the mean width weighted by the time that jobs run,
//
//	sum_s rate_s E[length_s] E[width_s] / sum_s rate_s E[length_s],
//
// with which the load by jobs at a time is that of the nodes. If nothing arrives, it is the
// plain mean over classes.
func MeanWidth(classes []Class) float64 {
	var work, nodes, plain float64
	for i := range classes {
		c := &classes[i]
		run := c.Rate * c.Length.Mean()
		work += run
		nodes += run * c.Width.Mean()
		plain += c.Width.Mean() / float64(len(classes))
	}
	if work == 0 {
		return plain
	}
	return nodes / work
}

// counted returns the class with jobs of the given width that are as much work. Whatever
// scales with the length keeps its mean, and a deadline the time that it leaves to wait.
func (c Class) counted(width float64) Class {
	k := c.Width.Mean() / width
	if math.Abs(k-1) <= 1e-12 && len(c.Width.Values) <= 1 {
		return c
	}
	s := &sized{length: c.Length, size: []float64{k}, share: []float64{1}}
	if len(c.Width.Values) > 1 {
		s.size, s.share = slices.Clone(c.Width.Values), c.Width.Weights
		for i := range s.size {
			s.size[i] /= width
		}
	}
	c.Length = s
	c.Price.PerSecond /= k
	c.Price.PerNodeSecond /= k
	c.Grace.Lengths /= k
	if c.Deadline != (Grace{}) {
		c.Deadline.Lengths = 1 + (c.Deadline.Lengths-1)/k
	}
	return c
}

// sized is the distribution of a length times an independent size.
type sized struct {
	length Distribution
	size   []float64
	share  []float64 // of jobs of each size
}

// over returns the mean of a function over the sizes.
func (x *sized) over(f func(size float64) float64) float64 {
	var sum float64
	for i, size := range x.size {
		sum += x.share[i] * f(size)
	}
	return sum
}

func (x *sized) Mean() float64 { return x.Moment(1) }

func (x *sized) Moment(k int) float64 {
	return x.length.Moment(k) * x.over(func(size float64) float64 { return math.Pow(size, float64(k)) })
}

func (x *sized) CDF(t float64) float64 {
	return x.over(func(size float64) float64 { return x.length.CDF(t / size) })
}

// Quantile halves the interval between the least and the largest quantile of any size.
func (x *sized) Quantile(p float64) float64 {
	q := x.length.Quantile(p)
	low, high := slices.Min(x.size)*q, slices.Max(x.size)*q
	if p == 0 || p == 1 || math.IsNaN(q) {
		return map[bool]float64{true: high, false: low}[p == 1]
	}
	for range 200 {
		middle := low + (high-low)/2
		if !(middle > low && middle < high) {
			break
		}
		if x.CDF(middle) >= p {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

func (x *sized) Excess(t float64) float64 {
	return x.over(func(size float64) float64 { return size * x.length.Excess(t/size) })
}

func (x *sized) Rand(rnd *rand.Rand) float64 {
	u, i := rnd.Float64(), 0
	for u -= x.share[0]; u >= 0 && i+1 < len(x.size); u -= x.share[i] {
		i++
	}
	return x.size[i] * x.length.Rand(rnd)
}

func (x *sized) Transform(s complex128) (t complex128) {
	for i, size := range x.size {
		t += complex(x.share[i], 0) * x.length.Transform(s*complex(size, 0))
	}
	return t
}

func (x *sized) String() string { return x.length.String() + " times a width" }

// sizedLength is a sized distribution with its length prepared for complements.
type sizedLength struct {
	*sized
	length *length
}

func (x sizedLength) complement(s complex128) (c, slope complex128) {
	for i, size := range x.size {
		ci, di := x.length.complement(s * complex(size, 0))
		c += complex(x.share[i], 0) * ci
		slope += complex(x.share[i]*size, 0) * di
	}
	return c, slope
}

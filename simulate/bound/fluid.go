package bound

import (
	"math"

	"revopt/model"
)

// Fluid returns the best fractional packing of the jobs, by value per
// node-second, into the machine's time from the first release to the last
// possible finish.
//
// The last possible finish is the latest End of a job that can earn anything.
// The end of a job with a hard deadline is its deadline; where value falls with
// delay without a floor above 0 it is the time at which nothing is left; where
// it never falls to 0 there is no last finish, everything fits, and the bound
// is the sum of all values.
//
// Proof. All paid work is done between the first release and the last possible
// finish, so its sum is at most the capacity of that time. Work of a layer
// earns at most its value per node-second, and the most by a given sum of work
// is had by the most valuable first.
func Fluid(jobs []Job, m Machine) (float64, error) {
	if err := check(jobs, m); err != nil {
		return 0, err
	}
	items, free := newItems(jobs, m)
	sum, _ := fluid(items, m)
	return free + sum, nil
}

// fluid is Fluid for items, and the prices that prove it or better: the value of
// the last layer that fits, all the time. The ends of items are limited; no
// optimal schedule is the worse for it, so the proof holds for them too.
func fluid(items []item, m Machine) (sum float64, p Prices) {
	if len(items) == 0 {
		return 0, p
	}
	first, last := math.Inf(1), math.Inf(-1)
	for i := range items {
		first = math.Min(first, items[i].release)
		last = math.Max(last, items[i].end)
	}
	p = Prices{Times: []float64{first, last}, Level: []float64{0}}
	left := m.supply(first, last)
	for _, l := range layersOf(items) {
		if l.work > left {
			p.Level[0] = l.value
			return sum + left*l.value, p
		}
		sum += l.work * l.value
		left -= l.work
	}
	return sum, p
}

// Rate is a bound on revenue in the long run.
type Rate struct {
	Bound float64 // $/s
	Price float64 // $ per node-second, of the node-seconds at the margin
}

// FluidRate returns a bound on the mean revenue per second of any policy on a
// machine of equal nodes that serves the given classes for ever: the largest
//
//	sum_s rate_s E[price a_s(X, W)]  with  sum_s rate_s E[X W a_s(X, W)] <= nodes
//
// over what share a_s(x, w) of the jobs of class s, length x and width w to
// take on. The share is free to depend on the length: where a price is not in
// proportion to it, short jobs pay more per node-second, and a policy that
// prefers them beats the best packing by class. It bounds a mean, so a
// simulated run may exceed it by chance.
//
// Proof. In the long run a policy serves jobs of every kind (s, x, w) at no
// more than the rate at which they come, each earns at most the price of a job
// that does not wait, and they take X W node-seconds each, of which there are
// nodes per second. With any price theta >= 0 of a node-second that is at most
//
//	nodes theta + sum_s rate_s E[(price - theta X W)^+],
//
// as in Prices.Bound. This is convex in theta and at least nodes theta, so the
// least of it lies below its value at 0 over nodes, and is searched there;
// whatever theta is found, the bound is valid.
//
// The price counts in full, whatever the job loses on the way. A deadline that is
// shorter than the job, decay, whether of the price or not, and hard deadlines
// only lower what it earns. A floor below 0 is money for a job that is late: it
// may exceed the price, and where the job gives up it takes no work. With f such
// money, a job is then worth at most max(f, price - theta X W), which is
// f + (price - f - theta X W)^+.
func FluidRate(classes []model.Class, nodes float64) (Rate, error) {
	if !(nodes > 0) || math.IsInf(nodes, 1) {
		return Rate{}, invalid("machine", "nodes", nodes)
	}
	for i, c := range classes {
		if !(c.Rate >= 0) || math.IsInf(c.Rate, 1) {
			return Rate{}, invalidAt("class", i, "rate", c.Rate)
		}
	}
	value := func(theta float64) float64 {
		sum := nodes * theta
		for i := range classes {
			sum += classes[i].Rate * surplus(&classes[i], theta, nodes)
		}
		return sum
	}
	all := value(0)
	theta := minimum(value, 0, all/nodes)
	if v := value(theta); v < all {
		return Rate{Bound: v, Price: theta}, nil
	}
	return Rate{Bound: all}, nil
}

// surplus returns E[(price - theta X W)^+] of a job of class c, of those that
// fit on the machine. Others are rejected.
func surplus(c *model.Class, theta, nodes float64) float64 {
	if len(c.Width.Values) == 0 {
		return surplusAt(c, 1, theta)
	}
	var sum float64
	for i, w := range c.Width.Values {
		if w <= nodes {
			sum += c.Width.Weights[i] * surplusAt(c, w, theta)
		}
	}
	return sum
}

// surplusAt is surplus for jobs of one width.
func surplusAt(c *model.Class, width, theta float64) float64 {
	excess := func(fixed, slope float64) float64 {
		return excess(c.Length, fixed, slope-width*theta)
	}
	fixed, slope := c.Price.Fixed, c.Price.PerSecond+width*c.Price.PerNodeSecond
	if !c.Floor.None && (c.Floor.Fixed < 0 || c.Floor.OfPrice < 0) {
		// The money for a late job, or a line above it.
		f, perSecond := math.Max(0, -c.Floor.Of(fixed)), math.Max(0, -c.Floor.OfPrice*slope)
		if c.Expire != model.ExpireNever {
			return f + perSecond*c.Length.Mean() + excess(fixed-f, slope-perSecond)
		}
		fixed, slope = math.Max(fixed, f), math.Max(slope, perSecond)
	}
	return excess(fixed, slope)
}

// excess returns E[(fixed + slope X)^+].
func excess(length model.Distribution, fixed, slope float64) float64 {
	mean := length.Mean()
	switch {
	case fixed >= 0 && slope >= 0:
		return fixed + slope*mean
	case fixed > 0:
		// E[(k-X)^+] = k - E[X] + E[(X-k)^+].
		return math.Max(0, fixed+slope*(mean-length.Excess(fixed/-slope)))
	case slope > 0:
		return slope * length.Excess(-fixed/slope)
	}
	return 0
}

// minimum returns where a convex function on [lo, hi] is about least, by golden
// section.
func minimum(f func(float64) float64, lo, hi float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := f(a), f(b)
	for range 60 {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = f(b)
		}
	}
	if fa <= fb {
		return a
	}
	return b
}

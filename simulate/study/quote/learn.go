package quote

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// A quote is corrected by the quotes before it, as their starts become known. The distribution of a
// wait is a mixture of two: the simulated waits, and the waits of the most similar earlier quotes,
// each in proportion to the simulated mean waits, so the scheduler need not be the simulated one.
// Their weights are inverse to the squares of their losses so far, as forecasts are combined by Bates
// and Granger (1969). The levels at which the mixture is read are tracked as in adaptive conformal
// inference (Gibbs and Candès, 2021): a start above a quantile raises its level, a start below lowers
// it. Starts become known late and levels are limited, so their proof of the long run does not carry
// over. A start that equals a quantile is below it in part: by the part of the probability of that
// time that the level takes, as in a randomized test. Otherwise jobs that start at once, which are
// often more than half, would all be inside, and no range could hold 80 %.

// quoteLevels are those of the quantiles of a quote.
func quoteLevels() [3]float64 { return [3]float64{0.1, 0.5, 0.9} }

const (
	analogs    = 60   // quotes that a quote is corrected by
	leastKnown = 10   // quotes, for a correction
	mostKnown  = 3000 // last quotes that are compared
	levelStep  = 0.01 // least step of a level
	tick       = 1    // s; times are equal within it, as logs have whole seconds
)

// likeness is the circumstances of a quote by which similar ones are found.
type likeness struct {
	mean     float64 // simulated wait, s
	estimate float64 // s
	queued   float64 // work that waits over the size of the machine, s
	width    float64
	queue    int
	user     int
}

// distance returns how different two quotes are, with times in a unit.
func (a *likeness) distance(b *likeness, unit float64) float64 {
	ratio := func(x, y float64) float64 { return math.Abs(math.Log((unit + x) / (unit + y))) }
	d := ratio(a.mean, b.mean) + ratio(a.queued, b.queued)/2 + ratio(a.estimate, b.estimate)/3 +
		math.Abs(math.Log(a.width/b.width))/3
	if a.queue != b.queue {
		d++
	}
	if a.user != b.user {
		d += 0.5
	}
	return d
}

// distribution is possible times with weights, in order.
type distribution []weighted

type weighted struct{ at, weight, distance float64 }

func (d distribution) weight() float64 {
	return text.Sum(d, func(x weighted) float64 { return x.weight })
}

// quantile returns the least time with at least the given share of the weight.
func (d distribution) quantile(p float64) float64 {
	sum, below := d.weight(), 0.0
	for _, x := range d {
		below += x.weight
		if below >= p*sum*(1-1e-12) {
			return x.at
		}
	}
	return d[len(d)-1].at
}

// read returns the quantile of a level that may be below 0 or above 1, and which part of a start at a
// time counts as below it. Levels beyond most of the weight stretch the times, of the given unit.
func (d distribution) read(level, at, unit float64) (q, share float64) {
	inner := min(max(level, 0.02), 0.98)
	q = max(0, (unit+d.quantile(inner))*math.Exp(3*(level-inner))-unit)
	if !(math.Abs(q-at) <= tick) {
		return q, metric.Indicator(at < q)
	}
	var below, same float64
	for _, x := range d {
		below += x.weight * metric.Indicator(x.at < at-tick)
		same += x.weight * metric.Indicator(math.Abs(x.at-at) <= tick)
	}
	sum := d.weight()
	return q, min(max((level*sum-below)/max(same, 1e-9*sum), 0), 1)
}

// pastQuote is a quote of a job whose start is known later.
type pastQuote struct {
	likeness
	at, wait, high float64    // s: time, wait, largest quantile
	below          [3]float64 // by level: the part of the start below the quantile
	losses         [2]float64 // of the parts of the mixture
	settled, known bool       // the levels have it; the start has come
}

// calibration is the earlier quotes. The zero value knows none.
type calibration struct {
	quotes []pastQuote
	open   []int // that are not known
	levels [3]float64
	losses [2]float64 // of the simulated waits alone and the similar quotes alone, s
	steps  int
}

// follow learns what has become known by a time. A job that waits beyond its largest quantile counts
// at once, by the wait so far.
func (c *calibration) follow(now float64) {
	if c.levels[1] == 0 {
		c.levels = quoteLevels()
	}
	c.open = slices.DeleteFunc(c.open, func(i int) bool {
		q := &c.quotes[i]
		q.known = q.at+q.wait < now // a job that starts at this time waits
		if below := q.below; !q.settled && (q.known || now > q.at+q.high) {
			q.settled = true
			if !q.known {
				below = [3]float64{}
			}
			c.steps++
			// Levels overshoot if all open quotes together may move them by more than 1.
			step := min(max(levelStep, 0.5/float64(10+c.steps)), 1/float64(len(c.open)))
			c.levels[0] = min(max(c.levels[0]+step*(0.1-below[0]), -0.3), 0.45)
			c.levels[2] = min(max(c.levels[2]+step*(0.9-below[2]), 0.55), 1.3)
		}
		if q.known {
			c.losses[0], c.losses[1] = c.losses[0]+q.losses[0], c.losses[1]+q.losses[1]
		}
		return q.known
	})
}

// level returns the level at which the distribution of a quote is read for a share.
func (c *calibration) level(p float64) float64 {
	known := [5]float64{0, 0.1, 0.5, 0.9, 1}
	to := [5]float64{min(0, c.levels[0]), c.levels[0], c.levels[1], c.levels[2], max(1, c.levels[2])}
	k := 1
	for p > known[k] {
		k++
	}
	return to[k-1] + (to[k]-to[k-1])*(p-known[k-1])/(known[k]-known[k-1])
}

// correct returns the distribution of a wait at a time, from that of a simulation, and its two parts.
func (c *calibration) correct(
	like *likeness, simulated []float64, now, unit float64,
) (all distribution, parts [2]distribution) {
	for _, x := range simulated {
		parts[0] = append(parts[0], weighted{at: x, weight: 1})
	}
	var list distribution
	for i := max(0, len(c.quotes)-mostKnown); i < len(c.quotes); i++ {
		if q := &c.quotes[i]; q.settled {
			wait := q.wait
			if !q.known {
				wait = now - q.at
			}
			wait *= (unit + like.mean) / (unit + q.mean)
			list = append(list, weighted{at: wait, distance: like.distance(&q.likeness, unit)})
		}
	}
	parts[1] = parts[0]
	if len(list) >= leastKnown {
		slices.SortStableFunc(list, func(a, b weighted) int { return cmp.Compare(a.distance, b.distance) })
		list = list[:min(analogs, len(list))]
		far := list[len(list)-1].distance + 1e-9
		for i := range list {
			x := list[i].distance / far
			list[i].weight = 1.02 - x*x
		}
		parts[1] = list
	}
	for k, part := range parts {
		slices.SortStableFunc(part, func(a, b weighted) int { return cmp.Compare(a.at, b.at) })
		loss := max(c.losses[k], 1)
		loss *= loss * part.weight()
		for _, x := range part {
			all = append(all, weighted{at: x.at, weight: x.weight / loss})
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(a.at, b.at) })
	return all, parts
}

// add notes a quote whose start becomes known later.
func (c *calibration) add(
	like likeness, d distribution, parts [2]distribution, at, wait, unit float64,
) (quantiles, below [3]float64) {
	q := pastQuote{likeness: like, at: at, wait: wait}
	for k, level := range quoteLevels() {
		quantiles[k], q.below[k] = d.read(c.levels[k], wait, unit)
		for i, part := range parts {
			q.losses[i] += pinball(level, wait, part.quantile(level))
		}
	}
	q.high = quantiles[2]
	c.open, c.quotes = append(c.open, len(c.quotes)), append(c.quotes, q)
	return quantiles, q.below
}

// pinball returns the loss of a quantile.
func pinball(level, wait, quantile float64) float64 {
	return max(level*(wait-quantile), (level-1)*(wait-quantile))
}

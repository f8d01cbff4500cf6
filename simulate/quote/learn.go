package quote

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// A quote is corrected by the quotes before it, as their starts become known. The distribution of a
// wait is a mixture: the simulated waits, and the waits of the most similar earlier quotes, in proportion
// to the simulated mean waits, to the work of the same user that waits, and to the sum of both. So the
// scheduler need not be the simulated one, and may limit how much a user runs at a time. The weights
// of the parts are inverse to the squares of their losses so far, as forecasts are combined by Bates
// and Granger (1969). The levels at which the mixture is read are tracked as in adaptive conformal
// inference (Gibbs and Candès, 2021): a start above a quantile raises its level, a start below lowers
// it. Several trackers do so with steps of their own, each for the quantiles that it would have
// quoted, and the quote is read at their mean: those with large steps follow a change within some ten
// starts, those with small steps are steady. Each QOS has trackers of its own. Starts become known late and levels are limited, so the proof
// of the long run does not carry over. A start that equals a quantile is below it in part: by the part of
// the probability of that time that the level takes, as in a randomized test. Otherwise jobs that start
// at once, which are often more than half, would all be inside, and no range could hold 80 %.

// quoteLevels are those of the quantiles of a quote.
func quoteLevels() [3]float64 { return [3]float64{0.1, 0.5, 0.9} }

const (
	analogs    = 60   // quotes that a quote is corrected by
	leastKnown = 10   // quotes, for a correction
	mostKnown  = 3000 // last quotes that are compared
	tick       = 1    // s; times are equal within it, as logs have whole seconds
	trackers   = 4
	parts      = 4 // of a mixture
)

// levelSteps are the least steps of the trackers.
func levelSteps() [trackers]float64 { return [trackers]float64{0.003, 0.01, 0.03, 0.1} }

// likeness is the circumstances of a quote by which similar ones are found.
type likeness struct {
	mean     float64 // simulated wait, s
	estimate float64 // s
	queued   float64 // work that waits over the size of the machine, s
	ofUser   float64 // of it, that of the same user, s
	width    float64
	queue    int
	user     int
}

// distance returns how different two quotes are, with times in a unit.
func (a *likeness) distance(b *likeness, unit float64) float64 {
	ratio := func(x, y float64) float64 { return math.Abs(math.Log((unit + x) / (unit + y))) }
	d := ratio(a.mean, b.mean) + ratio(a.queued, b.queued)/2 + ratio(a.ofUser, b.ofUser)/2 +
		ratio(a.estimate, b.estimate)/3 + math.Abs(math.Log(a.width/b.width))/3
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

type weighted struct{ at, weight float64 }

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

// scales are times of a quote, s. Waits of similar quotes are in proportion to each of them.
func (a *likeness) scales() [parts - 1]float64 {
	return [parts - 1]float64{a.mean, a.ofUser, a.mean + a.ofUser}
}

// pastQuote is a quote of a job whose start is known later.
type pastQuote struct {
	likeness
	at, wait, high float64 // s: time, wait, largest quantile
	tracked        [trackers]trackedQuote
	losses         [parts]float64 // of the parts of the mixture
	settled, known bool           // the start is above the largest quantile or has come; it has come
}

// trackedQuote is a quote at the levels of a tracker.
type trackedQuote struct {
	high    float64    // s: largest quantile
	below   [3]float64 // by level: the part of the start below the quantile
	settled bool       // the tracker has it
}

// calibration is the earlier quotes. The zero value knows none.
type calibration struct {
	quotes []pastQuote
	open   []int           // that are not known
	queues map[int]*tracks // the levels of the jobs of each queue, which is a QOS
	losses [parts]float64  // of the parts alone, s
}

// tracks are the levels of the trackers after so many starts.
type tracks struct {
	levels [trackers][3]float64
	steps  int
}

// of returns the levels of a queue. They begin as those of the queue with the most starts.
func (c *calibration) of(queue int) *tracks {
	if t := c.queues[queue]; t != nil {
		return t
	}
	first := new(tracks)
	for i := range first.levels {
		first.levels[i] = quoteLevels()
	}
	for _, known := range slices.Sorted(maps.Keys(c.queues)) {
		if t := c.queues[known]; t.steps > first.steps {
			*first = *t
		}
	}
	if c.queues == nil {
		c.queues = map[int]*tracks{}
	}
	c.queues[queue] = first
	return first
}

// follow learns what has become known by a time. A job that waits beyond its largest quantile counts
// at once, by the wait so far.
func (c *calibration) follow(now float64) {
	c.open = slices.DeleteFunc(c.open, func(i int) bool {
		q := &c.quotes[i]
		q.known = q.at+q.wait < now // a job that starts at this time waits
		t := c.of(q.queue)
		for k := range t.levels {
			t.track(k, q, now, len(c.open))
		}
		if !q.settled && (q.known || now > q.at+q.high) {
			q.settled = true
			t.steps++
		}
		for k := range c.losses {
			c.losses[k] += metric.Indicator(q.known) * q.losses[k]
		}
		return q.known
	})
}

// track moves the levels of a tracker by a quote, if its start is known or above the largest quantile. So many quotes are
// open.
func (t *tracks) track(k int, q *pastQuote, now float64, open int) {
	own := &q.tracked[k]
	if own.settled || !q.known && now <= q.at+own.high {
		return
	}
	own.settled = true
	if !q.known {
		own.below = [3]float64{}
	}
	step := 0.5 / float64(10+t.steps)
	if t.steps >= leastKnown { // the first few starts say little: all trackers begin alike
		step = max(step, levelSteps()[k])
	}
	// Levels overshoot if all open quotes together may move them by more than 1.
	step = min(step, 1/float64(open))
	levels := &t.levels[k]
	levels[0] = min(max(levels[0]+step*(0.1-own.below[0]), -0.3), 0.45)
	levels[2] = min(max(levels[2]+step*(0.9-own.below[2]), 0.55), 1.3)
}

// means returns the levels at which quotes are read: the means of the trackers.
func (t *tracks) means() (list [3]float64) {
	for _, levels := range t.levels {
		for k, level := range levels {
			list[k] += level / trackers
		}
	}
	return list
}

// level returns the level at which the distribution of a quote is read for a share.
func (t *tracks) level(p float64) float64 {
	known := [5]float64{0, 0.1, 0.5, 0.9, 1}
	levels := t.means()
	to := [5]float64{min(0, levels[0]), levels[0], levels[1], levels[2], max(1, levels[2])}
	k := 1
	for p > known[k] {
		k++
	}
	return to[k-1] + (to[k]-to[k-1])*(p-known[k-1])/(known[k]-known[k-1])
}

// correct returns the distribution of a wait at a time, from that of a simulation, and its parts.
func (c *calibration) correct(
	like *likeness, simulated []float64, now, unit float64,
) (all distribution, list [parts]distribution) {
	for _, x := range simulated {
		list[0] = append(list[0], weighted{at: x, weight: 1})
	}
	similar := c.similar(like, now, unit)
	for k, mine := range like.scales() {
		list[1+k] = list[0]
		if len(similar) < leastKnown {
			continue
		}
		part := make(distribution, len(similar))
		for i, x := range similar {
			scale := (unit + mine) / (unit + x.scales[k])
			part[i] = weighted{at: x.wait * scale, weight: x.weight}
		}
		list[1+k] = part
	}
	for k, part := range list {
		slices.SortStableFunc(part, func(a, b weighted) int { return cmp.Compare(a.at, b.at) })
		loss := max(c.losses[k], 1)
		loss *= loss * part.weight()
		for _, x := range part {
			all = append(all, weighted{at: x.at, weight: x.weight / loss})
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(a.at, b.at) })
	return all, list
}

// similarQuote is an earlier quote that a quote is corrected by.
type similarQuote struct {
	wait, distance, weight float64
	scales                 [parts - 1]float64
}

// similar returns the most similar of the earlier quotes, the nearest with the most weight. A job that has not
// started counts with the wait so far.
func (c *calibration) similar(like *likeness, now, unit float64) (list []similarQuote) {
	for i := len(c.quotes) - 1; i >= max(0, len(c.quotes)-mostKnown); i-- { // of equal ones the last come first
		q := &c.quotes[i]
		if !q.settled {
			continue
		}
		wait := q.wait
		if !q.known {
			wait = now - q.at
		}
		list = append(list, similarQuote{wait: wait, distance: like.distance(&q.likeness, unit), scales: q.scales()})
	}
	slices.SortStableFunc(list, func(a, b similarQuote) int { return cmp.Compare(a.distance, b.distance) })
	list = list[:min(analogs, len(list))]
	for i := range list {
		x := list[i].distance / (list[len(list)-1].distance + 1e-9)
		list[i].weight = 1.02 - x*x
	}
	return list
}

// add notes a quote whose start becomes known later.
func (c *calibration) add(
	like likeness, d distribution, list [parts]distribution, at, wait, unit float64,
) (quantiles, below [3]float64) {
	q := pastQuote{likeness: like, at: at, wait: wait}
	t := c.of(like.queue)
	for k, level := range t.means() {
		quantiles[k], below[k] = d.read(level, wait, unit)
	}
	for k, level := range quoteLevels() {
		for i, part := range list {
			q.losses[i] += pinball(level, wait, part.quantile(level))
		}
		for i := range t.levels {
			q.tracked[i].high, q.tracked[i].below[k] = d.read(t.levels[i][k], wait, unit) // the last is the largest
		}
	}
	q.high = quantiles[2]
	c.open, c.quotes = append(c.open, len(c.quotes)), append(c.quotes, q)
	return quantiles, below
}

// pinball returns the loss of a quantile.
func pinball(level, wait, quantile float64) float64 {
	return max(level*(wait-quantile), (level-1)*(wait-quantile))
}

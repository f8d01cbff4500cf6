package bound

import (
	"math"
	"slices"
)

// item is a job made ready for the relaxation.
type item struct {
	release, end float64
	rate         float64 // node-seconds of work per second at most
	layers       []layer // of falling value
	after        float64 // the loss starts
	fall         float64 // $ per node-second of work and second of delay
	most         float64 // $ per node-second, the largest loss
}

// layer is work of the same value, a linear piece of V_j.
type layer struct {
	work  float64 // node-seconds
	value float64 // $ per node-second
}

// newItems returns the jobs that can earn anything on the machine by work, and
// what all of them earn without.
//
// A job ends no earlier than release + first part/rate, so that its loss by
// then is certain: it is taken off the value and the loss starts from there.
// Work that cannot be done within the window at full rate is cut off, and a job
// whose first part cannot be, or that is wider than the machine, is dropped.
func newItems(jobs []Job, m Machine) (items []item, free float64) {
	for i := range jobs {
		free += jobs[i].Free
		if it, ok := newItem(&jobs[i], m); ok {
			items = append(items, it)
		}
	}
	limit(items, m)
	return items, free
}

func newItem(j *Job, m Machine) (item, bool) {
	if len(j.Parts) == 0 || j.Width > float64(m.Nodes) && !j.Loose {
		return item{}, false
	}
	it := item{release: j.Release, end: j.End, rate: math.Min(j.Width*m.Speed, m.Capacity)}
	full := it.rate // at which the first part, or that of one task, can be done
	if j.Loose {
		full = j.Width * m.Speed
	}
	room := (it.end - it.release) * full
	if j.Parts[0].Work > room*(1+hair) {
		return item{}, false
	}
	total := j.Work()
	soonest := j.Release + j.Parts[0].Work/full
	certain := j.Late.At(soonest)
	it.after = math.Max(j.Late.After, soonest)
	it.fall = j.Late.Rate / total
	it.most = (j.Late.Most - certain) / total
	if it.fall == 0 || it.most <= 0 {
		it.fall, it.most = 0, 0
	}
	it.layers = majorant(j.Parts, math.Max(room, j.Parts[0].Work))
	ends := it.fall > 0 && j.Late.Most/total >= it.layers[0].value // before rounding can tell equal ones apart
	for i := range it.layers {
		it.layers[i].value -= certain / total
	}
	it.layers = slices.DeleteFunc(it.layers, func(l layer) bool { return l.value <= 0 })
	if len(it.layers) == 0 {
		return item{}, false
	}
	// Beyond this the loss eats up the most valuable layer.
	if ends {
		it.end = math.Min(it.end, it.after+it.layers[0].value/it.fall)
	}
	return it, it.end > it.release
}

// majorant returns the least concave function on [0, room] that passes through
// 0 and lies on or above the values of the parts done in order, as layers.
func majorant(parts []Part, room float64) []layer {
	var hull []layer
	left := room
	for _, p := range parts {
		if left <= 0 {
			break
		}
		l := layer{work: math.Min(p.Work, left), value: p.Value / p.Work}
		left -= p.Work
		for n := len(hull); n > 0 && hull[n-1].value <= l.value; n-- {
			last := hull[n-1]
			work := last.work + l.work
			l = layer{work, (last.work*last.value + l.work*l.value) / work}
			hull = hull[:n-1]
		}
		hull = append(hull, l)
	}
	return hull
}

// limit ends all windows at a time after which no work is needed.
//
// Of the optimal relaxed schedules take one whose work is done earliest. After
// the last release, at any time before its last work at T, either the machine
// is full or every job that works later runs at its full rate; else work could
// move to an earlier time, where it is worth no less. A job that works at T has
// run at full rate for at most its work/rate, and the machine has been full for
// at most all work/capacity, and longer by what outages take of its time. So T is at most
// the last release + (all work + what is lost)/capacity + the largest work/rate (Graham's
// argument). That sum is widened:
// the clock must tell the end from the last release however short the jobs are.
func limit(items []item, m Machine) {
	last, work, longest := math.Inf(-1), 0.0, 0.0
	for i := range items {
		it := &items[i]
		last = math.Max(last, it.release)
		a := it.work()
		work += a
		longest = math.Max(longest, a/it.rate)
	}
	if n := len(m.Up); n > 0 && m.Up[n-1].From > last {
		work += m.Capacity*(m.Up[n-1].From-last) - m.supply(last, m.Up[n-1].From)
	}
	latest := widen(last + (work/m.Capacity+longest)*(1+hair))
	for i := range items {
		items[i].end = math.Min(items[i].end, latest)
	}
}

func (it *item) work() float64 {
	var sum float64
	for _, l := range it.layers {
		sum += l.work
	}
	return sum
}

// worth returns V_j(y), the value of y node-seconds of work done in time.
func (it *item) worth(y float64) float64 {
	var sum float64
	for _, l := range it.layers {
		if y <= l.work {
			return sum + y*l.value
		}
		sum += l.work * l.value
		y -= l.work
	}
	return sum
}

// margin returns the layer in which work beyond y falls, with the work that is
// left of it; all of it is 0 where there is none.
func (it *item) margin(y float64) layer {
	for _, l := range it.layers {
		if y < l.work*(1-tiny) {
			return layer{l.work - y, l.value}
		}
		y = math.Max(0, y-l.work)
	}
	return layer{}
}

// loss returns g_j(t), $ per node-second of work done at time t.
func (it *item) loss(t float64) float64 {
	if t <= it.after {
		return 0
	}
	return math.Min(it.fall*(t-it.after), it.most)
}

// bend returns the time from which the loss grows no more, +Inf if it always
// does.
func (it *item) bend() float64 {
	if it.fall == 0 {
		return it.after
	}
	return it.after + it.most/it.fall
}

// cuts calls f for the pieces of [a, b] on which the loss is linear.
func (it *item) cuts(a, b float64, f func(a, b float64)) {
	if it.fall > 0 {
		for _, t := range [2]float64{it.after, it.bend()} {
			if a < t && t < b {
				f(a, t)
				a = t
			}
		}
	}
	if a < b {
		f(a, b)
	}
}

// meanLoss returns the mean of g_j over [a, b].
func (it *item) meanLoss(a, b float64) float64 {
	if it.fall == 0 || b <= it.after {
		return 0
	}
	if a >= b {
		return it.loss(a)
	}
	var sum float64
	it.cuts(a, b, func(s, e float64) { sum += (it.loss(s) + it.loss(e)) / 2 * (e - s) })
	return sum / (b - a)
}

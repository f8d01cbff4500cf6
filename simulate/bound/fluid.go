package bound

import "math"

// fluid returns the best fractional packing of the items, by value per node-second, into the machine's time from the
// first release to the last end, and the prices that prove it or better: the value of the last layer that fits, all the
// time. The search for better prices starts there.
//
// Proof that this is a bound. All paid work is done between the first release and the last end, so its sum is at most the
// capacity of that time. Work of a layer earns at most its value per node-second, and the most by a given sum of work is
// had by the most valuable first. The ends of items are limited; no optimal schedule is the worse for it.
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

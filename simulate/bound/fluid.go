package bound

import "math"

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
// finish, so its sum is at most capacity x (last - first). Work of a layer
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
	left := m.Capacity * (last - first)
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

package control

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"revopt/model"
)

// process is the Markov decision process of admission: jobs of exponential
// lengths, served by urgency, on servers that serve jobs of one mean length at one
// rate. Its states are first, for every mix of jobs in service that leaves no server
// idle, the queues of the lattice; then the mixes that leave a server idle, with which
// no job waits.
//
// Classes without arrivals or prices have no place in it, and classes that differ only
// in name and rate share a place.
type process struct {
	places  [][]int // classes by place, in the order of service
	rate    []float64
	price   []float64
	demand  []*model.Demand // if the price is chosen; price is then the largest, see capped
	decay   []float64       // $/s lost by a job that waits
	group   []int           // of place: jobs of one mean length
	speed   []float64       // by group: jobs/s of a server
	servers int
	waiting int // most jobs that may wait, negative: no limit

	mixes   *lattice // of jobs in service, by group; its numbers rank them
	mix     [][]int
	busy    []float64 // by mix: jobs/s that end
	at      []int     // by mix: number of its first state
	more    []int     // by mix and group: the mix with one more job
	less    []int     // by mix and group: the mix with one less
	full    []int     // mixes without an idle server
	partial []int     // mixes with one

	queue  *lattice
	states int
	edge   []float64   // $ that a job outside of the lattice is worth, by place
	rule   [][]float64 // shares let in by place: while a server is idle, and by number waiting
	serve  []float64   // scratch, a row
	work   float64     // transitions looked at so far
}

// effort is the work after which to stop: 10 to 30 seconds. It is no time, so that
// results do not depend on the machine.
const effort = 3e9

// newProcess prepares a system. With merge, equal classes share a place.
func newProcess(sys model.System, s Settings, merge bool) *process {
	q := &process{servers: 1, waiting: s.Waiting}
	pace := sys.Parallel
	if s.Servers {
		q.servers, pace = int(sys.Parallel), 1
	}
	var mean []float64
	for _, i := range model.ServiceOrder(sys.Classes) {
		c := sys.Classes[i]
		price, decay, b1 := c.MeanPrice(), sys.DelayCoefficient()*c.MeanDecay(), c.Length.Mean()
		if merge && (c.Rate == 0 || price == 0) {
			continue
		}
		var demand *model.Demand
		if sys.Prices && c.Demand != nil && c.Demand.Rate > 0 {
			demand, price = c.Demand, c.Demand.Max
		}
		g := slices.Index(mean, b1)
		if g < 0 {
			g = len(mean)
			mean = append(mean, b1)
			q.speed = append(q.speed, pace/b1)
		}
		if last := len(q.places) - 1; merge && last >= 0 && demand == nil && q.demand[last] == nil &&
			q.price[last] == price && q.decay[last] == decay && q.group[last] == g {
			q.places[last] = append(q.places[last], i)
			q.rate[last] += c.Rate
			continue
		}
		q.places = append(q.places, []int{i})
		q.rate = append(q.rate, c.Rate)
		q.price = append(q.price, price)
		q.demand = append(q.demand, demand)
		q.decay = append(q.decay, decay)
		q.group = append(q.group, g)
	}
	q.edge = make([]float64, len(q.places))
	return q
}

// mixSizes returns the number of mixes without and with an idle server.
func (q *process) mixSizes() (full, partial int) {
	limit := slices.Repeat([]int{q.servers}, len(q.speed))
	all := latticeSize(limit)
	for g := range limit {
		limit[g] = q.servers - 1
	}
	partial = latticeSize(limit)
	return all - partial, partial
}

// size returns the number of states of queues within the limits.
func (q *process) size(limit []int) float64 {
	full, partial := q.mixSizes()
	return float64(full)*float64(latticeSize(limit)) + float64(partial)
}

// clip lowers limits to the number of jobs that may wait.
func (q *process) clip(limit []int) {
	for p := range limit {
		if q.waiting >= 0 {
			limit[p] = min(limit[p], q.waiting)
		}
	}
}

// build numbers the states of queues within the limits.
func (q *process) build(limit []int) {
	if q.mixes == nil {
		q.buildMixes()
	}
	q.queue = newLattice(limit, q.decay)
	q.serve = make([]float64, limit[0]+1)
	n := 0
	for _, m := range q.full {
		q.at[m] = n
		n += q.queue.size
	}
	for _, m := range q.partial {
		q.at[m] = n
		n++
	}
	q.states = n
}

func (q *process) buildMixes() {
	groups := len(q.speed)
	q.mixes = newLattice(slices.Repeat([]int{q.servers}, groups), make([]float64, groups))
	n := q.mixes.size
	q.mix = make([][]int, n)
	q.at = make([]int, n)
	q.busy = make([]float64, n)
	q.more, q.less = make([]int, n*groups), make([]int, n*groups)
	var fill func(b []int, g, left int)
	fill = func(b []int, g, left int) {
		if g < 0 {
			q.mix[q.mixes.index(b)] = slices.Clone(b)
			return
		}
		for b[g] = 0; b[g] <= left; b[g]++ {
			fill(b, g-1, left-b[g])
		}
		b[g] = 0
	}
	fill(make([]int, groups), groups-1, q.servers)
	for m, b := range q.mix {
		jobs := 0
		for g, k := range b {
			jobs += k
			q.busy[m] += float64(k) * q.speed[g]
		}
		for g := range b {
			q.more[m*groups+g], q.less[m*groups+g] = -1, -1
			if jobs < q.servers {
				b[g]++
				q.more[m*groups+g] = q.mixes.index(b)
				b[g]--
			}
			if b[g] > 0 {
				b[g]--
				q.less[m*groups+g] = q.mixes.index(b)
				b[g]++
			}
		}
		if jobs == q.servers {
			q.full = append(q.full, m)
		} else {
			q.partial = append(q.partial, m)
		}
	}
}

// total returns the rate of a clock that ticks faster than any state is left.
func (q *process) total() float64 {
	return floats.Sum(q.rate) + slices.Max(q.busy)
}

// mode is the rule at the limits of the lattice and for the decisions.
type mode int

const (
	// lower refuses jobs at the limits: its revenue can be earned.
	lower mode = iota
	// upper lets jobs stay outside of the limits: no admission earns more.
	upper
	// given admits by process.rule, and refuses at the limits.
	given
)

// sold returns the best rate of admitting jobs of place p if one more job, at the
// largest price, changes the value by gain.
func (q *process) sold(p int, gain float64) float64 {
	switch d := q.demand[p]; {
	case gain <= 0:
		return 0
	case d != nil:
		return math.Min(q.rate[p], d.Sold(math.Max(0, q.price[p]-gain)))
	}
	return q.rate[p]
}

// sales returns the $/s of that rate.
func (q *process) sales(p int, gain float64) float64 {
	rate := q.sold(p, gain)
	if d := q.demand[p]; d != nil && rate > 0 {
		value, _, _ := d.Revenue(rate)
		return value - (q.price[p]-gain)*rate
	}
	return rate * gain
}

// physical reports whether the first limit is that of the system itself.
func (q *process) physical() bool { return q.waiting >= 0 && q.queue.limit[0] == q.waiting }

// gains sets dst to the gain of one step by values h: the reward per second in every
// state, plus the changes of h by the transitions under the best decision,
//
//	(B h)(x) = max over decisions of r(x) + sum_y rate(x, y) (h(y) - h(x)).
//
// It returns the least and the largest of them, which bracket the optimum.
func (q *process) gains(ctx context.Context, dst, h []float64, m mode) (least, most float64, err error) {
	groups := len(q.speed)
	q.work += float64(q.states * (len(q.rate) + groups))
	next := make([]int, 0, groups) // states after a job has ended and another began
	rates := make([]float64, 0, groups)
	for _, mix := range q.full {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		v, d := h[q.at[mix]:][:q.queue.size], dst[q.at[mix]:][:q.queue.size]
		busy := q.busy[mix]
		for k := range q.queue.rows {
			r := &q.queue.rows[k]
			if k&1023 == 1023 && ctx.Err() != nil {
				return 0, 0, ctx.Err()
			}
			next, rates = next[:0], rates[:0]
			for g, b := range q.mix[mix] {
				if b > 0 {
					after := q.more[q.less[mix*groups+g]*groups+q.group[r.top]]
					next = append(next, q.at[after])
					rates = append(rates, float64(b)*q.speed[g])
				}
			}
			q.served(d, v, h, r, busy, next, rates, m)
			if r.base == 0 {
				// No job waits: a server falls idle.
				sum := 0.0
				for g, b := range q.mix[mix] {
					if b > 0 {
						sum += float64(b) * q.speed[g] * (h[q.at[q.less[mix*groups+g]]] - v[0])
					}
				}
				d[0] = sum
			}
			q.arrivals(d, v, k, r, m)
		}
	}
	q.idle(dst, h, m)
	return slices.Min(dst), slices.Max(dst), nil
}

// served sets d, in row r, to the gain by jobs that end, less the loss by waiting.
func (q *process) served(d, v, h []float64, r *row, busy float64, next []int, rates []float64, m mode) {
	n := r.length
	v, d = v[r.base:][:n], d[r.base:][:n]
	price := q.price[r.top] * busy
	serve := q.serve[:n]
	if r.top > 0 {
		for i := range serve {
			serve[i] = price - busy*v[i]
		}
		for j, at := range next {
			after := h[at+r.down:][:n]
			for i, a := range after {
				serve[i] += rates[j] * a
			}
		}
	} else {
		serve[0] = 0
		for i := 1; i < n; i++ {
			serve[i] = price - busy*v[i]
		}
		for j, at := range next {
			after := h[at:][:n]
			for i := 1; i < n; i++ {
				serve[i] += rates[j] * after[i-1]
			}
		}
	}
	if m == upper {
		q.replaced(serve, v, h, r, price, busy, next, rates)
	}
	cost, slope := r.cost, q.decay[0]
	for i, s := range serve {
		d[i] = s - cost - slope*float64(i)
	}
}

// replaced raises serve at the limits that bind, where a job outside may take the room
// of the job that goes into service.
func (q *process) replaced(serve, v, h []float64, r *row, price, busy float64, next []int, rates []float64) {
	n := r.length
	free := n
	if q.physical() {
		free--
	}
	for _, t := range q.queue.over[r.over[0]:r.over[1]] {
		base := price - busy*q.edge[t.edge] - q.decay[t.edge]
		for i := range free {
			sum := base - busy*v[i]
			for j, at := range next {
				sum += rates[j] * h[at+t.base+i]
			}
			serve[i] = math.Max(serve[i], sum)
		}
	}
	if free == n && (r.top > 0 || n > 1) {
		last := n - 1
		sum := price - busy*(q.edge[0]+v[last]) - q.decay[0]
		for j, at := range next {
			if r.top > 0 {
				sum += rates[j] * h[at+r.down+n]
			} else {
				sum += rates[j] * h[at+last]
			}
		}
		serve[last] = math.Max(serve[last], sum)
	}
}

// arrivals adds the values of arrivals in row r to d.
func (q *process) arrivals(d, v []float64, number int, r *row, m mode) {
	n, places := r.length, len(q.rate)
	from, out := v[r.base:][:n], d[r.base:][:n]
	beyond := m == upper && !q.physical() // the last queue may grow
	for p, rate := range q.rate {
		var share []float64
		if m == given {
			share = q.rule[p][r.sum+1:]
		}
		t := target{base: r.base + 1, edge: inside}
		if p > 0 {
			t = q.queue.up[number*places+p]
		}
		switch {
		case t.edge != inside && m != upper:
			continue
		case t.edge != inside:
			free := n
			if !beyond {
				free--
			}
			worth := q.edge[t.edge]
			to := v[t.base:][:n]
			for i := range free {
				if gain := to[i] + worth - from[i]; gain > 0 {
					out[i] += q.sales(p, gain)
				}
			}
			continue
		case m == given:
			to := v[t.base:][:n-1]
			for i, x := range to {
				out[i] += rate * share[i] * (x - from[i])
			}
		case q.demand[p] != nil:
			to := v[t.base:][:n-1]
			for i, x := range to {
				out[i] += q.sales(p, x-from[i])
			}
		default:
			to := v[t.base:][:n-1]
			for i, x := range to {
				if gain := x - from[i]; gain > 0 {
					out[i] += rate * gain
				}
			}
		}
		if beyond {
			queue, _ := q.queue.reach(r, number, p, n-1)
			out[n-1] += q.sales(p, v[queue]+q.edge[0]-from[n-1])
		}
	}
}

// idle sets dst in the states with an idle server.
func (q *process) idle(dst, h []float64, m mode) {
	groups := len(q.speed)
	for _, mix := range q.partial {
		x := q.at[mix]
		sum := 0.0
		for g, b := range q.mix[mix] {
			if b > 0 {
				sum += float64(b) * q.speed[g] * (h[q.at[q.less[mix*groups+g]]] - h[x])
			}
		}
		for p, rate := range q.rate {
			gain := q.price[p] + h[q.at[q.more[mix*groups+q.group[p]]]] - h[x]
			if m == given {
				sum += rate * q.rule[p][0] * gain
			} else {
				sum += q.sales(p, gain)
			}
		}
		dst[x] = sum
	}
}

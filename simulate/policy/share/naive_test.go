package share_test

import (
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy/policytest"
)

// chore is a task in the plain simulator.
type chore struct {
	job       int
	left      float64 // s of work
	estimated float64 // s of the estimate; below 0 the task overruns
	rate      float64
	speed     float64 // of its node
	held      float64 // its share, until the next update of shares
	tick      float64 // how many updates came before it was set; 0 is none, the start is one
}

// farm is a second simulator of time-shared nodes, written for plainness: it
// looks at every task of every node at every event.
type farm struct {
	jobs   []policytest.Submission
	speeds []float64
	prices []float64 // of a second on each node; nil: 1
	nodes  [][]chore
	now    float64
	rules  rules
	got    settlements
	tasks  []int // left of each job

	update, switching float64 // as in TimeSharing
	dirty             map[int]bool
	returns           map[int]float64 // of nodes, when their rates were set
}

// rules are a policy in the plain simulator.
type rules interface {
	// choose returns the nodes for a job, or why there are none, and its
	// price.
	choose(f *farm, job int) ([]int, float64, simulate.Reason)
	// shares returns the rates of the tasks of a node.
	shares(f *farm, node int) []float64
	// pays returns what a job pays in the end.
	pays(f *farm, job int, price float64) float64
}

const hair = 1e-9

// run simulates all jobs.
func (f *farm) run() settlements {
	f.nodes = make([][]chore, len(f.speeds))
	f.got = make(settlements, len(f.jobs))
	f.tasks = make([]int, len(f.jobs))
	for arrived := 0; ; {
		next := f.next()
		if arrived < len(f.jobs) && f.jobs[arrived].At <= next+hair*next {
			next = f.jobs[arrived].At
		}
		if math.IsInf(next, 1) {
			return f.got
		}
		changed := f.advance(next)
		f.dirty = changed
		for ; arrived < len(f.jobs) && f.jobs[arrived].At == next; arrived++ {
			f.arrive(arrived, changed)
		}
		for n := range changed {
			for i := range f.nodes[n] {
				if c := &f.nodes[n][i]; f.update > 0 && c.tick < f.ticks() {
					c.tick = 0
					c.held, c.tick = f.share(*c), f.ticks()
				}
			}
			for i, rate := range f.rules.shares(f, n) {
				f.nodes[n][i].rate = rate
			}
		}
	}
}

// ticks returns the number of updates so far.
func (f *farm) ticks() float64 { return math.Floor(f.now/f.update*(1+hair)) + 1 }

// capacity returns what a node has for so many tasks.
func (f *farm) capacity(tasks int) float64 {
	if tasks < 2 {
		return 1
	}
	return 1 - f.switching
}

// next returns the time at which the first task ends or spends its estimate, or of
// the next update.
func (f *farm) next() float64 {
	next := math.Inf(1)
	for _, tasks := range f.nodes {
		if len(tasks) > 0 && f.update > 0 {
			next = min(next, f.ticks()*f.update)
		}
		for _, c := range tasks {
			if c.rate > 0 {
				next = min(next, f.now+c.left/c.rate)
				if c.estimated > 0 && c.left > c.estimated {
					next = min(next, f.now+c.estimated/c.rate)
				}
			}
		}
	}
	return next
}

// advance goes to a time and returns the nodes on which something ended or
// overran there.
func (f *farm) advance(to float64) map[int]bool {
	changed := make(map[int]bool)
	for n := range f.nodes {
		var kept []chore
		for _, c := range f.nodes[n] {
			work := f.jobs[c.job].Runtime / f.speeds[n]
			was := c.estimated
			c.left -= c.rate * (to - f.now)
			c.estimated -= c.rate * (to - f.now)
			switch {
			case c.left <= hair*work:
				changed[n] = true
				f.finish(c.job, to)
				continue
			case was > 0 && c.estimated <= 1e-3*hair*work: // a task may come far nearer than a hair, and stay there
				changed[n] = true
				c.estimated = 0
			}
			kept = append(kept, c)
		}
		f.nodes[n] = kept
	}
	before := f.ticks()
	if f.now = to; f.ticks() > before {
		for n := range f.nodes {
			changed[n] = true
		}
	}
	return changed
}

func (f *farm) finish(job int, at float64) {
	if f.tasks[job]--; f.tasks[job] == 0 {
		g := &f.got[job]
		g.finish = at
		g.paid = f.rules.pays(f, job, g.paid)
	}
}

func (f *farm) arrive(job int, changed map[int]bool) {
	nodes, price, why := f.rules.choose(f, job)
	f.got[job] = settlement{finish: math.NaN(), reason: why, paid: price}
	if why != simulate.NoReason {
		return
	}
	slices.Sort(nodes)
	f.tasks[job] = len(nodes)
	for _, n := range nodes {
		changed[n] = true
		f.got[job].nodes = append(f.got[job].nodes, int32(n))
		f.nodes[n] = append(f.nodes[n], chore{job: job, left: f.jobs[job].Runtime / f.speeds[n], estimated: f.jobs[job].Estimate / f.speeds[n], speed: f.speeds[n]})
	}
}

// share returns what a task needs of its node.
func (f *farm) share(c chore) float64 {
	j := f.jobs[c.job]
	ahead := j.At + j.Deadline - f.now
	switch {
	case c.tick > 0:
		return c.held
	case c.estimated <= 0: // overrun; at first the estimate is not 0
		return j.Estimate / c.speed / j.Deadline
	case c.estimated >= ahead:
		return 1
	}
	return c.estimated / ahead
}

func (f *farm) load(node int) float64 {
	var sum float64
	for _, c := range f.nodes[node] {
		sum += f.share(c)
	}
	return sum
}

func (f *farm) isLate(job int) bool {
	j := f.jobs[job]
	return f.got[job].finish > j.At+j.Deadline*(1+1e-7)
}

// least returns the nodes with the least keys, the first of equals first.
func least(keys map[int]float64, width int) []int {
	var nodes []int
	for len(nodes) < width {
		best := math.Inf(1)
		for _, key := range keys {
			best = min(best, key)
		}
		first := math.MaxInt
		for n, key := range keys {
			if key <= best+hair*(1+math.Abs(best)) {
				first = min(first, n)
			}
		}
		nodes = append(nodes, first)
		delete(keys, first)
	}
	return nodes
}

// plainLibra are the rules of Libra and, with prices, of Libra+$.
type plainLibra struct {
	spare       string
	leastLoaded bool
	dollars     bool
	alpha, beta float64
	free        string
	wish        string // "time", "cost" or none
}

func (r plainLibra) shares(f *farm, node int) []float64 {
	var shares []float64
	sum, room := f.load(node), f.capacity(len(f.nodes[node]))
	for _, c := range f.nodes[node] {
		s := f.share(c)
		switch {
		case sum > room || r.spare == "proportional":
			s *= room / sum
		case r.spare == "equal":
			s += (room - sum) / float64(len(f.nodes[node]))
		}
		shares = append(shares, s)
	}
	return shares
}

func (r plainLibra) pays(f *farm, job int, price float64) float64 {
	if f.isLate(job) {
		return 0
	}
	return price
}

func (r plainLibra) choose(f *farm, job int) ([]int, float64, simulate.Reason) {
	j := f.jobs[job]
	if j.Width > len(f.nodes) {
		return nil, 0, simulate.Resources
	}
	able, keys, costs := 0, make(map[int]float64), make(map[int]float64)
	for n := range f.nodes {
		costs[n] = j.Estimate + j.Estimate/j.Deadline
		if f.prices != nil {
			costs[n] *= f.prices[n]
		}
		if costs[n] <= j.Budget+hair*j.Budget {
			able++
		}
	}
	if able < j.Width && !r.dollars {
		return nil, 0, simulate.Budget
	}
	able = 0
	for n := range f.nodes {
		estimate := j.Estimate / f.speeds[n]
		if !r.dollars && costs[n] > j.Budget+hair*j.Budget {
			continue
		}
		load := f.load(n)
		if r.free == "nominal" {
			load = 0
			for _, c := range f.nodes[n] {
				load += f.jobs[c.job].Estimate / f.speeds[n] / f.jobs[c.job].Deadline
			}
		}
		room := f.capacity(len(f.nodes[n]) + 1)
		if load+estimate/j.Deadline > room+hair {
			continue
		}
		key := room - load - estimate/j.Deadline
		if r.leastLoaded {
			key = -key
		}
		if r.dollars {
			key = j.Deadline - estimate
			for _, c := range f.nodes[n] {
				k := f.jobs[c.job]
				ahead := k.At + k.Deadline - f.now
				switch r.free {
				case "full":
					key -= k.Estimate / f.speeds[n]
				case "remaining":
					key -= max(0, c.estimated)
				case "window":
					if left := max(0, c.estimated); ahead <= j.Deadline {
						key -= left
					} else {
						key -= left / ahead * j.Deadline
					}
				case "nominal":
					key -= k.Estimate / f.speeds[n] / k.Deadline * max(0, min(ahead, j.Deadline))
				}
			}
			if key <= hair*j.Deadline {
				continue
			}
			costs[n] = estimate * (r.alpha + r.beta*j.Deadline/key)
			if f.prices != nil {
				costs[n] *= f.prices[n]
			}
		}
		switch r.wish {
		case "time": // as if the job were there
			f.nodes[n] = append(f.nodes[n], chore{job: job, estimated: estimate, speed: f.speeds[n]})
			shares := r.shares(f, n)
			key = estimate / shares[len(shares)-1]
			f.nodes[n] = f.nodes[n][:len(shares)-1]
		case "cost":
			key = costs[n]
		}
		able++
		if costs[n] <= j.Budget+hair*j.Budget {
			keys[n] = key
		}
	}
	if able < j.Width {
		return nil, 0, simulate.Deadline
	}
	if len(keys) < j.Width {
		return nil, 0, simulate.Budget
	}
	nodes, price := least(keys, j.Width), 0.0
	for _, n := range nodes {
		price = max(price, costs[n])
	}
	return nodes, price, simulate.NoReason
}

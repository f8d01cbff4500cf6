package control

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"revopt/internal/lsq"
)

// iterate improves values h until stop accepts the bracket of the optimum: the least
// and the largest gain of a step. It returns the bracket of the final h.
//
// A step of value iteration is h + (B h)/clock. It converges slowly if the queue is
// long, as it moves values by one job at a time. Therefore the steps are mixed
// (Anderson 1965): the next step starts from the combination of the last steps whose
// gains would be most alike if B were linear. The bracket holds for any values.
func (q *process) iterate(
	ctx context.Context, h []float64, m mode, stop func(least, most float64) bool,
) (least, most float64, err error) {
	const patience, often = 5000, 40
	clock := q.total()
	f := make([]float64, len(h))
	mix := newMixer(len(h))
	best, last := math.Inf(1), math.Inf(1)
	var kept, weight []float64 // values before level, and how often states are visited
	for step := 0; ; step++ {
		least, most, err = q.gains(ctx, f, h, m)
		if err != nil || step == patience || stop(least, most) {
			return least, most, err
		}
		spread := most - least
		if step%often == often-1 && last >= 0 {
			mix.forget()
			if spread > last { // it does not help here
				copy(h, kept)
				last = -1
				continue
			}
			if weight == nil {
				weight, err = q.stationary(ctx, nil, h, lower, often)
				if err != nil {
					return least, most, err
				}
			}
			kept, last = append(kept[:0], h...), spread
			q.level(h, f, weight)
			continue
		}
		mean := floats.Sum(f) / float64(len(f))
		for i, x := range f {
			f[i] = (x - mean) / clock
		}
		if spread > 4*best {
			mix.forget()
		}
		best = math.Min(best, spread)
		mix.step(h, f)
	}
}

// level adds a function of the number of jobs in the system to values h, so that the
// gains f of a step, averaged over the states with one number of jobs, are the same for
// every number. Value iteration alone needs a number of steps that is quadratic in the
// length of the queue.
//
// With F_l the sum of weighted gains less their mean at l jobs, and c_l the flow
// between l and l+1, the differences D_l of the added function satisfy
// c_l D_l = c_{l-1} D_{l-1} - F_l.
func (q *process) level(h, f, weight []float64) {
	n := q.servers + q.queue.limit[0] + 1
	level := make([]int32, q.states)
	q.levels(level)
	gain, mass, flow := make([]float64, n), make([]float64, n), make([]float64, n)
	busy := func(mix, from, to int) {
		for x := from; x < to; x++ {
			l := level[x]
			gain[l] += weight[x] * f[x]
			mass[l] += weight[x]
			flow[l] += weight[x] * q.busy[mix]
		}
	}
	for _, mix := range q.full {
		busy(mix, q.at[mix], q.at[mix]+q.queue.size)
	}
	for _, mix := range q.partial {
		busy(mix, q.at[mix], q.at[mix]+1)
	}
	var all, total float64
	for l, g := range gain {
		all += g
		total += mass[l]
	}
	for l := range gain {
		gain[l] -= all / total * mass[l]
	}
	// Sums run from the rarer side, so that rounding does not lose small terms.
	add := make([]float64, n)
	sum, half := 0.0, 0.0
	for l := 1; l < n && half < total/2; l++ {
		sum += gain[l-1]
		half += mass[l-1]
		add[l] = -sum / flow[l]
	}
	sum, half = 0, 0
	for l := n - 1; l > 0 && half < total/2; l-- {
		sum += gain[l]
		half += mass[l]
		add[l] = sum / flow[l]
	}
	for l := 1; l < n; l++ {
		if !(math.Abs(add[l]) < math.MaxFloat64) { // never visited
			add[l] = 0
		}
		add[l] += add[l-1]
	}
	for x, l := range level {
		h[x] += add[l]
	}
}

// mixer is Anderson's acceleration of a fixed-point iteration h + f(h).
type mixer struct {
	depth, used, next int
	lastX, lastF      []float64
	dg, df            [][]float64 // differences of h + f and of f
	gram              [][]float64
	started           bool
}

// newMixer returns a mixer. The longer the vectors, the fewer steps it remembers.
func newMixer(n int) *mixer {
	m := &mixer{depth: max(3, min(8, 30_000_000/n))}
	m.lastX, m.lastF = make([]float64, n), make([]float64, n)
	for range m.depth {
		m.dg = append(m.dg, make([]float64, n))
		m.df = append(m.df, make([]float64, n))
		m.gram = append(m.gram, make([]float64, m.depth))
	}
	return m
}

func (m *mixer) forget() { m.used, m.next, m.started = 0, 0, false }

// step replaces h by the next iterate, given f(h). It works through the vectors in
// blocks that stay in the cache.
func (m *mixer) step(h, f []float64) {
	const block = 1024
	last := m.next
	if m.started {
		m.used = min(m.used+1, m.depth)
		m.next = (m.next + 1) % m.depth
	}
	right, row := make([]float64, m.used), make([]float64, m.used)
	for from := 0; from < len(h); from += block {
		to := min(from+block, len(h))
		x, y := h[from:to], f[from:to]
		dg, df := m.dg[last][from:to], m.df[last][from:to]
		lastX, lastF := m.lastX[from:to], m.lastF[from:to]
		for i := range x {
			df[i] = y[i] - lastF[i]
			dg[i] = x[i] - lastX[i] + df[i]
		}
		copy(lastX, x)
		copy(lastF, y)
		for j := range row {
			row[j] += floats.Dot(df, m.df[j][from:to])
			right[j] += floats.Dot(y, m.df[j][from:to])
		}
	}
	for j, s := range row {
		m.gram[last][j], m.gram[j][last] = s, s
	}
	m.started = true
	// Steps that depend on earlier ones are left out.
	share := lsq.Solve(func(i, j int) float64 { return m.gram[i][j] }, right, 1e-12)
	for from := 0; from < len(h); from += block {
		to := min(from+block, len(h))
		floats.Add(h[from:to], f[from:to])
		for j, s := range share {
			floats.AddScaled(h[from:to], -s, m.dg[j][from:to])
		}
	}
}

// admits returns the probability of admitting an arrival that changes the value by
// gain. While a server is idle, -1 jobs wait.
func (q *process) admits(m mode, p, waiting int, gain float64) float64 {
	switch {
	case m == given:
		return q.rule[p][waiting+1]
	case gain > 0:
		return q.sold(p, gain) / q.rate[p]
	}
	return 0
}

// stationary returns approximate frequencies of the states under the decisions by
// values h. Steps of the chain alternate with corrections of the frequencies of the
// numbers in the system, which form a birth and death process (Takahashi 1975). It
// starts from pi, unless that is nil.
func (q *process) stationary(ctx context.Context, pi, h []float64, m mode, steps int) ([]float64, error) {
	levels := q.servers + q.queue.limit[0] + 1
	next := make([]float64, q.states)
	level := make([]int32, q.states)
	mass, after, share := make([]float64, levels), make([]float64, levels), make([]float64, levels)
	up, down := make([]float64, levels), make([]float64, levels)
	q.levels(level)
	faint := 1e-12 // for states that were never visited and may be now
	if pi == nil {
		pi, faint = make([]float64, q.states), 1
	}
	for x, l := range level {
		pi[x] += faint * math.Exp2(-0.1*float64(l))
	}
	clock := 1.05 * q.total()
	groups := len(q.speed)
	q.work += float64(steps * q.states * (len(q.rate) + groups))
	for range steps {
		clear(after)
		clear(up)
		clear(down)
		copy(next, pi)
		move := func(x, y int, rate float64) {
			flow := pi[x] * rate
			next[x] -= flow / clock
			next[y] += flow / clock
			if l := level[x]; level[y] > l {
				up[l] += flow
			} else {
				down[l] += flow
			}
		}
		for _, mix := range q.full {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			at := q.at[mix]
			for k := range q.queue.rows {
				r := &q.queue.rows[k]
				for i := range r.length {
					x := at + r.base + i
					if pi[x] == 0 {
						continue
					}
					for g, b := range q.mix[mix] {
						if b > 0 {
							move(x, q.ended(mix, g, groups, r, i), float64(b)*q.speed[g])
						}
					}
					for p, rate := range q.rate {
						y, edge := q.queue.reach(r, k, p, i)
						if edge == inside {
							y += at
							if a := q.admits(m, p, r.sum+i, h[y]-h[x]); a > 0 {
								move(x, y, a*rate)
							}
						}
					}
				}
			}
		}
		for _, mix := range q.partial {
			x := q.at[mix]
			for g, b := range q.mix[mix] {
				if b > 0 {
					move(x, q.at[q.less[mix*groups+g]], float64(b)*q.speed[g])
				}
			}
			for p, rate := range q.rate {
				y := q.at[q.more[mix*groups+q.group[p]]]
				if a := q.admits(m, p, -1, q.price[p]+h[y]-h[x]); a > 0 {
					move(x, y, a*rate)
				}
			}
		}
		clear(mass)
		for x, l := range level {
			mass[l] += pi[x]
			after[l] += next[x]
		}
		// The weights of the numbers in the system, by detailed balance.
		share[0] = mass[0]
		sum, factor := mass[0], 1.0
		for l := 1; l < levels; l++ {
			if down[l] > 0 {
				factor *= up[l-1] / down[l]
			} else {
				factor = 0
			}
			share[l] = factor * mass[l]
			sum += share[l]
		}
		for l := range share {
			if after[l] > 0 {
				share[l] /= after[l] * sum
			}
		}
		for x, l := range level {
			pi[x] = next[x] * share[l]
		}
	}
	return pi, nil
}

// ended returns the state after a job of group g has ended in queue i of row r.
func (q *process) ended(mix, g, groups int, r *row, i int) int {
	left := q.less[mix*groups+g]
	switch {
	case r.top > 0:
		return q.at[q.more[left*groups+q.group[r.top]]] + r.down + i
	case i > 0:
		return q.at[q.more[left*groups+q.group[0]]] + i - 1
	}
	return q.at[left]
}

// levels sets level to the number of jobs in the system, by state.
func (q *process) levels(level []int32) {
	for _, mix := range q.full {
		for k := range q.queue.rows {
			r := &q.queue.rows[k]
			for i := range r.length {
				level[q.at[mix]+r.base+i] = int32(q.servers + r.sum + i)
			}
		}
	}
	for _, mix := range q.partial {
		jobs := 0
		for _, b := range q.mix[mix] {
			jobs += b
		}
		level[q.at[mix]] = int32(jobs)
	}
}

// edges returns the cost of the limits: by place, the approximate $/s lost because the
// limit of the place binds, and the factor by which one more job reduces that loss.
func (q *process) edges(h, pi []float64, m mode) (loss, shrink []float64) {
	places := len(q.rate)
	loss, shrink = make([]float64, places), make([]float64, places)
	sums := make([][]float64, places) // mass by number waiting of place p and above
	for p := range sums {
		sums[p] = make([]float64, q.queue.limit[p]+1)
	}
	x := make([]int, places)
	for k := range q.queue.rows {
		r := &q.queue.rows[k]
		for _, mix := range q.full {
			mass := pi[q.at[mix]+r.base:][:r.length]
			all := 0.0
			for i, w := range mass {
				all += w
				sums[0][r.sum+i] += w
			}
			above := 0
			for p := places - 1; p > 0; p-- {
				above += x[p]
				sums[p][above] += all
			}
			q.losses(h, pi, q.at[mix], k, r, m, loss)
		}
		q.queue.next(x)
	}
	for p := range shrink {
		shrink[p] = shrinkage(sums[p])
	}
	return loss, shrink
}

// slopes sets the value of a job outside to the largest value, by h, of the last job
// inside where the limit binds, between 0 and its price.
func (q *process) slopes(h []float64) {
	clear(q.edge)
	x := make([]int, len(q.edge))
	for k := range q.queue.rows {
		r := &q.queue.rows[k]
		above := 0
		for p := len(x) - 1; p >= 0; p-- {
			above += x[p]
			less, first := r.base, r.length-1
			if p > 0 {
				if above != q.queue.limit[p] || x[p] == 0 {
					continue
				}
				x[p]--
				less, first = q.queue.base(x), 0
				x[p]++
			} else if first == 0 {
				continue
			} else {
				less--
			}
			for _, mix := range q.full {
				v := h[q.at[mix]:]
				for i := first; i < r.length; i++ {
					q.edge[p] = math.Max(q.edge[p], v[r.base+i]-v[less+i])
				}
			}
		}
		q.queue.next(x)
	}
	for p, price := range q.price {
		q.edge[p] = math.Min(q.edge[p], price)
	}
}

// extrapolate sets the value of a job outside to the value, by h, of one more job of
// its place when the given share of the limit waits and no other jobs do. It
// extrapolates from jobs further inside: refusal at the limit distorts the values next
// to it.
func (q *process) extrapolate(h []float64, at float64) {
	x := make([]int, len(q.edge))
	for p, limit := range q.queue.limit {
		worth := func(k int) float64 {
			sum := 0.0
			for _, mix := range q.full {
				x[p] = k
				v := h[q.at[mix]+q.queue.index(x)]
				x[p] = k - 1
				sum += v - h[q.at[mix]+q.queue.index(x)]
				x[p] = 0
			}
			return sum / float64(len(q.full))
		}
		q.edge[p] = 0
		if limit == 0 {
			continue
		}
		near := max(1, int(0.4*float64(limit)))
		far := max(near, int(0.6*float64(limit)))
		slope := 0.0
		if far > near {
			slope = (worth(far) - worth(near)) / float64(far-near)
		}
		q.edge[p] = math.Max(0, math.Min(q.price[p], worth(far)+slope*(at*float64(limit)-float64(far))))
	}
}

// losses adds up the values of arrivals refused at the limits.
func (q *process) losses(h, pi []float64, at, number int, r *row, m mode, loss []float64) {
	n := r.length
	if q.physical() {
		n--
	}
	bound := false
	for p := 1; p < len(q.rate); p++ {
		bound = bound || q.queue.up[number*len(q.rate)+p].edge != inside
	}
	first := 0
	if !bound {
		first = max(0, r.length-1)
	}
	for i := first; i < n; i++ {
		x := at + r.base + i
		for p, rate := range q.rate {
			y, edge := q.queue.reach(r, number, p, i)
			if edge == inside {
				continue
			}
			gain := h[at+y] + q.edge[edge] - h[x]
			switch {
			case m == given:
				loss[edge] += pi[x] * rate * q.rule[p][r.sum+i+1] * q.price[p]
			case gain > 0:
				loss[edge] += pi[x] * q.sales(p, gain)
			}
		}
	}
}

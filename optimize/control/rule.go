package control

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"revopt/model"
)

// valuer evaluates rules. It keeps the first error; from then on the revenue of every
// rule is -Inf, so that searches end.
type valuer struct {
	*process
	ctx   context.Context
	err   error
	climb *climb // nil if all classes have one mean length or no job may wait
	gap   float64
	most  int // jobs waiting at which a queue without a limit is cut off

	other, urgent    []float64 // scratch: admitted rates, by number waiting
	freq, prev, next []float64
	a, b             []float64
}

func newValuer(ctx context.Context, sys model.System, s Settings) (*valuer, error) {
	if err := controllable(sys, s); err != nil {
		return nil, err
	}
	v := &valuer{process: newProcess(sys, s, false), ctx: ctx, gap: s.gap(), most: 3000}
	if len(v.speed) > 1 && s.Waiting != 0 {
		v.climb = &climb{process: v.process, gap: v.gap, most: s.maxStates()}
		if err := v.climb.start(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *valuer) revenue(r Rule) float64 {
	if v.err == nil {
		v.err = v.ctx.Err()
	}
	if v.err != nil || !v.stable(r) || v.work > effort {
		return math.Inf(-1)
	}
	if v.climb == nil {
		return v.exact(r)
	}
	value, err := v.iterated(r)
	v.err = err
	if err != nil {
		return math.Inf(-1)
	}
	return value
}

// stable reports whether the servers can serve the classes without a limit.
func (v *valuer) stable(r Rule) bool {
	load := 0.0
	for p, list := range v.places {
		if i := list[0]; r.Waiting[i] < 0 {
			load += v.rate[p] * r.Share[i] / (v.speed[v.group[p]] * float64(v.servers))
		}
	}
	return v.waiting >= 0 || load < 1
}

// longest returns the largest number of waiting jobs with a frequency that matters.
func (v *valuer) longest(r Rule) int {
	most, load := 0, 0.0 // load of the classes without a limit
	for p, list := range v.places {
		switch i := list[0]; {
		case r.Share[i] == 0 || v.rate[p] == 0:
		case r.Waiting[i] < 0:
			load += v.rate[p] * r.Share[i] / (v.speed[0] * float64(v.servers))
		default:
			most = max(most, r.Waiting[i])
		}
	}
	if load > 0 {
		tail := float64(v.most)
		if load < 1 {
			tail = math.Ceil(math.Log(1e-14*(1-load)) / math.Log(load))
		}
		most = int(math.Min(float64(most)+tail, float64(v.most)))
	}
	if v.waiting >= 0 {
		if load > 0 {
			most = v.most
		}
		most = min(most, v.waiting)
	}
	return most
}

// exact evaluates a rule for classes of one mean length, or without a waiting room:
// then the number of idle servers depends on the load alone. The number waiting is a
// birth and death process; its joint distribution with the number waiting of the places
// from p on is solved column by column, see jointly. Decays ascend with the place,
// and the loss is
//
//	sum_p decay_p E[x_p] = sum_p (decay_p - decay_{p-1}) E[x_p + x_{p+1} + ...].
func (v *valuer) exact(r Rule) float64 {
	n := v.longest(r)
	v.grow(n)
	free := 0.0 // load admitted while a server is idle
	for p, list := range v.places {
		i := list[0]
		if r.Waiting[i] != 0 {
			free += v.rate[p] * r.Share[i] / v.speed[v.group[p]]
		}
	}
	if free == 0 {
		return 0
	}
	v.rates(v.urgent, r, 0, len(v.places))
	busy := float64(v.servers) * v.speed[0]
	idle, queue := v.frequencies(free, busy)
	revenue, last := 0.0, 0.0
	for p, list := range v.places {
		i := list[0]
		if rate := v.rate[p] * r.Share[i]; rate > 0 && r.Waiting[i] != 0 {
			open := n
			if k := r.Waiting[i]; k >= 0 {
				open = min(n, k)
			}
			revenue += v.asked(p, rate) * rate * (idle + floats.Sum(v.freq[:open]))
		}
		if v.decay[p] > last && queue > 0 {
			revenue -= (v.decay[p] - last) * queue * v.urgentWaiting(r, p, busy)
			last = v.decay[p]
		}
	}
	if math.IsNaN(revenue) {
		return math.Inf(-1) // the queue is so long that frequencies exceed the range of numbers
	}
	return revenue
}

// frequencies sets freq to the frequencies of the numbers waiting, from the admitted
// rates in urgent, and returns that of an idle server, and the sum of freq.
func (v *valuer) frequencies(free, busy float64) (idle, queue float64) {
	back := 1.0 // relative to that of no idle server and an empty queue
	for b := v.servers; b > 0; b-- {
		back *= float64(b) / free
		idle += back
	}
	if idle > huge {
		return 1, 0 // no job ever waits
	}
	freq := v.freq
	freq[0], queue = 1, 1
	for k := 1; k < len(freq); k++ {
		freq[k] = freq[k-1] * v.urgent[k-1] / busy
		queue += freq[k]
		if queue > huge {
			floats.Scale(1/huge, freq[:k+1])
			idle /= huge
			queue /= huge
		}
	}
	sum := idle + queue
	floats.Scale(1/sum, freq)
	return idle / sum, queue / sum
}

// huge is a number at which frequencies are divided by it: ratios of frequencies of a
// long queue exceed the range of numbers.
const huge = 1e100

// grow clears the scratch space, for so many jobs waiting.
func (v *valuer) grow(n int) {
	for _, s := range []*[]float64{&v.other, &v.urgent, &v.freq} {
		*s = slices.Grow((*s)[:0], n+1)[:n+1]
		clear(*s)
	}
	for _, s := range []*[]float64{&v.prev, &v.next, &v.a, &v.b} {
		*s = slices.Grow((*s)[:0], n+2)[:n+2]
	}
}

// asked returns the price of place p at which jobs come at a rate.
func (v *valuer) asked(p int, rate float64) float64 {
	if d := v.demand[p]; d != nil && rate > 0 {
		return d.PriceAt(rate)
	}
	return v.price[p]
}

// rates sets dst to the admitted rates of the places from first to before last, by number
// waiting. It adds and never subtracts: where nothing is admitted the rate is 0.
func (v *valuer) rates(dst []float64, r Rule, first, last int) {
	clear(dst)
	for p := first; p < last; p++ {
		v.open(dst, r, p, v.rate[p]*r.Share[v.places[p][0]])
	}
}

// open adds rate to the admitted rates, by number waiting, where the rule admits place
// p.
func (v *valuer) open(rates []float64, r Rule, p int, rate float64) {
	n := len(rates) - 1
	if k := r.Waiting[v.places[p][0]]; k >= 0 {
		n = min(n, k)
	}
	for k := range n {
		rates[k] += rate
	}
}

// urgentWaiting returns the mean number waiting of the places from p on while no server is
// idle.
func (v *valuer) urgentWaiting(r Rule, p int, busy float64) float64 {
	const negligible = 1e-18
	if p == 0 {
		number := 0.0
		for k, f := range v.freq {
			number += float64(k) * f
		}
		return number / floats.Sum(v.freq)
	}
	v.rates(v.other, r, 0, p)
	v.rates(v.urgent, r, p, len(v.places))
	n := len(v.freq) - 1
	load := slices.Max(v.urgent) / busy
	if load < 1 && v.waiting < 0 && v.unlimited(r, p) {
		// The cut between j and j+1 urgent jobs: load P(j) = P(j+1) while no server is idle.
		return load / (1 - load)
	}
	// More urgent jobs than reach never wait: none is admitted, or frequencies shrink by
	// their load.
	reach := n
	for reach > 0 && v.urgent[reach-1] == 0 {
		reach--
	}
	if reach == 0 {
		return 0
	}
	if load < 1 {
		reach = min(reach, int(math.Log(negligible*(1-load))/math.Log(load)))
	}
	// Where fewer than skip+reach jobs never wait, skip other jobs always wait, and those
	// are left out.
	skip := 0
	below, limit := floats.Sum(v.freq[:reach]), negligible*floats.Sum(v.freq)
	for skip+reach < n {
		below += v.freq[skip+reach]
		if below > limit {
			break
		}
		skip++
	}
	return v.jointly(v.other[skip:], v.urgent[skip:], reach, busy)
}

// unlimited reports whether the rule has no limit for the places from p on.
func (v *valuer) unlimited(r Rule, p int) bool {
	for ; p < len(v.places); p++ {
		if i := v.places[p][0]; r.Waiting[i] >= 0 && r.Share[i] > 0 {
			return false
		}
	}
	return true
}

// jointly returns the mean number of urgent jobs, of at most reach, from the rates by the
// number waiting at which other and urgent jobs are admitted. Column i holds the states
// with i other jobs waiting; P_j(i) are their relative frequencies with j urgent jobs.
// Other jobs are served only while no urgent job waits, so that the flow across the cut
// between i-1 and i gives the first entry of a column from the column before,
//
//	busy P_0(i) = sum_j other(i-1+j) P_j(i-1),
//
// and the balance of its states gives the others: P_j(i) = a_j P_{j-1}(i) + b_j, where
// a_j = urgent(i+j-1)/(busy + e_j), and e_j = other + urgent e_{j+1}/(busy + e_{j+1}) at
// i+j is the rate at which jobs come that are not served before the queue is shorter. All
// numbers are positive, and none is a difference.
func (v *valuer) jointly(other, urgent []float64, reach int, busy float64) float64 {
	const first = 1 / (huge * huge)
	n := len(other) - 1
	prev, next := v.prev, v.next
	a, b := v.a, v.b
	clear(prev)
	number, mass := 0.0, 0.0
	for i := 0; i <= n; i++ {
		most := min(n-i, reach)
		v.work += 2 * float64(most+1)
		next[0] = first
		if i > 0 {
			into := 0.0
			for j := 0; j <= min(n-i+1, reach); j++ {
				into += other[i-1+j] * prev[j]
			}
			if into == 0 {
				break
			}
			next[0] = into / busy
		}
		e, after := 0.0, 0.0 // e_{j+1}, b_{j+1}
		for j := most; j > 0; j-- {
			into := 0.0
			if i > 0 {
				into = other[i-1+j] * prev[j]
			}
			if j < most {
				e *= urgent[i+j] / (busy + e)
			}
			e += other[i+j]
			after = (busy*after + into) / (busy + e)
			a[j], b[j] = urgent[i+j-1]/(busy+e), after
		}
		mass += next[0]
		for j := 1; j <= most; j++ {
			next[j] = a[j]*next[j-1] + b[j]
			number += float64(j) * next[j]
			mass += next[j]
		}
		if mass > huge {
			floats.Scale(first, next[:most+1])
			number *= first
			mass *= first
		}
		prev, next = next, prev
	}
	return number / mass
}

// iterated evaluates a rule for classes that differ in mean length, by the
// frequencies of the states of a lattice that grows as needed.
func (v *valuer) iterated(r Rule) (float64, error) {
	c := v.climb
	for p, list := range v.places {
		v.price[p] = v.asked(p, v.rate[p]*r.Share[list[0]])
	}
	for {
		v.rule = v.rule[:0]
		for p, list := range v.places {
			i := list[0]
			rates := make([]float64, c.queue.limit[0]+2)
			if r.Waiting[i] != 0 {
				rates[0] = r.Share[i]
			}
			v.open(rates[1:], r, p, r.Share[i])
			if k := r.Waiting[i]; c.waiting < 0 && (k < 0 || k > c.queue.limit[0]) {
				rates[c.queue.limit[0]+1] = r.Share[i] // admitted beyond the limit
			}
			v.rule = append(v.rule, rates)
		}
		value, err := c.average(v.ctx)
		if err != nil {
			return 0, err
		}
		limit, err := c.plan(v.ctx, given, 0.5*c.gap*math.Abs(value))
		if err != nil || limit == nil {
			return value, err
		}
		c.enlarge(limit)
	}
}

// average returns the revenue of the rule: the rewards of the states, weighted by their
// frequencies. The frequencies start from those of the previous rule and are improved
// until the average is constant.
func (c *climb) average(ctx context.Context) (float64, error) {
	clear(c.h) // the gains of a step without values are the rewards
	rewards := make([]float64, c.states)
	if _, _, err := c.gains(ctx, rewards, c.h, given); err != nil {
		return 0, err
	}
	last, still := math.NaN(), 0
	for range 500 {
		var err error
		c.pi, err = c.stationary(ctx, c.pi, c.h, given, 20)
		if err != nil {
			return 0, err
		}
		value := floats.Dot(c.pi, rewards)
		still++
		if math.Abs(value-last) > 0.05*c.gap*math.Abs(value) {
			still = 0
		}
		if still == 2 {
			break
		}
		last = value
	}
	return last, nil
}

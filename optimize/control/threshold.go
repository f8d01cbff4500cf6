package control

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"revopt/model"
	"revopt/optimize"
)

// Rule admits a job of class s with probability Share[s] while fewer than Waiting[s]
// jobs, of all classes together, wait, and refuses it otherwise. A class with a limit
// of 0 is always refused. A negative limit means no limit, as in static admission.
type Rule struct {
	Share   []float64
	Waiting []int
}

func (r Rule) clone() Rule {
	return Rule{Share: slices.Clone(r.Share), Waiting: slices.Clone(r.Waiting)}
}

// ThresholdResult is a rule and its revenue.
type ThresholdResult struct {
	Rule
	Revenue float64 // $/s
	Static  float64 // $/s of the best static admission found
}

// Thresholds returns the best Rule that a search finds in the Markov model of Solve.
// The revenue of a rule is exact if all classes have one mean length, by recursion, and
// good to the gap asked for otherwise. The search moves one class at a time, and pairs
// of classes by one job, from several starts, including static admission. With many
// classes, and if evaluation is slow, it moves only limits, by steps, from one start
// besides. Its result is not proven; Solve bounds it from above.
func Thresholds(ctx context.Context, sys model.System, s Settings) (*ThresholdResult, error) {
	static, err := bestStatic(ctx, sys, s)
	if err != nil {
		return nil, err
	}
	v, err := newValuer(ctx, sys, s)
	if err != nil {
		return nil, err
	}
	starts := v.starts(sys, s)
	best := static
	if v.climb == nil {
		starts = append(starts, static.rule)
	}
	for _, r := range starts {
		if top := v.ascend(r); !(top.revenue <= best.revenue) {
			best = top
		}
	}
	if v.climb == nil {
		v.relax(&best)
	}
	if v.err != nil {
		return nil, v.err
	}
	return &ThresholdResult{Rule: best.rule, Revenue: best.revenue, Static: static.revenue}, nil
}

// RuleRevenue returns the revenue of a rule, in $/s, in the Markov model of Solve;
// -Inf if the queue is not stable.
func RuleRevenue(ctx context.Context, sys model.System, s Settings, r Rule) (float64, error) {
	v, err := newValuer(ctx, sys, s)
	if err != nil {
		return 0, err
	}
	revenue := v.revenue(r)
	return revenue, v.err
}

// bestStatic returns the best static admission. If its revenue takes iteration, it is
// good to a thousandth: without a limit queues are long, and states many.
func bestStatic(ctx context.Context, sys model.System, s Settings) (priced, error) {
	rough := s
	rough.Gap, rough.MaxStates = math.Max(s.gap(), 1e-3), min(s.maxStates(), 100_000)
	v, err := newValuer(ctx, sys, rough)
	if err != nil { // too few states to begin with
		v, err = newValuer(ctx, sys, s)
	}
	if err != nil {
		return priced{}, err
	}
	return v.static(sys, s)
}

// priced is a rule and its revenue.
type priced struct {
	rule    Rule
	revenue float64
	off     float64 // relative error of revenue, about, if it took iteration
}

// valuer evaluates rules. It keeps the first error; from then on the revenue of every
// rule is -Inf, so that searches end.
type valuer struct {
	*process
	ctx   context.Context
	err   error
	climb *climb // nil if all classes have one mean length or no job may wait
	gap   float64

	total            []float64 // scratch: admitted rates, by number waiting
	urgent           []float64
	freq, prev, next []float64
	a, b             []float64
}

func newValuer(ctx context.Context, sys model.System, s Settings) (*valuer, error) {
	if err := controllable(sys, s); err != nil {
		return nil, err
	}
	v := &valuer{process: newProcess(sys, s, false), ctx: ctx, gap: s.gap()}
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
	const always = 3000
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
		tail := float64(always)
		if load < 1 {
			tail = math.Ceil(math.Log(1e-14*(1-load)) / math.Log(load))
		}
		most = int(math.Min(float64(most)+tail, always))
	}
	if v.waiting >= 0 {
		if load > 0 {
			most = always
		}
		most = min(most, v.waiting)
	}
	return most
}

// exact evaluates a rule for classes of one mean length, or without a waiting room:
// then the number of idle servers depends on the load alone. The number waiting is a
// birth and death process; its joint distribution with the number waiting of the places
// from p on is solved column by column, see jointly. Decays ascend with the place, and
// the loss is
//
//	sum_p decay_p E[x_p] = sum_p (decay_p - decay_{p-1}) E[x_p + x_{p+1} + ...].
func (v *valuer) exact(r Rule) float64 {
	n := v.longest(r)
	v.grow(n)
	total, urgent, freq := v.total, v.urgent, v.freq
	free := 0.0 // load admitted while a server is idle
	for p, list := range v.places {
		i := list[0]
		rate := v.rate[p] * r.Share[i]
		if r.Waiting[i] != 0 {
			free += rate / v.speed[v.group[p]]
		}
		v.open(total, r, p, rate)
	}
	// Frequencies relative to that of no idle server and an empty queue.
	freq[0] = 1
	sum, idle := 1.0, 0.0
	back := 1.0
	for b := v.servers; b > 0; b-- {
		if free == 0 {
			return 0
		}
		back *= float64(b) / free
		idle += back
	}
	if idle > 1e280 {
		idle, freq[0], sum = 1, 0, 0 // no job ever waits
	}
	busy := float64(v.servers) * v.speed[0]
	for k := 1; k <= n; k++ {
		freq[k] = freq[k-1] * total[k-1] / busy
		sum += freq[k]
	}
	if sum > 1e280 {
		return math.Inf(-1) // the queue is always full, and long
	}
	sum += idle
	revenue := 0.0
	waiting := 0.0
	for k, f := range freq {
		waiting += float64(k) * f
	}
	last := 0.0
	copy(urgent, total)
	for p, list := range v.places {
		i := list[0]
		rate := v.rate[p] * r.Share[i]
		if rate > 0 && r.Waiting[i] != 0 {
			let := idle
			for k, f := range freq[:n] {
				if r.Waiting[i] >= 0 && k >= r.Waiting[i] {
					break
				}
				let += f
			}
			revenue += v.asked(p, rate) * rate * let
		}
		if v.decay[p] > last {
			number := waiting
			if p > 0 {
				number = v.jointly(total, urgent, busy) * freq[0]
			}
			revenue -= (v.decay[p] - last) * number
			last = v.decay[p]
		}
		v.open(urgent, r, p, -rate)
	}
	return revenue / sum
}

// grow clears the scratch space, for so many jobs waiting.
func (v *valuer) grow(n int) {
	for _, s := range []*[]float64{&v.total, &v.urgent, &v.freq} {
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

// jointly returns the mean number of urgent jobs waiting, times the sum of the relative
// frequencies. Column i holds the states with i other jobs waiting; P_j(i) are their
// relative frequencies with j urgent jobs. Other jobs are served only while no urgent
// job waits, so that the flow across the cut between i-1 and i gives the first entry of
// a column from the column before,
//
//	busy P_0(i) = sum_j other(i-1+j) P_j(i-1),
//
// and the balance of its states gives the others, all in positive numbers.
func (v *valuer) jointly(total, urgent []float64, busy float64) float64 {
	n := len(total) - 1
	prev, next := v.prev, v.next
	a, b := v.a, v.b
	clear(prev)
	// More urgent jobs than reach never wait: frequencies shrink by their load.
	reach := n
	if load := slices.Max(urgent) / busy; load == 0 {
		return 0
	} else if load < 1 {
		reach = min(n, int(math.Log(1e-18*(1-load))/math.Log(load)))
	}
	sum := 0.0
	for i := 0; i <= n; i++ {
		most := min(n-i, reach)
		first := 1.0
		if i > 0 {
			first = 0
			for j := 0; j <= most; j++ {
				first += (total[i-1+j] - urgent[i-1+j]) * prev[j]
			}
			first /= busy
			if first == 0 {
				break
			}
		}
		a[most+1], b[most+1] = 0, 0
		for j := most; j > 0; j-- {
			into := 0.0
			if i > 0 {
				into = (total[i-1+j] - urgent[i-1+j]) * prev[j]
			}
			d := total[i+j] + busy*(1-a[j+1])
			a[j] = urgent[i+j-1] / d
			b[j] = (busy*b[j+1] + into) / d
		}
		next[0] = first
		for j := 1; j <= most; j++ {
			next[j] = a[j]*next[j-1] + b[j]
			sum += float64(j) * next[j]
		}
		prev, next = next, prev
	}
	return sum
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

// static returns the best static admission: that of the formulas or, where these do not
// hold, the best that moving one class at a time finds from there.
func (v *valuer) static(sys model.System, s Settings) (priced, error) {
	sys.Residual = model.Pooled
	if s.Servers {
		sys.Residual = model.Multiserver
	}
	formula, err := optimize.Solve(v.ctx, sys, optimize.Settings{Gap: 1e-9})
	if err != nil {
		return priced{}, err
	}
	rule := Rule{Share: formula.Admit, Waiting: slices.Repeat([]int{-1}, len(sys.Classes))}
	p := priced{rule: rule, revenue: formula.Revenue}
	if s.Waiting < 0 && (!s.Servers || len(v.speed) == 1) {
		return p, nil // the formulas are exact
	}
	if v.climb != nil {
		p.off = v.gap
		if formula.StabilityBinds && s.Waiting < 0 {
			p.revenue, err = v.saturated(sys, s, p.rule)
			return p, err
		}
	}
	p.revenue = v.revenue(p.rule)
	if v.climb != nil {
		return p, v.err
	}
	for {
		before := p.revenue
		for i := range sys.Classes {
			v.section(&p, i)
		}
		if p.revenue <= before*(1+1e-12) {
			return p, v.err
		}
	}
}

// saturated returns the limit of the revenue of a static rule at the edge of stability.
// There the class served last never decays, and its queue never runs dry. A short
// queue that is filled again at once looks the same to the other classes.
func (v *valuer) saturated(sys model.System, s Settings, r Rule) (float64, error) {
	const times, waiting = 4, 12
	r = r.clone()
	sys.Classes = slices.Clone(sys.Classes)
	for _, i := range model.ServiceOrder(sys.Classes) {
		if c := &sys.Classes[i]; c.Rate*r.Share[i] > 0 {
			if sys.Prices && c.Demand != nil {
				c.Price, c.Demand = model.Tariff{Fixed: c.Demand.PriceAt(c.Rate * r.Share[i])}, nil
			}
			c.Rate = times * sys.Parallel / c.Length.Mean()
			r.Share[i], r.Waiting[i] = 1, waiting
			break
		}
	}
	s.Gap, s.MaxStates = v.gap, v.climb.most
	return RuleRevenue(v.ctx, sys, s, r)
}

// try takes a rule if it is better.
func (v *valuer) try(best *priced, r Rule) { v.take(best, r, v.revenue(r)) }

// take replaces the rule by a better one if the difference is more than noise.
func (v *valuer) take(best *priced, r Rule, revenue float64) {
	noise := 1e-12
	if v.climb != nil {
		noise = v.gap
	}
	if revenue > best.revenue && !(revenue-best.revenue <= noise*math.Abs(revenue)) {
		*best = priced{rule: r, revenue: revenue}
	}
}

// section searches the probability of class i, at its present limit, by golden section.
func (v *valuer) section(best *priced, i int) {
	const golden = 0.6180339887498949
	with := func(q float64) Rule {
		r := best.rule.clone()
		r.Share[i] = q
		return r
	}
	at := func(q float64) float64 { return v.revenue(with(q)) }
	lo, hi := 0.0, 1.0
	x, y := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fx, fy := at(x), at(y)
	for hi-lo > 1e-7 && v.err == nil {
		if fx > fy || math.IsInf(fy, -1) {
			hi, y, fy = y, x, fx
			x = hi - golden*(hi-lo)
			fx = at(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + golden*(hi-lo)
			fy = at(y)
		}
	}
	for _, q := range []float64{0, x, y, 1} {
		v.try(best, with(q))
	}
}

// starts returns rules to search from, besides static admission.
func (v *valuer) starts(sys model.System, s Settings) (rules []Rule) {
	ones := slices.Repeat([]float64{1}, len(sys.Classes))
	if v.climb == nil {
		limits := []int{1, 4, 10, 30}
		if v.steps() {
			limits = limits[2:3]
		}
		for _, k := range limits {
			rules = append(rules, Rule{Share: ones, Waiting: slices.Repeat([]int{k}, len(sys.Classes))})
		}
		return rules
	}
	s.Gap = math.Max(1e-4, s.Gap)
	c, err := Solve(v.ctx, sys, s)
	v.err = err
	if err != nil {
		return nil
	}
	some := Rule{Share: ones}
	for i, t := range c.Thresholds {
		if t.Never {
			ones[i] = 0
		}
		some.Waiting = append(some.Waiting, t.Some)
	}
	return []Rule{some}
}

// ascend improves a rule until no class alone and no two classes by one job each
// improve it further.
func (v *valuer) ascend(r Rule) priced {
	best := priced{rule: r.clone(), revenue: math.Inf(-1)}
	v.try(&best, r.clone())
	for {
		before := best.revenue
		for _, list := range v.places {
			v.scan(&best, list[0])
		}
		if best.revenue == before && !v.steps() {
			v.pairs(&best)
		}
		if best.revenue == before {
			return best
		}
	}
}

// steps reports whether only limits are searched, by steps: if evaluation is slow or
// there are many classes.
func (v *valuer) steps() bool { return v.climb != nil || len(v.places) > 6 }

// scan searches the limit and the probability of class i: all limits if that is quick,
// else steps up and down.
func (v *valuer) scan(best *priced, i int) {
	const far = 12 // limits without improvement after which to stop
	var limits []int
	if v.steps() {
		for _, step := range []int{-16, -8, -4, -2, -1, 1, 2, 4, 8, 16} {
			if v.climb != nil && max(step, -step) > 4 {
				continue
			}
			if k := best.rule.Waiting[i]; k >= 0 && k+step >= 0 {
				limits = append(limits, k+step)
			}
		}
	} else {
		for k := -1; k <= 1000; k++ {
			limits = append(limits, k)
		}
	}
	top, last := math.Inf(-1), 0
	for _, k := range limits {
		r := best.rule.clone()
		r.Waiting[i], r.Share[i] = k, 1
		revenue := v.revenue(r)
		v.take(best, r, revenue)
		if k >= 0 && revenue > top {
			top, last = revenue, k
		}
		if !v.steps() && k > last+far {
			break
		}
	}
	if v.steps() {
		r := best.rule.clone()
		r.Share[i] = 0
		v.try(best, r)
		return
	}
	// A probability in place of the limit: at it, one job above it, and without a limit.
	limit := best.rule.Waiting[i]
	for _, k := range []int{limit, limit + 1, -1} {
		lot := priced{rule: best.rule.clone(), revenue: best.revenue}
		lot.rule.Waiting[i] = k
		v.section(&lot, i)
		v.take(best, lot.rule, lot.revenue)
	}
}

// pairs moves the limits of two classes by one job each.
func (v *valuer) pairs(best *priced) {
	for i := range best.rule.Waiting {
		for j := range i {
			for _, step := range [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
				r := best.rule.clone()
				if r.Waiting[i] < 0 || r.Waiting[j] < 0 || r.Waiting[i]+step[0] < 0 || r.Waiting[j]+step[1] < 0 {
					continue
				}
				r.Waiting[i] += step[0]
				r.Waiting[j] += step[1]
				v.try(best, r)
			}
		}
	}
}

// relax drops limits that change nothing.
func (v *valuer) relax(best *priced) {
	for i := range best.rule.Waiting {
		r := best.rule.clone()
		r.Waiting[i] = -1
		if revenue := v.revenue(r); revenue >= best.revenue-1e-12*math.Abs(best.revenue) {
			*best = priced{rule: r, revenue: revenue}
		}
	}
}

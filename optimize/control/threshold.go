package control

import (
	"context"
	"math"
	"slices"

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
// of classes by a few jobs, from several starts, including static admission. With many
// classes, and if evaluation is slow, it moves only limits, by steps, from one start
// besides. It ends after some work, 10 to 30 seconds. Its result is not proven; Solve
// bounds it from above.
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
	best, most := static, v.most
	if v.climb == nil {
		v.most = 300 // a search needs no more
		starts = append(starts, static.rule)
	}
	for _, r := range starts {
		if top := v.ascend(r, v.near, v.wide); top.revenue > best.revenue {
			best = top
		}
	}
	if v.climb == nil {
		if top := v.ascend(best.rule, v.near, v.lot, v.wide); top.revenue > best.revenue {
			best = top
		}
		v.relax(&best)
		v.most, v.work = most, 0
		best.revenue = v.revenue(best.rule)
		if best.revenue < static.revenue {
			best = static
		}
	}
	if v.err != nil {
		return nil, v.err
	}
	if err := fluid(sys, best.revenue); err != nil {
		return nil, err
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
			v.section(&p, i, 1e-7)
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

// section searches the probability of class i, at its present limit, by golden section, to
// within width.
func (v *valuer) section(best *priced, i int, width float64) {
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
	for hi-lo > width && v.err == nil {
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

// same is the relative difference of revenues below which a search does not go on.
const same = 1e-7

// ascend improves a rule until no class alone and no two classes by a few jobs
// improve it further. It tries a move only where those before it improve nothing.
func (v *valuer) ascend(r Rule, moves ...func(*priced, int)) priced {
	best := priced{rule: r.clone(), revenue: math.Inf(-1)}
	v.try(&best, r.clone())
	if v.steps() {
		moves = moves[:1]
	}
	for v.err == nil {
		before := best.revenue
		better := func() bool { return best.revenue > before+same*math.Abs(before) }
		for _, move := range moves {
			for _, list := range v.places {
				move(&best, list[0])
			}
			if better() {
				break
			}
		}
		if !better() && !v.steps() {
			v.pairs(&best)
		}
		if !better() {
			break
		}
	}
	return best
}

// steps reports whether only limits are searched, by steps: if evaluation is slow or
// there are many classes.
func (v *valuer) steps() bool { return v.climb != nil || len(v.places) > 6 }

// limited returns the rule with class i admitted in full up to a limit.
func (p priced) limited(i, limit int) Rule {
	r := p.rule.clone()
	r.Waiting[i], r.Share[i] = limit, 1
	return r
}

// near moves the limit of class i by steps up and down, and tries to refuse it.
func (v *valuer) near(best *priced, i int) {
	limit, most := best.rule.Waiting[i], 16
	if v.climb != nil {
		most = 4
	}
	for step := 1; step <= most; step *= 2 {
		for _, k := range []int{limit - step, limit + step} {
			if limit >= 0 && k >= 0 {
				v.try(best, best.limited(i, k))
			}
		}
	}
	r := best.rule.clone()
	r.Share[i] = 0
	v.try(best, r)
}

// wide tries all limits of class i, the large ones by steps of a sixteenth, until they
// no longer change the revenue, and none.
func (v *valuer) wide(best *priced, i int) {
	const most, far = 400, 12
	v.try(best, best.limited(i, -1))
	top, last := math.Inf(-1), 0
	for k := 0; k <= most && k <= last+max(far, k/2); k += max(1, k/16) {
		r := best.limited(i, k)
		revenue := v.revenue(r)
		v.take(best, r, revenue)
		if revenue > top+same*math.Abs(revenue) || math.IsInf(top, -1) {
			top, last = revenue, k
		}
	}
}

// lot searches a probability in place of the limit of class i: at it, one job above it,
// and without a limit.
func (v *valuer) lot(best *priced, i int) {
	limit := best.rule.Waiting[i]
	for _, k := range []int{limit, limit + 1, -1} {
		lot := priced{rule: best.rule.clone(), revenue: best.revenue}
		lot.rule.Waiting[i] = k
		v.section(&lot, i, 1e-3)
		if lot.revenue > best.revenue {
			v.section(&lot, i, 1e-7)
		}
		v.take(best, lot.rule, lot.revenue)
	}
}

// pairs moves the limits of two classes by one job each.
func (v *valuer) pairs(best *priced) {
	for i := range best.rule.Waiting {
		for j := range i {
			for _, step := range [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {4, 4}, {4, -4}, {-4, 4}, {-4, -4}} {
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

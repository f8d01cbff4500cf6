package study

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// knob is a setting that may be varied.
type knob struct {
	name   string
	values []string // from the least to the largest; "" leaves the setting out
	now    int      // place of today's value
	needs  string   // a setting without which this one has no effect; "" is none
}

// candidate is settings that a race tries.
type candidate struct {
	places []int // of the values of knobs
	policy Policy
	values []float64   // value per second, by replication
	rules  [][]float64 // measures by rule and replication
}

// race searches for the settings that earn most, by simulation of the same jobs under all
// of them.
//
// Starting from the better of several settings it tries every setting some steps up and
// down, 4, 2, and then 1. All moves run in 4 replications. Then the worse half stops, and
// so does every move that is below the leader by more than the 95 % interval of their
// paired difference; the others run in twice as many replications, up to the most. The
// search goes to the leader if it gains more than chance by the same interval and at least
// worth; all moves that gain by themselves are also tried together. If no move gains, the
// steps become shorter.
//
// The rule errs in three ways, all of which cost value and none of which makes the report
// too good, because that has fresh numbers: the best move may be stopped early, with a
// chance of 2.5 % at each look by its interval and a larger one by the half that stops; a
// move may be taken that gains nothing, with a chance of 2.5 % for each move tried; and the
// end is a local optimum.
//
// Replication k has the same jobs in all candidates and rounds. A candidate that comes
// again is not run again.
type race struct {
	subject  *Subject
	resample *workload.Resampling
	runner   *Runner
	seed     uint64
	knobs    []knob
	base     Policy          // today's settings
	frame    policy.Settings // that any change needs
	keep     []Rule
	most     int // replications of a candidate
	limit    int // runs
	runs     int
	known    map[string]*candidate
	today    *candidate
}

// The rule of the race, see there.
const (
	raceFirst = 4
	raceMost  = 32
	raceLevel = 0.95
	raceStep  = 4
	worth     = 0.001 // share of the value that a move has to gain
)

// FlatShare is the share of the value that is not worth an odd number.
const FlatShare = 0.005

// at returns the candidate at some places of the knobs.
func (r *race) at(places []int) (*candidate, error) {
	given := make(policy.Settings)
	for name, value := range r.base.Settings {
		given[name] = value
	}
	changed := false
	for i, k := range r.knobs {
		if places[i] == k.now {
			continue
		}
		changed = true
		if given[k.name] = k.values[places[i]]; given[k.name] == "" {
			delete(given, k.name)
		}
	}
	if changed {
		for name, value := range r.frame {
			given[name] = value
		}
	}
	all, err := r.base.Spec.Resolve(given)
	if err != nil {
		return nil, err
	}
	p := Policy{r.base.Spec, all}
	label := p.Label()
	if r.known[label] == nil {
		r.known[label] = &candidate{places: places, policy: p}
	}
	return r.known[label], nil
}

// moved returns a candidate with one knob at another place; nil if that has no effect.
func (r *race) moved(c *candidate, k, to int) (*candidate, error) {
	to = max(0, min(to, len(r.knobs[k].values)-1))
	needed := slices.IndexFunc(r.knobs, func(o knob) bool { return o.name == r.knobs[k].needs })
	if to == c.places[k] || needed >= 0 && r.knobs[needed].values[c.places[needed]] == "0" {
		return nil, nil
	}
	places := slices.Clone(c.places)
	places[k] = to
	return r.at(places)
}

// measure runs candidates until each has n replications. Those that have equally many run
// as one plan.
func (r *race) measure(ctx context.Context, n int, list ...*candidate) error {
	for {
		from, due := n, []*candidate(nil)
		for _, c := range list {
			switch have := len(c.values); {
			case have < from:
				from, due = have, []*candidate{c}
			case have == from && due != nil && !slices.Contains(due, c):
				due = append(due, c)
			}
		}
		if due == nil {
			return nil
		}
		if err := r.extend(ctx, due, from, n); err != nil {
			return err
		}
	}
}

// extend runs candidates in the replications from, ..., to-1.
func (r *race) extend(ctx context.Context, list []*candidate, from, to int) error {
	var rows []PlanRow
	for _, c := range list {
		rows = append(rows, PlanRow{Policy: c.policy, Admission: admitAll()})
	}
	var level float64
	x, err := r.subject.openPlan(ctx, rows, func(p *Plan) {
		p.Seed, p.From, p.Replications, p.Resample, p.Plain = r.seed, from, to-from, r.resample, true
		p.Measures, p.Classes = []string{valuePerSecond}, false
		for _, k := range r.keep {
			p.Classes = p.Classes || k.column >= 0
			if !slices.Contains(p.Measures, k.Measure) {
				p.Measures = append(p.Measures, k.Measure)
			}
		}
	}, nil, &level)
	if err != nil {
		return err
	}
	samples, err := r.runner.Run(ctx, x, "tuning")
	if err != nil {
		return err
	}
	r.runs += len(list) * (to - from)
	m, _ := metric.Lookup(valuePerSecond)
	for i, c := range list {
		o := samples.Row(0, i).Stretched(to - from)
		c.values = append(c.values, o.Plain(m, -1)...)
		c.rules = append(c.rules, make([][]float64, len(r.keep)-len(c.rules))...)
		for k, rule := range r.keep {
			c.rules[k] = append(c.rules[k], rule.values(o)...)
		}
	}
	return nil
}

// broken returns by how much a candidate breaks the rules in its first n replications. A
// promise that today's settings break is no rule.
func (r *race) broken(c *candidate, n int) (sum float64) {
	for k, rule := range r.keep {
		if !rule.Promise || rule.excess(mean(r.today.rules[k])) == 0 {
			sum += rule.excess(mean(c.rules[k][:n]))
		}
	}
	return sum
}

// mean returns that of the numbers that are defined.
func mean(x []float64) float64 { return metric.Estimate(x, raceLevel).Mean }

// gain returns the interval of the paired difference of two candidates. It is a number
// where nothing is random.
func (r *race) gain(c, than *candidate) metric.Interval {
	n := min(len(c.values), len(than.values))
	d := metric.Difference(c.values[:n], than.values[:n], raceLevel)
	if r.most == 1 {
		d.HalfWidth = 0
	}
	return d
}

// better orders candidates by the rules that they break in n replications, then by value.
func (r *race) better(a, b *candidate, n int) int {
	return cmp.Or(cmp.Compare(r.broken(a, n), r.broken(b, n)), cmp.Compare(mean(b.values[:n]), mean(a.values[:n])))
}

// beats reports whether a candidate gains more than chance over another one, without
// breaking more rules, or breaks fewer.
func (r *race) beats(c, than *candidate) bool {
	n := min(len(c.values), len(than.values))
	if a, b := r.broken(c, n), r.broken(than, n); a != b {
		return a < b
	}
	d := r.gain(c, than)
	return d.Mean > worth*math.Abs(mean(than.values)) && d.Mean > d.HalfWidth
}

// search runs the race from the best of today's settings and the given places.
func (r *race) search(ctx context.Context, starts [][]int) (*candidate, error) {
	var list []*candidate
	for _, places := range starts {
		c, err := r.at(places)
		if err != nil {
			return nil, err
		}
		if c != r.today && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	at, err := r.round(ctx, r.today, list)
	if err != nil {
		return nil, err
	}
	for step := raceStep; step > 0 && !r.spent(); {
		var moves []*candidate
		for k := range r.knobs {
			for _, to := range []int{at.places[k] + step, at.places[k] - step} {
				c, err := r.moved(at, k, to)
				if err != nil {
					return nil, err
				}
				if c != nil && c != at && !slices.Contains(moves, c) {
					moves = append(moves, c)
				}
			}
		}
		next, err := r.round(ctx, at, moves)
		if err != nil {
			return nil, err
		}
		if next == at {
			step /= 2
		}
		at = next
	}
	return at, nil
}

// spent reports whether the runs are used up.
func (r *race) spent() bool { return r.runs >= r.limit }

// round races moves against each other and against the candidate they start from, and
// returns the candidate to go on with.
func (r *race) round(ctx context.Context, at *candidate, moves []*candidate) (*candidate, error) {
	field := slices.Clone(moves)
	for n := min(raceFirst, r.most); len(field) > 0; n = min(2*n, r.most) {
		if err := r.measure(ctx, n, append(slices.Clone(field), at)...); err != nil {
			return nil, err
		}
		slices.SortStableFunc(field, func(a, b *candidate) int { return r.better(a, b, n) })
		leader := field[0]
		if r.better(at, leader, n) < 0 {
			leader = at
		}
		if n == r.most || r.spent() {
			break
		}
		field = slices.DeleteFunc(field[:(len(field)+1)/2], func(c *candidate) bool {
			d := r.gain(c, leader)
			return c != leader && (r.broken(c, n) > r.broken(leader, n) || d.Mean+d.HalfWidth <= 0)
		})
	}
	// All moves that gain, each of another knob, often gain more together.
	best, places := at, slices.Clone(at.places)
	slices.SortStableFunc(moves, func(a, b *candidate) int {
		return cmp.Compare(r.gain(b, at).Mean, r.gain(a, at).Mean)
	})
	for _, c := range moves {
		if !r.beats(c, at) {
			continue
		}
		if n := min(len(c.values), len(best.values)); best == at || r.better(c, best, n) < 0 {
			best = c
		}
		for k, place := range c.places {
			if place != at.places[k] && places[k] == at.places[k] {
				places[k] = place
			}
		}
	}
	together, err := r.at(places)
	if err != nil || best == at || together == best {
		return best, err
	}
	n := len(best.values)
	if err := r.measure(ctx, n, together); err != nil {
		return nil, err
	}
	if r.better(together, best, n) < 0 {
		best = together
	}
	return best, nil
}

// loses reports whether a candidate earns less than another one by more than can be
// neglected, or breaks more rules.
func (r *race) loses(c, than *candidate, most float64) bool {
	n := min(len(c.values), len(than.values))
	return r.broken(c, n) > r.broken(than, n) || -r.gain(c, than).Mean > most
}

// simplify turns back the settings that earn nothing, and rounds the others, as long as
// all of it together costs less than FlatShare of the value.
func (r *race) simplify(ctx context.Context, best *candidate) (*candidate, error) {
	at := best
	for k, knob := range r.knobs {
		simpler := []int{knob.now}
		for i, value := range knob.values {
			if round(value) && max(i-at.places[k], at.places[k]-i) <= 2 {
				simpler = append(simpler, i)
			}
		}
		for _, to := range simpler {
			c, err := r.moved(at, k, to)
			if at.places[k] == knob.now || at.places[k] == to || err != nil {
				break
			}
			if c == nil {
				continue
			}
			if err := r.measure(ctx, r.most, c, best); err != nil {
				return nil, err
			}
			if !r.loses(c, best, FlatShare*math.Abs(mean(best.values))) {
				at = c
				break
			}
		}
	}
	return at, r.measure(ctx, r.most, at)
}

// round reports whether a number is a power of ten.
func round(value string) bool {
	x, err := strconv.ParseFloat(value, 64)
	return err == nil && x > 0 && math.Abs(math.Log10(x)-math.Round(math.Log10(x))) < 1e-9
}

// flat returns, for every knob that is not at today's place, the values around that of a
// candidate at which the loss is below the noise or below FlatShare; "" if there is none.
func (r *race) flat(ctx context.Context, best *candidate) (map[string][2]string, error) {
	found, open := map[string][2]string{}, map[[2]int]int{} // place by knob and direction
	for k, knob := range r.knobs {
		if at := best.places[k]; at != knob.now {
			found[knob.name] = [2]string{knob.values[at], knob.values[at]}
			open[[2]int{k, 0}], open[[2]int{k, 1}] = at, at
		}
	}
	for len(open) > 0 && !r.spent() {
		tries := map[[2]int]*candidate{}
		var list []*candidate
		for k := range r.knobs {
			for side, by := range []int{-1, 1} {
				place, ok := open[[2]int{k, side}]
				c, err := r.moved(best, k, place+by)
				if err != nil {
					return nil, err
				}
				if delete(open, [2]int{k, side}); ok && c != nil && place+by == c.places[k] {
					tries[[2]int{k, side}], list = c, append(list, c)
				}
			}
		}
		n := min(8, r.most)
		if err := r.measure(ctx, n, list...); err != nil {
			return nil, err
		}
		for at, c := range tries {
			d := r.gain(c, best)
			if r.loses(c, best, math.Max(d.HalfWidth, FlatShare*math.Abs(mean(best.values)))) {
				continue
			}
			name := r.knobs[at[0]].name
			ends := found[name]
			ends[at[1]] = r.knobs[at[0]].values[c.places[at[0]]]
			found[name], open[at] = ends, c.places[at[0]]
		}
	}
	return found, nil
}

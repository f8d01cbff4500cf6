package study

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"

	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// race searches for the settings that earn most, by simulation of the same jobs under all
// of them. Replication k has the same jobs in all rounds, and no settings run twice.
//
// From the better of two starts it tries to move every setting some steps up and down: 4,
// 2, and then 1. All moves run in 4 replications. Then the worse half stops, and so does
// every move that is below the leader by more than the 95 % interval of their paired
// difference; the others run in twice as many, up to raceMost. The search goes to the
// leader if it gains more than chance by the same interval, and at least worth. Moves that
// gain by themselves are tried together as well. If none gains, steps become shorter.
//
// The rule errs in three ways: the best move may be stopped early, at each look with a
// chance of 2.5 % by its interval, and a larger one by the half that stops; a move that gains
// nothing may be taken, with a chance of 2.5 % for each move tried; and the end is a local
// optimum. All of them cost value. None makes the report too good, which has fresh numbers.
type race struct {
	subject  *Subject
	resample *workload.Resampling
	runner   *Runner
	seed     uint64
	*board
	keep  []Rule
	most  int // replications of a candidate
	limit int // runs
	runs  int
	spent bool // the search ended because its runs were used up
	known map[string]*candidate
	now   *candidate // today's settings
}

// The rule of the race.
const (
	raceFirst = 4
	raceMost  = 64
	raceStep  = 4
	raceLevel = 0.95
	worth     = 0.001 // share of the value that a move has to gain
)

// FlatShare is the share of the value that is not worth an odd number.
const FlatShare = 0.005

// candidate is settings that a race tries.
type candidate struct {
	places []int // of the values of knobs
	policy Policy
	values []float64   // value per second, by replication
	rules  [][]float64 // measures by rule and replication
}

// at returns the candidate at some places of the knobs.
func (r *race) at(places []int) (*candidate, error) {
	given := maps.Clone(r.today.Settings)
	for i, k := range r.knobs {
		if places[i] != k.now {
			maps.Copy(given, r.frame)
			if given[k.name] = k.values[places[i]]; given[k.name] == "" {
				delete(given, k.name)
			}
		}
	}
	all, err := r.today.Spec.Resolve(given)
	p := Policy{r.today.Spec, all}
	label := p.Label()
	if r.known[label] == nil && err == nil {
		r.known[label] = &candidate{places: places, policy: p}
	}
	return r.known[label], err
}

// moved returns a candidate with one knob at another place. A knob that has no effect
// without another one turns that on.
func (r *race) moved(c *candidate, k, to int) (*candidate, error) {
	places := slices.Clone(c.places)
	places[k] = max(0, min(to, len(r.knobs[k].values)-1))
	if i := r.index(r.knobs[k].needs); i >= 0 && r.knobs[i].values[places[i]] == "0" && places[k] != c.places[k] {
		places[i] = len(r.knobs[i].values) / 2
	}
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
		policies := each(due, func(_ int, c *candidate) Policy { return c.policy })
		level := raceLevel
		x, err := r.subject.openPlan(ctx, rows(policies, []Admission{admitAll()}), func(p *Plan) {
			p.Seed, p.From, p.Replications, p.Resample, p.Plain = r.seed, from, n-from, r.resample, true
			p.Measures, p.Classes = []string{valuePerSecond}, len(r.keep) > 0
			for _, rule := range r.keep {
				p.Measures = slices.Compact(append(p.Measures, rule.Measure.Name))
			}
		}, nil, &level)
		if err != nil {
			return err
		}
		samples, err := r.runner.Run(ctx, x, "tuning")
		if err != nil {
			return err
		}
		r.runs += len(due) * (n - from)
		for i, c := range due {
			o := samples.Row(0, i).Stretched(n - from)
			c.values = append(c.values, o.Plain(x.measures[0], -1)...)
			if c.rules == nil {
				c.rules = make([][]float64, len(r.keep))
			}
			for k, rule := range r.keep {
				c.rules[k] = append(c.rules[k], o.Plain(rule.Measure, rule.column)...)
			}
		}
	}
}

// mean returns that of the numbers that are defined.
func mean(x []float64) float64 { return metric.Estimate(x, raceLevel).Mean }

// broken returns by how much a candidate breaks the rules in its first n replications. A
// promise that today's settings break is no rule.
func (r *race) broken(c *candidate, n int) (sum float64) {
	for k, rule := range r.keep {
		if !rule.Promise || rule.excess(mean(r.now.rules[k])) == 0 {
			sum += rule.excess(mean(c.rules[k][:n]))
		}
	}
	return sum
}

// versus returns how many more rules a candidate breaks than another one, and the interval
// of its paired gain, which is a number if nothing is random.
func (r *race) versus(c, than *candidate) (broken float64, gain metric.Interval) {
	n := min(len(c.values), len(than.values))
	if gain = metric.Difference(c.values[:n], than.values[:n], raceLevel); r.most == 1 {
		gain.HalfWidth = 0
	}
	return r.broken(c, n) - r.broken(than, n), gain
}

// ahead orders candidates by the rules that they break, then by value.
func (r *race) ahead(a, b *candidate) int {
	broken, gain := r.versus(a, b)
	return cmp.Or(cmp.Compare(broken, 0), cmp.Compare(0, gain.Mean))
}

// beats reports whether a candidate breaks fewer rules than another one or, breaking as
// many, gains more than chance.
func (r *race) beats(c, than *candidate) bool {
	broken, gain := r.versus(c, than)
	return broken < 0 || broken == 0 && gain.Mean > gain.HalfWidth && gain.Mean > worth*math.Abs(mean(than.values))
}

// loses reports whether a candidate breaks more rules than another one, or loses more than
// can be neglected.
func (r *race) loses(c, than *candidate, noise bool) bool {
	broken, gain := r.versus(c, than)
	least := FlatShare * math.Abs(mean(than.values))
	if noise {
		least = math.Max(least, gain.HalfWidth)
	}
	return broken > 0 || gain.Mean < -least
}

// search runs the race from today's settings or the given places.
func (r *race) search(ctx context.Context, start []int) (*candidate, error) {
	c, err := r.at(start)
	if err != nil {
		return nil, err
	}
	at, err := r.round(ctx, r.now, []*candidate{c})
	step := raceStep
	for step > 0 && r.runs < r.limit && err == nil {
		var moves []*candidate
		for k := range r.knobs {
			for _, by := range []int{step, -step} {
				c, err := r.moved(at, k, at.places[k]+by)
				if err != nil {
					return nil, err
				}
				if !slices.Contains(moves, c) {
					moves = append(moves, c)
				}
			}
		}
		before := at
		if at, err = r.round(ctx, at, moves); at == before {
			step /= 2
		}
	}
	r.spent = step > 0
	return at, err
}

// round races moves against each other and against the candidate that they start from, and
// returns the candidate to go on with.
func (r *race) round(ctx context.Context, at *candidate, moves []*candidate) (*candidate, error) {
	field := slices.DeleteFunc(slices.Clone(moves), func(c *candidate) bool { return c == at })
	moves = slices.Clone(field)
	for n := min(raceFirst, r.most); len(field) > 0; n *= 2 {
		if err := r.measure(ctx, n, append(slices.Clone(field), at)...); err != nil {
			return at, err
		}
		slices.SortStableFunc(field, r.ahead)
		leader := slices.MinFunc([]*candidate{at, field[0]}, r.ahead)
		if 2*n > r.most || r.runs >= r.limit {
			break
		}
		field = slices.DeleteFunc(field[:(len(field)+1)/2], func(c *candidate) bool {
			broken, gain := r.versus(c, leader)
			return c != leader && (broken > 0 || gain.Mean+gain.HalfWidth <= 0)
		})
	}
	moves = slices.DeleteFunc(moves, func(c *candidate) bool { return !r.beats(c, at) })
	if len(moves) == 0 {
		return at, nil
	}
	slices.SortStableFunc(moves, r.ahead)
	places := slices.Clone(at.places)
	for _, c := range moves { // the better of two moves of a knob comes first
		for k, place := range c.places {
			if places[k] == at.places[k] {
				places[k] = place
			}
		}
	}
	together, err := r.at(places)
	if err == nil {
		err = r.measure(ctx, len(moves[0].values), together)
	}
	return slices.MinFunc([]*candidate{moves[0], together}, r.ahead), err
}

// simplify turns back settings that earn nothing, and rounds others to powers of ten, as
// long as all of it together loses less than FlatShare.
func (r *race) simplify(ctx context.Context, best *candidate) (*candidate, error) {
	at := best
	for k, knob := range r.knobs {
		now := at.places[k]
		if now == knob.now {
			continue
		}
		places := []int{knob.now}
		for _, to := range []int{now - 1, now + 1} {
			if to >= 0 && to < len(knob.values) && round(knob.values[to]) && !round(knob.values[now]) {
				places = append(places, to)
			}
		}
		for _, to := range places {
			c, err := r.moved(at, k, to)
			if err == nil {
				err = r.measure(ctx, r.most, c, best)
			}
			if err != nil {
				return nil, err
			}
			if !r.loses(c, best, false) {
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
	return err == nil && math.Log10(x) == math.Round(math.Log10(x))
}

// flat returns the values of changed settings, up to raceStep steps from those of a
// candidate, between which the loss is below the noise or below FlatShare.
func (r *race) flat(ctx context.Context, best *candidate) (map[string][2]string, error) {
	found := map[string][2]string{}
	for k, knob := range r.knobs {
		at := best.places[k]
		if at == knob.now {
			continue
		}
		var near []*candidate // by place
		from := max(0, at-raceStep)
		for to := from; to < len(knob.values) && to <= at+raceStep; to++ {
			c, err := r.moved(best, k, to)
			if err != nil {
				return nil, err
			}
			near = append(near, c)
		}
		if err := r.measure(ctx, min(8, r.most), near...); err != nil {
			return nil, err
		}
		low, high := at, at
		for low > from && !r.loses(near[low-1-from], best, true) {
			low--
		}
		for high-from+1 < len(near) && !r.loses(near[high+1-from], best, true) {
			high++
		}
		found[knob.name] = [2]string{knob.values[low], knob.values[high]}
	}
	return found, nil
}

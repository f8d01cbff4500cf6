package tune

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// race searches for the settings that earn most, by simulation of the same jobs under all
// of them. Replication k has the same jobs in all rounds, and no settings run twice.
//
// From the better of two starts it tries to move every setting some steps up and down: 4,
// 2, and then 1. All moves run in 4 replications. Then the worse half stops, and so does
// every move that is below the leader by more than the 95 % interval of their paired
// difference; the others run in twice as many, up to raceMost. The search goes to the
// leader if it gains more than chance by the same interval, and at least worth. If it does
// not, steps become shorter.
//
// The rule errs in three ways: the best move may be stopped early, at each look with a
// chance of 2.5 % by its interval, and a larger one by the half that stops; a move that gains
// nothing may be taken, with a chance of 2.5 % for each move tried; and the end is a local
// optimum. All of them cost value. None makes the report too good, which has fresh numbers.
type race struct {
	subject  *subject.Subject
	resample *workload.Resampling
	runner   *plan.Runner
	seed     uint64
	*board
	keep  []Rule
	most  int // replications of a candidate
	limit int // runs
	runs  int
	spent bool // the search ended because its runs were used up
	known map[string]*candidate
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

// candidate is settings that a race tries, and their replications so far.
type candidate struct {
	places []int // of the values of knobs
	policy subject.Policy
	plan.Outcome
}

// at returns the candidate at some places of the knobs.
func (r *race) at(places []int) *candidate {
	given := maps.Clone(r.today.Settings)
	for i, k := range r.knobs {
		if places[i] == k.now {
			continue
		}
		given[k.name] = k.values[places[i]]
		if given[k.name] == "" {
			delete(given, k.name)
		}
	}
	all, err := r.today.Spec.Resolve(given)
	if err != nil {
		panic("study: " + err.Error()) // the values of knobs are valid
	}
	p := subject.Policy{Spec: r.today.Spec, Settings: all}
	if r.known[p.Label()] == nil {
		r.known[p.Label()] = &candidate{places, p, plan.Outcome{Level: raceLevel}}
	}
	return r.known[p.Label()]
}

// moved returns a candidate with one knob at another place. A knob that has no effect
// without another one turns that on.
func (r *race) moved(c *candidate, k, to int) *candidate {
	places := slices.Clone(c.places)
	places[k] = max(0, min(to, len(r.knobs[k].values)-1))
	back := places[k] == r.knobs[k].now
	for k = r.index(r.knobs[k].needs); k >= 0 && !back; k = r.index(r.knobs[k].needs) {
		if places[k] == 0 {
			places[k] = len(r.knobs[k].values) / 2
		}
	}
	return r.at(places)
}

// measure runs candidates until each has n replications, equally long ones as one plan.
func (r *race) measure(ctx context.Context, n int, list ...*candidate) error {
	for {
		from, due := n, []*candidate(nil)
		for _, c := range list {
			switch {
			case c.N() < from:
				from, due = c.N(), []*candidate{c}
			case c.N() == from && due != nil && !slices.Contains(due, c):
				due = append(due, c)
			}
		}
		if due == nil {
			return nil
		}
		policies := text.Each(due, func(c *candidate) subject.Policy { return c.policy })
		samples, err := runPolicies(ctx, r.runner, r.subject, policies, raceLevel, "tuning", func(p *plan.Plan) {
			p.Seed = r.seed
			p.From = from
			p.Replications = n - from
			p.Resample = r.resample
			p.Plain = true
			p.Measures, p.Classes = []string{metric.ValuePerSecond().Name}, len(r.keep) > 0
			for _, rule := range r.keep {
				p.Measures = append(p.Measures, rule.Measure.Name)
			}
			p.Measures = slices.Compact(slices.Sorted(slices.Values(p.Measures)))
		})
		if err != nil {
			return err
		}
		r.runs += len(due) * (n - from)
		for i, c := range due {
			c.Append(samples.Row(0, i))
		}
	}
}

// versus returns by how much more a candidate breaks rules than another one, and the
// interval of its paired gain, which is a number if nothing is random.
func (r *race) versus(c, than *candidate) (broken float64, gain metric.Interval) {
	n := min(c.N(), than.N())
	a, b := c.Stretched(n), than.Stretched(n)
	gain = a.Difference(b, metric.ValuePerSecond(), -1)
	if r.most == 1 {
		gain.HalfWidth = 0
	}
	return excess(r.keep, a) - excess(r.keep, b), gain
}

// ahead orders candidates by the rules that they break, then by value.
func (r *race) ahead(a, b *candidate) int {
	broken, gain := r.versus(a, b)
	return cmp.Or(cmp.Compare(broken, 0), cmp.Compare(0, gain.Mean))
}

// share returns a share of the value of a candidate.
func (c *candidate) share(share float64) float64 {
	return share * math.Abs(c.Interval(metric.ValuePerSecond(), -1).Mean)
}

// beats reports whether a candidate breaks fewer rules, or as many and gains more than chance.
func (r *race) beats(c, than *candidate) bool {
	broken, gain := r.versus(c, than)
	return broken < 0 || broken == 0 && gain.Mean > max(gain.HalfWidth, than.share(worth))
}

// search runs the race from today's settings or another start.
func (r *race) search(ctx context.Context, at, start *candidate) (*candidate, error) {
	at, err := r.round(ctx, at, []*candidate{start})
	step := raceStep
	for step > 0 && r.runs < r.limit && err == nil {
		var moves []*candidate
		for k, place := range at.places {
			moves = append(moves, r.moved(at, k, place+step), r.moved(at, k, place-step))
		}
		before := at
		at, err = r.round(ctx, at, moves)
		if at == before {
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
	if len(field) > 0 && r.beats(field[0], at) {
		return field[0], nil
	}
	return at, nil
}

// simplify turns back settings that earn nothing, while the loss stays below FlatShare.
func (r *race) simplify(ctx context.Context, best *candidate) (*candidate, error) {
	at := best
	for k, knob := range r.knobs {
		c := r.moved(at, k, knob.now)
		if err := r.measure(ctx, r.most, c, best); err != nil {
			return nil, err
		}
		if broken, gain := r.versus(c, best); broken <= 0 && gain.Mean >= -best.share(FlatShare) {
			at = c
		}
	}
	return at, nil
}

// flat returns the values of changed settings, up to raceStep steps from those of a
// candidate, between which the loss is below the noise or below FlatShare.
func (r *race) flat(ctx context.Context, best *candidate) (map[string][2]string, error) {
	ranges := map[string][2]string{}
	for k, knob := range r.knobs {
		at := best.places[k]
		if at == knob.now {
			continue
		}
		var near []*candidate // by place
		from := max(0, at-raceStep)
		for to := from; to <= min(at+raceStep, len(knob.values)-1); to++ {
			near = append(near, r.moved(best, k, to))
		}
		if err := r.measure(ctx, min(8, r.most), near...); err != nil {
			return nil, err
		}
		ends := [2]string{knob.values[at], knob.values[at]}
		for i, step := range []int{-1, 1} {
			for to := at + step - from; to >= 0 && to < len(near); to += step {
				broken, gain := r.versus(near[to], best)
				if broken > 0 || gain.Mean < -max(gain.HalfWidth, best.share(FlatShare)) {
					break
				}
				ends[i] = knob.values[from+to]
			}
		}
		ranges[knob.name] = ends
	}
	return ranges, nil
}

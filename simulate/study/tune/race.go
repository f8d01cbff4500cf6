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
	"revopt/simulate/served"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// race searches for the settings that earn most, by simulation of the same jobs under all
// of them. Replication k has the same jobs in all rounds, and no settings run twice.
//
// Every round has candidates that differ in one setting. All run in 4 replications. Then the
// worse half stops, and so does every candidate that is below the leader by more than the 95 %
// interval of their paired difference; the others run in twice as many, up to raceMost. What
// the leaders gain is decided by other replications, which the round has not seen. See search.go
// for the rounds.
//
// The race errs in two ways: the best candidate may be stopped early, at each look with a
// chance of 2.5 % by its interval, and a larger one by the half that stops; and the end is a
// local optimum. Both cost value. None makes the report too good, which has fresh numbers.
type race struct {
	subject   *subject.Subject
	objective string // see Tune
	resample  *workload.Resampling
	runner    *plan.Runner
	tell      func(Step) // is told how far the search is; may be nil
	seed      uint64
	*board
	keep  []Rule
	harm  bool           // candidates may harm customers and groups of width
	group *served.Layout // these
	most  int            // replications of a candidate
	limit int            // runs
	runs  int
	spent bool // the search ended because its runs were used up
	known map[string]*candidate

	now   *candidate
	best  *candidate // so far
	level float64    // of confidence that settings gain
	weeks int        // of the part of the log that histories are drawn from; 0: jobs are new in every replication
	again float64    // share of the variance of histories that more of them do not reduce, see confirmed
}

// The rule of the race.
const (
	raceFirst = 4
	raceMost  = 64
	raceStep  = 4
	raceLevel = 0.95
	worth     = 0.001 // share of the value that another value of a setting has to gain
)

// FlatShare is the share of the value that is not worth another setting, nor an odd number.
const FlatShare = 0.005

// candidate is settings that a race tries, and their replications so far.
type candidate struct {
	places []int // of the values of knobs; nil: another policy
	policy subject.Policy
	plan.Outcome
	fresh plan.Outcome // of replications that no round has seen
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
		r.known[p.Label()] = &candidate{places: places, policy: p}
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
		outcomes, err := r.run(ctx, due, from, n-from)
		if err != nil {
			return err
		}
		for i, c := range due {
			c.Append(outcomes[i])
		}
	}
}

// confirm runs candidates in replications that no round has seen.
func (r *race) confirm(ctx context.Context, list ...*candidate) error {
	var due []*candidate
	for _, c := range list {
		if c.fresh.N() == 0 && !slices.Contains(due, c) {
			due = append(due, c)
		}
	}
	if due == nil {
		return nil
	}
	outcomes, err := r.run(ctx, due, r.most, r.most)
	if err != nil {
		return err
	}
	for i, c := range due {
		c.fresh = outcomes[i]
	}
	return nil
}

// run runs candidates in n replications from one on.
func (r *race) run(ctx context.Context, list []*candidate, from, n int) ([]plan.Outcome, error) {
	policies := text.Each(list, func(c *candidate) subject.Policy { return c.policy })
	samples, err := runPolicies(ctx, r.runner, r.subject, policies, raceLevel, "tuning", func(p *plan.Plan) {
		p.Seed = r.seed
		p.From = from
		p.Replications = n
		p.Resample = r.resample
		p.Plain = true
		p.CompareBy = r.objective
		p.Measures, p.Classes = []string{metric.ValuePerSecond().Name}, len(r.keep) > 0
		for _, rule := range r.keep {
			if rule.served == nil {
				p.Measures = append(p.Measures, rule.Measure.Name)
			}
		}
		p.Served = r.group
		p.Measures = slices.Compact(slices.Sorted(slices.Values(p.Measures)))
	})
	if err != nil {
		return nil, err
	}
	r.runs += len(list) * n
	return text.EachAt(list, func(i int, _ *candidate) plan.Outcome { return samples.Row(0, i) }), nil
}

// paired returns by how much more an outcome breaks rules than another one on the same jobs, and the
// interval of its gain over all replications at a level, which is a number if nothing is random.
func (r *race) paired(a, b, now plan.Outcome, level float64) (broken float64, gain metric.Interval) {
	n := min(a.N(), b.N())
	now = now.Stretched(n)
	gain = metric.Estimate(r.gained(a, b), level)
	if r.most == 1 {
		gain.HalfWidth = 0
	}
	return r.broken(a.Stretched(n), now) - r.broken(b.Stretched(n), now), gain
}

// gained returns the gain of an outcome over another one on the same jobs by replication, $/s or in the unit of the
// objective.
func (r *race) gained(a, b plan.Outcome) []float64 {
	n := min(a.N(), b.N())
	m := plan.ObjectiveMeasure(r.objective)
	return plan.Gains(r.objective, a.Stretched(n).Plain(m, -1), b.Stretched(n).Plain(m, -1))
}

// versus compares candidates on the numbers of rounds. Candidates of a round share the luck of the weeks.
func (r *race) versus(c, than *candidate) (broken float64, gain metric.Interval) {
	return r.paired(c.Outcome, than.Outcome, r.now.Outcome, raceLevel)
}

// confirmed compares candidates on replications that no round has seen.
//
// Histories that are drawn from W weeks of a log repeat these: more histories do not add weeks. A history of L weeks has
// the variance s^2 (1/W + 1/L), where s^2 is that of a week, as its weeks are drawn from a pool that is drawn
// from the log; the mean of the log itself has s^2/W, which is a share of L/(L + W). So the interval is the range of the
// histories about their mean, at the level, times sqrt(L/(L + W)). As a range it is as skewed as they are: most settings
// gain much in a few busy weeks, and little in the others.
func (r *race) confirmed(c, than *candidate, level float64) (broken float64, gain metric.Interval) {
	broken, gain = r.paired(c.fresh, than.fresh, r.now.fresh, level)
	if r.weeks == 0 || r.most == 1 {
		return broken, gain
	}
	gain = metric.Spread(r.gained(c.fresh, than.fresh), level)
	scale := math.Sqrt(r.again)
	gain.Low = gain.Mean + scale*(gain.Low-gain.Mean)
	gain.High = gain.Mean + scale*(gain.High-gain.Mean)
	gain.HalfWidth *= scale
	return broken, gain
}

// broken returns by how much an outcome breaks rules: every customer or group of width that is harmed against today's
// settings counts as 1, and so does a smaller share of jobs that run, whose mean wait or slowdown would be compared.
func (r *race) broken(o, now plan.Outcome) float64 {
	return excess(r.keep, o) + float64(len(r.harmed(o, now))) + r.fewer(o, now)
}

// fewer returns 1 if an outcome runs a smaller share of the jobs than today's settings and the objective is a mean over
// the jobs that run, else 0.
func (r *race) fewer(o, now plan.Outcome) float64 {
	return metric.Indicator(r.objective != "" && o.RunsFewer(now))
}

// harmed returns the groups that are harmed against today's settings on the same jobs; none if that is allowed.
func (r *race) harmed(o, now plan.Outcome) []served.Affected {
	if r.harm {
		return nil
	}
	return served.Harmed(served.Compare(r.group.Groups(), now.Served(), o.Served()))
}

// ahead orders candidates by the rules that they break, then by value, or another objective.
func (r *race) ahead(a, b *candidate) int {
	broken, gain := r.versus(a, b)
	return cmp.Or(cmp.Compare(broken, 0), cmp.Compare(0, gain.Mean))
}

// share returns a share of the value of a candidate, or of its mean of another objective.
func (r *race) share(c *candidate, share float64) float64 { return share * math.Abs(r.mean(c)) }

// round races moves against each other and against the candidate that they start from, and
// returns the leaders of those that do better, the first one first. Moves stop that cannot gain a share of the value.
func (r *race) round(ctx context.Context, at *candidate, least float64, moves []*candidate) ([]*candidate, error) {
	var field []*candidate
	for _, c := range moves {
		if c != at && !slices.Contains(field, c) {
			field = append(field, c)
		}
	}
	for n := min(raceFirst, r.most); len(field) > 0; n *= 2 {
		if err := r.measure(ctx, n, append(slices.Clone(field), at)...); err != nil {
			return nil, err
		}
		r.progress()
		slices.SortStableFunc(field, r.ahead)
		leader := slices.MinFunc([]*candidate{at, field[0]}, r.ahead)
		if 2*n > r.most {
			break
		}
		field = slices.DeleteFunc(field[:(len(field)+1)/2], func(c *candidate) bool {
			broken, gain := r.versus(c, leader)
			if c != leader && (broken > 0 || gain.Mean+gain.HalfWidth <= 0) {
				return true
			}
			broken, gain = r.versus(c, at)
			return broken >= 0 && gain.Mean+gain.HalfWidth < r.share(at, least)
		})
		if r.runs >= r.limit && len(field) > 0 {
			r.spent = true
			break
		}
	}
	return text.Where(field, func(c *candidate) bool { return r.ahead(c, at) < 0 }), nil
}

// progress tells how far the search is.
func (r *race) progress() {
	if r.tell != nil {
		gain := r.mean(r.best) - r.mean(r.now)
		r.tell(Step{Runs: r.runs, Limit: max(r.limit, r.runs), Gain: gain, Objective: r.objective,
			Best: r.best.policy.Label()})
	}
}

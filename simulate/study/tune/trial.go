package tune

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// named returns the policies of some labels that apply and are not today's.
func (t *Tune) named(labels ...string) (list []subject.Policy) {
	for _, words := range labels {
		p, err := subject.ParsePolicy(t.Subject.Specs, strings.Split(words, ":"))
		if err == nil && p.Spec.Check(t.test.Workload.Has()) == nil && p.Label() != t.Policy.Label() {
			list = append(list, p)
		}
	}
	return list
}

// runnable reports whether Slurm can run a policy by its settings alone.
func runnable(p subject.Policy) bool { return p.Spec.RunsOn(p.Settings) == policy.Slurm }

// alternatives returns the policies that Slurm can run and that gain beyond chance over today's settings on the part to
// tune on, the best first; none if today's policy needs a plug-in.
func (t *Tune) alternatives(ctx context.Context) ([]*candidate, error) {
	r := t.race
	var list []*candidate
	for _, p := range t.named("easy", "hol:backfill=true", "hol:backfill=true:longest_wait=7d",
		"hol:backfill=true:longest_wait=3d", "hol:backfill=true:longest_wait=1d") {
		if runnable(p) && runnable(t.Policy) {
			list = append(list, &candidate{policy: p})
		}
	}
	if list == nil {
		return nil, nil
	}
	if err := r.confirm(ctx, append(slices.Clone(list), r.now)...); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c *candidate) bool { return !r.gains(c, r.now, FlatShare) })
	slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(r.mean(b), r.mean(a)) })
	return list, nil
}

// trial is policies on the numbers of the report.
type trial struct {
	*Tune
	out  *Result
	rows map[string]*tried // by label
	// the numbers have bounds, which have no warm-up
	point *plan.BoundedPoint
	drawn bool // there are numbers beside those with bounds: histories drawn from a log, or a stream after its warm-up
}

// tried is a policy on the numbers of the report.
type tried struct {
	policy  subject.Policy
	bounded plan.Outcome // with the numbers of the bounds: of a log as it happened
	outcome plan.Outcome // that the report is about
	trained plan.Outcome // of a log: the part that was tuned on, as it happened
}

// report runs today's settings, those found, and others on fresh numbers.
func (t *Tune) report(ctx context.Context, s *search, best *candidate, others []*candidate,
	flat map[string][2]string) (*Result, error) {
	x := &trial{Tune: t, out: t.newResult(), rows: map[string]*tried{}}
	chosen := best
	for _, c := range others {
		if t.race.gains(c, chosen, FlatShare) {
			chosen = c
		}
	}
	list := append([]*candidate{t.race.now, best}, others...)
	versus := t.named("easy", "hol:backfill=true", "value-bf", "value-bf:preempt=suspend")
	if err := x.run(ctx, append(x.policies(list, s.without(best)), versus...)); err != nil {
		return nil, err
	}
	chosen, err := x.choose(ctx, s, chosen, best, others)
	if err != nil {
		return nil, err
	}
	x.fill(s, chosen, flat)
	for _, c := range others {
		if !slices.ContainsFunc(versus, func(p subject.Policy) bool { return p.Label() == c.policy.Label() }) {
			versus = append(versus, c.policy)
		}
	}
	if err := x.compareToday(ctx); err != nil {
		return nil, err
	}
	if chosen != best && best != t.race.now { // what the search has found, beside what is recommended
		versus = append([]subject.Policy{best.policy}, versus...)
	}
	for _, p := range versus {
		if row := x.rows[p.Label()]; p.Label() != chosen.policy.Label() {
			harm, on := x.harm(row)
			v := Row{Label: p.Label(), RunsOn: p.Spec.RunsOn(p.Settings).Key(), Value: x.perSecond(row),
				Gain: x.gain(x.row(chosen), row), Efficiency: x.share(row), Harm: harm, HarmOn: on}
			if x.Objective != "" {
				mean := x.value(row)
				v.Mean, v.Fewer = &mean, x.fewer(row)
			}
			x.out.Versus = append(x.out.Versus, v)
		}
	}
	x.setStanding(chosen)
	return x.out, nil
}

// newResult returns a result without its estimates.
func (t *Tune) newResult() *Result {
	s, r := t.Subject, t.race
	out := &Result{
		Head:      study.HeadOf(s.Scenario, t.Runner.Version, t.Overrides...),
		Objective: t.Objective, Unit: plan.ObjectiveUnit(t.Objective),
		TraceFile: s.TraceFile(), Seed: t.Seed, Level: metric.Number(t.Level), Today: t.Policy.Label(),
		Contributions: []Contribution{}, Versus: []Row{},
		Rules: []RuleResult{}, Runs: r.runs, Spent: r.spent,
		Warnings: append(append([]warn.Warning{}, study.SubjectWarnings(s)...), t.Policy.Unread()...),
		TunedOn:  Part{Jobs: metric.Number(r.subject.Workload.Size()), Replications: r.most},
		TestedOn: Part{Jobs: metric.Number(t.test.Workload.Size())}, What: s.Offered(s.Workload.Size()),
	}
	if t.steady != nil {
		out.TestedOn.Jobs = out.TunedOn.Jobs
		out.Warmup = study.NewWarmup(t.steady.Workload)
	}
	if s.Logged() {
		out.TunedOn.Part, out.TestedOn.Part = metric.Numbers(t.Train[:]), metric.Numbers(t.Test[:])
	}
	if r.resample != nil {
		out.TunedOn.Span = metric.Number(r.resample.Span)
	}
	return out
}

// without returns candidates with each changed setting turned back, in the order in which settings entered.
func (s *search) without(c *candidate) (list []*candidate) {
	for _, k := range s.changed(c) {
		list = append(list, s.moved(c, k, s.knobs[k].now))
	}
	return list
}

// changed returns the knobs that differ from today's, in the order in which they entered.
func (s *search) changed(c *candidate) []int {
	list := s.differing(s.now, c)
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(slices.Index(s.order, a), slices.Index(s.order, b))
	})
	return list
}

// oneRule reports whether all changed settings but one are there because that one has no effect without them.
func (s *search) oneRule(c *candidate) bool {
	list := s.differing(s.now, c)
	needed := map[int]bool{}
	for _, k := range list {
		for n := s.index(s.knobs[k].needs); n >= 0; n = s.index(s.knobs[n].needs) {
			needed[n] = true
		}
	}
	return len(slices.DeleteFunc(list, func(k int) bool { return needed[k] })) == 1
}

// policies returns those of candidates.
func (x *trial) policies(lists ...[]*candidate) (all []subject.Policy) {
	for _, c := range slices.Concat(lists...) {
		all = append(all, c.policy)
	}
	return all
}

// row returns a candidate on the numbers of the report.
func (x *trial) row(c *candidate) *tried { return x.rows[c.policy.Label()] }

// gain returns the paired gain of a policy over another one.
func (x *trial) gain(a, over *tried) study.Estimate {
	return study.NewEstimate(a.outcome.Gain(x.Objective, over.outcome))
}

// value returns what a policy earns, $/s, or its mean of another objective.
func (x *trial) value(row *tried) study.Estimate {
	return study.NewEstimate(row.outcome.Interval(plan.ObjectiveMeasure(x.Objective), -1))
}

// merit returns what a candidate earns, or its mean of another objective with the sign that makes more better.
func (x *trial) merit(c *candidate) float64 {
	return plan.Merit(x.Objective, float64(x.value(x.row(c)).Mean))
}

// perSecond returns what a policy earns, $/s.
func (x *trial) perSecond(row *tried) study.Estimate {
	return study.NewEstimate(row.outcome.Interval(metric.ValuePerSecond(), -1))
}

// share returns what a policy delivers as a share of the bound, or of another objective the bound as a share of its
// mean.
func (x *trial) share(row *tried) study.Estimate {
	if x.Objective != "" {
		return study.NewEstimate(x.point.Reached(row.bounded))
	}
	return study.NewEstimate(x.point.Share(row.bounded.Delivered()))
}

// fewer reports whether a policy runs a smaller share of the jobs than today's settings, on some numbers of the report.
func (x *trial) fewer(row *tried) bool {
	r, now := x.race, x.row(x.race.now)
	return r.fewer(row.bounded, now.bounded)+r.fewer(row.outcome, now.outcome) > 0
}

// sure reports whether a gain is beyond chance; that of one history has no chance.
func (x *trial) sure(gain study.Estimate) bool {
	low, _ := gain.Interval().Bounds()
	if x.out.TestedOn.Replications == 1 {
		low = float64(gain.Mean)
	}
	return low > 0
}

// better reports whether a policy may replace today's: it breaks fewer rules, or no more and gains. It gained beyond
// chance on the part that was tuned on. Here fresh replications have to show it once more. Another part of a
// log is one history: the gain on it as it happened is above 0, and so is the mean of the histories that are drawn from
// it, whose range is of single histories.
func (x *trial) better(c *candidate) bool {
	now, row := x.row(x.race.now), x.row(c)
	broken := x.broken(row) - x.broken(now)
	gain := x.gain(row, now)
	gains := x.sure(gain)
	if x.drawn && x.Subject.Logged() {
		gains = gain.Mean > 0 && x.happened(row, now).Mean > 0
	}
	return broken < 0 || broken == 0 && gains
}

// broken returns by how much a policy breaks rules. Harm on the tested part of a log as it happened, on histories that are
// drawn from it, and on the part that was tuned on as it happened counts.
func (x *trial) broken(row *tried) float64 {
	r, now := x.race, x.row(x.race.now)
	sum := excess(r.keep, row.outcome) + float64(len(r.harmed(row.bounded, now.bounded))) +
		metric.Indicator(x.fewer(row))
	if x.drawn {
		sum += float64(len(r.harmed(row.outcome, now.outcome)))
	}
	if x.Subject.Logged() {
		sum += float64(len(r.harmed(row.trained, now.trained)))
	}
	return sum
}

// affected returns how customers and groups of width are served by a policy and today: of a log on the part as it
// happened.
func (x *trial) affected(row *tried) []served.Affected {
	now := x.row(x.race.now)
	if x.Subject.Logged() {
		return served.Compare(x.race.group.Groups(), now.bounded.Served(), row.bounded.Served())
	}
	return served.Compare(x.race.group.Groups(), now.outcome.Served(), row.outcome.Served())
}

// harm returns who is harmed by a policy, and on which numbers: those of affected or, if nobody is harmed on them, others on
// which harm counts against a policy.
func (x *trial) harm(row *tried) ([]served.Affected, Numbers) {
	lists := []harmOn{{AsHappened, x.affected(row)}}
	if x.Subject.Logged() {
		now, groups := x.row(x.race.now), x.race.group.Groups()
		if x.drawn {
			lists = append(lists, harmOn{Histories, served.Compare(groups, now.outcome.Served(), row.outcome.Served())})
		}
		lists = append(lists, harmOn{TunedPart, served.Compare(groups, now.trained.Served(), row.trained.Served())})
	}
	return firstHarm(lists)
}

// harmOn is how groups are served on some numbers.
type harmOn struct {
	on   Numbers
	list []served.Affected
}

// firstHarm returns those who are harmed on the first numbers on which somebody is; nobody, on the first, if nobody is.
func firstHarm(lists []harmOn) ([]served.Affected, Numbers) {
	for _, l := range lists {
		if harmed := served.Harmed(l.list); len(harmed) > 0 {
			return harmed, l.on
		}
	}
	return []served.Affected{}, AsHappened
}

// happened returns the paired gain of a policy over another one on the part of a log as it happened.
func (x *trial) happened(a, over *tried) study.Estimate {
	return study.NewEstimate(a.bounded.Gain(x.Objective, over.bounded))
}

// choose returns the candidate to recommend. It is the choice of the search, less the settings that hurt here. Another
// policy that Slurm can run takes its place if it gains more beyond chance, or if the choice does not
// gain; today's settings stay if nothing does.
func (x *trial) choose(ctx context.Context, s *search, chosen, best *candidate, others []*candidate) (
	*candidate, error) {
	for chosen == best {
		back := x.hurting(s, best)
		if back == nil {
			break
		}
		back, err := s.leave(ctx, back)
		if err != nil {
			return nil, err
		}
		best, chosen = back, back
		if err := x.run(ctx, x.policies([]*candidate{best}, s.without(best))); err != nil {
			return nil, err
		}
	}
	list := slices.DeleteFunc(append([]*candidate{chosen, best}, others...), func(c *candidate) bool {
		return c == s.now || !x.better(c)
	})
	if len(list) == 0 {
		return s.now, nil
	}
	first := list[0]
	if first != chosen { // the others by what they earn here
		first = slices.MaxFunc(list, func(a, b *candidate) int {
			return cmp.Compare(x.merit(a), x.merit(b))
		})
	}
	for _, c := range list {
		if x.sure(x.gain(x.row(c), x.row(first))) {
			first = c
		}
	}
	return first, nil
}

// hurting returns a candidate without the setting that breaks rules or, if none does, costs most here; nil if none hurts.
func (x *trial) hurting(s *search, best *candidate) *candidate {
	var out *candidate
	least, most := 0.0, metric.Number(0)
	for _, back := range s.without(best) {
		broken := x.broken(x.row(back)) - x.broken(x.row(best))
		cost := x.gain(x.row(back), x.row(best)).Mean
		if broken < least || broken == least && cost > most {
			out, least, most = back, broken, cost
		}
	}
	return out
}

// fill sets the estimates of the candidate that is recommended.
func (x *trial) fill(s *search, chosen *candidate, flat map[string][2]string) {
	out, now, row := x.out, x.row(s.now), x.row(chosen)
	out.Kept = chosen == s.now
	out.Other = chosen.places == nil
	if !out.Kept && !out.Other {
		out.OneRule = s.oneRule(chosen)
		without := s.without(chosen)
		for i, k := range s.changed(chosen) {
			name := s.knobs[k].name
			_, gain := s.confirmed(chosen, without[i], x.Level)
			c := Contribution{Setting: name, From: s.setting(name), To: chosen.policy.Settings[name],
				Gain: study.NewEstimate(gain), Tested: x.gain(row, x.row(without[i]))}
			if ends, ok := flat[name]; ok {
				c.Flat = &ends
			}
			out.Contributions = append(out.Contributions, c)
		}
	}
	for _, rule := range x.rules {
		was, is := rule.interval(now.outcome), rule.interval(row.outcome)
		binds := !rule.Promise || rule.excess(was.Mean) == 0
		out.Rules = append(out.Rules, RuleResult{rule.Text, rule.Measure.Unit, binds,
			study.NewEstimate(was), study.NewEstimate(is), rule.excess(is.Mean) == 0})
	}
	if x.drawn && x.Subject.Logged() {
		happened := x.happened(row, now)
		out.AsRecorded = &happened
	}
	out.Affected = x.affected(row)
	out.Harm = served.Harmed(out.Affected)
	out.Before = x.value(now)
	out.After = x.value(row)
	out.Gain = x.gain(row, now)
	if x.Objective != "" {
		out.NotRun = study.NewNotRun(now.outcome, row.outcome)
	}
	out.Efficiency = x.share(row)
	out.Policy = chosen.policy.Spec.Name
	out.Label = chosen.policy.Label()
	out.RunsOn = chosen.policy.Spec.RunsOn(chosen.policy.Settings).Key()
	out.Settings = statedSettings(chosen.policy)
}

// run runs policies that have not run yet on the numbers of the report: with bounds, which have no warm-up, and on
// histories that are drawn from a log or on a stream after its warm-up. Both are the same if there is neither, or if the
// log is too short.
func (x *trial) run(ctx context.Context, policies []subject.Policy) error {
	var due []subject.Policy
	for _, p := range policies {
		if x.rows[p.Label()] == nil {
			x.rows[p.Label()] = &tried{policy: p}
			due = append(due, p)
		}
	}
	if due == nil {
		return nil
	}
	run := func(s *subject.Subject, set func(*plan.Plan)) (*plan.Samples, error) {
		return x.runOn(ctx, s, due, set)
	}
	bounded, err := run(x.test, func(p *plan.Plan) {
		if x.point == nil {
			p.Bounds = &plan.Bounds{Objective: x.Objective}
		}
	})
	if err != nil {
		return err
	}
	if x.point == nil {
		n, _ := bounded.Replications(0)
		x.point = bounded.Bounded(0, n)
	}
	for i, p := range due {
		row := x.rows[p.Label()]
		row.bounded = bounded.Row(0, i).Stretched(len(x.point.Rows[0].Delivered))
	}
	drawn, err := x.runDrawn(ctx, run)
	if err != nil {
		return err
	}
	x.drawn = drawn != nil
	if x.Subject.Logged() {
		trained, err := run(x.race.subject, func(*plan.Plan) {})
		if err != nil {
			return err
		}
		for i, p := range due {
			x.rows[p.Label()].trained = trained.Row(0, i)
		}
	}
	for i, p := range due {
		row := x.rows[p.Label()]
		row.outcome = row.bounded
		if drawn != nil {
			row.outcome = drawn.Row(0, i)
		}
		row.outcome = row.outcome.Stretched(x.out.TestedOn.Replications)
	}
	return nil
}

// runOn runs policies on a subject. The numbers are those of the report, unless they are of the part of a log that was
// tuned on.
func (x *trial) runOn(ctx context.Context, s *subject.Subject, due []subject.Policy, set func(*plan.Plan)) (
	*plan.Samples, error) {
	samples, err := runPolicies(ctx, x.Runner, s, due, x.Level, "testing", func(p *plan.Plan) {
		p.Seed, p.Replications = x.Seed, cmp.Or(x.Replications, tuneReplications)
		p.Served = x.race.group
		p.CompareBy = x.Objective
		set(p)
	})
	if err == nil && (s != x.race.subject || !s.Logged()) {
		x.out.Samples = append(x.out.Samples, samples)
		x.out.TestedOn.Replications, _ = samples.Replications(0)
	}
	return samples, err
}

// runDrawn runs policies on numbers without bounds; nil if there are none.
func (x *trial) runDrawn(ctx context.Context, run func(*subject.Subject, func(*plan.Plan)) (*plan.Samples, error)) (
	*plan.Samples, error) {
	if x.steady != nil {
		return run(x.steady, func(*plan.Plan) {})
	}
	if !x.test.Logged() {
		return nil, nil
	}
	resample := &workload.Resampling{}
	if _, short := x.test.Resample(ctx, resample); short != nil {
		x.out.Warnings = warn.Union(x.out.Warnings, []warn.Warning{warn.New(warn.NoSpans, short.Error())})
		return nil, nil
	}
	return run(x.test, func(p *plan.Plan) { p.Resample = resample })
}

// runPolicies runs policies, which admit all jobs, by a plan with settings.
func runPolicies(ctx context.Context, r *plan.Runner, s *subject.Subject, policies []subject.Policy, level float64,
	what string, set func(*plan.Plan)) (*plan.Samples, error) {
	x, err := plan.OpenRows(ctx, s, plan.NewRows(policies, []experiment.Admission{{Name: scenario.AdmitAll}}), set,
		nil, &level)
	if err != nil {
		return nil, err
	}
	return r.Run(ctx, x, what)
}

// statedSettings returns the settings that differ from the defaults, without those of files.
func statedSettings(p subject.Policy) policy.Settings {
	list, byDefault := maps.Clone(p.Settings), subject.PolicyOf(p.Spec).Settings
	maps.DeleteFunc(list, func(name, value string) bool {
		_, read := p.Settings[policy.FromFile+name]
		return value == byDefault[name] && !read || strings.HasPrefix(name, policy.FromFile)
	})
	return list
}

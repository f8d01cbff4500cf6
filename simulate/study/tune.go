package study

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Tune asks which settings of a policy earn most. It searches by races, and reports what
// was found on numbers that the search has not seen: other random numbers or, for the jobs
// of a log, another part of the log.
type Tune struct {
	Subject      *Subject
	Policy       Policy     // with today's settings
	Vary         []string   // groups of settings, see TuneGroups; nil: all
	Keep         []Rule     // limits that the settings have to respect
	Train, Test  [2]float64 // shares of the span of a log, from and to; zeros: the first and the second half
	Runs         int        // of the search, at most; 0: as many as tuneJobs allow
	Replications int        // of the report; 0: as many as the scenario says, and tuneSpans of a log
	Seed         uint64
	Level        float64  // of confidence; 0 is metric.DefaultLevel
	Runner       *Runner  // nil: all cores, and nothing is kept
	Overrides    []string // path=value, for the result

	race   *race
	starts [][]int
	test   *Subject
}

const (
	valuePerSecond = "value_per_second"
	tuneJobs       = 20e6 // that a search simulates, about
	tuneSpanJobs   = 5000 // of a span that is drawn from a log for a search
	tuneSpans      = 40   // drawn from the part of a log that settings are tested on
)

func admitAll() Admission { return Admission{Name: scenario.AdmitAll} }

// Open finds whatever is wrong before anything runs.
func (t *Tune) Open(ctx context.Context) error {
	s := t.Subject
	t.test = s
	train, resample := s, (*workload.Resampling)(nil)
	var err error
	if w, ok := s.Workload.(*workload.Replay); ok && !w.Pays() {
		return s.unfit("expected jobs with prices: without them no settings earn more than others (give qos, or classes with prices)")
	}
	switch size := s.Workload.Size(); {
	case s.logged():
		if t.Train == t.Test {
			t.Train, t.Test = [2]float64{0, 0.5}, [2]float64{0.5, 1}
		}
		if train, err = t.part(ctx, t.Train); err == nil {
			t.test, err = t.part(ctx, t.Test)
		}
		if err != nil {
			return err
		}
		resample = shortSpans(ctx, train)
	case s.Workload.Stream() > 0 && size > searchJobs:
		o, err := s.Document.RunOverride("jobs", text.Field(searchJobs))
		if err == nil && s.Scenario.Simulation.Horizon == 0 {
			train, err = s.with(ctx, o)
		}
		if err != nil {
			return err
		}
	}
	b, err := newBoard(s, t.Policy, t.Vary)
	if err != nil {
		return err
	}
	if err := t.Policy.Spec.Check(s.Workload.Has()); err != nil {
		return err
	}
	t.Runner, t.Level = cmp.Or(t.Runner, &Runner{}), cmp.Or(t.Level, metric.DefaultLevel)
	r := &race{
		subject: train, resample: resample, runner: t.Runner, seed: derived(t.Seed, "tune"), knobs: b.knobs, base: t.Policy,
		frame: b.frame, keep: append(slices.Clone(t.Keep), promiseRules(s)...), most: raceMost, known: map[string]*candidate{},
	}
	if !train.Workload.Random() && resample == nil {
		r.most = 1
	}
	jobs := train.Workload.Size()
	if resample != nil && resample.Span > 0 {
		jobs = min(jobs, tuneSpanJobs)
	}
	r.limit = cmp.Or(t.Runs, max(500, min(10000, int(tuneJobs/jobs))))
	t.race, t.starts = r, b.starts(train)
	return nil
}

// part returns the part of a log, at the arrival delay factor of the whole.
func (t *Tune) part(ctx context.Context, share [2]float64) (*Subject, error) {
	s := t.Subject
	o := scenario.Override{Path: "trace.jobs", Value: s.Trace.Part(share[0], share[1]).String()}
	if s.Scenario.Trace.Load == 0 {
		return s.with(ctx, o)
	}
	delay := s.Workload.(*workload.Replay).Delay() * (1 + s.Scenario.Growth)
	return s.with(ctx, o, scenario.Set("trace.arrival_delay_factor", delay))
}

// with opens the subject with overrides.
func (s *Subject) with(ctx context.Context, list ...scenario.Override) (*Subject, error) {
	doc, err := s.Document.With(list...)
	if err != nil {
		return nil, err
	}
	return s.opener.Open(ctx, doc)
}

// shortSpans returns spans of some weeks that are drawn from a log; nil if it is too short.
// Many short spans tell settings apart as well as few long ones.
func shortSpans(ctx context.Context, s *Subject) *workload.Resampling {
	drawn, err := s.Resample(ctx, &workload.Resampling{})
	if err != nil {
		return nil
	}
	w := drawn.Workload.(*workload.Replay)
	span, _, _ := w.Resampled()
	least := math.Min(span, 14*24*hour*w.Delay())
	return &workload.Resampling{Span: math.Max(least, math.Min(span, span*tuneSpanJobs/w.Size()))}
}

// Run searches and reports. Where it is interrupted there is no result.
func (t *Tune) Run(ctx context.Context) (*TuneResult, error) {
	if t.race == nil {
		if err := t.Open(ctx); err != nil {
			return nil, err
		}
	}
	r := t.race
	r.runner = cmp.Or(t.Runner, r.runner)
	now := text.Each(r.knobs, func(k knob) int { return k.now })
	var err error
	if r.today, err = r.at(now); err == nil {
		err = r.measure(ctx, r.most, r.today)
	}
	if err != nil {
		return nil, err
	}
	found, err := r.search(ctx, t.starts)
	if err == nil && found != r.today {
		found, err = r.simplify(ctx, found)
	}
	if err != nil {
		return nil, err
	}
	flat, err := r.flat(ctx, found)
	if err != nil {
		return nil, err
	}
	return t.report(ctx, found, flat)
}

// TuneResult is settings that earn most, in $/s on numbers that the search has not seen.
type TuneResult struct {
	Scenario     string          `json:"scenario"`
	Version      string          `json:"version"`
	Overrides    []string        `json:"overrides"`
	Seed         uint64          `json:"seed"`
	Policy       string          `json:"policy"`
	Settings     policy.Settings `json:"settings"` // as scenarios take them, without defaults
	Label        string          `json:"label"`    // the policy with them, as command lines take it
	Before       Estimate        `json:"before"`   // value per second
	After        Estimate        `json:"after"`
	Gain         Estimate        `json:"gain"`
	Efficiency   Estimate        `json:"efficiency"` // share of the bound, after
	Kept         bool            `json:"kept"`       // today's settings: nothing gains more than chance
	Tried        *TuneRow        `json:"tried,omitempty"`
	Contributing []Contribution  `json:"contributions"`
	Versus       []TuneRow       `json:"versus"` // other policies on the same jobs
	Rules        []RuleResult    `json:"rules"`
	TunedOn      TunePart        `json:"tuned_on"`
	TestedOn     TunePart        `json:"tested_on"`
	Recorded     *TuneRow        `json:"as_recorded,omitempty"` // the settings on the part of the log as it happened
	Runs         int             `json:"runs"`                  // of the search
	Spent        bool            `json:"spent"`                 // the search ended because its runs were used up
	Warnings     []Warning       `json:"warnings"`

	Level   Number     `json:"level"`
	What    string     `json:"-"` // the workload in a few words
	File    string     `json:"-"` // of the scenario, as typed
	Command string     `json:"-"`
	Build   string     `json:"-"`
	Samples []*Samples `json:"-" save:"-"`
}

// TuneRow is a policy beside the tuned settings.
type TuneRow struct {
	Label      string   `json:"label"`
	Value      Estimate `json:"value_per_second"`
	Gain       Estimate `json:"gain"` // of the tuned settings over it; of tried settings over today's
	Efficiency Estimate `json:"efficiency"`
}

// Contribution is a setting that was changed, and the value that is lost if it alone is
// turned back.
type Contribution struct {
	Setting string     `json:"setting"`
	From    string     `json:"from"`
	To      string     `json:"to"`
	Gain    Estimate   `json:"gain"`
	Flat    *[2]string `json:"flat,omitempty"` // values between which the loss is small; "" is none
}

// RuleResult is a rule on fresh numbers.
type RuleResult struct {
	Rule    string   `json:"rule"`
	Promise bool     `json:"promise"`
	Before  Estimate `json:"before"`
	After   Estimate `json:"after"`
	Held    bool     `json:"held"` // before
	Holds   bool     `json:"holds"`
	Measure string   `json:"measure"`
}

// TunePart is the numbers that settings were tuned or tested on.
type TunePart struct {
	From         *Number `json:"from,omitempty"` // share of the span of a log
	To           *Number `json:"to,omitempty"`
	Jobs         Number  `json:"jobs"` // of a replication, mean
	Replications int     `json:"replications"`
	Span         Number  `json:"span,omitempty"` // s, of histories that are drawn from weeks of the log
}

// Tunable returns the policy slurm with the settings that the scenario lists, its defaults
// if it lists none.
func (s *Subject) Tunable() (Policy, error) {
	for _, p := range s.Scenario.Policies {
		if p.Name == slurmName {
			return NewPolicy(s.specs, p.Name, p.Options)
		}
	}
	return NewPolicy(s.specs, slurmName, nil)
}

// contenders are the policies that tuned settings are compared with.
func (t *Tune) contenders() (list []Policy) {
	for _, words := range [][]string{{"easy"}, {"hol", "backfill=true"}, {"value-bf"}, {"value-bf", "preempt=suspend"}} {
		p, err := ParsePolicy(t.Subject.specs, words)
		if err == nil && p.Spec.Check(t.test.Workload.Has()) == nil && p.Label() != t.Policy.Label() {
			list = append(list, p)
		}
	}
	return list
}

// report runs today's settings, those found, each of these turned back alone, and other
// policies on fresh numbers.
func (t *Tune) report(ctx context.Context, found *candidate, flat map[string][2]string) (*TuneResult, error) {
	policies := []Policy{t.Policy, found.policy}
	out := t.newResult(found)
	for _, name := range changedSettings(t.Policy.Settings, found.policy.Settings) {
		from, given := t.Policy.Settings[name], maps.Clone(found.policy.Settings)
		if given[name] = from; from == "" {
			delete(given, name)
		}
		c := Contribution{Setting: name, From: from, To: found.policy.Settings[name]}
		if ends, ok := flat[name]; ok {
			c.Flat = &ends
		}
		out.Contributing = append(out.Contributing, c)
		policies = append(policies, Policy{t.Policy.Spec, given})
	}
	first := len(policies)
	policies = append(policies, t.contenders()...)
	bounded, drawn, err := t.measure(ctx, policies, out)
	if err != nil {
		return nil, err
	}
	m, _ := metric.Lookup(valuePerSecond)
	n, _ := drawn.Replications(0)
	k, _ := bounded.Replications(0)
	point := bounded.Bounded(0, k)
	row := func(i int) Outcome { return drawn.Row(0, i).Stretched(n) }
	less := func(i, j int) Estimate { return NewEstimate(row(i).Difference(row(j), m, -1)) }
	rowOf := func(i, over, under int) TuneRow {
		return TuneRow{policies[i].Label(), NewEstimate(row(i).Interval(m, -1)), less(over, under), NewEstimate(point.Efficiency(i))}
	}
	after := 1
	if low, _ := less(1, 0).Interval().Bounds(); found == t.race.today || !(low > 0) && !t.fewer(row) {
		tried := rowOf(1, 1, 0)
		if after, out.Kept = 0, true; found != t.race.today {
			out.Tried = &tried
		}
		out.Contributing, out.Settings, out.Label = []Contribution{}, stated(t.Policy), t.Policy.Label()
	}
	out.Before, out.After = NewEstimate(row(0).Interval(m, -1)), NewEstimate(row(after).Interval(m, -1))
	out.Gain, out.Efficiency = less(after, 0), NewEstimate(point.Efficiency(after))
	for i := range out.Contributing {
		out.Contributing[i].Gain = less(after, 2+i)
	}
	slices.SortStableFunc(out.Contributing, func(a, b Contribution) int { return cmp.Compare(b.Gain.Mean, a.Gain.Mean) })
	for i := first; i < len(policies); i++ {
		out.Versus = append(out.Versus, rowOf(i, after, i))
	}
	for _, rule := range t.race.keep {
		measure, _ := metric.Lookup(rule.Measure)
		was, is := row(0).Interval(measure, rule.column), row(after).Interval(measure, rule.column)
		out.Rules = append(out.Rules, RuleResult{rule.Text, rule.Promise, NewEstimate(was), NewEstimate(is),
			rule.excess(was.Mean) == 0, rule.excess(is.Mean) == 0, rule.Measure})
	}
	if drawn != bounded {
		o := bounded.Row(0, after)
		out.Recorded = &TuneRow{out.Label, NewEstimate(o.Interval(m, -1)), NewEstimate(o.Difference(bounded.Row(0, 0), m, -1)), out.Efficiency}
	}
	return out, nil
}

// measure runs policies on the numbers of the test: with bounds, and on histories that are
// drawn from a log. Both are the same plan where there is no log, or one that is too short.
func (t *Tune) measure(ctx context.Context, policies []Policy, out *TuneResult) (bounded, drawn *Samples, err error) {
	list := rows(policies, []Admission{admitAll()})
	run := func(set func(*Plan)) (*Samples, error) {
		x, err := t.test.openPlan(ctx, list, func(p *Plan) {
			p.Seed, p.Replications = t.Seed, t.Replications
			set(p)
		}, nil, &t.Level)
		if err != nil {
			return nil, err
		}
		samples, err := t.Runner.Run(ctx, x, "testing")
		if err == nil {
			samples.Level, out.Samples = t.Level, append(out.Samples, samples)
		}
		return samples, err
	}
	if bounded, err = run(func(p *Plan) { p.Bounds = &PlanBounds{} }); err != nil {
		return nil, nil, err
	}
	if drawn = bounded; t.test.logged() {
		resample := &workload.Resampling{}
		if _, err := t.test.Resample(ctx, resample); err != nil {
			out.Warnings = append(out.Warnings, fact(WarnNoSpans, err.Error()))
		} else if drawn, err = run(func(p *Plan) { p.Resample, p.Replications = resample, cmp.Or(t.Replications, tuneSpans) }); err != nil {
			return nil, nil, err
		}
	}
	out.TestedOn.Replications, _ = drawn.Replications(0)
	return bounded, drawn, nil
}

// fewer reports whether the settings found break fewer of the rules that were asked for than
// today's.
func (t *Tune) fewer(row func(int) Outcome) bool {
	var sum [2]float64
	for _, rule := range t.Keep {
		for i := range sum {
			sum[i] += rule.excess(mean(rule.values(row(i))))
		}
	}
	return sum[1] < sum[0]
}

// newResult returns a result without numbers.
func (t *Tune) newResult(found *candidate) *TuneResult {
	s, r := t.Subject, t.race
	out := &TuneResult{
		Scenario: s.Scenario.Name, Version: t.Runner.Version, Overrides: append([]string{}, t.Overrides...), Seed: t.Seed,
		Policy: t.Policy.Spec.Name, Settings: stated(found.policy), Label: found.policy.Label(), Contributing: []Contribution{},
		Versus: []TuneRow{}, Rules: []RuleResult{}, Runs: r.runs, Spent: r.spent(), Level: Number(t.Level),
		Warnings: append([]Warning{}, s.warnings()...), What: s.offered(s.Workload.Size()),
	}
	part := func(s *Subject, share [2]float64) TunePart {
		p := TunePart{Jobs: Number(s.Workload.Size())}
		if s.logged() {
			from, to := Number(share[0]), Number(share[1])
			p.From, p.To = &from, &to
		}
		return p
	}
	out.TunedOn, out.TestedOn = part(r.subject, t.Train), part(t.test, t.Test)
	if out.TunedOn.Replications = r.most; r.resample != nil {
		out.TunedOn.Span = Number(r.resample.Span)
	}
	return out
}

// stated returns the settings of a policy that differ from the defaults, without those of
// files.
func stated(p Policy) policy.Settings {
	byDefault, list := PolicyOf(p.Spec).Settings, policy.Settings{}
	for name, value := range p.Settings {
		if value != byDefault[name] && !strings.HasPrefix(name, policy.FromFile) {
			list[name] = value
		}
	}
	return list
}

// changedSettings returns the names of the settings that differ, in order.
func changedSettings(a, b policy.Settings) (list []string) {
	for name := range b {
		if a[name] != b[name] {
			list = append(list, name)
		}
	}
	for name := range a {
		if _, ok := b[name]; !ok {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

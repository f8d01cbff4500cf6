package tune

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Tune asks which settings of a policy earn most. It searches by a race, and reports what
// was found on numbers that the search has not seen: other random numbers or, for the jobs
// of a log, another part of the log.
type Tune struct {
	Subject      *subject.Subject
	Policy       subject.Policy // with today's settings
	Vary         []string       // of Policy.Tunable; nil: all
	Keep         []Rule         // limits that the settings have to respect
	Train, Test  [2]float64     // shares of the span of a log, from and to; zeros: the first half and the second
	Runs         int            // of the search, about; 0: as many as tuneJobs allows
	Replications int            // of the report; 0: tuneReplications
	Seed         uint64
	Level        float64      // of confidence; 0 is metric.DefaultLevel
	Runner       *plan.Runner // nil: all cores, and nothing is kept
	Overrides    []string     // path=value, for the result

	race       *race
	now, start *candidate
	rules      []Rule // Keep, and the promises of the scenario
	test       *subject.Subject
	steady     *subject.Subject // whose replications the report has beside those with bounds; nil: these alone
}

const (
	tuneJobs         = 20e6 // that a search simulates, about
	tuneSpanJobs     = 5000 // of a span that is drawn from a log for a search
	tuneReplications = 40
)

// SlurmPolicy returns the policy slurm with the settings of the scenario, or the defaults.
func SlurmPolicy(s *subject.Subject) (subject.Policy, error) {
	i := slices.IndexFunc(s.Scenario.Policies, func(p scenario.Policy) bool { return p.Name == slurmName })
	if i < 0 {
		return subject.NewPolicy(s.Specs, slurmName, nil)
	}
	return subject.NewPolicy(s.Specs, slurmName, s.Scenario.Policies[i].Options)
}

// Open finds whatever is wrong before anything runs.
func (t *Tune) Open(ctx context.Context) (err error) {
	s := t.Subject
	if w, ok := s.Workload.(*workload.Replay); ok && !w.Pays() {
		return s.Misfit("expected jobs with prices: without them no settings earn more " +
			"(give qos, or classes with prices)")
	}
	if err := t.Policy.Spec.Check(s.Workload.Has()); err != nil {
		return err
	}
	if t.Train != t.Test && !s.Logged() {
		return s.Misfit("has no parts to tune and to test on: expected a log, " +
			"every replication of other workloads draws new jobs")
	}
	r := &race{subject: s, seed: experiment.DerivedSeed(t.Seed, "tune"), most: raceMost, known: map[string]*candidate{}}
	t.race = r
	t.test = s
	t.Level = cmp.Or(t.Level, metric.DefaultLevel)
	switch l := s.Scenario.Simulation; {
	case s.Logged():
		if t.Train == t.Test {
			t.Train, t.Test = [2]float64{0, 0.5}, [2]float64{0.5, 1}
		}
		r.subject, err = t.part(ctx, t.Train)
		if err != nil {
			return err
		}
		t.test, err = t.part(ctx, t.Test)
		r.resample = shortSpans(ctx, r.subject)
	case s.Workload.Stream() > 0 && l.Jobs > experiment.SearchJobs:
		shorter := []scenario.Override{scenario.Set("simulation.jobs", experiment.SearchJobs)}
		if l.Warmup.Seconds*s.Workload.Stream() > experiment.SearchJobs/2 { // it would leave too few jobs
			shorter = append(shorter, scenario.Override{Path: "simulation.warmup", Value: "50%"})
		}
		r.subject, err = s.With(ctx, shorter...)
	}
	if err != nil {
		return err
	}
	if window := r.subject.Workload.Window(); window.WarmupJobs > 0 || window.WarmupTime > 0 ||
		s.Workload.Stream() > 0 && r.subject.Workload.Size() > workload.DrainedJobs {
		t.steady = r.subject
	}
	jobs := r.subject.Workload.Size()
	if r.resample != nil {
		jobs = min(jobs, tuneSpanJobs)
	} else if !r.subject.Workload.Random() {
		r.most = 1
	}
	r.limit = cmp.Or(t.Runs, max(500, min(10000, int(tuneJobs/jobs))))
	r.board = newBoard(r.subject, t.Policy, t.Vary)
	t.now = r.at(text.Each(r.knobs, func(k knob) int { return k.now }))
	t.start = t.now
	for k, place := range r.start() {
		t.start = r.moved(t.start, k, place)
	}
	t.rules = append(slices.Clone(t.Keep), promiseRules(s)...)
	r.keep = t.rules
	return nil
}

// part returns a part of a log, at the arrival delay factor of the whole.
func (t *Tune) part(ctx context.Context, share [2]float64) (*subject.Subject, error) {
	s := t.Subject
	for _, o := range s.Scenario.Down {
		if !o.Dated && o.Events == "" && o.Reservations == "" {
			return nil, s.Document.Blame("expected dates: a part of the log has another first submission",
				"machine", "down")
		}
	}
	list := []scenario.Override{{Path: "trace.jobs", Value: s.Trace.Part(share[0], share[1]).String()}}
	if s.Scenario.Trace.Load > 0 {
		delay := s.Workload.(*workload.Replay).Delay() * (1 + s.Scenario.Growth)
		list = append(list, scenario.Set("trace.arrival_delay_factor", delay))
	}
	return s.With(ctx, list...)
}

// shortSpans returns spans of two weeks or more that are drawn from a log; nil if it is too
// short. Many short spans tell settings apart as well as few long ones.
func shortSpans(ctx context.Context, s *subject.Subject) *workload.Resampling {
	drawn, err := s.Resample(ctx, &workload.Resampling{})
	if err != nil {
		return nil
	}
	w := drawn.Workload.(*workload.Replay)
	span, _, _ := w.Resampled()
	return &workload.Resampling{Span: min(span, max(14*24*metric.Hour*w.Delay(), span*tuneSpanJobs/w.Size()))}
}

// Run searches and reports. If it is interrupted there is no result.
func (t *Tune) Run(ctx context.Context) (*Result, error) {
	if t.race == nil {
		if err := t.Open(ctx); err != nil {
			return nil, err
		}
	}
	r := t.race
	t.Runner = cmp.Or(t.Runner, &plan.Runner{})
	r.runner = t.Runner
	if err := r.measure(ctx, r.most, t.now); err != nil {
		return nil, err
	}
	r.keep = text.Where(t.rules, func(rule Rule) bool {
		return !rule.Promise || excess([]Rule{rule}, t.now.Outcome) == 0
	})
	best, err := r.search(ctx, t.now, t.start)
	if err == nil {
		best, err = r.simplify(ctx, best)
	}
	var flat map[string][2]string
	if err == nil {
		flat, err = r.flat(ctx, best)
	}
	if err != nil {
		return nil, err
	}
	return t.report(ctx, best, flat)
}

// Result is settings that earn most, in $/s on numbers that the search has not seen.
type Result struct {
	study.Head
	TraceFile     *subject.TraceFile  `json:"trace_file,omitempty"`
	Seed          uint64              `json:"seed"`
	Level         metric.Number       `json:"level"`
	Policy        string              `json:"policy"`
	Settings      policy.Settings     `json:"settings"` // that are not defaults, as scenarios take them
	Label         string              `json:"label"`    // the policy with them, as command lines take it
	Before        study.Estimate      `json:"before"`   // value per second
	After         study.Estimate      `json:"after"`
	Gain          study.Estimate      `json:"gain"`
	Efficiency    study.Estimate      `json:"efficiency"` // share of the bound, after, without a warm-up
	Kept          bool                `json:"kept"`       // today's settings: no others gain more than chance
	Contributions []Contribution      `json:"contributions"`
	Versus        []Row               `json:"versus"` // other policies on the same jobs
	Rules         []RuleResult        `json:"rules"`
	TunedOn       Part                `json:"tuned_on"`
	TestedOn      Part                `json:"tested_on"`
	AsRecorded    *study.Estimate     `json:"as_recorded,omitempty"` // gain on the part of a log as it happened
	Runs          int                 `json:"runs"`                  // of the search
	Spent         bool                `json:"spent"`                 // the search ended because its runs were used up
	Warmup        *study.WarmupResult `json:"warmup"`                // of both; null where there is none
	Warnings      []warn.Warning      `json:"warnings"`

	What    string          `json:"-"` // the workload in a few words
	File    string          `json:"-"` // of the scenario, as typed
	Samples []*plan.Samples `json:"-" save:"-"`
}

// Row is a policy beside the tuned settings.
type Row struct {
	Label      string         `json:"label"`
	Value      study.Estimate `json:"value_per_second"`
	Gain       study.Estimate `json:"gain"` // of the tuned settings over it
	Efficiency study.Estimate `json:"efficiency"`
}

// Contribution is a setting that was changed, and the loss if it alone is turned back.
type Contribution struct {
	Setting string         `json:"setting"`
	From    string         `json:"from"` // "" if it is not set
	To      string         `json:"to"`
	Gain    study.Estimate `json:"gain"`
	Flat    *[2]string     `json:"flat,omitempty"` // values between which the loss is small
}

// RuleResult is a rule on the numbers of the report.
type RuleResult struct {
	Rule   string         `json:"rule"`
	Unit   string         `json:"unit"`  // of the measure
	Binds  bool           `json:"binds"` // it is not a promise that today's settings break
	Before study.Estimate `json:"before"`
	After  study.Estimate `json:"after"`
	Holds  bool           `json:"holds"` // after
}

// Part is numbers that settings are tuned or tested on.
type Part struct {
	Part         []metric.Number `json:"part,omitempty"` // of the span of a log, from and to
	Jobs         metric.Number   `json:"jobs"`
	Replications int             `json:"replications"`
	Span         metric.Number   `json:"span,omitempty"` // s, of histories that are drawn from weeks of the log
}

// report runs today's settings, those found, and others on fresh numbers.
func (t *Tune) report(ctx context.Context, best *candidate, flat map[string][2]string) (*Result, error) {
	s, r := t.Subject, t.race
	out := &Result{
		Head:      study.NewHead(s.Scenario.Name, t.Runner.Version, t.Overrides...),
		TraceFile: s.TraceFile(), Seed: t.Seed, Level: metric.Number(t.Level), Policy: t.Policy.Spec.Name,
		Versus: []Row{},
		Rules:  []RuleResult{}, Runs: r.runs, Spent: r.spent,
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
	changes, policies := t.contributions(best.policy, flat)
	others := len(policies)
	for _, words := range []string{"easy", "hol:backfill=true", "value-bf", "value-bf:preempt=suspend"} {
		p, err := subject.ParsePolicy(s.Specs, strings.Split(words, ":"))
		if err == nil && p.Spec.Check(t.test.Workload.Has()) == nil && p.Label() != t.Policy.Label() {
			policies = append(policies, p)
		}
	}
	bounded, drawn, err := t.measure(ctx, policies, out)
	if err != nil {
		return nil, err
	}
	n, _ := bounded.Replications(0)
	m, point := metric.ValuePerSecond(), bounded.Bounded(0, n)
	row := func(i int) plan.Outcome { return drawn.Row(0, i).Stretched(out.TestedOn.Replications) }
	gain := func(i, over int) study.Estimate { return study.NewEstimate(row(i).Difference(row(over), m, -1)) }
	low, _ := gain(1, 0).Interval().Bounds()
	if out.TestedOn.Replications == 1 {
		low = float64(gain(1, 0).Mean)
	}
	now := 1 // row of the settings to run
	if best == t.now || !(low > 0) && excess(r.keep, row(1)) >= excess(r.keep, row(0)) {
		now = 0
		out.Kept = true
		changes = []Contribution{}
	}
	for i := range changes {
		changes[i].Gain = gain(now, 2+i)
	}
	slices.SortStableFunc(changes, func(a, b Contribution) int { return cmp.Compare(b.Gain.Mean, a.Gain.Mean) })
	value := func(i int) study.Estimate { return study.NewEstimate(row(i).Interval(m, -1)) }
	share := func(i int) study.Estimate { return study.NewEstimate(point.Efficiency(i)) }
	for i := others; i < len(policies); i++ {
		out.Versus = append(out.Versus, Row{policies[i].Label(), value(i), gain(now, i), share(i)})
	}
	for _, rule := range t.rules {
		was, is := row(0).Interval(rule.Measure, rule.column), row(now).Interval(rule.Measure, rule.column)
		binds := !rule.Promise || rule.excess(was.Mean) == 0
		out.Rules = append(out.Rules, RuleResult{rule.Text, rule.Measure.Unit, binds,
			study.NewEstimate(was), study.NewEstimate(is), rule.excess(is.Mean) == 0})
	}
	if drawn != bounded && s.Logged() {
		happened := study.NewEstimate(bounded.Row(0, now).Difference(bounded.Row(0, 0), m, -1))
		out.AsRecorded = &happened
	}
	out.Before = value(0)
	out.After = value(now)
	out.Gain = gain(now, 0)
	out.Efficiency = share(now)
	out.Label = policies[now].Label()
	out.Settings = statedSettings(policies[now])
	out.Contributions = changes
	return out, nil
}

// contributions lists the settings that differ between today's and others, and returns the
// policies to run: both, and the others with each of these settings turned back.
func (t *Tune) contributions(tuned subject.Policy, flat map[string][2]string) (list []Contribution,
	policies []subject.Policy) {
	before, after := t.Policy.Settings, tuned.Settings
	policies = []subject.Policy{t.Policy, tuned}
	both := maps.Clone(after)
	maps.Copy(both, before)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if before[name] == after[name] {
			continue
		}
		c, back := Contribution{Setting: name, From: t.race.setting(name), To: after[name]}, maps.Clone(after)
		delete(back, name)
		if before[name] != "" {
			back[name] = before[name]
		}
		if ends, ok := flat[name]; ok {
			c.Flat = &ends
		}
		list, policies = append(list, c), append(policies, subject.Policy{Spec: t.Policy.Spec, Settings: back})
	}
	return list, policies
}

// measure runs policies on the numbers of the report: with bounds, which have no warm-up, and on histories that
// are drawn from a log or on a stream after its warm-up. Both are the same samples if there is neither, or if the log
// is too short.
func (t *Tune) measure(ctx context.Context, policies []subject.Policy, out *Result) (
	bounded, drawn *plan.Samples, err error) {
	run := func(s *subject.Subject, set func(*plan.Plan)) (*plan.Samples, error) {
		samples, err := runPolicies(ctx, t.Runner, s, policies, t.Level, "testing", func(p *plan.Plan) {
			p.Seed, p.Replications = t.Seed, cmp.Or(t.Replications, tuneReplications)
			set(p)
		})
		if err == nil {
			out.Samples = append(out.Samples, samples)
			out.TestedOn.Replications, _ = samples.Replications(0)
		}
		return samples, err
	}
	bounded, err = run(t.test, func(p *plan.Plan) { p.Bounds = &plan.Bounds{} })
	if t.steady != nil && err == nil {
		drawn, err = run(t.steady, func(*plan.Plan) {})
		return bounded, drawn, err
	}
	if err != nil || !t.test.Logged() {
		return bounded, bounded, err
	}
	resample := &workload.Resampling{}
	if _, short := t.test.Resample(ctx, resample); short != nil {
		out.Warnings = append(out.Warnings, warn.New(warn.NoSpans, short.Error()))
		return bounded, bounded, nil
	}
	drawn, err = run(t.test, func(p *plan.Plan) { p.Resample = resample })
	return bounded, drawn, err
}

// runPolicies runs policies, which admit all jobs, by a plan with settings.
func runPolicies(ctx context.Context, r *plan.Runner, s *subject.Subject, policies []subject.Policy,
	level float64, what string,
	set func(*plan.Plan)) (*plan.Samples, error) {
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

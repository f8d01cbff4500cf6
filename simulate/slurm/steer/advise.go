package steer

import (
	"context"
	"maps"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Sizes of what an advice is computed from. They bound its time.
const (
	AdviceRuns         = 60 // of the search for static settings, about
	AdviceReplications = 12
	adviceJobs         = 1000
	adviceSpan         = 14 * 24 * metric.Hour // of a log, s
)

// Worthwhile is the share of the best static rule that steering has to add.
const Worthwhile = 0.02

// Advice says what steering adds to the best rule that Slurm runs by itself.
type Advice struct {
	Rows         []AdviceRow     `json:"rows"`
	Static       string          `json:"static"` // the best static rule
	Gain         metric.Interval `json:"gain"`   // of steering over it, as the cluster has reservations now, $/s
	Share        metric.Number   `json:"share"`  // of what the static rule earns; null if that is nothing
	Steer        bool            `json:"steer"`  // Worthwhile or more, and more than chance, and the cluster can deliver it
	Replications int             `json:"replications"`

	Reservations *Reservations `json:"reservations"`
}

// AdviceRow is a rule beside others on the same jobs.
type AdviceRow struct {
	Kind  string          `json:"kind"` // today, tuned, qos, static or steered
	Label string          `json:"label"`
	Value metric.Interval `json:"value_per_second"`
	Harm  []run.Affected  `json:"harm,omitempty"` // of a static rule, against today's settings

	NotRun metric.Number `json:"not_run"` // share of jobs that never start: a policy may give jobs up
}

// Kinds of rules: the settings of the cluster, those that tune finds, those of the cluster with a QOS for each customer
// in the order of hol, the same with the other SchedulerParameters, and the policy that steers.
const (
	RuleToday   = "today"
	RuleTuned   = "tuned"
	RuleQOS     = "qos"
	RuleStatic  = "static"
	RuleSteered = "steered"
)

// Row returns the row of a kind, nil if there is none. The best static rule is that of its label.
func (a *Advice) Row(kind string) *AdviceRow {
	i := slices.IndexFunc(a.Rows, func(r AdviceRow) bool { return r.Kind == kind })
	if i < 0 {
		return nil
	}
	return &a.Rows[i]
}

// Best returns the row of the best static rule.
func (a *Advice) Best() *AdviceRow {
	return &a.Rows[max(slices.IndexFunc(a.Rows, func(r AdviceRow) bool { return r.Label == a.Static }), 0)]
}

// ranked returns settings of Slurm with a QOS for each customer in the order of their ranks: that of hol. It is nil if
// the settings have no place for them.
func ranked(s *subject.Subject, today subject.Policy) *subject.Policy {
	ranked, ok := s.Workload.(interface{ Ranks() []int })
	if !ok || !today.Spec.Has("PriorityWeightQOS") {
		return nil
	}
	ranks := ranked.Ranks()
	byRank := make([]string, len(ranks))
	for i, c := range s.Workload.Customers() {
		byRank[ranks[i]] = c.Name
	}
	settings := maps.Clone(today.Settings)
	if weight.Outweigh(settings, byRank, nil) != nil {
		return nil
	}
	all, err := today.Spec.Resolve(settings)
	if err != nil {
		return nil
	}
	return &subject.Policy{Spec: today.Spec, Settings: all}
}

// Shortened returns a subject with as few jobs as an advice needs.
func Shortened(ctx context.Context, s *subject.Subject) (*subject.Subject, error) {
	if s.Workload.Stream() == 0 || s.Scenario.Simulation.Jobs <= adviceJobs {
		return s, nil
	}
	return s.With(ctx, scenario.Set("simulation.jobs", adviceJobs),
		scenario.Override{Path: "simulation.warmup", Value: "10%"})
}

// Advise compares the policy with static rules, of which today and tuned are two, on the jobs of a scenario: of a log,
// on histories that are drawn from its weeks if it has enough.
func (s *Steerer) Advise(
	ctx context.Context, l *run.Lab, today, tuned subject.Policy,
) (*Advice, error) {
	now, _ := with(s.Orderer.Policy, s.Reservations.Cluster)
	on := l.Subject()
	rules := map[string]*subject.Policy{
		RuleToday: &today, RuleTuned: &tuned, RuleQOS: ranked(on, today),
		RuleStatic: ranked(on, s.Reservations.flipped(today)), RuleSteered: &now,
	}
	a := &Advice{Reservations: s.Reservations}
	base := l.Base()
	base.Seed = run.DerivedSeed(s.Orderer.Seed, "advice")
	base.Admission.Name = scenario.AdmitAll
	base.Detail = run.Detail{Waits: true}
	if _, err := on.Resample(ctx, &workload.Resampling{Span: adviceSpan}); on.Logged() && err == nil {
		base.Jobs = run.Jobs{Weeks: true, Span: adviceSpan}
	}
	var rows []run.Case
	for _, kind := range []string{RuleToday, RuleTuned, RuleQOS, RuleStatic, RuleSteered} {
		if p := rules[kind]; p != nil && p.Spec.Check(on.Workload.Has()) == nil {
			row := base
			var err error
			row.Do, err = l.Policy(*p)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
			a.Rows = append(a.Rows, AdviceRow{Kind: kind, Label: p.Label()})
		}
	}
	f, err := l.Frame(ctx, rows, AdviceReplications)
	if err != nil {
		return nil, err
	}
	for _, failed := range f.Failures() {
		return nil, failed
	}
	a.compare(f, rows, l.Groups())
	return a, nil
}

// perSecond returns what a row delivers, $/s.
func perSecond(f *run.Frame, row run.Case) run.Series {
	return f.Series(row, run.All, run.ColumnValue).Scaled(1.0 / metric.Hour)
}

// compare compares the policy that steers with the best of the rules that do not.
func (a *Advice) compare(f *run.Frame, rows []run.Case, groups []run.JobGroup) {
	best := 0
	for i := range a.Rows {
		row := &a.Rows[i]
		row.Value = f.Estimate(perSecond(f, rows[i]))
		notRun, _ := f.Series(rows[i], run.All, "not_run").Mean()
		row.NotRun = metric.Number(notRun)
		if row.Kind == RuleSteered {
			continue
		}
		if row.Value.Mean > a.Rows[best].Value.Mean {
			best = i
		}
		if i > 0 && a.Rows[0].Kind == RuleToday {
			_, row.Harm = f.Affected(rows[i], rows[0], groups)
		}
	}
	a.Static = a.Rows[best].Label
	for i, row := range a.Rows {
		if row.Kind == RuleSteered {
			a.Replications = f.N(rows[i])
			a.add(f, rows[i], rows[best])
		}
	}
}

// add notes what steering adds to a static rule.
func (a *Advice) add(f *run.Frame, steered, static run.Case) {
	a.Gain = f.Estimate(perSecond(f, steered).Less(perSecond(f, static)))
	earned, _ := perSecond(f, static).Mean()
	a.Share = metric.Number(math.NaN())
	if earned > 0 {
		a.Share = metric.Number(a.Gain.Mean / earned)
	}
	beyond := a.Gain.N < 2 || a.Gain.Mean-a.Gain.HalfWidth > 0
	a.Steer = beyond && a.Gain.Mean > 0 && a.Gain.Mean >= Worthwhile*earned && a.Reservations.Met
}

// Refusal says why the advice is not to steer.
func (a *Advice) Refusal() string {
	if !a.Reservations.Met {
		return "reservations of the cluster and of the policy differ"
	}
	return "the static rule is as good"
}

// KeptAdvice returns the advice that a journal has for a scenario, a policy, a version and reservations; nil if it has
// none.
func KeptAdvice(records []Record, scenario, label, version string, r *Reservations) *Advice {
	for i := len(records) - 1; i >= 0; i-- {
		s := records[i].Start
		if s != nil && s.Advice != nil && s.Scenario == scenario && s.Policy == label && s.Version == version &&
			r.same(s.Advice.Reservations) {
			return s.Advice
		}
	}
	return nil
}

// Overridden says what a start overrides that does not look at an advice, "" for nothing.
func Overridden(advice *Advice, r *Reservations) string {
	switch {
	case advice != nil && advice.Steer:
		return ""
	case advice != nil:
		return advice.Refusal()
	case r != nil && !r.Met:
		return "reservations of the cluster and of the policy differ"
	}
	return "steering was not compared with the best static rule"
}

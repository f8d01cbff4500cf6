package steer

import (
	"context"
	"math"

	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
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
	Rows         []AdviceRow    `json:"rows"`
	Static       string         `json:"static"` // the best static rule
	Gain         study.Estimate `json:"gain"`   // of steering over it, $/s
	Share        metric.Number  `json:"share"`  // of what the static rule earns; null if that is nothing
	Steer        bool           `json:"steer"`  // it adds Worthwhile or more, and more than chance
	Replications int            `json:"replications"`
}

// AdviceRow is a rule beside others on the same jobs.
type AdviceRow struct {
	Kind  string         `json:"kind"` // today, tuned, static or steered
	Label string         `json:"label"`
	Value study.Estimate `json:"value_per_second"`
}

// Kinds of rules: today's settings, those that tune finds, a priority for each customer without reservations, and the
// policy that steers.
const (
	RuleToday   = "today"
	RuleTuned   = "tuned"
	RuleStatic  = "static"
	RuleSteered = "steered"
)

// Rules are the rules to compare. Those without a policy are left out.
type Rules map[string]*subject.Policy

// Shortened returns a subject with as few jobs as an advice needs.
func Shortened(ctx context.Context, s *subject.Subject) (*subject.Subject, error) {
	if s.Workload.Stream() == 0 || s.Scenario.Simulation.Jobs <= adviceJobs {
		return s, nil
	}
	return s.With(ctx, scenario.Set("simulation.jobs", adviceJobs),
		scenario.Override{Path: "simulation.warmup", Value: "10%"})
}

// Advise compares rules on the jobs of a scenario: of a log, on histories that are drawn from its weeks if it has enough.
func Advise(ctx context.Context, s *subject.Subject, rules Rules, seed uint64, r *plan.Runner) (*Advice, error) {
	a := &Advice{}
	var policies []subject.Policy
	for _, kind := range []string{RuleToday, RuleTuned, RuleStatic, RuleSteered} {
		if p := rules[kind]; p != nil && p.Spec.Check(s.Workload.Has()) == nil {
			policies = append(policies, *p)
			a.Rows = append(a.Rows, AdviceRow{Kind: kind, Label: p.Label()})
		}
	}
	set := func(p *plan.Plan) {
		p.Seed = experiment.DerivedSeed(seed, "advice")
		p.Replications = AdviceReplications
		if _, err := s.Resample(ctx, &workload.Resampling{Span: adviceSpan}); s.Logged() && err == nil {
			p.Resample = &workload.Resampling{Span: adviceSpan}
		}
	}
	level := metric.DefaultLevel
	rows := plan.NewRows(policies, []experiment.Admission{{Name: scenario.AdmitAll}})
	x, err := plan.OpenRows(ctx, s, rows, set, nil, &level)
	if err != nil {
		return nil, err
	}
	samples, err := r.Run(ctx, x, "advising")
	if err != nil {
		return nil, err
	}
	a.compare(samples)
	return a, nil
}

// compare compares the last row with the best of the others.
func (a *Advice) compare(samples *plan.Samples) {
	last := len(a.Rows) - 1
	best := 0
	for i := range a.Rows {
		a.Rows[i].Value = study.NewEstimate(samples.Row(0, i).Interval(metric.ValuePerSecond(), -1))
		if i < last && a.Rows[i].Value.Mean > a.Rows[best].Value.Mean {
			best = i
		}
	}
	a.Replications = samples.Row(0, last).N()
	a.Static = a.Rows[best].Label
	gain := samples.Row(0, last).Gain("", samples.Row(0, best))
	a.Gain = study.NewEstimate(gain)
	static := float64(a.Rows[best].Value.Mean)
	a.Share = metric.Number(math.NaN())
	if static > 0 {
		a.Share = metric.Number(gain.Mean / static)
	}
	beyond := gain.N < 2 || gain.Mean-gain.HalfWidth > 0
	a.Steer = beyond && gain.Mean > 0 && gain.Mean >= Worthwhile*static
}

// KeptAdvice returns the advice that a journal has for a scenario, a policy and a version; nil if it has none.
func KeptAdvice(records []Record, scenario, label, version string) *Advice {
	for i := len(records) - 1; i >= 0; i-- {
		s := records[i].Start
		if s != nil && s.Advice != nil && s.Scenario == scenario && s.Policy == label && s.Version == version {
			return s.Advice
		}
	}
	return nil
}

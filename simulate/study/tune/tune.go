package tune

import (
	"cmp"
	"context"
	"slices"

	"revopt/internal/text"
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

// Tune asks which settings of a policy earn most, and prefers few. It searches by a race, tries the policies that
// Slurm can run as well, and reports the best on numbers that the search has not seen: other random numbers or, for the
// jobs of a log, another part of the log.
type Tune struct {
	Subject      *subject.Subject
	Objective    string         // wait or slowdown, which are to be small; "" is the value
	Policy       subject.Policy // with today's settings
	Vary         []string       // of Policy.Tunable; nil: all
	Keep         []Rule         // limits that the settings have to respect
	Harm         bool           // the settings may harm customers and groups of width
	Train, Test  [2]float64     // shares of the span of a log, from and to; zeros: the first half and the second
	Runs         int            // of the search, about; 0: as many as tuneJobs allows
	Replications int            // of the report; 0: tuneReplications
	Seed         uint64
	Level        float64      // of confidence; 0 is metric.DefaultLevel
	Runner       *plan.Runner // nil: all cores, and nothing is kept
	Overrides    []string     // path=value, for the result
	Tell         func(Step)   // is told how far the search is; nil: nobody is

	race   *race
	rules  []Rule // Keep, and the promises of the scenario
	test   *subject.Subject
	steady *subject.Subject // whose replications the report has beside those with bounds; nil: these alone
}

const (
	tuneJobs         = 20e6 // that a search simulates, about
	tuneSpanJobs     = 5000 // of a span that is drawn from a log for a search
	tuneReplications = 40
	tuneLevel        = 0.99 // of confidence that a setting gains, or that of the result if it is higher
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
	if w, ok := s.Workload.(*workload.Replay); ok && t.Objective == "" && !w.Pays() {
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
	r := &race{
		subject: s, objective: t.Objective, seed: experiment.DerivedSeed(t.Seed, "tune"), most: raceMost,
		known: map[string]*candidate{},
	}
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
		r.resample = t.shortSpans(ctx)
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
	r.most = min(r.most, max(raceFirst, r.limit))
	r.board = newBoard(r.subject, t.Policy, t.Vary)
	r.now = r.at(text.Each(r.knobs, func(k knob) int { return k.now }))
	r.best = r.now
	r.level = max(tuneLevel, t.Level)
	r.harm = t.Harm
	r.group = plan.ServedBy(r.subject)
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
	span := s.Trace.Part(share[0], share[1])
	if span.To <= span.From {
		return nil, s.Misfit("has no parts to tune and to test on: all its jobs come at one time")
	}
	list := []scenario.Override{{Path: "trace.jobs", Value: span.String()}}
	if s.Scenario.Trace.Load > 0 {
		delay := s.Workload.(*workload.Replay).Delay() * (1 + s.Scenario.Growth)
		list = append(list, scenario.Set("trace.arrival_delay_factor", delay))
	}
	return s.With(ctx, list...)
}

// shortSpans returns spans of two weeks or more that are drawn from the part of a log to tune on; nil if it is too
// short. Many short spans tell settings apart as well as few long ones.
func (t *Tune) shortSpans(ctx context.Context) *workload.Resampling {
	drawn, err := t.race.subject.Resample(ctx, &workload.Resampling{})
	if err != nil {
		return nil
	}
	w := drawn.Workload.(*workload.Replay)
	whole, weeks, _ := w.Resampled()
	span := min(whole, max(14*24*metric.Hour*w.Delay(), whole*tuneSpanJobs/w.Size()))
	t.race.weeks = weeks
	t.race.again = span / (span + whole)
	return &workload.Resampling{Span: span}
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
	r.tell = t.Tell
	if err := r.measure(ctx, r.most, r.now); err != nil {
		return nil, err
	}
	if err := r.confirm(ctx, r.now); err != nil {
		return nil, err
	}
	r.keep = text.Where(t.rules, func(rule Rule) bool {
		return !rule.Promise || excess([]Rule{rule}, r.now.Outcome) == 0
	})
	s := &search{race: r}
	best, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	flat, err := s.flat(ctx, best)
	if err != nil {
		return nil, err
	}
	others, err := t.alternatives(ctx)
	if err != nil {
		return nil, err
	}
	return t.report(ctx, s, best, others, flat)
}

// Result is settings that earn most, in $/s on numbers that the search has not seen, or have the least of another
// objective, in its unit.
type Result struct {
	study.Head
	Objective     string              `json:"objective,omitempty"` // wait or slowdown; the value where it is absent
	Unit          string              `json:"unit,omitempty"`      // of before, after, gain and mean, with an objective
	TraceFile     *subject.TraceFile  `json:"trace_file,omitempty"`
	Seed          uint64              `json:"seed"`
	Level         metric.Number       `json:"level"`
	Today         string              `json:"today"` // the policy with today's settings, as command lines take it
	Policy        string              `json:"policy"`
	Settings      policy.Settings     `json:"settings"` // that are not defaults, as scenarios take them
	Label         string              `json:"label"`    // the policy with them, as command lines take it
	RunsOn        string              `json:"runs_on"`
	Baseline      *study.Baseline     `json:"baseline,omitempty"` // of a log: how far today's settings resemble the site
	Before        study.Estimate      `json:"before"`             // value per second, or the mean of the objective
	After         study.Estimate      `json:"after"`
	Gain          study.Estimate      `json:"gain"`              // by how much after is better
	NotRun        *study.NotRun       `json:"not_run,omitempty"` // with an objective
	Efficiency    study.Estimate      `json:"efficiency"`        // share of the bound, after, without a warm-up
	Kept          bool                `json:"kept"`              // today's settings: no others gain more than chance
	Other         bool                `json:"other"`             // it is another policy that Slurm can run
	OneRule       bool                `json:"one_rule"`          // one setting is enough, with those that it needs
	Contributions []Contribution      `json:"contributions"`     // of the settings that are kept, in their order
	Versus        []Row               `json:"versus"`            // other policies on the same jobs
	Standing      *study.Standing     `json:"standing"`          // the answer in a line, on the numbers of the test
	Rules         []RuleResult        `json:"rules"`
	Affected      []served.Affected   `json:"affected"` // customers and groups of width on the tested part, today and then
	Harm          []served.Affected   `json:"harm"`     // those of them that are harmed, the worst first
	TunedOn       Part                `json:"tuned_on"`
	TestedOn      Part                `json:"tested_on"`
	AsRecorded    *study.Estimate     `json:"as_recorded,omitempty"` // gain on the part of a log as it happened
	Runs          int                 `json:"runs"`                  // of the search
	Spent         bool                `json:"spent"`                 // the search ended because its runs were used up
	Warmup        *study.WarmupResult `json:"warmup"`                // of both; null where there is none
	Warnings      []warn.Warning      `json:"warnings"`

	What    string          `json:"-"` // the workload in a few words
	File    string          `json:"-"` // of the scenario, as typed
	Flags   []string        `json:"-"` // that change it, each with its value as the next
	Site    policy.Settings `json:"-"` // files of today's settings by their options
	Samples []*plan.Samples `json:"-" save:"-"`
}

// Row is a policy beside the tuned settings.
type Row struct {
	Label      string            `json:"label"`
	RunsOn     string            `json:"runs_on"`
	Value      study.Estimate    `json:"value_per_second"`
	Mean       *study.Estimate   `json:"mean,omitempty"`       // of the objective, if that is not the value
	Fewer      bool              `json:"fewer_jobs,omitempty"` // it runs fewer of the jobs than today's settings
	Gain       study.Estimate    `json:"gain"`                 // of the tuned settings over it
	Efficiency study.Estimate    `json:"efficiency"`
	Harm       []served.Affected `json:"harm"` // against today's settings
	HarmOn     Numbers           `json:"harm_on,omitempty"`
}

// Reached returns what the policy reaches of the objective.
func (r Row) Reached() study.Estimate {
	if r.Mean != nil {
		return *r.Mean
	}
	return r.Value
}

// Numbers are those that a policy is judged on.
type Numbers string

// The tested part, of a log as it happened; histories that are drawn from it; and the part of a log that was tuned on, as
// it happened.
const (
	AsHappened Numbers = ""
	Histories  Numbers = "histories"
	TunedPart  Numbers = "tuned_on"
)

// Contribution is a setting that is changed, and the loss if it alone is turned back.
type Contribution struct {
	Setting string         `json:"setting"`
	From    string         `json:"from"` // "" if it is not set
	To      string         `json:"to"`
	Gain    study.Estimate `json:"gain"`           // on the part that it was tuned on
	Tested  study.Estimate `json:"tested"`         // on the part that it is tested on
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

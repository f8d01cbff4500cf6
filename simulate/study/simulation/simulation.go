package simulation

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// Simulation asks what policies earn at one point. All rows see the same jobs.
type Simulation struct {
	Subject      *subject.Subject
	Policies     []subject.Policy       // nil: those of the scenario, else the usual one
	Admissions   []experiment.Admission // nil: all jobs; each is tried under each policy
	Replications int                    // 0: as many as the scenario says
	// draws the jobs of a trace anew, so that intervals are ranges of spans; nil replays them
	Resample  *workload.Resampling
	Stop      *plan.Stop // nil runs just Replications
	Plain     bool       // without control variates
	Groups    bool       // measures the waits of customers and of groups of width too
	Seed      uint64
	Level     float64      // of confidence; 0 is metric.DefaultLevel
	Runner    *plan.Runner // nil: all cores, and nothing is kept
	Overrides []string     // path=value, for the result

	work       *plan.Execution
	unrecorded string // why the schedule of the log is left out
}

// Open checks the study before anything runs.
func (s *Simulation) Open(ctx context.Context) (err error) {
	if s.Policies == nil {
		s.Policies, err = s.Subject.Policies()
		if err != nil {
			return err
		}
		s.Policies, s.unrecorded = experiment.AddRecorded(s.Subject, s.Policies, s.Admissions, s.Resample)
	}
	if s.Admissions == nil {
		s.Admissions = []experiment.Admission{{Name: scenario.AdmitAll}}
	}
	s.work, err = plan.OpenRows(ctx, s.Subject, plan.NewRows(s.Policies, s.Admissions), func(p *plan.Plan) {
		p.Seed = s.Seed
		p.Replications = s.Replications
		p.Resample = s.Resample
		p.Plain = s.Plain
		if s.Groups || len(s.Policies) > 1 { // harm is judged
			p.Served = plan.ServedBy(s.Subject)
		}
		p.Partial = true
	}, s.Stop, &s.Level)
	return err
}

// Run finds the admissions that are not numbers yet, then simulates. After an error, or
// when the context is canceled, the result is of the replications before the first that
// did not finish, nil where there are none. Policies that fail are left out of the result,
// and their errors are returned with it.
func (s *Simulation) Run(ctx context.Context) (*study.Result, error) {
	if s.work == nil {
		if err := s.Open(ctx); err != nil {
			return nil, err
		}
	}
	s.Runner = cmp.Or(s.Runner, &plan.Runner{})
	samples, err := s.Runner.Run(ctx, s.work, "simulating")
	if samples == nil {
		return nil, err
	}
	n, once := samples.Replications(0)
	if n == 0 {
		return nil, err
	}
	r, broken := s.result(ctx, samples, n, once)
	if broken != nil {
		return nil, broken
	}
	r.Interrupted = err != nil
	r.Warnings = append(r.Warnings, study.LeftOut(samples)...)
	if r.Interrupted {
		all := text.Plural(s.work.Plan.Replications, "replication")
		r.Warnings = warn.Interrupt(r.Warnings, "after %d of %s", r.Replications, all)
		return r, err
	}
	return r, samples.Failed()
}

func (s *Simulation) result(ctx context.Context, samples *plan.Samples, n int, once bool) (*study.Result, error) {
	order := samples.Plan().RowsAt(0)
	r, err := study.NewPointResult(samples, 0, n, once, order, s.label)
	if err != nil {
		return nil, err
	}
	r.Overrides = append(r.Overrides, s.Overrides...)
	if w, stream := r.Experiments[0].Workload.(*workload.Classes); stream {
		r.Warmup = study.NewWarmup(w)
		if horizon := metric.Number(w.Length().Horizon); horizon > 0 {
			r.Horizon, r.Jobs = &horizon, metric.Number(math.NaN())
		}
	}
	base := samples.Row(0, order[0]).Stretched(n)
	for i, row := range order[1:] {
		o := samples.Row(0, row).Stretched(n)
		r.Differences = append(r.Differences,
			study.DifferenceRow{RowID: r.Policies[1+i].RowID, Versus: r.Policies[0].Label,
				Total: study.NewEstimates(func(m metric.Measure) metric.Interval { return o.Difference(base, m, -1) })})
	}
	r.Standing, err = s.standing(ctx, r, samples, n)
	if err != nil {
		return nil, err
	}
	skewed, err := plan.Skewed(ctx, samples)
	r.Warnings = append(r.Warnings, s.warnings(r, samples, skewed)...)
	return r, err
}

// label names a row by what tells it from the others.
func (s *Simulation) label(row int) string {
	r := s.work.Plan.Rows[row]
	policies := slices.DeleteFunc(slices.Clone(s.Policies), subject.Policy.RepeatsLog)
	switch {
	case len(s.Admissions) == 1 || r.Policy.RepeatsLog():
		return r.Policy.Label()
	case len(policies) == 1:
		return r.Admission.Name
	}
	return r.Label() // as in a validation
}

func (s *Simulation) warnings(r *study.Result, samples *plan.Samples, skewed []warn.Warning) []warn.Warning {
	list := study.SubjectWarnings(r.Subject)
	byFormula := func(a experiment.Admission) bool { return a.Name == scenario.AdmitAnalytic }
	if slices.ContainsFunc(s.Admissions, byFormula) {
		if models, err := samples.Models(context.Background(), 0); err == nil {
			list = append(list, models.Warnings()...)
		}
	}
	list = append(list, r.Uncertain()...)
	list = append(list, experiment.Unrecorded(s.unrecorded)...)
	list = append(list, skewed...)
	for i, e := range r.Experiments {
		list = warn.Union(append(list, e.Overcommitted(r.Subject.Unit())...), e.Unread())
		cut := samples.Row(0, i).Cut()
		for where, part := range e.Parts() {
			warn.AddIf(&list, part.Unstable() || cut && part.AdmittedLoad() >= 1,
				warn.New(warn.Overload, append([]string{r.Policies[i].Label}, where...)...))
		}
	}
	return append(list, study.PolicyWarnings(r.Subject, s.Policies)...)
}

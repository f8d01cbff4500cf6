package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Run scores policies on instances. Every instance is a scenario of its own, in one replication.
type Run struct {
	Instances []*Instance
	Policies  []subject.Policy
	All       bool // all policies that apply to an instance come first, as subject.Applying lists them
	Specs     []policy.Spec
	Traces    string // directory of public traces
	Workers   int    // 0: one for each processor
	Progress  func(instance string, done, total int)
}

// Score is the score of a policy, or of a schedule, on an instance. A number that does not exist is not a number.
type Score struct {
	*Instance
	Policy string // none for a schedule of another program
	Value  float64
	Share  float64 // of the bound
	Why    string  // there is no share: see below, or what the policy needs
	NotRun int     // jobs
}

// Reasons why there is no share.
const (
	NoTrace = "trace not given"
	NotRun  = "jobs not run"    // a mean over the others would be too good
	Stopped = "jobs stopped"    // or shared units: the bound on waits and slowdowns is for jobs that do neither
	Knows   = "knows run times" // which are not public
	Failed  = "failed"          // the policy
)

// Run opens all instances, then runs the policies. A policy that cannot run has a score without a share. So has a
// policy that fails, whose error is returned with the scores.
func (r *Run) Run(ctx context.Context) (list []Score, err error) {
	missing := map[*Instance]bool{}
	for _, in := range r.Instances {
		err := in.Open(ctx, r.Specs, r.Traces)
		var absent *TraceError
		missing[in] = errors.As(err, &absent) && absent.Missing
		if err != nil && !missing[in] {
			return nil, err
		}
	}
	var faults []error
	for _, in := range r.Instances {
		if missing[in] {
			list = append(list, r.missing(in)...)
			continue
		}
		scores, failures, err := r.one(ctx, in)
		if err != nil {
			return nil, err
		}
		list, faults = append(list, scores...), append(faults, failures...)
	}
	return list, errors.Join(faults...)
}

// missing returns the rows of an instance whose trace is not given.
func (r *Run) missing(in *Instance) (list []Score) {
	if r.All {
		list = append(list, in.unscored("all", NoTrace))
	}
	return append(list, text.Each(r.Policies, func(p subject.Policy) Score { return in.unscored(p.Label(), NoTrace) })...)
}

// one runs the policies on an instance.
func (r *Run) one(ctx context.Context, in *Instance) (list []Score, faults []error, err error) {
	lab, base, err := r.lab(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	var rows []run.Case
	var places []int // of the rows in the list
	for _, p := range r.chosen(in) {
		why, need := "", (*policy.NeedError)(nil)
		switch {
		case p.Settings["estimates"] == "exact" && !in.public():
			why = Knows
		case errors.As(p.Spec.Check(in.subject.Workload.Has()), &need):
			why = "needs " + need.Need
		default:
			base.Do, err = lab.Policy(p)
			if err != nil {
				return nil, nil, err
			}
			rows, places = append(rows, base), append(places, len(list))
		}
		list = append(list, in.unscored(p.Label(), why))
	}
	if rows == nil {
		return list, nil, nil
	}
	frame, err := lab.Frame(ctx, rows, 1)
	if err != nil {
		return nil, nil, err
	}
	for _, failed := range frame.Failures() {
		faults = append(faults, fmt.Errorf("%s: %w", in.Name, failed))
	}
	for i, row := range rows {
		s := &list[places[i]]
		if frame.Failed(row) != nil {
			s.Why = Failed
			continue
		}
		*s = in.scored(frame.Records(row)[0], s.Policy)
	}
	return list, faults, nil
}

// lab returns the lab of an instance, and the case of its jobs.
func (r *Run) lab(ctx context.Context, in *Instance) (*run.Lab, run.Case, error) {
	o := run.Options{Seed: in.Seed, Opener: in.subject.Opener, Policies: r.Specs, Workers: r.Workers}
	if r.Progress != nil {
		o.Progress = func(done, total int) { r.Progress(in.Name, done, total) }
	}
	lab, err := run.NewLab(ctx, in.subject.Document, o)
	if err != nil {
		return nil, run.Case{}, err
	}
	base := lab.Base()
	base.Jobs = run.Jobs{Drained: true}
	if all := in.subject.Workload; all.Stream() > 0 {
		base.Jobs.Count = int(all.Size() + 0.5)
	}
	return lab, base, nil
}

// chosen returns the policies that are asked for.
func (r *Run) chosen(in *Instance) []subject.Policy {
	if !r.All {
		return r.Policies
	}
	all, _ := in.subject.Applying()
	more := text.Where(r.Policies, func(p subject.Policy) bool {
		return !slices.ContainsFunc(all, func(other subject.Policy) bool { return other.Label() == p.Label() })
	})
	return slices.Concat(all, more)
}

// scored scores a run.
func (in *Instance) scored(r run.Record, policy string) Score {
	get := func(column string) float64 {
		x, ok := r.Get(run.All, column)
		if !ok {
			return math.NaN()
		}
		return x
	}
	value := get(run.ColumnValueTotal)
	switch in.Objective {
	case run.Slowdown().Name:
		value = get(run.ColumnSlowdown)
	case run.Wait().Name:
		work := text.Sum(in.jobs, func(j simulate.Job) float64 { return j.Work })
		value = get(run.ColumnResponse) - work/float64(len(in.jobs))
	}
	return in.score(policy, value, int(get(run.ColumnSubmitted)-get(run.ColumnCompleted)), get(run.ColumnSplit) > 0)
}

// unscored returns a row without a schedule.
func (in *Instance) unscored(policy, why string) Score {
	return Score{Instance: in, Policy: policy, Value: math.NaN(), Share: math.NaN(), Why: why}
}

// score returns the score of a schedule. Where means are bounded, it has no share if jobs are missing in the mean or were
// stopped.
func (in *Instance) score(policy string, value float64, notRun int, stopped bool) Score {
	s := Score{Instance: in, Policy: policy, Value: value, Share: math.NaN(), NotRun: notRun}
	switch {
	case in.Goal().Smaller && notRun > 0:
		s.Why = NotRun
	case in.Goal().Smaller && stopped:
		s.Why = Stopped
	default:
		s.Share = in.share(value)
	}
	return s
}

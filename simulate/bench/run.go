package bench

import (
	"cmp"
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
	Prove     bool // the bounds of the instances are proven again, and no policy is scored
	Specs     []policy.Spec
	Traces    string      // directory of public traces
	Options   run.Options // of the labs, which share a store; seeds are those of the instances
	Progress  func(instance string, done, total int)
}

// Score is the score of a policy on an instance. If bounds are proven again, the policy is bound:NAME, the
// value is what is proven now, and the bound is what is stored; the policy jobs compares the jobs themselves. A number
// that does not exist is not a number.
type Score struct {
	Name      string // of the instance
	Family    string // of the instance
	Policy    string // none for a schedule of another program
	Objective run.Objective
	Table     string // Whole or Any, by the schedule made; none if there is none
	Value     float64
	Bound     float64
	Share     float64 // of the bound of its table
	Why       string  // there is no share: see below, or the need of the policy
	NotRun    int
	Causal    string // for a policy that is not of revopt: the word of its Verdict
}

// Reasons why there is no share.
const (
	NoTrace = "trace not given"
	NotRun  = "jobs not run"    // a mean over the others would be too good
	Differs = "differs"         // the stored jobs or bound are not those found now
	Knows   = "knows run times" // which are not public
	Failed  = "failed"          // the policy
)

// work is what of an instance runs.
type work struct {
	*Instance
	lab    *run.Lab
	rows   []run.Case
	labels []string // as the policies were given
}

// Run opens all instances, then runs those of the shard. Policies that fail have no score, and their errors are
// returned with the scores, which are sorted by instance.
func (r *Run) Run(ctx context.Context) ([]Score, error) {
	works, scores, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, w := range works {
		frame, err := w.lab.Frame(ctx, w.rows, 1)
		if err != nil {
			return nil, err
		}
		for _, failed := range frame.Failures() {
			faults = append(faults, fmt.Errorf("%s: %w", w.Name, failed))
		}
		for i, row := range w.rows {
			switch {
			case frame.Failed(row) != nil:
				scores = append(scores, w.unscored(w.labels[i], Failed))
			case !frame.Has(row): // of another shard
			case r.Prove:
				scores = append(scores, w.proven(frame.Records(row)[0])...)
			default:
				scores = append(scores, w.score(frame.Records(row)[0], w.labels[i]))
			}
		}
	}
	slices.SortStableFunc(scores, func(a, b Score) int { return cmp.Compare(a.Name, b.Name) })
	return scores, errors.Join(faults...)
}

// Missing returns the instances of which the store lacks records, as cases that do nothing. The labs are to compute
// nothing.
func (r *Run) Missing(ctx context.Context) ([]run.Case, error) {
	works, _, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	var list []run.Case
	for _, w := range works {
		_, err := w.lab.Frame(ctx, w.rows, 1)
		var missing *run.MissingError
		switch {
		case errors.As(err, &missing):
			list = append(list, w.lab.Base())
		case err != nil:
			return nil, err
		}
	}
	return list, nil
}

// open returns the runs of each instance. A policy that cannot run has a score without a share.
func (r *Run) open(ctx context.Context) (works []work, scores []Score, err error) {
	for _, in := range r.Instances {
		policies, left, err := r.policies(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		scores = append(scores, left...)
		if policies == nil {
			continue
		}
		w, err := r.work(ctx, in, policies)
		if err != nil {
			return nil, nil, err
		}
		works = append(works, w)
	}
	return works, scores, nil
}

// storedGap is the relative gap of the stored bounds of value.
const storedGap = 0.003

// work returns the cases of an instance: policies, or the bounds that hold for them.
func (r *Run) work(ctx context.Context, in *Instance, policies []subject.Policy) (w work, err error) {
	o := r.Options
	o.Seed, o.Opener, o.Policies = in.Seed, in.subject.Opener, r.Specs
	o.Progress = func(done, total int) {
		if r.Progress != nil {
			r.Progress(in.Name, done, total)
		}
	}
	w.Instance = in
	w.lab, err = run.NewLab(ctx, in.subject.Document, o)
	if err != nil {
		return w, err
	}
	base := w.lab.Base()
	base.Jobs = run.Jobs{Drained: true}
	if all := in.subject.Workload; all.Stream() > 0 {
		base.Jobs.Count = int(all.Size() + 0.5)
	}
	if r.Prove {
		base.Do.Bound = run.BoundFor(in.objective(), policies)
		base.Do.Bound.Gap = storedGap
		w.rows = []run.Case{base}
		return w, nil
	}
	for _, p := range policies {
		base.Do, err = w.lab.Policy(p)
		if err != nil {
			return w, err
		}
		w.rows, w.labels = append(w.rows, base), append(w.labels, p.Label())
	}
	return w, nil
}

// policies returns the policies that an instance is run with, nil where nothing can run, and the scores of those that
// cannot.
func (r *Run) policies(ctx context.Context, in *Instance) (list []subject.Policy, left []Score, err error) {
	err = in.Open(ctx, r.Specs, r.Traces)
	var absent *TraceError
	missing := errors.As(err, &absent) && absent.Missing
	if err != nil && !missing {
		return nil, nil, err
	}
	skip := func(policy, why string) { left = append(left, in.unscored(policy, why)) }
	switch {
	case r.Prove && missing:
		skip("jobs", NoTrace)
		return nil, left, nil
	case r.Prove:
		usual, err := subject.NewPolicy(r.Specs, in.subject.Usual, nil)
		return []subject.Policy{usual}, nil, err
	case r.All && missing:
		skip("all", NoTrace)
	}
	for _, p := range r.chosen(in, missing) {
		why := NoTrace
		var need *policy.NeedError
		switch exact := p.Settings["estimates"] == "exact"; {
		case exact && !in.public():
			why = Knows
		case missing:
		case errors.As(p.Spec.Check(in.subject.Workload.Has()), &need):
			why = "needs " + need.Need
		default:
			list = append(list, p)
			continue
		}
		skip(p.Label(), why)
	}
	return list, left, nil
}

// chosen returns the policies that are asked for.
func (r *Run) chosen(in *Instance, missing bool) []subject.Policy {
	if !r.All || missing {
		return r.Policies
	}
	all, _ := in.subject.Applying()
	more := text.Where(r.Policies, func(p subject.Policy) bool {
		return !slices.ContainsFunc(all, func(other subject.Policy) bool { return other.Label() == p.Label() })
	})
	return slices.Concat(all, more)
}

// score scores a run.
func (in *Instance) score(r run.Record, policy string) Score {
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
	notRun := int(get(run.ColumnSubmitted) - get(run.ColumnCompleted))
	table := Whole
	if get(run.ColumnSplit) > 0 {
		table = Any
	}
	return in.newScore(policy, value, table, notRun)
}

// unscored returns a row without a schedule.
func (in *Instance) unscored(policy, why string) Score {
	none := math.NaN()
	return Score{Name: in.Name, Family: in.Family.Name, Policy: policy, Objective: in.objective(), Value: none, Bound: none,
		Share: none, Why: why}
}

// newScore returns the score of a schedule of a table, without a share if jobs are missing in a mean.
func (in *Instance) newScore(policy string, value float64, table string, notRun int) Score {
	limit := in.Limit(table)
	s := in.unscored(policy, "")
	s.Table, s.Value, s.Bound, s.Share, s.NotRun = table, value, limit, in.share(value, limit), notRun
	if s.Objective.Smaller && notRun > 0 {
		s.Share, s.Why = math.NaN(), NotRun
	}
	return s
}

// proven compares what is stored with what is found: a stored bound holds if the proof is as tight.
func (in *Instance) proven(r run.Record) []Score {
	list := []Score{in.unscored("jobs", "")}
	if in.sum() != in.Sum {
		list[0].Why = Differs
	}
	for _, name := range boundNames() {
		stored, ok := in.Bounds[name]
		found, known := in.found(r, name)
		if !ok || !known {
			continue
		}
		s := in.unscored("bound:"+name, "")
		s.Value, s.Bound, s.Share = found, stored, in.share(found, stored)
		if !(s.Share <= 1) {
			s.Why = Differs
		}
		list = append(list, s)
	}
	return list
}

// The names of the stored bounds.
const (
	ClairvoyantBound = "clairvoyant"
	IndivisibleBound = "indivisible"
	UnpreemptedBound = "unpreempted" // on schedules of the table Whole alone
	BusyTimeBound    = "busy-time"   // on means
)

func boundNames() []string {
	return []string{ClairvoyantBound, IndivisibleBound, BusyTimeBound, UnpreemptedBound}
}

// found returns the bound of a name in a record of bounds.
func (in *Instance) found(r run.Record, name string) (x float64, ok bool) {
	column := map[string]string{ClairvoyantBound: run.BoundClairvoyant, IndivisibleBound: run.BoundIndivisible,
		UnpreemptedBound: run.BoundUnpreempted, BusyTimeBound: run.DelayLeast}[name]
	x, ok = r.Get(run.All, column)
	if jobs, mean := r.Get(run.All, run.DelayTasks); mean {
		x /= jobs
	}
	return x, ok
}

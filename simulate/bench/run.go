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
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Run scores policies on instances. Every instance is a plan of its own, of one replication.
type Run struct {
	Instances []*Instance
	Policies  []subject.Policy
	All       bool // all policies that apply to an instance come first, as subject.Applying lists them
	Prove     bool // the bounds of the instances are proven again, and no policy is scored
	Specs     []policy.Spec
	Traces    string // directory of public traces
	Runner    *plan.Runner
}

// Result is a row of the benchmark for each policy.
type Result struct {
	Version   string          `json:"version"`
	Command   string          `json:"command,omitempty"`
	Instances []Score         `json:"instances"` // by instance
	Samples   []*plan.Samples `json:"-"`
}

// Score is the score of a policy on an instance. If bounds are proven again, the policy is bound:NAME, the
// value is what is proven now, and the bound is what is stored; the policy jobs compares the jobs themselves.
type Score struct {
	Name      string        `json:"name"`
	Policy    string        `json:"policy,omitempty"` // none for a schedule of another program
	Objective string        `json:"objective"`
	Table     string        `json:"table,omitempty"` // Whole or Any, by the schedule made; none if there is none
	Value     metric.Number `json:"value"`
	Bound     metric.Number `json:"bound"`
	Kind      string        `json:"bound_name,omitempty"` // one of package plan
	Share     metric.Number `json:"share"`                // of the bound of its table
	Why       string        `json:"why,omitempty"`        // there is no share: see below, or the need of the policy
	NotRun    int           `json:"not_run,omitempty"`
}

// Reasons why there is no share.
const (
	NoTrace = "trace not given"
	NotRun  = "jobs not run"    // a mean over the others would be too good
	Differs = "differs"         // the stored jobs or bound are not those found now
	Knows   = "knows run times" // which are not public
	Failed  = "failed"          // the policy
)

// Run opens all instances, then runs them. Shards run their part of every plan. Policies that fail have no
// score, and their errors are returned with the result.
func (r *Run) Run(ctx context.Context) (*Result, error) {
	result, works := &Result{Version: r.Runner.Version}, make([]*plan.Execution, len(r.Instances))
	labels := make([][]string, len(r.Instances)) // as the policies were given
	for i, in := range r.Instances {
		var err error
		works[i], labels[i], err = r.open(ctx, in, result)
		if err != nil {
			return nil, err
		}
	}
	var open *plan.UnfinishedError
	var faults []error
	for i, in := range r.Instances {
		if works[i] == nil {
			continue
		}
		samples, err := r.Runner.Run(ctx, works[i], in.Name)
		var part *plan.UnfinishedError
		var failed *experiment.RunError
		switch {
		case errors.As(err, &part) && !part.Submitted:
			open = cmp.Or(open, &plan.UnfinishedError{})
			open.Finished += part.Finished - r.Runner.Finished()
			open.Total += part.Total - r.Runner.Finished()
			continue
		case samples == nil && errors.As(err, &failed): // all policies
		case err != nil:
			return nil, err
		case r.Prove:
			result.Instances = append(result.Instances, in.proven(samples)...)
		default:
			err = samples.Failed()
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", in.Name, err))
		}
		if !r.Prove {
			result.Instances = append(result.Instances, in.scores(labels[i], samples)...)
		}
		if samples != nil {
			result.Samples = append(result.Samples, samples)
		}
	}
	if open != nil {
		open.Finished, open.Total = open.Finished+r.Runner.Finished(), open.Total+r.Runner.Finished()
		return nil, open
	}
	slices.SortStableFunc(result.Instances, func(a, b Score) int { return cmp.Compare(a.Name, b.Name) })
	return result, errors.Join(faults...)
}

// scores returns the scores of the rows of an instance. Policies that failed are not among the samples, which
// are nil if all did.
func (in *Instance) scores(labels []string, samples *plan.Samples) (list []Score) {
	next := 0
	for row, label := range labels {
		s := in.unscored(label, Failed)
		if samples != nil && next < len(samples.Plan().Rows) && samples.Given(next) == row {
			s = in.score(samples.Row(0, next), label)
			next++
		}
		list = append(list, s)
	}
	return list
}

// open makes the plan of an instance, nil where nothing can run, and names its rows. A policy that cannot run
// has a score without a share.
func (r *Run) open(ctx context.Context, in *Instance, result *Result) (*plan.Execution, []string, error) {
	err := in.Open(ctx, r.Specs, r.Traces)
	var absent *TraceError
	missing := errors.As(err, &absent) && absent.Missing
	if err != nil && !missing {
		return nil, nil, err
	}
	policies := r.Policies
	skip := func(policy, why string) { result.Instances = append(result.Instances, in.unscored(policy, why)) }
	switch {
	case r.Prove && missing:
		skip("jobs", NoTrace)
	case r.Prove:
		usual, err := subject.NewPolicy(r.Specs, in.subject.Usual, nil)
		if err != nil {
			return nil, nil, err
		}
		policies = []subject.Policy{usual}
	case r.All && missing:
		skip("all", NoTrace)
	case r.All:
		all, _ := in.subject.Applying()
		more := text.Where(policies, func(p subject.Policy) bool {
			return !slices.ContainsFunc(all, func(other subject.Policy) bool { return other.Label() == p.Label() })
		})
		policies = slices.Concat(all, more)
	}
	var rows []plan.Row
	var labels []string
	for _, p := range policies {
		why := NoTrace
		var need *policy.NeedError
		switch exact := p.Settings["estimates"] == "exact"; {
		case exact && !in.public():
			why = Knows
		case missing:
		case errors.As(p.Spec.Check(in.subject.Workload.Has()), &need):
			why = "needs " + need.Need
		default:
			labels = append(labels, p.Label())
			rows = append(rows, plan.Row{Policy: p})
			continue
		}
		skip(p.Label(), why)
	}
	if rows == nil {
		return nil, nil, nil
	}
	grid := plan.New(in.subject.Document, r.Specs, rows)
	grid.Seed, grid.Replications, grid.Plain = in.Seed, 1, true
	grid.Partial = !r.Prove
	grid.Bounds = &plan.Bounds{Whole: true, None: !r.Prove}
	if in.Objective != plan.ObjectiveValue {
		grid.Bounds.Objective = in.Objective
	}
	work, err := grid.Open(ctx, nil)
	return work, labels, err
}

// score scores a run.
func (in *Instance) score(run plan.Outcome, policy string) Score {
	get := func(name string) float64 {
		m, _ := metric.Lookup(name)
		return run.Plain(m, -1)[0]
	}
	value := get("utility")
	switch in.Objective {
	case plan.ObjectiveSlowdown:
		value = get("mean_bounded_slowdown")
	case plan.ObjectiveWait:
		work := text.Sum(in.jobs, func(j simulate.Job) float64 { return j.Work })
		value = get("mean_response_time") - work/float64(len(in.jobs))
	}
	notRun := int(get("jobs_submitted") - get("jobs_completed"))
	table := Any
	if run.Whole() {
		table = Whole
	}
	return in.newScore(policy, value, table, notRun)
}

// unscored returns a row without a schedule.
func (in *Instance) unscored(policy, why string) Score {
	none := metric.Number(math.NaN())
	return Score{Name: in.Name, Policy: policy, Objective: in.Objective, Value: none, Bound: none, Share: none, Why: why}
}

// newScore returns the score of a schedule of a table, without a share if jobs are missing in a mean.
func (in *Instance) newScore(policy string, value float64, table string, notRun int) Score {
	kind, limit := in.Limit(table)
	s := Score{Name: in.Name, Policy: policy, Objective: in.Objective, Table: table, Value: metric.Number(value),
		Bound: metric.Number(limit), Kind: kind, Share: in.share(value, limit), NotRun: notRun}
	if in.Objective != plan.ObjectiveValue && notRun > 0 {
		s.Share, s.Why = metric.Number(math.NaN()), NotRun
	}
	return s
}

// proven compares what is stored with what is found: a stored bound holds if the proof is as tight.
func (in *Instance) proven(samples *plan.Samples) []Score {
	list := []Score{in.unscored("jobs", "")}
	if in.sum() != in.Sum {
		list[0].Why = Differs
	}
	for _, b := range samples.BoundTotals(0) {
		stored, ok := in.Bounds[b.Name]
		if !ok || b.Pool != "" || len(b.Total) == 0 {
			continue
		}
		s := in.unscored("bound:"+b.Name, "")
		s.Value, s.Bound, s.Share = metric.Number(b.Total[0]), metric.Number(stored), in.share(b.Total[0], stored)
		if !(s.Share <= 1) {
			s.Why = Differs
		}
		list = append(list, s)
	}
	return list
}

package ask

import (
	"context"
	"fmt"
	"math"

	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// verdict is the admission of an optimum on the simulator, beside other admissions of the same jobs. Money is the value
// delivered, in $/s.
type verdict struct {
	Policy    string          // under which all run: the first of the scenario
	Admission metric.Interval // as recommended, at 95 %
	All       metric.Interval // all jobs are admitted, at 95 %
	Tried     []rival         // the other admissions; the first one refuses all jobs
	Best      rival           // the best of them
	Stands    bool            // Admission is not below 0, nor below one of Tried beyond chance
	// Endless says that the losses by delay grow as long as jobs arrive if all are admitted. That is no alternative then,
	// however much a short run of it delivers.
	Endless      bool
	Grows        map[string]bool // by pool: one more unit delivers more beyond chance
	Replications int
	Jobs         float64 // of a replication
}

// checker simulates what an answer recommends.
type checker struct {
	Subject *subject.Subject
	Seed    uint64
	Workers int // 0: one per processor; they change no number
}

// The size of a check: as many jobs as checkSeconds have by the cost that policies state. It is a number of jobs and
// not a time, so that the check of a scenario and a seed has the same numbers on all machines.
const (
	checkSeconds      = 0.3   // of the advice and of all jobs together
	checkReplications = 10    // of random jobs, at most
	checkLeast        = 5     // such replications: below it they have fewer jobs
	checkLeastJobs    = 100   // of a replication
	checkFinite       = 30000 // jobs of a trace in all replications, above which there are no more than checkLeast
)

// check simulates an answer. It is nil under a policy that is a program, and where no jobs come.
func (c checker) check(ctx context.Context, a *analytic.Analysis, answer *solved) (*verdict, error) {
	all, err := c.experiment(ctx)
	if err != nil || all == nil {
		return nil, err
	}
	advised, err := c.advised(ctx, a, answer, *all)
	if err != nil {
		return nil, err
	}
	others, err := alternatives(ctx, a, answer, all, advised)
	if err != nil {
		return nil, err
	}
	k := &verdict{Policy: all.Policy.Label(), Jobs: all.Workload.Size(), Replications: 1}
	if advised.Random() || all.Random() {
		k.Replications = replications(all)
	}
	k.Endless = all.Endless() && !advised.Endless()
	advice := &tested{experiment: advised}
	if err := c.compare(ctx, k, advice, others); err != nil {
		return nil, err
	}
	return k, c.grown(ctx, a, answer, k, advice)
}

// advised returns all jobs under the admission that an answer recommends, at its prices where it chose these.
func (c checker) advised(
	ctx context.Context, a *analytic.Analysis, answer *solved, e run.Experiment,
) (*run.Experiment, error) {
	if answer.Stated != nil {
		return &e, c.price(ctx, a, answer, &e)
	}
	e.Admission.Admit = byCustomer(a, answer.Admit(), &e)
	return &e, nil
}

// byCustomer returns the admission of classes as that of the customers of an experiment.
func byCustomer(a *analytic.Analysis, admit []float64, e *run.Experiment) []float64 {
	return a.ByCustomer(admit, len(e.Workload.Customers()))
}

// price lets an experiment run at the prices of the answer.
func (c checker) price(ctx context.Context, a *analytic.Analysis, answer *solved, e *run.Experiment) error {
	s, err := a.Sell(ctx, c.Subject, &answer.Solution)
	if err != nil {
		return err
	}
	e.Workload = run.Shortened(s.Workload, int(e.Workload.Size()))
	e.Admission.Admit = s.Shares
	return nil
}

// experiment returns the scenario under its first policy with all jobs admitted, as short as a check is.
// It is nil where check is. The server is checked without the providers
// that take its refused jobs, which change nothing of what it earns.
func (c checker) experiment(ctx context.Context) (*run.Experiment, error) {
	s := c.Subject
	policies, err := s.Policies()
	if err != nil {
		return nil, err
	}
	e := &run.Experiment{Workload: s.Workload, Policy: policies[0], Seed: c.Seed}
	e.Admission.Name = scenario.AdmitAll
	e.Pooled, err = s.Pooled()
	if err != nil || e.Program() || s.Check() != nil {
		return nil, err
	}
	jobs := budget(e)
	if _, stream := e.Workload.(*workload.Classes); stream {
		e.Workload = run.Shortened(e.Workload, int(jobs/checkReplications))
		return e, nil
	}
	if e.Random() {
		jobs /= checkLeast
	}
	if e.Workload.Size() > jobs {
		s, err = c.cut(ctx, max(int64(jobs), checkLeastJobs))
		if err != nil {
			return nil, err
		}
		e.Workload = s.Workload
	}
	return e, nil
}

// budget returns how many jobs each admission has in all replications together.
func budget(e *run.Experiment) float64 { return checkSeconds / 2 / e.CostOfJob() }

// replications returns how many there are where jobs are random.
func replications(e *run.Experiment) int {
	if e.Workload.Stream() > 0 { // it is shortened to so many
		return checkReplications
	}
	n := math.Floor(math.Min(budget(e), checkFinite) / e.Workload.Size())
	return int(math.Max(checkLeast, math.Min(checkReplications, n)))
}

// cut returns the subject with so many jobs of its trace.
func (c checker) cut(ctx context.Context, jobs int64) (*subject.Subject, error) {
	var set string
	switch subset := c.Subject.Scenario.Trace.Jobs; {
	case subset.End > 0:
		set = fmt.Sprintf("index:%d:%d", subset.Begin, subset.Begin+jobs)
	case subset.To > 0 || subset.From > 0:
		return c.Subject, nil // a span of time stays whole
	case subset.First > 0:
		set = fmt.Sprintf("first:%d", jobs)
	default:
		set = fmt.Sprintf("last:%d", jobs)
	}
	return c.Subject.With(ctx, scenario.Override{Path: "trace.jobs", Value: set})
}

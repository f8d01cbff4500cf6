package ask

import (
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// verdict is the admission of an optimum on the simulator, beside that of all jobs, on the same jobs. Money is the
// value delivered, in $/s, with intervals at 95 %.
type verdict struct {
	Policy    string          // under which both run: the first of the scenario
	Kind      string          // of the admission: static, threshold, state or prices
	Admission metric.Interval // as recommended
	All       metric.Interval // all jobs are admitted
	Gain      metric.Interval // of Admission over All, paired
	Stands    bool            // false where Gain is negative beyond chance
	// Endless says that the losses by delay grow as long as jobs arrive if all are admitted. The advice then stands,
	// however short the run.
	Endless      bool
	Replications int
	Jobs         metric.Number // of a replication
	// Instead is the best advice of another residual if it is better beyond chance, of advice that does not stand and
	// of the printed residual.
	Instead *otherAdvice
}

// otherAdvice is the best admission by another residual. It stands, too.
type otherAdvice struct {
	Residual  string
	All       bool
	Admission metric.Interval
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
	checkSeconds      = 0.3   // of both admissions
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
	advised := *all
	k := &verdict{Policy: all.Policy.Label(), Kind: "static", Jobs: metric.Number(all.Workload.Size())}
	limits := answer.Control != nil && answer.Control.Kind == analytic.ControlThreshold && a.Fit == nil
	switch {
	case answer.Stated != nil:
		k.Kind = "prices"
		if err := c.price(ctx, a, answer, &advised); err != nil {
			return nil, err
		}
	case limits:
		k.Kind = analytic.ControlThreshold
		advised.Admission.Rule = run.ThresholdRule(analytic.PerCustomer(a, answer.Control.Thresholds,
			len(all.Workload.Customers()), analytic.ClassThreshold{Admit: new(metric.Number)}))
	case answer.Control != nil && c.runs(analytic.ControlState) && answer.Control.Kind == analytic.ControlState:
		k.Kind = analytic.ControlState
		table, err := run.Admit(ctx, c.Subject, run.Gate{Name: k.Kind}, &all.Policy, c.Seed,
			c.Workers, nil)
		if err != nil {
			return nil, err
		}
		advised.Admission.Rule = table.Rule
	default:
		advised.Admission.Admit = byCustomer(a, answer.Admit(), all)
	}
	k.Replications = 1
	if advised.Random() || all.Random() {
		k.Replications = replications(all)
	}
	list := []*run.Experiment{all, &advised}
	if k.Kind == "static" && admitsAll(advised.Admission.Admit) {
		list = list[:1] // the same runs
	}
	runs, err := c.run(ctx, k.Replications, list...)
	if err != nil {
		return nil, err
	}
	k.Admission, k.All = delivered(runs[len(runs)-1]), delivered(runs[0])
	k.Gain, k.Stands = gain(runs[len(runs)-1], runs[0])
	k.Endless = all.Endless() && !advised.Endless()
	k.Stands = k.Stands || k.Endless
	if k.Kind == "static" && (!k.Stands || a.System.Residual == model.Printed) {
		k.Instead, err = c.instead(ctx, a, k.Replications, all, runs[0], runs[len(runs)-1])
	}
	return k, err
}

// runs says whether the simulator has an admission of a kind for the subject.
func (c checker) runs(kind string) bool {
	return run.Computable(c.Subject, run.Gate{Name: kind}) == nil
}

// byCustomer returns the admission of classes as that of the customers of an experiment.
func byCustomer(a *analytic.Analysis, admit []float64, e *run.Experiment) []float64 {
	n := len(e.Workload.Customers())
	if a.Fit == nil {
		return analytic.PerCustomer(a, admit, n, 1)
	}
	return a.ByCustomer(admit, n)
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

// instead returns the best advice of another residual that stands and is better than that of the answer.
func (c checker) instead(ctx context.Context, a *analytic.Analysis, replications int, all *run.Experiment,
	base, answer *run.Runs) (*otherAdvice, error) {
	var best *otherAdvice
	for _, r := range []model.Residual{model.Pooled, model.Multiserver} {
		if r == a.System.Residual {
			continue
		}
		solution, err := a.Best(ctx, r)
		if err != nil {
			return nil, err
		}
		advised, runs := *all, []*run.Runs{base}
		advised.Admission.Admit = byCustomer(a, solution.Admit(), all)
		everyone := admitsAll(advised.Admission.Admit)
		if !everyone {
			runs, err = c.run(ctx, replications, &advised)
			if err != nil {
				return nil, err
			}
		}
		_, stands := gain(runs[0], base)
		_, as := gain(answer, runs[0])
		found := delivered(runs[0])
		if (stands || all.Endless()) && !as && (best == nil || found.Mean > best.Admission.Mean) {
			best = &otherAdvice{Residual: r.String(), All: everyone, Admission: found}
		}
	}
	return best, nil
}

func admitsAll(admit []float64) bool {
	return !slices.ContainsFunc(admit, func(q float64) bool { return q < 1-1e-9 })
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

// run simulates experiments in the same replications, one for each that is not random.
func (c checker) run(ctx context.Context, n int, list ...*run.Experiment) ([]*run.Runs, error) {
	counts := text.Each(list, func(e *run.Experiment) int {
		if e.Random() {
			return n
		}
		return 1
	})
	samples, err := metric.Replicate(ctx, 0, n*len(list), c.Workers,
		func(ctx context.Context, k int) (run.Sample, error) {
			if k%n >= counts[k/n] {
				return run.Sample{}, nil
			}
			return list[k/n].Run(ctx, k%n)
		})
	if err != nil {
		return nil, err
	}
	return text.EachAt(list, func(i int, e *run.Experiment) *run.Runs {
		all := samples[i*n:][:n]
		for k := counts[i]; k < n; k++ { // one stands for all
			all[k] = all[0]
		}
		return run.NewRuns(e, all)
	}), nil
}

// perSecond returns the estimate of an hourly number, in $/s.
func perSecond(s run.Series) metric.Interval {
	return new(run.Frame).Estimate(s).Times(1.0 / metric.Hour)
}

func delivered(r *run.Runs) metric.Interval {
	return perSecond(r.Series(run.All, run.ColumnValue))
}

// gain returns what an admission gains over another one on the same jobs, and whether it is not worse beyond chance.
// Of jobs that are not random, any loss is one.
func gain(r, base *run.Runs) (metric.Interval, bool) {
	i := perSecond(r.Series(run.All, run.ColumnValue).Less(base.Series(run.All, run.ColumnValue)))
	if math.IsInf(i.HalfWidth, 1) {
		return i, !(i.Mean < 0)
	}
	return i, !(i.Mean+i.HalfWidth < 0)
}

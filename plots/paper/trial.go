package paper

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// A trial is a run of a few jobs that can be worked by hand, under audit.
type trial struct {
	ends    []ending  // by job, in order of submission
	shares  []float64 // first rates on the first node, by task
	total   metric.Sum
	clashes simulate.Audit
}

// An ending is how a job of a trial ended.
type ending struct {
	at    float64 // NaN where it was refused
	paid  float64
	late  float64 // s after the deadline
	site  int
	nodes []int32
	why   simulate.Reason
}

func ended(e ending) float64 { return e.at }
func paid(e ending) float64  { return e.paid }
func why(e ending) float64   { return float64(e.why) }

// node returns the first node of the job, -1 where it had none.
func node(e ending) float64 {
	if len(e.nodes) == 0 {
		return -1
	}
	return float64(e.nodes[0])
}

// Observe implements simulate.Observer.
func (t *trial) Observe(e simulate.Event) {
	t.clashes.Observe(e)
	switch e.Kind {
	case simulate.Submitted:
		t.ends = append(t.ends, ending{at: math.NaN()})
	case simulate.Rejected:
		t.ends[e.Job.ID].why = e.Reason
	case simulate.Completed:
		t.ends[e.Job.ID] = ending{at: e.Time, paid: e.Job.Revenue, late: e.Job.Lateness(e.Time), site: e.Site.Index(), nodes: slices.Clone(e.Job.Nodes)}
	case simulate.Rated:
		if t.shares == nil && e.Node.ID == 0 && len(e.Node.Tasks) > 0 {
			for _, task := range e.Node.Tasks {
				t.shares = append(t.shares, task.Rate)
			}
		}
	}
}

// each returns a number of every job.
func (t *trial) each(of func(ending) float64) (list []float64) {
	for _, e := range t.ends {
		list = append(list, of(e))
	}
	return list
}

// refused reports whether the i-th job was.
func (t *trial) refused(i int) bool { return math.IsNaN(t.ends[i].at) }

// lateness returns how many jobs were accepted, and how many of them were late.
func (t *trial) lateness() (late, in int) {
	for _, e := range t.ends {
		if e.late > 0 {
			late++
		}
		if e.why == simulate.NoReason {
			in++
		}
	}
	return late, in
}

// A maker makes the policies of so many sites, and their broker.
type maker func(sites int) ([]simulate.Policy, simulate.Broker, error)

// made makes a standard policy by its name.
func made(name string, options policy.Settings) maker {
	return func(sites int) ([]simulate.Policy, simulate.Broker, error) {
		return must(policy.Lookup(study.Standard(), name)).Make(options, sites)
	}
}

// alike returns sites of so many processors of speed 1.
func alike(processors ...int) (list []simulate.Site) {
	for _, n := range processors {
		list = append(list, simulate.Site{Processors: n})
	}
	return list
}

// unlike returns a site of the given machines.
func unlike(list ...simulate.Machine) []simulate.Site {
	return []simulate.Site{{Processors: len(list), Machines: list}}
}

// try runs jobs on sites under a policy.
func (e *Evidence) try(p maker, sites []simulate.Site, jobs ...simulate.Job) *trial {
	policies, broker, err := p(len(sites))
	if err != nil {
		panic(lack{err})
	}
	list, t, tally := handJobs(slices.Clone(jobs)), new(trial), metric.NewTally(1)
	tally.UntilEnd = true
	run := simulate.Config{Source: &list, Broker: broker, Sites: slices.Clone(sites), Observers: []simulate.Observer{t, tally}}
	for i := range run.Sites {
		run.Sites[i].Policy = policies[i]
	}
	must(simulate.Run(e.ctx, run))
	if err := t.clashes.Err(); err != nil {
		panic(lack{err})
	}
	t.total = tally.Total()
	return t
}

// handJobs is a source of given jobs.
type handJobs []simulate.Job

// Next implements simulate.Source.
func (l *handJobs) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	next := &(*l)[0]
	j.Submit, j.Work, j.Width, j.Value, j.Spec, j.Expire = next.Submit, next.Work, next.Width, next.Value, next.Spec, math.Inf(1)
	*l = (*l)[1:]
	return true, nil
}

// agreed returns a job of one processor at time 0 with a service level agreement.
func agreed(runtime, deadline, budget, penalty float64, hard bool) simulate.Job {
	j := simulate.Job{Work: runtime, Width: 1, Value: simulate.ByDeadline(budget, deadline, penalty, hard)}
	j.Spec.Details.Estimate = runtime
	return j
}

// A handJob is a job with a hard deadline.
type handJob struct {
	at, runtime, deadline, budget float64
	width                         int     // 0 is 1
	estimate                      float64 // 0 is the runtime
	memory                        float64
}

// byHand runs such jobs.
func (e *Evidence) byHand(p maker, sites []simulate.Site, list []handJob) *trial {
	var jobs []simulate.Job
	for _, h := range list {
		j := agreed(h.runtime, h.deadline, h.budget, 0, true)
		j.Submit, j.Width = h.at, max(1, h.width)
		j.Spec.Details.Estimate, j.Spec.Requirements.Memory = cmp.Or(h.estimate, h.runtime), h.memory
		jobs = append(jobs, j)
	}
	return e.try(p, sites, jobs...)
}

// inParts returns an imprecise job of one part, with its lengths in MI.
func inParts(submit, mandatory, optional, due, reward float64, bonus simulate.Bonus) simulate.Job {
	i := &simulate.Imprecise{Mandatory: mandatory, Optional: optional, Reward: reward, Bonus: bonus}
	j := simulate.Job{Submit: submit, Work: mandatory + optional, Width: 1, Value: simulate.ByDeadline(i.Worth(optional), due, 0, true)}
	j.Spec.Details.Estimate, j.Spec.Imprecise = j.Work, i
	return j
}

// drawnJobs returns the jobs of the first replication of a built-in scenario with
// overrides, on the trace of the options where it has one.
func (e *Evidence) drawnJobs(name string, overrides ...scenario.Override) (jobs []simulate.Job) {
	f := e.o.open(name, overrides...)
	if e.o.Trace != "" && name != "ic-grid" {
		f = f.with(scenario.Override{Path: "trace.file", Value: yamlText(e.o.Trace)})
	}
	source, err := e.subject(f).Workload.Jobs(e.o.Seed, 0)
	for more := err == nil; more; {
		var j simulate.Job
		if more, err = source.Next(&j); more {
			jobs = append(jobs, j)
		}
	}
	if closer, ok := source.(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	return must(jobs, err)
}

// subject opens a scenario to be simulated.
func (e *Evidence) subject(f builtin) *study.Subject {
	return must(study.Open(e.ctx, must(f.doc.With(f.overrides...)), e.o.Seed, nil))
}

// agrees decides that numbers are those of a computation by hand, but for rounding;
// NaN agrees with NaN.
func agrees(got, want []float64) Verdict {
	ok := slices.EqualFunc(got, want, func(a, b float64) bool {
		return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
	})
	return is(ok, "%.5g by hand %.5g", got, want)
}

// matches is agrees, with a name for the numbers.
func matches(what string, got, want []float64) Verdict {
	found := agrees(got, want)
	found.Got = fmt.Sprintf("%s %.5g, by hand %.5g", what, got, want)
	return found
}

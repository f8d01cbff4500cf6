package paper

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// A trial is a run of a few jobs that can be worked by hand, under audit.
type trial struct {
	ends    []ending  // by job, in order of submission
	shares  []float64 // first rates on the first node, by task
	clashes simulate.Audit
}

// An ending is how a job of a trial ended.
type ending struct {
	at   float64 // NaN where it was refused
	paid float64
	late float64 // s after the deadline
	site int
	node int // the first of its nodes
	why  simulate.Reason
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
		end := ending{at: e.Time, paid: e.Job.Revenue, late: e.Job.Lateness(e.Time), site: e.Site.Index()}
		if len(e.Job.Nodes) > 0 {
			end.node = int(e.Job.Nodes[0])
		}
		t.ends[e.Job.ID] = end
	case simulate.Rated:
		if t.shares == nil && e.Node.ID == 0 && len(e.Node.Tasks) > 0 {
			for _, task := range e.Node.Tasks {
				t.shares = append(t.shares, task.Rate)
			}
		}
	}
}

// refused reports whether the i-th job was.
func (t *trial) refused(i int) bool { return math.IsNaN(t.ends[i].at) }

// paid returns what all jobs paid.
func (t *trial) paid() float64 {
	var sum float64
	for _, e := range t.ends {
		sum += e.paid
	}
	return sum
}

// try runs jobs on sites of so many processors each, of the given speeds or, with
// none, of speed 1, under a policy.
func (e *Evidence) try(p scenario.Policy, processors []int, speeds []float64, jobs ...simulate.Job) *trial {
	t := new(trial)
	spec, err := policy.Lookup(study.Standard(), p.Name)
	if err != nil {
		panic(lack{err})
	}
	policies, broker, err := spec.Make(p.Options, len(processors))
	if err != nil {
		panic(lack{err})
	}
	list := handJobs(slices.Clone(jobs))
	run := simulate.Config{Source: &list, Broker: broker, Observers: []simulate.Observer{t}}
	for i, n := range processors {
		site := simulate.Site{Processors: n, Policy: policies[i]}
		if speeds != nil {
			site.Machines = slices.Repeat([]simulate.Machine{{Speed: speeds[i]}}, n)
		}
		run.Sites = append(run.Sites, site)
	}
	if _, err = simulate.Run(e.ctx, run); err == nil {
		err = t.clashes.Err()
	}
	if err != nil {
		panic(lack{fmt.Errorf("trial of %s: %w", p.Name, err)})
	}
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
	doc, err := f.doc.With(f.overrides...)
	if err != nil {
		panic(lack{err})
	}
	s, err := study.Open(e.ctx, doc, e.o.Seed, nil)
	if err != nil {
		panic(lack{err})
	}
	source, err := s.Workload.Jobs(e.o.Seed, 0)
	for more := err == nil; more; {
		var j simulate.Job
		if more, err = source.Next(&j); more {
			jobs = append(jobs, j)
		}
	}
	if closer, ok := source.(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	if err != nil {
		panic(lack{err})
	}
	return jobs
}

// matches decides that computed numbers are the ones expected, but for rounding.
func matches(what string, got, want []float64) Verdict {
	ok := slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) })
	return decided(ok, !ok, fmt.Sprintf("%s %.5g, by hand %.5g", what, got, want))
}

// is decides that something is so.
func is(ok bool, format string, args ...any) Verdict {
	return decided(ok, !ok, fmt.Sprintf(format, args...))
}

package policy_test

import (
	"math"
	"slices"
	"testing"

	"revopt/simulate"
)

// contract is a job with what its user asks for.
type contract struct {
	at, runtime, estimate float64
	width                 int
	deadline, budget      float64
	penalty               float64
	hard                  bool
	memory, disk          float64
	class                 int
}

func (c contract) job() simulate.Job {
	j := simulate.Job{Class: c.class, Submit: c.at, Work: c.runtime, Width: c.width, Expire: math.Inf(1)}
	j.Spec.Details.Estimate = c.estimate
	j.Spec.Requirements = simulate.Requirements{Memory: c.memory, Disk: c.disk}
	j.Value = simulate.ByDeadline(c.budget, c.deadline, c.penalty, c.hard)
	j.Value.Dated = c.deadline > 0
	return j
}

// settlement is what became of a job.
type settlement struct {
	finish  float64 // NaN where it was rejected
	nodes   []int32
	paid    float64
	utility float64
	reason  simulate.Reason
}

// settlements is an observer of what becomes of jobs, in order of submission.
type settlements []settlement

func (s *settlements) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Submitted:
		*s = append(*s, settlement{finish: math.NaN()})
	case simulate.Rejected:
		(*s)[e.Job.ID].reason = e.Reason
	case simulate.Completed:
		(*s)[e.Job.ID] = settlement{
			finish: e.Time, nodes: slices.Clone(e.Job.Nodes), paid: e.Job.Revenue, utility: e.Job.Worth(e.Time),
		}
	}
}

// settle runs jobs on nodes of speed 1 under audit.
func settle(t testing.TB, nodes int, p simulate.Policy, jobs []contract, observers ...simulate.Observer) settlements {
	t.Helper()
	return settleOn(t, simulate.Site{Processors: nodes, Policy: p}, jobs, observers...)
}

// settleOn runs jobs on a site under audit.
func settleOn(t testing.TB, site simulate.Site, jobs []contract, observers ...simulate.Observer) settlements {
	t.Helper()
	got, list := new(settlements), make([]simulate.Job, len(jobs))
	for i, c := range jobs {
		list[i] = c.job()
	}
	audited(t, simulate.Config{Sites: []simulate.Site{site}, Observers: append(observers, got)}, list)
	return *got
}

// exact returns a job whose runtime is as estimated.
func exact(at, runtime, deadline, budget float64, width int) contract {
	return contract{at: at, runtime: runtime, estimate: runtime, width: width, deadline: deadline, budget: budget}
}

// close4 reports whether two numbers agree in the digits of a table with four
// decimals; NaN agrees with NaN.
func close4(a, b float64) bool {
	return math.Abs(a-b) <= 0.5001e-4 || math.IsNaN(a) && math.IsNaN(b)
}

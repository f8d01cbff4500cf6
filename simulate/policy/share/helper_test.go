package share_test

import (
	"math"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy/policytest"
)

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
func settle(t testing.TB, nodes int, p simulate.Policy, jobs []policytest.Submission, observers ...simulate.Observer) settlements {
	t.Helper()
	return settleOn(t, simulate.Site{Processors: nodes, Policy: p}, jobs, observers...)
}

// settleOn runs jobs on a site under audit.
func settleOn(t testing.TB, site simulate.Site, jobs []policytest.Submission, observers ...simulate.Observer) settlements {
	t.Helper()
	got := new(settlements)
	policytest.Audited(t, simulate.Config{Sites: []simulate.Site{site}, Observers: append(observers, got)}, policytest.Submitted(jobs))
	return *got
}

// close4 reports whether two numbers agree in the digits of a table with four
// decimals; NaN agrees with NaN.
func close4(a, b float64) bool {
	return math.Abs(a-b) <= 0.5001e-4 || math.IsNaN(a) && math.IsNaN(b)
}

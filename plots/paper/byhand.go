package paper

import (
	"fmt"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// A handJob is a job of an example that is worked by hand.
type handJob struct {
	at, runtime, deadline, budget float64
	width                         int     // 0 is 1
	estimate                      float64 // 0 is the runtime
	memory                        float64
}

// job returns it as the simulator takes it.
func (h handJob) job() simulate.Job {
	j := simulate.Job{Submit: h.at, Work: h.runtime, Width: max(1, h.width), Value: simulate.ByDeadline(h.budget, h.deadline, 0, true)}
	j.Spec.Details.Estimate, j.Spec.Requirements.Memory = h.estimate, h.memory
	if h.estimate == 0 {
		j.Spec.Details.Estimate = h.runtime
	}
	return j
}

// A fate is what becomes of such a job.
type fate struct {
	end    float64 // NaN where it was rejected
	paid   float64
	late   bool
	nodes  []int32
	reason simulate.Reason
}

// fates observes them in order of submission.
type fates []fate

// Observe implements simulate.Observer.
func (s *fates) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Submitted:
		*s = append(*s, fate{end: math.NaN()})
	case simulate.Rejected:
		(*s)[e.Job.ID].reason = e.Reason
	case simulate.Completed:
		(*s)[e.Job.ID] = fate{end: e.Time, paid: e.Job.Revenue, late: e.Job.Lateness(e.Time) > 0, nodes: slices.Clone(e.Job.Nodes)}
	}
}

// byHand simulates an example on some machines under a policy, with an audit.
func (e *Evidence) byHand(p simulate.Policy, machines []simulate.Machine, jobs []handJob) (fates, metric.Sum) {
	var source handJobs
	for _, h := range jobs {
		source = append(source, h.job())
	}
	found, audit, tally := fates{}, new(simulate.Audit), metric.NewTally(1)
	tally.UntilEnd = true
	site := simulate.Site{Processors: len(machines), Policy: p}
	if _, shared := p.(simulate.Sharing); shared {
		site.Machines = machines
	}
	_, err := simulate.Run(e.ctx, simulate.Config{Source: &source, Sites: []simulate.Site{site}, Observers: []simulate.Observer{audit, &found, tally}})
	if err == nil {
		err = audit.Err()
	}
	if err != nil {
		panic(lack{err})
	}
	return found, tally.Total()
}

// alike returns machines of speed 1.
func alike(n int) []simulate.Machine { return slices.Repeat([]simulate.Machine{{Speed: 1}}, n) }

// made returns a standard policy by its name.
func made(name string, options policy.Settings) simulate.Policy {
	spec, err := policy.Lookup(policy.Standard(), name)
	if err != nil {
		panic(lack{err})
	}
	list, _, err := spec.Make(options, 1)
	if err != nil {
		panic(lack{err})
	}
	return list[0]
}

// agrees decides that numbers are those of a computation by hand; NaN agrees with
// NaN.
func agrees(got, want []float64) Verdict {
	ok := slices.EqualFunc(got, want, func(a, b float64) bool {
		return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
	})
	return decided(ok, !ok, fmt.Sprintf("%.5g by hand %.5g", got, want))
}

// each returns a number of every fate.
func (s fates) each(of func(fate) float64) []float64 {
	var list []float64
	for _, f := range s {
		list = append(list, of(f))
	}
	return list
}

func ended(f fate) float64 { return f.end }
func paid(f fate) float64  { return f.paid }
func why(f fate) float64   { return float64(f.reason) }

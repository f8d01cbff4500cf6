package causal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
)

// Check is a policy to be tested.
type Check struct {
	Spec      policy.Spec
	Settings  policy.Settings
	Workloads int // random ones; 0 is 20
	Cuts      int // of each; 0 is 20
	Seed      uint64
}

// Finding is a decision that depends on what no site knows. With the seed of the workload and the number of the cut
// it is found again.
type Finding struct {
	Workload uint64
	Cut      int
	Time     float64 // of the cut, s
	Job      int64
	Was      string // what happened to the job before the cut, and
	Is       string // with another future; empty: nothing
}

// Error says which decision differs.
func (f *Finding) Error() string {
	return fmt.Sprintf("the policy saw the future: with other run times and jobs after %.6g s, job %d is %s, and was %s"+
		" (workload %d, cut %d)", f.Time, f.Job, cmp.Or(f.Is, "left alone"), cmp.Or(f.Was, "left alone"), f.Workload, f.Cut)
}

// RepeatError says that a policy decides differently when it is run again on the same jobs with the same seed, so that
// nothing can be said.
type RepeatError struct{ Finding }

// Error says which decision differs.
func (e *RepeatError) Error() string {
	return fmt.Sprintf("the policy does not repeat its decisions: on the same jobs, with the same seed, job %d is %s, and was %s",
		e.Job, cmp.Or(e.Is, "left alone"), cmp.Or(e.Was, "left alone"))
}

// Run returns nil if no decision depends on the future, a *Finding if one does, or another error.
func (c *Check) Run(ctx context.Context) error {
	if c.Spec.Needs.Recorded {
		return &policy.NeedError{Policy: c.Spec.Name, Need: "a log", Hint: "it repeats what the log says, and decides nothing"}
	}
	for i := range cmp.Or(c.Workloads, 20) {
		if err := c.workload(ctx, c.Seed+uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

// workload tests the policy on one workload.
func (c *Check) workload(ctx context.Context, seed uint64) error {
	w := newWorkload(seed, c.Spec, c.Settings)
	first, err := c.run(ctx, w, w.jobs)
	if err != nil {
		return err
	}
	again, err := c.run(ctx, w, w.jobs)
	if err != nil {
		return err
	}
	if f := first.differs(again, first.end+1); f != nil {
		f.Workload = seed
		return &RepeatError{*f}
	}
	rnd := rand.New(rand.NewPCG(seed, 2))
	for cut := range cmp.Or(c.Cuts, 20) {
		at := first.times[rnd.IntN(len(first.times))]
		other, err := c.run(ctx, w, w.altered(rnd, first, at))
		if err != nil {
			return err
		}
		if f := first.differs(other, at); f != nil {
			f.Workload, f.Cut, f.Time = seed, cut, at
			return f
		}
	}
	return nil
}

// run runs the policy on jobs.
func (c *Check) run(ctx context.Context, w *workload, jobs []simulate.Job) (*history, error) {
	policies, router, err := c.Spec.Build(c.Settings, w.context)
	if err != nil {
		return nil, err
	}
	h := newHistory(len(jobs))
	config := simulate.Config{
		Source: simulate.Slice(jobs), Router: router, Charging: c.Spec.Charging(c.Settings, simulate.ByValue),
		Observers: []simulate.Observer{h},
	}
	for _, p := range policies {
		config.Sites = append(config.Sites, simulate.Site{Processors: w.processors, Policy: p, Machines: w.machines})
	}
	if _, ok := policies[0].(simulate.Stopper); ok && w.machines == nil && !c.Spec.Needs.Shared {
		config.Agents = append(config.Agents, &agent.Outages{List: w.outages})
	}
	_, err = simulate.Run(ctx, config)
	for _, p := range policies {
		if closer, ok := p.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
	}
	return h, err
}

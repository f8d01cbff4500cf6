package study

import (
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Baseline is how far the policy that stands for today is the site of the log.
type Baseline struct {
	Policy    string        `json:"policy"`
	Allowed   metric.Number `json:"starts_allowed"` // share of the starts of the log; null if the policy cannot be compared
	Recorded  metric.Number `json:"recorded"`       // $/s that the log earned; null if its schedule cannot be valued
	Simulated metric.Number `json:"simulated"`      // $/s under the policy
}

// NewBaseline compares a policy with the log of a subject, and returns nil if there is none. The amounts are in $/s.
func NewBaseline(ctx context.Context, s *subject.Subject, p subject.Policy, recorded, simulated float64) (
	*Baseline, error) {
	if !s.Logged() || p.RepeatsLog() {
		return nil, nil
	}
	b := &Baseline{
		Policy: p.Label(), Allowed: metric.Number(math.NaN()),
		Recorded: metric.Number(recorded), Simulated: metric.Number(simulated),
	}
	replay, err := LogOf(ctx, s)
	if err != nil || replay == nil || !replayable(p) {
		return b, err
	}
	replay.Policy, replay.Settings = p.Spec, p.Settings
	starts, err := Starts(ctx, *replay)
	b.Allowed = metric.Number(starts.Share())
	return b, err
}

// replayable reports whether a policy decides by submissions, widths, estimates and parties of jobs alone, which the log
// has.
func replayable(p subject.Policy) bool {
	return slices.Contains([]string{"fcfs", "easy", "conservative", "slurm"}, p.Spec.Name)
}

// replayTolerance is the time in seconds by which a start may be off, as in trace replay.
const replayTolerance = 2

// LogOf returns the log of a subject on the machine and the pools of the scenario, without a policy; nil if these are
// not those of the log. As in trace replay, jobs that never started are there while they wait.
func LogOf(ctx context.Context, s *subject.Subject) (*slurm.LogReplay, error) {
	w, ok := s.Workload.(*workload.Replay)
	if !ok || !s.Logged() || !w.Has().Recorded {
		return nil, nil
	}
	t := s.Scenario.Trace
	records, err := workload.Selection{File: t.File, Subset: t.Jobs}.Open(ctx, s.Seed, 0)
	if err != nil {
		return nil, err
	}
	defer records.Close()
	jobs, err := slurm.LoggedJobs(records)
	r := &slurm.LogReplay{
		Jobs: jobs, Nodes: s.Nodes(), Tolerance: replayTolerance, Names: s.Trace.Names(),
	}
	pools := w.Pools()
	if err != nil || pools == nil {
		return r, err
	}
	r.Pools = text.Each(pools.List, func(p model.Pool) slurm.LogPool {
		return slurm.LogPool{Name: p.Name, Nodes: p.Units}
	})
	list := text.Each(jobs, func(j slurm.LoggedJob) simulate.Job {
		return simulate.Job{
			Submit: j.Submit, Work: max(j.End-j.Start, 1), Width: j.Width, Spec: simulate.Spec{Details: j.Details},
		}
	})
	sections, _, err := w.Own(list, s.Seed)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		jobs[i].Pool = sections[i].Pool
	}
	r.Jobs = text.Where(jobs, func(j slurm.LoggedJob) bool { return j.Pool >= 0 })
	return r, nil
}

package ask

import (
	"context"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

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

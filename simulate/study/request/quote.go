package request

import (
	"cmp"
	"context"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/quote"
	"revopt/simulate/workload"
)

// quotedRuns is the number of simulations of a quote.
const quotedRuns = 100

// Quote answers the command quote.
func (q *Question) Quote(ctx context.Context) (*quote.Result, error) {
	j := q.Job
	question := quote.Quote{
		Subject: q.Subject, Seed: q.Seed, Replications: cmp.Or(q.Replications.Int(), quotedRuns),
		At: j.At, Width: j.Width, Estimate: j.Estimate, Class: j.Class, Pool: j.Pool,
	}
	policies, err := q.Subject.Policies()
	if err != nil {
		return nil, err
	}
	if len(q.Policies) > 0 {
		policies, err = study.ParsePolicies(q.Specs, q.Policies...)
		if err != nil {
			return nil, err
		}
	}
	question.Policy = policies[0]
	if q.Squeue != "" {
		if err := q.readState(&question); err != nil {
			return nil, err
		}
	}
	return question.Run(ctx)
}

// readState reads the queue and the nodes of a cluster as they are now. They count nodes and CPUs, so that
// the jobs of other units have no widths.
func (q *Question) readState(question *quote.Quote) error {
	zone, err := slurm.ParseZone(q.TimeZone)
	if err != nil {
		return study.Usagef("--time-zone: %v", err)
	}
	unit := q.Subject.Unit()
	if !slices.Contains([]string{"", "node", "core", "cpu", "processor"}, unit) {
		return q.Subject.Misfit("quote: expected a scenario in nodes or cores with --squeue, got one in " +
			text.Unit(unit) + "s; use --at")
	}
	question.QueueFile = q.Squeue
	question.Queue, question.Now, err = slurm.ReadQueue(q.Squeue, zone)
	if err != nil {
		return err
	}
	if question.Queue == nil {
		question.Queue = []slurm.QueuedJob{} // an empty queue is a state
	}
	if q.Sinfo == "" {
		return nil
	}
	if q.Subject.Workload.Pools() != nil {
		return q.Subject.Misfit("quote: expected no --sinfo, as the scenario has pools and sinfo does not say which " +
			"nodes are theirs")
	}
	nodes, err := slurm.ReadNodes(q.Sinfo)
	switch {
	case err != nil:
		return err
	case unit == "node":
		question.Machine = &quote.Machine{Up: nodes.Up, All: nodes.All}
	case !nodes.Counted:
		return &workload.Error{File: q.Sinfo, Message: "expected a column CPUS (sinfo -N -o '%N|%T|%c'), as the " +
			"scenario counts " + text.Unit(unit) + "s"}
	default:
		question.Machine = &quote.Machine{Up: nodes.UpCPUs, All: nodes.AllCPUs}
	}
	return nil
}

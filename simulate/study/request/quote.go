package request

import (
	"cmp"
	"context"

	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/quote"
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

// readState reads the queue and the nodes of a cluster as they are now.
func (q *Question) readState(question *quote.Quote) error {
	zone, err := slurm.ParseZone(q.TimeZone)
	if err != nil {
		return study.Usagef("--time-zone: %v", err)
	}
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
	nodes, cpus, err := slurm.ReadNodes(q.Sinfo)
	if err != nil {
		return err
	}
	question.Units = cpus
	if q.Subject.Unit() == "node" {
		question.Units = nodes
	}
	return nil
}

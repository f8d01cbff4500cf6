package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"revopt/simulate"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Piece is a time in which a job runs without a stop, on units of its own.
type Piece struct {
	Job        int
	Start, End float64 // s
}

// Schedules runs the policies of scores again and passes on the schedules that they make, in the order of the scores.
// Rows without a score have none. Policies that share units among jobs or return partial results have none either,
// which is an error if they were named.
func (r *Run) Schedules(ctx context.Context, scores []Score, write func(s Score, list []Piece) error) error {
	var faults []error
	for _, score := range scores {
		if score.Why != "" && score.Why != NotRun {
			continue
		}
		at := slices.IndexFunc(r.Instances, func(in *Instance) bool { return in.Name == score.Name })
		in := r.Instances[at]
		policies, named := r.Policies, len(r.Policies)
		if r.All {
			all, _ := in.subject.Applying()
			policies = slices.Concat(policies, all)
		}
		k := slices.IndexFunc(policies, func(p subject.Policy) bool { return p.Label() == score.Policy })
		if needs := policies[k].Spec.Needs; needs.Shared || needs.Optional {
			if k < named {
				faults = append(faults, fmt.Errorf("%s: %s has no schedule of pieces, as jobs share units or end in part",
					score.Name, score.Policy))
			}
			continue
		}
		list, err := in.schedule(ctx, policies[k])
		if err == nil {
			err = write(score, list)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(faults...)
}

// schedule runs a policy and returns the pieces of all jobs that end with their work done.
func (in *Instance) schedule(ctx context.Context, p subject.Policy) ([]Piece, error) {
	w := in.subject.Workload
	e := &run.Experiment{Workload: w.Drained(int(w.Size() + 0.5)), Policy: p, Seed: in.Seed}
	seen := pieces{open: map[int64][]Piece{}}
	if _, err := e.Run(ctx, 0, &seen); err != nil {
		return nil, err
	}
	slices.SortStableFunc(seen.list, func(a, b Piece) int { return cmp.Compare(a.Job, b.Job) })
	return seen.list, nil
}

// pieces is an observer of the pieces of jobs.
type pieces struct {
	open map[int64][]Piece // of jobs that have not ended
	list []Piece           // of jobs that have
}

// Observe implements simulate.Observer.
func (p *pieces) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Started, simulate.Resumed:
		p.open[e.Job.ID] = append(p.open[e.Job.ID], Piece{int(e.Job.ID), e.Time, e.Time})
	case simulate.Preempted:
		p.stop(e)
	case simulate.Completed:
		list := p.stop(e)
		delete(p.open, e.Job.ID)
		if !e.Job.Killed {
			p.list = append(p.list, shortened(list, e.Job.Lost)...)
		}
	case simulate.Expired:
		delete(p.open, e.Job.ID)
	}
}

// stop ends the last piece of a job.
func (p *pieces) stop(e simulate.Event) []Piece {
	list := p.open[e.Job.ID]
	last := &list[len(list)-1]
	last.End = e.Time
	return list
}

// shortened returns pieces without their first seconds, which did no work: those that a restart has lost, and the costs
// of preemption. The end is the same, and no unit is used at another time. Pieces without length are left out.
func shortened(list []Piece, lost float64) (kept []Piece) {
	for _, x := range list {
		cut := min(lost, x.End-x.Start)
		lost -= cut
		x.Start += cut
		if x.End > x.Start || len(list) == 1 {
			kept = append(kept, x)
		}
	}
	return kept
}

package bench

import (
	"context"
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Found is a schedule of an instance that an offline search has found, and its score.
type Found struct {
	Score
	Pieces []Piece
	Moves  int
}

// Find searches a schedule of whole jobs that knows the future, pool by pool. A time is shared by the pools. The
// schedule is scored as one of another program.
func (in *Instance) Find(ctx context.Context, effort run.Effort) (*Found, error) {
	all := in.subject.Workload.Drained(int(in.subject.Workload.Size() + 0.5))
	f := &Found{}
	effort.Seconds /= float64(len(in.sites))
	for site := range in.sites {
		search := run.Offline{Subject: in.subject, Workload: all, Seed: in.Seed, Objective: in.Objective, Effort: effort}
		if in.pools != nil {
			search.Workload = subject.Part(all, []int{site})
		}
		s, err := search.Schedule(ctx)
		if err != nil {
			return nil, err
		}
		f.Moves += s.Moves
		jobs := text.Where(text.Numbers(len(in.jobs)), func(i int) bool { return in.site(&in.jobs[i]) == site })
		for k, i := range jobs {
			if at := s.Start[k]; !math.IsNaN(at) {
				f.Pieces = append(f.Pieces, Piece{i, at, at + in.jobs[i].Work})
			}
		}
	}
	checked := in.check(text.EachAt(f.Pieces, func(i int, p Piece) stint { return stint{i + 2, p.Job, p.Start, p.End} }))
	if !checked.Valid {
		return nil, fmt.Errorf("%s: the schedule found is not valid: %+v", in.Name, checked.Faults[0])
	}
	f.Score = checked.Score
	f.Policy = "found (offline)"
	return f, nil
}

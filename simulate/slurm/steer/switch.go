package steer

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/slurm/switchback"
)

// Switching asks for a trial: spans in which the policy orders the queue, and spans in which the order is the site's own.
type Switching struct {
	Span   float64 // s; 0: none is asked for
	Margin float64 // s; 0: not stated
	Seed   uint64
	Seeded bool // the seed was stated
}

// leastPasses is the least number of passes in a span.
const leastPasses = 10

// SwitchError says that a trial cannot be made as it is asked for.
type SwitchError struct{ Message string }

func (e *SwitchError) Error() string { return "--switch: " + e.Message }

// Switch takes over the trial of a journal, which goes on with its plan, or plans the one that is asked for. It begins
// with the next second but one.
func (s *Steerer) Switch(records []Record, ask Switching) error {
	s.trial, s.laid = nil, nil
	kept := keptTrial(records)
	switch {
	case kept == nil && ask.Span == 0:
		return nil
	case kept == nil:
		s.trial = &switchback.Plan{Begin: math.Floor(s.now()) + 2, Span: ask.Span, Seed: ask.Seed, Margin: ask.Margin}
	case ask.Span != kept.Trial.Span, ask.Margin > 0 && ask.Margin != kept.Trial.Margin,
		ask.Seeded && ask.Seed != kept.Trial.Seed, kept.Policy != s.Orderer.Policy.Label():
		return &SwitchError{fmt.Sprintf("the journal has a trial of %s with spans of %s, seed %d, which goes on as it was "+
			"planned: expected the same, or another --journal", text.OneLine(kept.Policy), text.Duration(kept.Trial.Span),
			kept.Trial.Seed)}
	default:
		s.trial = kept.Trial
		for _, r := range records {
			s.laid = append(s.laid, r.Pairs...)
		}
	}
	if !(s.Settings.Every > 0 && leastPasses*s.Settings.Every <= s.trial.Span) {
		return &SwitchError{fmt.Sprintf("expected --every T with %d passes or more in a span of %s", leastPasses,
			text.Duration(s.trial.Span))}
	}
	return s.trial.Check()
}

// keptTrial returns the last start that has a trial, nil if there is none.
func keptTrial(records []Record) (kept *Start) {
	for _, r := range records {
		if r.Start != nil && r.Start.Trial != nil {
			kept = r.Start
		}
	}
	return kept
}

// lay writes the next pair of the trial into the journal before it begins.
func (s *Steerer) lay() error {
	if s.trial == nil {
		return nil
	}
	next := s.trial.Pair(max(s.trial.NumberAt(s.now())+1, 0))
	if n := len(s.laid); n > 0 && s.laid[n-1].Number >= next.Number {
		return nil
	}
	if err := s.note(Record{Kind: KindPairs, Pairs: []switchback.Pair{next}}); err != nil {
		return err
	}
	s.laid = append(s.laid, next)
	return nil
}

// EditedError says that the trial of a journal is not the one that steer laid down there: somebody has changed the journal.
type EditedError struct{ Message string }

func (e *EditedError) Error() string {
	return e.Message + ": the journal was changed, and measures nothing"
}

// LaidTrial returns the plan of the trial of a journal, nil if it has none, and the pairs that the journal has from before
// they began, and in which steer made a pass: what a coin says of the others was known too late, or nobody followed it.
// Others counts these. It is an *EditedError if the journal has two plans, or pairs that are not those of the plan.
func LaidTrial(records []Record) (plan *switchback.Plan, list []switchback.Pair, others int, err error) {
	kept := keptTrial(records)
	if kept == nil {
		return nil, nil, 0, nil
	}
	plan = kept.Trial
	if !plan.Has(plan.Pair(0)) {
		return nil, nil, 0, &EditedError{"the plan of the trial has no spans"}
	}
	var passes []float64
	pairs := map[int]switchback.Pair{}
	laid := map[int]bool{}
	for _, r := range records {
		if r.Start != nil && r.Start.Trial != nil && *r.Start.Trial != *plan {
			return nil, nil, 0, &EditedError{"the trial has two plans"}
		}
		for _, p := range r.Pairs {
			if !plan.Has(p) {
				return nil, nil, 0, &EditedError{fmt.Sprintf("pair number %d is not that of the plan", p.Number)}
			}
			pairs[p.Number] = p
			laid[p.Number] = laid[p.Number] || r.Time <= p.From
		}
		if r.Kind == KindPass {
			passes = append(passes, r.Time)
		}
	}
	slices.Sort(passes) // a clock may have gone back
	for _, n := range slices.Sorted(maps.Keys(pairs)) {
		p := pairs[n]
		first, _ := slices.BinarySearch(passes, p.From)
		if laid[n] && first < len(passes) && passes[first] < p.To {
			list = append(list, p)
		} else {
			others++
		}
	}
	return plan, list, others, nil
}

// off reports whether the order is to be the site's own at a time.
func (s *Steerer) off(time float64) bool { return s.trial != nil && !s.trial.On(time) }

// release restores, in a span without steering, the factors of jobs that wait, as an undo does. Jobs that run have got
// theirs, see settle. It returns the number of jobs to which former factors were sent.
func (s *Steerer) release(ctx context.Context, p *Pass) (int, error) {
	due := false
	for _, d := range s.debts {
		x, _ := d.look(p.listing, p.sprio)
		due = due || x == ours || x == former || x == mixed
	}
	if !due {
		return 0, nil
	}
	list, err := s.Undo(ctx)
	return text.Count(list, func(c Change) bool { return c.Sent }), err
}

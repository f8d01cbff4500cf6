package subject

import (
	"cmp"
	"context"
	"math"

	"revopt/model/scenario"
	"revopt/simulate/waits"
	"revopt/simulate/workload"
)

// held is the waiting of a log that the scenario does not explain.
type held struct {
	seconds func(job int) float64 // by the place of a job
	share   float64               // of all waiting
}

// OpenAs opens a scenario that was made from another one by changes. Their unexplained waiting is that of the other one:
// a change does not explain what the present does not.
func (o *Opener) OpenAs(ctx context.Context, doc *scenario.Document, present *Subject) (*Subject, error) {
	if doc == present.Document {
		return present, nil
	}
	s, err := o.open(ctx, doc)
	if err != nil {
		return nil, err
	}
	if now, was := s.Scenario.Trace, present.Scenario.Trace; now != nil && was != nil && now.File == was.File &&
		now.Jobs == was.Jobs && now.Cleaning == was.Cleaning {
		s.held = present.held
	}
	return s, s.hold(ctx)
}

// hold makes jobs wait for what the scenario does not explain, where it says so. Where overrides make other jobs or
// another machine of the log, the scenario without them explains.
func (s *Subject) hold(ctx context.Context) error {
	w, replayed := s.Workload.(*workload.Replay)
	if !replayed || !s.Logged() || s.Scenario.Held != scenario.HeldInferred || s.Scenario.Trace.Window > 0 || !s.Trace.Started() {
		return nil
	}
	if s.held == nil {
		var err error
		s.held, err = s.unexplained(ctx)
		if err != nil || s.held == nil {
			return err
		}
	}
	h, err := w.WithHeld(ctx, s.held.seconds)
	s.Workload, s.unheld = h, w
	return err
}

// unexplained decomposes the waiting of the log under the limits and the outages that the scenario states; nil if its
// jobs or its machine are not those of the log.
func (s *Subject) unexplained(ctx context.Context) (*held, error) {
	if !s.Workload.Has().Recorded {
		plain, err := s.Document.Stated()
		if err != nil || plain == s.Document {
			return nil, err
		}
		stated, err := s.Opener.open(ctx, plain)
		if err != nil {
			return nil, err
		}
		return stated.unexplained(ctx)
	}
	log, err := s.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	parts := log.Decompose(1)
	all, unexplained := 0.0, 0.0
	for _, job := range parts.Jobs {
		all += job.Sum()
		unexplained += job[waits.Unexplained]
	}
	return &held{log.Held(parts), unexplained / cmp.Or(all, 1)}, nil
}

// Unexplained returns the share of the waiting of a log that neither the queue nor what the scenario states explains; NaN
// if its jobs or its machine are not those of the log.
func (s *Subject) Unexplained(ctx context.Context) (float64, error) {
	h := s.held
	if h == nil && s.Logged() {
		var err error
		h, err = s.unexplained(ctx)
		if err != nil {
			return math.NaN(), err
		}
	}
	if h == nil {
		return math.NaN(), nil
	}
	return h.share, nil
}

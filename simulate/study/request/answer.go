package request

import (
	"context"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Commands returns the commands that Answer knows.
func Commands() []string {
	return []string{Solve, Curve, Wait, Simulate, Validate, Quote, WhatIf, Tune}
}

// Answer returns the facts of a request: a *Solution, *solve.Curve, *solve.WaitAnswer, *study.Result,
// *quote.Result, *whatif.Result or *tune.Result.
func Answer(ctx context.Context, r Request, o Options) (any, error) {
	if r.Command == Curve { // which opens the scenario at each value
		q, err := Read(ctx, r, o)
		if err != nil {
			return nil, err
		}
		return q.Curve(ctx, nil)
	}
	q, err := Open(ctx, r, o)
	if err != nil {
		return nil, err
	}
	switch r.Command {
	case Solve:
		return q.Solve(ctx)
	case Wait:
		return q.Wait(ctx, false)
	case Simulate:
		return q.Simulate(ctx)
	case Validate:
		return q.Validate(ctx)
	case Quote:
		return q.Quote(ctx)
	case WhatIf:
		return q.AnswerWhatIf(ctx)
	case Tune:
		return q.AnswerTune(ctx)
	}
	return nil, study.Usagef("command: expected %s, got %q", text.OneOf(Commands()), r.Command)
}

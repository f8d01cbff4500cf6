package request

import (
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
	"revopt/simulate/study/tune"
)

// Tune returns the tuning that the request asks for, not opened.
func (q *Question) Tune() (*tune.Tune, error) {
	t := &tune.Tune{
		Subject: q.Subject, Seed: q.Seed, Level: q.Run.Level, Replications: q.Run.Count, Runs: q.Runs,
		Overrides: q.Overrides,
	}
	objective, err := q.objective()
	if err != nil {
		return nil, err
	}
	t.Objective = objective
	switch policies := q.Run.Policies; len(policies) {
	case 0:
		usual, err := tune.SlurmPolicy(q.Subject)
		if err != nil {
			return nil, err
		}
		t.Policy = usual
	case 1:
		t.Policy = policies[0]
	default:
		return nil, study.Usagef("--policy: expected one policy to tune, got %d", len(policies))
	}
	known := tune.Tunable(t.Policy)
	if len(known) == 0 {
		return nil, study.Usagef("--policy: expected slurm, or a policy with numbers such as value-bf, got %s",
			t.Policy.Label())
	}
	if q.Vary != "" {
		t.Vary = strings.Split(q.Vary, ",")
	}
	for _, word := range t.Vary {
		if !slices.Contains(known, word) {
			return nil, study.Usagef("--vary: expected %s, got %q", text.OneOf(known), word)
		}
	}
	for _, arg := range q.Keep {
		if arg == tune.KeepHarm {
			continue
		}
		if arg == tune.KeepNone {
			t.Harm = true
			continue
		}
		rule, err := tune.ParseRule(q.Subject, arg)
		if err != nil {
			return nil, study.Usagef("--keep: %v", err)
		}
		t.Keep = append(t.Keep, rule)
	}
	if q.Train != "" || q.Test != "" {
		train, test := q.Train, q.Test
		words := strings.Split(train+"-"+test, "-")
		x, err := text.Try(words, study.ParseShare)
		apart := err == nil && len(x) == 4 && x[0] < x[1] && x[2] < x[3] && (x[1] <= x[2] || x[3] <= x[0])
		if !apart || slices.Min(x) < 0 || slices.Max(x) > 1 {
			return nil, study.Usagef("--train and --test: expected shares of the span of a log without common jobs, "+
				"as in --train 0-0.25 --test 0.25-0.5, got %q and %q", train, test)
		}
		t.Train, t.Test = [2]float64{x[0], x[1]}, [2]float64{x[2], x[3]}
	}
	return t, nil
}

// FinishTune leaves warnings out of the JSON as null, not as an empty list, where there are none.
func FinishTune(result *tune.Result) {
	if len(result.Warnings) == 0 {
		result.Warnings = nil
	}
}

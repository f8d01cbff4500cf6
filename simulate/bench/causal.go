package bench

import (
	"context"
	"errors"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/causal"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/subject"
)

// Verdict says whether a policy knows the future. Found is the first decision that shows it.
type Verdict struct {
	Policy string
	Word   string
	Found  *causal.Finding // nil for a policy that is causal
}

// Verdicts.
const (
	Causal      = "causal"
	SawFuture   = "saw the future"
	Unrepeated  = "does not repeat" // its decisions, on the same jobs with the same seed: nothing can be said
	sampleCuts  = 6                 // of bench run
	sampleLoads = 3
)

// Judge tests whether a policy knows the future, on so many random workloads with so many cuts each.
func Judge(ctx context.Context, p subject.Policy, seed uint64, workloads, cuts int) (Verdict, error) {
	check := causal.Check{Spec: p.Spec, Settings: p.Settings, Seed: seed, Workloads: workloads, Cuts: cuts}
	v := Verdict{Policy: p.Label(), Word: Causal}
	err := check.Run(ctx)
	var repeat *causal.RepeatError
	switch {
	case errors.As(err, &repeat):
		v.Word, v.Found = Unrepeated, &repeat.Finding
	case errors.As(err, &v.Found):
		v.Word = SawFuture
	default:
		return v, err
	}
	return v, nil
}

// Mark tests the policies that are not of revopt on a sample, and notes the verdict in their scores. A policy that fails
// has none.
func (r *Run) Mark(ctx context.Context, list []Score) {
	for _, p := range r.Policies {
		ours := slices.ContainsFunc(catalog.Standard(), func(s policy.Spec) bool { return s.Name == p.Spec.Name })
		label := p.Label()
		scored := text.Where(text.Numbers(len(list)), func(i int) bool { return list[i].Policy == label && list[i].Why != Failed })
		if ours || p.Spec.Needs.Recorded || len(scored) == 0 {
			continue
		}
		v, err := Judge(ctx, p, 1, sampleLoads, sampleCuts)
		if err != nil {
			continue
		}
		for _, i := range scored {
			list[i].Causal = v.Word
		}
	}
}

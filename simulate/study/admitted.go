package study

import (
	"cmp"
	"context"

	"revopt/model/scenario"
)

// Admitted is an admission whose numbers were computed, and their origin.
type Admitted struct {
	Admission
	Policy    Policy
	Fitted    int     // job classes that were fitted to a trace for the model; 0 without a fit
	Certified bool    // proven to be the best of the model
	Gap       float64 // of the proof, as a share of the revenue
}

// Admit computes an admission that is given by name, under a policy, or that of the
// scenario for nil. An admission with probabilities or a rule stays as it is.
func (s *Subject) Admit(
	ctx context.Context, a Admission, under *Policy, seed uint64, workers int, progress Progress,
) (Admitted, error) {
	policies, err := s.Policies(nil)
	if err != nil {
		return Admitted{}, err
	}
	got := Admitted{Admission: a, Policy: *cmp.Or(under, &policies[0])}
	if a.Admit != nil || a.Rule != nil {
		if p := s.Workload.Pools(); p != nil {
			got.Admission.Admit = inSections(p, a.Admit)
		}
		return got, nil
	}
	m := &Admissions{Subject: s, Seed: seed}
	e := &Experiment{Workload: s.Workload, Policy: got.Policy, Admission: a, Seed: seed}
	got.Admission, err = m.compute(ctx, e, &scenario.SearchEffort{}, max(1, workers), progress)
	if err == nil && m.best != nil {
		got.Certified, got.Gap = m.best.Certified, float64(m.best.RelativeGap)
	}
	if err == nil && m.own != nil && m.own.Fit != nil {
		got.Fitted = len(m.own.System.Classes)
	}
	return got, err
}

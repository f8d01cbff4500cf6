package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize/control"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
)

// Computable reports why the admission of a name cannot be computed, before anything runs: a *NoModelError or a
// *control.UnsuitableError.
func Computable(s *subject.Subject, name string) error {
	switch name {
	case scenario.AdmitPrices:
		if p := s.Workload.Pools(); p != nil && p.Cut {
			return s.Document.Blame("prices are chosen only where the jobs of every class stay in one pool", "pools")
		}
		if !slices.ContainsFunc(s.Scenario.Classes, func(c model.Class) bool { return c.Demand != nil }) {
			return &analytic.NoDemandError{File: s.Document.File()}
		}
	case scenario.AdmitAnalytic:
		return analytic.Modeled(s)
	case analytic.ControlState:
		if err := analytic.Modeled(s); err != nil {
			return err
		}
		if s.Trace != nil {
			return &control.UnsuitableError{
				Reason: "is a fit to a trace, whose jobs do not say in which of its classes they are",
			}
		}
		a, err := analytic.Analyze(context.Background(), s, 0, 0)
		if err != nil {
			return err
		}
		for _, part := range a.Parts() {
			if err := control.Check(part.Simulated()); err != nil {
				return err
			}
		}
	}
	return nil
}

// Compute returns the admission of a name by the model, under a policy.
func (m *Models) Compute(ctx context.Context, name string, p subject.Policy) (a Gate, err error) {
	a.Name = name
	switch name {
	case scenario.AdmitAnalytic:
		a.Admit, err = m.Analytic(ctx)
	case analytic.ControlState:
		a.Rule, err = m.table(ctx)
	case analytic.ControlThreshold:
		a.Rule, err = m.thresholds(ctx, p)
	}
	return a, err
}

// NoThresholdsError is a workload or a policy for which the model has no thresholds.
type NoThresholdsError struct {
	Scenario string
	Cause    error
}

func (e *NoThresholdsError) Error() string {
	return fmt.Sprintf("%s has no thresholds by the model: %v; revopt tune --over thresholds searches them", e.Scenario,
		e.Cause)
}

func (e *NoThresholdsError) Unwrap() error { return e.Cause }

func (m *Models) table(ctx context.Context) (simulate.Admission, error) {
	if err := Computable(m.Subject, analytic.ControlState); err != nil {
		return nil, err
	}
	a, err := m.Analysis(ctx)
	if err != nil {
		return nil, err
	}
	rule := &tableRule{}
	limits, err := analytic.OverParts(a, func(part *analytic.Analysis) ([]analytic.ClassThreshold, error) {
		sys, settings := part.Simulated()
		r, err := control.Solve(ctx, sys, settings)
		if err != nil {
			return nil, err
		}
		rule.tables = append(rule.tables, r.Table)
		rule.classes = append(rule.classes, analytic.InPart(part, a.Customer))
		rule.States += r.Table.States()
		return analytic.ReadThresholds(sys.Classes, r), nil
	})
	if err != nil {
		return nil, err
	}
	rule.limits = analytic.PerCustomer(a, analytic.Gather(a, limits), len(m.Subject.Workload.Customers()),
		analytic.ClassThreshold{})
	return rule, nil
}

// thresholds returns the best thresholds of the model. Where it has none, the error is a *NoThresholdsError or a
// *control.UnsuitableError.
func (m *Models) thresholds(ctx context.Context, p subject.Policy) (simulate.Admission, error) {
	none := func(cause error) error { return &NoThresholdsError{m.Subject.Scenario.Name, cause} }
	a, err := m.Analysis(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, none(err)
	case a.Fit != nil:
		return nil, none(errors.New("its classes are fitted to a trace, whose jobs do not say in which they are"))
	case !m.ranked(p):
		return nil, none(errors.New("it is about hol, not " + p.Label()))
	}
	limits, err := analytic.OverParts(a, func(part *analytic.Analysis) (*control.ThresholdResult, error) {
		sys, settings := part.Simulated()
		return control.Thresholds(ctx, sys, settings)
	})
	if err != nil {
		return nil, err
	}
	share := analytic.Gather(a, text.Each(limits, func(r *control.ThresholdResult) []float64 { return r.Share }))
	waiting := analytic.Gather(a, text.Each(limits, func(r *control.ThresholdResult) []int { return r.Waiting }))
	n := len(m.Subject.Workload.Customers())
	return agent.Thresholds{Share: analytic.PerCustomer(a, share, n, 1),
		Waiting: analytic.PerCustomer(a, waiting, n, -1)}, nil
}

// ranked reports whether all pools are served in the order of the model.
func (m *Models) ranked(p subject.Policy) bool {
	other := func(p *subject.Policy) bool { return p != nil && !p.Spec.Ranked }
	pooled, err := m.Subject.Pooled()
	return p.Spec.Ranked && err == nil && !slices.ContainsFunc(pooled, other)
}

package run

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Models computes the admissions that the models of a scenario know, each once: the optimum, and the starts of a
// search. Goroutines may share them.
type Models struct {
	Subject *subject.Subject
	Seed    uint64

	mu     sync.Mutex
	cached *analytic.Analysis
	best   *analytic.Solution
	starts [][]float64
}

// Analysis returns the workload as the model sees it.
func (m *Models) Analysis(ctx context.Context) (*analytic.Analysis, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.analysis(ctx)
}

func (m *Models) analysis(ctx context.Context) (a *analytic.Analysis, err error) {
	if m.cached == nil {
		m.cached, err = analytic.Analyze(ctx, cmp.Or(m.Subject.Recorded, m.Subject), m.Seed, 0)
	}
	return m.cached, err
}

// Analytic returns the admission that is best by the model, by customer.
func (m *Models) Analytic(ctx context.Context) ([]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, err := m.analysis(ctx)
	if err != nil {
		return nil, err
	}
	if m.best == nil {
		m.best, err = a.Best(ctx, a.System.Residual)
		if err != nil {
			return nil, err
		}
	}
	return m.customers(m.best.Admit()), nil
}

// Proof returns of how many classes that are fitted to a trace the analytic admission is made, 0 without a fit, and how
// far it is proven to be the best of the model. It is for after Analytic.
func (m *Models) Proof() (fitted int, proven bool, gap float64) {
	if m.cached.Fit != nil {
		fitted = len(m.cached.System.Classes)
	}
	return fitted, m.best.Certified, float64(m.best.RelativeGap)
}

// customers returns probabilities of classes by customer.
func (m *Models) customers(admit []float64) []float64 {
	return m.cached.ByCustomer(admit, len(m.Subject.Workload.Customers()))
}

// Starts returns the admissions from which a search starts: all jobs, and if a model applies its optimum,
// also with the delays of real servers.
func (m *Models) Starts(ctx context.Context) ([][]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.starts != nil {
		return m.starts, nil
	}
	a, err := m.analysis(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	starts := [][]float64{slices.Repeat([]float64{1}, len(m.Subject.Workload.Customers()))}
	if err == nil {
		for _, r := range []model.Residual{a.System.Residual, model.Multiserver} {
			best, err := a.Best(ctx, r)
			if err != nil {
				return nil, err
			}
			starts = append(starts, m.customers(best.Admit()))
		}
	}
	m.starts = starts
	return starts, nil
}

// Warnings returns those about the analytic admission.
func (m *Models) Warnings() []warn.Warning {
	if _, err := m.Analytic(context.Background()); err != nil {
		return nil
	}
	list := slices.Concat(m.cached.Ignored, m.best.Unproven(m.cached.System.Residual, 1e-6))
	special := func(w warn.Warning) bool { return w.Kind != scenario.WarnGuess } // not about all results
	return text.Each(text.Where(list, special), func(w warn.Warning) warn.Warning {
		return w.About("analytic admission")
	})
}

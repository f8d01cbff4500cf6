package run

import (
	"context"
	"errors"
	"fmt"

	"revopt/model"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
)

// The columns of the queueing model.
const (
	ModelValue = "model"     // $/h, the most that a static admission earns by the model
	ModelGap   = "model_gap" // of its proof, relative; absent where nothing is proven
)

// model returns the best static admission of job classes by the queueing model. A model that does not apply predicts
// nothing.
func (l *Lab) model(ctx context.Context, c Case) (Record, error) {
	at, err := l.point(ctx, c)
	if err != nil {
		return Record{}, err
	}
	a, err := at.models.Analysis(ctx)
	var none *analytic.NoModelError
	switch {
	case ctx.Err() != nil:
		return Record{}, ctx.Err()
	case errors.As(err, &none):
		return Record{}, nil
	case err != nil:
		return Record{}, err
	}
	residual, err := parseResidual(c.Do.Model)
	if err != nil {
		return Record{}, err
	}
	best, err := a.Best(ctx, residual)
	if err != nil {
		return Record{}, fmt.Errorf("static optimum (%s): %w", residual, err)
	}
	r := Record{}
	if best.Proven() {
		r.set(All, ModelValue, metric.Hour*float64(best.UpperBoundPerSecond))
		r.set(All, ModelGap, float64(best.RelativeGap))
	} else {
		r.set(All, ModelValue, metric.Hour*float64(best.RevenuePerSecond))
	}
	return r, nil
}

// Residuals returns the conventions of the delays.
func Residuals() []model.Residual {
	return []model.Residual{model.Printed, model.Pooled, model.Multiserver}
}

func parseResidual(name string) (model.Residual, error) {
	for _, r := range Residuals() {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("no model has delays of residual %q", name)
}

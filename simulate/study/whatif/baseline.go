package whatif

import (
	"context"
	"math"

	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// compareToday sets how far the scenario as it is resembles the site of its log.
func (w *WhatIf) compareToday(ctx context.Context, r *Result) (err error) {
	recorded, scale := math.NaN(), float64(metric.Hour)
	if w.Objective != "" {
		scale = 1
	}
	if r.Recorded != nil {
		recorded = float64(r.Recorded.Simulation.After.Mean) / scale
	}
	simulated := float64(r.Before.Simulation.After.Mean) / scale
	r.Baseline, err = study.NewBaseline(ctx, w.Subject, *w.Policy, recorded, simulated)
	return err
}

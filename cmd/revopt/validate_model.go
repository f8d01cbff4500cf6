package main

import (
	"context"
	"fmt"
	"math"

	"revopt/model"
	"revopt/optimize"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

// modelBound is what the best static admission earns in a queueing model: a
// prediction, which policies may pass.
type modelBound struct {
	name   string
	means  string
	rate   float64   // $/s; of a trace that of its first replication
	totals []float64 // $ by replication, of a trace; nil where the rate says it
	gap    float64   // proven between the optimum and its bound; NaN where nothing is proven
	admit  []float64 // of each class
}

// modelsAt returns the model bounds at a point, the scenario's own convention
// first.
func (v *validation) modelsAt(ctx context.Context, s *stage, point int) ([]modelBound, error) {
	switch {
	case v.traced != nil:
		return v.fittedAt(ctx, s, point)
	case v.grid != nil:
		return nil, nil // no queueing model has partial results, or a batch
	}
	sc, err := s.scenarioOf(point)
	if err != nil {
		return nil, err
	}
	var list []modelBound
	for _, r := range residuals(sc.Residual) {
		sys := sc.System()
		sys.Residual = r
		best, err := solveSystem(ctx, sys)
		if err != nil {
			return nil, fmt.Errorf("static optimum (%s): %w", r, err)
		}
		list = append(list, newModelBound(r, best))
	}
	return list, nil
}

// newModelBound returns the bound that an optimum is.
func newModelBound(r model.Residual, best optimize.Result) modelBound {
	b := modelBound{
		name: fmt.Sprintf("static optimum (%s)", r), rate: best.UpperBound, gap: best.Gap, admit: best.Admit,
		means: "what the best static admission earns in the queueing model, " + residualWords(r),
	}
	if math.IsInf(best.UpperBound, 0) {
		b.rate, b.gap = best.Revenue, math.NaN()
		b.means += "; the best of many local searches, not proven to be the optimum"
	}
	return b
}

// over returns the prediction for each replication in dollars, given how long
// jobs arrive in each where that is known.
func (b modelBound) over(replications int, seconds []float64) []float64 {
	if b.totals != nil {
		return b.totals[:replications]
	}
	list := make([]float64, replications)
	for k := range list {
		list[k] = b.rate * seconds[k]
	}
	return list
}

// fit is the prediction for one replication of a trace.
type fit struct {
	rate, total, gap float64
	warnings         []string
}

// fittedAt fits job classes to the jobs of every replication of a trace, by
// urgency, and returns what their best static admission earns while jobs
// arrive.
func (v *validation) fittedAt(ctx context.Context, s *stage, point int) ([]modelBound, error) {
	sc, err := s.work.Document(point).Trace(sweep.KnownPolicies())
	if err != nil {
		return nil, err
	}
	jobs, err := sweep.LoadTrace(sc, v.options.seed)
	if err != nil {
		return nil, err
	}
	e := &sweep.TraceExperiment{Scenario: sc, Workload: jobs, Seed: v.options.seed}
	show := &pace{meter: progress(v.stderr, "fitting job classes, replications", v.quiet)}
	defer show.clear()
	fits, err := metric.Replicate(ctx, 0, s.work.Replications, v.options.workers, func(ctx context.Context, k int) (fit, error) {
		defer show.count()
		return fitReplication(ctx, e, k)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // a model that does not apply predicts nothing
		v.doubts = union(v.doubts, []string{"no model bound: " + bare(err)})
		return nil, nil
	}
	b := modelBound{
		name: "static optimum (fitted)", rate: fits[0].rate, gap: fits[0].gap,
		means: "job classes fitted to the trace by urgency, as by trace fit; what their best static admission earns in the queueing model, " +
			residualWords(model.Pooled) + ", while jobs arrive",
	}
	for _, f := range fits {
		b.totals, b.gap = append(b.totals, f.total), math.Max(b.gap, f.gap)
	}
	if s.own {
		if unlike(sc) {
			v.doubts = union(v.doubts, []string{"model bound: " + unlikeNodes})
		}
		for _, w := range fits[0].warnings {
			v.doubts = union(v.doubts, []string{"model bound: " + w})
		}
	}
	return []modelBound{b}, nil
}

// fitReplication predicts one replication.
func fitReplication(ctx context.Context, e *sweep.TraceExperiment, replication int) (fit, error) {
	jobs, err := e.Jobs(replication)
	if err != nil {
		return fit{}, err
	}
	defer jobs.Close()
	f, err := workload.Fit(jobs, e.Workload.Nodes(), workload.FitOptions{Day: 86400 * e.Scenario.Delay})
	if err != nil {
		return fit{}, err
	}
	best, err := solveSystem(ctx, f.System())
	if err != nil {
		return fit{}, err
	}
	return fit{best.UpperBound, best.UpperBound * f.Span, best.Gap, f.Warnings}, nil
}

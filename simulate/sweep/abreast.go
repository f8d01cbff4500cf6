package sweep

import (
	"context"
	"sync/atomic"

	"revopt/simulate"
	"revopt/simulate/metric"
)

// runner is what can be replicated.
type runner interface {
	Run(ctx context.Context, replication int, observers ...simulate.Observer) (Sample, error)
}

// abreast replicates several runners on the same random numbers. See
// Comparison for its fields.
type abreast struct {
	runners      []runner
	replications int
	stop         *Stop
	workers      int
	level        float64
	progress     func(finished int)
}

// run simulates. A replication is run of all runners before it counts as
// finished.
func (a *abreast) run(ctx context.Context) (Compared, error) {
	var finished atomic.Int64
	run := func(ctx context.Context, replication int) ([]Sample, error) {
		row, err := a.replicate(ctx, replication)
		if n := finished.Add(1); err == nil && a.progress != nil {
			a.progress(int(n))
		}
		return row, err
	}
	var rows [][]Sample
	var err error
	met := true
	if a.stop == nil {
		rows, err = metric.Replicate(ctx, 0, a.replications, a.workers, run)
	} else {
		precision := a.stop.Precision
		precision.Level = a.level
		rows, met, err = metric.Until(ctx, precision, a.workers, run, a.stop.figures)
	}
	return Compared{Outcomes: a.transpose(rows), Met: met && err == nil}, err
}

// replicate runs one replication of every runner.
func (a *abreast) replicate(ctx context.Context, replication int) ([]Sample, error) {
	row := make([]Sample, len(a.runners))
	for i, r := range a.runners {
		var err error
		if row[i], err = r.Run(ctx, replication); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// transpose turns replications of runners into runners of replications.
func (a *abreast) transpose(rows [][]Sample) []Outcome {
	outcomes := make([]Outcome, len(a.runners))
	for i := range outcomes {
		outcomes[i].Level = a.level
		for _, row := range rows {
			outcomes[i].Samples = append(outcomes[i].Samples, row[i])
		}
	}
	return outcomes
}

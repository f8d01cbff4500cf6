package study

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Comparison is experiments side by side. All are of one workload and seed, so
// that replication k of each sees the same jobs and their differences are not
// luck.
type Comparison struct {
	Experiments  []*Experiment
	Replications int                // of each; not looked at with a Stop
	Stop         *Stop              // nil runs just Replications
	Workers      int                // 0: one per processor
	Level        float64            // of confidence; 0 is metric.DefaultLevel
	Spread       bool               // intervals are ranges, see metric.Spread
	Progress     func(finished int) // told after each replication, from any goroutine; may be nil
}

// Stop ends a comparison when the interval of a measure is narrow enough in
// every experiment.
type Stop struct {
	Measure   metric.Measure
	Precision metric.Precision // its Level is the comparison's; a First of 0 is 4 with control variates
}

// Compared is what came of a comparison.
type Compared struct {
	Outcomes []Outcome // one per experiment, all of the same replications
	Met      bool      // the precision asked for is reached; true where none was
	Once     bool      // nothing is random, so that one replication is all there is
}

// Replications returns how many replications there are of each experiment.
func (c Compared) Replications() int { return len(c.Outcomes[0].Samples) }

// Difference returns the interval of the paired difference of a measure, that
// of experiment i less that of experiment j, of all jobs for customer < 0.
func (c Compared) Difference(m metric.Measure, customer, i, j int) metric.Interval {
	a, b := c.Outcomes[i], c.Outcomes[j]
	plain := metric.Less(a.plain(m, customer), b.plain(m, customer))
	return a.estimate(metric.Less(a.Values(m, customer), b.Values(m, customer)), plain)
}

// Check reports what would stop a comparison before it starts.
func (c *Comparison) Check() error {
	if len(c.Experiments) == 0 {
		return errors.New("study: nothing to compare")
	}
	first := c.Experiments[0]
	for _, e := range c.Experiments {
		if e.Workload != first.Workload || e.Seed != first.Seed {
			return errors.New("study: experiments on different workloads or seeds cannot be compared")
		}
		if err := e.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Once reports whether nothing is random, so that all replications are the same.
func (c *Comparison) Once() bool {
	return !slices.ContainsFunc(c.Experiments, (*Experiment).Random)
}

// afford refuses a comparison beyond the budget. With a Stop, the first look may be
// the last.
func (c *Comparison) afford(ctx context.Context) error {
	n := c.Replications
	switch {
	case c.Once():
		n = 1
	case c.Stop != nil:
		n = min(10, c.Stop.Precision.Most())
	}
	return workPlan{experiments: c.Experiments, replications: n, workers: c.Workers}.afford(ctx)
}

// Run simulates. A replication is run of all experiments before it counts as
// finished. After an error, or when the context is canceled, it returns the
// replications before the first that did not finish. Where nothing is random one
// replication is run.
func (c *Comparison) Run(ctx context.Context) (Compared, error) {
	none := Compared{Outcomes: make([]Outcome, max(1, len(c.Experiments)))}
	if err := c.Check(); err != nil {
		return none, err
	}
	if err := c.afford(ctx); err != nil {
		return none, err
	}
	var finished atomic.Int64
	stage := c.Experiments[0].Journal.stage()
	run := func(ctx context.Context, replication int) ([]Sample, error) {
		row := make([]Sample, len(c.Experiments))
		for i, e := range c.Experiments {
			var err error
			if row[i], err = e.keep(ctx, stage, replication*len(row)+i, replication); err != nil {
				return nil, err
			}
		}
		if n := finished.Add(1); c.Progress != nil {
			c.Progress(int(n))
		}
		return row, nil
	}
	var rows [][]Sample
	var err error
	met, once := true, c.Once()
	switch {
	case once:
		rows, err = metric.Replicate(ctx, 0, 1, 1, run)
	case c.Stop == nil:
		rows, err = metric.Replicate(ctx, 0, c.Replications, c.Workers, run)
	default:
		precision := c.Stop.Precision
		precision.Level = c.Level
		if precision.First == 0 && !slices.ContainsFunc(c.Experiments, func(e *Experiment) bool { return e.variates() == nil }) {
			precision.First = min(4, precision.Most())
		}
		rows, met, err = metric.Until(ctx, precision, c.Workers, run, func(rows [][]Sample) (list [][]float64) {
			for _, o := range c.outcomes(rows) {
				list = append(list, o.Values(c.Stop.Measure, -1))
			}
			return list
		})
	}
	return Compared{Outcomes: c.outcomes(rows), Met: met && err == nil, Once: once}, err
}

// outcomes returns the samples by experiment.
func (c *Comparison) outcomes(rows [][]Sample) []Outcome {
	list := make([]Outcome, len(c.Experiments))
	for i := range list {
		list[i].Level, list[i].Spread, list[i].Looked = c.Level, c.Spread, c.Stop != nil && !c.Once()
		for _, row := range rows {
			list[i].Samples = append(list[i].Samples, row[i])
		}
	}
	return list
}

// pilotRuns is how many replications of each experiment look for the warm-up.
const pilotRuns = 5

// Warmup is the warm-up that pilot runs found.
type Warmup struct {
	Jobs int64
	OK   bool // false: the runs are too short to tell
}

// FindWarmup looks for the warm-up that all experiments of a comparison need:
// the largest over the experiments of the median over pilot runs of MSER-5, and
// half a run at most. The pilot runs have random numbers of their own, so that
// the warm-up does not choose the luck that is measured. It returns the workload
// with that warm-up. Workloads without a warm-up stay as they are.
func (c *Comparison) FindWarmup(ctx context.Context) (Warmup, workload.Workload, error) {
	if err := c.Check(); err != nil {
		return Warmup{}, nil, err
	}
	stream, ok := c.Experiments[0].Workload.(*workload.Classes)
	if !ok {
		return Warmup{}, c.Experiments[0].Workload, nil
	}
	length := stream.Length()
	length.WarmupFraction, length.WarmupSeconds = 0, 0
	bare := stream.WithLength(length)
	half := int64(bare.Size() / 2)
	stage := c.Experiments[0].Journal.stage()
	found, err := metric.Replicate(ctx, 0, pilotRuns*len(c.Experiments), c.Workers, func(ctx context.Context, k int) (Warmup, error) {
		return keep(stage, k, func(w Warmup) bool { return w.Jobs >= 0 && w.Jobs <= half }, func() (Warmup, error) {
			try := *c.Experiments[k/pilotRuns]
			try.Workload, try.Seed = bare, derived(try.Seed, "pilot")
			var pilot metric.Pilot
			if _, err := try.Run(ctx, k%pilotRuns, &pilot); err != nil {
				return Warmup{}, err
			}
			jobs, ok := pilot.Warmup()
			if !ok {
				jobs = half
			}
			return Warmup{Jobs: min(jobs, half), OK: ok && jobs <= half}, nil
		})
	})
	if err != nil {
		return Warmup{}, nil, err
	}
	most := Warmup{OK: true}
	for runs := range slices.Chunk(found, pilotRuns) {
		slices.SortFunc(runs, func(a, b Warmup) int { return cmp.Compare(a.Jobs, b.Jobs) })
		median := runs[pilotRuns/2]
		most.Jobs = max(most.Jobs, median.Jobs)
		most.OK = most.OK && median.OK
	}
	// A share of the jobs where a replication has a number of them, else the time
	// in which so many arrive.
	if length.Horizon > 0 {
		length.WarmupSeconds = float64(most.Jobs) / stream.Stream()
	} else {
		length.WarmupFraction = float64(most.Jobs) / float64(length.Jobs)
	}
	return most, stream.WithLength(length), nil
}

// derived returns a seed for another purpose.
func derived(seed uint64, purpose string) uint64 {
	return simulate.Stream(seed, 0, purpose, 0).Uint64()
}

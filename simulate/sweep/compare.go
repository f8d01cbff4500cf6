package sweep

import (
	"context"
	"fmt"

	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Comparison is experiments side by side. All are of one scenario and seed, so
// that replication k of each sees the same jobs and their differences are not
// luck.
type Comparison struct {
	Experiments  []*Experiment
	Replications int                // of each; not looked at with a Stop
	Stop         *Stop              // nil runs just Replications
	Workers      int                // 0: one per processor
	Level        float64            // of confidence; 0 is metric.DefaultLevel
	Progress     func(finished int) // told after each replication, from any goroutine; may be nil
}

// Stop ends a comparison when the interval of a figure is narrow enough in
// every experiment.
type Stop struct {
	Figure    metric.Figure
	Precision metric.Precision // its Level is the comparison's
}

// Compared is what came of a comparison.
type Compared struct {
	Outcomes []Outcome // one per experiment, all of the same replications
	Met      bool      // the precision asked for is reached; true where none was
}

// Replications returns how many replications there are of each experiment.
func (c Compared) Replications() int { return len(c.Outcomes[0].Samples) }

// Difference returns the interval of the paired difference of a figure, that
// of experiment i less that of experiment j, of all jobs for class < 0.
func (c Compared) Difference(f metric.Figure, class, i, j int) metric.Interval {
	a, b := c.Outcomes[i], c.Outcomes[j]
	return metric.Difference(a.Values(f, class), b.Values(f, class), a.level())
}

// Check reports what would stop a comparison before it starts.
func (c *Comparison) Check() error {
	if len(c.Experiments) == 0 {
		return fmt.Errorf("sweep: nothing to compare")
	}
	first := c.Experiments[0]
	for _, e := range c.Experiments {
		if e.Scenario != first.Scenario || e.Seed != first.Seed {
			return fmt.Errorf("sweep: experiments of different scenarios or seeds cannot be compared")
		}
		if err := e.Check(); err != nil {
			return err
		}
	}
	if arrivalRate(first.Scenario) == 0 {
		return fmt.Errorf("sweep: no jobs arrive, so there is nothing to simulate")
	}
	_, err := workload.NewClasses(first.Scenario.Classes, first.Seed, 0)
	return err
}

// Run simulates. A replication is run of all experiments before it counts as
// finished. After an error, or when the context is cancelled, it returns the
// replications before the first that did not finish.
func (c *Comparison) Run(ctx context.Context) (Compared, error) {
	if err := c.Check(); err != nil {
		return Compared{Outcomes: c.abreast().transpose(nil)}, err
	}
	return c.abreast().run(ctx)
}

// abreast returns the comparison without what it compares.
func (c *Comparison) abreast() *abreast {
	a := &abreast{replications: c.Replications, stop: c.Stop, workers: c.Workers, level: c.Level, progress: c.Progress}
	for _, e := range c.Experiments {
		a.runners = append(a.runners, e)
	}
	return a
}

// figures returns the figure of each experiment in one replication.
func (s *Stop) figures(row []Sample) []float64 {
	values := make([]float64, len(row))
	for i, sample := range row {
		values[i] = s.Figure.Of(sample.Total)
	}
	return values
}

package sweep

import (
	"context"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/tune"
)

// searchJobs is how long a replication of a search is at most. Many short
// replications tell two admissions apart as well as few long ones, and the
// search spreads over more workers.
const searchJobs = 20000

// SearchSeed returns the seed of the random numbers on which the admission of
// an experiment is searched. They are not those on which the experiment is
// measured, or the measurement would favour what the search found.
func SearchSeed(seed uint64) uint64 { return derived(seed, "search") }

// derived returns a seed for another purpose.
func derived(seed uint64, purpose string) uint64 {
	return simulate.Stream(seed, 0, purpose, 0).Uint64()
}

// Search looks for the admission with which an experiment earns most, starting
// from the given ones. The progress function, which may be nil, is told after
// each run, from any goroutine.
func Search(ctx context.Context, e *Experiment, starts [][]float64, workers int, progress func()) (tune.Result, error) {
	return SearchWith(ctx, e, scenario.SearchEffort{}, starts, workers, progress)
}

// SearchWith is Search with an effort of one's own: how many jobs a replication
// has at most (0 is 20000), how many replications each admission is tried on,
// and the last step, whose defaults are those of tune.Settings.
func SearchWith(ctx context.Context, e *Experiment, effort scenario.SearchEffort, starts [][]float64, workers int, progress func()) (tune.Result, error) {
	if effort.Jobs == 0 {
		effort.Jobs = searchJobs
	}
	short, seed, figure := shortened(e.Scenario, effort.Jobs), SearchSeed(e.Seed), metric.RevenuePerSecond()
	revenue := func(ctx context.Context, admit []float64, replication int) (float64, error) {
		try := *e
		try.Scenario, try.Seed, try.Admit = short, seed, admit
		sample, err := try.Run(ctx, replication)
		if err == nil && progress != nil {
			progress()
		}
		return figure.Of(sample.Total), err
	}
	return tune.Maximise(ctx, revenue, tune.Settings{Starts: starts, Replications: effort.Replications, LastStep: effort.Step, Workers: workers})
}

// shortened returns a scenario whose replications are of so many jobs where the
// given one has longer ones. A warm-up stated in seconds stays, up to half of
// what is left.
func shortened(sc *scenario.Scenario, jobs int) *scenario.Scenario {
	scale := float64(jobs) / expectedJobs(sc)
	if !(scale < 1) {
		return sc
	}
	short := *sc
	sim := &short.Simulation
	if sim.Horizon > 0 {
		sim.Horizon *= scale
	} else {
		sim.Jobs = jobs
	}
	sim.Warmup.Seconds = min(sim.Warmup.Seconds, float64(jobs)/arrivalRate(sc)/2)
	return &short
}

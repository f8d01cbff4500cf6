package sweep

import (
	"cmp"
	"context"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// pilotRuns is how many replications of each experiment look for the warm-up.
const pilotRuns = 5

// Warmup is the warm-up that pilot runs found.
type Warmup struct {
	Jobs int64
	OK   bool // false: the runs are too short to tell
}

// FindWarmup looks for the warm-up that all experiments of a comparison need:
// the largest over the experiments of the median over pilot runs of what MSER-5
// says, and half a run at most. The pilot runs have random numbers of their
// own, so that the warm-up does not choose the luck that is measured.
func (c *Comparison) FindWarmup(ctx context.Context) (Warmup, error) {
	if err := c.Check(); err != nil {
		return Warmup{}, err
	}
	found, err := metric.Replicate(ctx, 0, pilotRuns*len(c.Experiments), c.Workers, func(ctx context.Context, k int) (Warmup, error) {
		return c.Experiments[k/pilotRuns].pilot(ctx, k%pilotRuns)
	})
	if err != nil {
		return Warmup{}, err
	}
	most := Warmup{OK: true}
	for runs := range slices.Chunk(found, pilotRuns) {
		slices.SortFunc(runs, func(a, b Warmup) int { return cmp.Compare(a.Jobs, b.Jobs) })
		median := runs[pilotRuns/2]
		most.Jobs = max(most.Jobs, median.Jobs)
		most.OK = most.OK && median.OK
	}
	return most, nil
}

// pilot runs one replication without warm-up and looks where it would end.
func (e *Experiment) pilot(ctx context.Context, replication int) (Warmup, error) {
	sc := *e.Scenario
	sc.Simulation.Warmup = scenario.Warmup{}
	try := *e
	try.Scenario, try.Seed = &sc, derived(e.Seed, "pilot")
	var pilot metric.Pilot
	if _, err := try.Run(ctx, replication, &pilot); err != nil {
		return Warmup{}, err
	}
	half := int64(expectedJobs(&sc) / 2)
	jobs, ok := pilot.Warmup()
	if !ok {
		jobs = half
	}
	return Warmup{Jobs: min(jobs, half), OK: ok && jobs <= half}, nil
}

// With returns a scenario with this warm-up: a share of the jobs where a
// replication has a number of them, else the time in which so many arrive.
func (w Warmup) With(sc *scenario.Scenario) *scenario.Scenario {
	changed := *sc
	if sc.Simulation.Horizon > 0 {
		changed.Simulation.Warmup = scenario.Warmup{Seconds: float64(w.Jobs) / arrivalRate(sc)}
	} else {
		changed.Simulation.Warmup = scenario.Warmup{Fraction: float64(w.Jobs) / float64(sc.Simulation.Jobs)}
	}
	return &changed
}

package paper

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/metric"
	"revopt/simulate/tune"
)

// tuning is the effort of a search for the admission that earns most on the
// simulator.
type tuning struct {
	jobs         int // per replication, warm-up included
	replications int // per admission tried
	lastStep     float64
}

func (t tuning) String() string {
	return fmt.Sprintf("compass search to steps of %.2g on %d replications of %d jobs, best of it and its starts on %d others",
		t.lastStep, t.replications, t.jobs, 2*t.replications)
}

// tuningSeed is never the seed of the replications that are reported.
func (p plan) tuningSeed() uint64 { return ^p.seed }

// admissions finds the admissions of a study. The optima of the formulas do not
// depend on each other; each tuned admission starts from the one before.
func (s *study) admissions(ctx context.Context, o Options, steps *counter) error {
	var tuned []float64
	for i, load := range s.loads {
		if err := ctx.Err(); err != nil {
			return err
		}
		starts, err := s.starts(load, o)
		if err != nil {
			return err
		}
		s.admit[admitEverybody] = append(s.admit[admitEverybody], starts[admitEverybody])
		s.admit[paperOptimum] = append(s.admit[paperOptimum], starts[paperOptimum])
		if i > 0 {
			starts = append(starts, sameRates(tuned, s.loads[i-1], load))
		}
		if tuned, err = s.tuned(ctx, o, load, starts); err != nil {
			return err
		}
		s.admit[simulatorTuned] = append(s.admit[simulatorTuned], tuned)
		steps.add(admissionCount * s.replications)
	}
	return nil
}

// starts returns the admissions from which a search starts at one load:
// everybody, the optimum of the scenario as it is, and that of n servers.
func (s *study) starts(load float64, o Options) ([][]float64, error) {
	all, err := s.at(load)
	if err != nil {
		return nil, err
	}
	servers, err := s.at(load, scenario.Override{Path: "server.residual", Value: "multiserver"}, scenario.Set("phi", 1))
	if err != nil {
		return nil, err
	}
	everybody := make([]float64, len(all.Classes))
	for i := range everybody {
		everybody[i] = 1
	}
	literal, err := optimize.Solve(all.System(), optimize.Settings{Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	better, err := optimize.Solve(servers.System(), optimize.Settings{Starts: 16, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	return [][]float64{everybody, literal.Admit, better.Admit}, nil
}

// sameRates returns the admission that lets in as many jobs at another load.
func sameRates(admit []float64, from, to float64) []float64 {
	q := make([]float64, len(admit))
	for i := range q {
		q[i] = min(1, admit[i]*from/to)
	}
	return q
}

// tuned returns the admission that earns most on the simulator.
func (s *study) tuned(ctx context.Context, o Options, load float64, starts [][]float64) ([]float64, error) {
	scn, err := s.at(load, scenario.Set("simulation.jobs", float64(s.tuning.jobs)))
	if err != nil {
		return nil, err
	}
	earned := metric.RevenuePerSecond()
	best, err := tune.Maximise(ctx, func(ctx context.Context, admit []float64, replication int) (float64, error) {
		sample, err := s.experiment(scn, admit, s.tuningSeed()).Run(ctx, replication)
		return earned.Of(sample.Total), err
	}, tune.Settings{
		Starts:       starts,
		Replications: s.tuning.replications,
		LastStep:     s.tuning.lastStep,
		Workers:      max(1, o.Workers),
	})
	return best.Admit, err
}

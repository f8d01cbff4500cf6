package slurm_test

import (
	"context"

	"revopt/model/scenario"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

func init() {
	slurm.Open = func(ctx context.Context, d *scenario.Document) (*scenario.Scenario, workload.Workload, error) {
		s, err := subject.Open(ctx, d, 1, nil)
		if err != nil {
			return nil, nil, err
		}
		return s.Scenario, s.Workload, nil
	}
}

package plan

import (
	"context"

	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/workload"
)

// mostFluid is the number of jobs, in all replications, up to which Fluid computes a bound.
const mostFluid = 300_000

// Fluid returns what no policy can exceed on the jobs of n replications of a point, $/h: the fluid bound, which is
// loose and takes hardly any time. That of a stream is one number for all. It returns nil where the bound is not known,
// or would take long.
func (s *Samples) Fluid(ctx context.Context, point, n int) ([]float64, error) {
	for _, row := range s.Plan().RowsAt(point) {
		if s.Plan().Rows[row].Admission.Priced() { // prices decide which jobs come
			return nil, nil
		}
	}
	jobs, err := s.work.boundedJobs(point, s.all.Numbers)
	if err != nil {
		return nil, err
	}
	if jobs.Stream() > 0 {
		rate, ok := FluidRate(jobs)
		if !ok {
			return nil, nil
		}
		return []float64{metric.Hour * rate}, nil
	}
	if !jobs.Random() {
		n = 1
	}
	if float64(n)*jobs.Size() > mostFluid {
		return nil, nil
	}
	spans := s.Row(point, s.Plan().RowsAt(point)[0]).Spans()
	var list []float64
	for k := range n {
		total, err := s.work.fluid(ctx, jobs, k)
		if err != nil {
			return nil, err
		}
		list = append(list, metric.Hour*metric.PerSecond(total, spans[min(k, len(spans)-1)]))
	}
	return list, nil
}

// fluid returns the fluid bound on the jobs of a replication, $.
func (x *Execution) fluid(ctx context.Context, w workload.Workload, replication int) (sum float64, err error) {
	for _, p := range run.Machines(w) {
		jobs, _, err := boundJobs(ctx, p.Workload, x.Plan.Seed, replication, x.convert)
		if err != nil {
			return 0, err
		}
		most, err := bound.Fluid(jobs, machineOf(p.Workload))
		if err != nil {
			return 0, err
		}
		sum += most * (1 + boundSlack)
	}
	return sum, nil
}

package experiment

import (
	"context"
	"math"
	"slices"

	"revopt/simulate/agent"
	"revopt/simulate/workload"
)

// thresholds searches for limits on waiting jobs, and the probabilities below
// them. It begins with the best static admission of a search, so that its result
// is worse by chance alone.
//
// A limit K is searched as the share k in K = scale k/(1 - k), where 1 is no
// limit, so that Maximize walks from few to all.
func (s Search) thresholds(ctx context.Context, starts [][]float64) (agent.Thresholds, error) {
	static, err := s.Admission(ctx, starts)
	if err != nil {
		return agent.Thresholds{}, err
	}
	n := len(static)
	scale := 4.0
	for _, site := range s.Experiment.Workload.Sites() {
		scale = math.Max(scale, math.Sqrt(float64(site.Processors)))
	}
	rule := func(x []float64) agent.Thresholds {
		t := agent.Thresholds{Share: slices.Clone(x[:n]), Waiting: make([]int, n)}
		for i, k := range x[n:] {
			t.Waiting[i] = -1
			if k < 1 {
				t.Waiting[i] = int(math.Round(scale * k / (1 - k)))
			}
		}
		return t
	}
	open := append(slices.Clone(static), slices.Repeat([]float64{1}, n)...)
	begin := [][]float64{open, slices.Repeat([]float64{1}, 2*n)}
	// A limit pays where it replaces a lottery, which takes more than one step: let
	// in up to a limit the classes that static admission refuses, or refuses in part.
	for _, least := range []float64{-1, 0} {
		for waiting := 1.0; waiting <= 1024; waiting *= 2 {
			x := slices.Clone(open)
			for i, q := range static {
				if q < 1 && q > least {
					x[i], x[n+i] = 1, waiting/(scale+waiting)
				}
			}
			if !slices.Equal(x, open) {
				begin = append(begin, x)
			}
		}
	}
	best, err := s.maximize(ctx, begin, func(_ context.Context, x []float64) (workload.Workload, Admission, error) {
		return s.Experiment.Workload, Admission{Rule: rule(x)}, nil
	})
	if err != nil {
		return agent.Thresholds{}, err
	}
	return rule(best), nil
}

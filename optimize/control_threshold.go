package optimize

import (
	"context"
	"math"

	"revopt/model"
)

func staticRevenue(ctx context.Context, sys model.System, s ControlSettings) (float64, error) {
	if s.Waiting < 0 && !s.Servers {
		sys.Residual = model.Pooled
		r, err := Solve(ctx, sys, Settings{})
		return r.Revenue, err
	}
	return math.NaN(), nil
}

package study

import (
	"context"
	"fmt"

	"revopt/model/scenario"
)

// AdmitPrices is the admission that asks the prices which earn most in the
// queueing model.
const AdmitPrices = "prices"

// BestPrices returns what Solve finds with SolveOptions.Prices for a scenario of
// job classes, as overrides of the prices and as the shares of the jobs to admit
// that come at them. They are below 1 only where a largest price binds.
func (s *Subject) BestPrices(ctx context.Context) (prices []scenario.Override, admit []float64, err error) {
	if s.Scenario.Trace != nil {
		return nil, nil, &NoDemandError{}
	}
	a, err := s.Analyze(ctx, 0, 0)
	if err != nil {
		return nil, nil, err
	}
	best, err := Solve(ctx, a, SolveOptions{Prices: true})
	if err != nil {
		return nil, nil, err
	}
	for i, c := range s.Scenario.Classes {
		found := best.Classes[i]
		admit = append(admit, float64(found.Admit))
		if c.Demand == nil || c.Demand.Rate == 0 {
			continue
		}
		t, path := c.At(float64(found.Price)).Price, fmt.Sprintf("classes.%d.price", i)
		const hour = 3600
		switch {
		case t.PerSecond > 0:
			prices = append(prices, scenario.Set(path+".per_hour", t.PerSecond*hour))
		case t.PerNodeSecond > 0:
			prices = append(prices, scenario.Set(path+".per_node_hour", t.PerNodeSecond*hour))
		default:
			prices = append(prices, scenario.Set(path, t.Fixed))
		}
	}
	return prices, admit, nil
}

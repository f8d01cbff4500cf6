package paper

import (
	"fmt"

	"revopt/simulate/metric"
)

func (p *phiStudy) words() []string {
	last := p.place(1)
	upper := p.mean(phiLoads()[1:])
	ratio := func(load float64) string {
		return plusMinus(metric.Estimate(p.ratios(p.place(load)), metric.DefaultLevel), 3)
	}
	hours := func(v metric.Interval) string { return plusMinus(scaled(v, 1.0/perHour), 1) }
	wait := metric.MeanWait()
	return []string{
		fmt.Sprintf("Φ is %s here, the paper has %.2f", plusMinus(p.phi(), 3), paperPhi),
		fmt.Sprintf("the ratio is %s, %s, %s and %s at loads of 85, 90, 95 and 100 %%: the average depends on which loads are taken, and is %s without the first",
			ratio(0.85), ratio(0.9), ratio(0.95), ratio(1), plusMinus(upper, 3)),
		fmt.Sprintf("at a load of 100 %% the queue without expiry has no steady state: its mean delay, %s h in half a year from an empty system, grows with the horizon, and the ratio falls",
			hours(p.interval(unbounded, last, wait))),
		"a tenth of each half year is left out as warm-up; the paper does not say whether it leaves out any, nor whether it counts the wait of expired jobs (here only jobs that start count)",
	}
}

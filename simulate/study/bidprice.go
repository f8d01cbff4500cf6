package study

import (
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/policy"
)

// Standard returns the policies of revopt: policy.Standard, bid-price with the prices of
// bound.MarginalPrice, and the schedule of a log.
func Standard() []policy.Spec {
	return append(policy.Standard(), policy.BidPriceSpec(marginalPrice), policy.RecordedSpec())
}

// marginalPrice is a policy.Pricer. Jobs without a bound have no price.
func marginalPrice(jobs []simulate.Job, processors int, span float64) float64 {
	list := make([]bound.Job, len(jobs))
	for i := range jobs {
		list[i] = bound.Whole(&jobs[i])
	}
	price, err := bound.MarginalPrice(list, bound.Uniform(processors), span)
	if err != nil {
		return 0
	}
	return price
}

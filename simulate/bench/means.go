package bench

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Mean is what a policy reaches on the instances of a family.
type Mean struct {
	*Family
	Policy       string
	Value, Share metric.Interval
	Difference   metric.Interval // of shares to those of the first policy of the family, paired by instance
	Bound        float64         // mean
	Why          string          // there is no share, on one of the instances
}

// Means returns the means of scores, family by family, with the policies in the order of the scores. All policies of a
// family have scores on the same instances.
func Means(scores []Score) (list []Mean) {
	type row struct {
		family *Family
		policy string
	}
	var rows []row
	groups := map[row][]Score{}
	for _, s := range scores {
		r := row{s.Family, s.Policy}
		if groups[r] == nil {
			rows = append(rows, r)
		}
		groups[r] = append(groups[r], s)
	}
	first := map[*Family][]float64{} // the shares of the first policy
	for _, r := range rows {
		ours := groups[r]
		m := Mean{Family: r.family, Policy: r.policy}
		values := text.Each(ours, func(s Score) float64 { return s.Value })
		bounds := text.Each(ours, func(s Score) float64 { return s.Bound })
		shares := text.Each(ours, func(s Score) float64 { return s.Share })
		for _, s := range ours {
			m.Why = cmp.Or(m.Why, s.Why)
		}
		if m.Why != "" { // a mean over the other instances is not comparable
			shares = slices.Repeat([]float64{math.NaN()}, len(ours))
		}
		m.Value, m.Share = metric.Estimate(values, metric.DefaultLevel), metric.Estimate(shares, metric.DefaultLevel)
		m.Bound = metric.Estimate(bounds, metric.DefaultLevel).Mean
		m.Difference = metric.Interval{Mean: math.NaN()}
		if others, ok := first[r.family]; ok {
			m.Difference = metric.Estimate(metric.Less(shares, others), metric.DefaultLevel)
		} else {
			first[r.family] = shares
		}
		list = append(list, m)
	}
	return list
}

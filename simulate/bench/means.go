package bench

import (
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// Mean is what a policy reaches on the instances of a family.
type Mean struct {
	Family, Policy string
	Objective      run.Objective
	Table          string // Any if a job is stopped on one of the instances
	Value, Share   metric.Interval
	Bound          float64         // mean
	Difference     metric.Interval // of shares to those of the first policy of the family, paired by instance
	Found          float64         // share of the best known offline schedule of the first instance
	Why            string          // there is no share, on one of the instances
	Causal         string          // as in the scores
}

// Means returns the means of scores, family by family, with the policies in the order of the scores.
func Means(scores []Score) (list []Mean) {
	kept := Keeps()
	for _, family := range Families() {
		ours := text.Where(scores, func(s Score) bool { return s.Family == family.Name })
		var labels []string
		for _, s := range ours {
			if !slices.Contains(labels, s.Policy) {
				labels = append(labels, s.Policy)
			}
		}
		var first map[string]float64
		for _, label := range labels {
			m, shares := family.mean(label, text.Where(ours, func(s Score) bool { return s.Policy == label }))
			if first == nil {
				first = shares
				shares = nil // to itself there is no difference
			}
			m.Difference = difference(shares, first)
			m.Found = family.found(m.Table, kept)
			list = append(list, m)
		}
	}
	return list
}

// mean returns the mean of the scores of one policy, and the shares by instance.
func (f *Family) mean(policy string, scores []Score) (Mean, map[string]float64) {
	m := Mean{Family: f.Name, Policy: policy, Objective: scores[0].Objective, Table: scores[0].Table,
		Causal: scores[0].Causal}
	for _, s := range scores {
		if s.Table == Any {
			m.Table = Any
		}
		if math.IsNaN(s.Share) && m.Why == "" {
			m.Why = s.Why
		}
	}
	shares := map[string]float64{}
	var values, bounds, list []float64
	for _, s := range scores {
		in := f.Instances[slices.IndexFunc(f.Instances, func(in *Instance) bool { return in.Name == s.Name })]
		limit := in.Limit(m.Table)
		if m.Why == "" {
			shares[s.Name] = in.share(s.Value, limit)
			list = append(list, shares[s.Name])
		}
		values, bounds = append(values, s.Value), append(bounds, limit)
	}
	m.Value, m.Share = metric.Estimate(values, metric.DefaultLevel), metric.Estimate(list, metric.DefaultLevel)
	m.Bound = metric.Estimate(bounds, metric.DefaultLevel).Mean
	return m, shares
}

// difference returns by how much shares exceed others on the same instances. Without all of them there is none.
func difference(shares, others map[string]float64) metric.Interval {
	var list []float64
	for name, share := range shares {
		other, ok := others[name]
		if !ok {
			return metric.Estimate(nil, metric.DefaultLevel)
		}
		list = append(list, share-other)
	}
	slices.Sort(list) // sums do not depend on the order of a map
	return metric.Estimate(list, metric.DefaultLevel)
}

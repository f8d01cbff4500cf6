package study

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Growth says which pool should grow first, by the changes that add units to one pool.
type Growth struct {
	By   string `json:"by"`   // gain_per_dollar, of the net gain, or gain_per_unit where costs are not known
	Ties int    `json:"ties"` // so many of the first ranks cannot be told apart; 1: the first is best by more than chance
	Text string `json:"text" save:"-"`
}

// The measures that rank pools.
const (
	GainPerDollar = "gain_per_dollar"
	GainPerUnit   = "gain_per_unit"
)

// rankPools ranks the changes that add units to one pool and do nothing else, nil where
// there are fewer than two. Replications are paired with those of the scenario as it is, so
// that luck cancels.
func (w *WhatIf) rankPools(r *WhatIfResult) *Growth {
	var list []*ChangeResult
	g, n := &Growth{By: GainPerDollar}, len(r.Before.Money)
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.BreakEven != nil && len(c.Units) == 1 && c.Units[0].Units[1] > c.Units[0].Units[0] {
			if list, n = append(list, c), max(n, len(c.Money)); c.Net == nil {
				g.By = GainPerUnit
			}
		}
	}
	if len(list) < 2 {
		return nil
	}
	scores := map[*ChangeResult][]float64{} // by replication
	for _, c := range list {
		cost, _ := w.Costs.Of(c)
		per := float64(c.Units[0].Units[1] - c.Units[0].Units[0])
		if c.GainPerUnit = c.BreakEven; g.By == GainPerDollar {
			net := NewEstimate(c.Net.Interval().Times(1 / cost.PerHour))
			c.GainPerDollar, per = &net, cost.PerHour
		}
		gain := less(stretched(c.Money, n), stretched(r.Before.Money, n))
		scores[c] = each(gain, func(_ int, x float64) float64 { return x / per })
	}
	slices.SortStableFunc(list, func(a, b *ChangeResult) int {
		return cmp.Compare(stat.Mean(scores[b], nil), stat.Mean(scores[a], nil))
	})
	for i, c := range list {
		c.Rank = 1 + i
		d := w.estimate(less(scores[list[0]], scores[c]))
		if g.Ties == i && (d.Mean == 0 || d.Interval().Contains(0) && !(c.Once && list[0].Once)) {
			g.Ties++
		}
	}
	return g
}

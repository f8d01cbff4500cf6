package whatif

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Growth says which pool should grow first, by the changes that add units to one pool.
type Growth struct {
	By string `json:"by"` // gain_per_dollar, of the net gain, or gain_per_unit where no cost is known
	// Ties is how many of the first ranks cannot be told apart; 1: the first is best by more than chance.
	Ties     int      `json:"ties"`
	Unpriced []string `json:"without_cost,omitempty"` // pools without a rank: only others have costs
	Text     string   `json:"text" save:"-"`
}

// The measures that rank pools.
const (
	GainPerDollar = "gain_per_dollar"
	GainPerUnit   = "gain_per_unit"
)

// rankPools ranks pools by their best change that adds units to one pool and does nothing
// else, nil where there are fewer than two such pools. Replications are paired with those of
// the scenario as it is, so that luck cancels.
func (w *WhatIf) rankPools(r *Result) *Growth {
	var list []*ChangeResult
	g, n := &Growth{By: GainPerUnit}, len(r.Before.Money)
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.BreakEven != nil && len(c.Units) == 1 && c.Units[0].Units[1] > c.Units[0].Units[0] {
			list, n = append(list, c), max(n, len(c.Money))
			if c.Net != nil {
				g.By = GainPerDollar
			}
		}
	}
	pool := func(c *ChangeResult) string { return c.Units[0].Pool }
	if !slices.ContainsFunc(list, func(c *ChangeResult) bool { return pool(c) != pool(list[0]) }) {
		return nil
	}
	scores, seen := map[*ChangeResult][]float64{}, map[string]bool{} // by replication; by pool
	for _, c := range list {
		per := float64(c.Units[0].Units[1] - c.Units[0].Units[0])
		c.GainPerUnit = c.BreakEven
		if c.Net != nil {
			cost, _ := w.Costs.Of(c)
			net := study.NewEstimate(c.Net.Interval().Times(1 / cost.PerHour))
			c.GainPerDollar, per = &net, cost.PerHour
		} else if g.By == GainPerDollar && !seen[pool(c)] {
			g.Unpriced, seen[pool(c)] = append(g.Unpriced, pool(c)), true
		}
		gain := study.Less(study.Stretched(c.Money, n), study.Stretched(r.Before.Money, n))
		scores[c] = text.Each(gain, func(x float64) float64 { return x / per })
	}
	slices.SortStableFunc(list, func(a, b *ChangeResult) int {
		return cmp.Compare(stat.Mean(scores[b], nil), stat.Mean(scores[a], nil))
	})
	list = slices.DeleteFunc(list, func(c *ChangeResult) bool {
		again := seen[pool(c)]
		seen[pool(c)] = true
		return again
	})
	for i, c := range list {
		c.Rank = 1 + i
		d := w.estimate(study.Less(scores[list[0]], scores[c]))
		if g.Ties == i && (d.Mean == 0 || d.Interval().Contains(0) && !(c.Once && list[0].Once)) {
			g.Ties++
		}
	}
	return g
}

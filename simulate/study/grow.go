package study

import (
	"cmp"
	"slices"

	"revopt/internal/text"
)

// Growth says which pool should grow first, by the changes that add units to one pool.
type Growth struct {
	By    string   `json:"by"`    // gain_per_dollar, of the net gain, or gain_per_unit where costs are not known
	Order []string `json:"order"` // names of these changes, best first; their rank counts them
	Ties  int      `json:"ties"`  // so many of the first cannot be told apart; 1: the first is best by more than chance
	Text  string   `json:"text" save:"-"`
}

// The measures that rank pools.
const (
	GainPerDollar = "gain_per_dollar"
	GainPerUnit   = "gain_per_unit"
)

// grows reports whether a change adds units to one pool and does nothing else.
func (r *ChangeResult) grows() bool {
	return r.BreakEven != nil && len(r.Units) == 1 && r.Units[0].Units[1] > r.Units[0].Units[0]
}

// rankPools ranks the changes that make one pool grow, nil where there are fewer than two.
// Each is ranked by the same replications as the scenario as it is, so that luck cancels.
func (w *WhatIf) rankPools(r *WhatIfResult) *Growth {
	type ranked struct {
		*ChangeResult
		score []float64 // by replication
		mean  Number
	}
	var list []ranked
	g, n := &Growth{By: GainPerDollar, Ties: 1}, len(r.Before.Money)
	for i := range r.Changes {
		if c := &r.Changes[i]; c.grows() {
			list, n = append(list, ranked{ChangeResult: c}), max(n, len(c.Money))
			if c.Net == nil {
				g.By = GainPerUnit
			}
		}
	}
	if len(list) < 2 {
		return nil
	}
	for i := range list {
		c := &list[i]
		cost, _ := w.Costs.Of(c.ChangeResult)
		gain := less(stretched(c.Money, n), stretched(r.Before.Money, n))
		c.GainPerUnit = c.BreakEven
		c.score = each(gain, func(_ int, x float64) float64 { return x / float64(c.Units[0].Units[1]-c.Units[0].Units[0]) })
		if c.Net != nil {
			net := NewEstimate(c.Net.Interval().Times(1 / cost.PerHour))
			c.GainPerDollar = &net
		}
		if g.By == GainPerDollar {
			c.score = each(gain, func(_ int, x float64) float64 { return x/cost.PerHour - 1 })
		}
		c.mean = w.estimate(c.score).Mean
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.mean, a.mean) })
	for i, c := range list {
		c.Rank = 1 + i
		d := w.estimate(less(list[0].score, c.score))
		if g.Ties == i && (d.Mean == 0 || d.Interval().Contains(0) && !(c.Once && list[0].Once)) {
			g.Ties++
		}
	}
	g.Order = text.Each(list, func(c ranked) string { return c.Name })
	return g
}

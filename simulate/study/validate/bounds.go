package validate

import (
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

func setPoolBounds(r *study.Result, groups []plan.BoundedGroup, order []int,
	bounds func(*plan.BoundedPoint) []study.BoundResult) {
	for _, g := range groups {
		for _, pool := range g.Pools {
			r.Pools[pool].Bounds = bounds(g.BoundedPoint)
			for k, i := range order {
				efficiency, kind := study.NewEstimate(g.Efficiency(i)), study.NewEstimate(g.EfficiencyOfKind(i))
				row := &r.Policies[k].Pools[pool]
				row.Efficiency, row.OfKind = &efficiency, &kind
			}
		}
	}
}

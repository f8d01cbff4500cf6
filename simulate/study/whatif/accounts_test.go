package whatif

import (
	"context"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/study/validate"
	"revopt/simulate/subject"
)

// TestOneRate: simulations, validations and what-ifs say the same $/h for a policy on
// the same jobs, also where prices keep jobs away; bounds are over the same span.
func TestOneRate(t *testing.T) {
	demand := strings.ReplaceAll(fixture.Customers(t), "per_unit_hour: 1}", "per_unit_hour: 1}, demand: {curve: linear, elasticity: 1}")
	higher := scenario.Set("classes.science.price.per_unit_hour", 1.5)
	policies := fixture.Named(t, "easy", "value-bf")
	for name, s := range map[string]*subject.Subject{"trace": fixture.Opened(t, fixture.Customers(t)), "demand": fixture.Opened(t, demand, higher)} {
		simulated := run(t, &simulation.Simulation{Subject: s, Policies: policies, Seed: 3})
		validated, err := (&validate.Validation{Subject: s, Policies: policies, Seed: 3}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		asked := what(t, &WhatIf{Subject: s, Seed: 3, Policy: &policies[0], Changes: []Change{{Name: "p", Policy: &policies[1], Choice: "policy"}}})
		for i, want := range []metric.Number{asked.Before.Simulation.Before.Mean, asked.Changes[0].Simulation.After.Mean} {
			row := validated.Policies[slices.IndexFunc(validated.Policies, func(r study.Row) bool { return r.Label == simulated.Policies[i].Label })]
			for from, got := range map[string]metric.Number{
				"simulate": 3600 * simulated.Policies[i].Total.Get("value_per_second").Mean, "validate": row.Validated.Money.Mean,
			} {
				if !fixture.Near(float64(got), float64(want), 1e-9) {
					t.Errorf("%s, %s: %s says %g $/h, whatif %g", name, policies[i].Label(), from, got, want)
				}
			}
		}
		for _, b := range validated.Validated.Bounds {
			if span := simulated.Policies[0].Span; b.Kind == study.Proven && !fixture.Near(float64(b.RevenuePerSecond)*span, float64(b.Total), 1e-9) || span != 1170 {
				t.Errorf("%s: bound %s is %g $/s of %g $, span %g", name, b.Name, b.RevenuePerSecond, b.Total, span)
			}
		}
	}
}

package share

import (
	"revopt/simulate"
	"revopt/simulate/policy"
)

// Specs returns the Libra family.
func Specs() []policy.Spec {
	shares := policy.Needs{Deadlines: true, Shared: true}
	return []policy.Spec{
		{
			Name: "libra", Title: "Libra", Summary: "proportional share by deadline, Libra's cost",
			Options: libraOptions(), Needs: shares, Cost: 2e-5,
			Make: policy.PerSite(func(s policy.Settings) simulate.Policy { return NewLibra(libraTerms(s)) }),
		}, {
			Name: "libra+$", Title: "Libra+$", Summary: "proportional share by deadline, prices that follow demand",
			Options: dollarOptions(), Needs: shares, Cost: 2e-5,
			Make: policy.PerSite(func(s policy.Settings) simulate.Policy { return NewLibraDollar(dollarTerms(s)) }),
		}, {
			Name: "libra-sla", Title: "LibraSLA",
			Summary: "proportional share by return, soft deadlines give way at a penalty",
			Options: []policy.Option{{Name: "return", Values: []string{"last", "now"}}}, Needs: shares, Cost: 4e-5,
			Make: policy.PerSite(func(s policy.Settings) simulate.Policy {
				return NewLibraSLA(SLATerms{Now: s["return"] == "now"})
			}),
		},
	}
}

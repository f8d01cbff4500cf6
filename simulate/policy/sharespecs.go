package policy

import "revopt/simulate"

// shareSpecs returns the Libra family.
func shareSpecs() []Spec {
	shares := Needs{Deadlines: true, Shared: true}
	return []Spec{
		{
			Name: "libra", Title: "Libra", Summary: "proportional share by deadline, Libra's cost",
			Options: libraOptions(), Needs: shares, Cost: 2e-5,
			Make: PerSite(func(s Settings) simulate.Policy { return NewLibra(libraTerms(s)) }),
		}, {
			Name: "libra+$", Title: "Libra+$", Summary: "proportional share by deadline, prices that follow demand",
			Options: dollarOptions(), Needs: shares, Cost: 2e-5,
			Make: PerSite(func(s Settings) simulate.Policy { return NewLibraDollar(dollarTerms(s)) }),
		}, {
			Name: "libra-sla", Title: "LibraSLA", Summary: "proportional share by return, soft deadlines give way at a penalty",
			Options: []Option{{Name: "return", Values: []string{"last", "now"}}}, Needs: shares, Cost: 4e-5,
			Make: PerSite(func(s Settings) simulate.Policy { return NewLibraSLA(SLATerms{Now: s["return"] == "now"}) }),
		},
	}
}

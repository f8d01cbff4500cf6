package policy

import "revopt/simulate"

// Schemes returns the names of the schemes for imprecise jobs, in their order.
func Schemes() []string {
	return []string{MandatoryEDF: "mf-edf", MandatoryHBF: "mf-hbf", MandatoryTime: "mf-timeshare", HardWhole: "hard-mo", HardMandatory: "hard-m"}
}

// LookupScheme returns the scheme of the given name.
func LookupScheme(name string) (s Scheme, ok bool) {
	for i, n := range Schemes() {
		if n == name {
			return Scheme(i), true
		}
	}
	return 0, false
}

// schemeSpecs are the schemes as policies.
func schemeSpecs() []Spec {
	summaries := []string{
		"mandatory parts first, then optional ones by deadline", "mandatory parts first, then optional ones by budget rate",
		"mandatory parts first, then optional ones share what is left", "mandatory and optional part as one, by deadline", "mandatory parts alone, by deadline",
	}
	var specs []Spec
	for i, name := range Schemes() {
		specs = append(specs, Spec{name, summaries[i], nil, func(Settings) simulate.Policy { return NewImprecise(Scheme(i)) }})
	}
	return specs
}

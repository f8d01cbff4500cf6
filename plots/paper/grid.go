package paper

import (
	"fmt"

	"revopt/plots"
)

// A gridRow is a policy in a grid study and what it is called in figures.
type gridRow struct{ policy, name string }

// gridRows returns the schemes of Kim, Buyya and Kim (2007).
func gridRows() []gridRow {
	return []gridRow{
		{"mf-edf", "MF-EDF"}, {"mf-hbf", "MF-HBF"}, {"mf-timeshare", "MF-TimeShare"}, {"hard-mo", "Hard-M+O"}, {"hard-m", "Hard-M"},
	}
}

// replications returns how often to simulate each point.
func (o Options) replications(full, quick int) int {
	switch {
	case o.Replications > 0:
		return o.Replications
	case o.Quick:
		return quick
	}
	return full
}

// gridProvenance says how the numbers of a grid study were made.
func gridProvenance(o Options, replications int, varied plots.Pair) plots.Provenance {
	seed := o.Seed
	return plots.Provenance{Scenario: "ic-grid", Seed: &seed, Extra: []plots.Pair{
		{Key: "set", Value: varied.Key + "=" + varied.Value},
		{Key: "replications", Value: fmt.Sprint(replications)},
	}}
}

// imprecisePaper names a figure of Kim, Buyya and Kim (2007) as a source.
func imprecisePaper(figure string) string {
	return "Kim, Buyya and Kim, Imprecise Computation Grid Application Model for Flexible Market-based Resource Allocation, figure " + figure
}

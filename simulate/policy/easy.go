package policy

import "revopt/simulate"

// NewEASY returns plain EASY backfilling in order of arrival, without
// deadlines: Lifka (1995), and Mu'alem and Feitelson (2001). See easy for its
// rules.
func NewEASY(t Terms) simulate.Finisher { return &easy{Terms: t} }

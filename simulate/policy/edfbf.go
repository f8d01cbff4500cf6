package policy

import "revopt/simulate"

// NewEDFBF returns EASY backfilling in order of deadline, the earliest first,
// with lapsed jobs removed: EDF-BF of Yeo and Buyya (2007), section VII.
func NewEDFBF() simulate.Finisher { return &easy{order: byDeadline, lapsing: true} }

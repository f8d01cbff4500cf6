package policy

import "revopt/simulate"

// NewSJFBF returns EASY backfilling in order of estimated runtime, the shortest
// first, with lapsed jobs removed: SJF-BF of Yeo and Buyya (2007), section VII.
func NewSJFBF() simulate.Finisher { return &easy{order: byEstimate, lapsing: true} }

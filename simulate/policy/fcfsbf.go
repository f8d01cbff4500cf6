package policy

import "revopt/simulate"

// NewFCFSBF returns EASY backfilling in order of arrival, with lapsed jobs
// removed: FCFS-BF of Yeo and Buyya (2007), section VII.
func NewFCFSBF() simulate.Finisher { return &easy{lapsing: true} }

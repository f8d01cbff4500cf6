package policy

import "revopt/simulate"

// NewFCFS returns first come, first served: as HOL, but all jobs are of one
// rank.
func NewFCFS(backfill bool) simulate.Timed { return &lines{backfill: backfill} }

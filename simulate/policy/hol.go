package policy

import "revopt/simulate"

// NewHOL returns the head-of-the-line policy: when processors fall free the
// waiting job of the highest rank starts, of one rank the one that came first.
// While it does not fit nothing else starts, as in Marbukh & Mills, section
// VI. With backfill, later jobs that fit start before it, without any
// reservation for it.
func NewHOL(backfill bool) simulate.Timed { return &lines{ranked: true, backfill: backfill} }

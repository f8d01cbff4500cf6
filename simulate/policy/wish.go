package policy

import (
	"cmp"

	"revopt/simulate"
)

// Wish is what users want optimized, the segment QoSOptimization of a job's
// specification: Yeo and Buyya (2007), section IV. It decides which of the nodes
// that can take a job, and that it can afford, it gets.
type Wish uint8

// The wishes. Neither is part of the algorithms of the literature, which leave
// the segment out.
const (
	NoWish   Wish = iota // those that the policy prefers
	Soonest              // those on which it would end first if no job came or left
	Cheapest             // those that cost the least
)

// wishOption is the wish as an option of a policy.
func wishOption() Option {
	return Option{Name: "optimize", Values: []string{"none", "time", "cost"}}
}

// wish reads it.
func (s Settings) wish() Wish {
	return map[string]Wish{"none": NoWish, "time": Soonest, "cost": Cheapest}[s["optimize"]]
}

// base returns the price of a second of processing on a machine.
func base(m *simulate.Machine) float64 { return cmp.Or(m.Price, PBase) }

// of returns the rate of a task with the given share beside others, and the load
// that these are.
func (s Spare) of(share, load float64, others int, sharing TimeSharing) float64 {
	room := sharing.capacity(others + 1)
	switch sum := load + share; {
	case sum > room || s == Proportional:
		return share * room / sum
	case s == Equal:
		return share + (room-sum)/float64(others+1)
	}
	return share
}

package share

import (
	"cmp"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// Wish is the users' objective, the segment QoSOptimization of a job's specification:
// Yeo and Buyya (2007), section IV. It orders the affordable nodes that can take a job.
type Wish uint8

// The wishes. The algorithms of the literature leave the segment out.
const (
	NoWish   Wish = iota // the order of the policy
	Soonest              // the earliest end first, if no job came or left
	Cheapest             // the lowest cost first
)

// wishOption is the wish as an option of a policy.
func wishOption() policy.Option {
	return policy.Option{Name: "optimize", Values: []string{"none", "time", "cost"}}
}

func wishOf(s policy.Settings) Wish {
	return map[string]Wish{"none": NoWish, "time": Soonest, "cost": Cheapest}[s["optimize"]]
}

// base returns the price of a second of processing on a machine.
func base(m *simulate.Machine) float64 { return cmp.Or(m.Price, policy.PBase) }

// rateOf returns the rate of a task with the given share beside other tasks of the given
// load.
func (s Spare) rateOf(share, load float64, others int, sharing TimeSharing) float64 {
	room := sharing.capacity(others + 1)
	switch sum := load + share; {
	case sum > room || s == Proportional:
		return share * room / sum
	case s == Equal:
		return share + (room-sum)/float64(others+1)
	}
	return share
}

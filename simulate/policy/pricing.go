package policy

import "revopt/simulate"

// Pricing is the pricing function of Libra+$.
type Pricing struct {
	Alpha float64 // weight of the base price
	Beta  float64 // weight of the utilisation price
}

// Rate returns the price of a unit of a resource of which a node has most
// units from the arrival of a job to its deadline, and free units beside those
// of the other jobs and of the job itself,
//
//	P = alpha PBase + beta PUtil    PUtil = RESMax/RESFree PBase
//
// Yeo and Buyya (2007), (3) and (4). There must be free units.
func (p Pricing) Rate(base, most, free float64) float64 {
	return p.Alpha*base + p.Beta*(most/free)*base
}

// Prices are the base prices PBase of the resources of a node. A unit of
// memory or disk is what one unit serves in a second, so that all resources
// have the same measure: a node offers its amount times the deadline, and a
// job takes its amount times its runtime.
type Prices struct {
	Processor float64 // $/s
	Memory    float64 // $/s for a unit of Requirements.Memory
	Disk      float64 // $/s for a unit of Requirements.Disk
}

// resource is something that nodes have and jobs need.
type resource uint8

const (
	processor resource = iota
	memory
	disk
)

// of returns the base price of a resource.
func (p *Prices) of(r resource) float64 { return [...]float64{p.Processor, p.Memory, p.Disk}[r] }

// need returns how much of a resource a job holds on a node.
func (r resource) need(j *simulate.Job) float64 {
	return [...]float64{1, j.Spec.Requirements.Memory, j.Spec.Requirements.Disk}[r]
}

// limit returns how much of a resource a node has; 0 is no limit.
func (r resource) limit(n *simulate.Node) float64 { return [...]float64{1, n.Memory, n.Disk}[r] }

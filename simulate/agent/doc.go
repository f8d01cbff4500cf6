// Package agent has what acts on a run of package simulate and is not a policy: routers, which
// say to which site a job goes, and agents, which act at times of their own.
//
// Routers: [Pools] divides the machine, [Providers] are asked one after the other, and [Gate]
// puts an admission before the broker of a grid.
//
// Agents: [Outages] takes processors away, [Overflow] moves jobs between pools, [Rental] rents
// units for the jobs that a [Burst] rule chooses. The prices of markets belong to the policy
// that makes them, see simulate.Seller.
//
// The seam to the kernel is simulate.Router and simulate.Agent. An agent asks in Join for
// timers and for what it has to see, and keeps what it knows of a job in a table by Job.Slot.
// A new agent is one file here and one line where runs are built (package study).
package agent

// Package agent has what acts on a run of package simulate and is not a policy: routers, which
// say to which site a job goes, and agents, which act at times of their own.
//
// Routers: [Pools] divides the machine (pools.go), [Providers] are asked one after the other
// (providers.go), and [Gate] puts an admission before the broker of a grid (gate.go). Rules of
// admission are in admission.go.
//
// Agents: [Outages] takes processors away (outages.go), overflow moves jobs between pools
// (overflow.go).
//
// The seam to the kernel is simulate.Router and simulate.Agent. An agent asks in Join for
// timers and for what it has to see, and keeps what it knows of a job in a table by Job.Slot.
// A new agent is one file here and a line in workload.Agents, which makes the agents of a run.
//
// A run with waiting jobs that nothing will start ends with an error when no event is left. An
// agent that always sets its next timer hides that, so it should stop when no job can come.
package agent

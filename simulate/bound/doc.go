// Package bound computes proven bounds on what any policy can earn, or on how long jobs must wait, on a given workload.
//
// A bound here is proven, not predicted. There is one for each objective:
//
//   - [Clairvoyant] bounds the value from above: no policy, whatever it knows of the future, whether or not it preempts,
//     migrates or splits jobs, collects more on these jobs and this machine,
//   - [Waits] bounds waits and bounded slowdowns from below, for policies that start every job once and do not stop it.
//
// # The relaxation of the value
//
// A [Job] offers parts of work, each with a value; it uses at most Width nodes
// at any time, from its release to its end, and loses value with its delay.
// Work is measured in node-seconds at rate 1. The relaxed problem lets a
// scheduler do any fraction x_j(t) dt of a job's work at any time and pays pro
// rata:
//
//	maximize    sum_j V_j(y_j) - integral g_j(t) x_j(t) dt,  y_j = integral x_j(t) dt
//	subject to  0 <= x_j(t) <= rate_j within [release_j, end_j]
//	            sum_j x_j(t) <= capacity
//
// V_j is the least concave function above what the job pays for the work y_j
// if it is done in time, and g_j(t) the loss per node-second of work at time
// t. Every real schedule is a point of it that earns no less than the policy
// did, because a job ends no earlier than any of its work is done and its loss
// never falls with time. So the optimum of the relaxation is a bound, and so is
// the value of its dual at any prices.
//
// The way of the data: jobs -> items (concave layers, one loss function) ->
// grid of cells -> network of flows -> prices -> bound, and flows -> schedule
// -> a feasible value, from which the gap follows.
//
// jobs.go and levels.go are the jobs and the machine. clairvoyant.go goes the way above, from the prices of fluid.go, span
// by span if the problem is long (spans.go): item.go, grid.go, network.go, then greedy.go (without losses) or scaling.go,
// with the heap of arcs.go, finds a flow. price.go is the bound at any prices; schedule.go makes a schedule of a flow.
//
// waits.go bounds delays by a relaxation and by whole runs. The relaxation takes prices from descent.go and the times of a
// schedule from listing.go. turns.go bounds whole runs, with prices from descent.go or, where it is small, from the linear
// program of indexed.go, which newton.go solves.
//
// Computations that take long take a context. Where that ends first, they
// return its error within a tenth of a second.
package bound

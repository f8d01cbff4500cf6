// Package bound computes upper bounds on what any policy can earn on a given
// workload.
//
// A bound here is proven, not predicted: no policy, whatever it knows of the
// future, whether or not it preempts, migrates or splits jobs, collects more on
// these jobs and this machine. From loose to tight:
//
//   - [Fluid] packs the jobs that arrived by value per node-second into the
//     whole of the machine's time, [FluidRate] does so for a stream of job
//     classes that never ends,
//   - [Clairvoyant] respects in addition when each job arrives, how many nodes
//     it can use at a time, and what it is worth late,
//   - [Indivisible] respects in addition that the first part of a job pays only
//     as a whole.
//
// [Unpreempted] is below them, and holds for policies that run every job once and
// whole. [Waits] bounds delays from below instead of money from above, [UnpreemptedWaits] those of such policies.
//
// # The relaxation
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
// the value of its dual at any prices, see [Prices.Bound].
//
// The way of the data: jobs -> items (concave layers, one loss function) ->
// grid of cells -> network of flows -> prices -> bound, and flows -> schedule
// -> a feasible value, from which the gap follows.
//
// jobs.go and levels.go are the jobs and the machine; fluid.go the fluid bounds. clairvoyant.go goes the way
// above, span by span if the problem is long (spans.go): item.go, grid.go, network.go, then greedy.go (without losses)
// or scaling.go finds a flow. price.go is the bound at any prices; schedule.go makes a schedule of a flow.
// indivisible.go and unpreempted.go start from the clairvoyant prices and improve them by descent.go; indexed.go and
// newton.go solve the linear program of unpreempted.go where it is small. waits.go bounds delays, also by descent.go,
// waitslist.go makes a schedule with them, and waitsonce.go bounds those of whole runs.
//
// Computations that take long take a context. Where that ends first, they
// return its error within a tenth of a second.
package bound

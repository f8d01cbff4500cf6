// Package share has the policies that share nodes by deadlines: Libra, Libra+$ and LibraSLA.
//
// The flow: specs.go lists the policies. libra.go, libradollar.go and librasla.go decide which jobs
// are taken, at which price, and on which nodes; placement.go finds the nodes. share.go sets the
// rates of the tasks on a node, and wish.go reads what users prefer.
//
// # Policies libra, libra+$, libra-sla
//
// The Libra family shares nodes. A job has one task on each of its nodes and ends with the last one. It is placed or
// rejected on arrival, so no job waits. With RE the estimated run time, D the deadline after submission and B the
// budget, a task needs of its node
//
//	share = estimated run time left / time to the deadline        (Yeo and Buyya (2005), (3))
//
// which is at most 1, and 1 if the task is overdue. A node can take a job if all shares sum to at most 1. The option
// spare says where the rest goes (S is the sum of n shares): spare=proportional, rate share / S (2007, implied by its
// Fig. 6); spare=equal, share + (1 - S)/n (Sherwani et al. (2004)); spare=none, share, so that every job ends at its
// deadline (Libra in 2005).
//
// Rates change when the list of tasks changes, and at overruns. A task that has used up its estimate keeps its first
// share RE/D until it is done. Shares that sum to more than 1 are then scaled down, so later jobs are delayed; with
// exact estimates this never happens.
//
// Shares change only at multiples of the option update, in s (2004), and a node with two or more tasks loses the part
// switching of its speed to context switches. Of equal nodes (a relative 1e-9) the lower one is taken. A job that
// needs more memory or disk than its number of nodes have is rejected for resources; a node with too little left
// cannot take it now, which counts as deadline. Under qos and in batches libra and libra+$ charge at the start and
// refund late jobs.
//
// The option optimize (2007, section IV) orders the nodes that can take the job and that it can afford: by the rule of
// the policy (optimize=none), by the earliest end (optimize=time) or by the least cost (optimize=cost).
package share

// Package simulate is a discrete-event simulator of clusters that sell
// processor time: jobs arrive, are admitted or not, a policy orders and places
// them, and observers see every transition.
//
// A [Source] yields jobs in order of submission, a [Router] says to which site each goes, an
// [Admission] says which are let in, a [Policy] decides, a [Sharing] says how fast the tasks on
// a node advance, an [Agent] acts on the run at times of its own, an [Observer] watches. [Run]
// ties them together. The package knows nothing about formulas of waiting times or revenue, so
// that it can be their oracle.
//
// # Files
//
// kernel.go has the loop over instants, agenda.go the events to come, window.go the arrivals and
// the measured window, router.go the way of a job to its site, cluster.go what policies do
// there, hold.go the jobs that are not eligible yet, node.go and piece.go the same on shared nodes. agent.go and outage.go are the
// seam for agents. job.go, value.go and imprecise.go say what a job is, event.go what observers
// see, observer.go how they are told, audit.go checks it. policy.go, admission.go and has.go are
// what a run is given; stream.go has its random numbers, panic.go turns a panic of a policy into an
// error and names the policy in errors, vigil.go ends a run whose policy only asks to be woken.
//
// # Order of events
//
// Events fire in the order of (time, phase, sequence). The phases at one
// instant are
//
//  1. completion: tasks whose work is done leave their processors,
//  2. arrival: timers of agents (outages end and begin), jobs are submitted or become eligible, the window opens or
//     closes,
//  3. expiry: jobs that still wait at their Job.Expire give up,
//  4. move: timers of agents that move waiting jobs to other sites,
//  5. wake: timers of jobs and wakes that a policy asked for,
//  6. decision: Policy.Schedule is called once per cluster that saw any of
//     the above, after everything simultaneous has landed. After each cluster the functions of
//     Cluster.AfterDecision are called.
//
// Within a phase events fire in the order in which they were scheduled, expiries
// in that of submission. An
// event that a decision causes at the same time (a job without work, say)
// makes a new instant of that time. Completions that differ by less than a
// relative 1e-14 of the time fire together, at the earliest of them, and so
// does what lies between: sums that are equal on paper are equal here.
//
// # Admission, expiry and charging
//
// An arriving job is first shown to the Router, which names its site, then to the Admission
// of the run, which sees that site only, then to the policy of the site. None of them sees a job
// that one before it has refused. A router may send a job that is refused at its submission to
// another site.
//
// A job may be eligible later than it is submitted: at Job.Eligible, and not before its predecessor has ended. Router
// and admission see it at its submission, policy and agents when it is eligible. Waits, values and expiry count from the
// submission.
//
// The kernel lets jobs give up under any policy: it takes a job that waits at
// its time of expiry away from its policy, a [Leaver]. A job whose time of
// expiry has come when it arrives is given the decision of that instant.
//
// [Charging] says what jobs pay: what the policy charges, or what they are
// worth when they end, see [Value]. A job that is rejected pays nothing.
//
// # Space and time sharing
//
// A running task has work left and a rate. A cluster without a Sharing is a
// pool of identical processors that are counted, not named: a job occupies
// Width of them at rate 1. A cluster with a Sharing is a list of nodes, each
// with any number of tasks whose rates the Sharing sets whenever the list
// changes. Nodes may differ in speed, memory and disk: see [Machine].
//
// # Agents
//
// Outages and overflow between pools are agents, in package agent. An [Agent]
// joins the run before its first event, and there asks for all that it will be told of:
//
//   - [Timers.Set] sets a timer in the phase of arrivals or moves,
//   - [Cluster.Watch] tells it of transitions of jobs: waits, leaves, starts, finishes, drops,
//   - [Cluster.AfterDecision] lets it act after the decisions of an instant.
//
// It acts through the cluster: Take and Give change the number of processors, Announce tells the
// policy of times at which they are away, Stop takes the processors of a running job,
// Transfer moves a waiting job to another site. It keeps
// its knowledge of a job in a table by Job.Slot. All of this is resolved when the run is built: a run
// without agents executes none of it. A cluster with a Sharing has no outages.
//
// # What is measured
//
// See [Window]: counts cover the jobs submitted between its opening and its
// close, each followed to its end while arrivals go on, unless the window ends them.
package simulate

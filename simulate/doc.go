// Package simulate is a discrete-event simulator of clusters that sell
// processor time: jobs arrive, are admitted or not, a policy orders and places
// them, and observers see every transition.
//
// A [Source] yields jobs in order of submission, an [Admission] says which are
// let in, a [Policy] decides, a [Sharing] says how fast the tasks on a node
// advance, an [Observer] watches. [Run] ties them together. The package knows
// nothing about formulas of waiting times or revenue, so that it can be their
// oracle.
//
// # Order of events
//
// Events fire in the order of (time, phase, sequence). The phases at one
// instant are
//
//  1. completion: tasks whose work is done leave their processors,
//  2. arrival: outages end and begin, jobs are submitted, the window opens or closes,
//  3. expiry: jobs that still wait at their Job.Expire give up,
//  4. move: jobs that have waited in their pool for long go to another,
//  5. ask: whether to rent units for jobs that wait,
//  6. wake: timers of jobs and wakes that a policy asked for,
//  7. decision: Policy.Schedule is called once per cluster that saw any of
//     the above, after everything simultaneous has landed; then Burst may send
//     waiting jobs to rented units, and the policies decide again without them.
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
// An arriving job is first shown to the Admission of the run, then to the
// broker, which names its site, then to the policy of that site. None of them
// sees a job that one before it has refused. The sites of a divided machine, see
// [Pools], have their own jobs: the class of a job names its site, and the Admission
// sees that site only.
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
// # What is measured
//
// See [Window]: counts cover the jobs submitted between its opening and its
// close, each followed to its end while arrivals go on.
package simulate

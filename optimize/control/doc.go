// Package control finds the admission that earns most of those that look at the queue.
//
// [Solve] proves the optimum of every such admission and returns its decisions as a
// [Table]. [Thresholds] searches the best [Rule]: a limit on the number of waiting jobs
// for each class. [Check] says whether a system is small enough for either. Package
// optimize has the best admission that does not look at the queue, which both compare
// with.
//
// The files, from the question to the numbers:
//
//   - control.go: the question and the answer, and the systems that are refused.
//   - climb.go: limits on the queue, raised until a lower and an upper bound meet.
//   - table.go: decisions by state, and the thresholds and mean prices read off them.
//   - threshold.go: the search for the best rule.
//   - rule.go: the revenue of a rule.
//   - iterate.go: value iteration with its acceleration, and stationary frequencies.
//   - process.go: the Markov decision process, and one step of value iteration.
//   - lattice.go: the numbering of the queues within the limits.
//
// Every computation takes a context. If the context ends first, the computation
// returns its error within a tenth of a second.
package control

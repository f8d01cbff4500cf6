// Package optimize finds the admission probabilities that maximize the revenue
// of a model.System, one fixed probability for each class, with a proof.
//
// The revenue is not concave: a local method can stop at a local maximum, and
// the kinks of max(0, delay - grace) hide ascent directions. [Solve] therefore
// returns the global optimum with a proven gap where the structure of the problem
// allows a proof, by branch and bound (see [Certified]), and the best of many local
// solves elsewhere. [ConjugateGradient] is a local method, for comparison and speed.
// [Exact] is a local method for the utility with graces and floors.
//
// The files, from the question to the numbers:
//
//   - optimize.go: settings, result, Solve, and Sweep over a parameter.
//   - certified.go: branch and bound; polish.go improves its best admission, tie.go
//     chooses among admissions that earn the same.
//   - problem.go, payoff.go: the problem in utilizations, and what a class pays there.
//   - node.go: a part of the search space, shrunk by what the best admission earns.
//   - relax.go, dual.go: multipliers of a node, and the bound that follows from any.
//   - lift.go, chain.go, interior.go: the concave problems that propose multipliers,
//     and the interior-point method that solves them.
//   - cg.go, box.go, refine.go: local methods, and the variables that they move.
//   - exact.go: the exact utility.
//   - shadow.go, prices.go: shadow prices, and the externality that a price covers.
//
// Every computation takes a context. If the context ends first, the computation
// returns its error within a tenth of a second.
package optimize

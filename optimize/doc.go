// Package optimize finds the admission probabilities that maximize the revenue
// of a model.System. Static admission has one fixed probability for each class;
// Control and Thresholds find admissions that depend on the queue, which may earn
// more.
//
// The revenue is not concave: a local method can stop at a local maximum, and
// the kinks of max(0, delay - grace) hide ascent directions. Solve therefore
// returns the global optimum of static admission with a proven gap where the
// structure of the problem allows a proof, by branch and bound (see Certified), and
// the best of many local solves elsewhere. ConjugateGradient is a local method, for
// comparison and speed. Exact is a local method for the utility with graces and
// floors.
//
// Every computation takes a context. If the context ends first, the computation
// returns its error within a tenth of a second.
package optimize

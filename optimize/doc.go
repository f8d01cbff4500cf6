// Package optimize finds the admission probabilities that maximize the revenue
// of a model.System: static admission, one fixed probability for each class.
// Admission that looks at the queue may earn more.
//
// The revenue is not concave: a local method can stop at a local maximum, and
// the kinks of max(0, delay - grace) hide ascent directions. Solve therefore
// returns the global optimum of static admission with a proven gap where the
// structure of the problem allows one, by branch and bound (see Certified), and
// the best of many local solves where it does not. ConjugateGradient is a local
// method, kept for comparison and speed, and Exact one for the utility with
// graces and floors.
//
// Every computation takes a context. Where that ends first, it returns the
// context's error, within a tenth of a second.
package optimize

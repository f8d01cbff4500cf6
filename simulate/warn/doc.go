// Package warn has the warnings that a reader of a result should see, as facts.
//
// A [Warning] is a kind with names and numbers. The room that sees the reason makes it with
// [New]; results carry it; package plots/answer makes a sentence of it. The kinds of results
// are listed here, so that a kind means one thing. Packages model/scenario, simulate/fit and
// simulate/slurm have warnings of their own about files, fits, imports and exports.
package warn

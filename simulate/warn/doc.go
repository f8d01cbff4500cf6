// Package warn has the warnings that a reader of a result should see, as facts.
//
// A [Warning] is a code with named values. The room that sees the reason makes it with [New];
// results carry it. Package plots/answer has the list of codes and makes the sentence.
// Packages model/scenario, simulate/fit and simulate/slurm have warnings of their own about
// files, fits, imports and exports.
package warn

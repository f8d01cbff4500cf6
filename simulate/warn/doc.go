// Package warn has the warnings that a reader of a result should see, as facts.
//
// A [Warning] is a kind with names and numbers. The room that sees the reason makes it with
// [New]; results carry it; package plots/report makes a sentence of it. The kinds of all
// rooms are listed here, so that a kind means one thing.
package warn

// Package switchback measures on a site what a rule brings there: it is switched on and off, and a coin decides when.
//
//	plan.go    Plan: time in pairs of spans, and the coins that say which span of a pair has the rule
//	score.go   Trial: what the jobs of each span delivered, once a pair is closed
//	gain.go    Gain: the mean difference of the pairs with its interval, and how many pairs a gain needs
//
// Such a design is a switchback experiment (Bojinov, Simchi-Levi and Zhao 2023). The package knows no format of a
// journal or a log, and no policy.
package switchback

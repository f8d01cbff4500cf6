// Package bench scores policies and schedules on frozen instances with proven bounds.
//
// An instance is a scenario, a seed, an objective and a bound. A family is ten instances of one scenario. Each family is
// a file of testdata/bench, which the program embeds. The jobs of an instance are those of the first replication, and
// every run lasts until the last job has ended. docs/benchmark.md has the rules.
//
//	instance.go  Family, Instance: a file -> jobs with a bound
//	trace.go     public traces, which are known by their text
//	run.go       Run: policies on instances -> scores -> means of families
//	check.go     the score of a schedule that any program has computed
package bench

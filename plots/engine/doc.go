// Package engine answers questions about a scenario by one call for each command: a JSON
// request in, a JSON reply out, with the facts that the command line prints with --json. It
// compiles to WebAssembly, so that a page can hold it. Nothing but traces is kept.
//
// A request has the fields of ask.Request, those that are left out with the defaults of the command line, and
// command: describe, solve, simulate, validate, gantt or yaml. scenario is YAML or the name of a
// built-in scenario, set a list of path=value. A reply has facts; command, the command line that prints them;
// headline, rows, words and warnings for people; or error, one line.
//
//	engine.go    Engine: a call -> ask.Request -> facts -> report -> JSON
//	describe.go  a scenario as a page shows it: sliders and policies
//	gantt.go     the schedule of a few jobs, for the picture of a page
package engine

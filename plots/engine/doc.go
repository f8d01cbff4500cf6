// Package engine answers questions about a scenario by one call for each command: a JSON
// request in, a JSON reply out, with the facts that the command line prints with --json. It
// compiles to WebAssembly, so that a page can hold it. Nothing but traces is kept.
//
//	engine.go    Engine: a call -> request.Request -> facts -> report -> JSON
//	describe.go  a scenario as a page shows it: sliders, policies, limits
//	gantt.go     the schedule of a few jobs, for the picture of a page
package engine

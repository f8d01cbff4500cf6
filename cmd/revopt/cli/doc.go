// Package cli is the command line of revopt. A program of a few lines over it has
// every command, journal, figure and page, with policies of its own:
//
//	func main() { cli.Main(cli.With(mine)) }
//
// Results go to standard output, progress and diagnostics to standard error. The exit
// code is 0 when done, 1 when something could not be done, 2 for bad usage or bad
// input, 3 if the printed result falls short of the question, 70 for a fault of the
// program itself, 130 when interrupted and 141 when nobody reads the output. Files that were asked for are
// written before anything is printed.
//
// A command is a function with flags, in a file of its name (solve.go, trace_fit.go). It goes
//
//	arguments -> flags (app.go, args.go) -> scenario (scenario.go) -> ask.Request (request.go) -> answer
//	answer -> report -> terminal and files (output.go)
//
//	cli.go, run.go   Main: context, signals, exit codes
//	help.go          help out of help.txt; completion.go, version.go beside it
//	print*.go        standard output
//	journal.go       directories that keep finished cells, shards and Slurm
package cli

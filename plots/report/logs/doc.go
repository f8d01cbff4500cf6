// Package logs reports logs of jobs: a trace and its customers (trace.go), an imported log and its replay (log.go),
// and the scenario to begin with that is written of them (draft.go), with the policies that reproduce the log best
// (now.go). The figures are in drawn.go.
package logs

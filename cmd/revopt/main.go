// Revopt computes which share of each class of jobs a compute cluster should
// admit to earn most, and draws what follows from it.
//
// Usage:
//
//	revopt COMMAND [flags] [arguments]
//
// See revopt --help. Results go to standard output, progress and diagnostics
// to standard error. The exit code is 0 when done, 1 when something could not
// be done, 2 for bad usage or bad input, 70 for a fault of the program itself and
// 130 when interrupted.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

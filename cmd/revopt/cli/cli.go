package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
	"revopt/simulate/subject"
)

// Option changes what Main knows.
type Option func(*program)

// With adds policies to those of revopt. One with the name of another takes its place.
func With(specs ...policy.Spec) Option {
	return func(p *program) {
		for _, s := range specs {
			p.specs = policy.Replace(p.specs, s)
		}
	}
}

// Main runs the command line of the process and exits.
func Main(options ...Option) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup makes it
		signals = append(signals, syscall.SIGHUP)
	}
	// Without this, a write to a pipe that nobody reads ends the program: see printer.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, options...))
}

// newProgram returns a program with the policies of revopt and the given options.
func newProgram(options []Option) *program {
	p := &program{specs: append(subject.Standard(), exec.Spec(exec.Options{}))}
	for _, o := range options {
		o(p)
	}
	return p
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/cells"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFault       = 70 // of the program itself
	exitInterrupted = 130
)

// program is one run of the command line.
type program struct {
	args   []string
	stdin  io.Reader
	stdout *bufio.Writer // results
	stderr io.Writer     // progress and diagnostics
}

// run executes a command line, without the program's name, and returns the
// exit code. Where ctx is canceled it returns as soon as it can, keeping the
// files that are finished.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{args: args, stdin: stdin, stdout: bufio.NewWriter(stdout), stderr: stderr}
	err := p.dispatch(ctx)
	if flushed := p.flush(); err == nil {
		err = flushed
	}
	return p.report(err)
}

// dispatch finds the command that the arguments name and runs it.
func (p *program) dispatch(ctx context.Context) error {
	app := p.app()
	if len(p.args) > 0 && p.args[0] == completeWord {
		return p.complete(app, p.args[1:])
	}
	inv, err := arrange(app, p.args)
	switch {
	case err != nil:
		return err
	case inv.help:
		return p.help(app, inv)
	}
	return app.RunContext(ctx, append([]string{app.Name}, inv.line()...))
}

// report prints why a command failed, on one line, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitDone
	}
	var usage *usageError
	var bad *scenario.Error
	var badTrace *workload.Error
	var otherBuild *cells.OtherBuildError
	var fault *cells.PanicError
	code, message := exitFailed, err.Error()
	switch {
	case errors.As(err, &usage), errors.As(err, &bad), errors.As(err, &badTrace), errors.As(err, &otherBuild):
		code = exitUsage
	case errors.As(err, &fault):
		code = exitFault
	case errors.Is(err, context.Canceled):
		code, message = exitInterrupted, strings.TrimSuffix(message, context.Canceled.Error())+"interrupted"
	}
	fmt.Fprintf(p.stderr, "revopt: %s\n", oneLine(message))
	return code
}

// warn prints warnings after the results, unless the command line asks for
// quiet.
func (p *program) warn(c *cli.Context, warnings []string) error {
	if c.Bool("quiet") {
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(p.stderr, "revopt: warning: %s\n", oneLine(w))
	}
	return nil
}

// flush hands on the results so far.
func (p *program) flush() error {
	if err := p.stdout.Flush(); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}

// usageError is a command line that cannot be understood.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// await runs f and returns what it returns, or the reason for which ctx ended
// before. The work of f is then abandoned, so f must have no effects.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// isTerminal reports whether somebody may be watching what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"revopt/internal/budget"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/internal/workdir"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/analytic"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
	lab "revopt/simulate/run"
	"revopt/simulate/workload"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitShort       = 3  // the result is printed, and is not what was asked for
	exitFault       = 70 // of the program itself
	exitInterrupted = 130
	exitUnread      = 141 // nobody reads the output; as after SIGPIPE
)

// program is one run of the command line.
type program struct {
	args   []string
	specs  []policy.Spec // policies by name
	stdin  io.Reader
	stdout *bufio.Writer // results
	exec   exec.Options
	parent atomic.Bool    // stdin and the printer are for the policy exec:-
	stderr io.Writer      // progress and diagnostics
	stop   func(error)    // ends what runs, for a reason
	budget *budget.Budget // nil: what is available

	printer *printer // under stdout

	kept    string // directory that keeps what is finished; "" where there is none
	scratch string // directory that is removed at the end; "" where there is none
}

// run executes a command line and returns the exit code. If ctx is canceled it returns as soon as it can,
// and keeps the files that are finished.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, options ...Option) int {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := newProgram(options)
	p.args = args
	p.stdin = stdin
	p.printer = &printer{w: stdout}
	p.stdout = bufio.NewWriter(p.printer)
	p.stderr = stderr
	p.stop = stop
	_, err := simulate.Guard(func() (any, error) { return nil, p.dispatch(ctx) })
	os.RemoveAll(p.scratch)
	if cause := context.Cause(ctx); isA[*budget.Error](cause) && errors.Is(err, context.Canceled) {
		words := strings.TrimSuffix(strings.TrimSuffix(err.Error(), context.Canceled.Error()), ": ")
		err = errors.New(strings.TrimPrefix(words+": ", ": ") + cause.Error())
	}
	if ended := p.flush(); err == nil {
		err = ended
	}
	if p.printer.gone && (err == nil || isA[*printError](err)) {
		return exitUnread
	}
	return p.report(err)
}

// dispatch finds the command that the arguments name and runs it.
func (p *program) dispatch(ctx context.Context) error {
	app := p.app()
	switch {
	case len(p.args) > 0 && p.args[len(p.args)-1] == completeFlag:
		return app.RunContext(ctx, append([]string{app.Name}, p.args...))
	case p.helpCode():
		return nil
	}
	inv, err := arrange(app, p.args)
	switch {
	case err != nil:
		return err
	case inv.help:
		p.help(app, inv)
		return nil
	}
	return app.RunContext(ctx, append([]string{app.Name}, inv.line()...))
}

// limit gives a command its budget of memory.
func (p *program) limit(c *cli.Context) {
	b := p.budget
	if b == nil {
		b = budget.Available()
	}
	c.Context = b.Context(c.Context)
	go b.Watch(c.Context, p.stop)
}

// report prints why a command failed, on one line, and returns the exit code.
func (p *program) report(err error) int {
	if err == nil {
		return exitDone
	}
	var fault *simulate.PanicError
	var short *shortError
	code, message := exitFailed, err.Error()
	if bad := (*workload.Error)(nil); errors.As(err, &bad) && bad.Format != "" {
		message += ": see revopt trace import --help"
	}
	switch {
	case errors.As(err, &fault):
		return p.fault(fault, fault.Stack)
	case errors.Is(err, context.Canceled):
		code = exitInterrupted
		if words, bare := strings.CutSuffix(message, context.Canceled.Error()); bare {
			message = words + "interrupted"
		}
	case cramped(err):
	case badInput(err):
		code = exitUsage
	case errors.As(err, &short):
		code = exitShort
	}
	// Joined errors are on separate lines.
	fmt.Fprintf(p.stderr, "revopt: %s\n", text.OneLine(strings.ReplaceAll(message, "\n", "; ")))
	return code
}

// fault reports a fault of the program. Its stack is shown where the environment
// asks for it.
//
// A fault in a policy of another module is shown with the frames of that module.
func (p *program) fault(value any, stack []byte) int {
	if frames := foreign(string(stack), otherModule()); frames != "" {
		fmt.Fprintf(p.stderr, "revopt: %s\n%s", text.OneLine(fmt.Sprint(value)), frames)
		return exitFault
	}
	fmt.Fprintf(p.stderr, "revopt: a bug: %s; please report it with the command line (GOTRACEBACK=all shows where)\n",
		text.OneLine(fmt.Sprint(value)))
	if os.Getenv("GOTRACEBACK") == "all" {
		p.stderr.Write(stack)
	}
	return exitFault
}

// foreign returns the frames of a stack in package main and in a module. The main function of
// a program calls all others, and does not count.
func foreign(stack, module string) string {
	var frames strings.Builder
	lines := strings.Split(stack, "\n")
	for i := 1; i+1 < len(lines); i += 2 {
		name := lines[i]
		if strings.HasPrefix(name, "main.") && !strings.HasPrefix(name, "main.main(") ||
			module != "" && strings.HasPrefix(name, module+"/") {
			frames.WriteString(name + "\n" + lines[i+1] + "\n")
		}
	}
	return frames.String()
}

// otherModule returns the module of the program if it is not revopt.
func otherModule() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path != "revopt" {
		return info.Main.Path
	}
	return ""
}

// badInput reports whether an error is about the command line or a file that it names.
func badInput(err error) bool {
	return slices.ContainsFunc([]func(error) bool{
		isA[*usageError], isA[*scenario.Error], isA[*workload.Error], isA[*workload.SelectorError],
		isA[*policy.NeedError], isA[*policy.UnknownError],
		isA[*policy.OptionError], isA[*budget.Error],
		isA[*plots.StyleError], isA[*answer.NoTableError],
		isA[*analytic.NoModelError], isA[*analytic.NoDemandError],
		isA[*workdir.OtherWorkError], isA[*lab.TooManyError], isA[*workdir.OtherBuildError], isA[*workdir.ForgedError],
		isA[*safefile.RefusedError],
	}, func(is func(error) bool) bool { return is(err) })
}

// cramped reports whether an error is a lack of address space, which is no fault of the command line.
func cramped(err error) bool {
	var space *budget.Error
	return errors.As(err, &space) && space.Space
}

func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// parsed reads the value of a flag. An error is one of usage and names the flag.
func parsed[T any](flag, value string, parse func(string) (T, error)) (T, error) {
	read, err := parse(value)
	if err != nil {
		return read, usagef("--%s: %v", flag, err)
	}
	return read, nil
}

// usageError is a command line that cannot be understood.
type usageError = ask.UsageError

func usagef(format string, args ...any) error {
	return &usageError{Message: fmt.Sprintf(format, args...)}
}

// shortError is a result that was printed and falls short of what was asked for.
type shortError struct{ message string }

func (e *shortError) Error() string { return e.message }

// await runs f and returns its results, or the error of ctx if that ends first. The work
// of f is then abandoned, so f must have no effects.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := simulate.Guard(f)
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

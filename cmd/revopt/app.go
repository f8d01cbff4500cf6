package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
)

// app returns the table of commands. It is made anew for every run, because
// the parser keeps its state in it.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:  "revopt",
		Usage: "which jobs should a cluster admit to earn most?",
		Commands: []*cli.Command{
			p.solveCommand(),
			p.curveCommand(),
			p.waitCommand(),
			p.simulateCommand(),
			p.validateCommand(),
			p.whatIfCommand(),
			p.sweepCommand(),
			p.showCommand(),
			p.compareCommand(),
			p.plotCommand(),
			p.figureCommand(),
			p.traceCommand(),
			p.exportCommand(),
			p.scenarioCommand(),
			p.completionCommand(),
			p.versionCommand(),
		},
		HideHelp:                  true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true, // commas are part of a YAML value
		ExitErrHandler:            func(*cli.Context, error) {},
		Writer:                    p.stdout,
		ErrWriter:                 p.stderr,
	}
	p.prepare(app.Commands)
	return app
}

// prepare turns off the parser's own help, and has the files that commands
// write and the memory that they may use checked before they compute anything.
func (p *program) prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelp = true
		p.prepare(c.Subcommands)
		if len(c.Subcommands) > 0 {
			continue
		}
		c.Before = func(c *cli.Context) error {
			inputs := []string{c.String("trace")}
			for _, arg := range c.Args().Slice() {
				if arg == "-" {
					arg = "/dev/stdin"
				}
				inputs = append(inputs, arg, filepath.Join(arg, tableFile)) // of the directory of a sweep
			}
			if err := checkOutputs(c, inputs...); err != nil {
				return err
			}
			return p.limit(c)
		}
	}
}

// scenarioFlags change the scenario that a command reads.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "load", Usage: "`X` offered load, such as 0.6 or 60%; short for --set load=X"},
		&cli.StringFlag{Name: "growth", Usage: "`X` more arrivals, such as 20%; short for --set growth=X"},
		&cli.StringSliceFlag{Name: "set", Usage: "`PATH=VALUE` override a field, such as classes.HvHu.decay=3; repeatable"},
		memoryFlag(),
	}
}

func memoryFlag() cli.Flag {
	return &cli.StringFlag{Name: "max-memory", Usage: "`SIZE` refuse what needs more, such as 4GB (default 3/4 of what there is)"}
}

func gapFlag() cli.Flag {
	return &cli.Float64Flag{Name: "gap", Value: 1e-6, Usage: "`G` relative gap to prove between the optimum and its bound"}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object instead of a table"}
}

func csvFlag(what string) cli.Flag {
	return &cli.StringFlag{Name: "csv", Usage: "`FILE` write " + what + " to a file as well"}
}

func saveFlag() cli.Flag {
	return &cli.StringFlag{Name: "save", Usage: "`FILE` keep the result, for revopt show, compare and plot"}
}

func quietFlag(what string) cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no " + what}
}

func seedFlag(of string) cli.Flag {
	return &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of " + of}
}

func workersFlag(what string) cli.Flag {
	return &cli.IntFlag{Name: "workers", Value: runtime.NumCPU(), DefaultText: "all processors", Usage: "`N` " + what + " at a time; changes no result"}
}

// workers returns how many goroutines the command line asks for.
func workers(c *cli.Context) (int, error) {
	n := c.Int("workers")
	if n < 1 {
		return 0, usagef("--workers: expected a whole number of at least 1, got %d", n)
	}
	return n, nil
}

func outFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: usage}
}

// help prints what a command does, or what commands there are.
func (p *program) help(app *cli.App, v *invocation) error {
	if v.command == nil {
		fmt.Fprintf(p.stdout, "revopt: %s\n\nUsage: revopt COMMAND [flags] [arguments]\n\nCommands:\n", app.Usage)
		printCommands(p.stdout, app.Commands)
		fmt.Fprint(p.stdout, appExample)
		return nil
	}
	name := "revopt " + strings.Join(v.names, " ")
	usage := strings.TrimSpace(name + " " + v.command.ArgsUsage)
	fmt.Fprintf(p.stdout, "%s: %s\n\nUsage: %s\n", name, v.command.Usage, usage)
	if v.command.Description != "" {
		fmt.Fprintf(p.stdout, "\n%s\n", strings.TrimSpace(v.command.Description))
	}
	if !v.leaf() {
		fmt.Fprint(p.stdout, "\nCommands:\n")
		printCommands(p.stdout, v.command.Subcommands)
		return nil
	}
	fmt.Fprint(p.stdout, "\nFlags:\n")
	printFlags(p.stdout, v.command.Flags)
	return nil
}

const appExample = `
A SCENARIO is a YAML file, the name of a built-in one, or - for standard input.

Examples:
  revopt scenario list                  what is built in
  revopt scenario show nist-four        a scenario to start from
  revopt solve nist-four --load 0.6     the admission that earns most
  revopt COMMAND --help                 more about a command
`

func printCommands(w io.Writer, commands []*cli.Command) {
	var rows [][]string
	for _, c := range commands {
		rows = append(rows, []string{"  " + c.Name, c.Usage})
	}
	text.Align(w, rows, 2)
}

// visible returns the flags that a help shows.
func visible(flags []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		v, ok := f.(cli.VisibleFlag)
		return ok && !v.IsVisible()
	})
}

func printFlags(w io.Writer, flags []cli.Flag) {
	rows := flagRows(flags)
	for _, row := range rows {
		row[0] = "  " + row[0]
	}
	text.Align(w, append(rows, []string{"  --help, -h", "print this"}), 2)
}

// flagRows returns the flags that a help shows, as they are written and what they do.
func flagRows(flags []cli.Flag) [][]string {
	var rows [][]string
	for _, f := range visible(flags) {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			panic(fmt.Sprintf("revopt: flag %v is not documented", f.Names()))
		}
		value, usage := valueName(doc.GetUsage())
		names := strings.Join(dashed(f), ", ")
		if value != "" {
			names += " " + value
		}
		preset := doc.GetValue()
		if n, ok := f.(*cli.IntFlag); ok {
			preset = cmp.Or(n.DefaultText, preset)
		}
		if doc.TakesValue() && preset != "" && preset != "0" { // 0 stands for something else
			usage += " (default " + preset + ")"
		}
		rows = append(rows, []string{names, usage})
	}
	return rows
}

// valueName splits a flag's description into the name of its value, which
// stands first and in back quotes, and the rest.
func valueName(usage string) (name, rest string) {
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		return parts[1], strings.TrimSpace(parts[2])
	}
	return "", usage
}

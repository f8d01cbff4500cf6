package main

import (
	"github.com/urfave/cli/v2"
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
			p.sweepCommand(),
			p.figureCommand(),
			p.traceCommand(),
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
	prepare(app.Commands)
	return app
}

// prepare turns off the parser's own help, see help.go, and has the files that
// commands write checked before they compute anything.
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelp, c.Before = true, checkOutputs
		prepare(c.Subcommands)
	}
}

// scenarioFlags change the scenario that a command reads.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "load", Usage: "`X` offered load, such as 0.6 or 60%; short for --set load=X"},
		&cli.StringSliceFlag{Name: "set", Usage: "`PATH=VALUE` override a field, such as classes.HvHu.decay=3; repeatable"},
	}
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

func quietFlag(what string) cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no " + what}
}

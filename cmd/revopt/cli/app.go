package cli

import (
	"math"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/simulate/ask"
)

// app returns the table of commands. It is made anew for every run, because
// the parser keeps its state in it.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:     "revopt",
		HelpName: "revopt",
		Commands: []*cli.Command{
			{Name: "init", Flags: initFlags(), Action: p.init},
			{Name: "solve", Flags: solveFlags(), Action: p.solve},
			{Name: "simulate", Flags: simulateFlags(), Action: p.simulate},
			{Name: "validate", Flags: validateFlags(), Action: p.validate},
			{Name: "whatif", Flags: whatIfFlags(), Action: p.whatIf},
			{Name: "tune", Flags: tuneFlags(), Action: p.tune},
			{Name: "explore", Flags: exploreFlags(), Action: p.explore},
			{Name: "sweep", Flags: sweepFlags(), Action: p.sweep},
			{Name: "figure", Flags: paperFlags(), Action: p.figure},
			{Name: "trace", Subcommands: []*cli.Command{
				{Name: "import", Flags: traceImportFlags(), Action: p.traceImport},
				{Name: "waits", Flags: traceWaitsFlags(), Action: p.traceWaits},
				{Name: "info", Flags: traceInfoFlags(), Action: p.traceInfo},
				{Name: "clean", Flags: traceCleanFlags(), Action: p.traceClean},
				{Name: "generate", Flags: traceGenerateFlags(), Action: p.traceGenerate},
				{Name: "fit", Flags: traceFitFlags(), Action: p.traceFit},
			}},
			p.benchCommand(),
			p.exportCommand(),
			{Name: "scenario", Subcommands: []*cli.Command{
				{Name: "list", Action: p.scenarioList}, {Name: "show", Action: p.scenarioShow},
			}},
			{Name: "completion", Action: p.completion},
			{Name: "version", Flags: []cli.Flag{jsonFlag()}, Action: p.version},
		},
		HideHelp:                  true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true, // commas are part of a YAML value
		EnableBashCompletion:      true,
		ExitErrHandler:            func(*cli.Context, error) {},
		Writer:                    p.stdout,
		ErrWriter:                 p.stderr,
	}
	_, app.Usage, app.UsageText = p.section("revopt")
	for _, c := range app.Commands {
		p.describe(c.Name, c)
	}
	p.prepare(app.Commands)
	return app
}

// prepare turns off the parser's help, and makes each command check its output files and its memory
// before it computes.
func (p *program) prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelp = true
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) }
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
				inputs = append(inputs, arg, filepath.Join(arg, ask.SweepTable)) // of the directory of a sweep
			}
			if err := checkOutputs(c, inputs...); err != nil {
				return err
			}
			if err := p.setExec(c); err != nil {
				return err
			}
			p.limit(c)
			return nil
		}
	}
}

func stringFlag(name, usage string) cli.Flag { return &cli.StringFlag{Name: name, Usage: usage} }

func presetFlag(name, value, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Value: value, Usage: usage}
}

// choice is a flag with few values. Others are refused, and shells complete them.
type choice struct {
	*cli.StringFlag
	values []string
}

func choiceFlag[S ~string](name, preset, usage string, values ...S) cli.Flag {
	words := text.Each(values, func(value S) string { return string(value) })
	return &choice{&cli.StringFlag{Name: name, Value: preset, Usage: usage}, words}
}

// whole is a flag for a whole number in a range.
type whole struct {
	*cli.IntFlag
	least, most int
}

// Default says in words what stands for the default.
func (f *whole) Default() string { return f.DefaultText }

func wholeFlag(name string, least, most, preset int, usage string) *whole {
	return &whole{&cli.IntFlag{Name: name, Value: preset, Usage: usage}, least, most}
}

// above0 is a flag for a number above 0 and below a limit.
type above0 struct {
	*cli.Float64Flag
	below float64
}

func above0Flag(name string, below, preset float64, usage string) cli.Flag {
	return &above0{&cli.Float64Flag{Name: name, Value: preset, Usage: usage}, below}
}

// except returns flags without those of some names.
func except(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return slices.Contains(names, f.Names()[0]) })
}

func listFlag(name, usage string) cli.Flag { return &cli.StringSliceFlag{Name: name, Usage: usage} }

func boolFlag(name, usage string) cli.Flag { return &cli.BoolFlag{Name: name, Usage: usage} }

// scenarioFlags change the scenario that a command reads.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag("load", "`X` offered load, such as 0.6 or 60%; short for --set load=X"),
		listFlag("set", "`PATH=VALUE` override a field, such as classes.HvHu.decay=3; repeatable"),
	}
}

func gapFlag() cli.Flag {
	return under(methodGroup, above0Flag("gap", 1, 1e-6,
		"`G` stop when optimum and bound differ by at most this share"))
}

func jsonFlag() cli.Flag { return boolFlag("json", "print one JSON object instead of a table") }

func csvFlag(what string) cli.Flag { return stringFlag("csv", "`FILE` also write "+what+" to a file") }

func quietFlag(what string) cli.Flag {
	return under(resultGroup, &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no " + what})
}

func seedFlag(what string) cli.Flag {
	return under(methodGroup, &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of " + what})
}

func workersFlag(what string) cli.Flag {
	f := wholeFlag("workers", 1, math.MaxInt, runtime.NumCPU(),
		"`N` number of "+what+" in parallel; results do not depend on it")
	f.DefaultText = "all processors"
	return under(limitGroup, f)
}

func outFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: usage}
}

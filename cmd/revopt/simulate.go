package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

func (p *program) simulateCommand() *cli.Command {
	return &cli.Command{
		Name:      "simulate",
		Usage:     "what a cluster earns in replicated simulations, with confidence intervals",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Simulates the jobs of a scenario one by one, with their floors and expiry, and
reports what the cluster earns and how long jobs wait, each with a confidence
interval. Several policies and admissions are compared on the same jobs.

An admission is all; analytic, what solve finds; simulated, searched on the
simulator itself and reported on fresh random numbers; or probabilities, one per
class as in 1,1,0.5,0 or by name as in batch=0.5, the others being admitted.

Examples:
  revopt simulate nist-cluster --load 3 --admission all --admission analytic --admission simulated
  revopt simulate nist-cluster-widths --policy hol,hol:backfill=true,fcfs
  revopt simulate nist-cluster --precision 1% --metric utilization --json`,
		Flags:  simulateFlags(),
		Action: p.simulate,
	}
}

func simulateFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "policy", Value: "hol", Usage: "`LIST` policies by commas, options as in hol:backfill=true"},
		&cli.StringSliceFlag{Name: "admission", Usage: "`A` all, analytic, simulated, or probabilities; repeatable (default all)"},
		&cli.StringFlag{Name: "replications", Usage: "`N` replications; with --precision at most, then by default 1280"},
		&cli.StringFlag{Name: "jobs", Usage: "`N` jobs per replication, warm-up included"},
		&cli.StringFlag{Name: "horizon", Usage: "`T` length of a replication as a time, such as 182d"},
		&cli.StringFlag{Name: "warmup", Usage: "`W` to leave out: a share such as 10%, a time such as 2h, or mser (MSER-5)"},
		&cli.StringFlag{Name: "precision", Usage: "`P` replicate until the interval is this share of the mean, such as 1%"},
		&cli.StringFlag{Name: "metric", Usage: "`M` whose interval --precision looks at (default revenue_per_second)"},
		&cli.StringFlag{Name: "level", Value: "0.95", Usage: "`L` level of confidence of the intervals"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of the random numbers"},
		&cli.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "`N` replications to run at a time; changes no result"},
		&cli.StringFlag{Name: "records", Usage: "`FILE` write a line of CSV for every job of the first replication"},
		&cli.StringFlag{Name: "gantt", Usage: "`FILE` draw who runs where in the first replication"},
		&cli.BoolFlag{Name: "classes", Usage: "print the table of classes even where several are compared"},
	}, append(scenarioFlags(), jsonFlag(), csvFlag("all figures"), quietFlag("progress and no warnings"))...)
}

func (p *program) simulate(c *cli.Context) error {
	in, err := p.openSimulation(c)
	if err != nil {
		return err
	}
	if in.doc.IsTrace() {
		return p.simulateTrace(c, in)
	}
	if in.doc.IsGrid() {
		return p.simulateGrid(c, in)
	}
	o, err := simulateOptions(c, metric.Figures())
	if err != nil {
		return err
	}
	if o.policies, err = parsePolicies(c.String("policy"), sweep.LookupPolicy); err != nil {
		return err
	}
	sc, err := in.doc.ClassScenario()
	if err != nil {
		return err
	}
	wishes, err := parseAdmissions(c.StringSlice("admission"), sc.Classes)
	if err != nil {
		return err
	}
	r := &simulation{options: o, sc: sc, wishes: wishes, stderr: p.stderr, quiet: c.Bool("quiet")}
	compared, err := r.run(c.Context)
	if err != nil && (!errors.Is(err, context.Canceled) || compared.Replications() == 0) {
		return err
	}
	report := newSimulateReport(r, compared, in.overrides)
	report.Interrupted = err != nil
	if err == nil {
		if err := errors.Join(writeRecords(c, r.recorded()), p.writeGantt(c, r.sc.Name, o.seed, r.recorded())); err != nil {
			return err
		}
	}
	// What is finished is worth having even where the rest was interrupted.
	return errors.Join(p.printSimulation(c, report), r.interruption(compared, err))
}

// printSimulation writes what the command line asks for.
func (p *program) printSimulation(c *cli.Context, report *simulateReport) error {
	if path := c.String("csv"); path != "" {
		if err := writeTable(path, report.provenance(p.args), report.records()); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return p.printJSON(report)
	}
	report.print(p.stdout, c.Bool("classes"))
	return p.warn(c, report.Warnings)
}

// openSimulation reads the scenario and gives it the length and number of
// replications of the command line.
func (p *program) openSimulation(c *cli.Context) (*input, error) {
	in, err := p.open(c)
	if err != nil {
		return nil, err
	}
	var extra []scenario.Override
	for _, name := range []string{"replications", "jobs", "horizon", "warmup"} {
		value := c.String(name)
		if !c.IsSet(name) || name == "warmup" && value == warmupMSER {
			continue
		}
		path, source := "simulation."+name, "--"+name+" "+value
		switch {
		case name == "jobs" && in.doc.IsTrace():
			path, value = "trace.jobs", subsetOf(value)
		case name != "replications" && (in.doc.IsTrace() || in.doc.IsGrid()):
			return nil, usagef("--%s: expected with job classes only: a trace or a grid has the jobs it has and no warm-up%s", name, instead(name, in.doc))
		}
		extra = append(extra, scenario.Override{Path: path, Value: value, Source: source})
		in.overrides = append(in.overrides, path+"="+value)
	}
	in.doc, err = in.doc.With(extra...)
	return in, err
}

// instead says what sets the number of jobs where --jobs does not.
func instead(flag string, doc *scenario.Document) string {
	if flag != "jobs" || !doc.IsGrid() {
		return ""
	}
	return ", see applications.count or batch.jobs"
}

// warmupMSER asks for the warm-up that MSER-5 finds.
const warmupMSER = "mser"

// simulateSettings are the flags that are not about the scenario.
type simulateSettings struct {
	policies []chosenPolicy
	seed     uint64
	workers  int
	level    float64
	mser     bool
	stop     *sweep.Stop // nil runs the scenario's number of replications
	capped   bool        // the command line says how many replications at most
}

// simulateOptions reads the flags, but for the policies; figures are those
// that --metric may name.
func simulateOptions(c *cli.Context, figures []metric.Figure) (simulateSettings, error) {
	o := simulateSettings{seed: c.Uint64("seed"), workers: c.Int("workers"), mser: c.String("warmup") == warmupMSER, capped: c.IsSet("replications")}
	if o.workers < 1 {
		return o, usagef("--workers: expected a whole number of at least 1, got %d", o.workers)
	}
	level, ok := fraction(c.String("level"))
	if !ok || level >= 1 {
		return o, usagef("--level: expected a share above 0 and below 1 such as 0.95, got %q", c.String("level"))
	}
	o.level = level
	var err error
	o.stop, err = precisionOption(c, figures)
	return o, err
}

// precisionOption returns when to stop, nil where the command line does not say.
func precisionOption(c *cli.Context, figures []metric.Figure) (*sweep.Stop, error) {
	if !c.IsSet("precision") {
		if c.IsSet("metric") {
			return nil, usagef("--metric: expected --precision with it, such as --precision 1%%")
		}
		return nil, nil
	}
	relative, ok := fraction(c.String("precision"))
	if !ok {
		return nil, usagef("--precision: expected a share of the mean above 0 such as 1%%, got %q", c.String("precision"))
	}
	figure, name := metric.RevenuePerSecond(), c.String("metric")
	if c.IsSet("metric") {
		i := slices.IndexFunc(figures, func(f metric.Figure) bool { return f.Name == name })
		if i < 0 {
			return nil, usagef("--metric: expected one of %s, got %q", strings.Join(figureNames(figures), ", "), name)
		}
		figure = figures[i]
	}
	return &sweep.Stop{Figure: figure, Precision: metric.Precision{Relative: relative}}, nil
}

func figureNames(figures []metric.Figure) []string {
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return names
}

// interruption says how far a run came that was interrupted.
func (r *simulation) interruption(compared sweep.Compared, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("simulate: stopped after %d of %s: %w", compared.Replications(), plural(r.most, "replication"), err)
}

package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

func (p *program) traceFitCommand() *cli.Command {
	return &cli.Command{
		Name:      "fit",
		Usage:     "job classes that offer the load of a trace, as a scenario for solve",
		ArgsUsage: "FILE|SCENARIO [flags]",
		Description: `Fits job classes to a trace and prints them as a scenario that solve, curve, wait
and simulate read, with figures of how well they fit as comments. Warns where the
queueing model will be far off. A class in which some deadlines are hard and others
soft becomes two, also where --classes says how many.

FILE is a trace, or sp2-like for generated jobs: deadlines and budgets are then
those of the built-in scenario sp2-like, all jobs are taken and arrive as recorded.
A trace scenario (a .yaml file, - or a built-in such as sp2-sla) brings its own.

Examples:
  revopt trace fit SDSC-SP2-1998-4.2-cln.swf.gz --jobs last:5000 > fit.yaml
  revopt solve fit.yaml
  revopt trace fit sp2-sla --by cluster --classes 3
  revopt trace fit jobs.swf --set qos.hard=all --set trace.arrival_delay_factor=0.5`,
		Flags:  traceFitFlags(),
		Action: p.traceFit,
	}
}

func traceFitFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "by", Value: string(workload.ByUrgency), Usage: "`WHAT` makes a class: urgency, queue, user, group or cluster"},
		&cli.IntFlag{Name: "classes", Usage: "`K` at most so many; 0 is 8, for clusters what the silhouette says"},
		&cli.BoolFlag{Name: "own-widths", Usage: "classes keep the widths of their own jobs: better to simulate, worse to solve"},
		&cli.StringFlag{Name: "residual", Value: "pooled", Usage: "`R` delays of one pooled server, or multiserver"},
		&cli.Float64Flag{Name: "fall", Value: 1, Usage: "`X` mean slacks in which the value of a hard deadline falls to nothing"},
		&cli.StringFlag{Name: "jobs", Usage: "`SUBSET` all, last:N, first:N or from:T1:T2; short for --set trace.jobs"},
		&cli.StringFlag{Name: "cleaning", Usage: "`RULE` keep, reject or drop jobs that never ran; short for --set trace.cleaning"},
		&cli.StringFlag{Name: "nodes", Usage: "`N` size of the machine; short for --set trace.nodes"},
		&cli.StringSliceFlag{Name: "set", Usage: "`PATH=VALUE` override a field of the trace scenario, such as qos.hard=all; repeatable"},
		seedFlag(),
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` write the scenario to a file and print only the figures"},
		jsonFlag(), quietFlag("warnings"),
	}
}

// traceFitOptions reads the flags that are not about the trace.
func traceFitOptions(c *cli.Context) (workload.FitOptions, error) {
	o := workload.FitOptions{
		By: workload.FitBy(c.String("by")), Classes: c.Int("classes"), OwnWidths: c.Bool("own-widths"),
		Fall: c.Float64("fall"), Seed: c.Uint64("seed"),
	}
	if !slices.Contains(workload.FitKinds(), o.By) {
		return o, usagef("--by: expected urgency, queue, user, group or cluster, got %q", o.By)
	}
	if o.Classes < 0 || o.Classes > 1000 {
		return o, usagef("--classes: expected a whole number from 0 to 1000, got %d", o.Classes)
	}
	if o.Classes > 0 && o.By == workload.ByUrgency {
		return o, usagef("--classes: expected --by queue, user, group or cluster with it, there are two urgencies")
	}
	if !(o.Fall > 0) || math.IsInf(o.Fall, 0) {
		return o, usagef("--fall: expected a number above 0, got %g", o.Fall)
	}
	switch residual := c.String("residual"); residual {
	case "pooled":
	case "multiserver":
		o.Multiserver = true
	default:
		return o, usagef("--residual: expected pooled or multiserver, got %q", residual)
	}
	return o, nil
}

// openFit reads what to fit as a trace scenario.
func (p *program) openFit(c *cli.Context) (*scenario.Trace, []string, error) {
	if err := exactly(c, "FILE"); err != nil {
		return nil, nil, err
	}
	doc, err := p.fitDocument(c.Args().First())
	if err != nil {
		return nil, nil, err
	}
	list, err := overrides(c)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"jobs", "cleaning", "nodes"} {
		if value := c.String(name); c.IsSet(name) {
			if name == "jobs" {
				value = subsetOf(value)
			}
			list = append(list, scenario.Override{Path: "trace." + name, Value: value, Source: "--" + name + " " + c.String(name)})
		}
	}
	var applied []string
	for _, o := range list {
		applied = append(applied, o.Path+"="+o.Value)
	}
	if doc, err = doc.With(list...); err != nil {
		return nil, nil, err
	}
	if !doc.IsTrace() {
		return nil, nil, &scenario.Error{File: doc.File(), Message: "expected a trace or a scenario with one, got one without"}
	}
	sc, err := doc.Trace(sweep.KnownPolicies())
	if err == nil && sc.QoS == nil {
		err = &scenario.Error{File: doc.File(), Message: "expected a section qos, without which jobs pay nothing (--set 'qos={high_urgency: 0.2}' takes the defaults)"}
	}
	return sc, applied, err
}

// bareTrace is the scenario of a trace that stands alone. Its qos is that of
// the built-in scenario sp2-like (Yeo and Buyya 2007, Table I), which are the
// defaults.
const bareTrace = `trace: {file: sp2-like, jobs: all, cleaning: keep, arrival_delay_factor: 1}
qos: {high_urgency: 0.2, hard: high}
`

// fitDocument opens a trace scenario, or makes one around a trace.
func (p *program) fitDocument(name string) (*scenario.Document, error) {
	builtin := slices.ContainsFunc(scenario.Builtins(), func(i scenario.Info) bool { return i.Name == name })
	ending := strings.ToLower(filepath.Ext(name))
	if name != scenario.SP2Like && builtin || name == "-" || ending == ".yaml" || ending == ".yml" {
		return p.document(name)
	}
	doc, err := scenario.Parse(name, []byte(bareTrace))
	if err != nil {
		return nil, err
	}
	title := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".gz"), ".swf")
	return doc.With(
		scenario.Override{Path: "trace.file", Value: strconv.Quote(name), Source: name},
		scenario.Override{Path: "name", Value: strconv.Quote(title), Source: name})
}

func (p *program) traceFit(c *cli.Context) error {
	o, err := traceFitOptions(c)
	if err != nil {
		return err
	}
	sc, applied, err := p.openFit(c)
	if err != nil {
		return err
	}
	o.Name, o.Day = sc.Name+"-fit", 86400*sc.Delay
	r, err := await(c.Context, func() (*fitReport, error) { return newFitReport(sc, o) })
	if err != nil {
		return err
	}
	r.Overrides = append(r.Overrides, applied...)
	text := r.text(commandLine(p.args))
	out := c.String("out")
	if out != "" {
		if err := writeFile(out, text); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		r.YAML = string(text)
		return p.printJSON(r)
	case out != "":
		fmt.Fprintf(p.stdout, "%s: job classes of %s: %d\n%s\n", oneLine(out), oneLine(r.File), len(r.Classes), strings.Join(r.fit.Figures(), "\n"))
	default:
		if _, err := p.stdout.Write(text); err != nil {
			return err
		}
	}
	return p.warn(c, r.Warnings)
}

// fitTrace reads the jobs of a trace scenario and fits classes to them.
func fitTrace(sc *scenario.Trace, o workload.FitOptions) (*workload.Fitted, *workload.Trace, error) {
	trace, err := sweep.LoadTrace(sc, o.Seed)
	if err != nil {
		return nil, nil, err
	}
	jobs, err := (&sweep.TraceExperiment{Scenario: sc, Workload: trace, Seed: o.Seed}).Jobs(0)
	if err != nil {
		return nil, nil, err
	}
	defer jobs.Close()
	fit, err := workload.Fit(jobs, trace.Nodes(), o)
	var bad *workload.Error
	if err != nil && !errors.As(err, &bad) {
		err = &workload.Error{File: sc.File, Message: bare(err)}
	}
	if err == nil && unlike(sc) {
		fit.Warnings = append(fit.Warnings, unlikeNodes)
	}
	return fit, trace, err
}

// unlikeNodes warns of what a fit cannot know.
const unlikeNodes = "nodes have speeds or limits of their own: the classes take them all for nodes of the machine of the trace"

// unlike reports whether a scenario has nodes that are not those of its trace.
func unlike(sc *scenario.Trace) bool {
	return slices.ContainsFunc(sc.Machines, func(m scenario.Machine) bool { return m != scenario.Machine{Speed: 1} })
}

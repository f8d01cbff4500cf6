package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/ask"
	"revopt/simulate/fit"

	"github.com/urfave/cli/v2"
)

func traceFitFlags() []cli.Flag {
	return append([]cli.Flag{
		choiceFlag("by", "", "`WHAT` what makes a class: customer, account, group, queue or user (default: "+
			"customer if there are any, else user)", fit.Ways()...),
		wholeFlag("classes", 0, 1000, 0, "`K` largest number of classes, users unless --by is given (default 8)"),
		above0Flag("price", math.Inf(1), 0, "`X` $ per unit-hour that the jobs of a trace pay"),
		under(methodGroup, choiceFlag("arrivals", "fitted", "`HOW` arrival process of a class: fitted or poisson",
			"fitted", "poisson")),
		under(methodGroup, boolFlag("common-widths", "give all classes the widths of the whole trace: better for "+
			"solve, worse for simulate")),
		stringFlag("jobs", "`SUBSET` all, last:N, first:N, index:A:B or from:T1:T2; short for --set trace.jobs"),
		choiceFlag("cleaning", "", "`RULE` keep, reject or drop jobs that never ran; short for --set trace.cleaning",
			"keep", "reject", "drop"),
		stringFlag("nodes", "`N` size of the machine; short for --set trace.nodes"),
		seedFlag("the jobs"),
		outFlag("`FILE` write the scenario to a file and print only the figures"),
		jsonFlag(), explainFlag(), quietFlag("warnings"),
	}, scenarioFlags()...)
}

// traceFitOptions reads the flags that are not about the trace.
func traceFitOptions(c *cli.Context) (fit.Options, error) {
	o := fit.Options{
		Classes: c.Int("classes"), OwnWidths: !c.Bool("common-widths"), Seed: c.Uint64("seed"),
		Arrivals: c.String("arrivals") == "fitted",
	}
	if by := c.String("by"); by != "" {
		way, err := parsed("by", by, fit.ParseBy)
		if err != nil {
			return fit.Options{}, err
		}
		o.By = way
	} else if o.Classes > 0 {
		o.By = fit.ByUser
	}
	if o.Classes > 0 && o.By == fit.ByCustomer {
		return o, usagef("--classes: expected --by account, group, queue or user with it, there are as many as " +
			"customers")
	}
	return o, nil
}

// bareTrace is the scenario of a trace that stands alone.
const bareTrace = "trace: {file: sp2-like, jobs: all, cleaning: keep, arrival_delay_factor: 1}\n"

// fitDocument is fitSource with the fields that have flags.
func (p *program) fitDocument(c *cli.Context, name string) (*scenario.Document, error) {
	doc, err := p.fitSource(c, name)
	for _, flag := range []string{"jobs", "cleaning", "nodes"} {
		if err != nil || !c.IsSet(flag) {
			continue
		}
		var o scenario.Override
		o, err = doc.RunOverride(flag, c.String(flag))
		if err == nil {
			doc, err = doc.With(o)
		}
	}
	return doc, err
}

// fitSource opens a trace scenario, or makes one around a trace, with --price.
func (p *program) fitSource(c *cli.Context, name string) (*scenario.Document, error) {
	builtin := slices.ContainsFunc(scenario.Builtins(), func(i scenario.Info) bool { return i.Name == name })
	ending := strings.ToLower(filepath.Ext(name))
	if !model.Generated(name) && builtin || name == "-" || ending == ".yaml" || ending == ".yml" {
		if c.IsSet("price") {
			return nil, usagef("--price: expected a trace with it, %s states its own prices", name)
		}
		return p.document(c, name)
	}
	source := bareTrace
	if c.IsSet("price") {
		source += fmt.Sprintf("classes: [{name: jobs, price: {per_unit_hour: %g}}]\n", c.Float64("price"))
	}
	doc, err := scenario.Parse(name, []byte(source))
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
	options := p.answering(c)
	options.Read = func(context.Context) (*scenario.Document, error) { return p.fitDocument(c, c.Args().First()) }
	in, err := p.read(c, "FILE", options)
	if err != nil {
		return err
	}
	single := len(in.Subject.Scenario.Classes) == 0 || c.IsSet("price") // a trace alone has one customer
	if t := in.Subject.Scenario.Trace; o.By == "" && t != nil && t.QoS == nil && single {
		o.By = fit.ByUser
	}
	f, err := analytic.Fit(c.Context, in.Subject, o, 0)
	if err != nil {
		return err
	}
	r := &ask.Fit{Result: f, Subject: in.Subject, Seed: o.Seed}
	yaml, err := r.YAML(build().Version, commandLine(p.args))
	if err != nil {
		return err
	}
	out := c.String("out")
	a := p.sign(r.Answer(out))
	if out == "" && !c.Bool("json") {
		p.stdout.Write(yaml)
		a.Tables = nil // the scenario has been printed in their place
		return p.remark(c, a)
	}
	return p.tell(c, a, flagFile(c, "out", func(w io.Writer) error {
		_, err := w.Write(yaml)
		return err
	}))
}

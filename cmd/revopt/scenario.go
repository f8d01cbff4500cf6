package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
)

func (p *program) scenarioCommand() *cli.Command {
	return &cli.Command{
		Name:      "scenario",
		Usage:     "the built-in scenarios",
		ArgsUsage: "list | show NAME",
		Description: `Examples:
  revopt scenario list
  revopt scenario show nist-four > mine.yaml`,
		Subcommands: []*cli.Command{{
			Name:        "list",
			Usage:       "list the built-in scenarios",
			Description: "Example:\n  revopt scenario list",
			Action:      p.scenarioList,
		}, {
			Name:        "show",
			Usage:       "print a built-in scenario as YAML, to start a file of your own from",
			ArgsUsage:   "NAME",
			Description: "Example:\n  revopt scenario show nist-four > mine.yaml",
			Action:      p.scenarioShow,
		}},
	}
}

func (p *program) scenarioList(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, info := range scenario.Builtins() {
		fmt.Fprintf(tw, "%s\t%s\n", info.Name, info.Summary)
	}
	return tw.Flush()
}

func (p *program) scenarioShow(c *cli.Context) error {
	if err := exactly(c, "NAME"); err != nil {
		return err
	}
	doc, err := scenario.Builtin(c.Args().First())
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(doc.Source())
	return err
}

// input is the scenario of a command line: a document with its overrides.
type input struct {
	doc       *scenario.Document
	overrides []string // path=value, in the order in which they apply
}

// open reads the scenario that a command names and applies --set and --load.
func (p *program) open(c *cli.Context) (*input, error) {
	if err := exactly(c, "SCENARIO"); err != nil {
		return nil, err
	}
	overrides, err := overrides(c)
	if err != nil {
		return nil, err
	}
	// Whoever types or pipes the scenario may never come to its end.
	doc, err := await(c.Context, func() (*scenario.Document, error) { return p.document(c.Args().First()) })
	if err != nil {
		return nil, err
	}
	doc, err = doc.With(overrides...)
	if err != nil {
		return nil, err
	}
	in := &input{doc: doc}
	for _, o := range overrides {
		in.overrides = append(in.overrides, o.Path+"="+o.Value)
	}
	return in, nil
}

func (p *program) document(name string) (*scenario.Document, error) {
	if name != "-" {
		return scenario.Open(name)
	}
	data, err := io.ReadAll(io.LimitReader(p.stdin, scenario.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return scenario.Parse("standard input", data)
}

func overrides(c *cli.Context) ([]scenario.Override, error) {
	var list []scenario.Override
	for _, arg := range c.StringSlice("set") {
		o, err := scenario.ParseOverride(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	if c.IsSet("load") {
		load := c.String("load")
		list = append(list, scenario.Override{Path: "load", Value: load, Source: "--load " + load})
	}
	return list, nil
}

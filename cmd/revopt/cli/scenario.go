package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/workload"

	"github.com/urfave/cli/v2"
)

func (p *program) scenarioList(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	row := func(info scenario.Info) []string { return []string{info.Name, info.Summary} }
	p.print(text.NewList(text.Each(scenario.Builtins(), row)).Print)
	return nil
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

// open reads the scenario that is the only argument of a command, and makes its workload.
func (p *program) open(c *cli.Context) (*ask.Question, error) {
	return p.read(c, "SCENARIO", p.answering(c))
}

// read reads the document that the only argument of a command names, and makes its workload.
func (p *program) read(c *cli.Context, argument string, o ask.Options) (*ask.Question, error) {
	if err := exactly(c, argument); err != nil {
		return nil, err
	}
	q, err := ask.Read(c.Context, scenarioRequest(c), o)
	if err != nil {
		return nil, err
	}
	q.Subject, err = q.OpenAt(c.Context, q.Document)
	return q, err
}

// scenarioRequest asks for a scenario with what the command line changes of it.
func scenarioRequest(c *cli.Context) ask.Request {
	return ask.Request{Command: c.Command.Name, Scenario: c.Args().First(), Set: c.StringSlice("set"),
		Load: c.String("load"), Seed: c.Uint64("seed")}
}

// document reads a scenario: a file, a built-in or standard input. A trace or another log
// of jobs becomes the scenario that revopt init writes.
func (p *program) document(c *cli.Context, name string) (*scenario.Document, error) {
	// A pipe may never end.
	doc, err := await(c.Context, func() (*scenario.Document, error) {
		if name != "-" {
			return scenario.Open(name)
		}
		data, err := io.ReadAll(io.LimitReader(p.stdin, scenario.MaxSize+1))
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return scenario.Parse("standard input", data)
	})
	var bad *scenario.Error
	if info, missing := os.Stat(name); !errors.As(err, &bad) || missing != nil || !info.Mode().IsRegular() {
		return doc, err
	}
	trace, base, r := name, filepath.Base(name), new(ask.Import)
	if log, _ := workload.IsLog(name); log {
		trace, err = p.scratchFile(base)
		if err != nil {
			return nil, err
		}
		r, err = p.importLog(c, trace, "trace import")
		if table := (*workload.Error)(nil); errors.As(err, &table) {
			table.Format = string(workload.CSV) // this command has no --columns
		}
		if err != nil {
			return nil, err
		}
		if err := p.remark(c, r.Answer()); err != nil {
			return nil, err
		}
	} else if !bad.Trace {
		return nil, err
	}
	// The text is part of the identity of journals, so it has no other flags and no warnings.
	d := &ask.Draft{Log: new(ask.Import), Path: base, Origin: "revopt init " + base, Version: build().Version}
	if err := d.Write(c.Context, workload.Selection{File: trace, Width: widthRule(r, trace)}); err != nil {
		return nil, err
	}
	return scenario.Draft(name, trace, d.YAML)
}

// scratchFile returns the path of a file that is removed when the command ends.
func (p *program) scratchFile(name string) (path string, err error) {
	p.scratch, err = os.MkdirTemp("", "revopt-")
	return filepath.Join(p.scratch, name), err
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"revopt/docs/lessons"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/subject"
	"revopt/simulate/workload"

	"github.com/urfave/cli/v2"
)

func (p *program) scenarioList(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	row := func(info scenario.Info) []string { return []string{info.Name, info.Summary} }
	rows := text.Each(scenario.Builtins(), row)
	for i, title := range lessons.Read(1).Titles {
		rows = append(rows, []string{lessons.Name(i + 1), "Lesson: " + title})
	}
	p.print(text.NewList(rows).Print)
	return nil
}

func (p *program) scenarioShow(c *cli.Context) error {
	if err := exactly(c, "NAME"); err != nil {
		return err
	}
	name := c.Args().First()
	if lesson := lessons.Named(name); lesson != nil {
		_, err := io.WriteString(p.stdout, lesson.Scenario)
		return err
	}
	doc, err := scenario.Builtin(name)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(doc.Source())
	return err
}

// input is the scenario of a command line: a document with its overrides.
type input struct {
	*subject.Subject
	doc       *scenario.Document
	overrides []string // path=value, in the order in which they apply
	opener    subject.Opener
}

// open reads a scenario and makes its workload. The flags in run change how long it runs.
func (p *program) open(c *cli.Context, run ...string) (*input, error) {
	in, err := p.read(c, "SCENARIO", p.document, run...)
	if err != nil {
		return nil, err
	}
	in.Subject, err = in.openAt(c, in.doc)
	return in, err
}

// read reads the document that the only argument of a command names, and applies the
// overrides of the command line: --set, --load and the flags in run.
func (p *program) read(
	c *cli.Context, argument string, document func(*cli.Context, string) (*scenario.Document, error), run ...string,
) (*input, error) {
	if err := exactly(c, argument); err != nil {
		return nil, err
	}
	list, err := overrides(c)
	if err != nil {
		return nil, err
	}
	doc, err := document(c, c.Args().First())
	if err != nil {
		return nil, err
	}
	for _, name := range run {
		if !c.IsSet(name) {
			continue
		}
		o, err := doc.RunOverride(name, c.String(name))
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	doc, err = doc.With(list...)
	if err != nil {
		return nil, err
	}
	in := &input{doc: doc, overrides: append([]string{}, text.Each(list, scenario.Override.String)...)}
	in.opener = subject.Opener{Seed: c.Uint64("seed"), Workers: c.Int("workers"), Policies: p.filed(c)}
	return in, nil
}

// openAt makes the workload of a document, and refuses outputs that would replace its trace.
func (in *input) openAt(c *cli.Context, doc *scenario.Document) (*subject.Subject, error) {
	subject, err := in.opener.Open(c.Context, doc)
	if err == nil {
		err = checkOutputs(c, subject.Scenario.Files()...)
	}
	return subject, err
}

// document reads a scenario: a file, a built-in or standard input. A trace or another log
// of jobs becomes the scenario that revopt init writes.
func (p *program) document(c *cli.Context, name string) (*scenario.Document, error) {
	// A pipe may never end.
	doc, err := await(c.Context, func() (*scenario.Document, error) {
		if name != "-" {
			return openNamed(name)
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

// openNamed reads the file of a name or, if there is none, the built-in scenario or the lesson.
func openNamed(name string) (*scenario.Document, error) {
	lesson := lessons.Named(name)
	if _, err := os.Stat(name); err == nil || lesson == nil {
		return scenario.Open(name)
	}
	return scenario.Parse(name, []byte(lesson.Scenario))
}

// scratchFile returns the path of a file that is removed when the command ends.
func (p *program) scratchFile(name string) (path string, err error) {
	p.scratch, err = os.MkdirTemp("", "revopt-")
	return filepath.Join(p.scratch, name), err
}

// overrides reads --set and --load.
func overrides(c *cli.Context) ([]scenario.Override, error) {
	list, err := text.Try(c.StringSlice("set"), scenario.ParseOverride)
	if err != nil {
		return nil, err
	}
	if c.IsSet("load") {
		value := c.String("load")
		list = append(list, scenario.Override{Path: "load", Value: value, Source: "--load " + value})
	}
	return list, nil
}

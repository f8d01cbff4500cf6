package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/workdir"
	"revopt/simulate/ask"
	lab "revopt/simulate/run"
)

// compare asks a question about runs in a lab, and delivers its answer, also that of a run which was stopped or lacks a
// policy that failed. Other files need all runs.
func (p *program) compare(
	c *cli.Context, doing string, question func(*ask.Question, *lab.Lab) (*ask.Comparison, error),
	others func(*ask.Comparison) []func() error,
) error {
	if _, err := parseTarget(c); err != nil {
		return err
	}
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	store, err := p.store(c)
	if err != nil {
		return err
	}
	defer store.Close()
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	l, err := q.Lab(c.Context, store, func(done, total int) { show.Show(doing, done, total) })
	if err != nil {
		return err
	}
	compared, err := question(q, l)
	show.Clear()
	if compared == nil {
		return p.stopped(c, err)
	}
	files := []func() error{flagFile(c, "cells", compared.WriteCells), p.figures(c, compared.Answer)}
	if others != nil && (err == nil || failed(err)) {
		files = append(files, others(compared)...)
	}
	return errors.Join(p.tell(c, compared.Answer, files...), p.halted(c, compared.Answer, err), store.Close())
}

// openRun opens the scenario of a command that simulates.
func (p *program) openRun(c *cli.Context) (*ask.Question, error) {
	q, err := p.question(c)
	if err != nil {
		return nil, err
	}
	return q, p.setParent(c, q)
}

// store returns the records of --journal, else those of memory.
func (p *program) store(c *cli.Context) (*lab.Store, error) {
	dir := c.String("journal")
	switch {
	case !c.IsSet("journal"):
		return &lab.Store{}, nil
	case dir == "":
		return nil, usagef("--journal: expected a directory")
	}
	made, err := workdir.ThisBuild(build().Version)
	if err != nil {
		return nil, err
	}
	p.kept = dir
	return lab.OpenStore(dir, lab.StoreOptions{Build: made})
}

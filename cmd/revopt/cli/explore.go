package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/docs/lessons"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/engine"
	"revopt/plots/page"
	"revopt/simulate/subject"
)

// exploredScenario is the one that explore and serve show unless another is named.
const exploredScenario = "site"

func exploreFlags() []cli.Flag {
	return append(scenarioFlags(), lessonFlag(), outFlag("`FILE` the page to write (default explore.html)"))
}

func lessonFlag() cli.Flag {
	return wholeFlag("lesson", 1, 7, 0, "`N` a lesson instead of a SCENARIO: 1 Little's law, 2 priorities, "+
		"3 overload, 4 admission, 5 prices, 6 backfilling, 7 bounds")
}

// explore writes the page that has the engine in it.
func (p *program) explore(c *cli.Context) error {
	_, o, err := p.explored(c)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return page.Explore(w, o) }
	path := cmp.Or(c.String("out"), "explore.html")
	if err := safefile.Write(path, write); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "The page to open in a browser is %s.\n", path)
	return nil
}

func serveFlags() []cli.Flag {
	port := wholeFlag("port", 0, 65535, 0, "`N` port of 127.0.0.1 (default: a free one)")
	return append(scenarioFlags(), lessonFlag(), port)
}

// serve shows the page of explore to browsers of this machine, and computes for it, until it is interrupted.
func (p *program) serve(c *cli.Context) error {
	e, o, err := p.explored(c)
	if err != nil {
		return err
	}
	o.Native = true
	var html bytes.Buffer
	if err := page.Explore(&html, o); err != nil {
		return err
	}
	s := page.Server{Page: html.Bytes(), Call: e.Call}
	address, err := s.Listen(c.Int("port"))
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, address)
	if err := p.flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "revopt: open this address in a browser of this machine; Ctrl-C ends it\n")
	_, err = await(c.Context, func() (any, error) { return nil, s.Serve(c.Context) })
	return err
}

// explored reads the scenario that a page shows, and computes its first answers.
func (p *program) explored(c *cli.Context) (*engine.Engine, page.Options, error) {
	o := page.Options{Version: build().Version}
	doc, err := p.exploredDocument(c, &o)
	if err != nil {
		return nil, o, err
	}
	o.Scenario = string(doc.Source())
	set, err := overrides(c)
	if err != nil {
		return nil, o, err
	}
	changed, err := doc.With(set...)
	if err != nil {
		return nil, o, err
	}
	sc, err := changed.Scenario(nil)
	if err != nil {
		return nil, o, err
	}
	files := slices.DeleteFunc(sc.Files(), model.Generated)
	if c.Command.Name == "explore" && len(files) > 0 {
		return nil, o, usagef("explore: a page cannot hold %s: revopt serve shows this scenario", files[0])
	}
	o.Set = text.Each(set, scenario.Override.String)
	e := &engine.Engine{Policies: p.filed(c), Version: o.Version, Document: doc, Set: o.Set}
	e.Opener = &subject.Opener{Seed: 1, Policies: e.Policies, Kept: 4} // views read whole traces and beginnings
	return e, o, firstAnswers(c.Context, e, &o)
}

// exploredDocument reads the scenario of a lesson, or the one that the command line names.
func (p *program) exploredDocument(c *cli.Context, o *page.Options) (*scenario.Document, error) {
	if number := c.Int("lesson"); number > 0 {
		if err := exactly(c); err != nil {
			return nil, err
		}
		lesson := lessons.Read(number)
		o.Name = fmt.Sprintf("lesson-%d.yaml", number)
		o.Lesson = lesson
		return scenario.Parse(o.Name, []byte(lesson.Scenario))
	}
	o.Name = exploredScenario
	if c.Args().Len() > 0 {
		if err := exactly(c, "SCENARIO"); err != nil {
			return nil, err
		}
		o.Name = c.Args().First()
	}
	return p.document(c, o.Name)
}

// firstAnswers computes what a page shows before anybody moves a slider.
func firstAnswers(ctx context.Context, e *engine.Engine, o *page.Options) error {
	ask := func(r engine.Request) (engine.Reply, error) {
		r.Scenario = o.Scenario
		r.Name = o.Name
		reply := e.Answer(ctx, r)
		if reply.Error != "" {
			return reply, usagef("%s", reply.Error)
		}
		return reply, nil
	}
	described, err := ask(engine.Request{Command: "describe"})
	if err != nil {
		return err
	}
	o.Describe = described
	d := described.Facts.(*engine.Description)
	if !d.Model {
		o.Validate, err = ask(engine.Request{Command: "validate", Replications: "2"})
		return err
	}
	o.Solve, err = ask(engine.Request{Command: "solve"})
	if err != nil {
		return err
	}
	if load := d.Controls[0]; load.Path == "load" {
		o.Curve, err = ask(engine.Request{Command: "curve", Vary: fmt.Sprintf("load=%g:%g:x28", load.Min, load.Max)})
	}
	return err
}

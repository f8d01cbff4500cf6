package cli

import (
	"bytes"
	"cmp"
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
const exploredScenario = "nist-four"

func exploreFlags() []cli.Flag {
	return append(scenarioFlags(), lessonFlag(), outFlag("`FILE` the page to write (default explore.html)"))
}

func lessonFlag() cli.Flag {
	return wholeFlag("lesson", 1, 7, 0, "`N` a lesson instead of a SCENARIO: 1 Little's law, 2 priorities, "+
		"3 overload, 4 admission, 5 prices, 6 backfilling, 7 bounds")
}

// explore writes the page that has the engine in it.
func (p *program) explore(c *cli.Context) error {
	_, o := p.explored(c)
	write := func(w io.Writer) error { return page.Explore(w, o) }
	path := cmp.Or(c.String("out"), "explore.html")
	end(safefile.Write(path, write))
	fmt.Fprintf(p.stdout, "The page to open in a browser is %s.\n", path)
	return nil
}

func serveFlags() []cli.Flag {
	port := wholeFlag("port", 0, 65535, 0, "`N` port of 127.0.0.1 (default: a free one)")
	return append(scenarioFlags(), lessonFlag(), port)
}

// serve shows the page of explore to browsers of this machine, and computes for it, until it is interrupted.
func (p *program) serve(c *cli.Context) error {
	e, o := p.explored(c)
	o.Native = true
	var html bytes.Buffer
	end(page.Explore(&html, o))
	s := page.Server{Page: html.Bytes(), Call: e.Call}
	fmt.Fprintln(p.stdout, need(s.Listen(c.Int("port"))))
	end(p.flush())
	fmt.Fprintf(p.stderr, "revopt: open this address in a browser of this machine; Ctrl-C ends it\n")
	_, err := await(c.Context, func() (any, error) { return nil, s.Serve(c.Context) })
	return err
}

// explored reads the scenario that a page shows, and computes its first answers.
func (p *program) explored(c *cli.Context) (e *engine.Engine, o page.Options) {
	name := exploredScenario
	var doc *scenario.Document
	if number := c.Int("lesson"); number > 0 {
		end(exactly(c))
		lesson := lessons.Read(number)
		name, o.Lesson = fmt.Sprintf("lesson-%d.yaml", number), lesson
		doc = need(scenario.Parse(name, []byte(lesson.Scenario)))
	} else {
		if c.Args().Len() > 0 {
			end(exactly(c, "SCENARIO"))
			name = c.Args().First()
		}
		doc = need(p.document(c, name))
	}
	o.Name, o.Scenario, o.Version = name, string(doc.Source()), build().Version
	set := overrides(c)
	files := slices.DeleteFunc(need(need(doc.With(set...)).Scenario(nil)).Files(), model.Generated)
	if c.Command.Name == "explore" && len(files) > 0 {
		end(usagef("explore: a page cannot hold %s: revopt serve shows this scenario", files[0]))
	}
	o.Set = text.Each(set, scenario.Override.String)
	e = &engine.Engine{Policies: p.filed(c), Version: o.Version, Document: doc, Set: o.Set}
	e.Opener = &subject.Opener{Seed: 1, Policies: e.Policies, Kept: 4} // views read whole traces and beginnings
	ask := func(r engine.Request) engine.Reply {
		r.Scenario, r.Name = o.Scenario, name
		reply := e.Answer(c.Context, r)
		if reply.Error != "" {
			end(usagef("%s", reply.Error))
		}
		return reply
	}
	o.Describe = ask(engine.Request{Command: "describe"})
	d := o.Describe.(engine.Reply).Facts.(*engine.Description)
	if !d.Model {
		o.Validate = ask(engine.Request{Command: "validate", Replications: 2})
		return e, o
	}
	o.Solve = ask(engine.Request{Command: "solve"})
	if load := d.Controls[0]; load.Path == "load" {
		o.Curve = ask(engine.Request{Command: "curve", Vary: fmt.Sprintf("load=%g:%g:x28", load.Min, load.Max)})
	}
	return e, o
}

package cli

import (
	"bytes"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"revopt/docs/lessons"
	"revopt/internal/safefile"
	"revopt/model/scenario"
	"revopt/plots/engine"
	"revopt/plots/page"
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
	path := c.String("out")
	if path == "" {
		path = "explore.html"
	}
	return safefile.Write(path, func(w io.Writer) error { return page.Explore(w, o) })
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
	e = &engine.Engine{Policies: p.filed(c), Version: o.Version, Document: doc}
	ask := func(r engine.Request) engine.Reply {
		r.Scenario, r.Name = o.Scenario, name
		reply := e.Answer(c.Context, r)
		if reply.Error != "" {
			end(usagef("%s", reply.Error))
		}
		return reply
	}
	o.Describe = ask(engine.Request{Command: "describe"})
	o.Solve = ask(engine.Request{Command: "solve"})
	o.Curve = ask(engine.Request{Command: "curve", Vary: "load=0.05:1.4:0.05"})
	return e, o
}

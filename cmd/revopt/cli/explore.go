package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	call, o, err := p.explored(c)
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := page.Explore(&html, o); err != nil {
		return err
	}
	s := page.Server{Page: html.Bytes(), Call: call}
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

// explored reads the scenario that a page shows, computes its first answers, and returns what answers its calls.
func (p *program) explored(c *cli.Context) (func(context.Context, []byte) []byte, page.Options, error) {
	name := exploredScenario
	if number := c.Int("lesson"); number > 0 {
		if err := exactly(c); err != nil {
			return nil, page.Options{}, err
		}
		name = lessons.Name(number)
	} else if c.Args().Len() > 0 {
		if err := exactly(c, "SCENARIO"); err != nil {
			return nil, page.Options{}, err
		}
		name = c.Args().First()
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() { // commands of the page run in any folder
		name, err = filepath.Abs(name)
		if err != nil {
			return nil, page.Options{}, err
		}
	} else if lesson := lessons.Named(name); lesson != nil {
		return p.taught(c, lesson)
	}
	doc, err := p.document(c, name)
	if err != nil {
		return nil, page.Options{}, err
	}
	e, o, err := p.exploredAs(c, doc, name, nil)
	if err != nil {
		return nil, o, err
	}
	return e.Call, o, nil
}

// taught is explored for the page of all lessons, which begins with one of them. A call goes to the engine of its
// lesson.
func (p *program) taught(
	c *cli.Context, first *lessons.Lesson,
) (func(context.Context, []byte) []byte, page.Options, error) {
	engines := map[string]*engine.Engine{}
	var list []page.Options
	for number := range first.Titles {
		lesson := lessons.Read(number + 1)
		name := lessons.Name(lesson.Number)
		doc, err := scenario.Parse(name, []byte(lesson.Scenario))
		if err != nil {
			return nil, page.Options{}, err
		}
		e, o, err := p.exploredAs(c, doc, name, lesson)
		if err != nil {
			return nil, o, err
		}
		engines[name] = e
		list = append(list, o)
	}
	o := list[first.Number-1]
	o.Lessons = list
	return func(ctx context.Context, request []byte) []byte {
		var asked struct{ Name string }
		e := engines[o.Name]
		if json.Unmarshal(request, &asked) == nil && engines[asked.Name] != nil {
			e = engines[asked.Name]
		}
		return e.Call(ctx, request)
	}, o, nil
}

// exploredAs returns the engine of a scenario, and its first answers.
func (p *program) exploredAs(
	c *cli.Context, doc *scenario.Document, name string, lesson *lessons.Lesson,
) (*engine.Engine, page.Options, error) {
	o := page.Options{Name: name, Version: build().Version, Native: c.Command.Name == "serve"}
	if lesson != nil {
		o.Lesson = lesson
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
	if !o.Native && len(files) > 0 {
		return nil, o, usagef("explore: a page cannot hold %s: revopt serve shows this scenario", files[0])
	}
	o.Set = text.Each(set, scenario.Override.String)
	e := &engine.Engine{Policies: p.filed(c), Version: o.Version, Document: doc, Set: o.Set}
	e.Opener = &subject.Opener{Seed: 1, Policies: e.Policies, Kept: 4} // views read whole traces and beginnings
	return e, o, firstAnswers(c.Context, e, &o)
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
	if o.Lesson == nil { // the page of a lesson begins with its chart
		o.Validate, err = firstLine(ask, d)
	}
	if err != nil || !d.Model {
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

// firstJobs is how many jobs a page simulates at first.
const firstJobs = "1000"

// firstLine simulates where a site stands, and returns the part of the reply that a page shows at first.
func firstLine(ask func(engine.Request) (engine.Reply, error), d *engine.Description) (any, error) {
	r := engine.Request{Command: "validate", Replications: "5"}
	if d.Kind == "classes" || d.Kind == "trace" && d.Jobs > 1000 {
		r.Jobs = firstJobs
	}
	reply, err := ask(r)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(reply.Facts)
	if err != nil {
		return nil, err
	}
	var facts struct {
		Standing     json.RawMessage `json:"standing,omitempty"`
		Jobs         json.RawMessage `json:"jobs"`
		Subset       string          `json:"subset,omitempty"`
		Replications int             `json:"replications"`
		Policies     []struct {
			Label      string          `json:"label"`
			RunsOn     string          `json:"runs_on"`
			Efficiency json.RawMessage `json:"efficiency"`
		} `json:"policies"`
	}
	err = json.Unmarshal(data, &facts)
	reply.Facts = facts
	return reply, err
}

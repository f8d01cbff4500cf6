package explored

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"revopt/docs/lessons"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	results "revopt/plots/answer"
	"revopt/plots/engine"
	"revopt/plots/page"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Pages says how pages are made.
type Pages struct {
	Policies []policy.Spec
	Version  string // of the program
	Native   bool   // the program answers the calls of the page
	Set      []scenario.Override
}

// Answers answers the calls of a page: each by the engine of the scenario that it names.
type Answers struct {
	engines map[string]*engine.Engine
	first   *engine.Engine
}

// Call is Engine.Call of the scenario that a request names.
func (a *Answers) Call(ctx context.Context, request []byte) []byte {
	var asked struct{ Name string }
	if json.Unmarshal(request, &asked) == nil && a.engines[asked.Name] != nil {
		return a.engines[asked.Name].Call(ctx, request)
	}
	return a.first.Call(ctx, request)
}

// Scenario returns the page of a scenario. The name is that on command lines.
func (p Pages) Scenario(ctx context.Context, doc *scenario.Document, name string) (*Answers, page.Options, error) {
	e, o, err := p.page(ctx, doc, name, nil)
	return &Answers{first: e}, o, err
}

// Lessons returns the page of all lessons, which begins with one of them.
func (p Pages) Lessons(ctx context.Context, first *lessons.Lesson) (*Answers, page.Options, error) {
	a := &Answers{engines: map[string]*engine.Engine{}}
	var list []*page.Options
	for number := range first.Titles {
		lesson := lessons.Read(number + 1)
		name := lessons.Name(lesson.Number)
		doc, err := scenario.Parse(name, []byte(lesson.Scenario))
		if err != nil {
			return nil, page.Options{}, err
		}
		e, o, err := p.page(ctx, doc, name, lesson)
		if err != nil {
			return nil, o, err
		}
		a.engines[name] = e
		list = append(list, &o)
	}
	o := *list[first.Number-1]
	list[first.Number-1] = nil
	o.Lessons = list
	a.first = a.engines[o.Name]
	return a, o, nil
}

// page returns the engine of a scenario, and its first answers.
func (p Pages) page(
	ctx context.Context, doc *scenario.Document, name string, lesson *lessons.Lesson,
) (*engine.Engine, page.Options, error) {
	o := page.Options{Name: name, Version: p.Version, Native: p.Native, Scenario: string(doc.Source())}
	if lesson != nil {
		o.Lesson = lesson
	}
	changed, err := doc.With(p.Set...)
	if err != nil {
		return nil, o, err
	}
	sc, err := changed.Scenario(nil)
	if err != nil {
		return nil, o, err
	}
	files := slices.DeleteFunc(sc.Files(), model.Generated)
	if !o.Native && len(files) > 0 {
		return nil, o, ask.Usagef("explore: a page cannot hold %s: revopt serve shows this scenario", files[0])
	}
	o.Set = text.Each(p.Set, scenario.Override.String)
	e := &engine.Engine{Policies: p.Policies, Version: o.Version, Document: doc, Set: o.Set}
	e.Opener = &subject.Opener{Seed: 1, Policies: e.Policies, Kept: 4} // views read whole traces and beginnings
	return e, o, answer(ctx, e, &o)
}

// answer computes what a page shows before anybody moves a slider.
func answer(ctx context.Context, e *engine.Engine, o *page.Options) error {
	ask := func(r engine.Request) (engine.Reply, error) {
		r.Scenario = o.Scenario
		r.Name = o.Name
		reply := e.Answer(ctx, r)
		if reply.Error != "" {
			return reply, ask.Usagef("%s", reply.Error)
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
		o.Curve, err = ask(engine.Request{Command: "solve", Vary: fmt.Sprintf("load=%g:%g:x20", load.Min, load.Max)})
	}
	return err
}

// firstLine simulates where a site stands, on 1,000 jobs at most, and returns the part of the reply that a page shows
// at first.
func firstLine(ask func(engine.Request) (engine.Reply, error), d *engine.Description) (any, error) {
	r := engine.Request{Command: "validate", Replications: "5", Policies: d.Compared}
	if d.Kind == "classes" || d.Kind == "trace" && d.Jobs > 1000 {
		r.Jobs = "1000"
	}
	reply, err := ask(r)
	if err != nil {
		return nil, err
	}
	facts := reply.Facts.(results.Answer)
	facts.Tables = []results.Table{facts.Tables[0].Short("present")}
	reply.Facts, reply.Tables = facts, nil
	return reply, nil
}

package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Engine answers requests.
type Engine struct {
	Policies []policy.Spec   // that requests and scenarios may name; nil is subject.Standard
	Version  string          // of the program
	Workers  int             // of a simulation; 0: one per processor
	Opener   *subject.Opener // keeps traces for requests of its seed; nil: each reads them anew

	Progress func(done, total int) // follows the simulations of a request; nil: nobody does

	// Document is the scenario of all requests, whatever they say; nil: each request has its own.
	Document *scenario.Document
}

// Request is a command and its settings.
type Request = ask.Request

// Rows is a table as words, its headings first.
type Rows = [][]string

// Reply is the answer to a request, or an error.
type Reply struct {
	Facts    any             `json:"facts,omitempty"` // that the command prints with --json
	First    string          `json:"first,omitempty"` // where the site stands, in a sentence
	Tiles    []answer.Tile   `json:"tiles,omitempty"` // and in a few numbers
	Rows     [][]string      `json:"rows,omitempty"`  // the table, its headings first
	Tables   map[string]Rows `json:"tables,omitempty"`
	Words    []string        `json:"words,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Command  string          `json:"command,omitempty"` // that prints this answer
	Error    string          `json:"error,omitempty"`   // one line
}

// Call is Answer from JSON to JSON.
func (e *Engine) Call(ctx context.Context, body []byte) []byte {
	var r Request
	var reply Reply
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		reply = failed(fmt.Errorf("request: %w", err))
	} else {
		reply = e.Answer(ctx, r)
	}
	data, err := json.Marshal(reply)
	if err != nil {
		data, _ = json.Marshal(failed(err))
	}
	return data
}

func failed(err error) Reply {
	return Reply{Error: text.OneLine(strings.ReplaceAll(err.Error(), "\n", "; "))}
}

// Answer answers a request. Faults of the program are errors too.
func (e *Engine) Answer(ctx context.Context, r Request) Reply {
	c := &call{Engine: e, Request: r.WithDefaults(), ctx: ctx}
	c.Request.Version = e.Version
	reply, err := simulate.Guard(c.answer)
	if err != nil {
		return failed(err)
	}
	return *reply
}

// call is a request while it is answered.
type call struct {
	*Engine
	Request
	ctx context.Context
}

// answer runs the command.
func (c *call) answer() (*Reply, error) {
	answers := map[string]func() (*Reply, error){
		"describe": c.describe, "gantt": c.gantt, "yaml": c.yaml,
		"solve": c.solve, "simulate": c.simulate,
		"validate": c.validate,
	}
	answer := answers[c.Command]
	if answer == nil {
		return nil, fmt.Errorf("command: expected %s, got %q", text.OneOf(slices.Sorted(maps.Keys(answers))), c.Command)
	}
	if c.Document == nil && !strings.ContainsAny(c.Scenario, ":\n") {
		c.Name = c.Scenario
	}
	return answer()
}

// options say how the request is answered.
func (c *call) options() ask.Options {
	o := ask.Options{
		Specs: c.Engine.Policies, Filed: c.Engine.Policies, Workers: c.Workers, Opener: c.Opener,
	}
	if c.Document != nil {
		o.Read = func(context.Context) (*scenario.Document, error) { return c.Document, nil }
	}
	return o
}

// read reads the scenario of the request.
func (c *call) read() (*ask.Question, error) { return ask.Read(c.ctx, c.Request, c.options()) }

// open reads the scenario of the request and makes its workload.
func (c *call) open() (*ask.Question, error) { return ask.Open(c.ctx, c.Request, c.options()) }

// line returns the command line that prints the same.
func (c *call) line() string {
	line := append([]string{"revopt", c.Command, c.Name}, c.Flags()...)
	return strings.Join(text.Each(line, text.ShellWord), " ")
}

// solve answers by formulas. An optimum that is not proven is an answer.
func (c *call) solve() (*Reply, error) {
	if c.Vary != "" && !c.Waits {
		q, err := c.read()
		if err != nil {
			return nil, err
		}
		return c.solved(ask.Along(c.ctx, q))
	}
	q, err := c.open()
	if err != nil {
		return nil, err
	}
	if c.Waits {
		return c.solved(ask.Waits(c.ctx, q, false))
	}
	return c.solved(ask.Solve(c.ctx, q))
}

func (c *call) solved(a answer.Answer, err error) (*Reply, error) {
	if err != nil && !ask.IsOpenProof(err) {
		return nil, err
	}
	a.Line = c.line()
	return c.told(a), nil
}

func (c *call) simulate() (*Reply, error) {
	compared, err := c.compared(c.Request, c.options(), 0)
	if err != nil {
		return nil, err
	}
	return c.told(compared.Answer), nil
}

// compared simulates the policies of a request, so many replications of each; 0: as the request says.
func (c *call) compared(r Request, o ask.Options, replications int) (*ask.Comparison, error) {
	q, err := ask.Open(c.ctx, r, o)
	if err != nil {
		return nil, err
	}
	lab, err := q.Lab(c.ctx, &run.Store{}, c.Progress)
	if err != nil {
		return nil, err
	}
	asked := q.Request
	asked.Line, asked.Widths = c.line(), true
	asked.Replications = cmp.Or(ask.Number(replications), asked.Replications)
	return ask.Simulate(c.ctx, lab, asked)
}

// told returns the reply that has an answer.
func (c *call) told(a answer.Answer) *Reply {
	r := &Reply{Facts: a, Words: []string{a.Headline.String()}, Command: a.Line, Tables: map[string]Rows{},
		Warnings: text.Each(a.Warnings, answer.Fact.String)}
	for _, name := range a.Names() {
		if rows := a.Rows(name); rows != nil {
			r.Tables[name] = rows
		}
	}
	return r
}

func (c *call) validate() (*Reply, error) {
	q, err := c.open()
	if err != nil {
		return nil, err
	}
	lab, err := q.Lab(c.ctx, nil, c.Progress)
	if err != nil {
		return nil, err
	}
	compared, err := ask.Validate(c.ctx, lab, q.Request)
	if err != nil {
		return nil, err
	}
	a := compared.Answer
	reply := c.told(a)
	shown := a.Tables[0]
	if a.Replications < fewestShown { // a page has no intervals of few replications
		shown = shown.Exact()
	}
	reply.First, reply.Tiles = a.Headline.String(), a.Tiles()
	reply.Rows, reply.Command = shown.Told(), c.line()
	return reply, nil
}

func (c *call) yaml() (*Reply, error) {
	q, err := c.read()
	if err != nil {
		return nil, err
	}
	sc, err := q.Document.Scenario(subject.Known(c.Engine.Policies))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := sc.WriteYAML(&b); err != nil {
		return nil, err
	}
	return &Reply{Facts: map[string]string{"yaml": b.String()}}, nil
}

// fewestShown is how many replications intervals on pages need.
const fewestShown = 5

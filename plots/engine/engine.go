// Package engine answers questions about a scenario by one call for each command: a JSON
// request in, a JSON reply out, with the facts that the command line prints with --json. It
// compiles to WebAssembly, so that a page can hold it. Nothing is kept between calls.
package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
)

// Engine answers requests.
type Engine struct {
	Policies []policy.Spec // that requests and scenarios may name; nil is study.Standard
	Version  string        // of the program
	Workers  int           // of a simulation; 0: one per processor

	// Document is the scenario of all requests, whatever they say; nil: each request has its own. Requests
	// may change its numbers, and name no files.
	Document *scenario.Document
}

// Request is a command and its flags. Fields that are left out have the defaults of the
// command line.
type Request struct {
	Command  string   `json:"command"`
	Scenario string   `json:"scenario"` // YAML, or the name of a built-in scenario
	Name     string   `json:"name"`     // of the scenario in messages
	Set      []string `json:"set"`      // path=value

	Control string `json:"control"` // static, threshold or state
	Utility string `json:"utility"` // linear or exact
	Prices  bool   `json:"prices"`
	Vary    string `json:"vary"` // path=values

	Policies     []string `json:"policies"`
	Admission    []string `json:"admission"`
	Replications int      `json:"replications"` // 0: as the scenario says
	Jobs         int      `json:"jobs"`         // 0: as the scenario says
	Seed         uint64   `json:"seed"`         // 0 is 1
}

// Reply is the answer to a request, or an error.
type Reply struct {
	Facts    any              `json:"facts,omitempty"` // that the command prints with --json
	Headline *report.Headline `json:"headline,omitempty"`
	Rows     [][]string       `json:"rows,omitempty"` // the table, its headings first
	Words    []string         `json:"words,omitempty"`
	Warnings []string         `json:"warnings,omitempty"`
	Command  string           `json:"command,omitempty"` // that prints this answer
	Error    string           `json:"error,omitempty"`   // one line
}

// MaxRequest is the largest size of a request, in bytes.
const MaxRequest = 1 << 20

// Call is Answer from JSON to JSON.
func (e *Engine) Call(ctx context.Context, body []byte) []byte {
	var r Request
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	var reply Reply
	if len(body) > MaxRequest {
		reply = failed(fmt.Errorf("request: expected at most %d bytes, got %d", MaxRequest, len(body)))
	} else if err := dec.Decode(&r); err != nil {
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

// failed is the reply that reports an error.
func failed(err error) Reply {
	return Reply{Error: text.OneLine(strings.ReplaceAll(err.Error(), "\n", "; "))}
}

// Answer answers a request. Faults of the program are errors too.
func (e *Engine) Answer(ctx context.Context, r Request) Reply {
	c := &call{Engine: e, Request: r, ctx: ctx}
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
	ctx       context.Context
	doc       *scenario.Document // with the overrides
	overrides []string
	opener    study.Opener
}

func (c *call) answer() (*Reply, error) {
	answers := map[string]func() (*Reply, error){
		"describe": c.describe, "solve": c.solve, "curve": c.curve,
	}
	answer := answers[c.Command]
	if answer == nil {
		return nil, fmt.Errorf("command: unknown command %q", c.Command)
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	return answer()
}

// read reads the scenario and its overrides.
func (c *call) read() (err error) {
	if c.Seed == 0 {
		c.Seed = 1
	}
	if c.Document != nil {
		c.doc, err = c.Document, c.checkFiles()
	} else if strings.ContainsAny(c.Scenario, ":\n") {
		c.doc, err = scenario.Parse(c.Name, []byte(c.Scenario))
	} else {
		c.Name = c.Scenario
		c.doc, err = scenario.Builtin(c.Scenario)
	}
	if err != nil {
		return err
	}
	list, err := text.Try(c.Set, scenario.ParseOverride)
	if err != nil {
		return err
	}
	c.overrides = append([]string{}, text.Each(list, func(o scenario.Override) string { return o.Path + "=" + o.Value })...)
	c.opener = study.Opener{Seed: c.Seed, Workers: c.Workers, Policies: c.Policies()}
	c.doc, err = c.doc.With(list...)
	return err
}

// checkFiles returns an error if the request may name a file: by a setting that is no number, or by an
// option of a policy.
func (c *call) checkFiles() error {
	for _, set := range append(slices.Clone(c.Set), c.Vary) {
		path, value, _ := strings.Cut(set, "=")
		if err := c.Document.CheckNumeric(path); err != nil && set != "" {
			return err
		}
		if _, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64); err != nil && set != c.Vary {
			return fmt.Errorf("set: %s: expected a number, got %q", path, value)
		}
	}
	for _, p := range c.Request.Policies {
		for _, option := range slurm.SettingFiles() {
			if strings.Contains(p, option+"=") {
				return fmt.Errorf("policies: expected no option that names a file, got %q", p)
			}
		}
	}
	return nil
}

// Policies returns the policies that may be named.
func (c *call) Policies() []policy.Spec { return c.Engine.Policies }

// open opens the document as the command line does.
func (c *call) open() (*study.Subject, *study.Analysis, error) {
	s, err := c.opener.Open(c.ctx, c.doc)
	if err != nil {
		return nil, nil, err
	}
	a, err := s.Analyze(c.ctx, c.Seed, 0)
	return s, a, err
}

// shown completes a reply with the facts of a view, and the command line that prints them.
func (c *call) shown(v report.View, flags ...string) *Reply {
	facts, warnings := v.Facts()
	report.Fill(facts)
	return &Reply{Facts: facts, Warnings: report.Warnings(warnings), Command: c.line(flags...)}
}

// line is the command line of the request.
func (c *call) line(flags ...string) string {
	words := []string{"revopt", c.Command, c.Name}
	for _, set := range c.Set {
		words = append(words, "--set", set)
	}
	return strings.Join(text.Each(append(words, flags...), text.ShellWord), " ")
}

func (c *call) solve() (*Reply, error) {
	o, flags := study.SolveOptions{Exact: c.Utility == "exact", Prices: c.Prices, Version: c.Version}, []string{}
	subject, analysis, err := c.open()
	if err != nil {
		return nil, err
	}
	found, err := study.Solve(c.ctx, analysis, o)
	if err != nil {
		return nil, err
	}
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	view := report.Answer{Answer: found, Analysis: analysis}
	reply := c.shown(view, flags...)
	reply.Headline, reply.Rows = view.Headline(), view.Rows()
	return reply, nil
}

func (c *call) curve() (*Reply, error) {
	vary, err := study.ParseVariation(c.Vary, c.doc)
	if err != nil {
		return nil, err
	}
	o := study.SolveOptions{Prices: c.Prices, Version: c.Version}
	at := func(x float64) (*study.Analysis, error) {
		doc, err := vary.At(c.doc, x)
		if err != nil {
			return nil, err
		}
		subject, err := c.opener.Open(c.ctx, doc)
		if err != nil {
			return nil, err
		}
		return subject.Analyze(c.ctx, c.Seed, 0)
	}
	found, err := study.SolveCurve(c.ctx, vary.Path, vary.Values, at, o)
	if err != nil {
		return nil, err
	}
	found.Overrides = c.overrides
	return c.shown(report.Curve{Curve: found}, "--vary", c.Vary), nil
}

// Package engine answers questions about a scenario by one call for each command: a JSON
// request in, a JSON reply out, with the facts that the command line prints with --json. It
// compiles to WebAssembly, so that a page can hold it. Nothing but traces is kept.
package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
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
	Set      []string      // overrides of all requests, before their own
	Opener   *study.Opener // keeps traces for requests of its seed; nil: each reads them anew

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
	opener    *study.Opener
	flags     []string // of the command line that prints the same
}

// answer reads the scenario and its overrides, and runs the command.
func (c *call) answer() (*Reply, error) {
	answers := map[string]func() (*Reply, error){
		"describe": c.describe, "solve": c.solve, "curve": c.curve, "wait": c.wait, "simulate": c.simulate,
		"validate": c.validate, "gantt": c.gantt, "yaml": c.yaml,
	}
	answer := answers[c.Command]
	if answer == nil {
		return nil, fmt.Errorf("command: expected %s, got %q", text.OneOf(slices.Sorted(maps.Keys(answers))), c.Command)
	}
	c.Seed = cmp.Or(c.Seed, 1)
	var err error
	if c.Document != nil {
		c.doc, err = c.Document, c.checkFiles()
	} else if strings.ContainsAny(c.Scenario, ":\n") {
		c.doc, err = scenario.Parse(cmp.Or(c.Name, "scenario"), []byte(c.Scenario))
	} else {
		c.Name = c.Scenario
		c.doc, err = scenario.Builtin(c.Scenario)
	}
	if err != nil {
		return nil, err
	}
	all := slices.Concat(c.Engine.Set, c.Request.Set)
	list, err := text.Try(all, scenario.ParseOverride)
	if err != nil {
		return nil, err
	}
	for _, set := range all {
		c.flag("set", set)
	}
	for _, run := range []struct {
		name  string
		count int
	}{{"replications", c.Replications}, {"jobs", c.Jobs}} {
		if run.count == 0 {
			continue
		}
		o, err := c.doc.RunOverride(run.name, strconv.Itoa(run.count))
		if err != nil && c.Command == "gantt" { // of a grid
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, o)
		c.flag(run.name, strconv.Itoa(run.count))
	}
	c.overrides = []string{}
	for _, o := range list {
		c.overrides = append(c.overrides, o.Path+"="+o.Value)
	}
	if c.opener = c.Engine.Opener; c.opener == nil || c.opener.Seed != c.Seed {
		c.opener = &study.Opener{Seed: c.Seed, Workers: c.Workers, Policies: c.Engine.Policies}
	}
	if c.doc, err = c.doc.With(list...); err != nil {
		return nil, err
	}
	return answer()
}

// checkFiles returns an error if the request may name a file: by a setting that is no number, or by an
// option of a policy.
func (c *call) checkFiles() error {
	for _, set := range append(slices.Clone(c.Request.Set), c.Vary) {
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

// flag adds a flag to the command line.
func (c *call) flag(name string, value ...string) {
	c.flags = append(append(c.flags, "--"+name), value...)
}

// open opens a document, again where another call was canceled while it read the trace for both.
func (c *call) open(doc *scenario.Document) (s *study.Subject, err error) {
	for s == nil && (err == nil || errors.Is(err, context.Canceled) && c.ctx.Err() == nil) {
		s, err = c.opener.Open(c.ctx, doc)
	}
	return s, err
}

// analyze opens a document for the queueing model.
func (c *call) analyze(doc *scenario.Document) (*study.Subject, *study.Analysis, error) {
	s, err := c.open(doc)
	if err != nil {
		return nil, nil, err
	}
	a, err := s.Analyze(c.ctx, c.Seed, 0)
	return s, a, err
}

// shown returns the reply that has the facts of a view.
func (c *call) shown(v report.View) *Reply {
	facts, warnings := v.Facts()
	report.Fill(facts)
	line := append([]string{"revopt", c.Command, c.Name}, c.flags...)
	return &Reply{Facts: facts, Warnings: report.Warnings(warnings),
		Command: strings.Join(text.Each(line, text.ShellWord), " ")}
}

func (c *call) solve() (*Reply, error) {
	o := study.SolveOptions{Exact: c.Utility == "exact", Prices: c.Prices, Version: c.Version}
	if c.Control != "" && c.Control != "static" {
		o.Control = c.Control
		c.flag("control", c.Control)
	}
	if o.Exact {
		c.flag("utility", c.Utility)
	}
	if o.Prices {
		c.flag("prices")
	}
	switch {
	case !slices.Contains([]string{"", "linear", "exact"}, c.Utility):
		return nil, fmt.Errorf("utility: expected linear or exact, got %q", c.Utility)
	case !slices.Contains([]string{"", study.ControlThreshold, study.ControlState}, o.Control):
		return nil, fmt.Errorf("control: expected static, threshold or state, got %q", c.Control)
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	subject, analysis, err := c.analyze(c.doc)
	if err != nil {
		return nil, err
	}
	found, err := study.Solve(c.ctx, analysis, o)
	if err != nil {
		return nil, err
	}
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	view := report.Answer{Answer: found, Analysis: analysis}
	reply := c.shown(view)
	reply.Headline, reply.Rows, reply.Words = view.Headline(), view.Rows(), view.ControlWords()
	return reply, nil
}

func (c *call) curve() (*Reply, error) {
	vary, err := study.ParseVariation(c.Vary, c.doc)
	if err != nil {
		return nil, err
	}
	c.flag("vary", c.Vary)
	var subject *study.Subject
	at := func(x float64) (a *study.Analysis, err error) {
		doc, err := vary.At(c.doc, x)
		if err == nil {
			subject, a, err = c.analyze(doc)
		}
		return a, err
	}
	o := study.SolveOptions{Prices: c.Prices, Version: c.Version}
	if o.Prices {
		c.flag("prices")
	}
	found, err := study.SolveCurve(c.ctx, vary.Path, vary.Values, at, o)
	if err != nil {
		return nil, err
	}
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	found.Warnings = append([]study.Warning(nil), found.Warnings...) // null without any, as the command prints it
	view := report.Curve{Curve: found}
	reply := c.shown(view)
	reply.Rows = view.Rows()
	return reply, nil
}

func (c *call) wait() (*Reply, error) {
	subject, analysis, err := c.analyze(c.doc)
	if err != nil {
		return nil, err
	}
	o := study.WaitOptions{Quantiles: []float64{0.5, 0.9, 0.99}, Seed: c.Seed, Version: c.Version}
	o.Admission.Name = scenario.AdmitAll
	if len(c.Admission) > 0 {
		list, err := study.ParseAdmission(c.Admission[0], text.Each(analysis.System.Classes,
			func(c model.Class) string { return c.Name }))
		if err != nil {
			return nil, err
		}
		o.Admission = list[0]
		c.flag("admission", c.Admission[0])
	}
	switch o.Admission.Name {
	case scenario.AdmitAll:
	case scenario.AdmitAnalytic:
		best, err := analysis.Best(c.ctx, analysis.System.Residual)
		if err != nil {
			return nil, err
		}
		o.Admission.Admit = best.Admit()
	default:
		if o.Admission.Admit == nil {
			return nil, fmt.Errorf("admission: expected all, analytic or probabilities, got %q", c.Admission[0])
		}
	}
	found, err := study.Waits(c.ctx, analysis, o)
	if err != nil {
		return nil, err
	}
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	return c.shown(report.Waits{WaitAnswer: found}), nil
}

// opened opens the scenario for a simulation of the policies and admissions that the request names.
func (c *call) opened() (s *study.Subject, policies []study.Policy, admissions []study.Admission, err error) {
	if s, err = c.open(c.doc); err != nil {
		return
	}
	if len(c.Request.Policies) > 0 {
		policies, err = study.ParsePolicies(c.Engine.Policies, c.Request.Policies...)
		c.flag("policy", strings.Join(c.Request.Policies, ","))
	}
	for _, value := range c.Admission {
		c.flag("admission", value)
	}
	if c.Seed != 1 {
		c.flag("seed", strconv.FormatUint(c.Seed, 10))
	}
	if err == nil {
		admissions, err = s.ParseAdmissions(c.Admission)
	}
	return
}

func (c *call) runner() *study.Runner { return &study.Runner{Workers: c.Workers, Version: c.Version} }

// simulated runs a simulation.
func (c *call) simulated() (*study.Result, error) {
	s, policies, admissions, err := c.opened()
	if err != nil {
		return nil, err
	}
	run := &study.Simulation{Subject: s, Policies: policies, Admissions: admissions, Replications: c.Replications,
		Seed: c.Seed, Overrides: c.overrides, Runner: c.runner()}
	return run.Run(c.ctx)
}

func (c *call) simulate() (*Reply, error) {
	result, err := c.simulated()
	if err != nil {
		return nil, err
	}
	view := report.Simulation{Result: result}
	result.Warnings = append(study.OnceWarning(c.Replications, result.Once), result.Warnings...)
	reply := c.shown(view)
	reply.Rows, reply.Words = view.Rows(), append(view.Answer(), report.Shortfalls(result)...)
	return reply, nil
}

func (c *call) validate() (*Reply, error) {
	s, policies, admissions, err := c.opened()
	if err != nil {
		return nil, err
	}
	v := &study.Validation{Subject: s, Policies: policies, Admissions: admissions, Replications: c.Replications,
		Seed: c.Seed, Overrides: c.overrides, Runner: c.runner()}
	if s.Workload.Stream() > 0 {
		v.Jobs = c.Jobs
	}
	if err := v.Open(c.ctx); err != nil {
		return nil, err
	}
	result, err := v.Run(c.ctx)
	if err != nil {
		return nil, err
	}
	result.Warnings = append(study.OnceWarning(c.Replications, result.Once), result.Warnings...)
	view := report.New(result, "")
	reply := c.shown(view)
	reply.Headline, reply.Rows, reply.Words = view.Headline(), view.Rows(), append(view.Best(), view.Closest())
	return reply, nil
}

// yaml returns the scenario with its overrides as a file.
func (c *call) yaml() (*Reply, error) {
	sc, err := c.doc.Scenario(study.Known(c.Engine.Policies))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := sc.WriteYAML(&b); err != nil {
		return nil, err
	}
	return &Reply{Facts: map[string]string{"yaml": b.String()}}, nil
}

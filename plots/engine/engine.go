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
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
	"revopt/simulate/study/solve"
	"revopt/simulate/study/validate"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Engine answers requests.
type Engine struct {
	Policies []policy.Spec   // that requests and scenarios may name; nil is subject.Standard
	Version  string          // of the program
	Workers  int             // of a simulation; 0: one per processor
	Set      []string        // overrides of all requests, before their own
	Opener   *subject.Opener // keeps traces for requests of its seed; nil: each reads them anew

	// Document is the scenario of all requests, whatever they say; nil: each request has its own. Requests
	// may change its numbers, and name no files.
	Document *scenario.Document
}

// Request is a command and its flags. Absent fields have the defaults of the command line.
type Request struct {
	Command  string   `json:"command"`
	Scenario string   `json:"scenario"` // YAML, or the name of a built-in scenario
	Name     string   `json:"name"`     // of the scenario in messages
	Set      []string `json:"set"`      // path=value

	Control string `json:"control"` // static, threshold or state
	Prices  bool   `json:"prices"`
	Vary    string `json:"vary"` // path=values

	Policies     []string `json:"policies"`
	Admission    []string `json:"admission"`
	Replications int      `json:"replications"` // 0: as the scenario says
	Jobs         int      `json:"jobs"`         // 0: as the scenario says
	Seed         uint64   `json:"seed"`         // 0 is 1

	Job QuotedJob `json:"job"` // of quote
}

// Reply is the answer to a request, or an error.
type Reply struct {
	Facts    any                `json:"facts,omitempty"` // that the command prints with --json
	Headline *report.Headline   `json:"headline,omitempty"`
	Rows     [][]string         `json:"rows,omitempty"` // the table, its headings first
	Words    []string           `json:"words,omitempty"`
	Warnings []string           `json:"warnings,omitempty"`
	Prices   []metric.PricePath `json:"prices,omitempty"`  // of markets, in the first replication
	Command  string             `json:"command,omitempty"` // that prints this answer
	Error    string             `json:"error,omitempty"`   // one line
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
	c := &call{Engine: e, Request: r, ctx: ctx}
	reply, err := simulate.Guard(func() (*Reply, error) { return c.answer(), nil })
	if err != nil {
		return failed(err)
	}
	return *reply
}

// need returns a value that an answer needs. Its error ends the answer.
func need[T any](value T, err error) T {
	end(err)
	return value
}

// end ends an answer with an error, if it is one; Answer reports it. Only the goroutine of the answer may call it.
func end(err error) {
	if err != nil {
		panic(err)
	}
}

// call is a request while it is answered.
type call struct {
	*Engine
	Request
	ctx       context.Context
	doc       *scenario.Document // with the overrides
	overrides []string
	opener    *subject.Opener
	flags     []string // of the command line that prints the same
}

// answer reads the scenario and its overrides, and runs the command.
func (c *call) answer() *Reply {
	answers := map[string]func() *Reply{
		"describe": c.describe, "solve": c.solve, "curve": c.curve, "wait": c.wait, "simulate": c.simulate,
		"validate": c.validate, "quote": c.quote, "gantt": c.gantt, "yaml": c.yaml,
	}
	answer := answers[c.Command]
	if answer == nil {
		end(fmt.Errorf("command: expected %s, got %q", text.OneOf(slices.Sorted(maps.Keys(answers))), c.Command))
	}
	c.Seed = cmp.Or(c.Seed, 1)
	if c.Document != nil {
		end(c.checkFiles())
		c.doc = c.Document
	} else if strings.ContainsAny(c.Scenario, ":\n") {
		c.doc = need(scenario.Parse(cmp.Or(c.Name, "scenario"), []byte(c.Scenario)))
	} else {
		c.Name = c.Scenario
		c.doc = need(scenario.Builtin(c.Scenario))
	}
	all := slices.Concat(c.Engine.Set, c.Request.Set)
	list := need(text.Try(all, scenario.ParseOverride))
	for _, set := range all {
		c.flag("set", set)
	}
	add := func(name string, count int) {
		if count == 0 {
			return
		}
		o, err := c.doc.RunOverride(name, strconv.Itoa(count))
		if err != nil && c.Command == "gantt" { // of a grid
			return
		}
		end(err)
		list = append(list, o)
		c.flag(name, strconv.Itoa(count))
	}
	add("replications", c.Replications)
	add("jobs", c.Jobs)
	c.overrides = append([]string{}, text.Each(list, scenario.Override.String)...) // not null in JSON
	if c.opener = c.Engine.Opener; c.opener == nil || c.opener.Seed != c.Seed {
		c.opener = &subject.Opener{Seed: c.Seed, Workers: c.Workers, Policies: c.Engine.Policies}
	}
	c.doc = need(c.doc.With(list...))
	return answer()
}

// checkFiles refuses settings that are no numbers and options of policies that name files.
func (c *call) checkFiles() error {
	doc, err := c.Document.With(need(text.Try(c.Engine.Set, scenario.ParseOverride))...) // which may add fields
	if err != nil {
		return err
	}
	for _, set := range append(slices.Clone(c.Request.Set), c.Vary) {
		path, value, _ := strings.Cut(set, "=")
		if err := doc.CheckNumeric(path); err != nil && set != "" {
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

func (c *call) flag(name string, value ...string) {
	c.flags = append(append(c.flags, "--"+name), value...)
}

// open opens a document, again where another call was canceled while it read the trace for both.
func (c *call) open(doc *scenario.Document) (s *subject.Subject, err error) {
	for s == nil && (err == nil || errors.Is(err, context.Canceled) && c.ctx.Err() == nil) {
		s, err = c.opener.Open(c.ctx, doc)
	}
	return s, err
}

// analyze opens a document for the queueing model.
func (c *call) analyze(doc *scenario.Document) (*subject.Subject, *analytic.Analysis, error) {
	s, err := c.open(doc)
	if err != nil {
		return nil, nil, err
	}
	a, err := analytic.Analyze(c.ctx, s, c.Seed, 0)
	return s, a, err
}

// shown returns the reply that has the facts of a view.
func (c *call) shown(v report.View) *Reply {
	facts, warnings := v.Facts()
	report.Fill(facts)
	return &Reply{Facts: facts, Warnings: report.Warnings(warnings), Command: c.line()}
}

// line returns the command line that prints the same.
func (c *call) line() string {
	line := append([]string{"revopt", c.Command, c.Name}, c.flags...)
	return strings.Join(text.Each(line, text.ShellWord), " ")
}

func (c *call) solve() *Reply {
	o := solve.Options{Prices: c.pricing(), Version: c.Version}
	if !slices.Contains([]string{"", "static", analytic.ControlThreshold, analytic.ControlState}, c.Control) {
		end(fmt.Errorf("control: expected static, threshold or state, got %q", c.Control))
	}
	if c.Control != "" && c.Control != "static" {
		o.Control = c.Control
		c.flag("control", c.Control)
	}
	end(o.Check())
	subject, analysis, err := c.analyze(c.doc)
	end(err)
	found := need(solve.Solve(c.ctx, analysis, o))
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	view := report.Answer{Answer: found, Analysis: analysis}
	reply := c.shown(view)
	reply.Headline, reply.Rows, reply.Words = view.Headline(), view.Rows(), view.Words()
	return reply
}

// pricing reports whether prices are chosen too.
func (c *call) pricing() bool {
	if c.Prices {
		c.flag("prices")
	}
	return c.Prices
}

func (c *call) curve() *Reply {
	vary := need(study.ParseVariation(c.Vary, c.doc))
	c.flag("vary", c.Vary)
	var subject *subject.Subject
	at := func(x float64) (a *analytic.Analysis, err error) {
		doc, err := vary.At(c.doc, x)
		if err == nil {
			subject, a, err = c.analyze(doc)
		}
		return a, err
	}
	o := solve.Options{Prices: c.pricing(), Version: c.Version}
	found := need(solve.NewCurve(c.ctx, vary.Path, vary.Values, at, o))
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	found.Warnings = append([]warn.Warning(nil), found.Warnings...) // null without any, as the command prints it
	view := report.Curve{Curve: found}
	reply := c.shown(view)
	reply.Rows = view.Rows()
	return reply
}

func (c *call) wait() *Reply {
	subject, analysis, err := c.analyze(c.doc)
	end(err)
	o := solve.WaitOptions{Quantiles: []float64{0.5, 0.9, 0.99}, Seed: c.Seed, Version: c.Version}
	o.Admission.Name = scenario.AdmitAll
	found := need(solve.Waits(c.ctx, analysis, o))
	found.Overrides, found.TraceFile = c.overrides, subject.TraceFile()
	return c.shown(report.Waits{WaitAnswer: found})
}

// simulation returns a simulation of the policies and admissions that the request names.
func (c *call) simulation() *simulation.Simulation {
	s := &simulation.Simulation{Subject: need(c.open(c.doc)), Replications: c.Replications, Seed: c.Seed,
		Overrides: c.overrides, Runner: &plan.Runner{Workers: c.Workers, Version: c.Version}}
	if len(c.Request.Policies) > 0 {
		s.Policies = need(study.ParsePolicies(c.Engine.Policies, c.Request.Policies...))
		c.flag("policy", strings.Join(c.Request.Policies, ","))
	}
	s.Admissions = need(study.ParseAdmissions(s.Subject, c.Admission))
	for _, value := range c.Admission {
		c.flag("admission", value)
	}
	if c.Seed != 1 {
		c.flag("seed", strconv.FormatUint(c.Seed, 10))
	}
	return s
}

func (c *call) simulate() *Reply {
	result := need(c.simulation().Run(c.ctx))
	result.Warnings = append(warn.Repeated(c.Replications, result.Once), result.Warnings...)
	view := report.Simulation{Result: result}
	reply := c.shown(view)
	reply.Rows, reply.Words = view.Rows(), append(view.Answer(), report.Shortfalls(result)...)
	reply.Prices = c.prices(result)
	return reply
}

// mostSteps is the number of steps of a price.
const mostSteps = 400

// prices returns the prices of markets in the first replication, run once more.
func (c *call) prices(r *study.Result) (list []metric.PricePath) {
	for i, row := range r.Policies {
		if math.IsNaN(float64(row.Total.Get("mean_price").Mean)) {
			continue // no market
		}
		var found metric.Prices
		need(r.Experiments[i].Run(c.ctx, 0, &found))
		for site, path := range found {
			if path.Name = row.Label; site < len(r.Pools) {
				path.Name += ", " + r.Pools[site].Name
			}
			list = append(list, path.Thinned(mostSteps))
		}
	}
	return list
}

func (c *call) validate() *Reply {
	s := c.simulation()
	v := &validate.Validation{Subject: s.Subject, Policies: s.Policies, Admissions: s.Admissions,
		Replications: s.Replications, Seed: s.Seed, Overrides: s.Overrides, Runner: s.Runner}
	if v.Subject.Workload.Stream() > 0 {
		v.Jobs = c.Jobs
	}
	end(v.Open(c.ctx))
	result := need(v.Run(c.ctx))
	result.Warnings = append(warn.Repeated(c.Replications, result.Once), result.Warnings...)
	view := report.New(result, "")
	reply := c.shown(view)
	reply.Headline, reply.Rows, reply.Words = view.Headline(), view.Rows(), append(view.Best(), view.Closest())
	return reply
}

func (c *call) yaml() *Reply {
	var b strings.Builder
	end(need(c.doc.Scenario(subject.Known(c.Engine.Policies))).WriteYAML(&b))
	return &Reply{Facts: map[string]string{"yaml": b.String()}}
}

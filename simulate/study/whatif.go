package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// WhatIf compares a scenario as it is with the same after changes: each alone,
// then all together, by formula, by simulation and by proven bound.
//
// Replication k of every situation draws the same random numbers, so that the
// difference of two situations is that of the change and not of luck, also where
// the change is one of the workload.
type WhatIf struct {
	Subject      *Subject
	Changes      []Change
	Policy       *Policy   // before; nil is the first of the scenario
	Admission    Admission // before; the zero value admits all
	Replications int       // 0: as many as the scenario says
	Plain        bool      // without control variates
	Seed         uint64
	Resample     *workload.Resampling // draws other jobs out of a recorded trace, so that intervals are the range of spans; nil leaves it
	Workers      int                  // 0: one per processor
	Level        float64              // of confidence; 0 is metric.DefaultLevel
	Cost         float64              // $ per node-hour of nodes that a change adds; 0 is not known
	Progress     Progress
	Journal      *Journal // keeps finished replications; nil keeps none
	Opener       *Opener  // that opened the subject, so that traces are read once; may be nil

	Version   string   // of the program
	Overrides []string // path=value, for the result

	drawn  map[*Subject]*Subject // resampled
	models map[*Subject]*Admissions
	bounds map[*Subject][]float64
	spans  []float64 // of the scenario as it is
}

// Change is one difference from the scenario as it is.
type Change struct {
	Name      string              // as it was asked for
	Set       []scenario.Override // of fields
	Growth    float64             // of arrivals, over those of the scenario as it is
	Policy    *Policy             // nil leaves it
	Admission *Admission          // nil leaves it
	Choice    string              // changes of one choice exclude each other: the best of them is among all together
}

// ParseChange reads a change of a field, of growth or of load, such as
// trace.nodes=+16, growth=20% or classes.urgent.price.per_node_hour=+10%; see
// scenario.Document.Change. A load stands for the growth that leads to it, so that
// a change of the machine beside it brings no customers.
func (s *Subject) ParseChange(arg string) (Change, error) {
	now := map[string]float64{"load": s.load(), "growth": s.Scenario.Growth}
	if r, ok := s.Workload.(*workload.Replay); ok {
		now["trace.nodes"], now["trace.arrival_delay_factor"] = float64(s.Nodes()), r.Delay()*(1+s.Scenario.Growth)
	}
	o, err := s.Document.Change(arg, now)
	if err != nil {
		return Change{}, err
	}
	given := strings.TrimSpace(arg[strings.Index(arg, "=")+1:])
	c := Change{Name: o.Path + "=" + given, Choice: o.Path}
	if strings.HasSuffix(given, "%") && strings.HasSuffix(o.Path, "nodes") && given != o.Value { // rounded
		c.Name += " (" + o.Value + ")"
	}
	if root, _, _ := strings.Cut(o.Path, "."); root == "name" || root == "simulation" || root == "policies" || strings.HasSuffix(o.Path, ".name") {
		hint := "it changes nothing that is earned"
		switch root {
		case "simulation":
			hint += ": --set " + arg + " sets it before and after"
		case "policies":
			hint = "expected policy=P, with the policy after the change"
		}
		return Change{}, &scenario.Error{File: o.Source, Message: hint}
	}
	if o.Path != "load" && o.Path != "growth" {
		c.Set = []scenario.Override{o}
		return c, nil
	}
	sign := strings.IndexByte("+-", c.Name[len(o.Path)+1])
	if o.Path == "growth" && sign >= 0 { // of what comes today
		o.Value = c.Name[len("growth="):]
	}
	doc, err := s.Document.With(scenario.Override{Path: "growth", Value: "0"}, o)
	if err != nil {
		return c, err
	}
	sc, err := doc.Scenario(nil)
	switch {
	case err != nil:
		return c, err
	case o.Path == "load":
		c.Growth = sc.Load/s.load() - 1
	case sign >= 0:
		c.Growth = sc.Growth
	default:
		c.Growth = (1+sc.Growth)/(1+s.Scenario.Growth) - 1
	}
	return c, nil
}

// load returns the offered load, as the scenario has it where it does.
func (s *Subject) load() float64 {
	if s.Workload.Stream() > 0 && s.Scenario.Load > 0 {
		return s.Scenario.Load
	}
	return s.Workload.Load()
}

// WhatIfResult is what changes bring. Its JSON is the contract with scripts.
type WhatIfResult struct {
	Scenario     string         `json:"scenario"`
	Version      string         `json:"version"`
	Overrides    []string       `json:"overrides"`
	Workload     string         `json:"workload"`
	Unit         string         `json:"unit"` // of money
	Per          string         `json:"per"`  // the hour of the unit, in words
	Load         Number         `json:"load"`
	Nodes        int            `json:"nodes"`
	Policy       string         `json:"policy"`
	Admission    string         `json:"admission"`
	Seed         uint64         `json:"seed"`
	Replications int            `json:"replications"`
	Once         bool           `json:"once"`
	Covers       string         `json:"covers" save:"-"` // as of Result
	Level        Number         `json:"level"`
	Resampled    bool           `json:"resampled,omitempty"` // intervals are ranges of spans
	Cost         *Number        `json:"cost,omitempty"`      // $ per node-hour
	Interrupted  bool           `json:"interrupted"`
	Before       *ChangeResult  `json:"before"` // the scenario as it is, which changes nothing
	Changes      []ChangeResult `json:"changes"`
	Verdict      string         `json:"verdict" save:"-"` // Lead as a sentence; "" until package report makes it
	Warnings     []Warning      `json:"warnings"`

	Drawn string `json:"-"` // as of Result
	Lead  *Lead  `json:"-"` // the change that alone brings most; nil of a single one

	What    string `json:"-"` // the workload in a few words
	Source  string `json:"-"` // the text of the scenario, without overrides
	Command string `json:"-"` // that made it; "" where none did
	Build   string `json:"-"` // of the program that made it; "" where it is not known
}

// ChangeResult is what one change brings, in $/h.
type ChangeResult struct {
	Name       string           `json:"name"`
	Set        []string         `json:"set"` // path=value
	Formula    FormulaPair      `json:"formula"`
	Simulation EstimatePair     `json:"simulation"`
	Bound      BoundPair        `json:"bound"`
	Money      []Number         `json:"by_replication"`   // simulated after the change; one number stands for all where nothing is random
	Verdict    string           `json:"verdict" save:"-"` // a sentence; "" until package report makes it
	Policy     string           `json:"policy"`
	Load       [2]Number        `json:"load"`  // before and after
	Nodes      [2]int           `json:"nodes"` // likewise
	MeanWait   EstimatePair     `json:"mean_wait"`
	Promises   []PromiseChange  `json:"promises"`
	Admission  AdmissionOutcome `json:"admission"`            // after
	BreakEven  *Estimate        `json:"break_even,omitempty"` // $ per node-hour below which more nodes, or above which fewer, pay
	Net        *Estimate        `json:"net,omitempty"`        // gain less the cost of the nodes
	Doubts     []Warning        `json:"doubts"`               // why the formula may be off

	Once       bool `json:"-"` // nothing is random before and after
	OfPolicy   bool `json:"-"` // the policy changes and nothing else
	OfPromises bool `json:"-"` // promises change, or an admission is to keep them
}

// FormulaPair is what the queueing model predicts. A number that it does not have
// is null.
type FormulaPair struct {
	Before Number   `json:"before"`
	After  Number   `json:"after"`
	Reason *Warning `json:"reason,omitempty"` // that there is none

	// Exact is the same, before and after, with floors and graces counted job by
	// job, as by solve --utility exact.
	Exact [2]Number `json:"exact"`
}

// Difference returns after less before.
func (p FormulaPair) Difference() float64 { return float64(p.After - p.Before) }

// EstimatePair is a measure of the simulation; the difference is paired.
type EstimatePair struct {
	Before     Estimate `json:"before"`
	After      Estimate `json:"after"`
	Difference Estimate `json:"difference"`
}

// BoundPair is what no policy can exceed on these jobs, mean over replications.
type BoundPair struct {
	Before     Number   `json:"before"`
	After      Number   `json:"after"`
	Difference Estimate `json:"difference"`
	Name       string   `json:"name"` // clairvoyant, or of a stream fluid-rate
}

// PromiseChange is what becomes of a promise.
type PromiseChange struct {
	Name       string   `json:"name"`
	Within     Number   `json:"within"` // s, after
	Level      Number   `json:"level"`  // after
	Before     Estimate `json:"before"` // share of admitted jobs, of what was promised before
	After      Estimate `json:"after"`
	Difference Estimate `json:"difference"`
	Kept       string   `json:"kept"` // after: kept, not kept, undecided or void
}

// AdmissionOutcome is which jobs an admission turns away.
type AdmissionOutcome struct {
	Name    string           `json:"name"`
	Classes []TurnedAway     `json:"classes"`
	Asked   []AskedPrice     `json:"-"`                         // prices that were chosen
	Prices  string           `json:"prices,omitempty" save:"-"` // the same in words; "" until package report makes them
	Short   []Check          `json:"shortfalls,omitempty"`
	Rule    []ClassThreshold `json:"thresholds,omitempty"`

	// InSample says that a search found the admission on the very jobs of the trace
	// that it is measured on.
	InSample bool `json:"in_sample,omitempty"`
}

// TurnedAway is how many jobs of a customer are refused.
type TurnedAway struct {
	Name      string `json:"name"`
	Admit     Number `json:"admit"`     // probability; null where a rule decides
	Submitted Number `json:"submitted"` // jobs of a replication, mean
	Refused   Number `json:"refused"`   // likewise
}

// situation is the scenario before or after a change.
type situation struct {
	recorded   *Subject // before jobs are resampled
	subject    *Subject
	experiment *Experiment
	outcome    Outcome
	spans      []float64 // s that money of a replication is divided by; nil of a stream
	batch      bool      // all jobs are submitted at once
	searched   bool      // the admission was searched on the simulator
	priced     bool      // its prices were chosen
	formula    float64   // $/h, NaN where there is none
	exact      float64   // the same with floors and graces counted job by job
	reason     *Warning  // for that
	busy       float64   // share of the machine that admitted jobs need, by the formula
	unsettled  *Warning  // its queue has no time to settle; nil where it has
	doubts     []Warning // about the formula, besides
	bounds     []float64 // $/h by replication
}

// Run simulates the scenario as it is and after the changes. After an error, or
// when the context is canceled, the result has what is known, in the end of fewer
// replications; it is nil where no replication was finished.
func (w *WhatIf) Run(ctx context.Context) (*WhatIfResult, error) {
	list, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	base := list[0]
	err = w.measure(ctx, base, "the scenario as it is")
	if len(base.outcome.Samples) == 0 {
		return nil, err
	}
	w.spans = base.spans
	r := w.newResult(base)
	for i, c := range w.Changes {
		if err == nil {
			err = w.add(ctx, r, c, base, list[i+1])
		}
	}
	if err != nil {
		return w.partial(r), err
	}
	r.Lead = w.lead(r)
	if all, ok := w.together(r); ok {
		s, err := w.situation(ctx, all)
		if err == nil {
			err = w.add(ctx, r, all, base, s)
		}
		if err != nil {
			return w.partial(r), err
		}
	}
	return r, nil
}

// partial marks a result as not finished.
func (w *WhatIf) partial(r *WhatIfResult) *WhatIfResult {
	last, what := r.Before, "in the scenario as it is"
	if n := len(r.Changes); n > 0 {
		last, what = &r.Changes[n-1], fmt.Sprintf("with %d of %s, in %s", n, text.Plural(len(w.Changes), "change"), r.Changes[n-1].Name)
	}
	r.Interrupted = true
	r.Warnings = interrupted(r.Warnings, "%s after %s", what, text.Plural(last.Simulation.After.N, "replication"))
	return r
}

// open makes all situations ready but the last, all together, and finds whatever
// is wrong with them before anything runs.
func (w *WhatIf) open(ctx context.Context) ([]*situation, error) {
	if err := w.Subject.Check(); err != nil {
		return nil, err
	}
	if err := w.Subject.unforwarded("whatif"); err != nil {
		return nil, err
	}
	if len(w.Changes) == 0 {
		return nil, errors.New("study: nothing changes")
	}
	if r, ok := w.Subject.Workload.(*workload.Replay); ok && !r.Pays() {
		return nil, &NoValueError{w.Subject.Document.File()}
	}
	if w.Policy == nil {
		policies, err := w.Subject.Policies(nil)
		if err != nil {
			return nil, err
		}
		w.Policy = &policies[0]
	}
	if w.Admission.Name == "" && w.Admission.Admit == nil && w.Admission.Rule == nil {
		w.Admission.Name = scenario.AdmitAll
	}
	if w.Level == 0 {
		w.Level = metric.DefaultLevel
	}
	drawn, err := w.Subject.Resample(ctx, w.Resample)
	if err != nil {
		return nil, err
	}
	if w.Replications == 0 {
		w.Replications = drawn.replications()
	}
	if w.Opener == nil {
		w.Opener = &Opener{Seed: w.Seed, Policies: w.Subject.specs}
	}
	w.spans = nil
	w.drawn, w.models, w.bounds = map[*Subject]*Subject{}, map[*Subject]*Admissions{}, map[*Subject][]float64{}
	var list []*situation
	for _, c := range append([]Change{{}}, w.Changes...) {
		s, err := w.situation(ctx, c)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// Files returns those that the scenario reads, as it is and after the changes.
func (w *WhatIf) Files() ([]string, error) {
	list := w.Subject.Scenario.Files()
	for _, c := range w.Changes {
		doc, err := w.Subject.Document.Settled().With(c.Set...)
		if err != nil {
			return nil, err
		}
		sc, err := doc.Scenario(Known(w.Subject.specs))
		if err != nil {
			return nil, err
		}
		for _, path := range sc.Files() {
			if !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	}
	return list, nil
}

// situation returns the scenario after a change.
func (w *WhatIf) situation(ctx context.Context, c Change) (*situation, error) {
	s := &situation{subject: w.Subject}
	set := slices.Clone(c.Set)
	if c.Growth != 0 {
		all := (1+w.Subject.Scenario.Growth)*(1+c.Growth) - 1
		set = append(set, scenario.Override{Path: "growth", Value: fmt.Sprintf("%.15g", all), Source: "--change " + c.Name})
	}
	if len(set) > 0 {
		doc, err := w.Subject.Document.Settled().With(set...)
		if err != nil {
			return nil, err
		}
		if s.subject, err = w.Opener.Open(ctx, doc); err == nil {
			err = s.subject.Check()
		}
		if err != nil {
			return nil, err
		}
	}
	recorded := s.subject
	drawn, ok := w.drawn[recorded]
	if !ok {
		var err error
		if drawn, err = recorded.Resample(ctx, w.Resample); err != nil {
			return nil, err
		}
		w.drawn[recorded] = drawn
	}
	s.recorded, s.subject = recorded, drawn
	s.experiment = &Experiment{Workload: s.subject.Workload, Policy: *w.Policy, Admission: w.Admission, Seed: w.Seed, Plain: w.Plain, Journal: w.Journal}
	if c.Policy != nil {
		s.experiment.Policy = *c.Policy
	}
	if c.Admission != nil {
		s.experiment.Admission = *c.Admission
	}
	a := &s.experiment.Admission
	if err := s.subject.computable(*a); err != nil {
		if c.Admission != nil {
			err = fmt.Errorf("%s: %w", c.Name, err)
		}
		return nil, err
	}
	a.Admit = completed(a.Admit, len(s.subject.Workload.Customers()))
	return s, s.experiment.Check()
}

// together returns the change that is all of them, of those that exclude each
// other the one that brings most, and whether it is another than each alone.
func (w *WhatIf) together(r *WhatIfResult) (Change, bool) {
	all := Change{Name: "all together"}
	best := map[string]int{}
	var order []string
	for i, c := range w.Changes {
		at, ok := best[c.Choice]
		if !ok {
			order = append(order, c.Choice)
		}
		if !ok || r.Changes[i].gain().Mean > r.Changes[at].gain().Mean {
			best[c.Choice] = i
		}
	}
	growth := 1.0
	for _, choice := range order {
		c := w.Changes[best[choice]]
		if slices.ContainsFunc(w.Changes, func(o Change) bool { return o.Choice == choice && o.Name != c.Name }) {
			all.Name += ", " + c.Name
		}
		all.Set = append(all.Set, c.Set...)
		growth *= 1 + c.Growth
		if c.Policy != nil {
			all.Policy = c.Policy
		}
		if c.Admission != nil {
			all.Admission = c.Admission
		}
	}
	all.Growth = growth - 1
	return all, len(order) > 1
}

// add measures a situation and adds what it brings, as far as it came.
func (w *WhatIf) add(ctx context.Context, r *WhatIfResult, c Change, base, s *situation) error {
	err := w.measure(ctx, s, c.Name)
	if err != nil && len(s.outcome.Samples) == 0 {
		return err
	}
	r.Changes = append(r.Changes, w.compare(c, base, s))
	r.Once = r.Once && !s.experiment.Random()
	r.Drawn = s.subject.drawn(r.Once)
	for _, x := range s.subject.warnings() {
		if x.Kind != "other-machine" { // that is the change
			r.Warnings = union(r.Warnings, []Warning{x})
		}
	}
	return err
}

// measure applies the three methods to a situation.
func (w *WhatIf) measure(ctx context.Context, s *situation, name string) error {
	models := w.models[s.subject]
	if models == nil {
		models = &Admissions{Subject: s.subject, Seed: w.Seed}
		w.models[s.subject] = models
	}
	e := s.experiment
	ask := *e
	ask.Workload = s.recorded.Workload
	if p, searched, err := s.recorded.AskPrices(ctx, &ask, w.Workers, w.Progress); err != nil {
		return err
	} else if p != nil {
		if p, err = p.Resample(ctx, w.Resample); err != nil {
			return err
		}
		s.subject, s.searched, s.priced = p, searched, true
		e.Workload, e.Admission.Admit = p.Workload, p.Shares
		models = &Admissions{Subject: p, Seed: w.Seed}
	}
	if e.Admission.Admit == nil && e.Admission.Rule == nil {
		var err error
		if e.Admission, s.searched, err = models.compute(ctx, e, nil, w.Workers, w.Progress); err != nil {
			return err
		}
	}
	if err := s.predict(ctx, models); err != nil {
		return err
	}
	if err := w.simulate(ctx, s, name); err != nil {
		return err
	}
	return w.bound(ctx, s, name)
}

const hour = 3600

// predict evaluates the formula at the admission of the simulation.
func (s *situation) predict(ctx context.Context, models *Admissions) error {
	s.formula, s.exact = math.NaN(), math.NaN()
	a, err := models.Analysis(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		s.reason = &Warning{Text: err.Error()}
		return nil
	}
	admission := s.experiment.Admission
	if admission.Rule != nil {
		s.reason = &Warning{Kind: NoFormulaRule}
		return nil
	}
	q := slices.Repeat([]float64{1}, len(a.System.Classes))
	for i := range q {
		if admission.Admit != nil && a.Customer[i] >= 0 {
			q[i] = admission.Admit[a.Customer[i]]
		}
	}
	hol, err := model.NewHOL(a.System)
	if err != nil {
		s.reason = &Warning{Text: err.Error()}
		return nil
	}
	s.busy = hol.Utilization(q)
	if s.formula = hour * hol.Revenue(q); math.IsInf(s.formula, 0) {
		s.formula, s.reason = math.NaN(), &Warning{Kind: NoFormulaSteady, Numbers: []float64{s.busy}}
	}
	if e, err := model.NewExact(a.System); err == nil && s.busy < 1 {
		r, _ := e.Revenue(q)
		s.exact = hour * r
	}
	s.doubt(a)
	return nil
}

// simulate runs the replications. After an error it keeps those before the first
// that did not finish.
//
// Money of finitely many jobs is divided by the time in which they are submitted,
// that of jobs submitted at once by the time that they take in the scenario as it is:
// neither depends on the policy or on which jobs come.
func (w *WhatIf) simulate(ctx context.Context, s *situation, name string) error {
	n := w.Replications
	if !s.experiment.Random() {
		n = 1
	}
	own := workPlan{experiments: []*Experiment{s.experiment}, replications: n, workers: w.Workers}
	if s.subject.Workload.Stream() == 0 {
		own.bounds = n
	}
	if err := own.afford(ctx); err != nil {
		return err
	}
	type run struct {
		Sample
		span float64 // s, of finitely many jobs
	}
	finite := s.subject.Workload.Stream() == 0
	stage := w.Journal.stage()
	var done atomic.Int64
	runs, err := metric.Replicate(ctx, 0, n, w.Workers, func(ctx context.Context, k int) (run, error) {
		sample, err := s.experiment.keep(ctx, stage, k, k)
		var span float64
		if err == nil && finite {
			span, err = submission(s.subject.Workload, w.Seed, k)
		}
		w.Progress.tell("simulating "+name, int(done.Add(1)), n)
		return run{sample, span}, err
	})
	s.outcome.Level = w.Level
	for k, r := range runs {
		s.outcome.Samples = append(s.outcome.Samples, r.Sample)
		switch {
		case finite && r.span == 0 && w.spans == nil:
			r.span, s.batch = r.Total.Seconds, true
		case finite && r.span == 0:
			r.span, s.batch = w.spans[min(k, len(w.spans)-1)], true
		}
		if finite {
			s.spans = append(s.spans, r.span)
		}
	}
	return err
}

// submission returns the time in which the jobs of a replication are submitted, s.
func submission(w workload.Workload, seed uint64, replication int) (float64, error) {
	if r, ok := w.(*workload.Replay); ok {
		return r.Span(seed, replication)
	}
	source, err := w.Jobs(seed, replication)
	if err != nil {
		return 0, err
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	var j simulate.Job
	for {
		if ok, err := source.Next(&j); !ok || err != nil {
			return j.Submit, err
		}
	}
}

// The search for a bound starts on a coarse grid and stops at a wide gap: the
// bounds are hardly above those of a validation, and take a tenth of the time.
const (
	quickGap  = 0.02
	quickGrid = 8 // pairs of a job and a cell of time, per job
)

// bound finds what no policy can exceed on the jobs of each replication, once for
// all situations that have the same jobs and machine.
func (w *WhatIf) bound(ctx context.Context, s *situation, name string) error {
	if known, ok := w.bounds[s.subject]; ok {
		s.bounds = known
		return nil
	}
	jobs := s.subject.Workload
	if jobs.Stream() > 0 {
		if r, err := bound.FluidRate(jobs.Customers(), float64(s.subject.Nodes())); err == nil {
			s.bounds = []float64{hour * r.Bound}
		}
		w.bounds[s.subject] = s.bounds
		return nil
	}
	n := w.Replications
	if !jobs.Random() {
		n = 1
	}
	convert := bound.Whole
	if w.optional() {
		convert = bound.WholeOrPartial
	}
	stage := w.Journal.stage()
	list, err := metric.Replicate(ctx, 0, n, w.Workers, func(ctx context.Context, k int) (float64, error) {
		defer w.Progress.tell("bounding "+name, k+1, n)
		return keep(stage, k, nil, func() (float64, error) {
			source, err := jobs.Jobs(w.Seed, k)
			if err != nil {
				return 0, err
			}
			if c, ok := source.(io.Closer); ok {
				defer c.Close()
			}
			all, err := bound.Collect(ctx, source, 0, convert)
			if err != nil {
				return 0, err
			}
			r, err := bound.Clairvoyant(ctx, all, machineOf(jobs), bound.Options{Gap: quickGap, First: max(quickGrid*len(all), 1024)})
			return hour * r.Bound, err
		})
	})
	if err != nil {
		return err
	}
	for k := range list {
		list[k] /= s.spans[min(k, len(s.spans)-1)]
	}
	s.bounds, w.bounds[s.subject] = list, list
	return nil
}

// optional reports whether some policy returns partial results.
func (w *WhatIf) optional() bool {
	return w.Policy.Partial() || slices.ContainsFunc(w.Changes, func(c Change) bool { return c.Policy != nil && c.Policy.Partial() })
}

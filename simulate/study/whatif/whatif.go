package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// WhatIf asks what changes bring: it compares a scenario as it is with the same after
// each change alone, then after all together, by simulation, by proven bound and by
// formula.
//
// Replication k of every point draws the same random numbers, so that the difference
// of two points is that of the change and not of luck, also where the change is one of
// the workload.
type WhatIf struct {
	Subject      *subject.Subject
	Changes      []Change
	Policy       *subject.Policy      // before; nil is the first of the scenario
	Admission    experiment.Admission // before; the zero value admits all
	Replications int                  // 0: as many as the scenario says
	Plain        bool                 // without control variates
	Seed         uint64
	// draws other jobs out of a recorded trace, so that intervals are the range of spans; nil leaves it
	Resample  *workload.Resampling
	Level     float64      // of confidence; 0 is metric.DefaultLevel
	Costs     Costs        // of units that a change adds; nil: not known
	Formula   bool         // computes the formula on traces too, for classes fitted to them
	Runner    *plan.Runner // nil: all cores, and nothing is kept
	Overrides []string     // path=value, for the result

	recorded   *subject.Policy // the schedule of the log, beside the scenario as it is; nil where there is none
	unrecorded string          // why not, where there is a log
	work       *plan.Execution
}

// ParseChanges is ParseChange, where pools.* gives a change for each pool.
func ParseChanges(s *subject.Subject, arg string) ([]Change, error) {
	field, all := strings.CutPrefix(strings.TrimSpace(arg), "pools.*")
	if !all {
		c, err := ParseChange(s, arg)
		return []Change{c}, err
	}
	if s.Scenario.Pools == nil {
		return nil, &scenario.Error{File: "--change " + arg, Message: "expected pools in the scenario"}
	}
	var list []Change
	for _, p := range s.Scenario.Pools {
		c, err := ParseChange(s, "pools."+p.Name+field)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// ParseChange reads a change of a field, of growth or of load, such as nodes=+16,
// growth=20% or classes.urgent.price.per_unit_hour=+10%; see scenario.Document.Change.
// The path nodes is the machine of any workload in its units, and so is their name, such as
// cores. A load stands for the growth that
// leads to it, so that a change of the machine beside it brings no customers.
func ParseChange(s *subject.Subject, arg string) (Change, error) {
	typed := strings.TrimSpace(strings.SplitN(arg, "=", 2)[0])
	if _, value, _ := strings.Cut(arg, "="); typed == ChoiceRent {
		return rentChange(s, arg, strings.TrimSpace(value))
	}
	machine := namesMachine(s, typed)
	if machine {
		path, err := machinePath(s)
		if err != nil {
			return Change{}, &scenario.Error{File: "--change " + arg, Message: err.Error()}
		}
		arg = strings.Replace(arg, typed, path, 1)
	}
	now := map[string]float64{"load": offeredLoad(s), "growth": s.Scenario.Growth}
	if r, ok := s.Workload.(*workload.Replay); ok {
		now["trace.nodes"], now["trace.arrival_delay_factor"] = float64(s.Nodes()), r.Delay()*(1+s.Scenario.Growth)
	}
	o, err := s.Document.Change(arg, now)
	if err != nil {
		return Change{}, err
	}
	given := strings.TrimSpace(arg[strings.Index(arg, "=")+1:])
	c := Change{Name: o.Path + "=" + given, Choice: o.Path}
	pool := strings.HasPrefix(o.Path, "pools.") && strings.HasSuffix(o.Path, ".units")
	if pool {
		c.Name = strings.TrimSuffix(o.Path, ".units") + "=" + given
	}
	if machine {
		c.Name = typed + "=" + given
	}
	if strings.HasSuffix(given, "%") && (pool || strings.HasSuffix(o.Path, "nodes")) && given != o.Value { // rounded
		c.Name += " (" + o.Value + ")"
	}
	if root, _, _ := strings.Cut(o.Path, "."); root == "name" || root == "simulation" || root == "policies" ||
		strings.HasSuffix(o.Path, ".name") {
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
		c.Growth = sc.Load/offeredLoad(s) - 1
	case sign >= 0:
		c.Growth = sc.Growth
	default:
		c.Growth = (1+sc.Growth)/(1+s.Scenario.Growth) - 1
	}
	return c, nil
}

// namesMachine reports whether a path names the units of the machine.
func namesMachine(s *subject.Subject, path string) bool {
	word, plural := strings.CutSuffix(path, "s")
	return path == "nodes" || plural && slices.Contains(append(unitWords(s), s.Unit()), word)
}

// machinePath returns the path of the number of units of the machine.
func machinePath(s *subject.Subject) (string, error) {
	if p := s.Scenario.Pools; p != nil {
		return "", fmt.Errorf("expected one of the pools, as in pools.%s=+16, or each of them, "+
			"as in pools.*=+10%%", p[0].Name)
	}
	if t := s.Scenario.Trace; t != nil {
		if len(slices.Compact(slices.Clone(t.Machines))) > 1 {
			return "", errors.New("expected a machine of one kind of node; change the count of a group, as in " +
				"nodes.0.count=+16")
		}
		return "trace.nodes", nil
	}
	if g := s.Scenario.Grid; g != nil {
		if len(g.Sites) > 1 {
			return "", errors.New("expected a machine at one site; change one of several, as in sites.0.processors=+16")
		}
		return "sites.0.processors", nil
	}
	if _, err := s.Document.Change("server.parallel=+0", nil); err == nil {
		return "server.parallel", nil
	}
	return "server.nodes", nil
}

// offeredLoad returns the offered load, as the scenario has it where it does.
func offeredLoad(s *subject.Subject) float64 {
	if s.Workload.Stream() > 0 && s.Scenario.Load > 0 {
		return s.Scenario.Load
	}
	return s.Workload.Load()
}

// Open finds whatever is wrong with the scenario and the changes before anything runs.
func (w *WhatIf) Open(ctx context.Context) error {
	if len(w.Changes) == 0 {
		return errors.New("study: nothing changes")
	}
	if w.Policy == nil {
		policies, err := w.Subject.Policies()
		if err != nil {
			return err
		}
		w.Policy = &policies[0]
	}
	if w.Admission.Name == "" && w.Admission.Admit == nil && w.Admission.Rule == nil {
		w.Admission.Name = scenario.AdmitAll
	}
	if !w.Policy.RepeatsLog() {
		w.recorded, w.unrecorded = experiment.RecordedPolicy(w.Subject, w.Resample)
	}
	var err error
	w.work, err = w.plan(ctx, append([]Change{{}}, w.Changes...))
	return err
}

// plan opens a plan whose points are changes, each with a row of its own.
func (w *WhatIf) plan(ctx context.Context, changes []Change) (*plan.Execution, error) {
	var rows []plan.Row
	var points []plan.Change
	for _, c := range changes {
		row := plan.Row{Policy: *w.Policy, Admission: w.Admission}
		if c.Policy != nil {
			row.Policy = *c.Policy
		}
		if c.Admission != nil {
			row.Admission = *c.Admission
			row.Admission.Change = c.Name
		}
		set := slices.Clone(c.Set)
		if c.unrented == nil {
			set = slices.Concat(w.before(), set)
		}
		if c.Growth != 0 {
			all := fmt.Sprintf("%.15g", (1+w.Subject.Scenario.Growth)*(1+c.Growth)-1)
			set = append(set, scenario.Override{Path: "growth", Value: all, Source: "--change " + c.Name})
		}
		points = append(points, plan.Change{Set: set, Rows: []int{len(rows)}})
		rows = append(rows, row)
	}
	if w.work == nil && w.recorded != nil {
		points[0].Rows = append(points[0].Rows, len(rows))
		rows = append(rows, plan.Row{Policy: *w.recorded, Admission: experiment.Admission{Name: scenario.AdmitAll}})
	}
	return plan.OpenRows(ctx, w.Subject, rows, func(p *plan.Plan) {
		p.Changes = points
		p.Seed = w.Seed
		p.Replications = w.Replications
		p.Resample = w.Resample
		p.Plain = w.Plain
		p.Bounds = &plan.Bounds{Quick: true}
	}, nil, &w.Level)
}

// Run simulates the scenario as it is and after the changes. After an error, or when
// the context is canceled, the result has the replications that are finished at all
// points; it is nil where there are none.
func (w *WhatIf) Run(ctx context.Context) (*Result, error) {
	if w.work == nil {
		if err := w.Open(ctx); err != nil {
			return nil, err
		}
	}
	w.Runner = cmp.Or(w.Runner, &plan.Runner{})
	samples, list, err := w.measure(ctx, w.work)
	if list == nil {
		return nil, err
	}
	base := list[0]
	r := w.newResult(base)
	r.Samples = []*plan.Samples{samples}
	for i, c := range w.Changes {
		w.add(r, c, base, list[1+i])
	}
	if err != nil {
		return w.partial(r), err
	}
	w.promiseCosts(r)
	if all, ok := w.together(r); ok {
		x, err := w.plan(ctx, []Change{all})
		if err != nil {
			return w.partial(r), err
		}
		samples, list, err := w.measure(ctx, x)
		if list != nil {
			w.add(r, all, base, list[0])
			r.Samples = append(r.Samples, samples)
		}
		if err != nil {
			return w.partial(r), err
		}
	}
	r.Tied, r.Grow = w.tied(r), w.rankPools(r)
	skewed, err := plan.Skewed(ctx, r.Samples...)
	r.Warnings = append(r.Warnings, skewed...)
	return r, err
}

// partial marks a result as not finished.
func (w *WhatIf) partial(r *Result) *Result {
	wanted := text.Plural(r.Replications, "replication")
	r.Interrupted, r.Replications = true, r.Changes[len(r.Changes)-1].Simulation.After.N
	r.Warnings = warn.Interrupt(r.Warnings, "after %d of %s", r.Replications, wanted)
	return r
}

// together returns the change that is all of them, of those that exclude each
// other the one that brings most, and whether it is another than each alone.
func (w *WhatIf) together(r *Result) (Change, bool) {
	all := Change{Name: "all together"}
	best := map[string]int{}
	var order []string
	for i, c := range w.Changes {
		at, ok := best[c.Choice]
		if !ok {
			order = append(order, c.Choice)
		}
		if !ok || r.Changes[i].Gain().Mean > r.Changes[at].Gain().Mean {
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
		if c.unrented != nil {
			all.unrented = c.unrented
		}
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

func (w *WhatIf) add(r *Result, c Change, base, s *state) {
	r.Changes = append(r.Changes, w.compare(c, base, s))
	w.setBest(r)
	r.Once = r.Once && !s.experiment.Random()
	r.Drawn = study.Drawn(s.subject, r.Once)
	for _, x := range append(study.SubjectWarnings(s.subject), s.experiment.Unread()...) {
		if x.Kind != warn.OtherMachine { // that is the change
			r.Warnings = warn.Union(r.Warnings, []warn.Warning{x})
		}
	}
}

// measure runs a plan and returns the states of its points, in the replications
// that are finished at all of them; nil where there are none.
func (w *WhatIf) measure(ctx context.Context, x *plan.Execution) (*plan.Samples, []*state, error) {
	samples, err := w.Runner.Run(ctx, x, "simulating")
	if samples == nil {
		return nil, nil, err
	}
	most, _ := samples.Common()
	if most == 0 {
		return samples, nil, err
	}
	var list []*state
	for point := range x.Plan.Points() {
		for i, row := range x.Plan.RowsAt(point) {
			s, broken := w.state(ctx, samples, point, row, most)
			if broken != nil {
				return samples, nil, errors.Join(err, broken)
			}
			if i == 0 {
				list = append(list, s)
			} else {
				list[point].recorded = s
			}
		}
	}
	return samples, list, err
}

// state reads a row of a point, in one replication if nothing is random.
func (w *WhatIf) state(ctx context.Context, samples *plan.Samples, point, row, most int) (*state, error) {
	e, err := samples.Experiment(point, row)
	if err != nil {
		return nil, err
	}
	s := &state{experiment: e, searched: e.Admission.Searched, priced: e.Admission.Priced()}
	s.subject, err = samples.Subject(point, row)
	if err != nil {
		return nil, err
	}
	s.models, err = samples.Models(ctx, point)
	if err != nil {
		return nil, err
	}
	if s.priced {
		s.models = &experiment.Admissions{Subject: s.subject, Seed: w.Seed}
	}
	s.outcome = samples.Row(point, row)
	if s.outcome.N() > most {
		s.outcome = s.outcome.Stretched(most)
	}
	s.setBounds(samples, point)
	s.predicted = (w.Formula || s.subject.Trace == nil) && !e.Policy.RepeatsLog()
	if s.predicted {
		s.predict(ctx)
	}
	return s, nil
}

// predict evaluates the formula at the admission of the simulation.
func (s *state) predict(ctx context.Context) {
	s.formula = math.NaN()
	a, err := s.models.Analysis(ctx)
	switch {
	case ctx.Err() != nil:
		s.reason = &warn.Warning{Text: "the run was interrupted"}
		return
	case err != nil:
		s.reason = &warn.Warning{Text: err.Error()}
		return
	}
	admission := s.experiment.Admission
	if admission.Rule != nil {
		s.reason = &warn.Warning{Kind: warn.NoFormulaRule}
		return
	}
	q := slices.Repeat([]float64{1}, len(a.System.Classes))
	for i := range q {
		if admission.Admit != nil && a.Customer[i] >= 0 {
			q[i] = admission.Admit[a.Customer[i]]
		}
	}
	q, err = a.SplitRent(ctx, q)
	if err != nil {
		s.reason = &warn.Warning{Text: err.Error()}
		return
	}
	var sum float64
	for _, part := range a.Parts() {
		hol, err := model.NewHOL(part.System)
		if err != nil {
			s.reason = &warn.Warning{Text: err.Error()}
			return
		}
		s.busy = hol.Utilization(analytic.InPart(part, q))
		revenue := metric.Hour * (hol.Revenue(analytic.InPart(part, q)) + part.System.Outside())
		sum += revenue
		if math.IsInf(revenue, 0) {
			s.reason = &warn.Warning{Kind: warn.NoFormulaSteady, Numbers: []float64{s.busy}}
		}
		s.doubt(part)
	}
	if s.reason == nil {
		s.formula = sum
	}
}

// setBounds sets what no policy can exceed on the jobs of each replication, $/h.
func (s *state) setBounds(samples *plan.Samples, point int) {
	if jobs := s.subject.Workload; jobs.Stream() > 0 {
		if rate, ok := plan.FluidRate(jobs); ok {
			s.bounds = []float64{metric.Hour * rate}
		}
		return
	}
	spans := s.outcome.Spans()
	for k, most := range samples.Clairvoyant(point) {
		s.bounds = append(s.bounds, metric.Hour*metric.PerSecond(most, spans[min(k, len(spans)-1)]))
	}
}

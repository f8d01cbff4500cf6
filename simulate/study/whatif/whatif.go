package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/served"
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
	Objective    string               // that changes are compared by: wait or slowdown; "" is money
	Policy       *subject.Policy      // before; nil is the first of the scenario
	Admission    experiment.Admission // before; the zero value admits all
	Replications int                  // 0: as many as the scenario says
	Plain        bool                 // without control variates
	Seed         uint64
	// draws other jobs out of a recorded trace, so that intervals are the range of spans; nil leaves it
	Resample  *workload.Resampling
	Level     float64      // of confidence; 0 is metric.DefaultLevel
	Costs     Costs        // of units that a change adds; nil: not known
	Alone     bool         // the log alone: no histories of its weeks decide whether changes pay
	Formula   bool         // computes the formula on traces too, for classes fitted to them
	Runner    *plan.Runner // nil: all cores, and nothing is kept
	Overrides []string     // path=value, for the result

	recorded   *subject.Policy // the schedule of the log, beside the scenario as it is; nil where there is none
	unrecorded string          // why not, where there is a log
	work       *plan.Execution
	layout     *served.Layout // of the scenario as it is
}

// Open finds whatever is wrong with the scenario and the changes before anything runs.
func (w *WhatIf) Open(ctx context.Context) error {
	if len(w.Changes) == 0 {
		return errors.New("study: nothing changes")
	}
	now, err := w.PolicyNow()
	if err != nil {
		return err
	}
	w.Policy = &now
	if w.Admission.Name == "" && w.Admission.Admit == nil && w.Admission.Rule == nil {
		w.Admission.Name = scenario.AdmitAll
	}
	if !w.Policy.RepeatsLog() {
		w.recorded, w.unrecorded = experiment.RecordedPolicy(w.Subject, w.Resample)
	}
	w.layout = plan.ServedBy(w.Subject)
	w.work, err = w.plan(ctx, append([]Change{{}}, w.Changes...))
	return err
}

// PolicyNow returns the policy before the changes: the given one, else the first of the scenario.
func (w *WhatIf) PolicyNow() (subject.Policy, error) {
	if w.Policy != nil {
		return *w.Policy, nil
	}
	policies, err := w.Subject.Policies()
	if err != nil {
		return subject.Policy{}, err
	}
	return policies[0], nil
}

// rows returns a point for each change, with a row of its own.
func (w *WhatIf) rows(changes []Change) (rows []plan.Row, points []plan.Change) {
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
		if c.Growth != 0 {
			all := fmt.Sprintf("%.15g", (1+w.Subject.Scenario.Growth)*(1+c.Growth)-1)
			set = append(set, scenario.Override{Path: "growth", Value: all, Source: "--change " + c.Name})
		}
		points = append(points, plan.Change{Set: set, Rows: []int{len(rows)}})
		rows = append(rows, row)
	}
	return rows, points
}

// plan opens a plan whose points are changes.
func (w *WhatIf) plan(ctx context.Context, changes []Change) (*plan.Execution, error) {
	rows, points := w.rows(changes)
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
		p.Bounds = &plan.Bounds{Quick: true, Objective: w.Objective}
		p.CompareBy = w.Objective
		p.Served = w.layout
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
	if err := w.compareToday(ctx, r); err != nil {
		return w.partial(r), err
	}
	changes, states := w.Changes, list[1:]
	if all, ok := w.together(r); ok {
		x, err := w.plan(ctx, []Change{all})
		if err != nil {
			return w.partial(r), err
		}
		samples, list, err := w.measure(ctx, x)
		if list != nil {
			w.add(r, all, base, list[0])
			changes = append(slices.Clone(changes), all)
			states = append(states, list[0])
			r.Samples = append(r.Samples, samples)
		}
		if err != nil {
			return w.partial(r), err
		}
	}
	if err := w.payHistories(ctx, r, base, changes, states); err != nil {
		return w.partial(r), err
	}
	r.Tied, r.Grow = w.tied(r), w.rankPools(r)
	skewed, err := plan.Doubts(ctx, r.Samples...)
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
// other the one that brings most without harm, and whether it is another than each alone.
func (w *WhatIf) together(r *Result) (Change, bool) {
	all := Change{Name: "all together"}
	best := map[string]int{}
	var order []string
	for i, c := range w.Changes {
		at, ok := best[c.Choice]
		if !ok {
			order = append(order, c.Choice)
		}
		if !ok || r.Changes[i].betterThan(&r.Changes[at]) {
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

func (w *WhatIf) add(r *Result, c Change, base, s *state) {
	result := w.compare(c, base, s)
	r.Changes = append(r.Changes, result)
	for _, d := range result.Doubts {
		if d.Kind == warn.ModelCut {
			r.Warnings = warn.Union(r.Warnings, []warn.Warning{d.About(c.Name)})
		}
	}
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
	s.objective = w.Objective
	s.setBounds(samples, point, row)
	s.predicted = w.Objective == "" && (w.Formula || s.subject.Trace == nil) && !e.Policy.RepeatsLog()
	if s.predicted {
		s.predict(ctx)
	}
	return s, nil
}

// setBounds sets what no policy can exceed on the jobs of each replication, $/h, or the least mean of another
// objective if every job runs. That of a stream is not known.
func (s *state) setBounds(samples *plan.Samples, point, row int) {
	if s.objective != "" {
		s.bounds = samples.LeastMeans(point, row)
		return
	}
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

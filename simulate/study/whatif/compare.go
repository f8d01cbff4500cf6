package whatif

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// state is the scenario before or after a change.
type state struct {
	subject    *subject.Subject
	experiment *experiment.Experiment
	models     *experiment.Admissions
	outcome    plan.Outcome
	objective  string         // "" is money
	recorded   *state         // the schedule of the log on the same jobs; nil where there is none
	searched   bool           // the admission was searched on the simulator
	priced     bool           // its prices were chosen
	predicted  bool           // the formula was asked for
	formula    float64        // $/h, NaN where there is none
	reason     *warn.Warning  // for that
	busy       float64        // share of the machine that admitted jobs need, by the formula
	doubts     []warn.Warning // about the formula
	bounds     []float64      // $/h by replication, or in the unit of the objective
}

func (w *WhatIf) newResult(base *state) *Result {
	s := w.Subject
	r := &Result{
		Head: study.HeadOf(s.Scenario, w.Runner.Version, w.Overrides...),
		What: s.Offered(base.subject.Workload.Size()), Source: string(s.Document.Source()),
		UnitName: s.Unit(), TraceFile: s.TraceFile(),
		Objective: w.Objective,
		Workload:  s.Kind, Unit: cmp.Or(plan.ObjectiveUnit(w.Objective), "$/h"),
		Load: metric.Number(s.Workload.Load()), Nodes: s.Nodes(),
		Policy: w.Policy.Label(), Admission: w.Admission.Name, Outages: s.Scenario.Down != nil,
		Seed: w.Seed, Replications: w.work.Plan.Replications, Level: metric.Number(w.Level),
		Once:    !base.experiment.Random(),
		Changes: []ChangeResult{}, Warnings: warn.Union(append([]warn.Warning{}, study.SubjectWarnings(s)...),
			base.experiment.Unread()), Pools: study.SubjectPools(s),
	}
	if s.Trace != nil && s.Trace.Unit() == s.Unit() {
		r.Hosts = s.Trace.Hosts()
	}
	if s.Scenario.Pools != nil {
		r.Costs = w.Costs
	} else if len(w.Costs) > 0 {
		c := w.Costs[0]
		cost := metric.Number(c.PerHour)
		r.Cost = &cost
		r.Price = metric.Number(c.Price)
		r.Life = metric.Number(c.Life)
	}
	before := w.compare(Change{Name: "as it is"}, base, base)
	r.Before = &before
	r.Drawn = study.Drawn(base.subject, r.Once)
	r.Resampled = w.Resample != nil
	w.setBest(r)
	if log := base.recorded; log != nil {
		c := w.compare(Change{Name: subject.Recorded}, base, log)
		r.Recorded, r.Warnings = &c, append(r.Warnings, log.experiment.Overcommitted(r.UnitName)...)
	}
	r.Warnings = append(r.Warnings, experiment.Unrecorded(w.unrecorded)...)
	loses := func(c model.Class) bool { return c.Decay > 0 || c.DecayOfPrice > 0 || c.Hard > 0 }
	if w.Objective == "" && s.Scenario.Classes != nil && !slices.ContainsFunc(s.Scenario.Classes, loses) {
		r.Warnings = append(r.Warnings, warn.New(warn.Patient))
	}
	return r
}

// money returns what each of n replications earns, $/h: of a stream the money charged, of finitely many jobs the value
// delivered. With another objective it is the mean of that.
func (s *state) money(n int) []float64 {
	if s.objective != "" {
		return s.values(plan.ObjectiveMeasure(s.objective), -1, n)
	}
	if s.subject.Workload.Stream() == 0 {
		return s.hourly(metric.ValuePerSecond(), n)
	}
	return s.hourly(metric.RevenuePerSecond(), n)
}

// hourly returns a measure in $/s of each of n replications in $/h.
func (s *state) hourly(m metric.Measure, n int) []float64 {
	list := s.values(m, -1, n)
	for k := range list {
		list[k] *= metric.Hour
	}
	return list
}

// values returns a measure of n replications. One stands for all if nothing is random.
func (s *state) values(m metric.Measure, customer, n int) []float64 {
	return study.Stretched(s.outcome.Values(m, customer), n)
}

// mean returns the mean of a measure of a customer over n replications.
func (s *state) mean(measure string, customer, n int) metric.Number {
	m, _ := metric.Lookup(measure)
	return metric.Number(metric.Estimate(s.values(m, customer, n), metric.DefaultLevel).Mean)
}

// estimate returns the interval of a sample, of resampled jobs its range.
func (w *WhatIf) estimate(values []float64) study.Estimate {
	return study.NewEstimate(plan.Outcome{Level: w.Level, Spread: w.Resample != nil}.Estimate(values, values))
}

func (w *WhatIf) pair(before, after []float64) EstimatePair {
	return EstimatePair{w.estimate(before), w.estimate(after), w.estimate(study.Less(after, before))}
}

// compare sets a state against that before.
func (w *WhatIf) compare(c Change, base, s *state) ChangeResult {
	n := s.outcome.N()
	if !s.experiment.Random() {
		n = base.outcome.N()
	} else if base.experiment.Random() {
		n = min(n, base.outcome.N()) // of one that was interrupted
	}
	wait := metric.MeanWait()
	r := ChangeResult{
		Name: c.Name, Choice: c.Choice, Set: []string{}, Policy: s.experiment.Policy.Label(),
		RunsOn:     s.experiment.RunsOn(),
		Once:       !base.experiment.Random() && !s.experiment.Random(),
		OfPromises: c.ofPromises(),
		Small:      w.Objective != "",
		Simulation: w.pair(base.money(n), s.money(n)),
		Bound:      w.boundPair(base, s),
		Load: [2]metric.Number{metric.Number(base.subject.Workload.Load()),
			metric.Number(s.subject.Workload.Load())},
		Nodes:    [2]int{base.subject.Nodes(), s.subject.Nodes()},
		Units:    poolUnits(base.subject.Scenario, s.subject.Scenario),
		MeanWait: w.pair(base.values(wait, -1, n), s.values(wait, -1, n)),
		Promises: []PromiseChange{}, Doubts: []warn.Warning{},
		GivenUp: lostJobs("jobs_given_up", base, s, n), Refused: lostJobs("jobs_rejected", base, s, n),
		Expired: lostJobs("jobs_expired", base, s, n), Killed: lostJobs("jobs_killed", base, s, n),
		Worse:    []ServedWorse{},
		KeptAway: keptAway(base, s, n),
	}
	if s.predicted {
		before, after := base.formula, s.formula
		if limit := r.Bound; s.subject.Trace != nil {
			for _, side := range []struct {
				formula *float64
				bound   metric.Number
			}{{&before, limit.Before}, {&after, limit.After}} {
				if bound := float64(side.bound); *side.formula > bound { // neither is NaN
					r.Doubts = append(r.Doubts[:0], warn.New(warn.ModelCut, "$/h").With(*side.formula, bound))
					*side.formula = bound
				}
			}
		}
		r.Formula = &FormulaPair{metric.Number(before), metric.Number(after), cmp.Or(s.reason, base.reason)}
		r.Doubts = append(r.Doubts, s.doubts...)
		if s.doubts == nil {
			r.Doubts = append(r.Doubts, base.doubts...)
		}
	}
	r.Set = append(r.Set, text.Each(c.Set, scenario.Override.String)...)
	if c.Growth != 0 {
		r.Set = append(r.Set, "growth="+text.Field(math.Round(1e12*c.Growth)/1e12))
	}
	if w.Objective != "" {
		r.NotRun = study.NewNotRun(base.outcome, s.outcome)
		d := r.Simulation.Difference.Mean
		r.Unlike = s.outcome.RunsFewer(base.outcome) && d <= 0 || base.outcome.RunsFewer(s.outcome) && d > 0
	}
	r.Money = metric.Numbers(s.money(n))
	for i, name := range s.subject.Names() {
		mean := func(measure string) metric.Number { return s.mean(measure, i, n) }
		r.Customers = append(r.Customers, CustomerServed{name, mean("jobs_submitted"), mean("jobs_completed"),
			mean("jobs_rejected"), mean("jobs_given_up"), mean("jobs_expired"), mean("jobs_killed"), mean("mean_wait")})
	}
	for i, before := range base.subject.Scenario.Classes {
		if after := s.subject.Scenario.Classes; i < len(after) && after[i].Demand == nil &&
			!samePrices(before, after[i]) {
			r.Inelastic = true
		}
	}
	r.Affected = served.Compare(w.layout.Groups(), base.outcome.Stretched(n).Served(), s.outcome.Stretched(n).Served())
	r.Harm = served.Harmed(r.Affected)
	r.promises(w, base, s, n)
	r.admission(s, n)
	r.servedWorse(w, base, s, n)
	if w.Objective == "" {
		w.worth(c, &r)
	}
	return r
}

// samePrices reports whether a class pays the same before and after, in all pools.
func samePrices(before, after model.Class) bool {
	same := func(a, b model.Terms) bool { return a.PerNodeSecond == b.PerNodeSecond }
	return before.Price == after.Price && slices.EqualFunc(before.Terms, after.Terms, same)
}

func (w *WhatIf) boundPair(base, s *state) BoundPair {
	none := metric.Number(math.NaN())
	b := BoundPair{Name: plan.ClairvoyantBound, Before: none, After: none, Difference: study.Estimate{Mean: none}}
	if w.Objective != "" {
		b.Name = plan.BusyTimeBound
	} else if base.subject.Workload.Stream() > 0 {
		b.Name = plan.FluidRateBound
	} else {
		b.Coarse = s.subject.Workload.Random()
	}
	if base.bounds == nil || s.bounds == nil {
		return b
	}
	n := max(len(base.bounds), len(s.bounds))
	b.Before, b.After = w.estimate(base.bounds).Mean, w.estimate(s.bounds).Mean
	b.Difference = w.estimate(study.Less(study.Stretched(s.bounds, n), study.Stretched(base.bounds, n)))
	if n == 1 {
		b.Difference.HalfWidth = 0
	}
	return b
}

// worth sets the gain against the cost of units: the price of a unit-hour at which
// it is nothing, what is left of it at a stated cost, and when it has paid their price.
func (w *WhatIf) worth(c Change, r *ChangeResult) {
	more, gain := float64(r.Nodes[1]-r.Nodes[0]), r.Simulation.Difference
	if alone := c.Policy == nil && c.Admission == nil && c.Growth == 0 && len(c.Set) == 1; alone && more != 0 {
		if more < 0 {
			gain = gain.Negative()
		}
		even := study.NewEstimate(gain.Interval().Times(1 / math.Abs(more)))
		r.BreakEven = &even
	}
	cost, known := w.Costs.Of(r)
	if known && cost.Price > 0 && r.Simulation.Difference.Mean > 0 {
		after := metric.Number(metric.Hour * cost.Price / float64(r.Simulation.Difference.Mean))
		r.Payback = &after
	}
	if known {
		net := r.Simulation.Difference.Interval()
		net.Mean = net.Mean - cost.PerHour
		net.Low = net.Low - cost.PerHour
		net.High = net.High - cost.PerHour
		e := study.NewEstimate(net)
		r.Net = &e
	}
}

// tied reports whether the first two changes gain and may differ by chance, and some change
// gains by more than chance, net of the cost of units.
func (w *WhatIf) tied(r *Result) bool {
	order := slices.Clone(r.Changes)
	slices.SortStableFunc(order, func(a, b ChangeResult) int { return cmp.Compare(b.Gain().Mean, a.Gain().Mean) })
	sure := func(c ChangeResult) bool { return c.Gain().Mean > 0 && c.Beyond(c.Gain()) }
	if len(order) < 2 || !(order[1].Gain().Mean > 0) || !slices.ContainsFunc(order, sure) {
		return false
	}
	first, second := &order[0], &order[1]
	n := max(len(first.Money), len(second.Money))
	left := func(c *ChangeResult) []float64 {
		list := study.Stretched(c.Money, n)
		cost, _ := w.Costs.Of(c)
		for k := range list {
			list[k] -= cost.PerHour
		}
		return list
	}
	d := w.estimate(study.Less(left(first), left(second)))
	return d.Mean == 0 || d.Interval().Contains(0) && !(first.Once && second.Once)
}

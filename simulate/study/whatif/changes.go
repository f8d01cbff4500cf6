package whatif

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/fit"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

func (w *WhatIf) newResult(base *state) *Result {
	s := w.Subject
	r := &Result{
		Head: study.NewHead(s.Scenario.Name, w.Runner.Version, w.Overrides...),
		What: s.Offered(base.subject.Workload.Size()), Source: string(s.Document.Source()),
		UnitName: s.Unit(), TraceFile: s.TraceFile(),
		Workload: s.Kind, Unit: "$/h", Load: metric.Number(s.Workload.Load()), Nodes: s.Nodes(),
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
	if s.Scenario.Classes != nil && !slices.ContainsFunc(s.Scenario.Classes, loses) {
		r.Warnings = append(r.Warnings, warn.New(warn.Patient))
	}
	return r
}

// money returns what each of n replications earns, $/h: of a stream or at a market the money
// charged, of finitely many other jobs the value delivered.
func (s *state) money(n int) []float64 {
	if s.subject.Workload.Stream() == 0 && !s.experiment.Trades() {
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
		r.Formula = &FormulaPair{metric.Number(base.formula), metric.Number(s.formula), cmp.Or(s.reason, base.reason)}
		r.Doubts = append(r.Doubts, s.doubts...)
		if s.doubts == nil {
			r.Doubts = append(r.Doubts, base.doubts...)
		}
	}
	r.Set = append(r.Set, text.Each(c.Set, scenario.Override.String)...)
	if c.unrented != nil {
		r.Set = append(r.Set, ChoiceRent+"=on")
	}
	if c.Growth != 0 {
		r.Set = append(r.Set, "growth="+text.Field(math.Round(1e12*c.Growth)/1e12))
	}
	if base.experiment.Trades() || s.experiment.Trades() {
		value := metric.ValuePerSecond()
		r.Market = &MarketOutcome{w.pair(base.hourly(value, n), s.hourly(value, n)), s.mean("mean_price", -1, n)}
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
	r.promises(w, base, s, n)
	r.admission(s, n)
	r.servedWorse(w, base, s, n)
	w.worth(c, &r)
	r.rent(w, base, s, n)
	return r
}

// samePrices reports whether a class pays the same before and after, in all pools.
func samePrices(before, after model.Class) bool {
	same := func(a, b model.Terms) bool { return a.PerNodeSecond == b.PerNodeSecond }
	return before.Price == after.Price && slices.EqualFunc(before.Terms, after.Terms, same)
}

// lostJobs counts jobs of each customer that leave without being served, by a measure.
func lostJobs(measure string, base, s *state, n int) []LostJobs {
	list := []LostJobs{}
	before := base.subject.Names()
	for i, name := range s.subject.Names() {
		l := LostJobs{Name: name, Jobs: s.mean(measure, i, n), Of: s.mean("jobs_submitted", i, n)}
		if k := slices.Index(before, name); k >= 0 {
			l.Before = base.mean(measure, k, n)
		}
		if l.Jobs > 0 || l.Before > 0 {
			list = append(list, l)
		}
	}
	return list
}

// keptAway counts jobs of each customer with a demand that come at the prices before and
// not at those after. A stream has as many jobs in all at any price, so that its shares count.
func keptAway(base, s *state, n int) []LostJobs {
	list := []LostJobs{}
	for _, now := range base.subject.Asked() {
		k := slices.IndexFunc(s.subject.Asked(), func(p subject.AskedPrice) bool { return p.Name == now.Name })
		if k < 0 || s.subject.Asked()[k].Comes >= now.Comes {
			continue
		}
		before := base.mean("jobs_submitted", slices.Index(base.subject.Names(), now.Name), n)
		jobs := before - s.mean("jobs_submitted", slices.Index(s.subject.Names(), now.Name), n)
		if s.subject.Workload.Stream() > 0 {
			jobs = before * (1 - s.subject.Asked()[k].Comes/now.Comes)
		}
		list = append(list, LostJobs{Name: now.Name, Jobs: jobs, Of: before})
	}
	return list
}

// servedWorse fills in the customers that wait longer, by more than chance, the worst first.
func (r *ChangeResult) servedWorse(w *WhatIf, base, s *state, n int) {
	const longer = 0.05 // of the mean wait
	before := base.subject.Names()
	for i, name := range s.subject.Names() {
		if k := slices.Index(before, name); k >= 0 {
			p := w.pair(base.values(metric.MeanWait(), k, n), s.values(metric.MeanWait(), i, n))
			if p.Difference.Mean > longer*p.Before.Mean && r.Beyond(p.Difference) {
				r.Worse = append(r.Worse, ServedWorse{name, p})
			}
		}
	}
	slices.SortStableFunc(r.Worse, func(a, b ServedWorse) int {
		return cmp.Compare(b.After.Mean/b.Before.Mean,
			a.After.Mean/a.Before.Mean)
	})
}

// promiseCosts sets each admission that keeps promises against the best without it:
// another admission among the changes, or the scenario as it is.
func (w *WhatIf) promiseCosts(r *Result) {
	for i, c := range w.Changes {
		if c.Admission == nil || c.Admission.Name != scenario.AdmitPromise {
			continue
		}
		best := r.Before
		for k, other := range w.Changes {
			if other.Choice == c.Choice && !other.ofPromises() &&
				r.Changes[k].Simulation.After.Mean > best.Simulation.After.Mean {
				best = &r.Changes[k]
			}
		}
		kept := &r.Changes[i]
		n := max(len(best.Money), len(kept.Money))
		kept.PromiseCost = &PromiseCost{best.Name, w.estimate(study.Less(study.Stretched(best.Money, n),
			study.Stretched(kept.Money, n)))}
	}
}

// ofPromises reports whether a change is one of promises.
func (c Change) ofPromises() bool {
	about := func(o scenario.Override) bool { return strings.Contains(o.Path, ".slo") }
	return c.Admission != nil && c.Admission.Name == scenario.AdmitPromise || slices.ContainsFunc(c.Set, about)
}

func (w *WhatIf) boundPair(base, s *state) BoundPair {
	none := metric.Number(math.NaN())
	b := BoundPair{Name: plan.ClairvoyantBound, Before: none, After: none, Difference: study.Estimate{Mean: none}}
	if base.subject.Workload.Stream() > 0 {
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

func (r *ChangeResult) promises(w *WhatIf, base, s *state, n int) {
	kept, _ := metric.Lookup("promise_kept")
	admitted, _ := metric.Lookup("promise_kept_of_admitted")
	before := subject.Sections(base.subject.Workload)
	for _, c := range subject.Sections(s.subject.Workload) {
		if c.Promise == nil {
			continue
		}
		unknown := study.Estimate{Mean: metric.Number(math.NaN())}
		column := s.outcome.Column(c.At.Customer, c.At.Pool)
		after := s.values(kept, column, n)
		p := PromiseChange{Name: c.Label(), Within: metric.Number(c.Promise.Within),
			Level: metric.Number(c.Promise.Level), EstimatePair: EstimatePair{unknown, w.estimate(after), unknown},
			OfAdmitted: w.estimate(s.values(admitted, column, n))}
		if k := slices.IndexFunc(before, func(b subject.Section) bool { return b.Label() == c.Label() }); k >= 0 {
			was := before[k].At
			p.EstimatePair = w.pair(base.values(kept, base.outcome.Column(was.Customer, was.Pool), n), after)
		}
		p.Kept = study.PromiseState(p.After, c.Promise.Level, !s.experiment.Random())
		r.Promises = append(r.Promises, p)
	}
}

func (r *ChangeResult) admission(s *state, n int) {
	a := s.experiment.Admission
	customers := subject.Parties(s.subject.Workload)
	r.Admission = AdmissionOutcome{Name: a.Name, Short: a.Short(), Rule: a.Thresholds(customers)}
	if s.priced {
		r.Admission.Asked = s.subject.Asked()
	}
	if t := s.subject.Scenario.Trace; t != nil {
		r.Admission.InSample = s.searched && !model.Generated(t.File)
	}
	for i, name := range customers {
		column := i
		if p := s.subject.Workload.Pools(); p != nil && p.Cut {
			if p.Sections[i].Pool < 0 {
				continue
			}
			column = s.outcome.Column(p.Sections[i].Customer, p.Sections[i].Pool)
		}
		t := TurnedAway{name, 1, s.mean("jobs_submitted", column, n), s.mean("jobs_rejected", column, n)}
		if a.Rule != nil {
			t.Admit = metric.Number(math.NaN())
		} else if a.Admit != nil {
			t.Admit = metric.Number(a.Admit[i])
		}
		r.Admission.Classes = append(r.Admission.Classes, t)
	}
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

// doubt lists the reasons why the formula may be off, the most important first.
func (s *state) doubt(a *analytic.Analysis) {
	add := func(when bool, kind string, names []string, numbers ...float64) {
		if when {
			s.doubts = warn.Union(s.doubts, []warn.Warning{{Kind: kind, Names: names, Numbers: numbers}})
		}
	}
	label := []string{s.experiment.Policy.Label()}
	spec := s.experiment.Policy.Spec
	span := a.Span
	if rate := s.subject.Workload.Stream(); rate > 0 {
		span = s.subject.Workload.Size() / rate
	} else if r, ok := s.subject.Workload.(*workload.Replay); ok {
		if drawn, weeks, _ := r.Resampled(); weeks > 0 {
			span = drawn
		}
	}
	if settles := relaxation(a.System, s.busy); s.busy < 1 && span < 10*settles {
		add(true, warn.DoubtUnsettled, nil, s.busy, settles, span)
	}
	add(spec.Needs.Shared, warn.DoubtShared, label)
	add(!spec.Ranked, warn.DoubtOrder, label)
	add(a.System.Outside() > 0, warn.DoubtRent, nil)
	if f := a.Fit; f != nil {
		for _, d := range f.Warnings {
			switch d.Kind {
			case fit.NotPoisson, fit.FewJobs, fit.HeavyTail, fit.HardDeadlines, fit.UnlikeNodes:
				add(true, warn.DoubtFit, []string{d.String()})
			case fit.Fragments:
				add(true, warn.DoubtWideWork, nil, d.Value)
			}
		}
	} else {
		classes := a.System.Classes
		arrivals := analytic.ClassesWhere(classes, func(c model.Class) bool { return !c.Arrivals.Poisson() })
		add(arrivals != nil, warn.DoubtArrivals, arrivals)
		add(a.Waiting != nil, warn.DoubtWaiting, nil)
		alike := !slices.ContainsFunc(classes, func(c model.Class) bool {
			return !slices.Equal(c.Width.Values, classes[0].Width.Values) || len(c.Width.Values) > 1
		})
		wide := analytic.ClassesWhere(classes, func(c model.Class) bool { return c.Width.Mean() > float64(a.Units)/2 })
		add(wide != nil && !alike, warn.DoubtWide, wide)
	}
	for _, d := range a.Ignored {
		add(d.Kind == warn.Floor, warn.DoubtFloor, nil)
		add(d.Kind == warn.Expiry, warn.DoubtExpiry, nil)
		add(d.Kind == string(scenario.WarnOutages), warn.DoubtOutages, nil)
	}
}

// relaxation returns the time in which a queue forgets its start, s: that of
// M/M/1 with the pooled mean service time b, b / (1 - sqrt(busy))^2.
func relaxation(sys model.System, busy float64) float64 {
	var rate, work float64
	for _, c := range sys.Classes {
		rate += c.Rate
		work += c.Rate * c.Length.Mean() / sys.Parallel
	}
	return work / rate / math.Pow(1-math.Sqrt(busy), 2)
}

// Costed reports whether the cost of some units is known.
func (r *Result) Costed() bool { return r.Cost != nil || r.Costs != nil }

// Gain returns what a change brings, less the cost of units where that is known.
func (r *ChangeResult) Gain() study.Estimate {
	if r.Net != nil {
		return *r.Net
	}
	return r.Simulation.Difference
}

// Share returns the part that a change earns of what no policy can exceed, or at a market the
// part that it delivers; NaN if that is nothing or not known.
func (r *ChangeResult) Share() float64 {
	switch {
	case !(r.Bound.After > 0):
		return math.NaN()
	case r.Market != nil:
		return float64(r.Market.Value.After.Mean / r.Bound.After)
	}
	return float64(r.Simulation.After.Mean / r.Bound.After)
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

// Beyond reports whether an estimate is more than chance.
func (r *ChangeResult) Beyond(d study.Estimate) bool {
	return !math.IsInf(float64(d.HalfWidth), 0) && !d.Interval().Contains(0) || r.Once && d.Mean != 0
}

// Change is one difference from the scenario as it is.
type Change struct {
	Name      string                // as it was asked for
	Set       []scenario.Override   // of fields
	Growth    float64               // of arrivals, over those of the scenario as it is
	Policy    *subject.Policy       // nil leaves it
	Admission *experiment.Admission // nil leaves it
	unrented  []scenario.Override   // of a change that turns rent on: they turn it off before
	Choice    string                // changes of one choice exclude each other: the best of them is among all together
}

// Result is what changes bring. Its JSON is the contract with scripts.
type Result struct {
	study.Head
	Workload     string             `json:"workload"`
	Unit         string             `json:"unit"` // of money
	Load         metric.Number      `json:"load"`
	Nodes        int                `json:"nodes"`
	Pools        []study.PoolResult `json:"pools,omitempty"`
	TraceFile    *subject.TraceFile `json:"trace_file,omitempty"`
	Policy       string             `json:"policy"`
	Admission    string             `json:"admission"`
	Outages      bool               `json:"outages,omitempty"` // the scenario states some
	Seed         uint64             `json:"seed"`
	Replications int                `json:"replications"`
	Once         bool               `json:"once"`
	Covers       string             `json:"covers" save:"-"` // as of Result
	Level        metric.Number      `json:"level"`
	Resampled    bool               `json:"resampled,omitempty"` // intervals are ranges of spans
	Cost         *metric.Number     `json:"cost,omitempty"`      // $ per unit-hour
	Price        metric.Number      `json:"price,omitempty"`     // $ per unit, which the cost follows from
	Life         metric.Number      `json:"life,omitempty"`      // s, of a unit
	Costs        Costs              `json:"costs,omitempty"`     // of the units of pools, instead of the three
	Interrupted  bool               `json:"interrupted"`
	// the schedule of the log against the scenario as it is; null where there is none
	Recorded *ChangeResult  `json:"recorded"`
	Before   *ChangeResult  `json:"before"` // the scenario as it is, which changes nothing
	Changes  []ChangeResult `json:"changes"`
	Best     study.Best     `json:"best"`
	// the changes by what they bring; "" until package report makes it
	Verdict  string         `json:"verdict" save:"-"`
	Grow     *Growth        `json:"grow,omitempty"` // which pool should grow first
	Warnings []warn.Warning `json:"warnings"`

	Drawn string `json:"-"` // as of Result
	Tied  bool   `json:"-"` // the first two changes gain more than chance, and may differ by chance

	What     string `json:"-"` // the workload in a few words
	Hosts    int    `json:"-"` // nodes that hold the units, 0 where that is not known
	UnitName string `json:"-"` // the word for one of Nodes, see Subject.Unit
	Source   string `json:"-"` // the text of the scenario, without overrides

	Samples []*plan.Samples `json:"-" save:"-"` // of the plans, where the result was not loaded
}

// ChangeResult is what one change brings, in $/h.
type ChangeResult struct {
	Name       string       `json:"name"`
	Choice     string       `json:"choice"` // as of Change
	Headline   string       `json:"headline" save:"-"`
	Lines      []string     `json:"lines" save:"-"` // that matter, the most important first
	Set        []string     `json:"set"`            // path=value
	Formula    *FormulaPair `json:"formula"`        // null where it was not asked for
	Simulation EstimatePair `json:"simulation"`
	Bound      BoundPair    `json:"bound"`
	// simulated after the change; one number stands for all where nothing is random
	Money []metric.Number `json:"by_replication"`
	// headline and lines; all words are "" until package report makes them
	Verdict   string           `json:"verdict" save:"-"`
	Explained string           `json:"explanation" save:"-"`
	Policy    string           `json:"policy"`
	RunsOn    string           `json:"runs_on,omitempty"` // the policy, as of PolicyName
	Load      [2]metric.Number `json:"load"`              // before and after
	Nodes     [2]int           `json:"nodes"`             // likewise
	Units     []PoolUnits      `json:"units,omitempty"`   // of pools whose units change
	MeanWait  EstimatePair     `json:"mean_wait"`
	Customers []CustomerServed `json:"customers"` // after
	Promises  []PromiseChange  `json:"promises"`
	Admission AdmissionOutcome `json:"admission"` // after
	// jobs that the policy gives up, of customers that lose some before or after
	GivenUp  []LostJobs    `json:"given_up"`
	Refused  []LostJobs    `json:"refused"`        // rejected for any other reason, likewise
	Expired  []LostJobs    `json:"expired"`        // jobs whose customers leave, likewise
	Killed   []LostJobs    `json:"killed"`         // after a start, likewise
	KeptAway []LostJobs    `json:"kept_away"`      // jobs that do not come at higher prices, of those before
	Worse    []ServedWorse `json:"served_worse"`   // by more than chance, the worst first
	Rank     int           `json:"rank,omitempty"` // among the changes that make one pool grow: 1 is best
	// $ per unit-hour below which more units, or above which fewer, pay
	BreakEven *study.Estimate `json:"break_even,omitempty"`
	Net       *study.Estimate `json:"net,omitempty"`     // gain less the cost of the units
	Payback   *metric.Number  `json:"payback,omitempty"` // s after which the gain has paid the price of the units

	Rent *RentChange `json:"rent,omitempty"` // where one side rents units

	// $/h of each unit that one pool gains, where several may
	GainPerUnit   *study.Estimate `json:"gain_per_unit,omitempty"`
	GainPerDollar *study.Estimate `json:"gain_per_dollar,omitempty"` // net, of the cost of these units

	PromiseCost *PromiseCost   `json:"promise_cost,omitempty"`
	Market      *MarketOutcome `json:"market,omitempty"` // where a market is compared
	Doubts      []warn.Warning `json:"doubts"`           // why the formula may be off

	Once       bool `json:"-"` // nothing is random before and after
	OfPromises bool `json:"-"` // promises change, or an admission is to keep them
	Inelastic  bool `json:"-"` // a price changes, and no demand says how many jobs then come
}

// MarketOutcome is what a comparison with a market shows beside the money charged.
type MarketOutcome struct {
	Value EstimatePair  `json:"value"` // delivered, $/h
	Price metric.Number `json:"price"` // mean over time after the change, $ per unit-hour; null without a market
}

// CustomerServed is how a customer is served, means of a replication. Jobs submitted are
// completed, or lost in one of four ways.
type CustomerServed struct {
	Name      string        `json:"name"`
	Submitted metric.Number `json:"jobs_submitted"`
	Completed metric.Number `json:"jobs_completed"`
	Refused   metric.Number `json:"jobs_rejected"`
	GivenUp   metric.Number `json:"jobs_given_up"`
	Expired   metric.Number `json:"jobs_expired"`
	Killed    metric.Number `json:"jobs_killed"`
	MeanWait  metric.Number `json:"mean_wait"` // s
}

// Customer returns the customer of a name; the zero value where there is none.
func (r *ChangeResult) Customer(name string) CustomerServed {
	for _, c := range r.Customers {
		if c.Name == name {
			return c
		}
	}
	return CustomerServed{}
}

// Lost returns how many jobs are not completed, or kept away by prices, mean of a replication.
func (r *ChangeResult) Lost() (sum metric.Number) {
	for _, l := range r.KeptAway {
		sum += l.Jobs
	}
	for _, c := range r.Customers {
		sum += c.Refused + c.GivenUp + c.Expired + c.Killed
	}
	return sum
}

// LostJobs are jobs of a customer that leave without being served, means.
type LostJobs struct {
	Name   string        `json:"name"`
	Jobs   metric.Number `json:"jobs"`
	Of     metric.Number `json:"of"` // submitted
	Before metric.Number `json:"before"`
}

// ServedWorse is the mean wait of a customer that a change harms, s.
type ServedWorse struct {
	Name string `json:"name"`
	EstimatePair
}

// PromiseCost is what the best earns without a promise, less what is earned with it.
type PromiseCost struct {
	Against    string         `json:"against"` // the change, or as it is
	Difference study.Estimate `json:"difference"`
}

// FormulaPair is what the queueing model predicts; null if it has no number.
type FormulaPair struct {
	Before metric.Number `json:"before"`
	After  metric.Number `json:"after"`
	Reason *warn.Warning `json:"reason,omitempty"` // that there is none
}

// Difference returns after less before, NaN where there is no formula.
func (p *FormulaPair) Difference() float64 {
	if p == nil {
		return math.NaN()
	}
	return float64(p.After - p.Before)
}

// EstimatePair is a measure of the simulation; the difference is paired.
type EstimatePair struct {
	Before     study.Estimate `json:"before"`
	After      study.Estimate `json:"after"`
	Difference study.Estimate `json:"difference"`
}

// BoundPair is what no policy can exceed on these jobs, mean over replications.
type BoundPair struct {
	Before     metric.Number  `json:"before"`
	After      metric.Number  `json:"after"`
	Difference study.Estimate `json:"difference"`
	Name       string         `json:"name"`   // clairvoyant, or of a stream fluid-rate
	Coarse     bool           `json:"coarse"` // clairvoyant, of drawn jobs: a little above that of a validation
}

// PromiseChange is what becomes of a promise.
type PromiseChange struct {
	Name         string         `json:"name"`
	Within       metric.Number  `json:"within"` // s, after
	Level        metric.Number  `json:"level"`  // after
	EstimatePair                // shares of submitted jobs; before, of what was promised then
	OfAdmitted   study.Estimate `json:"kept_of_admitted"` // after
	Kept         string         `json:"kept"`             // after: kept, not kept, undecided or void
}

// AdmissionOutcome is which jobs an admission turns away.
type AdmissionOutcome struct {
	Name    string               `json:"name"`
	Classes []TurnedAway         `json:"classes"`
	Asked   []subject.AskedPrice `json:"-"` // prices that were chosen
	// the same in words; "" until package report makes them
	Prices string                    `json:"prices,omitempty" save:"-"`
	Short  []experiment.Check        `json:"shortfalls,omitempty"`
	Rule   []analytic.ClassThreshold `json:"thresholds,omitempty"`

	// InSample says that a search found the admission on the very jobs of the trace
	// that it is measured on.
	InSample bool `json:"in_sample,omitempty"`
}

// TurnedAway is how many jobs of a customer are refused.
type TurnedAway struct {
	Name      string        `json:"name"`
	Admit     metric.Number `json:"admit"`     // probability; null where a rule decides
	Submitted metric.Number `json:"submitted"` // jobs of a replication, mean
	Refused   metric.Number `json:"refused"`   // likewise, as in ChangeResult
}

// state is the scenario before or after a change.
type state struct {
	subject    *subject.Subject
	experiment *experiment.Experiment
	models     *experiment.Admissions
	outcome    plan.Outcome
	recorded   *state         // the schedule of the log on the same jobs; nil where there is none
	searched   bool           // the admission was searched on the simulator
	priced     bool           // its prices were chosen
	predicted  bool           // the formula was asked for
	formula    float64        // $/h, NaN where there is none
	reason     *warn.Warning  // for that
	busy       float64        // share of the machine that admitted jobs need, by the formula
	doubts     []warn.Warning // about the formula
	bounds     []float64      // $/h by replication
}

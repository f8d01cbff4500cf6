package study

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Simulation asks what policies earn at one point. All rows see the same jobs.
type Simulation struct {
	Subject      *Subject
	Policies     []Policy             // nil: those of the scenario, else the usual one
	Admissions   []Admission          // nil: all jobs; each is tried under each policy
	Replications int                  // 0: as many as the scenario says
	Resample     *workload.Resampling // draws the jobs of a trace anew, so that intervals are ranges of spans; nil replays them
	Stop         *Stop                // nil runs just Replications
	Plain        bool                 // without control variates
	Seed         uint64
	Level        float64  // of confidence; 0 is metric.DefaultLevel
	Runner       *Runner  // nil: all cores, and nothing is kept
	Overrides    []string // path=value, for the result

	work       *Execution
	unrecorded string // why the schedule of the log is left out
}

func rows(policies []Policy, admissions []Admission) []PlanRow {
	var list []PlanRow
	for _, p := range policies {
		for _, a := range admissionsUnder(p, admissions) {
			list = append(list, PlanRow{Policy: p, Admission: a})
		}
	}
	return list
}

// Open checks the study before anything runs.
func (s *Simulation) Open(ctx context.Context) (err error) {
	if s.Policies == nil {
		if s.Policies, err = s.Subject.Policies(); err != nil {
			return err
		}
		s.Policies, s.unrecorded = addRecorded(s.Subject, s.Policies, s.Admissions, s.Resample)
	}
	if s.Admissions == nil {
		s.Admissions = []Admission{{Name: scenario.AdmitAll}}
	}
	s.work, err = openRows(ctx, s.Subject, rows(s.Policies, s.Admissions), func(p *Plan) {
		p.Seed, p.Replications, p.Resample, p.Plain = s.Seed, s.Replications, s.Resample, s.Plain
	}, s.Stop, &s.Level)
	return err
}

// openRows opens a plan of rows with settings. It completes the level of confidence.
func openRows(ctx context.Context, s *Subject, rows []PlanRow, set func(*Plan), stop *Stop, level *float64) (*Execution, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p := NewPlan(s.Document, s.specs, rows)
	set(p)
	*level = cmp.Or(*level, metric.DefaultLevel)
	if stop != nil {
		if p.Resample != nil {
			return nil, s.unfit("cannot resample weeks: a precision cannot be reached, " +
				"as the range of spans does not shrink with replications")
		}
		asked := stop.Precision
		p.Stop = &PlanStop{Metric: stop.Measure.Name, Relative: asked.Relative, First: asked.First, Level: *level}
		p.Replications = asked.Most()
	}
	x, err := p.Open(ctx, s.opener)
	if err == nil {
		x.level = *level
	}
	return x, err
}

// Run finds the admissions that are not numbers yet, then simulates. After an error, or
// when the context is canceled, the result is of the replications before the first that
// did not finish, nil where there are none.
func (s *Simulation) Run(ctx context.Context) (*Result, error) {
	if s.work == nil {
		if err := s.Open(ctx); err != nil {
			return nil, err
		}
	}
	s.Runner = cmp.Or(s.Runner, &Runner{})
	samples, err := s.Runner.Run(ctx, s.work, "simulating")
	if samples == nil {
		return nil, err
	}
	n, once := samples.Replications(0)
	if n == 0 {
		return nil, err
	}
	r, broken := s.result(ctx, samples, n, once)
	if broken != nil {
		return nil, broken
	}
	if r.Interrupted = err != nil; r.Interrupted {
		all := text.Plural(s.work.Plan.Replications, "replication")
		r.Warnings = interrupted(r.Warnings, "after %d of %s", r.Replications, all)
	}
	return r, err
}

// newPointResult returns a result with the rows of a point in the given order.
func newPointResult(s *Samples, point, n int, once bool, order []int, label func(row int) string) (*Result, error) {
	plan := s.Plan()
	first, err := s.experiment(point, order[0])
	if err != nil {
		return nil, err
	}
	subject, err := s.subject(point, order[0])
	if err != nil {
		return nil, err
	}
	r := newResult(subject, first.Workload.Size(), once)
	r.Version, r.Seed, r.Replications, r.Samples = s.version, plan.Seed, n, []*Samples{s}
	r.Level = Number(s.Row(point, order[0]).level())
	r.JobsSum, r.Window = digest(first.Workload, plan.Seed), first.Workload.Window()
	if stop := plan.Stop; stop != nil {
		r.Precision = &PrecisionResult{stop.Metric, Number(stop.Relative), s.Met(point) || once}
	}
	for _, row := range order {
		e, err := s.experiment(point, row)
		if err != nil {
			return nil, err
		}
		r.Policies = append(r.Policies, newRow(e, label(row), s.Row(point, row).Stretched(n)))
		r.Experiments = append(r.Experiments, e)
	}
	return r, nil
}

func (s *Samples) experiment(point, row int) (*Experiment, error) {
	return s.work.Experiment(point, row, s.all.Numbers)
}

func (s *Samples) subject(index, row int) (*Subject, error) {
	at, err := s.work.ready(context.Background(), index)
	if err != nil {
		return nil, err
	}
	return at.subjectOf(context.Background(), row, s.Admission(index, row))
}

func (s *Simulation) result(ctx context.Context, samples *Samples, n int, once bool) (*Result, error) {
	order := samples.Plan().RowsAt(0)
	r, err := newPointResult(samples, 0, n, once, order, s.label)
	if err != nil {
		return nil, err
	}
	r.Overrides = append(r.Overrides, s.Overrides...)
	if w, stream := r.Experiments[0].Workload.(*workload.Classes); stream {
		l := w.Length()
		r.Warmup = &WarmupResult{"stated", Number(l.WarmupFraction), Number(l.WarmupSeconds)}
		if horizon := Number(l.Horizon); horizon > 0 {
			r.Horizon, r.Jobs = &horizon, Number(math.NaN())
		}
	}
	base := samples.Row(0, order[0]).Stretched(n)
	for i, row := range order[1:] {
		o := samples.Row(0, row).Stretched(n)
		r.Differences = append(r.Differences, DifferenceRow{RowID: r.Policies[1+i].RowID, Versus: r.Policies[0].Label,
			Total: newEstimates(func(m metric.Measure) metric.Interval { return o.Difference(base, m, -1) })})
	}
	skewed, err := Skewed(ctx, samples)
	r.Warnings = append(r.Warnings, s.warnings(r, samples, skewed)...)
	return r, err
}

// label names a row by what tells it from the others.
func (s *Simulation) label(row int) string {
	r := s.work.Plan.Rows[row]
	policies := slices.DeleteFunc(slices.Clone(s.Policies), Policy.recorded)
	switch {
	case len(s.Admissions) == 1 || r.Policy.recorded():
		return r.Policy.Label()
	case len(policies) == 1:
		return r.Admission.Name
	}
	return r.Policy.Label() + " " + r.Admission.Name
}

func (s *Simulation) warnings(r *Result, samples *Samples, skewed []Warning) []Warning {
	list := subjectWarnings(r.subject)
	if slices.ContainsFunc(s.Admissions, func(a Admission) bool { return a.Name == scenario.AdmitAnalytic }) {
		if at, err := samples.work.ready(context.Background(), 0); err == nil {
			list = append(list, at.models.warnings()...)
		}
	}
	list = append(list, r.uncertain()...)
	list = append(list, unrecorded(s.unrecorded)...)
	list = append(list, skewed...)
	for i, e := range r.Experiments {
		list = union(append(list, e.overcommitted(r.subject.Unit())...), e.unread())
		cut := slices.Contains(samples.Row(0, i).extra(extraCut), 1)
		for where, part := range e.parts() {
			addIf(&list, part.overloaded() || cut && part.admittedLoad() >= 1,
				fact(WarnOverload, append([]string{r.Policies[i].Label}, where...)...))
		}
	}
	return append(list, policyWarnings(r.subject, s.Policies)...)
}

// warnings returns those about the analytic admission.
func (m *Admissions) warnings() []Warning {
	if _, err := m.Analytic(context.Background()); err != nil {
		return nil
	}
	list := slices.Concat(m.own.Ignored, m.best.unproven(m.own.System.Residual, 1e-6))
	own := func(w Warning) bool { return w.Kind != string(scenario.WarnGuess) } // not about all results
	return text.Each(text.Where(list, own), func(w Warning) Warning { return w.about("analytic admission") })
}

// uncertain says where there are no intervals, or wider ones than asked for.
func (r *Result) uncertain() []Warning {
	var list []Warning
	n, least := r.Replications, metric.SpreadLeast(float64(r.Level))
	addIf(&list, n == 1 && !r.Once, fact(WarnOneReplication)) // the head of the result says the latter
	addIf(&list, r.Resampled != nil && n > 1 && n < least,
		fact(WarnFewSpans).with(float64(n), float64(r.Level), float64(least)))
	if p := r.Precision; p != nil && !p.Met {
		list = append(list, fact(WarnPrecision, p.Metric).with(float64(n), float64(p.Relative)))
	}
	return list
}

// subjectWarnings says where the simulated machine or jobs are not quite those of the scenario.
func subjectWarnings(s *Subject) []Warning {
	list := scenarioWarnings(s.Scenario, false)
	w := s.Workload
	load, stated, nodes := w.Load(), s.Scenario.Load, float64(s.Nodes())
	addIf(&list, w.Stream() > 0 && math.Abs(load-stated) > 1e-9*stated,
		fact(WarnWholeNodes).with(s.Scenario.Parallel, nodes, load))
	addIf(&list, w.Stream() == 0 && (math.IsInf(load, 1) || math.IsNaN(load)), fact(WarnInstant))
	addIf(&list, s.Scenario.Unlimited != nil, fact(WarnUnlimited, s.Scenario.Unlimited...))
	for _, c := range w.Customers() {
		for i, width := range c.Width.Values {
			addIf(&list, width > nodes && c.Width.Weights[i] > 0, fact(WarnTooWide, c.Name).with(width, nodes))
		}
	}
	list = append(list, poolWarnings(w.Pools())...)
	if t := s.Trace; t != nil {
		if t.OtherMachine() && !s.unlike() {
			names := []string{s.Scenario.Trace.File, s.Unit()}
			if s.Scenario.Pools != nil {
				names = append(names, "pools")
			}
			list = append(list, fact(WarnOtherMachine, names...).with(float64(t.HeaderNodes()), float64(t.Nodes())))
		}
		r, ok := w.(*workload.Replay)
		if ok {
			list = append(list, unmatched(s, r)...)
		}
		for _, c := range w.Customers() {
			addIf(&list, c.Demand != nil && c.Rate > 1+1e-9, fact(WarnDemand, c.Name).with(c.Rate))
		}
		if ok && r.Others() > 0 {
			list = append(list, fact(WarnOthers).with(float64(r.Others())))
		}
		addIf(&list, s.Scenario.Growth != 0, fact(WarnGrowth).with(s.Scenario.Growth))
	}
	return list
}

// unmatched names the customers to whom no job of the trace belongs.
func unmatched(s *Subject, r *workload.Replay) []Warning {
	var list []Warning
	for _, i := range r.Unmatched() {
		why := UnmatchedSelector
		if of := s.Scenario.Selectors[i]; of == nil {
			why = UnmatchedRest
		} else if s.Scenario.Trace.File == model.SP2Like {
			parties := [][]model.Party{of.Users, of.Groups, of.Queues, of.Partitions, of.Accounts}
			if slices.ContainsFunc(parties, func(p []model.Party) bool { return p != nil }) {
				why = UnmatchedGenerated
			}
		}
		list = append(list, fact(WarnUnmatched, r.Customers()[i].Name, s.Scenario.Trace.File, why))
	}
	return list
}

// policyWarnings says by what customers on a trace are ranked where a policy serves by
// rank, and which policies choose jobs by prices that the jobs do not have.
func policyWarnings(s *Subject, policies []Policy) (list []Warning) {
	r, ok := s.Workload.(*workload.Replay)
	if !ok {
		return nil
	}
	ranked, unpriced := false, []string{}
	for _, p := range policies {
		ranked = ranked || p.Spec.Ranked
		if p.Spec.Needs.Prices && !r.Pays() {
			unpriced = append(unpriced, p.Label())
		}
	}
	if ranked && s.Scenario.Trace.QoS == nil && len(r.Customers()) > 1 {
		list = append(list, Warning{Kind: WarnRanks})
	}
	if len(unpriced) > 0 {
		list = append(list, fact(WarnUnpriced, unpriced...))
	}
	return list
}

// Overloaded reports whether the machine or some pool has no steady state.
func (e *Experiment) Overloaded() bool {
	for _, part := range e.parts() {
		if part.overloaded() {
			return true
		}
	}
	return false
}

// parts yields the experiment or, with pools, each group of pools as one machine.
func (e *Experiment) parts() iter.Seq2[[]string, *Experiment] {
	return func(yield func([]string, *Experiment) bool) {
		for _, p := range boundParts(e.Workload) {
			part, where := *e, []string(nil)
			if part.Workload = p.Workload; p.pools != nil {
				all := e.Workload.Pools()
				where, part.Admission.Admit = []string{strings.Join(poolNames(all, p.pools), " and ")}, nil
				for i, q := range e.Admission.Admit {
					s := all.Sections[i]
					if slices.Contains(p.pools, s.Pool) && all.List[s.Pool].Name == all.Customers[s.Customer].Pool {
						part.Admission.Admit = append(part.Admission.Admit, q)
					}
				}
			}
			if !yield(where, &part) {
				return
			}
		}
	}
}

// overloaded reports whether admitted jobs that never give up are more than the
// nodes can serve, so that there is no steady state: by themselves or, under
// hol, together with all jobs that are served before them, which hardly wait and
// so hardly give up.
func (e *Experiment) overloaded() bool {
	busy, nodes := e.admittedNodes()
	if busy == nil {
		return false
	}
	classes := e.Workload.Customers()
	var before, patient float64 // nodes kept busy by the ranks above; by jobs that never give up
	for _, i := range slices.Backward(model.ServiceOrder(classes)) {
		before += busy[i]
		if expires(classes[i]) || busy[i] == 0 {
			continue
		}
		patient += busy[i]
		if e.Policy.Spec.Ranked && before >= nodes {
			return true
		}
	}
	return patient >= nodes
}

// admittedLoad returns the share of the machine that admitted jobs of a stream need, NaN
// where admittedNodes has none. A short run may be cut off below 1 as well: its last jobs
// are still there when arrivals end.
func (e *Experiment) admittedLoad() float64 {
	busy, nodes := e.admittedNodes()
	sum := text.Sum(busy, func(x float64) float64 { return x })
	return sum / nodes
}

// admittedNodes returns how many nodes the admitted jobs of each class of a stream keep
// busy, and how many there are. It has none where the queue is bounded: by finitely many
// jobs or places to wait, or by a rule of admission that looks at it.
func (e *Experiment) admittedNodes() (busy []float64, nodes float64) {
	c, ok := e.Workload.(*workload.Classes)
	if !ok || c.Waiting() >= 0 || e.Admission.Rule != nil {
		return nil, 0
	}
	busy = each(c.Customers(), func(i int, class model.Class) float64 {
		q := 1.0
		if e.Admission.Admit != nil {
			q = e.Admission.Admit[i]
		}
		return q * class.Rate * class.Length.Mean() * class.Width.Mean()
	})
	return busy, float64(c.Sites()[0].Processors)
}

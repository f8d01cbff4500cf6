package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Validation asks which share of the possible policies earn: against bounds that are
// proven for the very jobs they serve, on any workload whose jobs are worth something.
// It has the scenario's own point, for a table, and points along an axis, for figures.
//
// A replication starts empty, has no warm-up whatever the scenario says, and goes on
// until the last of finitely many jobs has ended, so that the money of all jobs is
// counted on both sides.
type Validation struct {
	Subject    *Subject
	Policies   []Policy      // nil: all that the subject knows and whose needs are met
	Admissions []Admission   // nil: all under every policy, and analytic and simulated under a ranked one
	Vary       scenario.Axis // of the figures; without values there are none
	Figures    bool          // without Vary, five values about the scenario's own load, which figures then show

	Objective    string               // wait or slowdown; "" is the value
	Jobs         int                  // see PlanBounds
	Replications int                  // 0: as many as the scenario says, and no more than 5 along the axis
	Resample     *workload.Resampling // draws the jobs of a trace anew; nil replays them
	Stop         *Stop                // nil runs just Replications

	// Plain measures without control variates. Amounts that are set against bounds
	// always are: a bound is on the jobs as they came.
	Plain bool

	Seed      uint64
	Level     float64 // of confidence; 0 is metric.DefaultLevel
	Runner    *Runner // nil: all cores, and nothing is kept
	Overrides []string

	own, along *Execution // the scenario's point; those along the axis, nil where there are none
	value      float64    // of the axis at the scenario's own point; NaN where unknown
	byLoad     bool       // figures show the load that results
	leftOut    []LeftOut
	doubts     []Warning // about the model bounds
}

// NoPolicyError is a scenario to which no policy applies.
type NoPolicyError struct{ LeftOut []LeftOut }

func (e *NoPolicyError) Error() string {
	message := "no policy applies:"
	for _, l := range ByReason(e.LeftOut) {
		message += fmt.Sprintf(" Left out: %s (%s).", l.Policy, l.Reason)
	}
	return message
}

// ByReason joins the names of policies that are left out for one reason.
func ByReason(list []LeftOut) []LeftOut {
	var joined []LeftOut
	for _, l := range list {
		if i := slices.IndexFunc(joined, func(j LeftOut) bool { return j.Reason == l.Reason }); i >= 0 {
			joined[i].Policy += ", " + l.Policy
		} else {
			joined = append(joined, l)
		}
	}
	return joined
}

// Open finds whatever is wrong with the scenario before anything runs.
func (v *Validation) Open(ctx context.Context) error {
	v.value = math.NaN()
	rows := v.rows()
	if len(rows) == 0 {
		return &NoPolicyError{v.leftOut}
	}
	set := func(p *Plan) {
		p.Seed, p.Replications, p.Resample, p.Plain = v.Seed, v.Replications, v.Resample, v.Plain
		p.Bounds = &PlanBounds{Jobs: v.Jobs, Objective: v.Objective}
	}
	var err error
	if v.own, err = openRows(ctx, v.Subject, rows, set, v.Stop, &v.Level); err != nil {
		return err
	}
	v.setAxis()
	if !math.IsNaN(v.value) {
		v.own.Plan.base = map[string]string{v.Vary.Path: text.Field(v.value)}
	}
	others := slices.DeleteFunc(slices.Clone(v.Vary.Values), func(x float64) bool { return x == v.value })
	if len(others) == 0 {
		return nil
	}
	open := func() (*Execution, error) {
		return openRows(ctx, v.Subject, rows, func(p *Plan) {
			set(p)
			p.Vary = []scenario.Axis{{Path: v.Vary.Path, Values: others}}
			if v.Replications == 0 || v.Stop != nil {
				p.Replications = min(v.own.Plan.Replications, curveReplications)
			}
		}, nil, &v.Level)
	}
	var need *policy.NeedError
	if v.along, err = open(); errors.As(err, &need) && need.Policy == Recorded { // it is not the log elsewhere
		if rows = slices.DeleteFunc(slices.Clone(rows), func(r PlanRow) bool { return r.Policy.recorded() }); len(rows) > 0 {
			v.along, err = open()
		} else if !math.IsNaN(v.value) {
			v.along, v.Vary.Values, err = nil, []float64{v.value}, nil
		}
	}
	return err
}

// curveReplications is how many replications figures show at most by default: a table needs narrower
// intervals than a curve.
const curveReplications = 5

// rows returns the policies that take part, each with its admissions.
func (v *Validation) rows() []PlanRow {
	policies := v.Policies
	if policies == nil {
		var reason string
		policies, v.leftOut = v.Subject.Applying()
		if policies, reason = addRecorded(v.Subject, policies, v.Admissions, v.Resample); reason != "" {
			v.leftOut = append(v.leftOut, LeftOut{Recorded, reason})
		}
	}
	stream := v.Subject.Workload.Stream() > 0
	alike := widths(v.Subject.Workload.Customers()) == 1 // so that backfilling changes nothing
	var list []PlanRow
	for _, p := range policies {
		admissions := v.Admissions
		switch {
		case admissions != nil:
		case !stream:
			admissions = []Admission{{}} // there is one for all
		case p.Spec.Ranked && !(alike && v.Policies == nil && p.Settings["backfill"] == "true"):
			admissions = []Admission{{Name: scenario.AdmitAll}, {Name: scenario.AdmitAnalytic}, {Name: scenario.AdmitSimulated}}
		default:
			admissions = []Admission{{Name: scenario.AdmitAll}}
		}
		list = append(list, rows([]Policy{p}, admissions)...)
	}
	return list
}

// Applying returns all policies whose needs the workload meets, in the order in which the
// subject knows them and without the schedule of a log, and those that are left out. A policy
// that the scenario lists takes part
// with the options listed, as often as it is listed, others with their defaults and as
// Also says, which a policy that Slurm can run does in any case. A policy that may backfill
// without a reservation does so as well where jobs differ in width.
func (s *Subject) Applying() (list []Policy, leftOut []LeftOut) {
	for _, spec := range s.specs {
		listed := slices.ContainsFunc(s.Scenario.Policies, func(p scenario.Policy) bool { return p.Name == spec.Name })
		if spec.Needs.Recorded || spec.Program && !listed {
			continue
		}
		if err := spec.Check(s.Workload.Has()); err != nil && !spec.Barred {
			var need *policy.NeedError
			reason := err.Error()
			if errors.As(err, &need) {
				reason = "needs " + need.Need
				if need.Hint != "" {
					reason += ": " + need.Hint
				}
			}
			leftOut = append(leftOut, LeftOut{spec.Name, reason})
			continue
		}
		named := false
		add := func(given policy.Settings) {
			all, err := spec.Resolve(given)
			same := func(p Policy) bool { return p.Spec.Name == spec.Name && maps.Equal(p.Settings, all) }
			if err == nil && !slices.ContainsFunc(list, same) {
				list = append(list, Policy{spec, all})
			}
		}
		for _, p := range s.Scenario.Policies {
			if found, err := policy.Lookup([]policy.Spec{spec}, p.Name); err == nil {
				named = true
				if all, err := found.Resolve(p.Options); err == nil {
					list = append(list, Policy{spec, all})
				}
			}
		}
		if !named {
			add(nil)
		}
		if spec.Also != nil && (!named || spec.RunsOn(spec.Also) == policy.Slurm) {
			add(spec.Also)
		}
		if !named && s.Workload.Stream() > 0 && widths(s.Workload.Customers()) > 1 {
			add(policy.Settings{"backfill": "true"})
		}
	}
	return list, leftOut
}

// widths returns how many widths jobs of classes have. Where all have one, the
// job that comes first fits first, and there is nothing to backfill.
func widths(classes []model.Class) int {
	all := map[float64]bool{}
	for _, c := range classes {
		if len(c.Width.Values) == 0 {
			all[1] = true
		}
		for _, w := range c.Width.Values {
			all[w] = true
		}
	}
	return len(all)
}

// setAxis chooses what figures run along: the axis given, or five values.
func (v *Validation) setAxis() {
	s := v.Subject
	switch {
	case len(v.Vary.Values) > 0:
		v.Vary.Values = slices.Compact(slices.Sorted(slices.Values(v.Vary.Values)))
		if v.Vary.Path == s.Axis {
			v.value = s.Value
		}
	case v.Figures && s.Axis != "":
		v.Vary, v.value = scenario.Axis{Path: s.Axis, Values: around(s.Value)}, s.Value
		v.byLoad = s.Trace != nil
	}
}

// around returns five values from half to twice the given one, with that one.
func around(own float64) []float64 {
	var list []float64
	for _, scale := range []float64{0.5, 0.75, 1, 1.5, 2} {
		x := own
		if scale != 1 {
			// Short numbers are easier to read and to type again.
			x, _ = strconv.ParseFloat(strconv.FormatFloat(scale*own, 'g', 4, 64), 64)
		}
		list = append(list, x)
	}
	return slices.Compact(list)
}

// Label names a row in tables: the policy with the options that are not the defaults,
// and the admission where it has a name, as in "fcfs:backfill=true, analytic".
func (r PlanRow) Label() string {
	label := r.Policy.Label()
	if r.Admission.Name != "" {
		label += ", " + r.Admission.Name
	}
	return label
}

// Run carries out the validation, the table's point first, in case the rest is interrupted. After an error
// the result has what is finished, if anything.
func (v *Validation) Run(ctx context.Context) (*Result, error) {
	if v.own == nil {
		if err := v.Open(ctx); err != nil {
			return nil, err
		}
	}
	v.Runner = cmp.Or(v.Runner, &Runner{})
	found, err := v.validated(ctx, v.own)
	var along *validated
	if err == nil && v.along != nil {
		if along, err = v.validated(ctx, v.along); err != nil {
			along = nil
		}
	}
	if found == nil {
		return nil, err
	}
	r, broken := v.result(ctx, found, along)
	if broken != nil {
		return nil, broken
	}
	if r.Interrupted = err != nil; r.Interrupted {
		words := "after %d of %s"
		if v.along != nil {
			words += ", without figures"
		}
		r.Warnings = interrupted(r.Warnings, words, r.Replications, text.Plural(v.own.Plan.Replications, "replication"))
	}
	return r, err
}

// validated are the samples of a plan, in so many replications at each point, and what
// the queueing model predicts.
type validated struct {
	*Samples
	n      int
	once   bool
	models [][]modelBound // by point
}

// validated runs a plan. Finished replications are kept when it is interrupted.
func (v *Validation) validated(ctx context.Context, x *Execution) (*validated, error) {
	samples, err := v.Runner.Run(ctx, x, "validating")
	if samples == nil {
		return nil, err
	}
	found := &validated{Samples: samples}
	if found.n, found.once = samples.common(); found.n == 0 {
		return nil, err
	}
	if found.once {
		found.n = 1
	}
	for point := range x.Plan.Points() {
		models, broken := v.modelsAt(ctx, found, point)
		if broken != nil && err == nil {
			err = broken
		}
		found.models = append(found.models, models)
	}
	return found, err
}

// modelBound is the prediction of a queueing model for the best static admission.
type modelBound struct {
	name     string
	residual string
	rate     float64   // $/s; of a trace that of its first replication
	totals   []float64 // $ by replication, of a trace; nil where the rate says it
	gap      float64   // proven between the optimum and its bound; NaN where nothing is proven
}

// modelsAt returns the model bounds at a point, by the scenario's convention first.
func (v *Validation) modelsAt(ctx context.Context, s *validated, point int) ([]modelBound, error) {
	at, err := s.work.ready(ctx, point)
	if err != nil || v.Objective != "" {
		return nil, err
	}
	a, err := Analyze(ctx, at.subject, v.Seed, 0)
	var none *NoModelError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // a model that does not apply predicts nothing
		v.doubts = union(v.doubts, []Warning{fact(WarnNoModel, err.Error())})
		return nil, nil
	case a.Fit != nil:
		return v.fittedAt(ctx, s, at.subject)
	}
	var list []modelBound
	for _, r := range residuals(a.System.Residual) {
		best, err := a.Best(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("static optimum (%s): %w", r, err)
		}
		b := modelBound{
			name: fmt.Sprintf("static optimum (%s)", r), residual: r.String(),
			rate: float64(best.UpperBoundPerSecond), gap: float64(best.RelativeGap),
		}
		if !best.Proven() {
			b.rate, b.gap = float64(best.RevenuePerSecond), math.NaN()
		}
		list = append(list, b)
	}
	return list, nil
}

// residuals returns the conventions for the delays, the given one first.
func residuals(first model.Residual) []model.Residual {
	list := []model.Residual{first}
	for _, r := range []model.Residual{model.Printed, model.Pooled, model.Multiserver} {
		if r != first {
			list = append(list, r)
		}
	}
	return list
}

// fittedAt fits job classes to the jobs of every replication of a trace, and returns the most that a static
// admission earns with them.
func (v *Validation) fittedAt(ctx context.Context, s *validated, subject *Subject) ([]modelBound, error) {
	type fitted struct {
		Rate, Total, Gap float64
		Ignored          []Warning
	}
	n := s.n
	if !subject.Workload.Random() { // all have the same jobs
		n = 1
	}
	fits, err := metric.Replicate(ctx, 0, n, v.Runner.Workers, func(ctx context.Context, k int) (fitted, error) {
		defer v.Runner.Progress.tell("fitting job classes, replications", 1, 0)
		a, err := Analyze(ctx, subject, v.Seed, k)
		if err != nil {
			return fitted{}, err
		}
		best, err := a.Best(ctx, a.System.Residual)
		if err != nil {
			return fitted{}, err
		}
		rate := float64(best.UpperBoundPerSecond)
		return fitted{rate, rate * a.Span, float64(best.RelativeGap), a.Ignored}, nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		v.doubts = union(v.doubts, []Warning{fact(WarnNoModel, err.Error())})
		return nil, nil
	}
	b := modelBound{name: "static optimum (fitted)", rate: fits[0].Rate, gap: fits[0].Gap}
	for k := range s.n {
		f := fits[min(k, n-1)]
		b.totals, b.gap = append(b.totals, f.Total), math.Max(b.gap, f.Gap)
	}
	if s.work == v.own {
		for _, w := range fits[0].Ignored {
			if w.Kind != "fitted" && w.Kind != string(scenario.WarnGuess) { // the result says so elsewhere
				v.doubts = union(v.doubts, []Warning{w.about("model bound")})
			}
		}
	}
	return []modelBound{b}, nil
}

func (v *Validation) result(ctx context.Context, found, along *validated) (*Result, error) {
	p := found.Bounded(0, found.n)
	order := p.Order()
	r, err := newPointResult(found.Samples, 0, found.n, found.once, order, func(row int) string { return found.Plan().Rows[row].Label() })
	if err != nil {
		return nil, err
	}
	r.Overrides = append(r.Overrides, v.Overrides...)
	jobs := stat.Mean(each(p.Jobs, func(_, n int) float64 { return float64(n) }), nil)
	r.Jobs, r.What = Number(jobs), r.subject.Describe(jobs)
	for k, i := range order {
		row := &r.Policies[k]
		row.Validated = &ValidatedRow{
			Efficiency: NewEstimate(p.Efficiency(i)), Kind: p.Kind(i), OfKind: NewEstimate(p.EfficiencyOfKind(i)),
			Charged: NewEstimate(p.ChargedEfficiency(i)), Delivered: NewEstimate(p.Delivered(i)), Totals: numbersOf(p.Rows[i].Delivered),
			Efficiencies: p.Efficiencies(i), Behind: NewEstimate(p.Difference(order[0], i)), Money: NewEstimate(p.money(i)),
		}
		if k > 0 {
			difference := NewEstimate(p.Difference(i, order[0]))
			r.Differences = append(r.Differences, DifferenceRow{RowID: row.RowID, Versus: r.Policies[0].Label, Efficiency: &difference})
		}
	}
	_, lenient := v.lenient()
	out := &ValidationResult{
		Objective: v.Objective,
		Points:    []PointResult{}, LeftOut: append([]LeftOut{}, v.leftOut...), Timed: p.Seconds != nil,
		Value: v.value, Lenient: lenient,
		Closest: Closest{Label: r.Policies[0].Label, Efficiency: r.Policies[0].Validated.Efficiency}, Bounds: v.bounds(p, found.models[0]),
	}
	r.Validated = out
	setBest(out, r, p, order)
	setPoolBounds(r, found.BoundedGroups(0, found.n), order, func(p *BoundedPoint) []BoundResult { return v.bounds(p, nil) })
	v.setPoints(out, order, found, along)
	if along != nil {
		r.Samples = append(r.Samples, along.Samples)
	}
	skewed, err := Skewed(ctx, r.Samples...)
	r.Warnings = append(r.Warnings, v.warnings(r, p, skewed)...)
	v.remark(out, p)
	return r, err
}

// bounds returns the bounds that hold for every replication, then the models.
func (v *Validation) bounds(p *BoundedPoint, models []modelBound) []BoundResult {
	var list []BoundResult
	least := -1
	for _, b := range p.Bounds {
		if b.MeanOnly {
			continue
		}
		r := newBoundResult(p, b.Name, Proven, b.Total, b.WidestGap())
		r.Limits = b.Limits()
		if b.Found != nil {
			r.Found = Number(metric.Estimate(b.Found, v.Level).Mean)
		}
		list = append(list, r)
		if b.Name == ClairvoyantBound || b.Name == BusyTimeBound {
			least = len(list) - 1
		}
	}
	if least >= 0 {
		list[least].Best = true
	}
	for i, m := range models {
		totals := m.totals
		if totals == nil {
			totals = text.Each(p.Seconds, func(t float64) float64 { return m.rate * t })
		}
		r := newBoundResult(p, m.name, Model, totals[:len(p.Jobs)], m.gap)
		if r.Residual = m.residual; m.totals == nil { // a rate has no interval
			r.RevenuePerSecond, r.Money = Number(m.rate), metric.Interval{Mean: 3600 * m.rate, Level: v.Level, N: r.N}
		}
		if i == 0 && p.Stream {
			r.Row = "hol, " + scenario.AdmitAnalytic // whose admission it is, in the model's order of service
		}
		list = append(list, r)
	}
	return list
}

func newBoundResult(p *BoundedPoint, name, kind string, totals []float64, gap float64) BoundResult {
	i := p.estimate(totals)
	e := NewEstimate(i)
	b := BoundResult{
		Name: name, Kind: kind, Total: e.Mean, HalfWidth: e.HalfWidth, Level: e.Level, N: i.N, Low: e.Low, High: e.High,
		RevenuePerSecond: Number(math.NaN()), Gap: Number(gap), Found: Number(math.NaN()), Totals: numbersOf(totals), Money: i,
	}
	if p.Seconds != nil {
		b.Money = p.estimate(hourly(totals, p.Seconds))
		b.RevenuePerSecond = Number(b.Money.Mean / 3600)
	}
	return b
}

// setPoints estimates the points along the axis, the scenario's own among them.
func (v *Validation) setPoints(out *ValidationResult, order []int, found, along *validated) {
	if len(v.Vary.Values) == 0 || v.along != nil && along == nil {
		return
	}
	out.Vary, out.ByLoad = v.Vary.Path, v.byLoad
	// All points show the same replications: others have other jobs, and a
	// curve would bend where only their number changes.
	n := found.n
	if along != nil {
		n = min(n, along.n)
	}
	add := func(s *validated, i int, x float64) {
		p := s.Bounded(i, n)
		point := PointResult{Value: Number(x), Load: Number(math.NaN()), Replications: n, Bounds: v.bounds(p, s.models[i])}
		for _, c := range order {
			label := found.Plan().Rows[c].Label()
			c = slices.IndexFunc(s.Plan().Rows, func(r PlanRow) bool { return r.Label() == label })
			if c < 0 { // the log is at another point
				none := NewEstimate(metric.Interval{Mean: math.NaN(), HalfWidth: math.NaN(), Level: v.Level})
				point.Policies = append(point.Policies, PointShare{label, none, none, none, none, none.Interval()})
				continue
			}
			point.Policies = append(point.Policies, PointShare{
				label, NewEstimate(p.Efficiency(c)), NewEstimate(p.EfficiencyOfKind(c)),
				NewEstimate(p.ChargedEfficiency(c)), NewEstimate(p.Delivered(c)), p.moneyBelow(c),
			})
		}
		if at, err := s.work.ready(context.Background(), i); err == nil {
			point.Load = Number(at.subject.Workload.Load())
		}
		out.Points = append(out.Points, point)
	}
	next := 0
	for _, x := range v.Vary.Values {
		if x == v.value {
			add(found, 0, x)
			continue
		}
		add(along, next, x)
		next++
	}
}

func (v *Validation) warnings(r *Result, p *BoundedPoint, skewed []Warning) []Warning {
	list := subjectWarnings(r.subject)
	list = append(list, r.uncertain()...)
	list = append(list, skewed...)
	for _, b := range p.Bounds {
		if gap := b.WidestGap(); b.Name == ClairvoyantBound && gap > 0.01 {
			list = append(list, fact(WarnBoundGap, b.Name).with(gap))
		}
	}
	if free, lenient := v.lenient(); lenient {
		list = append(list, fact(WarnLenient, free))
	}
	if v.Subject.Workload.Stream() > 0 && v.Objective == "" {
		for _, w := range append(scenarioWarnings(v.Subject.Scenario, true), ignored(v.Subject.Scenario.Classes)...) {
			list = append(list, w.about("model bounds"))
		}
	}
	for _, e := range r.Experiments {
		list = union(append(list, e.overcommitted(r.subject.Unit())...), e.unread())
	}
	policies := text.Each(r.Experiments, func(e *Experiment) Policy { return e.Policy })
	list = append(list, policyWarnings(v.Subject, policies)...)
	return append(list, v.doubts...)
}

// lenient reports whether some jobs have soft deadlines that cost nothing when they
// are missed, and of which customer, "" where qos.penalty is 0.
func (v *Validation) lenient() (customer string, yes bool) {
	if v.Objective != "" {
		return "", false
	}
	if t := v.Subject.Scenario.Trace; t != nil && t.QoS != nil {
		q := t.QoS
		return "", q.Penalty.LowMean == 0 && !(q.Hard[0] >= 1 && q.Hard[1] >= 1)
	}
	for _, c := range v.Subject.Workload.Customers() {
		if c.Dated && c.Hard < 1 && c.Decay == 0 && c.DecayOfPrice == 0 && c.Price != (model.Tariff{}) {
			return c.Name, true
		}
	}
	return "", false
}

// remark adds facts that a reader of the table should know besides.
func (v *Validation) remark(out *ValidationResult, p *BoundedPoint) {
	for _, b := range p.Bounds {
		if b.MeanOnly {
			out.SteadyState = &SteadyState{b.Name, Number(p.estimate(perSecond(b.Total, p.Seconds)).Mean)}
		}
	}
	if own := v.Subject.Workload.Size(); v.Subject.Workload.Stream() > 0 && v.Jobs == 0 && own > 1.01*workload.DrainedJobs {
		out.Cut = own
	}
	if v.along != nil {
		out.Drawn = v.along.Plan.Replications
	}
	out.Serves = v.own.serves
}

package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
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
	Subject    *subject.Subject
	Policies   []subject.Policy       // nil: those of subject.Compared, and the schedule of a log
	All        bool                   // adds every policy that the subject knows and whose needs are met
	Admissions []experiment.Admission // nil: all under every policy, and computed ones under a ranked one
	Vary       scenario.Axis          // of the figures; without values there are none
	Figures    bool                   // without Vary: five values about the scenario's load, for figures

	Objective    string               // wait or slowdown; "" is the value
	Jobs         int                  // see plan.Bounds
	Replications int                  // 0: as many as the scenario says, and no more than 5 along the axis
	Resample     *workload.Resampling // draws the jobs of a trace anew; nil replays them
	Stop         *plan.Stop           // nil runs just Replications

	// Plain measures without control variates. Amounts that are set against bounds
	// always are: a bound is on the jobs as they came.
	Plain bool

	Seed      uint64
	Level     float64      // of confidence; 0 is metric.DefaultLevel
	Runner    *plan.Runner // nil: all cores, and nothing is kept
	Overrides []string

	center, axis *plan.Execution // the scenario's point; those along the axis, nil where there are none
	layout       *served.Layout  // groups of jobs whose waits are measured
	value        float64         // of the axis at the scenario's own point; NaN where unknown
	byLoad       bool            // figures show the load that results
	leftOut      []subject.LeftOut
	doubts       []warn.Warning // about the model bounds
}

// NoPolicyError is a scenario to which no policy applies.
type NoPolicyError struct{ LeftOut []subject.LeftOut }

func (e *NoPolicyError) Error() string {
	message := "no policy applies:"
	for _, l := range subject.ByReason(e.LeftOut) {
		message += fmt.Sprintf(" Left out: %s (%s).", l.Policy, l.Reason)
	}
	return message
}

// Open finds whatever is wrong with the scenario before anything runs.
func (v *Validation) Open(ctx context.Context) error {
	v.value = math.NaN()
	rows := v.rows()
	if len(rows) == 0 {
		return &NoPolicyError{v.leftOut}
	}
	set := func(p *plan.Plan) {
		p.Seed = v.Seed
		p.Replications = v.Replications
		p.Resample = v.Resample
		p.Plain = v.Plain
		p.Bounds = &plan.Bounds{Jobs: v.Jobs, Objective: v.Objective}
		p.Partial = true
	}
	v.layout = plan.ServedBy(v.Subject)
	var err error
	v.center, err = plan.OpenRows(ctx, v.Subject, rows, func(p *plan.Plan) {
		set(p)
		p.Served = v.layout
	}, v.Stop, &v.Level)
	if err != nil {
		return err
	}
	v.setAxis()
	if !math.IsNaN(v.value) {
		v.center.Plan.Base = map[string]string{v.Vary.Path: text.Field(v.value)}
	}
	others := slices.DeleteFunc(slices.Clone(v.Vary.Values), func(x float64) bool { return x == v.value })
	if len(others) == 0 {
		return nil
	}
	open := func() (*plan.Execution, error) {
		return plan.OpenRows(ctx, v.Subject, rows, func(p *plan.Plan) {
			set(p)
			p.Vary = []scenario.Axis{{Path: v.Vary.Path, Values: others}}
			if v.Replications == 0 || v.Stop != nil {
				p.Replications = min(v.center.Plan.Replications, curveReplications)
			}
		}, nil, &v.Level)
	}
	var need *policy.NeedError
	v.axis, err = open()
	if errors.As(err, &need) && need.Policy == subject.Recorded { // it is not the log elsewhere
		rows = slices.DeleteFunc(slices.Clone(rows), func(r plan.Row) bool { return r.Policy.RepeatsLog() })
		if len(rows) > 0 {
			v.axis, err = open()
		} else if !math.IsNaN(v.value) {
			v.axis = nil
			v.Vary.Values = []float64{v.value}
			err = nil
		}
	}
	return err
}

// curveReplications is how many replications figures show at most by default: a table needs narrower
// intervals than a curve.
const curveReplications = 5

// rows returns the policies that take part, each with its admissions.
func (v *Validation) rows() []plan.Row {
	policies := v.policies()
	var list []plan.Row
	for _, p := range policies {
		list = append(list, plan.NewRows([]subject.Policy{p}, v.admissionsOf(p))...)
	}
	return list
}

// policies returns the policies that take part. It notes which ones are left out.
func (v *Validation) policies() []subject.Policy {
	list, reason := v.Policies, ""
	switch {
	case v.All:
		list, v.leftOut = v.Subject.WithAll(slices.Clone(list))
	case list == nil:
		list, v.leftOut = v.Subject.Compared()
	default:
		return list
	}
	if slices.ContainsFunc(list, subject.Policy.RepeatsLog) {
		return list
	}
	list, reason = experiment.AddRecorded(v.Subject, list, v.Admissions, v.Resample)
	if reason != "" {
		v.leftOut = append(v.leftOut, subject.LeftOut{Policy: subject.Recorded, Reason: reason})
	}
	return list
}

// admissionsOf returns the admissions under a policy. Those that are computed, for a ranked policy, are analytic and
// simulated; the policies of a comparison that names none have analytic alone, under the usual policy.
func (v *Validation) admissionsOf(p subject.Policy) []experiment.Admission {
	alike := subject.Widths(v.Subject.Workload.Customers()) == 1 // so that backfilling changes nothing
	named := v.Policies != nil || v.All || len(v.Subject.Scenario.Policies) > 0
	switch {
	case v.Admissions != nil:
		return v.Admissions
	case v.Subject.Workload.Stream() == 0:
		return []experiment.Admission{{}} // there is one for all
	case !p.Spec.Ranked:
	case !named && p.Label() == v.Subject.Usual:
		return []experiment.Admission{{Name: scenario.AdmitAll}, {Name: scenario.AdmitAnalytic}}
	case named && !(alike && v.All && p.Settings["backfill"] == "true"):
		return []experiment.Admission{{Name: scenario.AdmitAll}, {Name: scenario.AdmitAnalytic},
			{Name: scenario.AdmitSimulated}}
	}
	return []experiment.Admission{{Name: scenario.AdmitAll}}
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
func around(center float64) []float64 {
	var list []float64
	for _, scale := range []float64{0.5, 0.75, 1, 1.5, 2} {
		x := center
		if scale != 1 {
			// Short numbers are easier to read and to type again.
			x, _ = strconv.ParseFloat(strconv.FormatFloat(scale*center, 'g', 4, 64), 64)
		}
		list = append(list, x)
	}
	return slices.Compact(list)
}

// Run carries out the validation, the table's point first, in case the rest is interrupted. After an error
// the result has what is finished, if anything. Policies that fail are left out of the result, and their
// errors are returned with it.
func (v *Validation) Run(ctx context.Context) (*study.Result, error) {
	if v.center == nil {
		if err := v.Open(ctx); err != nil {
			return nil, err
		}
	}
	v.Runner = cmp.Or(v.Runner, &plan.Runner{})
	measured, err := v.validated(ctx, v.center)
	var axis *validated
	if err == nil && v.axis != nil {
		axis, err = v.validated(ctx, v.axis)
		if err != nil {
			axis = nil
		}
	}
	if measured == nil {
		return nil, err
	}
	now, unfinished := v.policyNow(ctx, measured)
	err = cmp.Or(err, unfinished)
	r, broken := v.result(ctx, measured, axis, now)
	if broken != nil {
		return nil, broken
	}
	r.Interrupted = err != nil
	failed := measured.Failed()
	r.Warnings = append(r.Warnings, study.LeftOut(measured.Samples)...)
	if axis != nil {
		failed = errors.Join(failed, axis.Failed())
		r.Warnings = warn.Union(r.Warnings, study.LeftOut(axis.Samples))
	}
	if r.Interrupted {
		words := "after %d of %s"
		if v.axis != nil {
			words += ", without figures"
		}
		r.Warnings = warn.Interrupt(r.Warnings, words, r.Replications,
			text.Plural(v.center.Plan.Replications, "replication"))
		return r, err
	}
	return r, failed
}

// validated are the samples of a plan, in so many replications at each point, and what
// the queueing model predicts.
type validated struct {
	*plan.Samples
	n      int
	once   bool
	models [][]modelBound // by point
}

// validated runs a plan. Finished replications are kept when it is interrupted.
func (v *Validation) validated(ctx context.Context, x *plan.Execution) (*validated, error) {
	samples, err := v.Runner.Run(ctx, x, "validating")
	if samples == nil {
		return nil, err
	}
	measured := &validated{Samples: samples}
	measured.n, measured.once = samples.Common()
	if measured.n == 0 {
		return nil, err
	}
	if measured.once {
		measured.n = 1
	}
	for point := range x.Plan.Points() {
		models, broken := v.modelsAt(ctx, measured, point)
		if broken != nil && err == nil {
			err = broken
		}
		measured.models = append(measured.models, models)
	}
	return measured, err
}

// modelBound is the prediction of a queueing model for the best static admission.
type modelBound struct {
	name     string
	residual string
	rate     float64 // $/s
	gap      float64 // proven between the optimum and its bound; NaN where nothing is proven
}

// modelsAt returns the model bounds at a point, by the scenario's convention first. A trace has none.
func (v *Validation) modelsAt(ctx context.Context, s *validated, point int) ([]modelBound, error) {
	at, err := s.Models(ctx, point)
	if err != nil || v.Objective != "" || at.Subject.Scenario.Trace != nil {
		return nil, err
	}
	a, err := analytic.Analyze(ctx, at.Subject, v.Seed, 0)
	var none *analytic.NoModelError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // a model that does not apply predicts nothing
		v.doubts = warn.Union(v.doubts, []warn.Warning{warn.New(warn.NoModel, err.Error())})
		return nil, nil
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

// rowLabel names a row by its policy, and by its admission too where rows differ in it.
func rowLabel(p *plan.Plan, row int) string {
	given := text.Where(p.Rows, func(r plan.Row) bool { return !r.Policy.RepeatsLog() })
	if text.Differ(given, func(r plan.Row) string { return r.Admission.Name }) {
		return p.Rows[row].Label()
	}
	return p.Rows[row].Policy.Label()
}

func (v *Validation) result(ctx context.Context, measured, axis *validated, now *policyNow) (*study.Result, error) {
	p := measured.Bounded(0, measured.n)
	order := p.Order()
	r, err := study.NewPointResult(measured.Samples, 0, measured.n, measured.once, order,
		func(row int) string { return rowLabel(measured.Plan(), row) })
	if err != nil {
		return nil, err
	}
	r.Overrides = append(r.Overrides, v.Overrides...)
	jobs := stat.Mean(text.Each(p.Jobs, func(n int) float64 { return float64(n) }), nil)
	r.Jobs, r.What = metric.Number(jobs), r.Subject.Describe(jobs, float64(r.Load))
	for k, i := range order {
		row := &r.Policies[k]
		row.Validated = &study.ValidatedRow{
			Efficiency: study.NewEstimate(p.Efficiency(i)), Kind: p.Kind(i),
			OfKind:  study.NewEstimate(p.EfficiencyOfKind(i)),
			Charged: study.NewEstimate(p.ChargedEfficiency(i)), Delivered: study.NewEstimate(p.Delivered(i)),
			Totals:       metric.Numbers(p.Rows[i].Delivered),
			Efficiencies: p.Efficiencies(i), Behind: study.NewEstimate(p.Difference(order[0], i)),
			Money: study.NewEstimate(p.Money(i)),
		}
		if k > 0 {
			difference := study.NewEstimate(p.Difference(i, order[0]))
			r.Differences = append(r.Differences, study.DifferenceRow{RowID: row.RowID, Versus: r.Policies[0].Label,
				Efficiency: &difference})
		}
	}
	_, lenient := v.lenient()
	out := &study.ValidationResult{
		Objective: v.Objective,
		Points:    []study.PointResult{}, LeftOut: append([]subject.LeftOut{}, v.leftOut...), Timed: p.Seconds != nil,
		Value: v.value, Lenient: lenient,
		Closest: study.Closest{Label: r.Policies[0].Label, Efficiency: r.Policies[0].Validated.Efficiency},
		Bounds:  v.bounds(p, measured.models[0]),
	}
	r.Validated = out
	v.compareNow(r, now)
	r.Validated.Untried = v.untried(r)
	setBest(out, r, p, order, now)
	setPoolBounds(r, measured.BoundedGroups(0, measured.n), order,
		func(p *plan.BoundedPoint) []study.BoundResult { return v.bounds(p, nil) })
	v.setPoints(out, order, measured, axis)
	if axis != nil {
		r.Samples = append(r.Samples, axis.Samples)
	}
	skewed, err := plan.Doubts(ctx, r.Samples...)
	r.Warnings = append(r.Warnings, v.warnings(r, p, skewed)...)
	v.remark(out, p)
	return r, err
}

// bounds returns the bounds that hold for every replication, then the models.
func (v *Validation) bounds(p *plan.BoundedPoint, models []modelBound) []study.BoundResult {
	var list []study.BoundResult
	least := -1
	for _, b := range p.Bounds {
		if b.MeanOnly {
			continue
		}
		r := newBoundResult(p, b.Name, study.Proven, b.Total, b.WidestGap())
		r.Limits = b.Limits()
		if b.Found != nil {
			r.Found = metric.Number(metric.Estimate(b.Found, v.Level).Mean)
		}
		list = append(list, r)
		if b.Name == plan.ClairvoyantBound || b.Name == plan.BusyTimeBound {
			least = len(list) - 1
		}
	}
	if least >= 0 {
		list[least].Best = true
	}
	for i, m := range models {
		totals := text.Each(p.Seconds, func(t float64) float64 { return m.rate * t })
		r := newBoundResult(p, m.name, study.Model, totals, m.gap)
		r.Residual = m.residual
		r.RevenuePerSecond = metric.Number(m.rate) // which has no interval
		r.Money = metric.Interval{Mean: 3600 * m.rate, Level: v.Level, N: r.N}
		if i == 0 && p.Stream {
			r.Row = "hol, " + scenario.AdmitAnalytic // whose admission it is, in the model's order of service
		}
		list = append(list, r)
	}
	return list
}

func newBoundResult(p *plan.BoundedPoint, name, kind string, totals []float64, gap float64) study.BoundResult {
	i := p.Estimate(totals)
	e := study.NewEstimate(i)
	b := study.BoundResult{
		Name: name, Kind: kind, Total: e.Mean, HalfWidth: e.HalfWidth, Level: e.Level, N: i.N, Low: e.Low, High: e.High,
		RevenuePerSecond: metric.Number(math.NaN()), Gap: metric.Number(gap), Found: metric.Number(math.NaN()),
		Totals: metric.Numbers(totals), Money: i,
	}
	if p.Seconds != nil {
		b.Money = p.Estimate(plan.Hourly(totals, p.Seconds))
		b.RevenuePerSecond = metric.Number(b.Money.Mean / 3600)
	}
	return b
}

// setPoints estimates the points along the axis, the scenario's own among them.
func (v *Validation) setPoints(out *study.ValidationResult, order []int, measured, axis *validated) {
	if len(v.Vary.Values) == 0 || v.axis != nil && axis == nil {
		return
	}
	out.Vary, out.ByLoad = v.Vary.Path, v.byLoad
	// All points show the same replications: others have other jobs, and a
	// curve would bend where only their number changes.
	n := measured.n
	if axis != nil {
		n = min(n, axis.n)
	}
	add := func(s *validated, i int, x float64) {
		p := s.Bounded(i, n)
		point := study.PointResult{Value: metric.Number(x), Load: metric.Number(math.NaN()), Replications: n,
			Bounds: v.bounds(p, s.models[i])}
		for _, c := range order {
			name, label := measured.Plan().Rows[c].Label(), rowLabel(measured.Plan(), c)
			c = slices.IndexFunc(s.Plan().Rows, func(r plan.Row) bool { return r.Label() == name })
			if c < 0 { // the log is at another point
				none := study.NewEstimate(metric.Interval{Mean: math.NaN(), HalfWidth: math.NaN(), Level: v.Level})
				point.Policies = append(point.Policies, study.PointShare{Label: label, Efficiency: none,
					EfficiencyOfKind: none, ChargedEfficiency: none, Delivered: none, Money: none.Interval()})
				continue
			}
			point.Policies = append(point.Policies, study.PointShare{
				Label: label, Efficiency: study.NewEstimate(p.Efficiency(c)),
				EfficiencyOfKind:  study.NewEstimate(p.EfficiencyOfKind(c)),
				ChargedEfficiency: study.NewEstimate(p.ChargedEfficiency(c)),
				Delivered:         study.NewEstimate(p.Delivered(c)),
				Money:             p.MoneyBelow(c),
			})
		}
		if load, err := s.Load(i, n); err == nil {
			point.Load = metric.Number(load)
		}
		out.Points = append(out.Points, point)
	}
	next := 0
	for _, x := range v.Vary.Values {
		if x == v.value {
			add(measured, 0, x)
			continue
		}
		add(axis, next, x)
		next++
	}
}

func (v *Validation) warnings(r *study.Result, p *plan.BoundedPoint, skewed []warn.Warning) []warn.Warning {
	list := study.SubjectWarnings(r.Subject)
	list = append(list, r.Uncertain()...)
	list = append(list, skewed...)
	for _, b := range p.Bounds {
		if gap := b.WidestGap(); b.Name == plan.ClairvoyantBound && gap > 0.01 {
			list = append(list, warn.New(warn.BoundGap, b.Name).With(gap))
		}
	}
	if free, lenient := v.lenient(); lenient {
		list = append(list, warn.New(warn.Lenient, free))
	}
	if v.Subject.Workload.Stream() > 0 && v.Objective == "" {
		all := append(warn.Scenario(v.Subject.Scenario, true), analytic.Ignored(v.Subject.Scenario.Classes)...)
		for _, w := range all {
			list = append(list, w.About("model bounds"))
		}
	}
	for _, e := range r.Experiments {
		list = warn.Union(append(list, e.Overcommitted(r.Subject.Unit())...), e.Unread())
	}
	policies := text.Each(r.Experiments, func(e *experiment.Experiment) subject.Policy { return e.Policy })
	list = append(list, study.PolicyWarnings(v.Subject, policies)...)
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
func (v *Validation) remark(out *study.ValidationResult, p *plan.BoundedPoint) {
	for _, b := range p.Bounds {
		if b.MeanOnly {
			out.SteadyState = &study.SteadyState{Name: b.Name,
				RevenuePerSecond: metric.Number(p.Estimate(plan.PerSecond(b.Total, p.Seconds)).Mean)}
		}
	}
	if center := v.Subject.Workload.Size(); v.Subject.Workload.Stream() > 0 && v.Jobs == 0 &&
		center > 1.01*workload.DrainedJobs {
		out.Cut = center
	}
	if v.axis != nil {
		out.Drawn = v.axis.Plan.Replications
	}
	out.Serves = v.center.Serves
}

// setPoolBounds fills in the bounds of pools, and the shares of them that policies reach there.
func setPoolBounds(r *study.Result, groups []plan.BoundedGroup, order []int,
	bounds func(*plan.BoundedPoint) []study.BoundResult) {
	for _, g := range groups {
		for _, pool := range g.Pools {
			r.Pools[pool].Bounds = bounds(g.BoundedPoint)
			for k, i := range order {
				efficiency, kind := study.NewEstimate(g.Efficiency(i)), study.NewEstimate(g.EfficiencyOfKind(i))
				row := &r.Policies[k].Pools[pool]
				row.Efficiency, row.OfKind = &efficiency, &kind
			}
		}
	}
}

// setBest compares the policies by what they deliver.
func setBest(v *study.ValidationResult, r *study.Result, p *plan.BoundedPoint, order []int, now *policyNow) {
	list := text.EachAt(order, func(k, i int) study.Contender {
		c := study.Contender{Label: r.Policies[k].Label, RunsOn: r.Policies[k].Policy.RunsOn,
			Money: p.Rows[i].Delivered, Groups: r.Policies[k].Groups, Harm: r.Policies[k].Validated.Harm,
			Now: now != nil && !now.added && i == now.row}
		if p.Seconds != nil {
			c.Money = plan.Hourly(c.Money, p.Seconds)
		}
		return c
	})
	if now != nil && now.added && v.Objective == "" {
		list = slices.Insert(list, now.place(list, p.Seconds), now.contender)
	}
	v.Best = study.NewBest(list, p.Seconds != nil, p.Estimate)
	v.Best.Unit = cmp.Or(plan.ObjectiveUnit(v.Objective), v.Best.Unit)
	v.Best.SetPartial(r.Subject, text.Each(r.Policies, func(row study.Row) string { return row.Policy.Label }))
	contest := study.Contest{Best: v.Best, Contenders: list, Quantity: v.Objective, Unit: "$", Estimate: p.Estimate}
	if p.Seconds != nil {
		contest.Unit = "$/h"
	}
	contest.Unit = cmp.Or(plan.ObjectiveUnit(v.Objective), contest.Unit)
	for _, b := range v.Bounds {
		if b.Best {
			contest.Bound = &study.Mark{Label: b.Name, Amount: study.NewEstimate(b.Money)}
		}
	}
	r.Standing = contest.Standing()
}

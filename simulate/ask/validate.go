package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// NoPolicyError is a scenario to which no policy applies.
type NoPolicyError struct{ LeftOut []subject.LeftOut }

func (e *NoPolicyError) Error() string {
	message := "no policy applies:"
	for _, l := range subject.ByReason(e.LeftOut) {
		message += fmt.Sprintf(" Left out: %s (%s).", l.Policy, l.Reason)
	}
	return message
}

// Validate asks which share of the possible policies deliver: against bounds that are proven for the very jobs that
// they serve. A replication starts empty, has no warm-up whatever the scenario says, and goes on until the last of
// finitely many jobs has ended, so that all jobs count on both sides. Errors are those of [Simulate].
func Validate(ctx context.Context, l *run.Lab, r Request) (*Comparison, error) {
	r.Command = "validate"
	q, err := r.settings()
	if err != nil {
		return nil, err
	}
	if err := l.Subject().OneProvider("validate"); err != nil {
		return nil, err
	}
	admissions, err := ParseAdmissions(l.Subject(), q.Admission)
	if err != nil {
		return nil, err
	}
	policies, leftOut, err := q.compared(l, admissions)
	if err != nil {
		return nil, err
	}
	c := &Comparison{settings: q, Lab: l, Present: -1}
	if err := c.setAxis(); err != nil {
		return nil, err
	}
	if err := c.validated(ctx, policies, admissions); err != nil {
		return nil, err
	}
	doubts, err := c.predict(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	c.finish()
	c.Answer = c.answer(context.WithoutCancel(ctx), c.validation(leftOut)...)
	for _, f := range answer.WarnAll(append(c.doubtful(), doubts...)) {
		if !slices.ContainsFunc(c.Answer.Warnings, func(other answer.Fact) bool { return other.Code == f.Code }) {
			c.Answer.Warnings = append(c.Answer.Warnings, f)
		}
	}
	if c.broken != nil {
		return c, c.broken
	}
	return c, c.failed()
}

// compared returns the policies that take part, and those that are left out.
func (q settings) compared(l *run.Lab, admissions []run.Admission) ([]subject.Policy, []subject.LeftOut, error) {
	list, all, err := q.named(l.Specs())
	var leftOut []subject.LeftOut
	switch {
	case err != nil:
		return nil, nil, err
	case all:
		list, leftOut = l.Subject().WithAll(list)
	case len(list) == 0:
		list, leftOut = l.Subject().Compared()
	default:
		return list, nil, nil
	}
	if !slices.ContainsFunc(list, subject.Policy.RepeatsLog) {
		var reason string
		list, reason = run.AddRecorded(l.Subject(), list, admissions, q.resampling())
		if reason != "" {
			leftOut = append(leftOut, subject.LeftOut{Policy: subject.Recorded, Reason: reason})
		}
	}
	if len(list) == 0 {
		return nil, nil, &NoPolicyError{leftOut}
	}
	return list, leftOut, nil
}

// setAxis sets the field that is varied and its values. A fault names the flag.
func (c *Comparison) setAxis() error {
	if c.Vary == "" {
		return nil
	}
	s := c.Lab.Subject()
	vary, err := ParseVariation(c.Vary, s.Document)
	if err != nil {
		return err
	}
	for _, x := range vary.Values {
		at, err := vary.At(s.Document, x)
		if err != nil {
			return err
		}
		if _, err := at.Scenario(subject.Known(s.Specs)); err != nil {
			return err
		}
	}
	c.axis = vary.Axis
	return nil
}

// drained returns how many jobs of a stream are followed to their end; 0: the usual number. A horizon of few jobs stays
// one; of more it says how many.
func (c *Comparison) drained() int {
	w := c.Lab.Subject().Workload
	if w.Stream() > 0 && (c.Jobs != "" || c.Horizon != "" && w.Size() > workload.DrainedJobs) {
		return int(min(w.Size(), 1e18))
	}
	return 0
}

// validated sets the rows: policies behind their admissions, the present, and both along the axis, each with its bound.
func (c *Comparison) validated(ctx context.Context, policies []subject.Policy,
	admissions []run.Admission) error {
	detail := run.Detail{Customers: true, Waits: true}
	for _, p := range policies {
		rows, err := c.rows(c.Lab, []subject.Policy{p}, c.admissionsOf(p, admissions), detail)
		if err != nil {
			return err
		}
		c.Rows = append(c.Rows, rows...)
	}
	if err := c.addPresent(detail); err != nil {
		return err
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Label = r.Policy.Label()
		if r.admission() != scenario.AdmitAll {
			r.Label += ", " + r.admission()
		}
		r.Case.Jobs.Drained, r.Case.Jobs.Count = true, c.drained()
	}
	how := c.bound()
	c.bounds(c.Rows, how)
	var err error
	c.Subject, err = c.Lab.SubjectOf(ctx, c.Rows[0].Case)
	if err != nil {
		return err
	}
	return c.along(ctx, how)
}

// admissionsOf returns the admissions under a policy. Those that are computed, for a ranked policy, are analytic and
// simulated; the policies of a comparison that names none have analytic alone, under the usual policy.
func (c *Comparison) admissionsOf(p subject.Policy, asked []run.Admission) []run.Admission {
	s := c.Lab.Subject()
	alike := subject.Widths(s.Workload.Customers()) == 1 // so that backfilling changes nothing
	_, all := WithoutAll(c.Policies...)
	named := len(c.Policies) > 0 || len(s.Scenario.Policies) > 0
	list := []run.Admission{{Name: scenario.AdmitAll}}
	switch {
	case asked != nil:
		return asked
	case s.Workload.Stream() == 0 || !p.Spec.Ranked:
	case !named && p.Label() == s.Usual:
		list = append(list, run.Admission{Name: scenario.AdmitAnalytic})
	case named && !(alike && all && p.Settings["backfill"] == "true"):
		list = append(list, run.Admission{Name: scenario.AdmitAnalytic},
			run.Admission{Name: scenario.AdmitSimulated})
	}
	return list
}

// addPresent marks the policy in use, which runs in addition where no row has it. It is left out where it cannot run.
func (c *Comparison) addPresent(d run.Detail) error {
	s := c.Lab.Subject()
	policies, err := s.Policies()
	if err != nil || len(policies) == 0 {
		return nil // the rows do not need them
	}
	c.Present, err = present(s, c.Rows)
	if err != nil || c.Present >= 0 || policies[0].Spec.Check(s.Workload.Has()) != nil {
		return err
	}
	if c.Rows[0].Case.Admission.Name == scenario.AdmitPrices { // whose jobs are others
		return nil
	}
	rows, err := c.rows(c.Lab, policies[:1], nil, d)
	c.Present = len(c.Rows)
	c.Rows = append(c.Rows, rows...)
	return err
}

// bound returns the bound that holds for all rows, of the tightest view of the jobs.
func (c *Comparison) bound() run.Bound {
	b := run.BoundFor(c.objective, text.Each(c.Rows, func(r Row) subject.Policy { return r.Policy }))
	b.Gap = c.Gap
	return b
}

// bounds gives each row the bound on its jobs.
func (c *Comparison) bounds(rows []Row, how run.Bound) {
	for i := range rows {
		b := rows[i].Case
		b.Do, b.Detail = run.Action{Bound: &how}, run.Detail{}
		if b.Admission.Name != scenario.AdmitPrices { // no other admission changes the jobs
			b.Admission = run.Admission{}
		}
		rows[i].Bound = &b
		if !slices.ContainsFunc(c.beside, func(other run.Case) bool { return other.Row() == b.Row() }) {
			c.beside = append(c.beside, b)
		}
	}
}

// along adds the rows along the axis. The schedule of a log is at no other point.
func (c *Comparison) along(ctx context.Context, how run.Bound) error {
	s := c.Lab.Subject()
	for _, x := range slices.Compact(slices.Sorted(slices.Values(c.axis.Values))) {
		for _, r := range c.Rows {
			r.At = x
			if c.axis.Path != s.Axis || x != s.Value {
				r.Case = r.Case.With(false, scenario.Set(c.axis.Path, x).String())
				r.Case.Detail.Waits = false
			}
			var err error
			r.e, err = c.Lab.Experiment(ctx, r.Case)
			var need *policy.NeedError
			if errors.As(err, &need) && need.Policy == subject.Recorded {
				continue
			}
			if err != nil {
				return err
			}
			c.Points = append(c.Points, r)
		}
	}
	c.bounds(c.Points, how)
	return nil
}

// modeled returns the case of the best static admission by a model, at the point of a bound.
func modeled(bound run.Case, r model.Residual) run.Case {
	bound.Do = run.Action{Model: r.String()}
	return bound
}

// predict adds the cases of the long run of job classes, and says why there is no model.
func (c *Comparison) predict(ctx context.Context) ([]warn.Warning, error) {
	if c.objective.Smaller || c.Subject.Workload.Stream() == 0 {
		return nil, nil
	}
	models, err := c.Lab.Models(ctx, c.Rows[0].Case)
	if err != nil {
		return nil, err
	}
	bounds := slices.Clone(c.beside)
	if c.Brief {
		bounds = nil
	}
	a, err := models.Analysis(ctx)
	var none *analytic.NoModelError
	switch {
	case errors.As(err, &none):
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // a model that does not apply predicts nothing
		return []warn.Warning{warn.New("NO_MODEL", warn.Words("why", err.Error()))}, nil
	}
	c.residuals = []model.Residual{a.System.Residual}
	for _, r := range run.Residuals() {
		if r != a.System.Residual {
			c.residuals = append(c.residuals, r)
		}
	}
	for _, b := range bounds {
		for _, r := range c.residuals {
			c.beside = append(c.beside, modeled(b, r))
		}
	}
	return nil, nil
}

// finish puts the rows in order, the best first and the schedule of the log last, and chooses the columns.
func (c *Comparison) finish() {
	now := run.Case{}
	if c.Present >= 0 {
		now = c.Rows[c.Present].Case
	}
	merit := func(r Row) float64 {
		mean, ok := c.series(r).Mean()
		if !ok || r.Policy.RepeatsLog() {
			return math.Inf(-1)
		}
		return c.objective.Merit(mean)
	}
	slices.SortStableFunc(c.Rows, func(a, b Row) int { return cmp.Compare(merit(b), merit(a)) })
	c.Present = slices.IndexFunc(c.Rows, func(r Row) bool { return r.Case.Row() == now.Row() })
	place := func(r Row) int {
		return slices.IndexFunc(c.Rows, func(other Row) bool { return other.Label == r.Label })
	}
	c.Points = text.Where(c.Points, func(r Row) bool { return c.frame.Has(r.Case) && place(r) >= 0 })
	slices.SortStableFunc(c.Points, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(place(a), place(b)))
	})
	c.Columns = c.validatedColumns()
}

// settle makes totals the objective where all jobs come at one instant: bounds have no value per hour then.
func (c *Comparison) settle() {
	if c.Rows[0].Bound == nil || c.objective.Column != run.ColumnValue || c.Subject.Workload.Stream() > 0 {
		return
	}
	span := c.frame.Series(*c.Rows[0].Bound, run.All, run.ColumnSpan)
	if span.Positive() < span.Len() {
		c.objective = run.Total()
	}
}

// validation returns the tables beside that of the policies.
func (c *Comparison) validation(leftOut []subject.LeftOut) []answer.Table {
	var list []answer.Table
	if len(c.Points) > 0 {
		list = append(list, c.points())
	}
	list = append(append(list, c.boundTable()), c.groupTables(c.poolShares)...)
	list = append(list, append(c.admitted(), c.cleaning()...)...)
	if len(leftOut) == 0 {
		return list
	}
	return append(list, answer.TableOf("left_out", leftOut,
		answer.Texts("policy", "that does not take part", func(l subject.LeftOut) string { return l.Policy }),
		answer.Texts("reason", "what it needs", func(l subject.LeftOut) string { return l.Reason })))
}

// looseGap is a gap of a bound that is worth a warning.
const looseGap = 0.01

// doubtful says what a reader of shares should beware of.
func (c *Comparison) doubtful() (list []warn.Warning) {
	s := c.Lab.Subject()
	if c.objective.Smaller {
		return nil
	}
	gap, known := c.widest()
	warn.AddIf(&list, known && gap > looseGap,
		warn.New("BOUND_GAP", warn.Words("bound", c.objective.Bound), warn.Share("gap", gap)))
	if free, lenient := leniency(s); lenient {
		if free != "" {
			free = " (" + free + " has no decay)"
		}
		list = append(list, warn.Sentence("NO_LOSS", "late results lose nothing where deadlines are soft"+free+
			": however long a policy puts such jobs off, they deliver their whole value"))
	}
	if s.Workload.Stream() > 0 {
		list = append(list, append(warn.Scenario(s.Scenario, true), analytic.Ignored(s.Scenario.Classes)...)...)
	}
	return list
}

// leniency reports whether some jobs have soft deadlines that cost nothing when they are missed, and of which customer,
// "" where qos.penalty is 0.
func leniency(s *subject.Subject) (customer string, yes bool) {
	if t := s.Scenario.Trace; t != nil && t.QoS != nil {
		q := t.QoS
		return "", q.Penalty.LowMean == 0 && !(q.Hard[0] >= 1 && q.Hard[1] >= 1)
	}
	for _, c := range s.Workload.Customers() {
		if c.Dated && c.Hard < 1 && c.Decay == 0 && c.DecayOfPrice == 0 && c.Price != (model.Tariff{}) {
			return c.Name, true
		}
	}
	return "", false
}

package request

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
	"revopt/simulate/study"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Solution is the best admission, with the model that it is of.
type Solution struct {
	*solve.Answer
	Analysis *analytic.Analysis
	Options  solve.Options
}

// Solve answers the command solve.
func (q *Question) Solve(ctx context.Context) (*Solution, error) {
	o, err := q.solveOptions(q.Version)
	if err != nil {
		return nil, err
	}
	analysis, err := q.analyze(ctx, q.Subject)
	if err != nil {
		return nil, err
	}
	answer, err := solve.Solve(ctx, analysis, o)
	if err != nil {
		return nil, err
	}
	if !q.NoCheck {
		answer.Checked, err = q.check(ctx, analysis, answer)
		if err != nil {
			return nil, err
		}
	}
	return &Solution{answer, analysis, o}, nil
}

// analyze returns the model of a subject, with the convention for delays that the request asks for.
func (q *Question) analyze(ctx context.Context, s *subject.Subject) (*analytic.Analysis, error) {
	a, err := analytic.Analyze(ctx, s, q.Seed, 0)
	if err != nil || q.Residual == "" {
		return a, err
	}
	all := []model.Residual{model.Pooled, model.Multiserver}
	i := slices.IndexFunc(all, func(r model.Residual) bool { return r.String() == q.Residual })
	if i < 0 {
		return nil, study.Usagef("--residual: expected pooled or multiserver, got %q", q.Residual)
	}
	a.Use(all[i])
	return a, nil
}

// check simulates an answer about the subject that was opened last.
func (q *Question) check(ctx context.Context, a *analytic.Analysis, answer *solve.Answer) (*solve.Checked, error) {
	return solve.Checker{Subject: q.Subject, Seed: q.Seed, Workers: q.Workers}.Check(ctx, a, answer)
}

// checkSolve finds faults of a request for the best admission or for waits.
func (r Request) checkSolve() error {
	switch {
	case r.Waits && r.Vary != "":
		return study.Usagef("--waits: expected no --vary with it")
	case r.Waits:
		_, err := r.waitOptions("", 0)
		return err
	}
	_, err := r.solveOptions("")
	return err
}

func (r Request) solveOptions(version string) (solve.Options, error) {
	o := solve.Options{
		Method: optimize.Method(cmp.Or(r.Method, string(optimize.MethodCertified))), Gap: r.Gap, Version: version,
		Exact: r.Utility == "exact", Prices: r.Prices,
	}
	if o.Exact && r.Method != "" {
		return o, study.Usagef("--method: expected --utility linear with it, the exact utility has a method of its own")
	}
	switch r.Control {
	case "", "static":
	case analytic.ControlThreshold, analytic.ControlState:
		o.Control = r.Control
	default:
		return o, study.Usagef("--control: expected static, threshold or state, got %q", r.Control)
	}
	return o, o.Check()
}

// Curve answers the command solve along what Vary names.
func (q *Question) Curve(ctx context.Context) (*solve.Curve, error) {
	vary, err := q.Variation()
	if err != nil {
		return nil, err
	}
	o := solve.Options{Gap: q.Gap, Prices: q.Prices, Version: q.Version}
	at := func(x float64) (*analytic.Analysis, error) { return q.analyzeVaried(ctx, vary, x) }
	curve, err := solve.NewCurve(ctx, vary.Path, vary.Values, at, o)
	if curve == nil {
		return nil, err
	}
	if err == nil && q.Checks {
		err = curve.Check(ctx, func(x float64) (*analytic.Analysis, *subject.Subject, error) {
			a, err := at(x)
			return a, q.Subject, err
		}, q.Seed, q.Workers)
	}
	return curve, err
}

// analyzeVaried returns the model of the scenario at one value. Errors name the value.
func (q *Question) analyzeVaried(ctx context.Context, vary *study.Variation, x float64) (*analytic.Analysis, error) {
	doc, err := vary.At(q.Document, x)
	if err != nil {
		return nil, err
	}
	s, err := q.OpenAt(ctx, doc)
	var bad *scenario.Error
	if errors.As(err, &bad) && bad.File == doc.File() {
		bad.File = "--vary " + vary.Text + ": at " + text.Plain(x) + ": " + bad.File
	}
	if err != nil {
		return nil, err
	}
	q.Subject = s
	return q.analyze(ctx, s)
}

// Wait answers the command solve about waits, with the curves of figures if these are wanted.
func (q *Question) Wait(ctx context.Context, curves bool) (*solve.WaitAnswer, error) {
	o, err := q.waitOptions(q.Version, q.Workers)
	if err != nil {
		return nil, err
	}
	sim := q.Subject.Scenario.Simulation
	o.Curves = curves
	o.Replications = sim.Replications
	o.Length = workload.Length{Jobs: int64(sim.Jobs), Horizon: sim.Horizon,
		WarmupFraction: sim.Warmup.Fraction, WarmupSeconds: sim.Warmup.Seconds}
	analysis, err := analytic.Analyze(ctx, q.Subject, o.Seed, 0)
	if err != nil {
		return nil, err
	}
	if err := q.admitWaits(ctx, analysis, &o); err != nil {
		return nil, err
	}
	answer, err := solve.Waits(ctx, analysis, o)
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (r Request) waitOptions(version string, workers int) (solve.WaitOptions, error) {
	o := solve.WaitOptions{
		Class: r.Class, Queue: r.Residual, Simulate: r.Simulated, Seed: r.Seed, Workers: workers, Version: version,
	}
	if !slices.Contains([]string{"", solve.QueuePooled, solve.QueueMultiserver}, r.Residual) {
		return o, study.Usagef("--residual: expected pooled or multiserver, got %q", r.Residual)
	}
	for _, part := range r.At {
		t, err := scenario.ParseTime(strings.TrimSpace(part))
		if err != nil {
			return o, study.Usagef("--at: %v", err)
		}
		o.At = append(o.At, t)
	}
	for part := range strings.SplitSeq(r.Quantiles, ",") {
		share, ok := study.ParseProbability(part)
		if !ok {
			return o, study.Usagef("--quantiles: expected shares from 0 to 1 such as 0.5,0.9, got %q", part)
		}
		o.Quantiles = append(o.Quantiles, share)
	}
	return o, nil
}

// admitWaits reads the class and the admission, which name classes of the analysis.
func (q *Question) admitWaits(ctx context.Context, a *analytic.Analysis, o *solve.WaitOptions) error {
	names := text.Each(a.System.Classes, func(c model.Class) string { return c.Name })
	if o.Class != "" && !slices.Contains(names, o.Class) {
		return study.Usagef("--class: unknown class %q%s", o.Class, study.ExpectedOne(o.Class, slices.Compact(names)))
	}
	given := scenario.AdmitAll
	if len(q.Admission) > 0 {
		given = q.Admission[0]
	}
	chosen, err := study.ParseAdmission(given, names)
	if err != nil {
		return err
	}
	named := slices.Contains(study.AdmissionNames(), chosen[0].Name)
	if len(chosen) != 1 || named && chosen[0].Name != scenario.AdmitAll && chosen[0].Name != scenario.AdmitAnalytic {
		return study.Usagef("--admission: expected all, analytic or probabilities, got %q", given)
	}
	for _, part := range a.Parts() {
		n := part.System.Parallel
		if o.Simulate && o.Queue == solve.QueueMultiserver && math.Abs(n-math.Round(n)) > 1e-9 {
			where := ""
			if part.Pool != "" {
				where = " in pool " + text.OneLine(part.Pool)
			}
			return study.Usagef("--simulate: expected a whole number of servers%s, got %s",
				where, strconv.FormatFloat(n, 'g', -1, 64))
		}
	}
	o.Admission = chosen[0]
	if o.Admission.Name == scenario.AdmitAnalytic {
		best, err := a.Best(ctx, a.System.Residual)
		if err != nil {
			return err
		}
		o.Admission.Admit = best.Admit()
	}
	return nil
}

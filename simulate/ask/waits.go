package ask

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Waits asks how long jobs wait in the queue of the model. With curves the answer has the table of a figure.
func Waits(ctx context.Context, q *Question, curves bool) (answer.Answer, error) {
	o, err := q.waitOptions()
	if err != nil {
		return answer.Answer{}, err
	}
	sim := q.Subject.Scenario.Simulation
	o.Workers, o.Curves, o.Replications = q.Workers, curves, sim.Replications
	o.Length = workload.Length{Jobs: int64(sim.Jobs), Horizon: sim.Horizon,
		WarmupFraction: sim.Warmup.Fraction, WarmupSeconds: sim.Warmup.Seconds}
	model, err := analytic.Analyze(ctx, q.Subject, o.Seed, 0)
	if err != nil {
		return answer.Answer{}, err
	}
	if err := q.admitWaits(ctx, model, &o); err != nil {
		return answer.Answer{}, err
	}
	w, err := waitsIn(ctx, model, o)
	if err != nil {
		return answer.Answer{}, err
	}
	a := unanswered(q)
	a.Replications = w.replications
	a.Headline = w.headline()
	a.Values = []answer.Named{count(q.Subject.Nodes()).As("units"),
		word("unit", text.Unit(q.Subject.Unit())), ratio(w.Load).As("load"), word("residual", w.Queue),
		word("admission", w.Admission)}
	a.Values = append(a.Values, ofTrace(q.Subject)...)
	a.Tables = []answer.Table{w.classes(), w.waits()}
	if curves {
		a.Tables = append(a.Tables, w.curves())
	}
	a.Warnings = answer.WarnAll(w.Warnings)
	if w.replications > 0 && w.arrivals != "" {
		a.Warnings = append(a.Warnings, answer.New("IGNORED", word("field", "arrivals"), word("classes", w.arrivals)))
	}
	return a, nil
}

// waitOptions reads which waits are wanted.
func (r Request) waitOptions() (waitOptions, error) {
	o := waitOptions{
		Class: r.Class, Queue: r.Residual, Simulate: r.Simulated, Seed: r.Seed,
	}
	if !slices.Contains([]string{"", model.Pooled.String(), model.Multiserver.String()}, r.Residual) {
		return o, Usagef("--residual: expected pooled or multiserver, got %q", r.Residual)
	}
	for _, part := range r.At {
		t, err := scenario.ParseTime(strings.TrimSpace(part))
		if err != nil {
			return o, Usagef("--at: %v", err)
		}
		o.At = append(o.At, t)
	}
	for part := range strings.SplitSeq(r.Quantiles, ",") {
		share, ok := ParseProbability(part)
		if !ok {
			return o, Usagef("--quantiles: expected shares from 0 to 1 such as 0.5,0.9, got %q", part)
		}
		o.Quantiles = append(o.Quantiles, share)
	}
	return o, nil
}

// admitWaits reads the class and the admission, which name classes of the analysis.
func (q *Question) admitWaits(ctx context.Context, a *analytic.Analysis, o *waitOptions) error {
	names := text.Each(a.System.Classes, func(c model.Class) string { return c.Name })
	if o.Class != "" && !slices.Contains(names, o.Class) {
		return Usagef("--class: unknown class %q%s", o.Class, ExpectedOne(o.Class, slices.Compact(names)))
	}
	given := scenario.AdmitAll
	if len(q.Admission) > 0 {
		given = q.Admission[0]
	}
	chosen, err := ParseAdmission(given, names)
	if err != nil {
		return err
	}
	named := slices.Contains(AdmissionNames(), chosen[0].Name)
	if len(chosen) != 1 || named && chosen[0].Name != scenario.AdmitAll && chosen[0].Name != scenario.AdmitAnalytic {
		return Usagef("--admission: expected all, analytic or probabilities, got %q", given)
	}
	for _, part := range a.Parts() {
		n := part.System.Parallel
		if o.Simulate && o.Queue == model.Multiserver.String() && math.Abs(n-math.Round(n)) > 1e-9 {
			where := ""
			if part.Pool != "" {
				where = " in pool " + text.OneLine(part.Pool)
			}
			return Usagef("--simulate: expected a whole number of servers%s, got %s",
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

// headline says which class waits least and which most.
func (w *queueWaits) headline() answer.Fact {
	mean := func(c classWait) float64 { return c.Mean }
	served := text.Where(w.Classes, func(c classWait) bool {
		return !math.IsNaN(mean(c)) && !math.IsInf(mean(c), 0)
	})
	if len(served) == 0 {
		return answer.New("WAITS", word("endless", "without end"))
	}
	by := func(x, y classWait) int { return cmp.Compare(mean(x), mean(y)) }
	least, most := slices.MinFunc(served, by), slices.MaxFunc(served, by)
	values := []answer.Named{word("first", classLabel(least.Name, least.Pool)), seconds(least.Mean).As("least")}
	i := usualQuantile(least.Quantiles)
	if i >= 0 {
		values = append(values, share(least.Quantiles[i].Q).As("share"),
			seconds(least.Quantiles[i].T).As("soon"))
	}
	if len(served) > 1 {
		values = append(values, word("last", classLabel(most.Name, most.Pool)), seconds(most.Mean).As("most"))
	}
	if len(served) > 1 && i >= 0 {
		values = append(values, seconds(most.Quantiles[i].T).As("late"))
	}
	return answer.New("WAITS", values...)
}

// usualQuantile returns the place of the quantile that is closest to 90 %, -1 if there is none.
func usualQuantile(list []waitQuantile) int {
	best := -1
	for i, q := range list {
		if best < 0 || math.Abs(q.Q-0.9) < math.Abs(list[best].Q-0.9) {
			best = i
		}
	}
	return best
}

// waitRow is a time or a share of the jobs of a class.
type waitRow struct {
	classWait
	t *waitTail // nil: of the share
	q waitQuantile
}

// fields are the columns of a class, and others.
func (w *queueWaits) fields(more ...answer.Field[waitRow]) []answer.Field[waitRow] {
	return classFields(w.pooled, func(r waitRow) string { return r.Name }, func(r waitRow) string { return r.Pool }, more...)
}

// meanField is the column of the mean wait.
func meanField() answer.Field[waitRow] {
	return answer.Numbered("mean", answer.Time, "wait; none where the class is never served",
		func(r waitRow) float64 { return r.Mean })
}

// estimated returns a simulated number; one that is not simulated does not exist.
func estimated(unit answer.Unit, e *metric.Interval) answer.Value {
	if e == nil {
		return answer.Value{}
	}
	return answer.Estimated(unit, *e)
}

// classes is the table of the classes, with a column for each time and each quantile.
func (w *queueWaits) classes() answer.Table {
	first := w.Classes[0]
	fields := w.fields(meanField(),
		answer.Valued("simulated", answer.Time, "mean wait, by simulation",
			func(r waitRow) answer.Value { return estimated(answer.Time, r.Simulated) }),
		answer.Numbered("at_once", answer.Share, "share that does not wait",
			func(r waitRow) float64 { return r.AtOnce }).Titled("at once").Hidden())
	for i, tail := range first.Tail {
		fields = append(fields, answer.Numbered("over_"+text.Field(tail.T), answer.Share, "share that waits longer",
			func(r waitRow) float64 { return r.Tail[i].P }).Titled("> "+text.Duration(tail.T)))
	}
	for i, q := range first.Quantiles {
		fields = append(fields, answer.Numbered("wait_"+text.Field(100*q.Q), answer.Time,
			"time within which that share starts",
			func(r waitRow) float64 { return r.Quantiles[i].T }).Titled(text.PlainPercent(q.Q)))
	}
	list := text.Each(w.Classes, func(c classWait) waitRow { return waitRow{classWait: c} })
	return answer.TableOf("classes", list, fields...)
}

// tailFields are those of a time t.
func tailFields() []answer.Field[waitRow] {
	tail := func(name string, unit answer.Unit, means string, of func(t *waitTail) answer.Value) answer.Field[waitRow] {
		return answer.Valued(name, unit, means, func(r waitRow) answer.Value {
			if r.t == nil {
				return answer.Value{}
			}
			return of(r.t)
		})
	}
	return []answer.Field[waitRow]{
		answer.Valued("t", answer.Time, "wait", func(r waitRow) answer.Value {
			if r.t == nil {
				return seconds(r.q.T)
			}
			return seconds(r.t.T)
		}),
		tail("p", answer.Share, "share of jobs that wait longer", func(t *waitTail) answer.Value { return share(t.P) }),
		tail("excess", answer.Time, "mean of what a wait exceeds t by, 0 if it does not",
			func(t *waitTail) answer.Value { return seconds(t.Excess) }),
		tail("simulated_p", answer.Share, "share of jobs that wait longer, by simulation",
			func(t *waitTail) answer.Value { return estimated(answer.Share, t.Simulated) }).Titled("simulated p"),
	}
}

// rows are the times of a list of tails.
func (c classWait) rows(tails []waitTail) []waitRow {
	return text.EachAt(tails, func(i int, _ waitTail) waitRow { return waitRow{classWait: c, t: &tails[i]} })
}

// queueWaits is the table of the times, and of the quantiles: the share q starts within t.
func (w *queueWaits) waits() answer.Table {
	list := text.Join(w.Classes, func(c classWait) []waitRow {
		quantiles := text.Each(c.Quantiles, func(q waitQuantile) waitRow { return waitRow{classWait: c, q: q} })
		return append(c.rows(c.Tail), quantiles...)
	})
	q := answer.Valued("q", answer.Share, "share that starts within t", func(r waitRow) answer.Value {
		if r.t != nil {
			return answer.Value{}
		}
		return share(r.q.Q)
	})
	fields := append(append([]answer.Field[waitRow]{meanField()}, tailFields()...), q)
	return answer.TableOf("waits", list, w.fields(fields...)...)
}

// curves is the table of the figure.
func (w *queueWaits) curves() answer.Table {
	t := answer.TableOf("curves", text.Join(w.Classes, func(c classWait) []waitRow { return c.rows(c.Curve) }),
		w.fields(tailFields()...)...)
	for i, c := range t.Columns {
		t.Columns[i].Axis = c.Name == "t"
		t.Columns[i].Drawn = c.Name == "p" || c.Name == "simulated_p"
	}
	return t
}

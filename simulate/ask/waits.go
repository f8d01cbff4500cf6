package ask

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/request"
	"revopt/simulate/study/solve"
)

// Waits asks how long jobs wait in the queue of the model. With curves the answer has the table of a figure.
func Waits(ctx context.Context, q *request.Question, curves bool) (answer.Answer, error) {
	found, err := q.Wait(ctx, curves)
	if err != nil {
		return answer.Answer{}, err
	}
	w := waits{found}
	a := asked(q, "solve")
	a.Replications = found.Replications
	a.Headline = w.headline()
	a.Values = []answer.Named{
		exact("units", answer.Count, metric.Number(q.Subject.Nodes())), word("unit", text.Unit(q.Subject.Unit())),
		exact("load", answer.Ratio, found.Load), word("residual", found.Queue), word("admission", found.Admission.Name),
	}
	a.Values = append(a.Values, ofTrace(q.Subject)...)
	a.Tables = []answer.Table{w.classes(), w.waits()}
	if curves {
		a.Tables = append(a.Tables, w.curves())
	}
	a.Warnings = answer.WarnAll(found.Warnings)
	if found.Replications > 0 && found.Arrivals != "" {
		a.Warnings = append(a.Warnings, answer.New("OTHER_ARRIVALS", word("arrivals", found.Arrivals)))
	}
	return a, nil
}

// waits are those of the classes.
type waits struct{ *solve.WaitAnswer }

func (w waits) pooled() bool { return w.Pools != nil }

// headline says which class waits least and which most.
func (w waits) headline() answer.Fact {
	mean := func(c solve.ClassWait) float64 { return float64(c.Mean) }
	served := text.Where(w.Classes, func(c solve.ClassWait) bool {
		return !math.IsNaN(mean(c)) && !math.IsInf(mean(c), 0)
	})
	if len(served) == 0 {
		return answer.New("WAITS_WITHOUT_END")
	}
	by := func(x, y solve.ClassWait) int { return cmp.Compare(mean(x), mean(y)) }
	least, most := slices.MinFunc(served, by), slices.MaxFunc(served, by)
	values := []answer.Named{word("first", classLabel(least.Name, least.Pool)), exact("least", answer.Time, least.Mean)}
	i := usualQuantile(least.Quantiles)
	if i >= 0 {
		values = append(values, exact("share", answer.Share, least.Quantiles[i].Q),
			exact("soon", answer.Time, least.Quantiles[i].T))
	}
	if len(served) > 1 {
		values = append(values, word("last", classLabel(most.Name, most.Pool)), exact("most", answer.Time, most.Mean))
	}
	if len(served) > 1 && i >= 0 {
		values = append(values, exact("late", answer.Time, most.Quantiles[i].T))
	}
	return answer.New("WAITS", values...)
}

// usualQuantile returns the place of the quantile that is closest to 90 %, -1 if there is none.
func usualQuantile(list []solve.WaitQuantile) int {
	best := -1
	for i, q := range list {
		if best < 0 || math.Abs(float64(q.Q)-0.9) < math.Abs(float64(list[best].Q)-0.9) {
			best = i
		}
	}
	return best
}

// meanColumn is that of the mean wait.
func meanColumn() answer.Column {
	return answer.Column{Name: "mean", Unit: answer.Time, Means: "wait; none where the class is never served"}
}

// estimated returns a simulated number; one that is not simulated does not exist.
func estimated(unit answer.Unit, e *study.Estimate) answer.Value {
	if e == nil {
		return answer.Value{}
	}
	return answer.Estimated(unit, e.Interval())
}

// classes is the table of the classes, with a column for each time and each quantile.
func (w waits) classes() answer.Table {
	first := w.Classes[0]
	t := answer.Table{Name: "classes", Columns: classColumns(w.pooled(), meanColumn(),
		answer.Column{Name: "simulated", Unit: answer.Time, Means: "mean wait, by simulation"},
		answer.Column{Name: "at_once", Title: "at once", Unit: answer.Share, Means: "share that does not wait", Quiet: true})}
	for _, tail := range first.Tail {
		t.Columns = append(t.Columns, answer.Column{Name: fmt.Sprintf("over_%s", text.Field(float64(tail.T))),
			Title: "> " + text.Duration(float64(tail.T)), Unit: answer.Share, Means: "share that waits longer"})
	}
	for _, q := range first.Quantiles {
		t.Columns = append(t.Columns, answer.Column{Name: "wait_" + text.Field(100*float64(q.Q)),
			Title: text.PlainPercent(float64(q.Q)), Unit: answer.Time, Means: "time within which that share starts"})
	}
	for _, c := range w.Classes {
		simulated := answer.Value{}
		if c.Simulated != nil {
			simulated = estimated(answer.Time, &c.Simulated.Mean)
		}
		row := classKeys(w.pooled(), c.Name, c.Pool, answer.Exactly(answer.Time, float64(c.Mean)), simulated,
			answer.Exactly(answer.Share, float64(c.AtOnce)))
		for _, tail := range c.Tail {
			row = append(row, answer.Exactly(answer.Share, float64(tail.P)))
		}
		for _, q := range c.Quantiles {
			row = append(row, answer.Exactly(answer.Time, float64(q.T)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// tailColumns are those of a time t.
func tailColumns() []answer.Column {
	return []answer.Column{
		{Name: "t", Unit: answer.Time, Means: "wait"},
		{Name: "p", Unit: answer.Share, Means: "share of jobs that wait longer"},
		{Name: "excess", Unit: answer.Time, Means: "mean of what a wait exceeds t by, 0 if it does not"},
		{Name: "simulated_p", Title: "simulated p", Unit: answer.Share, Means: "share of jobs that wait longer, by simulation"},
	}
}

// tailValues are the values of tailColumns.
func tailValues(t solve.WaitTail) []answer.Value {
	return []answer.Value{answer.Exactly(answer.Time, float64(t.T)), answer.Exactly(answer.Share, float64(t.P)),
		answer.Exactly(answer.Time, float64(t.Excess)), estimated(answer.Share, t.Simulated)}
}

// waits is the table of the times, and of the quantiles: the share q starts within t.
func (w waits) waits() answer.Table {
	t := answer.Table{Name: "waits", Columns: classColumns(w.pooled(), append([]answer.Column{meanColumn()},
		append(tailColumns(), answer.Column{Name: "q", Unit: answer.Share, Means: "share that starts within t"})...)...)}
	for _, c := range w.Classes {
		mean := answer.Exactly(answer.Time, float64(c.Mean))
		for _, tail := range c.Tail {
			row := classKeys(w.pooled(), c.Name, c.Pool, mean)
			t.Rows = append(t.Rows, append(append(row, tailValues(tail)...), answer.Value{}))
		}
		for _, q := range c.Quantiles {
			t.Rows = append(t.Rows, classKeys(w.pooled(), c.Name, c.Pool, mean, answer.Exactly(answer.Time, float64(q.T)),
				answer.Value{}, answer.Value{}, answer.Value{}, answer.Exactly(answer.Share, float64(q.Q))))
		}
	}
	return t
}

// curves is the table of the figure.
func (w waits) curves() answer.Table {
	t := answer.Table{Name: "curves", Columns: classColumns(w.pooled(), tailColumns()...)}
	for i, c := range t.Columns {
		t.Columns[i].Axis = c.Name == "t"
		t.Columns[i].Drawn = c.Name == "p" || c.Name == "simulated_p"
	}
	for _, c := range w.Classes {
		for _, tail := range c.Curve {
			t.Rows = append(t.Rows, classKeys(w.pooled(), c.Name, c.Pool, tailValues(tail)...))
		}
	}
	return t
}

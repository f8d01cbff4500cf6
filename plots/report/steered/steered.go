package steered

import (
	"fmt"
	"io"
	"math"
	"time"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/served"
	"revopt/simulate/study/steered"
)

// Report is what a steered cluster has delivered.
type Report struct{ *steered.Result }

// Answer is the first line: what was delivered, and how much of what the jobs pay at once that is.
func (r Report) Answer() string {
	return fmt.Sprintf("Steered by %s, the cluster delivered %s $/h: %s of what its %s pay if each starts at once.",
		r.Policy, text.Short(float64(r.PerHour)), percent(r.Share), text.Plural(r.Jobs, "job"))
}

// percent formats a share.
func percent(x metric.Number) string {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return "-"
	}
	return text.Percent(float64(x))
}

// passes says how many passes there are.
func passes(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return text.Fixed(float64(n), 0) + " passes"
}

// Words are the sentences below the answer.
func (r Report) Words() []string {
	list := []string{"The journal does not say what the jobs would have paid without steering: no gain is claimed."}
	first, last := time.Unix(int64(r.From), 0).UTC(), time.Unix(int64(r.To), 0).UTC()
	list = append(list, fmt.Sprintf("%s from %s to %s UTC; left out: %d waiting, %d running, %d that vanished "+
		"between passes.", text.Plural(r.Jobs, "job"), first.Format("2006-01-02 15:04"), last.Format("2006-01-02 15:04"),
		r.Left.Waiting, r.Left.Running, r.Left.Vanished))
	p := r.Passes
	words := fmt.Sprintf("%s in %s, %s", passes(p.Passes), text.Plural(p.Runs, "run"),
		text.Plural(p.Changes, "change"))
	if p.Pairs > 0 {
		words += fmt.Sprintf("; Slurm had %s of the pairs in the order that was wanted",
			text.Percent(float64(p.Agree)/float64(p.Pairs)))
	}
	list = append(list, words+fmt.Sprintf("; %s overtook between passes; the longest pass took %.2g s.",
		text.Plural(p.Newer, "newcomer"), p.Seconds))
	if !r.Logged {
		list = append(list, "Ends of jobs are known to a pass; --sacct FILE has them to the second.")
	}
	return list
}

// amount is a value with its name.
type amount struct {
	Name  string
	Value metric.Number // $/h
	Real  bool
}

// amounts are the values of the report, those that are known.
func (r Report) amounts() []amount {
	list := []amount{{"delivered", r.PerHour, true}}
	if !math.IsNaN(float64(r.Bound)) {
		list = append(list, amount{"no schedule exceeds", r.Bound, false})
	}
	return append(list, amount{"if each starts at once", r.AtOnce, false})
}

// Values is the table of values.
func (r Report) Values() *text.Table {
	t := text.NewTable("", "value $/h", "of at once")
	t.Left = 1
	for _, a := range r.amounts() {
		t.Row(a.Name, text.Short(float64(a.Value)), percent(a.Value/r.AtOnce))
	}
	return t
}

// Waits is the table of customers and widths.
func (r Report) Waits() *text.Table {
	t := text.NewTable("", "jobs", "value $/h", "of at once", "mean wait", "longest")
	for _, w := range r.Result.Waits {
		name := w.Name
		if w.Kind == served.Width {
			name = fmt.Sprintf("%d to %d %ss", w.From, w.To, text.Unit(r.Unit))
			if w.From == w.To {
				name = text.Plural(w.From, text.Unit(r.Unit))
			}
		}
		t.Row(name, fmt.Sprint(w.Jobs), text.Short(float64(w.PerHour)), percent(w.Share), text.Duration(float64(w.Mean)),
			text.Duration(float64(w.Longest)))
	}
	return t
}

// Table writes the report for a terminal.
func (r Report) Table(w io.Writer) {
	text.Print(w, r.Answer(), 0)
	fmt.Fprintln(w)
	r.Values().Print(w)
	fmt.Fprintln(w)
	r.Waits().Print(w)
	fmt.Fprintln(w)
	for _, words := range r.Words() {
		text.Print(w, words, 0)
	}
}

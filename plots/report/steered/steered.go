package steered

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/served"
	earned "revopt/simulate/study/steered"
)

// Report is what steering has earned.
type Report struct{ *earned.Result }

// Answer is the first line: what steering earned, with its interval.
func (r Report) Answer() string {
	e := r.Earned
	verb := "earned"
	if e.PerHour < 0 {
		verb = "lost"
	}
	words := fmt.Sprintf("Steering by %s %s %s $/h against %s on the same jobs, simulated: %s", r.Policy, verb,
		text.Short(math.Abs(float64(e.PerHour))), e.Over, percent(e.Share))
	beside := ""
	if r.Over != nil {
		beside = "; against static settings " + percent(r.Over.Share)
	}
	if !e.Enough {
		return words + beside + fmt.Sprintf("; %s too few for an interval.", few(e.Periods, e.Period))
	}
	half := float64(e.HalfWidth) / math.Abs(float64(e.PerHour)) * math.Abs(float64(e.Share))
	words += fmt.Sprintf(" ± %s", text.Percent(half))
	if r.Over != nil {
		half = float64(r.Over.HalfWidth) / math.Abs(float64(r.Over.PerHour)) * math.Abs(float64(r.Over.Share))
		beside += fmt.Sprintf(" ± %s", text.Percent(half))
	}
	return words + beside + fmt.Sprintf(" (%s, %g %%).", text.Plural(e.Periods, e.Period), 100*e.Level)
}

// few says how many periods there are.
func few(n int, period string) string {
	if n == 1 {
		return "one " + period + " is"
	}
	return fmt.Sprintf("%d %ss are", n, period)
}

// passes says how many passes there are.
func passes(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return text.Fixed(float64(n), 0) + " passes"
}

// percent formats a share with its sign.
func percent(x metric.Number) string {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return "-"
	}
	return text.Signed(float64(x), text.Percent(float64(x)))
}

// Words are the sentences below the answer.
func (r Report) Words() []string {
	var list []string
	if r.Over != nil {
		list = append(list, "Static settings: "+strings.ReplaceAll(r.Over.Over, ":", ": ")+".")
	}
	list = append(list, fmt.Sprintf("The simulated %s delivers %s against the real one on the same jobs: so far is the "+
		"simulator from this cluster.", r.Policy, percent(r.Model.Share)))
	first, last := time.Unix(int64(r.From), 0).UTC(), time.Unix(int64(r.To), 0).UTC()
	list = append(list, fmt.Sprintf("%s from %s to %s UTC; left out: %d waiting, %d running, %d that vanished "+
		"between passes.", text.Plural(r.Jobs, "job"), first.Format("2006-01-02 15:04"), last.Format("2006-01-02 15:04"),
		r.Left.Waiting, r.Left.Running, r.Left.Vanished))
	p := r.Passes
	words := fmt.Sprintf("%s in %s, %s", passes(p.Passes), text.Plural(p.Runs, "run"),
		text.Plural(p.Changes, "change"))
	if p.Pairs > 0 {
		words += fmt.Sprintf("; Slurm had %s of the pairs in the order of the policy",
			text.Percent(float64(p.Agree)/float64(p.Pairs)))
	}
	list = append(list, words+fmt.Sprintf("; %s overtook between passes; the longest pass took %.2g s.",
		text.Plural(p.Newer, "newcomer"), p.Seconds))
	if !r.Logged {
		list = append(list, "Ends of jobs are known to a pass; --sacct FILE has them to the second.")
	}
	return list
}

// titles are the words for rows.
var titles = map[string]string{
	earned.Happened: "what happened", earned.Today: "today's rule", earned.Static: "static settings",
	earned.Steered: "the policy", earned.Bound: "no schedule exceeds",
}

// Values is the table of values.
func (r Report) Values() *text.Table {
	t := text.NewTable("", "value $/h", "against today", "")
	t.Left = 1
	today := math.NaN()
	for _, row := range r.Rows {
		if row.Name == earned.Today {
			today = float64(row.PerHour)
		}
	}
	for _, row := range r.Rows {
		name, _, _ := strings.Cut(row.Label, ":")
		how := "simulated: " + name
		switch row.Name {
		case earned.Happened:
			how = "real"
		case earned.Bound:
			how = "proven"
		}
		against := percent(metric.Number(float64(row.PerHour)/today - 1))
		t.Row(titles[row.Name], text.Short(float64(row.PerHour)), against, how)
	}
	return t
}

// Waits is the table of waits by customer and width, means and longest.
func (r Report) Waits() *text.Table {
	heads := []string{"", "jobs"}
	var rows []earned.Row
	for _, row := range r.Rows {
		if row.Waits != nil {
			rows = append(rows, row)
			heads = append(heads, map[string]string{earned.Happened: "mean wait", earned.Today: "today",
				earned.Static: "static", earned.Steered: "simulated"}[row.Name])
		}
	}
	heads = append(heads, "longest", "today")
	t := text.NewTable(heads...)
	for i, w := range rows[0].Waits {
		name := w.Name
		if w.Kind == served.Width {
			name = fmt.Sprintf("%d to %d %ss", w.From, w.To, text.Unit(r.Unit))
			if w.From == w.To {
				name = text.Plural(w.From, text.Unit(r.Unit))
			}
		}
		cells := []string{name, fmt.Sprint(w.Jobs)}
		for _, row := range rows {
			cells = append(cells, text.Duration(float64(row.Waits[i].Mean)))
		}
		cells = append(cells, text.Duration(float64(w.Longest)), text.Duration(float64(rows[1].Waits[i].Longest)))
		t.Row(cells...)
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

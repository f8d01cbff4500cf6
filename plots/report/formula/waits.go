package formula

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/wording"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Waits shows the distribution of the waiting times of each class.
type Waits struct{ *solve.WaitAnswer }

func (a Waits) Facts() (any, []warn.Warning) { return a.WaitAnswer, a.Warnings }

// Table writes a row for each class, and one for its simulation.
func (a Waits) Table(w io.Writer) {
	text.Print(w, a.First(), 0)
	fmt.Fprintln(w)
	fitted := ""
	if a.Fitted > 0 {
		fitted = "; " + wording.FittedWords(a.Fitted)
	}
	fmt.Fprintf(w, "%s at load %s, admission %s: waits in %s%s\n\n", text.OneLine(a.Scenario),
		text.Rounded(float64(a.Load)), text.OneLine(a.Admission.Name), a.queueWords(), fitted)
	first, pools := a.Classes[0], a.Pools != nil
	t := text.NewTable(slices.Concat(wording.ClassCells(pools, "class", "pool"), []string{"mean"},
		text.Each(first.Tail, func(t solve.WaitTail) string { return "> " + text.Duration(float64(t.T)) }),
		text.Each(first.Quantiles, func(q solve.WaitQuantile) string { return text.PlainPercent(float64(q.Q)) }))...)
	for _, c := range a.Classes {
		mean := text.Duration(float64(c.Mean))
		t.Row(slices.Concat(wording.ClassCells(pools, c.Name, c.Pool), []string{mean},
			text.Each(c.Tail, func(t solve.WaitTail) string { return text.Percent(float64(t.P)) }),
			text.Each(c.Quantiles, func(q solve.WaitQuantile) string { return text.Duration(float64(q.T)) }))...)
		if s := c.Simulated; s != nil {
			t.Row(slices.Concat(wording.ClassCells(pools, "  simulated", ""), []string{wording.Duration(s.Mean)},
				text.Each(c.Tail, simulatedTail), make([]string, len(c.Quantiles)))...)
		}
	}
	t.Print(w)
	if len(first.Tail) > 0 {
		fmt.Fprintf(w, "\nColumns > T: the share of admitted jobs that wait longer.\n")
	}
	if len(first.Quantiles) > 0 {
		fmt.Fprintf(w, "Columns in %%: the time within which that share starts.\n")
	}
	if a.Replications > 0 {
		fmt.Fprintf(w, "%s\n", a.simulatedWords())
	}
}

// First is the answer: the shortest and the longest mean wait of a class, and the times within which most of their
// jobs start.
func (a Waits) First() string {
	mean := func(c solve.ClassWait) float64 { return float64(c.Mean) }
	endless := func(c solve.ClassWait) bool { return math.IsNaN(mean(c)) || math.IsInf(mean(c), 0) }
	served := text.Where(a.Classes, func(c solve.ClassWait) bool { return !endless(c) })
	starved := text.Each(text.Where(a.Classes, endless), classLabel)
	words := "Mean wait by formula"
	switch {
	case len(served) == 0:
		return words + ": without end."
	case len(served) == 1:
		words += " of " + classLabel(served[0])
	}
	least := slices.MinFunc(served, func(x, y solve.ClassWait) int { return cmp.Compare(mean(x), mean(y)) })
	most := slices.MaxFunc(served, func(x, y solve.ClassWait) int { return cmp.Compare(mean(x), mean(y)) })
	between := func(number func(solve.ClassWait) float64) string {
		if len(served) == 1 {
			return text.Duration(number(least))
		}
		return text.Duration(number(least)) + " to " + text.Duration(number(most))
	}
	if len(served) == 1 {
		words += ": " + between(mean)
	} else {
		words += fmt.Sprintf(": %s (%s) to %s (%s)", text.Duration(mean(least)), classLabel(least),
			text.Duration(mean(most)), classLabel(most))
	}
	if most.Simulated != nil {
		words += "; simulated " + between(func(c solve.ClassWait) float64 { return float64(c.Simulated.Mean.Mean) })
	}
	if i := usualQuantile(least.Quantiles); i >= 0 {
		words += fmt.Sprintf("; %s start within %s", text.PlainPercent(float64(least.Quantiles[i].Q)),
			between(func(c solve.ClassWait) float64 { return float64(c.Quantiles[i].T) }))
	}
	switch n := len(starved); {
	case n > mostNamed:
		words += fmt.Sprintf("; of %d classes without end", n)
	case n > 0:
		words += "; of " + wording.Enumerate(starved) + " without end"
	}
	return words + "."
}

func classLabel(c solve.ClassWait) string {
	return text.OneLine(subject.Section{Name: c.Name, Pool: c.Pool}.Label())
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

// queueWords says of which queue the waits are.
func (a Waits) queueWords() string {
	switch {
	case len(a.Pools) > 0:
		return text.Plural(len(a.Pools), "pool")
	case a.Queue == model.Multiserver.String():
		return text.Rounded(float64(a.Parallel)) + " real servers (approximate)"
	}
	if a.Parallel == 1 {
		return "one server"
	}
	return "one pooled server, " + text.Rounded(float64(a.Parallel)) + " times as fast"
}

// simulatedWords says what was simulated beside the formulas.
func (a Waits) simulatedWords() string {
	runs := text.Plural(a.Replications, "replication")
	words := "Simulated: " + runs + " of the same queue"
	if a.Arrivals != "" {
		words = "Computed: Poisson arrivals; simulated: " + a.Arrivals + ", " + runs
	}
	if a.Replications > 1 {
		words += ", with 95 % intervals"
	}
	return words + "."
}

// simulatedTail is a simulated share. It is - if no job of the class was simulated, and
// has no half width if there is one replication. Unlike wording.Percentage it shows a half width of 0.
func simulatedTail(t solve.WaitTail) string {
	mean, half := 100*float64(t.Simulated.Mean), 100*float64(t.Simulated.HalfWidth)
	switch {
	case math.IsNaN(mean):
		return "-"
	case math.IsInf(half, 0):
		return text.Fixed(mean, 1) + " %"
	}
	return fmt.Sprintf("%s ± %s %%", text.Fixed(mean, 1), text.Fixed(half, 1))
}

// Records yields a row for each number.
func (a Waits) Records(add func(cells ...any)) {
	pools := a.Pools != nil
	add(wording.ClassCells(pools, "class", "pool"), "measure", "at", "value", "error", "simulated", "half_width")
	for _, c := range a.Classes {
		names := wording.ClassCells(pools, c.Name, c.Pool)
		mean := []string{"", ""}
		if s := c.Simulated; s != nil {
			mean = wording.FormatCells([]any{s.Mean.Mean, s.Mean.HalfWidth})
		}
		add(names, "mean", "", c.Mean, "", mean)
		for _, t := range c.Tail {
			tail := []string{"", ""}
			if s := t.Simulated; s != nil {
				tail = wording.FormatCells([]any{s.Mean, s.HalfWidth})
			}
			add(names, "tail", t.T, t.P, t.PError, tail)
			add(names, "excess", t.T, t.Excess, t.ExcessError, "", "")
		}
		for _, q := range c.Quantiles {
			add(names, "quantile", q.Q, q.T, "", "", "")
		}
	}
}

func (a Waits) Provenance() text.Provenance {
	return wording.Provenance(a.Version, a.Scenario, a.Command, a.Overrides, a.TraceFile, nil,
		"queue", a.Queue, "admission", a.Admission.Name)
}

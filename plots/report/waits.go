package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Waits shows the distribution of the waiting times of each class.
type Waits struct{ *study.WaitAnswer }

// Facts returns the waits.
func (a Waits) Facts() (any, []study.Warning) { return a.WaitAnswer, a.Warnings }

// Table writes a row for each class, and one for its simulation.
func (a Waits) Table(w io.Writer) {
	fitted := ""
	if a.Fitted > 0 {
		fitted = "; " + fittedWords(a.Fitted)
	}
	fmt.Fprintf(w, "%s at load %s, admission %s: waits in %s%s\n\n", text.OneLine(a.Scenario),
		text.Rounded(float64(a.Load)), text.OneLine(a.Admission.Name), a.queueWords(), fitted)
	first := a.Classes[0]
	if a.Pools == nil {
		printWaits(w, a.Classes)
	}
	for i, p := range a.Pools {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s at load %s, %s\n", poolWords(p.PoolHead),
			text.Rounded(float64(p.Load)), queueWords(a.Queue, p.Parallel))
		printWaits(w, p.Classes)
	}
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

// printWaits writes the table of classes.
func printWaits(w io.Writer, classes []study.ClassWait) {
	first := classes[0]
	rows := [][]string{slices.Concat([]string{"class", "mean"},
		text.Each(first.Tail, func(t study.WaitTail) string { return "> " + text.Duration(float64(t.T)) }),
		text.Each(first.Quantiles, func(q study.WaitQuantile) string { return text.Plain(100*float64(q.Q)) + " %" }))}
	for _, c := range classes {
		rows = append(rows, slices.Concat([]string{c.Name, text.Duration(float64(c.Mean))},
			text.Each(c.Tail, func(t study.WaitTail) string { return text.Percent(float64(t.P)) }),
			text.Each(c.Quantiles, func(q study.WaitQuantile) string { return text.Duration(float64(q.T)) })))
		if s := c.Simulated; s != nil {
			rows = append(rows, slices.Concat([]string{"  simulated", seconds(s.Mean)},
				text.Each(c.Tail, simulatedTail), make([]string, len(c.Quantiles))))
		}
	}
	text.PrintTable(w, rows)
}

// simulatedWords says what was simulated: the same queue, unless its arrivals are not
// Poisson as the formulas assume.
func (a Waits) simulatedWords() string {
	words := "Simulated: " + text.Plural(a.Replications, "replication") + " of the same queue"
	if a.Arrivals != "" {
		words = "Computed: Poisson arrivals; simulated: " + a.Arrivals + ", " + text.Plural(a.Replications, "replication")
	}
	if a.Replications > 1 {
		words += ", with 95 % intervals"
	}
	return words + "."
}

// simulatedTail is a simulated share. It is - if no job of the class was simulated, and
// has no half width if there is one replication.
func simulatedTail(t study.WaitTail) string {
	mean, half := 100*float64(t.Simulated.Mean), 100*float64(t.Simulated.HalfWidth)
	switch {
	case math.IsNaN(mean):
		return "-"
	case math.IsInf(half, 0):
		return text.Fixed(mean, 1) + " %"
	}
	return fmt.Sprintf("%s ± %s %%", text.Fixed(mean, 1), text.Fixed(half, 1))
}

// queueWords names the queue.
func (a Waits) queueWords() string {
	if a.Pools != nil {
		return text.Plural(len(a.Pools), "pool")
	}
	return queueWords(a.Queue, a.Parallel)
}

// queueWords names the queue of so many servers.
func queueWords(queue string, parallel float64) string {
	if queue == study.QueueMultiserver {
		return text.Rounded(parallel) + " real servers (approximate)"
	}
	return "one pooled server, " + text.Rounded(parallel) + " times as fast"
}

// Records yields a row for each number.
func (a Waits) Records(add func(cells ...any)) {
	header := []string{"class", "measure", "at", "value", "error", "simulated", "half_width"}
	if a.Pools != nil {
		header = slices.Insert(header, 1, "pool")
	}
	add(header)
	for _, c := range a.Classes {
		names := []string{c.Name}
		if a.Pools != nil {
			names = append(names, c.Pool)
		}
		mean := []string{"", ""}
		if s := c.Simulated; s != nil {
			mean = formatCells([]any{s.Mean.Mean, s.Mean.HalfWidth})
		}
		add(names, "mean", "", c.Mean, "", mean)
		for _, t := range c.Tail {
			tail := []string{"", ""}
			if s := t.Simulated; s != nil {
				tail = formatCells([]any{s.Mean, s.HalfWidth})
			}
			add(names, "tail", t.T, t.P, t.PError, tail)
			add(names, "excess", t.T, t.Excess, t.ExcessError, "", "")
		}
		for _, q := range c.Quantiles {
			add(names, "quantile", q.Q, q.T, "", "", "")
		}
	}
}

// Provenance says where the numbers come from.
func (a Waits) Provenance() text.Provenance {
	return provenance(a.Version, a.Scenario, a.Command, a.Overrides, nil, "queue", a.Queue, "admission", a.Admission.Name)
}

package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// print writes the waits for a person to read.
func (a *waitAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "%s at load %s, admission %s: waits in %s\n\n", oneLine(a.Scenario), plain(float64(a.Load)), a.Admission.Name, a.queueWords())
	header := []string{"class", "mean"}
	for _, t := range a.Classes[0].Tail {
		header = append(header, "> "+duration(float64(t.T)))
	}
	for _, q := range a.Classes[0].Quantiles {
		header = append(header, shareWords(float64(q.Q)))
	}
	t := newTable(header...)
	for _, c := range a.Classes {
		cells := []string{c.Name, duration(float64(c.Mean))}
		for _, x := range c.Tail {
			cells = append(cells, percent(float64(x.P)))
		}
		for _, q := range c.Quantiles {
			cells = append(cells, duration(float64(q.T)))
		}
		t.row(cells...)
		if c.Simulated != nil {
			t.row(c.simulatedCells()...)
		}
	}
	t.print(w)
	if len(a.Classes[0].Tail) > 0 {
		fmt.Fprintf(w, "\nColumns > T: the share of admitted jobs that wait longer.\n")
	}
	if len(a.Classes[0].Quantiles) > 0 {
		fmt.Fprintf(w, "Columns in %%: the time within which that share starts.\n")
	}
	if a.replications > 0 {
		fmt.Fprintf(w, "Simulated: %s of the same queue, with 95 %% intervals.\n", plural(a.replications, "replication"))
	}
}

// simulatedCells are the row of a simulation.
func (c waitClass) simulatedCells() []string {
	cells := []string{"  simulated", duration(float64(c.Simulated.Mean.Mean))}
	for _, x := range c.Tail {
		share, half := 100*float64(x.Simulated.Mean), 100*float64(x.Simulated.HalfWidth)
		if math.IsNaN(share) { // no job of the class was simulated
			cells = append(cells, "-")
			continue
		}
		cells = append(cells, fmt.Sprintf("%s ± %s %%", separated(share, 1), separated(half, 1)))
	}
	for range c.Quantiles {
		cells = append(cells, "")
	}
	return cells
}

// shareWords writes a share of jobs with as many digits as it has.
func shareWords(q float64) string { return plain(100*q) + " %" }

// queueWords says whose waits they are.
func (a *waitAnswer) queueWords() string {
	if a.Queue == queueMultiserver {
		return plain(a.parallel) + " real servers (approximate)"
	}
	return "one pooled server, " + plain(a.parallel) + " times as fast"
}

// records are the rows of the CSV file, one for each number.
func (a *waitAnswer) records() [][]string {
	rows := [][]string{{"class", "measure", "at", "value", "error", "simulated", "half_width"}}
	for _, c := range a.Classes {
		simulated := []string{"", ""}
		if c.Simulated != nil {
			simulated = fields(c.Simulated.Mean.Mean, c.Simulated.Mean.HalfWidth)
		}
		rows = append(rows, append([]string{c.Name, "mean", "", field(c.Mean), ""}, simulated...))
		for _, t := range c.Tail {
			simulated = []string{"", ""}
			if t.Simulated != nil {
				simulated = fields(t.Simulated.Mean, t.Simulated.HalfWidth)
			}
			rows = append(rows, append([]string{c.Name, "tail", field(t.T), field(t.P), field(t.PError)}, simulated...))
			rows = append(rows, []string{c.Name, "excess", field(t.T), field(t.Excess), field(t.ExcessError), "", ""})
		}
		for _, q := range c.Quantiles {
			rows = append(rows, []string{c.Name, "quantile", field(q.Q), field(q.T), "", "", ""})
		}
	}
	return rows
}

// id is a name for files.
func (a *waitAnswer) id() string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, a.Scenario+"-wait")
}

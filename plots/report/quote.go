//go:build !js

package report

import (
	"fmt"
	"io"
	"math"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Quote is the quotes of jobs and the unit of the machine.
type Quote struct {
	*study.QuoteResult
	Unit string
}

// Table writes the quotes for a terminal.
func (r Quote) Table(w io.Writer) {
	fmt.Fprintf(w, "%s under %s: %s running, %d waiting; ranges by %s, corrected by %s before\n\n", text.OneLine(r.Scenario),
		r.Policy, text.Plural(r.Running, "job"), r.Waiting, text.Plural(r.Replications, "simulation"),
		text.Plural(r.Learned, "quote"))
	if len(r.Jobs) == 0 {
		fmt.Fprintln(w, "no job waits")
		return
	}
	show := func(x study.Number, format func(float64) string) string {
		if v := float64(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
			return format(v)
		}
		return "-"
	}
	t := text.NewTable("job", "class", text.Unit(r.Unit)+"s", "start in", "10 %", "90 %", "end in", "10 %", "90 %",
		"deadline", "promise", "price $", "+-", "best $")
	for _, j := range r.Jobs {
		row := []string{text.OneLine(j.ID), text.OneLine(j.Class), fmt.Sprint(j.Width)}
		for _, times := range []map[string]study.Number{j.Start, j.End} {
			for _, level := range []string{"0.5", "0.1", "0.9"} {
				row = append(row, show(times[level], text.Duration))
			}
		}
		row = append(row, show(j.Deadline, text.Percent), show(j.Promise, text.Percent), show(j.Price, text.Short),
			show(j.PriceHalfWidth, text.Short), show(j.BestPrice, text.Short))
		t.Row(row...)
	}
	t.Print(w)
	fmt.Fprint(w, "\nstart and end: medians, and ranges that hold 80 %; deadline, promise: chances; price: what other jobs\n"+
		"lose by the job; best: the price that earns most by the demand of its class\n")
}

package report

import (
	"fmt"
	"io"
	"math"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study/quote"
)

// Quote is the quotes of jobs and the unit of the machine.
type Quote struct {
	*quote.Result
	Unit string
}

// head says what the quotes are made of.
func (r Quote) head() string {
	return fmt.Sprintf("%s under %s: %s running, %d waiting; ranges by %s, corrected by %s before",
		text.OneLine(r.Scenario), r.Policy, text.Plural(r.Running, "job"), r.Waiting,
		text.Plural(r.Replications, "simulation"),
		text.Plural(r.Learned, "quote"))
}

// Words say when each job starts, and which price covers its cost to others.
func (r Quote) Words() []string {
	return append([]string{r.head() + "."}, text.Each(r.Jobs, quoteWords)...)
}

func quoteWords(j quote.QuotedJob) string {
	words := "It is not served."
	if start := shown(j.Start["0.5"], text.Duration); start != "-" {
		words = fmt.Sprintf("It starts in %s; with a chance of 80 %%, in %s to %s.", start,
			shown(j.Start["0.1"], text.Duration), shown(j.Start["0.9"], text.Duration))
	}
	if price := covering(j); price != "-" {
		words += " Other jobs lose " + price + " $ by it: a lower price does not cover its cost."
	}
	return words
}

// covering formats the price that covers the cost to others, at most to a hundredth of a cent.
func covering(j quote.QuotedJob) string {
	return shown(j.Price, func(x float64) string {
		return text.Estimate(math.Round(1e4*x)/1e4+0, float64(j.PriceHalfWidth), 4)
	})
}

// shown formats a number, "-" if it is not known.
func shown(x metric.Number, format func(float64) string) string {
	if v := float64(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return format(v)
	}
	return "-"
}

// Table writes the quotes for a terminal.
func (r Quote) Table(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.head())
	if len(r.Jobs) == 0 {
		fmt.Fprintln(w, "no job waits")
		return
	}
	r.jobTable().Print(w)
	fmt.Fprint(w, "\nstart and end: medians, and ranges that hold 80 %; deadline, promise: chances; price: what "+
		"other jobs\nlose by the job, ± at 95 % confidence; best: the price that earns most by the demand of "+
		"its class\n")
}

// Rows is the table of the jobs, its headings first.
func (r Quote) Rows() [][]string { return r.jobTable().Rows() }

func (r Quote) jobTable() *text.Table {
	t := text.NewTable("job", "class", text.Unit(r.Unit)+"s", "start in", "10 %", "90 %", "end in", "10 %", "90 %",
		"deadline", "promise", "price $", "best $")
	for _, j := range r.Jobs {
		row := []string{j.ID, j.Class, fmt.Sprint(j.Width)}
		for _, times := range []map[string]metric.Number{j.Start, j.End} {
			for _, level := range []string{"0.5", "0.1", "0.9"} {
				row = append(row, shown(times[level], text.Duration))
			}
		}
		row = append(row, shown(j.Deadline, text.Percent), shown(j.Promise, text.Percent), covering(j),
			shown(j.BestPrice, text.Short))
		t.Row(row...)
	}
	return t
}

package quotes

import (
	"fmt"
	"io"
	"math"
	"strings"

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
	return append([]string{r.head() + "."}, text.Each(r.Jobs, r.quoteWords)...)
}

func (r Quote) quoteWords(j quote.QuotedJob) string {
	if j.Never != "" {
		return "It never starts: " + r.reason(j) + "."
	}
	words := "It is not served in half of the simulations or more."
	if start := finite(j.Start["0.5"], text.Duration); start != "-" {
		words = fmt.Sprintf("It starts in %s; with a chance of 80 %%, in %s to %s.", start,
			finite(j.Start["0.1"], text.Duration), finite(j.Start["0.9"], text.Duration))
	}
	if price := covering(j); price != "-" {
		words += " Other jobs lose " + price + " $ by it: a lower price does not cover its cost."
	}
	if j.NoCustomer || j.Account != "" {
		words += " N" + strayWords(j)[1:] + "."
	}
	return words
}

// reason says why a job never starts.
func (r Quote) reason(j quote.QuotedJob) string {
	switch j.Never {
	case quote.TooWide:
		unit := text.Unit(r.Unit)
		return fmt.Sprintf("it needs %s, and at most %d can run jobs", text.Plural(j.Width, unit), j.Units)
	case quote.NotServed:
		return "the policy gives it up or its customer leaves, in all simulations"
	}
	return j.Never
}

// covering formats the price that covers the cost to others, at most to a hundredth of a cent.
func covering(j quote.QuotedJob) string {
	return finite(j.Price, func(x float64) string {
		return text.Estimate(math.Round(1e4*x)/1e4+0, float64(j.PriceHalfWidth), 4)
	})
}

// Table writes the quotes for a terminal.
func (r Quote) Table(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", r.head())
	if len(r.Jobs) == 0 {
		fmt.Fprintln(w, "no job waits")
		return
	}
	r.jobTable().Telling().Print(w)
	var notes []string
	for _, j := range r.Jobs {
		if j.Never != "" {
			notes = append(notes, fmt.Sprintf("job %s never starts: %s", text.OneLine(j.ID), r.reason(j)))
		}
	}
	for _, j := range r.Jobs {
		if j.NoCustomer || j.Account != "" {
			notes = append(notes, fmt.Sprintf("job %s: %s", text.OneLine(j.ID), strayWords(j)))
		}
	}
	if notes != nil {
		fmt.Fprintf(w, "\n%s\n", strings.Join(notes, "\n"))
	}
	fmt.Fprintln(w)
	text.Print(w, "start and end: medians, and ranges that hold 80 %; deadline, promise: chances; price: what other "+
		"jobs lose by the job, ± at 95 % confidence; best: the price that brings most by the demand of its class", 0)
}

// strayWords says that no customer takes a job, or has its account.
func strayWords(j quote.QuotedJob) string {
	words := "no customer has the account " + text.OneLine(j.Account)
	switch {
	case j.Account == "":
		return "no customer takes it; it pays nothing"
	case j.NoCustomer:
		return words + "; it pays nothing"
	}
	return words + "; it is quoted as a job of " + text.OneLine(j.Class) + ", which takes all others"
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
				at, ok := times[level]
				if !ok {
					at = metric.Number(math.NaN())
				}
				row = append(row, finite(at, text.Duration))
			}
		}
		if j.Never != "" {
			row[3] = "never"
		}
		row = append(row, finite(j.Deadline, text.Percent), finite(j.Promise, text.Percent), covering(j),
			finite(j.BestPrice, text.Short))
		t.Row(row...)
	}
	return t
}

// finite formats a number, "-" if it is not known or infinite.
func finite(x metric.Number, format func(float64) string) string {
	if v := float64(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return format(v)
	}
	return "-"
}

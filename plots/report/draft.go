package report

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

// TraceCustomers is the parties with most of the work of a trace, and the rest.
type TraceCustomers struct {
	By      string          `json:"by"` // "" if nothing divides the jobs
	Parties int             `json:"parties"`
	List    []TraceCustomer `json:"customers"`
}

// TraceCustomer is the facts of a customer.
type TraceCustomer struct {
	Name       string        `json:"name"`
	Rest       bool          `json:"rest"` // all jobs of no other customer
	Jobs       int64         `json:"jobs"`
	UnitHours  metric.Number `json:"unit_hours"`
	Share      metric.Number `json:"share_of_work"`
	Waits      int64         `json:"recorded_waits"` // of jobs that ran
	MeanWait   metric.Number `json:"mean_wait"`
	MedianWait metric.Number `json:"median_wait"`
	Q90Wait    metric.Number `json:"q90_wait"`
	Peak       int           `json:"most_in_use,omitempty"` // units, of partitions
	Unit       string        `json:"unit,omitempty"`        // word for one of them

	Of      string `json:"-"` // selector of a scenario
	Several bool   `json:"-"` // parties, or unknown ones
}

// Divide adds the customers of a kind, "" for the usual one with partitions too.
func (r *TraceInfo) Divide(ctx context.Context, by string) (err error) {
	customers, err := r.Summary.Customers(ctx, by)
	if err != nil || customers == nil {
		return err
	}
	r.Customers = newTraceCustomers(customers)
	numbers, units := r.Header.Names()["partition"], r.Header.PoolUnits()
	if by != "" || len(numbers) < 2 {
		return nil
	}
	partitions, err := r.Summary.Partitions(ctx)
	if err != nil {
		return err
	}
	r.Partitions = newTraceCustomers(partitions)
	for i, x := range partitions.List {
		first, _, _ := strings.Cut(x.Name, ",")
		r.Partitions.List[i].Unit = cmp.Or(units[numbers[first]], r.Header.Unit())
	}
	return nil
}

func newTraceCustomers(c *workload.Customers) *TraceCustomers {
	list := &TraceCustomers{By: c.By, Parties: c.Parties}
	for _, x := range c.List {
		party := fmt.Sprint(x.Number)
		if x.Name != "" {
			party = scenario.Quote(x.Name)
		}
		list.List = append(list.List, TraceCustomer{
			Name: x.Label, Rest: x.Rest, Jobs: x.Jobs, Of: fmt.Sprintf("{%s: [%s]}", c.By, party), Several: x.Several(),
			UnitHours: metric.Number(x.Work / 3600), Share: metric.Number(x.Work / c.Work),
			Waits: x.Waits.N, MeanWait: metric.Number(x.Waits.Mean()),
			MedianWait: metric.Number(x.Waits.Within(0.5)), Q90Wait: metric.Number(x.Waits.Within(0.9)),
			Peak: x.Peak,
		})
	}
	return list
}

// Joined reports whether the last customer is several parties, or unknown ones.
func (r *TraceCustomers) Joined() bool { return r.List[len(r.List)-1].Several }

// Heading says which parties the customers are.
func (r *TraceCustomers) Heading() string {
	switch last := len(r.List) - 1; {
	case r.By == "":
		return "Customers: no accounts, groups, queues or users divide the jobs"
	case r.Joined():
		return fmt.Sprintf("Customers: the largest %d of %s, and the others", last, text.Plural(r.Parties, r.By))
	}
	return "Customers: " + text.Plural(r.Parties, r.By)
}

// Table writes the customers for a terminal, with their work in units of a word.
func (r *TraceCustomers) Table(w io.Writer, unit string) {
	head := []string{r.By, "jobs", unit + "-hours", "of work", "mean wait", "median", "90 % within"}
	heading := r.Heading()
	if r.By == "partition" {
		heading = "Partitions, with the most units in use at one time (if no job waits, where starts are unknown)"
		head = append(head, "in use")
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	t := text.NewTable(head...)
	for _, c := range r.List {
		if c.Several && r.By == "partition" {
			c.Name = fmt.Sprintf("%d others", r.Parties+1-len(r.List))
		}
		row := []string{c.Name, text.Fixed(float64(c.Jobs), 0), text.Grouped(float64(c.UnitHours)),
			text.Percent(float64(c.Share)), text.Duration(float64(c.MeanWait)), text.Duration(float64(c.MedianWait)),
			atMost(float64(c.Q90Wait)), text.Plural(c.Peak, text.Unit(c.Unit))}
		t.Row(row[:len(head)]...)
	}
	t.Print(w)
}

// atMost formats a time that is not exceeded: it rounds up.
func atMost(seconds float64) string {
	if size, _ := text.TimeUnit(seconds); seconds > 0 {
		step := size * math.Pow10(int(math.Floor(math.Log10(seconds/size)))-2) // of the last digit shown
		seconds = step * math.Ceil(seconds/step-1e-9)
	}
	return text.Duration(seconds)
}

// Draft returns a scenario to begin with, and the facts of its trace: the trace under a
// path relative to the scenario, the customers of a kind, prices, and the pools of the log
// that the trace comes from. Comments state the origin, the jobs, the recorded waits and
// the warnings about that log, and mark numbers that the trace does not have as guesses.
func Draft(
	ctx context.Context, trace workload.Selection, by, path, origin, version string, log *LogImport,
) ([]byte, *TraceInfo, error) {
	trace.Rule = workload.Drop
	if text.OneLine(path) != path || !utf8.ValidString(path) || strings.TrimSpace(path) != path {
		return nil, nil, &scenario.Error{File: path, Message: "expected a path that a scenario can state, without control characters"}
	}
	s, err := workload.Summarize(ctx, trace, 1)
	if err != nil {
		return nil, nil, err
	}
	s.Unlike = log.unlike()
	r := &TraceInfo{Summary: s, Version: version}
	if err := r.Divide(ctx, by); err != nil {
		return nil, nil, err
	}
	unit := text.Unit(r.Header.Unit())
	size := "the header says so"
	switch {
	case r.Selection.Nodes > 0:
		size = "as stated"
	case r.Header.Guessed():
		size = "guess: the most " + unit + "s that were busy at a time"
	}
	widths := append(make([]int64, 5), r.Sizes...) // jobs, by powers of 2
	switch last := len(widths) - 1; {
	case len(log.Pools) > 0:
	case r.Cleaning.Wide > 0:
		r.SizeDoubt = ": " + text.Plural(int(r.Cleaning.Wide), "wider job") + " rejected"
	case widths[last] == 1 && slices.Max(widths[last-4:last]) == 0 && r.Cleaning.Left > 1:
		r.SizeDoubt = ": one job is over 10 times as wide as any other"
	}
	price, per := "1", "$ per "+unit+"-hour"
	if log.unlike() {
		list := text.Each(log.Pools, func(p slurm.Pool) string { return scenario.Quote(p.Name) + ": 1" })
		price, per = "{"+strings.Join(list, ", ")+"}", "$ per hour of one unit of each pool"
	}
	return []byte(drafted("draft", struct {
		*TraceInfo
		Log                                  *LogImport
		Origin, Path, Unit, Size, Price, Per string
		Unlike                               bool
		NeverRan                             int64
	}{r, log, origin, path, unit, size, price, per, s.Unlike, r.Cleaning.Read - r.Cleaning.Left})), r, nil
}

//go:embed draft.txt
var draftText string

var drafts = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(formats).Funcs(template.FuncMap{
		"quote": scenario.Quote, "grouped": numeric(text.Grouped), "atMost": numeric(atMost),
		"noted": func(words, field string) string { return fmt.Sprintf("%-36s # %s", field, words) },
		"within": func(x metric.Number) string { // in whole units
			size, unit := text.TimeUnit(float64(x))
			return fmt.Sprintf("%.0f%s", max(math.Ceil(float64(x)/size), 1), unit[:1])
		},
	}).Parse(draftText))
})

// drafted returns a text of draft.txt with its gaps filled.
func drafted(name string, value any) string {
	var b strings.Builder
	if err := drafts().ExecuteTemplate(&b, name, value); err != nil {
		panic("report: " + err.Error())
	}
	return b.String()
}

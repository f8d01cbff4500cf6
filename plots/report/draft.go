package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// TraceCustomers is the facts of the customers of a trace: the parties with most of its
// work, and the rest.
type TraceCustomers struct {
	By      string          `json:"by"` // "" if nothing divides the jobs
	Parties int             `json:"parties"`
	List    []TraceCustomer `json:"customers"`

	unit string
}

// TraceCustomer is the facts of a customer.
type TraceCustomer struct {
	Name       string       `json:"name"`
	Rest       bool         `json:"rest"` // all jobs of no other customer
	Jobs       int64        `json:"jobs"`
	UnitHours  study.Number `json:"unit_hours"`
	Share      study.Number `json:"share_of_work"`
	MeanWait   study.Number `json:"mean_wait"`
	MedianWait study.Number `json:"median_wait"`
	Q90Wait    study.Number `json:"q90_wait"`

	selector string // of: in a scenario
}

// Divide adds the customers of a kind, "" for the usual one.
func (r *TraceInfo) Divide(ctx context.Context, by string) error {
	c, err := r.summary.Customers(ctx, by)
	if err == nil {
		r.Customers = newTraceCustomers(c, r.summary.Header.Unit())
	}
	return err
}

func newTraceCustomers(c *workload.Customers, unit string) *TraceCustomers {
	r := &TraceCustomers{By: c.By, Parties: c.Parties, unit: unit}
	for _, x := range c.List() {
		party := fmt.Sprint(x.Number)
		if x.Name != "" {
			party = scenario.Quote(x.Name)
		}
		r.List = append(r.List, TraceCustomer{
			Name: x.Label, Rest: x == c.Rest, Jobs: x.Jobs,
			UnitHours: study.Number(x.Work / 3600), Share: study.Number(x.Work / c.Work),
			MeanWait: study.Number(x.Waits.Mean()), MedianWait: study.Number(x.Waits.Quantile(0.5)),
			Q90Wait: study.Number(x.Waits.Quantile(0.9)), selector: fmt.Sprintf("{%s: [%s]}", c.By, party),
		})
	}
	return r
}

// heading says what the customers are.
func (r *TraceCustomers) heading() string {
	if r.By == "" {
		return "Customers: no accounts, groups, queues or users divide the jobs"
	}
	parties := text.Plural(r.Parties, r.By)
	if r.Parties == len(r.List) && r.List[len(r.List)-1].Name != workload.Others {
		return "Customers: " + parties
	}
	largest := len(slices.DeleteFunc(slices.Clone(r.List), func(c TraceCustomer) bool { return c.Rest }))
	return fmt.Sprintf("Customers: the largest %d of %s, and the others", largest, parties)
}

// Table writes the customers for a terminal.
func (r *TraceCustomers) Table(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", r.heading())
	t := text.NewTable(r.By, "jobs", text.Unit(r.unit)+"-hours", "of work", "mean wait", "median", "90 % within")
	for _, c := range r.List {
		t.Row(c.Name, text.Fixed(float64(c.Jobs), 0), text.Grouped(float64(c.UnitHours)), text.Percent(float64(c.Share)),
			text.Duration(float64(c.MeanWait)), text.Duration(float64(c.MedianWait)), text.Duration(float64(c.Q90Wait)))
	}
	t.Print(w)
}

// Draft is a scenario to begin with, made from a trace.
type Draft struct {
	Path    string // of the trace, relative to the scenario
	Name    string // of the scenario
	Origin  string // command line
	Version string

	*TraceInfo
}

// Read reads the trace for customers of a kind, "" for the usual one.
func (d *Draft) Read(ctx context.Context, s workload.Selection, by string) error {
	if text.OneLine(d.Path) != d.Path || !utf8.ValidString(d.Path) || strings.TrimSpace(d.Path) != d.Path {
		return &scenario.Error{File: d.Path, Message: "expected a path that a scenario can state, without control characters"}
	}
	summary, err := workload.Summarize(ctx, s, 1)
	if err == nil {
		d.TraceInfo = NewTraceInfo(summary, d.Version)
		err = d.Divide(ctx, by)
	}
	return err
}

// Write writes the scenario with comments. Every number that the log does not have is
// marked as a guess.
func (d *Draft) Write(w io.Writer) error {
	unit, r := text.Unit(d.Customers.unit), d.TraceInfo
	var b bytes.Buffer
	comment := func(format string, args ...any) {
		for _, line := range text.Wrapped(text.OneLine(fmt.Sprintf(format, args...)), 98) {
			fmt.Fprintln(&b, "#", line)
		}
	}
	field := func(indent, field, words string) {
		fmt.Fprintf(&b, "%-36s # %s\n", indent+field, words)
	}
	comment("%s (%s)", d.Origin, d.Version)
	comment("%s in %s. %s. The largest have 90 %% of the work, or there are 12 classes.",
		text.Plural(int(r.Cleaning.Left), "job"), text.Duration(float64(r.Span)), d.Customers.heading())
	comment("A log has no prices: numbers marked as a guess are invented, the same for all. Replace them by your own.")
	fmt.Fprintf(&b, "name: %s\ntrace:\n  file: %s\n", scenario.Quote(d.Name), scenario.Quote(d.Path))
	if r.Nodes > 0 {
		words := unit + "s of the machine, as the header says"
		if r.summary.Header.Busy() {
			words = "the most " + unit + "s that were busy at a time; a guess at the size of the machine"
		}
		field("  ", fmt.Sprintf("nodes: %d", r.Nodes), words)
	}
	never := r.Cleaning.NoRunTime + r.Cleaning.NoProcessors + r.Cleaning.NoSubmit
	field("  ", "cleaning: "+r.Cleaning.Rule, fmt.Sprintf(
		"for %s that never ran: keep runs them for 1 s, drop leaves them out", text.Plural(int(never), "job")))
	fmt.Fprintln(&b, "classes:")
	for _, c := range d.Customers.List {
		fmt.Fprintf(&b, "  - name: %s\n", scenario.Quote(c.Name))
		fmt.Fprintf(&b, "    # %s, %s %s-hours, %s of the work\n", text.Plural(int(c.Jobs), "job"),
			text.Grouped(float64(c.UnitHours)), unit, text.Percent(float64(c.Share)))
		if !math.IsNaN(float64(c.MeanWait)) {
			fmt.Fprintf(&b, "    # recorded waits: mean %s, median %s, 90 %% within %s\n", text.Duration(float64(c.MeanWait)),
				text.Duration(float64(c.MedianWait)), text.Duration(float64(c.Q90Wait)))
		}
		if !c.Rest {
			fmt.Fprintf(&b, "    of: %s\n", c.selector)
		}
		field("    ", "price: {per_node_hour: 1}", "guess: $ per "+unit+"-hour")
		field("    ", "grace: {lengths: 1}", "guess: waiting as long as it runs costs nothing")
		field("    ", "decay: {per_hour: 10%}", "guess: of the price, for every hour later")
		field("    ", "floor: 0", "guess: a late job pays nothing at worst")
		field("    ", fmt.Sprintf("# slo: {within: %s, level: 90%%}", roundUp(float64(c.Q90Wait))), "a promise on the wait")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Summary counts the customers.
func (d *Draft) Summary() string {
	return text.Plural(len(d.Customers.List), "customer") + " at guessed prices: replace them"
}

// roundUp returns a time of at least the given one as a scenario states it; an hour for
// NaN.
func roundUp(seconds float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1, "s"}, {60, "m"}, {3600, "h"}} {
		if n := math.Ceil(max(seconds, 1) / u.size); n < 100 || u.name == "h" && n > 0 {
			return fmt.Sprintf("%.0f%s", n, u.name)
		}
	}
	return "1h"
}

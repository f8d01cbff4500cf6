package logs

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/fit"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// TraceInfo is the facts of a trace.
type TraceInfo struct {
	*workload.Summary
	Version    string
	Customers  *TraceCustomers // nil until Divide
	Partitions *TraceCustomers // likewise; nil if there are fewer than two
	SizeDoubt  string          // of a draft: why the machine may have another size
	Doubts     []warn.Warning  // of a draft: about the jobs
}

func (r *TraceInfo) MarshalJSON() ([]byte, error) {
	spread := func(d *workload.Distribution) any {
		return object("mean", d.Mean(), "min", d.Quantile(0), "q1", d.Quantile(0.25), "median", d.Quantile(0.5),
			"q3", d.Quantile(0.75), "max", d.Quantile(1))
	}
	return object("file", r.Selection.File, "trace_file", r.TraceFile(), "version", r.Version,
		"computer", r.Header.Get("Computer"),
		"jobs", r.Subset(), "nodes", r.Nodes, "span_seconds", r.Span, "load", r.Load(),
		"interarrival", spread(&r.Gaps), "run_time", spread(&r.RunTimes), "processors", spread(&r.Widths),
		"estimate", spread(&r.Estimates), "run_time_over_estimate", spread(&r.Accuracy),
		"powers_of_two", r.powersOfTwo(), "submitted_by_hour", r.Hours, "out_of_order", r.Moved, "cleaning",
		r.Cleaning).
		withIf(r.Customers != nil, "customers", r.Customers).
		withIf(r.Partitions != nil, "partitions", r.Partitions).MarshalJSON()
}

// TraceFile describes the file that was read.
func (r *TraceInfo) TraceFile() *subject.TraceFile {
	return subject.NewTraceFile(r.Selection.File, r.Header.Unit(), r.Nodes)
}

// Subset names the jobs that were read.
func (r *TraceInfo) Subset() string { return r.Selection.Subset.String() }

// powersOfTwo returns the share of the jobs whose width is one.
func (r *TraceInfo) powersOfTwo() float64 { return float64(r.PowersOfTwo) / float64(r.Cleaning.Left) }

func (r *TraceInfo) Table(w io.Writer) {
	machine := "a machine of unknown size"
	if r.Nodes > 0 {
		machine = text.Machine(r.Nodes, r.Header.Unit(), r.Header.Hosts(r.Nodes))
	}
	fmt.Fprintf(w, "%s, jobs %s: %s on %s in %s\n\n", text.OneLine(filepath.Base(r.Selection.File)), r.Subset(),
		text.Plural(int(r.Cleaning.Left), "job"), machine, text.Duration(r.Span))
	t := text.NewTable("", "mean", "least", "quartile 1", "median", "quartile 3", "most")
	for _, row := range []struct {
		name   string
		of     *workload.Distribution
		format func(float64) string
	}{
		{"interarrival time", &r.Gaps, text.Duration}, {"run time", &r.RunTimes, text.Duration},
		{text.Unit(r.Header.Unit()) + "s", &r.Widths, text.Whole}, {"estimate", &r.Estimates, text.Duration},
		{"run time / estimate", &r.Accuracy, text.Percent},
	} {
		cells := []string{row.name, row.format(row.of.Mean())}
		for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
			cells = append(cells, row.format(row.of.Quantile(p)))
		}
		t.Row(cells...)
	}
	t.Print(w)
	fmt.Fprintf(w, "\nOffered load   %s of the machine\n", text.Percent(r.Load()))
	fmt.Fprintf(w, "Powers of two  %s of the widths\n", text.Percent(r.powersOfTwo()))
	fmt.Fprintf(w, "Cleaning       %s: %s\n", r.Cleaning.Rule,
		strings.Join(CleaningLines(&r.Cleaning), "\n               "))
	if r.Moved > 0 {
		fmt.Fprintf(w, "Order          %s submitted before the job in front of them; sorted\n",
			text.Plural(int(r.Moved), "job"))
	}
	for _, list := range []*TraceCustomers{r.Customers, r.Partitions} {
		if list != nil {
			list.Table(w, text.Unit(r.Header.Unit()))
		}
	}
}

// CleanHeader returns the header of the trace after cleaning, with notes on the changes.
func (r *TraceInfo) CleanHeader() []string {
	var lines []string
	for _, line := range r.Header.Lines {
		key, _, _ := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		key = strings.TrimSpace(key)
		if key != "MaxJobs" && key != "MaxRecords" {
			lines = append(lines, line)
		}
	}
	lines = append(lines, fmt.Sprintf("; MaxJobs: %d", r.Cleaning.Left),
		fmt.Sprintf("; MaxRecords: %d", r.Cleaning.Left))
	if r.Nodes > 0 && r.Header.Nodes() == 0 {
		lines = append(lines, fmt.Sprintf("; MaxProcs: %d", r.Nodes))
	}
	lines = append(lines, fmt.Sprintf("; Note: revopt %s: jobs %s, cleaning %s, %d read, %d left",
		r.Version, r.Subset(), r.Cleaning.Rule, r.Cleaning.Read, r.Cleaning.Left))
	for _, line := range CleaningLines(&r.Cleaning) {
		lines = append(lines, "; Note: revopt: "+line)
	}
	if r.Moved > 0 {
		lines = append(lines, fmt.Sprintf("; Note: revopt: sorted, %d were out of order", r.Moved))
	}
	return lines
}

// Cleaning returns the rule of a cleaning and its consequences on one line; "" for nil.
func Cleaning(c *workload.Cleaning) string {
	if c == nil {
		return ""
	}
	return string(c.Rule) + ": " + strings.Join(CleaningLines(c), ", ")
}

// CleaningLines says for every kind of fault how many jobs have it and what happens.
func CleaningLines(c *workload.Cleaning) []string {
	var list []string
	singular := strings.NewReplacer("are ", "is ", "have no", "has no", "take ", "takes ", "run for", "runs for",
		"it is their", "it is its", "their ", "its ")
	add := func(jobs int64, words string) {
		if jobs == 1 {
			words = singular.Replace(words)
		}
		if jobs > 0 {
			list = append(list, text.Fixed(float64(jobs), 0)+" "+words)
		}
	}
	unkept := func(kept string) string {
		switch c.Rule {
		case workload.Keep:
			return kept
		case workload.Reject:
			return "are rejected at once"
		}
		return "are left out"
	}
	add(c.NoSubmit, "have no submit time and "+unkept("take that of the job before"))
	add(c.NoRunTime, "never ran and "+unkept("run for 1 s"))
	add(c.NoProcessors, "have no number of processors and "+unkept("take 1"))
	add(c.Allocated, "take the processors allocated, as the request is unknown")
	add(c.NoEstimate, "have no estimate: it is their run time")
	add(c.Overrun, "ran longer than their estimate")
	add(c.Wide, "are wider than the machine and are rejected")
	if list == nil {
		return []string{"nothing to do"}
	}
	return list
}

// TraceFit is the facts of job classes that were fitted to the trace of a subject.
type TraceFit struct {
	*fit.Result
	Subject   *subject.Subject
	Version   string
	Overrides []string
	Seed      uint64
	YAML      string // of the scenario
}

func (r *TraceFit) MarshalJSON() ([]byte, error) {
	a, trace := &r.Arrivals, r.Subject.Trace
	arrivals := object("interarrival", moments(a.Gaps),
		"dispersion", text.Each(a.Dispersion, func(d fit.Dispersion) any {
			return object("by", d.Name, "window_seconds", d.Window, "windows", d.Windows, "index", d.Index)
		}),
		"daily_cycle", a.Daily, "daily_cycle_p", a.DailyP,
		"weekly_cycle", a.Weekly, "weekly_cycle_p", a.WeeklyP)
	return object("file", r.File(), "trace_file", r.Subject.TraceFile(), "version", r.Version, "jobs",
		trace.Subset().String(),
		"arrival_delay_factor", r.Subject.Value, "overrides", r.Overrides, "seed", r.Seed, "cleaning", trace.Cleaning(),
		"by", r.By, "nodes", r.Nodes, "parallel", r.Parallel, "jobs_fitted", r.Jobs, "jobs_void", r.Void,
		"jobs_too_wide", r.Wide, "span_seconds", r.Span, "rate", r.Rate, "load", r.Load, "arrivals", arrivals,
		"length_scv", r.LengthSCV, "work_scv", r.WorkSCV, "width_length_rank_correlation", r.Correlation,
		"work_in_jobs_wider_than_half", r.Half, "work_in_largest_hundredth", r.TopWork, "overrun", r.Overrun,
		"run_time_over_estimate", r.Accuracy, "silhouette", r.Silhouette, "classes", text.Each(r.Classes, fittedClass),
		"warnings", append([]string{}, text.Each(r.Warnings, fit.Warning.String)...), "scenario", r.YAML).MarshalJSON()
}

func moments(m fit.Moments) any { return object("mean", m.Mean, "sd", m.SD, "scv", m.SCV()) }

func fittedClass(c fit.Class) any {
	o := object("name", c.Model.Name).withIf(c.Model.Pool != "", "pool", c.Model.Pool)
	return o.with("jobs", c.Jobs, "rate", c.Model.Rate, "share", c.Share, "load", c.Load,
		"interarrival", moments(c.Gaps), "run_time", moments(c.Length), "processors", moments(c.Width),
		"work", moments(c.Work), "width_length_rank_correlation", c.Correlation, "budget", moments(c.Budget),
		"slack", moments(c.Slack), "hard", c.Hard, "dist", c.Kind, "length", moments(c.Equivalent),
		"length_over_run_time", c.Correction, "work_second_moment_preserved", c.Second, "ks_length", c.LengthKS(),
		"ks_work", c.WorkKS, "tried", text.Each(c.Tried, func(t fit.Try) any {
			return object("dist", t.Kind, "ks_length", t.KS)
		}), "mean_price", c.Model.MeanPrice(), "arrivals", c.Model.Arrivals.String(), "decay", c.Model.Decay,
		"mean_grace", c.Model.MeanGrace())
}

// File returns the file of the trace.
func (r *TraceFit) File() string { return r.Subject.Scenario.Trace.File }

// Scenario sets the scenario, with its origin at the top, and returns it.
func (r *TraceFit) Scenario(command string) ([]byte, error) {
	cleaning := r.Subject.Trace.Cleaning()
	head := append([]string{
		fmt.Sprintf("Job classes of %s, jobs %s, arrival delay factor %s, cleaning %s, seed %d",
			filepath.Base(r.File()), r.Subject.Trace.Subset(), text.Plain(r.Subject.Value), cleaning.Rule, r.Seed),
		fmt.Sprintf("revopt %s: %s", r.Version, command),
	}, CleaningLines(&cleaning)...)
	if !slices.ContainsFunc(r.Classes, func(c fit.Class) bool { return c.Model.MeanPrice() > 0 }) {
		head = append(head, "A trace states no prices, so that all are 0: state your own, here or with --price")
	}
	var b bytes.Buffer
	err := r.WriteYAML(&b, append(head, "")...)
	r.YAML = b.String()
	return b.Bytes(), err
}

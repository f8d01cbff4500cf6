package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/fit"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// TraceInfo is the facts of a trace.
type TraceInfo struct {
	File         string             `json:"file"`
	TraceFile    *study.TraceFile   `json:"trace_file"`
	Version      string             `json:"version"`
	Computer     string             `json:"computer"`
	Subset       string             `json:"jobs"`
	Nodes        int                `json:"nodes"` // 0 if unknown
	Span         study.Number       `json:"span_seconds"`
	Load         study.Number       `json:"load"` // offered
	Interarrival spread             `json:"interarrival"`
	RunTime      spread             `json:"run_time"`
	Processors   spread             `json:"processors"`
	Estimate     spread             `json:"estimate"`
	Accuracy     spread             `json:"run_time_over_estimate"`
	PowersOfTwo  study.Number       `json:"powers_of_two"` // share of jobs
	Hours        [24]int64          `json:"submitted_by_hour"`
	Moved        int64              `json:"out_of_order"`
	Cleaning     *workload.Cleaning `json:"cleaning"`
	Customers    *TraceCustomers    `json:"customers,omitempty"`
	Partitions   *TraceCustomers    `json:"partitions,omitempty"`
	SizeDoubt    string             `json:"-"` // of a draft: why the machine may have another size

	summary *workload.Summary
}

// spread is a distribution in six numbers.
type spread struct {
	Mean   study.Number `json:"mean"`
	Min    study.Number `json:"min"`
	Q1     study.Number `json:"q1"`
	Median study.Number `json:"median"`
	Q3     study.Number `json:"q3"`
	Max    study.Number `json:"max"`
}

func newSpread(d *workload.Distribution) spread {
	at := func(p float64) study.Number { return study.Number(d.Quantile(p)) }
	return spread{study.Number(d.Mean()), at(0), at(0.25), at(0.5), at(0.75), at(1)}
}

// NewTraceInfo returns the facts of a summary.
func NewTraceInfo(s *workload.Summary, version string) *TraceInfo {
	return &TraceInfo{
		File: s.Selection.File, Version: version,
		TraceFile: study.NewTraceFile(s.Selection.File, s.Header.Unit(), s.Nodes),
		Computer:  s.Header.Get("Computer"), Subset: s.Selection.Subset.String(),
		Nodes: s.Nodes, Span: study.Number(s.Span), Load: study.Number(s.Load()),
		Interarrival: newSpread(&s.Gaps), RunTime: newSpread(&s.RunTimes), Processors: newSpread(&s.Widths),
		Estimate: newSpread(&s.Estimates), Accuracy: newSpread(&s.Accuracy),
		PowersOfTwo: study.Number(float64(s.PowersOfTwo) / float64(s.Cleaning.Left)),
		Hours:       s.Hours, Moved: s.Moved, Cleaning: &s.Cleaning, summary: s,
	}
}

// Table writes the facts for a terminal.
func (r *TraceInfo) Table(w io.Writer) {
	machine := "a machine of unknown size"
	if r.Nodes > 0 {
		machine = text.Machine(r.Nodes, r.summary.Header.Unit(), r.summary.Header.Hosts(r.Nodes))
	}
	fmt.Fprintf(w, "%s, jobs %s: %s on %s in %s\n\n", text.OneLine(filepath.Base(r.File)), r.Subset,
		text.Plural(int(r.Cleaning.Left), "job"), machine, text.Duration(float64(r.Span)))
	t := text.NewTable("", "mean", "least", "quartile 1", "median", "quartile 3", "most")
	for _, row := range []struct {
		name string
		spread
		format func(float64) string
	}{
		{"interarrival time", r.Interarrival, text.Duration}, {"run time", r.RunTime, text.Duration},
		{text.Unit(r.summary.Header.Unit()) + "s", r.Processors, wholeOrShort}, {"estimate", r.Estimate, text.Duration},
		{"run time / estimate", r.Accuracy, text.Percent},
	} {
		cells := []string{row.name}
		for _, x := range []study.Number{row.Mean, row.Min, row.Q1, row.Median, row.Q3, row.Max} {
			cells = append(cells, row.format(float64(x)))
		}
		t.Row(cells...)
	}
	t.Print(w)
	fmt.Fprintf(w, "\nOffered load   %s of the machine\n", text.Percent(float64(r.Load)))
	fmt.Fprintf(w, "Powers of two  %s of the widths\n", text.Percent(float64(r.PowersOfTwo)))
	fmt.Fprintf(w, "Cleaning       %s: %s\n", r.Cleaning.Rule,
		strings.Join(CleaningLines(r.Cleaning), "\n               "))
	if r.Moved > 0 {
		fmt.Fprintf(w, "Order          %s submitted before the job in front of them; sorted\n",
			text.Plural(int(r.Moved), "job"))
	}
	for _, list := range []*TraceCustomers{r.Customers, r.Partitions} {
		if list != nil {
			list.Table(w, text.Unit(r.summary.Header.Unit()))
		}
	}
}

// wholeOrShort formats a number with four digits, whole numbers without decimals.
func wholeOrShort(x float64) string {
	if x == float64(int64(x)) {
		return text.Fixed(x, 0)
	}
	return text.Grouped(x)
}

// CleanHeader returns the header of the trace after cleaning, with notes on the changes.
func (r *TraceInfo) CleanHeader() []string {
	var lines []string
	for _, line := range r.summary.Header.Lines {
		key, _, _ := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		if key = strings.TrimSpace(key); key != "MaxJobs" && key != "MaxRecords" {
			lines = append(lines, line)
		}
	}
	lines = append(lines, sentences("clean-header", struct {
		*TraceInfo
		Header *workload.Header
	}{r, &r.summary.Header})...)
	for _, line := range CleaningLines(r.Cleaning) {
		lines = append(lines, "; Note: revopt: "+line)
	}
	if r.Moved > 0 {
		lines = append(lines, fmt.Sprintf("; Note: revopt: sorted, %d were out of order", r.Moved))
	}
	return lines
}

// Cleaning returns the rule by which a trace was cleaned and its consequences, on
// one line; "" without a trace.
func Cleaning(c *workload.Cleaning) string {
	if c == nil {
		return ""
	}
	return string(c.Rule) + ": " + strings.Join(CleaningLines(c), ", ")
}

// CleaningLines says of every kind of fault how many jobs have it and what
// happens to them; zeros are left out.
func CleaningLines(c *workload.Cleaning) []string {
	if list := sentences("cleaning", c); list != nil {
		return list
	}
	return []string{"nothing to do"}
}

// TraceFit is the facts of job classes that were fitted to a trace.
type TraceFit struct {
	File      string             `json:"file"`
	TraceFile *study.TraceFile   `json:"trace_file"`
	Version   string             `json:"version"`
	Subset    string             `json:"jobs"`
	Delay     study.Number       `json:"arrival_delay_factor"`
	Overrides []string           `json:"overrides"`
	Seed      uint64             `json:"seed"`
	Cleaning  *workload.Cleaning `json:"cleaning"`
	By        fit.By             `json:"by"`

	Nodes       int          `json:"nodes"`
	Parallel    study.Number `json:"parallel"`
	Fitted      int64        `json:"jobs_fitted"`
	Void        int64        `json:"jobs_void"`
	Wide        int64        `json:"jobs_too_wide"`
	Span        study.Number `json:"span_seconds"`
	Rate        study.Number `json:"rate"`
	Load        study.Number `json:"load"`
	Arrivals    fitArrivals  `json:"arrivals"`
	LengthSCV   study.Number `json:"length_scv"`
	WorkSCV     study.Number `json:"work_scv"`
	Correlation study.Number `json:"width_length_rank_correlation"`
	Half        study.Number `json:"work_in_jobs_wider_than_half"`
	TopWork     study.Number `json:"work_in_largest_hundredth"`
	Overrun     study.Number `json:"overrun"`
	Accuracy    study.Number `json:"run_time_over_estimate"`
	Silhouette  study.Number `json:"silhouette"`

	Classes  []fitClass `json:"classes"`
	Warnings []string   `json:"warnings"`
	YAML     string     `json:"scenario"`

	fit *fit.Result
}

type fitArrivals struct {
	Interarrival fitMoments      `json:"interarrival"`
	Lag1         study.Number    `json:"lag1_autocorrelation"`
	Dispersion   []fitDispersion `json:"dispersion"`
	KS           study.Number    `json:"ks"`
	Critical     study.Number    `json:"ks_limit"` // at 5 %
	P            study.Number    `json:"p"`
	Daily        study.Number    `json:"daily_cycle"`
	DailyP       study.Number    `json:"daily_cycle_p"`
	Weekly       study.Number    `json:"weekly_cycle"`
	WeeklyP      study.Number    `json:"weekly_cycle_p"`
}

type fitDispersion struct {
	Name    string       `json:"by"`
	Window  study.Number `json:"window_seconds"`
	Windows int          `json:"windows"`
	Index   study.Number `json:"index"`
}

type fitMoments struct {
	Mean study.Number `json:"mean"`
	SD   study.Number `json:"sd"`
	SCV  study.Number `json:"scv"`
}

func newFitMoments(m fit.Moments) fitMoments {
	return fitMoments{study.Number(m.Mean), study.Number(m.SD), study.Number(m.SCV())}
}

type fitClass struct {
	Name         string       `json:"name"`
	Pool         string       `json:"pool,omitempty"`
	Jobs         int64        `json:"jobs"`
	Rate         study.Number `json:"rate"`
	Share        study.Number `json:"share"`
	Load         study.Number `json:"load"`
	Interarrival fitMoments   `json:"interarrival"`
	RunTime      fitMoments   `json:"run_time"`
	Width        fitMoments   `json:"processors"`
	Work         fitMoments   `json:"work"`
	Correlation  study.Number `json:"width_length_rank_correlation"`
	Budget       fitMoments   `json:"budget"`
	Slack        fitMoments   `json:"slack"`
	Hard         bool         `json:"hard"`

	Dist       string       `json:"dist"`
	Length     fitMoments   `json:"length"`
	Correction study.Number `json:"length_over_run_time"`
	Second     bool         `json:"work_second_moment_preserved"`
	LengthKS   study.Number `json:"ks_length"`
	WorkKS     study.Number `json:"ks_work"`
	Tried      []fitTry     `json:"tried"`
	MeanPrice  study.Number `json:"mean_price"`
	Arrivals   string       `json:"arrivals"`
	Decay      study.Number `json:"decay"`
	MeanGrace  study.Number `json:"mean_grace"`
}

type fitTry struct {
	Dist string       `json:"dist"`
	KS   study.Number `json:"ks_length"`
}

// NewTraceFit returns the facts of a fit to a subject.
func NewTraceFit(s *study.Subject, f *fit.Result, version string, overrides []string, seed uint64) *TraceFit {
	cleaning := s.Trace.Cleaning()
	return &TraceFit{
		File: s.Scenario.Trace.File, TraceFile: s.TraceFile(), Version: version, Subset: s.Trace.Subset().String(),
		Delay: study.Number(s.Value), Overrides: overrides, Seed: seed,
		Cleaning: &cleaning, By: f.By, Nodes: f.Nodes, Parallel: study.Number(f.Parallel),
		Fitted: f.Jobs, Void: f.Void, Wide: f.Wide,
		Span: study.Number(f.Span), Rate: study.Number(f.Rate), Load: study.Number(f.Load),
		Arrivals: newFitArrivals(&f.Arrivals), LengthSCV: study.Number(f.LengthSCV), WorkSCV: study.Number(f.WorkSCV),
		Correlation: study.Number(f.Correlation), Half: study.Number(f.Half), TopWork: study.Number(f.TopWork),
		Overrun: study.Number(f.Overrun), Accuracy: study.Number(f.Accuracy), Silhouette: study.Number(f.Silhouette),
		Classes: text.Each(f.Classes, newFitClass), Warnings: append([]string{}, text.Each(f.Warnings, fit.Warning.String)...),
		fit: f,
	}
}

func newFitArrivals(a *fit.Arrivals) fitArrivals {
	return fitArrivals{
		Interarrival: newFitMoments(a.Gaps), Lag1: study.Number(a.Lag1),
		KS: study.Number(a.KS), Critical: study.Number(a.Critical), P: study.Number(a.P),
		Daily: study.Number(a.Daily), DailyP: study.Number(a.DailyP),
		Weekly: study.Number(a.Weekly), WeeklyP: study.Number(a.WeeklyP),
		Dispersion: text.Each(a.Dispersion, func(d fit.Dispersion) fitDispersion {
			return fitDispersion{d.Name, study.Number(d.Window), d.Windows, study.Number(d.Index)}
		}),
	}
}

func newFitClass(c fit.Class) fitClass {
	return fitClass{
		Name: c.Model.Name, Pool: c.Model.Pool, Jobs: c.Jobs, Rate: study.Number(c.Model.Rate),
		Share: study.Number(c.Share), Load: study.Number(c.Load),
		Interarrival: newFitMoments(c.Gaps), RunTime: newFitMoments(c.Length),
		Width: newFitMoments(c.Width), Work: newFitMoments(c.Work),
		Correlation: study.Number(c.Correlation), Budget: newFitMoments(c.Budget), Slack: newFitMoments(c.Slack),
		Hard: c.Hard, Dist: string(c.Kind), Length: newFitMoments(c.Equivalent),
		Correction: study.Number(c.Correction), Second: c.Second, Arrivals: c.Model.Arrivals.String(),
		LengthKS: study.Number(c.LengthKS()), WorkKS: study.Number(c.WorkKS),
		MeanPrice: study.Number(c.Model.MeanPrice()), Decay: study.Number(c.Model.Decay),
		MeanGrace: study.Number(c.Model.MeanGrace()),
		Tried:     text.Each(c.Tried, func(t fit.Try) fitTry { return fitTry{string(t.Kind), study.Number(t.KS)} }),
	}
}

// Scenario sets the scenario, with its origin at the top, and returns it.
func (r *TraceFit) Scenario(command string) ([]byte, error) {
	head := append([]string{
		fmt.Sprintf("Job classes of %s, jobs %s, arrival delay factor %s, cleaning %s, seed %d",
			filepath.Base(r.File), r.Subset, text.Plain(float64(r.Delay)), r.Cleaning.Rule, r.Seed),
		fmt.Sprintf("revopt %s: %s", r.Version, command),
	}, CleaningLines(r.Cleaning)...)
	if !slices.ContainsFunc(r.Classes, func(c fitClass) bool { return c.MeanPrice > 0 }) {
		head = append(head, "A trace states no prices, so that all are 0: state your own, here or with --price")
	}
	var b bytes.Buffer
	err := r.fit.WriteYAML(&b, append(head, "")...)
	r.YAML = b.String()
	return b.Bytes(), err
}

// TraceLike is the facts of a model of the users of a trace, and the likeness of
// generated traces.
type TraceLike struct {
	File      string           `json:"file"`
	TraceFile *study.TraceFile `json:"trace_file"`
	Out       string           `json:"out"`
	Version   string           `json:"version"`
	Seed      uint64           `json:"seed"`
	Span      study.Number     `json:"span_seconds"` // generated
	Jobs      int64            `json:"jobs_fitted"`
	By        string           `json:"users_are"`
	Users     int              `json:"users"`
	Sessions  int              `json:"sessions"`
	Kinds     int              `json:"kinds"`
	Repeat    study.Number     `json:"repeat"`
	Gaps      study.Number     `json:"correlation_of_gaps"`
	Lengths   study.Number     `json:"correlation_of_run_times"`
	Damping   study.Number     `json:"damping"`
	Traces    int              `json:"traces"`
	Figures   []LikeFigure     `json:"figures"`
}

// LikeFigure is a figure of likeness.
type LikeFigure struct {
	Name  string       `json:"name"`
	Trace study.Number `json:"trace"`
	Mean  study.Number `json:"mean"`
	Low   study.Number `json:"q05"`
	High  study.Number `json:"q95"`
}

// NewTraceLike returns the facts of a model, without figures of likeness.
func NewTraceLike(m *workload.Like, file, out, version string, seed uint64, span float64) *TraceLike {
	return &TraceLike{
		File: file, TraceFile: study.NewTraceFile(file, m.Header.Unit(), m.Nodes),
		Out: out, Version: version, Seed: seed, Span: study.Number(span), Jobs: m.Jobs, By: m.By,
		Users: m.Users, Sessions: m.Sessions, Kinds: m.Kinds, Repeat: study.Number(m.Repeat),
		Gaps: study.Number(m.Chain.Gaps), Lengths: study.Number(m.Chain.Lengths),
		Damping: study.Number(m.Damping), Figures: []LikeFigure{},
	}
}

// Add adds the figures of likeness of so many generated traces.
func (r *TraceLike) Add(traces int, figures []workload.LikeFigure) {
	r.Traces = traces
	for _, f := range figures {
		r.Figures = append(r.Figures, LikeFigure{f.Name, study.Number(f.Trace), study.Number(f.Mean),
			study.Number(f.Low), study.Number(f.High)})
	}
}

// Table writes the figures for a terminal.
func (r *TraceLike) Table(w io.Writer) {
	fmt.Fprintf(w, "model of %s: %s of %s in %s, %s of job\n", text.OneLine(r.File), text.Plural(int(r.Jobs), "job"),
		text.Plural(r.Users, r.By), text.Plural(r.Sessions, "session"), text.Plural(r.Kinds, "kind"))
	fmt.Fprintf(w, "the same kind again %.2f, correlation of gaps %.2f, of run times %.2f; damping %.2f\n\n",
		r.Repeat, r.Gaps, r.Lengths, r.Damping)
	number := func(x study.Number) string {
		if math.IsNaN(float64(x)) {
			return "-"
		}
		return text.Short(float64(x))
	}
	t := text.NewTable(fmt.Sprintf("%d generated traces", r.Traces), "trace", "mean", "5 %", "95 %")
	for _, f := range r.Figures {
		title := cmp.Or(said("like-"+f.Name, nil), strings.ReplaceAll(f.Name, "_", " "))
		t.Row(title, number(f.Trace), number(f.Mean), number(f.Low), number(f.High))
	}
	t.Print(w)
}

package report

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"revopt/internal/text"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// TraceLike is the facts of a model of the users of a trace, and the likeness of
// generated traces.
type TraceLike struct {
	File     string       `json:"file"`
	Out      string       `json:"out"`
	Version  string       `json:"version"`
	Seed     uint64       `json:"seed"`
	Span     study.Number `json:"span_seconds"` // generated
	Jobs     int64        `json:"jobs_fitted"`
	By       string       `json:"users_are"`
	Users    int          `json:"users"`
	Sessions int          `json:"sessions"`
	Kinds    int          `json:"kinds"`
	Repeat   study.Number `json:"repeat"`
	Gaps     study.Number `json:"correlation_of_gaps"`
	Lengths  study.Number `json:"correlation_of_run_times"`
	Damping  study.Number `json:"damping"`
	Traces   int          `json:"traces"`
	Figures  []LikeFigure `json:"figures"`
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
		File: file, Out: out, Version: version, Seed: seed, Span: study.Number(span), Jobs: m.Jobs, By: m.By,
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
		t.Row(cmp.Or(likeTitle(f.Name), f.Name), number(f.Trace), number(f.Mean), number(f.Low), number(f.High))
	}
	t.Print(w)
}

// likeTitle is the name of a figure in words.
func likeTitle(name string) string {
	return map[string]string{
		"ks_widths":                 "KS widths",
		"ks_run_times":              "KS run times",
		"ks_run_time_over_estimate": "KS run time/estimate",
		"ks_interarrival_times":     "KS interarrival times",
		"daily_cycle_correlation":   "daily cycle correlation",
		"daily_cycle_distance":      "daily cycle distance",
		"jobs_per_day":              "jobs per day",
		"load":                      "offered load",
		"serial_share":              "share of one processor",
		"powers_of_two":             "share of powers of two",
		"hourly_autocorrelation_1":  "hourly correlation, 1 h",
		"hourly_autocorrelation_24": "hourly correlation, 24 h",
		"weekly_work_variation":     "variation of weekly work",
	}[name]
}

package main

import (
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// likeTraces is how many generated traces the figures of likeness are of.
const likeTraces = 20

// likeReport is a model fitted to a trace, and how like it generated traces are.
type likeReport struct {
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
	Figures  []likeFigure `json:"figures"`
}

type likeFigure struct {
	Name  string       `json:"name"`
	Trace study.Number `json:"trace"`
	Mean  study.Number `json:"mean"`
	Low   study.Number `json:"q05"`
	High  study.Number `json:"q95"`
}

func (p *program) traceLike(c *cli.Context) error {
	file, out, seed := c.String("like"), c.String("out"), c.Uint64("seed")
	switch weeks := c.Float64("weeks"); {
	case c.NArg() > 0 || c.IsSet("set") || c.IsSet("load") || c.IsSet("growth"):
		return usagef("trace generate: expected either --like FILE or SCENARIO")
	case c.IsSet("weeks") && c.IsSet("jobs"):
		return usagef("trace generate: expected --jobs or --weeks, got both")
	case c.IsSet("weeks") && (!(weeks > 0) || weeks > 10000):
		return usagef("--weeks: expected a number above 0, of at most 10000, got %g", weeks)
	case c.Bool("json") && out == "":
		return usagef("trace generate: expected -o FILE with --json")
	}
	m, err := workload.FitLike(c.Context, workload.Selection{File: file})
	if err != nil {
		return err
	}
	span := m.Span
	if c.IsSet("weeks") {
		span = 7 * 86400 * c.Float64("weeks")
	}
	var jobs workload.Records = m.Generate(span, seed, 0)
	if c.IsSet("jobs") {
		if jobs, span, err = m.Take(c.Context, int64(c.Int("jobs")), seed, 0); err != nil {
			return err
		}
	}
	r := &likeReport{
		File: file, Out: out, Version: build().Version, Seed: seed, Span: study.Number(span), Jobs: m.Jobs, By: m.By, Users: m.Users, Sessions: m.Sessions, Kinds: m.Kinds,
		Repeat: study.Number(m.Repeat), Gaps: study.Number(m.Chain.Gaps), Lengths: study.Number(m.Chain.Lengths), Damping: study.Number(m.Damping), Figures: []likeFigure{},
	}
	header := append(m.NewHeader().Lines, fmt.Sprintf("; Note: revopt %s: %s", r.Version, text.OneLine(commandLine(p.args))))
	if out == "" {
		err = writeSWF(c, out, p.stdout, header, jobs, nil)
	} else {
		err = safefile.Guard{Inputs: []string{file}}.Write(out, func(w io.Writer) error { return writeSWF(c, out, w, header, jobs, nil) })
	}
	if err != nil {
		return err
	}
	if !c.Bool("quiet") || c.Bool("json") {
		figures, err := m.Figures(c.Context, span, likeTraces, seed)
		if err != nil {
			return err
		}
		r.Traces = likeTraces
		for _, f := range figures {
			r.Figures = append(r.Figures, likeFigure{f.Name, study.Number(f.Trace), study.Number(f.Mean), study.Number(f.Low), study.Number(f.High)})
		}
	}
	if c.Bool("json") {
		return p.printJSON(r)
	}
	if out != "" {
		fmt.Fprintln(p.stdout, text.OneLine(out))
	}
	if !c.Bool("quiet") {
		r.print(p.stderr)
	}
	return nil
}

// print writes the figures for a person to read.
func (r *likeReport) print(w io.Writer) {
	fmt.Fprintf(w, "model of %s: %s of %s in %s, %s of %s\n", text.OneLine(r.File), text.Plural(int(r.Jobs), "job"), text.Plural(r.Users, r.By),
		text.Plural(r.Sessions, "session"), text.Plural(r.Kinds, "kind"), "job")
	fmt.Fprintf(w, "the same kind again %.2f, correlation of gaps %.2f, of run times %.2f; damping %.2f\n\n", r.Repeat, r.Gaps, r.Lengths, r.Damping)
	number := func(x study.Number) string {
		if math.IsNaN(float64(x)) {
			return "-"
		}
		return text.Short(float64(x))
	}
	t := text.NewTable(fmt.Sprintf("%d generated traces", r.Traces), "trace", "mean", "5 %", "95 %")
	for _, f := range r.Figures {
		t.Row(likeTitle(f.Name), number(f.Trace), number(f.Mean), number(f.Low), number(f.High))
	}
	t.Print(w)
}

// likeTitle is the name of a figure in words.
func likeTitle(name string) string {
	return map[string]string{
		"ks_widths": "KS widths", "ks_run_times": "KS run times", "ks_run_time_over_estimate": "KS run time/estimate",
		"ks_interarrival_times": "KS interarrival times", "daily_cycle_correlation": "daily cycle correlation",
		"daily_cycle_distance": "daily cycle distance", "jobs_per_day": "jobs per day", "load": "offered load", "serial_share": "share of one processor",
		"powers_of_two": "share of powers of two", "hourly_autocorrelation_1": "hourly correlation, 1 h", "hourly_autocorrelation_24": "hourly correlation, 24 h",
		"weekly_work_variation": "variation of weekly work",
	}[name]
}

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// traceSimReport is what simulate prints of a trace.
type traceSimReport struct {
	Scenario     string           `json:"scenario"`
	Version      string           `json:"version"`
	Overrides    []string         `json:"overrides"`
	Trace        string           `json:"trace"`
	Subset       string           `json:"jobs"`
	DelayFactor  number           `json:"arrival_delay_factor"`
	Nodes        int              `json:"nodes"`
	Seed         uint64           `json:"seed"`
	Replications int              `json:"replications"`
	Level        number           `json:"level"`
	Precision    *precisionReport `json:"precision"` // null where none was asked for
	Interrupted  bool             `json:"interrupted"`
	Cleaning     cleaningReport   `json:"cleaning"`
	Policies     []traceRow       `json:"policies"`
	Warnings     []string         `json:"warnings"`

	qos bool
}

// traceRow is one policy.
type traceRow struct {
	policy  chosenPolicy
	total   traceFigures
	names   []string // of the classes
	classes []traceFigures
}

// traceFigures are the estimates of all figures of merit, in the order of
// metric.TraceFigures.
type traceFigures []estimate

func (f traceFigures) get(name string) estimate {
	for i, figure := range metric.TraceFigures() {
		if figure.Name == name {
			return f[i]
		}
	}
	panic("revopt: no figure " + name)
}

func (f traceFigures) members() object {
	var o object
	for i, figure := range metric.TraceFigures() {
		o = append(o, member{figure.Name, f[i]})
	}
	return o
}

func (r traceRow) MarshalJSON() ([]byte, error) {
	classes := make([]object, len(r.classes))
	for i, f := range r.classes {
		classes[i] = append(object{{"name", r.names[i]}}, f.members()...)
	}
	o := append(object{{"name", r.policy.name}, {"options", optionMembers(r.policy.options)}}, r.total.members()...)
	return append(o, member{"classes", classes}).MarshalJSON()
}

// newTraceSimReport estimates everything from the samples of a run.
func newTraceSimReport(r *traceSimulation, compared sweep.Compared, overrides []string) *traceSimReport {
	s := &traceSimReport{
		Scenario: r.sc.Name, Version: build().Version, Overrides: append([]string{}, overrides...),
		Trace: r.sc.File, Subset: r.jobs.Subset().String(), DelayFactor: number(r.sc.Delay), Nodes: r.jobs.Nodes(),
		Seed: r.options.seed, Replications: compared.Replications(), Level: number(r.options.level),
		Cleaning: newCleaningReport(r.jobs.Cleaning()), Warnings: append([]string{}, machineWarnings(r.sc, r.jobs)...), qos: r.sc.QoS != nil,
	}
	if stop := r.options.stop; stop != nil {
		s.Precision = &precisionReport{stop.Figure.Name, number(stop.Precision.Relative), compared.Met}
		if !compared.Met {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%d replications do not make the interval of %s as narrow as %s of its mean",
				s.Replications, stop.Figure.Name, percent(stop.Precision.Relative)))
		}
	}
	for i, p := range r.options.policies {
		row := traceRow{policy: p, total: traceEstimates(compared.Outcomes[i], -1), names: sweep.TraceClasses(r.sc)}
		for class := range row.names {
			row.classes = append(row.classes, traceEstimates(compared.Outcomes[i], class))
		}
		s.Policies = append(s.Policies, row)
	}
	return s
}

// traceEstimates returns the figures of a class, of all jobs for class < 0.
func traceEstimates(outcome sweep.Outcome, class int) traceFigures {
	var f traceFigures
	for _, figure := range metric.TraceFigures() {
		f = append(f, newEstimate(outcome.Interval(figure, class)))
	}
	return f
}

// printTraceSim writes what the command line asks for.
func (p *program) printTraceSim(c *cli.Context, s *traceSimReport) error {
	if path := c.String("csv"); path != "" {
		if err := writeTable(path, s.provenance(p.args), s.records()); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return p.printJSON(s)
	}
	s.print(p.stdout, c.Bool("classes"))
	return p.warn(c, s.Warnings)
}

// print writes the report for a person to read.
func (s *traceSimReport) print(w io.Writer, classes bool) {
	fmt.Fprintf(w, "%s: %s of %s on %s, arrival delay factor %s\n", oneLine(s.Scenario), plural(int(s.Cleaning.Left), "job"),
		oneLine(filepath.Base(s.Trace)), plural(s.Nodes, "node"), plain(float64(s.DelayFactor)))
	fmt.Fprintf(w, "cleaning %s: %s\n", s.Cleaning.Rule, strings.Join(orNothing(s.Cleaning.lines()), ", "))
	fmt.Fprintf(w, "%s, seed %d; ± is %s confidence\n\n", plural(s.Replications, "replication"), s.Seed, percentOf(float64(s.Level)))
	t := s.newTable("policy")
	for _, p := range s.Policies {
		s.row(t, p.policy.label, p.total)
	}
	t.print(w)
	for _, p := range s.Policies {
		if !s.qos || !classes && len(s.Policies) > 1 {
			break
		}
		fmt.Fprintf(w, "\n")
		t := s.newTable(p.policy.label)
		for i, name := range p.names {
			s.row(t, name+" urgency", p.classes[i])
		}
		t.print(w)
	}
}

// newTable returns a table whose rows are policies or classes.
func (s *traceSimReport) newTable(first string) *table {
	if !s.qos {
		return newTable(first, "completed", "used", "mean wait", "bounded slowdown")
	}
	return newTable(first, "QoS kept", "profit", "utility $", "accepted", "late", "used", "mean wait")
}

func (s *traceSimReport) row(t *table, name string, f traceFigures) {
	if !s.qos {
		t.row(name, f.get("jobs_completed").times(1), f.get("utilization").percent(), f.get("mean_wait").duration(), f.get("mean_bounded_slowdown").times(1))
		return
	}
	t.row(name, f.get("job_qos_satisfaction").percent(), f.get("cluster_profitability").percent(), f.get("utility").times(1),
		f.get("acceptance").percent(), f.get("jobs_late").times(1), f.get("utilization").percent(), f.get("mean_wait").duration())
}

// provenance says where the numbers of the report come from.
func (s *traceSimReport) provenance(args []string) plots.Provenance {
	return plots.Provenance{
		Version: s.Version, Scenario: s.Scenario, Seed: &s.Seed, Command: commandLine(args),
		Cleaning: s.Cleaning.Rule + ": " + strings.Join(orNothing(s.Cleaning.lines()), "; "),
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(s.Overrides, ", ")},
			{Key: "trace", Value: s.Trace},
			{Key: "jobs", Value: s.Subset},
			{Key: "replications", Value: strconv.Itoa(s.Replications)},
		},
	}
}

// records are the rows of the CSV file: one for each figure, of all jobs where
// no class is named.
func (s *traceSimReport) records() [][]string {
	rows := [][]string{{"policy", "options", "class", "metric", "mean", "half_width", "level", "n"}}
	add := func(p chosenPolicy, class string, f traceFigures) {
		for i, figure := range metric.TraceFigures() {
			e := f[i]
			rows = append(rows, append([]string{p.name, optionWords(p.options), class, figure.Name},
				append(fields(e.Mean, e.HalfWidth, e.Level), strconv.Itoa(e.N))...))
		}
	}
	for _, p := range s.Policies {
		add(p.policy, "", p.total)
		for i, name := range p.names {
			add(p.policy, name, p.classes[i])
		}
	}
	return rows
}

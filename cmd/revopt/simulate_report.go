package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
)

// simulateReport is what the command prints.
type simulateReport struct {
	Scenario     string           `json:"scenario"`
	Version      string           `json:"version"`
	Overrides    []string         `json:"overrides"`
	Load         number           `json:"load"`
	Nodes        int              `json:"nodes"`
	Seed         uint64           `json:"seed"`
	Replications int              `json:"replications"`
	Jobs         *int             `json:"jobs"`    // per replication; null where the horizon says how long
	Horizon      *number          `json:"horizon"` // s; null where the jobs say how long
	Warmup       warmupReport     `json:"warmup"`
	Level        number           `json:"level"`
	Precision    *precisionReport `json:"precision"` // null where none was asked for
	Interrupted  bool             `json:"interrupted"`
	Cleaning     *struct{}        `json:"cleaning"` // null: there is no trace to clean
	Policies     []rowReport      `json:"policies"`
	Differences  []rowDifference  `json:"differences"` // of the others, less the first
	Warnings     []string         `json:"warnings"`

	sc  *scenario.Scenario
	run *simulation
}

// warmupReport is the beginning of each replication that is left out.
type warmupReport struct {
	Method   string `json:"method"`   // stated or mser
	Fraction number `json:"fraction"` // of the jobs or the horizon
	Seconds  number `json:"seconds"`
}

type precisionReport struct {
	Metric   string `json:"metric"`
	Relative number `json:"relative"`
	Met      bool   `json:"met"`
}

// estimate is a mean over replications and its interval.
type estimate struct {
	Mean      number `json:"mean"`
	HalfWidth number `json:"half_width"`
	Level     number `json:"level"`
	N         int    `json:"n"`
}

func newEstimate(i metric.Interval) estimate {
	return estimate{number(i.Mean), number(i.HalfWidth), number(i.Level), i.N}
}

// figures are the estimates of all figures of merit, in the order of
// metric.Figures.
type figures []estimate

// get returns a figure by its name.
func (f figures) get(name string) estimate {
	for i, figure := range metric.Figures() {
		if figure.Name == name {
			return f[i]
		}
	}
	panic("revopt: no figure " + name)
}

// members returns the figures as members of a JSON object.
func (f figures) members() object {
	var o object
	for i, figure := range metric.Figures() {
		o = append(o, member{figure.Name, f[i]})
	}
	return o
}

// rowReport is one policy with one admission.
type rowReport struct {
	row     simulateRow
	label   string
	total   figures
	classes []classFigures
}

type classFigures struct {
	name  string
	admit float64
	figures
}

func (r rowReport) MarshalJSON() ([]byte, error) {
	classes := make([]object, len(r.classes))
	for i, c := range r.classes {
		classes[i] = append(object{{"name", c.name}, {"admit", number(c.admit)}}, c.members()...)
	}
	o := append(r.row.members(), r.total.members()...)
	return append(o, member{"classes", classes}).MarshalJSON()
}

// members identify a row in a JSON object.
func (r simulateRow) members() object {
	return object{
		{"name", r.policy.name},
		{"options", optionMembers(r.policy.options)},
		{"admission", object{{"name", r.admission.name}, {"admit", r.admission.admit}}},
	}
}

// optionMembers returns options as members of a JSON object: true, false and
// numbers as such, words as text.
func optionMembers(options policy.Settings) object {
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		var value any = options[name]
		if x, err := strconv.ParseFloat(options[name], 64); err == nil {
			value = number(x)
		} else if yes, err := strconv.ParseBool(options[name]); err == nil {
			value = yes
		}
		o = append(o, member{name, value})
	}
	return o
}

// rowDifference is a row less the first one, by replication.
type rowDifference struct {
	row    simulateRow
	label  string
	versus string
	total  figures
}

func (d rowDifference) MarshalJSON() ([]byte, error) {
	o := append(d.row.members(), member{"versus", d.versus})
	return append(o, d.total.members()...).MarshalJSON()
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(append(append(name, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// newSimulateReport estimates everything from the samples of a run.
func newSimulateReport(r *simulation, compared sweep.Compared, overrides []string) *simulateReport {
	sim := r.sc.Simulation
	s := &simulateReport{
		Scenario: r.sc.Name, Version: build().Version, Overrides: append([]string{}, overrides...),
		Load: number(r.sc.Load), Nodes: r.sc.Nodes,
		Seed: r.options.seed, Replications: compared.Replications(), Level: number(r.options.level),
		Warmup:      warmupReport{"stated", number(sim.Warmup.Fraction), number(sim.Warmup.Seconds)},
		Differences: []rowDifference{},
		sc:          r.sc, run: r,
	}
	if r.warmup != nil {
		s.Warmup.Method = warmupMSER
	}
	if horizon := number(sim.Horizon); horizon > 0 {
		s.Horizon = &horizon
	} else {
		s.Jobs = &sim.Jobs
	}
	if stop := r.options.stop; stop != nil {
		s.Precision = &precisionReport{stop.Figure.Name, number(stop.Precision.Relative), compared.Met}
	}
	for i, row := range r.rows {
		s.Policies = append(s.Policies, newRowReport(row, r.label(row), compared.Outcomes[i]))
		if i > 0 {
			s.Differences = append(s.Differences, rowDifference{row, r.label(row), r.label(r.rows[0]), differences(compared, i)})
		}
	}
	s.Warnings = r.warnings(compared)
	return s
}

func newRowReport(row simulateRow, label string, outcome sweep.Outcome) rowReport {
	r := rowReport{row: row, label: label, total: estimates(outcome, -1)}
	for i, class := range row.experiment.Scenario.Classes {
		r.classes = append(r.classes, classFigures{class.Name, row.admission.admit[i], estimates(outcome, i)})
	}
	return r
}

// estimates returns the figures of a class, of all jobs for class < 0.
func estimates(outcome sweep.Outcome, class int) figures {
	var f figures
	for _, figure := range metric.Figures() {
		f = append(f, newEstimate(outcome.Interval(figure, class)))
	}
	return f
}

// differences returns the figures of row i less those of the first.
func differences(compared sweep.Compared, i int) figures {
	var f figures
	for _, figure := range metric.Figures() {
		f = append(f, newEstimate(compared.Difference(figure, -1, i, 0)))
	}
	return f
}

// label names a row by what tells it from the others.
func (r *simulation) label(row simulateRow) string {
	switch {
	case len(r.options.policies) == 1:
		return row.admission.name
	case len(r.wishes) == 1:
		return row.policy.label
	}
	return row.policy.label + " " + row.admission.name
}

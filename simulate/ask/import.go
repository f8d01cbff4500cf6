package ask

import (
	"fmt"
	"path/filepath"
	"strings"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Import is a log that became a trace. The zero value is a trace that needed no import.
type Import struct {
	File   string // of the log, "" if there was none
	Out    string // of the trace; "" is standard output
	Format workload.LogFormat
	slurm.ImportFacts

	header workload.Header
}

// NewImport returns the facts of an import from one file into another.
func NewImport(log *slurm.Imported, file, out string) *Import {
	return &Import{File: file, Out: out, Format: log.Format, ImportFacts: log.ImportFacts, header: log.Header}
}

// unlike reports whether pools count in different units: sums of them mean nothing.
func (m *Import) unlike() bool {
	return text.Differ(m.Pools, func(p slurm.Pool) string { return p.Unit })
}

// Answer says what became of the log.
func (m *Import) Answer() answer.Answer {
	a := answer.Answer{Command: "trace import", Scenario: filepath.Base(m.File), Values: []answer.Named{
		count(m.Jobs).As("jobs"), count(m.Lines).As("lines"), answer.Word(string(m.Format)).As("format")}}
	facts := []answer.Named{answer.Maybe(m.Out).As("file"), count(m.Jobs).As("jobs"), count(m.Lines).As("lines"),
		answer.Word(string(m.Format)).As("format")}
	if !m.unlike() {
		unit := text.Unit(m.header.Unit())
		a.Values = append(a.Values, count(m.Procs).As("units_busy"), answer.Word(unit).As("unit"))
		facts = append(facts, answer.Word(text.Plural(m.Procs, unit)).As("busy"))
	}
	a.Values = append(a.Values, fileValues(subject.NewTraceFile(m.File, m.header.Unit(), m.header.Nodes()), "all")...)
	a.Headline = answer.New("WRITTEN", facts...)
	a.Tables = append([]answer.Table{m.counts()}, m.pools()...)
	a.Warnings = m.warnings()
	return a
}

// warnings are why the trace may mislead.
func (m *Import) warnings() []answer.Fact { return stated("LOG", m.Warnings) }

// stated returns warnings that have their sentences as facts of a code.
func stated(code string, list []slurm.Warning) []answer.Fact {
	return text.Each(list, func(w slurm.Warning) answer.Fact {
		return answer.New(code, answer.Word(w.Kind).As("kind"), answer.Word(text.OneLine(w.Text)).As("text"))
	})
}

// counts is the table of what was left out, merged, repaired or kept.
func (m *Import) counts() answer.Table {
	t := answer.Table{Name: "counts", Columns: []answer.Column{
		{Name: "reason", Unit: answer.Text, Means: "name of what was found in the log"},
		{Name: "count", Unit: answer.Count, Means: "of jobs or lines"},
		{Name: "fate", Unit: answer.Text, Means: "left out, merged, repaired or kept"},
		{Name: "means", Unit: answer.Text, Means: "what was found", Quiet: true},
	}}
	for _, c := range m.Counts {
		if c.N > 0 {
			t.Rows = append(t.Rows, []answer.Value{answer.Word(c.Name), count(c.N), answer.Word(c.Fate),
				answer.Word(c.Text)})
		}
	}
	return t
}

// pools is the table of the pools of a log; none if it was not divided.
func (m *Import) pools() []answer.Table {
	if len(m.Pools) == 0 {
		return nil
	}
	t := answer.Table{Name: "pools", Shown: true, Columns: []answer.Column{
		{Name: "pool", Unit: answer.Text, Means: "name"},
		{Name: "units", Unit: answer.Count, Means: "as stated, else the most in use at one time"},
		{Name: "unit", Unit: answer.Text, Means: "word for one of them"},
		{Name: "jobs", Unit: answer.Count, Means: "of the pool"},
		{Name: "of", Unit: answer.Text, Means: "the jobs that it takes, as a scenario states them; none: all others"},
		{Name: "stated", Unit: answer.Truth, Means: "a header or a configuration states the units: no guess"},
	}}
	for _, p := range m.Pools {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(p.Name), count(p.Units), answer.Word(p.Unit), count(p.Jobs),
			answer.Maybe(selectorOf(p)), answer.Yes(p.Stated)})
	}
	return []answer.Table{t}
}

// selectorOf returns the jobs that a pool takes as a scenario states them; "" for all others.
func selectorOf(p slurm.Pool) string {
	if p.By == "" {
		return ""
	}
	parties := p.Parties
	if parties == nil {
		parties = []string{p.Party}
	}
	if !p.Numbered {
		parties = text.Each(parties, quoted)
	}
	return fmt.Sprintf("{%s: [%s]}", p.By, strings.Join(parties, ", "))
}

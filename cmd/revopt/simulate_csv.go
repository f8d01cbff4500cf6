package main

import (
	"strconv"
	"strings"

	"revopt/plots"
	"revopt/simulate/metric"
)

// provenance says where the numbers of the report come from.
func (s *simulateReport) provenance(args []string) plots.Provenance {
	prov := plots.Provenance{
		Version:  s.Version,
		Scenario: s.Scenario,
		Seed:     &s.Seed,
		Command:  commandLine(args),
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(s.Overrides, ", ")},
			{Key: "replications", Value: strconv.Itoa(s.Replications)},
			{Key: "length", Value: s.length()},
			{Key: "warmup", Value: s.warmupWords()},
		},
	}
	for _, p := range s.Policies {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "admission " + p.label, Value: admitWords(p.row.admission.admit)})
	}
	return prov
}

// admitWords writes probabilities as --admission takes them.
func admitWords(admit []float64) string {
	words := make([]string, len(admit))
	for i, q := range admit {
		words[i] = field(number(q))
	}
	return strings.Join(words, ",")
}

// records are the rows of the CSV file: one for each figure, of all jobs where
// no class is named, and one for each difference from the row under versus.
func (s *simulateReport) records() [][]string {
	rows := [][]string{{"policy", "options", "admission", "versus", "class", "metric", "mean", "half_width", "level", "n"}}
	add := func(row simulateRow, versus, class string, f figures) {
		for i, figure := range metric.Figures() {
			e := f[i]
			rows = append(rows, append([]string{row.policy.name, optionWords(row.policy.options), row.admission.name, versus, class, figure.Name},
				append(fields(e.Mean, e.HalfWidth, e.Level), strconv.Itoa(e.N))...))
		}
	}
	for _, p := range s.Policies {
		add(p.row, "", "", p.total)
		for _, c := range p.classes {
			add(p.row, "", c.name, c.figures)
		}
	}
	for _, d := range s.Differences {
		add(d.row, d.versus, "", d.total)
	}
	return rows
}

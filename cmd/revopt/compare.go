package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

func (p *program) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "one saved result against another, paired where they have the same jobs",
		ArgsUsage: "A B [flags]",
		Description: `Sets two results that were kept with --save against each other, policy by policy,
else the first of A against the first of B. Where replication k has the same jobs in
both, whatever the machine, the prices and the policies are, differences are paired,
so that the luck of the jobs cancels; else they are those of independent means
(Welch), and the reason is printed.

Examples:
  revopt simulate sp2-like --save now.json
  revopt simulate sp2-like --set trace.nodes=144 --save more.json
  revopt compare now.json more.json`,
		Flags: []cli.Flag{
			jsonFlag(), csvFlag("all measures"),
			&cli.BoolFlag{Name: "classes", Usage: "compare every class as well"},
			quietFlag("warnings"),
		},
		Action: p.compare,
	}
}

func (p *program) compare(c *cli.Context) error {
	if err := exactly(c, "A", "B"); err != nil {
		return err
	}
	var sides [2]*study.Result
	for i := range sides {
		var err error
		if sides[i], err = loaded(c.Args().Get(i), report.Load); err != nil {
			return err
		}
		p.noteBuild(c, c.Args().Get(i), sides[i].Version, sides[i].Build)
	}
	found := study.Compare(sides[0], sides[1])
	report.Fill(found)
	t := contrast{found}
	prov := plots.Provenance{Version: build().Version, Command: commandLine(p.args), Extra: []plots.Pair{{Key: "a", Value: found.A.Command}, {Key: "b", Value: found.B.Command}, {Key: "differences", Value: found.Why}}}
	prov.Extra = append(prov.Extra, report.Marks(found.Warnings)...)
	return p.deliver(c, found, func(w io.Writer) { t.print(w, c.Bool("classes")) }, found.Warnings, csvFile(c, prov, t.records))
}

// contrast is two results as they are printed.
type contrast struct{ *study.Contrast }

func (t contrast) print(w io.Writer, classes bool) {
	for i, r := range []*study.Result{t.A, t.B} {
		words := fmt.Sprintf("%s: %s, %s, seed %d", r.Scenario, r.What, text.Plural(r.Replications, "replication"), r.Seed)
		if len(r.Overrides) > 0 {
			words += ", with " + strings.Join(r.Overrides, ", ")
		}
		fmt.Fprintf(w, "%s  %s\n", "AB"[i:i+1], text.OneLine(words))
	}
	confidence := ""
	if t.Replications > 1 {
		confidence = report.Level(t.A)
	}
	fmt.Fprintf(w, "%s%s\n", t.Why, confidence)
	for i, r := range []*study.Result{t.A, t.B} {
		if r.Resampled != nil && (i == 0 || r.Covers != t.A.Covers) {
			fmt.Fprintln(w, strings.Join(text.Wrapped(r.Covers, 100), "\n"))
		}
	}
	for _, row := range t.Rows {
		name := text.OneLine(row.A)
		if row.A != row.B {
			name += " in A, " + text.OneLine(row.B) + " in B"
		}
		t.table(w, name, row.Total, row.Efficiency)
		for _, customer := range row.Customers {
			if classes {
				t.table(w, name+", class "+text.OneLine(customer.Name), customer.Measures, nil)
			}
		}
	}
	for i, only := range [][]string{t.OnlyA, t.OnlyB} {
		if only != nil {
			fmt.Fprintf(w, "\nin %s alone: %s\n", "AB"[i:i+1], text.OneLine(strings.Join(only, ", ")))
		}
	}
}

// table prints measures side by side.
func (t contrast) table(w io.Writer, name string, list []study.Versus, efficiency *study.Versus) {
	both := make([]study.Estimates, 2)
	for _, v := range list {
		both[0], both[1] = append(both[0], v.A), append(both[1], v.B)
	}
	rows := [][]string{{name, "A", "B", "B less A", ""}}
	add := func(heading string, v study.Versus, format func(study.Estimate) string) {
		rows = append(rows, []string{heading, format(v.A), format(v.B), signed(v.Difference, format), t.doubt(v)})
	}
	if efficiency != nil {
		add("efficiency", *efficiency, percentage)
	}
	for _, column := range (simulated{t.A}).columns(both) {
		for i, m := range metric.Measures() {
			if m.Name == column.measure {
				add(column.heading, list[i], column.format)
			}
		}
	}
	fmt.Fprintln(w)
	text.PrintTable(w, rows)
}

// signed formats a difference, of shares in percentage points.
func signed(e study.Estimate, format func(study.Estimate) string) string {
	sign := "+"
	switch {
	case e.Mean < 0:
		sign, e.Mean = "-", -e.Mean
	case e.Mean == 0 || math.IsNaN(float64(e.Mean)):
		sign = ""
	}
	words := format(e)
	if rest, ok := strings.CutSuffix(words, " %"); ok {
		words = rest + " points"
	}
	return sign + words
}

// doubt says of a difference that it may be chance.
func (t contrast) doubt(v study.Versus) string {
	half := float64(v.Difference.HalfWidth)
	if v.Sure() || v.Difference.Mean == 0 && half == 0 || math.IsInf(half, 0) || math.IsNaN(float64(v.Difference.Mean)) {
		return ""
	}
	return "perhaps by chance"
}

// records are the rows of the CSV file.
func (t contrast) records() [][]string {
	rows := [][]string{{"a", "b", "class", "metric", "a_mean", "a_half_width", "b_mean", "b_half_width", "difference", "half_width", "level", "n", "paired"}}
	add := func(row study.ContrastRow, class, measure string, v study.Versus) {
		cells := append([]string{row.A, row.B, class, measure}, fields(v.A.Mean, v.A.HalfWidth, v.B.Mean, v.B.HalfWidth, v.Difference.Mean, v.Difference.HalfWidth, v.Difference.Level)...)
		rows = append(rows, append(cells, strconv.Itoa(v.Difference.N), strconv.FormatBool(t.Paired)))
	}
	for _, row := range t.Rows {
		for i, m := range metric.Measures() {
			add(row, "", m.Name, row.Total[i])
		}
		if row.Efficiency != nil {
			add(row, "", "efficiency", *row.Efficiency)
		}
		for _, c := range row.Customers {
			for i, m := range metric.Measures() {
				add(row, c.Name, m.Name, c.Measures[i])
			}
		}
	}
	return rows
}

package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/compare"
	"revopt/simulate/warn"
)

// Contrast shows two results side by side.
type Contrast struct {
	*compare.Contrast
	ByClass          bool   // shows every class as well
	Explain          bool   // shows who is affected
	Version, Command string // that compare them
}

func (t Contrast) Facts() (any, []warn.Warning) { return t.Contrast, t.Warnings }

// Table writes a table of measures for each row that both results have.
func (t Contrast) Table(w io.Writer) {
	sides := []*study.Result{t.A, t.B}
	for i, r := range sides {
		words := fmt.Sprintf("%s: %s, %s, seed %d", r.Scenario, r.What, text.Plural(r.Replications, "replication"),
			r.Seed)
		if len(r.Overrides) > 0 {
			words += ", with " + strings.Join(r.Overrides, ", ")
		}
		fmt.Fprintf(w, "%s  %s\n", "AB"[i:i+1], text.OneLine(words))
	}
	confidence := ""
	if t.Replications > 1 {
		confidence = levelSuffix(t.A)
	}
	fmt.Fprintf(w, "%s%s\n", t.Why, confidence)
	for i, r := range sides {
		if r.Resampled != nil && (i == 0 || r.Covers != t.A.Covers) {
			text.Print(w, r.Covers, 0)
		}
	}
	for _, row := range t.Rows {
		name := text.OneLine(row.A)
		if row.A != row.B {
			name += " in A, " + text.OneLine(row.B) + " in B"
		}
		t.printMeasures(w, name, row.Total, row.Efficiency)
		if line := HarmLine(row.Harm); line != "" {
			text.Print(w, "In B against A: "+strings.ReplaceAll(line, " now)", " in A)")+".", 0)
		}
		if t.Explain {
			affected := newAffected()
			affected.Tables = append(affected.Tables, partTable{name, AffectedTable(row.Affected)})
			printAffected(w, affected)
		}
		for _, s := range row.Sections {
			kind := ", class "
			if s.Name == "" {
				kind = ", pool "
			}
			if t.ByClass && (s.Name == "" || s.Pool == "") {
				t.printMeasures(w, name+kind+text.OneLine(s.Label()), s.Measures, nil)
			}
		}
	}
	for i, only := range [][]string{t.OnlyA, t.OnlyB} {
		if only != nil {
			fmt.Fprintf(w, "\nin %s alone: %s\n", "AB"[i:i+1], text.OneLine(strings.Join(only, ", ")))
		}
	}
}

func (t Contrast) printMeasures(w io.Writer, name string, list []compare.Versus, efficiency *compare.Versus) {
	both := make([]study.Estimates, 2)
	for _, v := range list {
		both[0], both[1] = append(both[0], v.A), append(both[1], v.B)
	}
	table := text.NewTable(name, "A", "B", "B less A", "")
	add := func(heading string, v compare.Versus, format func(study.Estimate) string) {
		table.Row(heading, format(v.A), format(v.B), signed(v.Difference, format), doubtOf(v))
	}
	if efficiency != nil {
		add("efficiency", *efficiency, wording.Percentage)
	}
	for _, c := range (Simulation{t.A}).columns(both) {
		for i, m := range metric.Measures() {
			if m.Name == c.measure {
				add(c.heading, list[i], c.format)
			}
		}
	}
	fmt.Fprintln(w)
	table.Print(w)
}

// signed formats a difference. One of shares is in percentage points.
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

// doubtOf says that a difference may be chance.
func doubtOf(v compare.Versus) string {
	mean, half := float64(v.Difference.Mean), float64(v.Difference.HalfWidth)
	if math.Abs(mean) > half || mean == 0 && half == 0 || math.IsInf(half, 0) || math.IsNaN(mean) {
		return ""
	}
	return "perhaps by chance"
}

// Records yields a row for each measure of each pair of rows.
func (t Contrast) Records(add func(cells ...any)) {
	pooled := t.A.Pools != nil && t.B.Pools != nil
	add("a", "b", wording.ClassCells(pooled, "class", "pool"), "metric", "a_mean", "a_half_width", "b_mean",
		"b_half_width", "difference", "half_width", "level", "n", "paired", "unit")
	for _, row := range t.Rows {
		list := func(class, pool, measure string, v compare.Versus) {
			d := v.Difference
			add(row.A, row.B, wording.ClassCells(pooled, class, pool), measure, v.A.Mean, v.A.HalfWidth, v.B.Mean,
				v.B.HalfWidth, d.Mean, d.HalfWidth, d.Level, d.N, t.Paired, unit(measure))
		}
		for i, m := range metric.Measures() {
			list("", "", m.Name, row.Total[i])
		}
		if row.Efficiency != nil {
			list("", "", "efficiency", *row.Efficiency)
		}
		for _, s := range row.Sections {
			for i, m := range metric.Measures() {
				list(s.Name, s.Pool, m.Name, s.Measures[i])
			}
		}
	}
}

func (t Contrast) Provenance() text.Provenance {
	return wording.Provenance(t.Version, "", t.Command, nil, nil, t.Warnings, "a", t.A.Command, "b", t.B.Command,
		"differences", t.Why, "a trace_sha256", t.A.TraceFile.Sum(), "b trace_sha256", t.B.TraceFile.Sum())
}

// pairingWords says why differences of two results are paired or not.
func pairingWords(r *compare.Contrast) string {
	switch r.Pairing {
	case compare.PairedConstants:
		return "nothing is random in either, so that differences have no interval"
	case compare.PairedAll:
		return "paired: replication k has the same jobs in both"
	case compare.PairedFirst:
		return "paired: replication k has the same jobs in both, for the first " +
			text.Plural(r.Replications, "replication")
	case compare.UnpairedOne:
		return "nothing is random in one of them, which is taken for exact"
	case compare.UnpairedSeeds:
		return fmt.Sprintf("not paired: the seeds are %d and %d", r.A.Seed, r.B.Seed)
	case compare.UnpairedJobs:
		return "not paired: the jobs are not the same"
	case compare.UnpairedWindows:
		return "not paired: replications differ in length or warm-up"
	}
	return ""
}

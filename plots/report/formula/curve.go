package formula

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// Curve shows the optimum along a parameter.
type Curve struct {
	*solve.Curve
	Command string // that made it
}

func (cv Curve) Facts() (any, []warn.Warning) { return cv.Curve, cv.Warnings }

// Table writes a row for each value, without classes that do not fit into the width.
func (cv Curve) Table(w io.Writer) {
	fitted := ""
	if cv.Fitted {
		fitted = ", job classes fitted to the trace"
	}
	fmt.Fprintf(w, "%s along %s, %s%s\n",
		text.OneLine(cv.Scenario), text.OneLine(cv.Vary), wording.DelayWords(cv.Residual.String()), fitted)
	if words := cv.checkWords(); words != "" {
		text.Print(w, words, 0)
	}
	fmt.Fprintln(w)
	t := cv.valueTable()
	same := cv.same()
	shown := 0
	for width := t.Width(); shown < len(same); shown++ {
		name := subject.Section{Name: same[shown].Name, Pool: same[shown].Pool}.Label()
		width += 2 + min(max(utf8.RuneCountInString(name), len("100.0 %")), text.MaxCell)
		if width > text.Columns(w) && shown > 0 {
			break
		}
		t.Column(name, text.Each(cv.Points, func(p solve.CurvePoint) string {
			if cv.priced() {
				return text.Short(float64(p.Classes[shown].Price))
			}
			return text.Percent(float64(p.Classes[shown].Admit))
		}))
	}
	t.Print(w)
	what := "the share of their jobs to admit"
	if cv.priced() {
		what = "the price of their jobs, in $"
	}
	fmt.Fprintf(w, "\nColumns named after classes: %s.\n", what)
	if cv.Points[0].Pools != nil {
		fmt.Fprintf(w, "Columns named after pools: the value that they deliver, in $/h.\n")
	}
	if left := len(same) - shown; left > 0 {
		fmt.Fprintf(w, "Classes that do not fit here: %d; --json and --csv have them all.\n", left)
	}
}

// Rows is the table without columns of classes, its headings first.
func (cv Curve) Rows() [][]string { return cv.valueTable().Rows() }

// valueTable has a row for each value, and the columns that are of no class.
func (cv Curve) valueTable() *text.Table {
	numbers := func(number func(p solve.CurvePoint) float64) []string {
		return text.Uniform(text.Each(cv.Points, number))
	}
	parts := strings.Split(cv.Vary, ".")
	name := strings.Join(parts[max(0, len(parts)-2):], ".") // the first column stays narrow
	t := text.NewTable()
	add := func(heading string, cell func(p solve.CurvePoint) string) {
		t.Column(heading, text.Each(cv.Points, cell))
	}
	add(name, func(p solve.CurvePoint) string { return text.Plain(float64(p.Value)) })
	t.Column("value $/h", numbers(func(p solve.CurvePoint) float64 { return float64(p.RevenuePerHour) }))
	bounds := numbers(func(p solve.CurvePoint) float64 { return 3600 * float64(p.UpperBoundPerSecond) })
	for i, p := range cv.Points {
		if !p.Proven() {
			bounds[i] = "-"
		}
	}
	t.Column("bound $/h", bounds)
	if cv.checked() {
		add("checked $/h", func(p solve.CurvePoint) string { return checkedCell(p.Checked, true) })
		add("all $/h", func(p solve.CurvePoint) string { return checkedCell(p.Checked, false) })
		add("stands", func(p solve.CurvePoint) string {
			switch {
			case p.Checked == nil:
				return "-"
			case p.Checked.Stands:
				return "yes"
			}
			return "no"
		})
	}
	if cv.Vary != "load" {
		add("load", func(p solve.CurvePoint) string { return text.Fixed(float64(p.Load), 4) })
	}
	add("used", func(p solve.CurvePoint) string {
		if text.Differ(p.Pools, func(p solve.PoolSolution) string { return p.Unit }) {
			return "-"
		}
		return text.Percent(float64(p.Utilization))
	})
	add("mean wait", func(p solve.CurvePoint) string { return text.Duration(float64(p.MeanDelay)) })
	for k, pool := range cv.Points[0].Pools {
		t.Column(pool.Name, numbers(func(p solve.CurvePoint) float64 { return float64(p.Pools[k].RevenuePerHour) }))
	}
	return t
}

func (cv Curve) priced() bool { return cv.Points[0].Classes[0].PriceAnswer != nil }

// same returns the first classes, up to the first that some point does not have:
// classes that are fitted to a trace may differ between points.
func (cv Curve) same() []analytic.ClassSolution {
	list := cv.Points[0].Classes
	for _, p := range cv.Points {
		n := 0
		other := func(c analytic.ClassSolution) bool { return c.Name != list[n].Name || c.Pool != list[n].Pool }
		for n < min(len(list), len(p.Classes)) && !other(p.Classes[n]) {
			n++
		}
		list = list[:n]
	}
	return list
}

// Records yields a row for each value and, of pools, one for each pool after that of all.
func (cv Curve) Records(add func(cells ...any)) {
	pools := cv.Points[0].Pools != nil
	header := []string{
		"revenue_per_second", "revenue_per_hour", "upper_bound_per_second", "relative_gap", "load",
		"utilization", "mean_delay",
	}
	if cv.checked() {
		header = append(header, "checked_per_second", "checked_all_per_second", "stands")
	}
	same := cv.same()
	for _, c := range same {
		name := subject.Section{Name: c.Name, Pool: c.Pool}.Label()
		header = append(header, "admit "+name, "mean_wait "+name, "revenue_per_second "+name)
		if cv.priced() {
			header = append(header, "price "+name, "rate "+name, "externality "+name)
		}
	}
	add(wording.ClassCells(pools, cv.Vary, "pool"), header)
	for _, p := range cv.Points {
		for _, part := range append([]solve.PoolSolution{{Solution: p.Solution}}, p.Pools...) {
			row := []metric.Number{
				part.RevenuePerSecond, part.RevenuePerHour, part.UpperBoundPerSecond, part.RelativeGap, part.Load,
				part.Utilization, part.MeanDelay,
			}
			if cv.checked() {
				row = append(row, checkedNumbers(p.Checked, part.Name)...)
			}
			for _, c := range p.Classes[:len(same)] {
				numbers := []metric.Number{c.Admit, c.MeanWait, c.RevenuePerSecond}
				if cv.priced() {
					numbers = append(numbers, c.Price, c.Rate, c.Externality)
				}
				if part.Name != "" && part.Name != c.Pool {
					numbers = slices.Repeat([]metric.Number{metric.Number(math.NaN())}, len(numbers))
				}
				row = append(row, numbers...)
			}
			add(wording.ClassCells(pools, text.Field(float64(p.Value)), part.Name), row)
		}
	}
}

func (cv Curve) Provenance() text.Provenance {
	return wording.Provenance(cv.Version, cv.Scenario, cv.Command, cv.Overrides, cv.TraceFile, cv.Warnings,
		"method", cv.Points[0].Method, "residual", cv.Residual.String())
}

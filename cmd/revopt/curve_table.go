package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
	"revopt/optimize"
)

// tableWidth is how many columns of a terminal a table may take.
const tableWidth = 100

// print writes the curve for a person to read.
func (cv *curve) print(w io.Writer) {
	values, earns, bounds := make([]float64, len(cv.Points)), make([]float64, len(cv.Points)), make([]float64, len(cv.Points))
	for i, p := range cv.Points {
		values[i], earns[i], bounds[i] = float64(p.Value), float64(p.RevenuePerHour), float64(p.UpperBoundPerSecond)*3600
	}
	earnColumn, boundColumn := column(earns), column(bounds)
	name := shorten(cv.Vary)
	fmt.Fprintf(w, "%s along %s, %s\n\n", oneLine(cv.Scenario), oneLine(cv.Vary), residualWords(cv.residual))
	classes, left := cv.columns(utf8.RuneCountInString(name))
	t := newTable(append([]string{name, "earns $/h", "bound $/h", "used", "mean wait"}, classes...)...)
	for i, p := range cv.Points {
		cells := []string{plain(values[i]), earnColumn[i], boundColumn[i], percent(float64(p.Utilization)), duration(float64(p.MeanDelay))}
		if !p.proven() {
			cells[2] = "-"
		}
		for k := range classes {
			cells = append(cells, percent(float64(p.Classes[k].Admit)))
		}
		t.row(cells...)
	}
	t.print(w)
	fmt.Fprintf(w, "\nColumns named after classes: the share of their jobs to admit.\n")
	if left > 0 {
		fmt.Fprintf(w, "%d classes do not fit here; --json and --csv have them all.\n", left)
	}
}

// shorten cuts a path to its last parts, so that the first column stays narrow.
func shorten(path string) string {
	parts := strings.Split(path, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// columns returns the headings of the classes that fit into the table, whose
// first column has the given width, and how many do not.
func (cv *curve) columns(first int) (headings []string, left int) {
	const percentWidth, others = 7, 4 * 12
	room := tableWidth - max(first, 8) - others
	for i, c := range cv.Points[0].Classes {
		room -= 2 + min(max(utf8.RuneCountInString(c.Name), percentWidth), text.MaxCell)
		if room < 0 && i > 0 {
			return headings, len(cv.Points[0].Classes) - i
		}
		headings = append(headings, c.Name)
	}
	return headings, 0
}

// records are the rows of the CSV file, one for each value.
func (cv *curve) records() [][]string {
	header := []string{cv.Vary, "revenue_per_second", "revenue_per_hour", "upper_bound_per_second", "relative_gap", "utilization", "mean_delay"}
	for _, c := range cv.Points[0].Classes {
		header = append(header, "admit "+c.Name, "mean_wait "+c.Name, "revenue_per_second "+c.Name)
	}
	rows := [][]string{header}
	for _, p := range cv.Points {
		row := fields(p.Value, p.RevenuePerSecond, p.RevenuePerHour, p.UpperBoundPerSecond, p.RelativeGap, p.Utilization, p.MeanDelay)
		for _, c := range p.Classes {
			row = append(row, fields(c.Admit, c.MeanWait, c.RevenuePerSecond)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// curveDoubts returns the warnings about the solutions of a curve, each with
// the values where it applies.
func curveDoubts(points []optimize.Point, cv *curve, gap float64) []string {
	var order []string
	where := map[string][]float64{}
	for i, p := range points {
		for _, w := range append(unproven(p.System.Residual, p.Result, gap), doubts(p.Result, &cv.Points[i].solution)...) {
			if where[w] == nil {
				order = append(order, w)
			}
			where[w] = append(where[w], p.Value)
		}
	}
	for i, w := range order {
		at := where[w]
		order[i] = fmt.Sprintf("%s (%s from %s to %s, %d of %d values)", w, cv.Vary,
			plain(slices.Min(at)), plain(slices.Max(at)), len(at), len(points))
	}
	return order
}

// union appends the words that are not yet in list.
func union(list, words []string) []string {
	for _, w := range words {
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

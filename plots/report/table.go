package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/study"
)

// columns are the headings of the table of policies.
func (r *Report) columns() []string {
	_, unit := r.money()
	list := []string{"policy", "efficiency"}
	if r.ByKind() {
		list = append(list, "of its kind")
	}
	if r.Charges() {
		list = append(list, "charged")
	}
	return append(list, "less than the best", "delivers "+unit, "accepted", "QoS kept", "used")
}

// ByKind reports whether there is a bound for some policies alone.
func (r *Report) ByKind() bool {
	return slices.ContainsFunc(r.Validated.Bounds, func(b study.BoundResult) bool { return b.Limits == study.UnpreemptedPolicies })
}

// Charges reports whether some policy charges another amount than it delivers.
func (r *Report) Charges() bool {
	for i, row := range r.Policies {
		charged, delivered := float64(row.Validated.Charged.Mean), r.share(i).Mean
		if math.Abs(charged-delivered) > rounding || math.IsNaN(charged) != math.IsNaN(delivered) {
			return true
		}
	}
	return false
}

// shown are the rows of the table: of a policy whose computed admission lets all
// jobs in, that which admits all stands for it.
func (r *Report) shown() []int {
	var list []int
	for i := range r.Policies {
		if r.sameAs(i) < 0 {
			list = append(list, i)
		}
	}
	return list
}

// sameAs returns the row that stands for the i-th one, -1 where it stands for
// itself.
func (r *Report) sameAs(i int) int {
	row := r.Policies[i]
	computed := slices.Contains([]string{scenario.AdmitAnalytic, scenario.AdmitSimulated, scenario.AdmitPromise}, row.Admission.Name)
	if !computed || slices.ContainsFunc(row.Admission.Admit, func(q float64) bool { return q < 1 }) {
		return -1
	}
	return slices.IndexFunc(r.Policies, func(other study.Row) bool {
		return other.Admission.Name == scenario.AdmitAll && other.Policy.Label == row.Policy.Label
	})
}

// Merged says which rows the table leaves out.
func (r *Report) Merged() []string {
	var list []string
	for i, row := range r.Policies {
		if k := r.sameAs(i); k >= 0 {
			list = append(list, fmt.Sprintf("%s admits all: its row is that of %s.", text.OneLine(row.Label), text.OneLine(r.Policies[k].Label)))
		}
	}
	return list
}

// cells are those of a row of the table of policies.
func (r *Report) cells(i int) []string {
	row := r.Policies[i]
	scale, _ := r.money()
	behind := "-"
	if i != r.shown()[0] {
		behind = strings.TrimSuffix(points(r.behind(i)), " points")
	}
	cells := []string{text.OneLine(row.Label), percent(r.share(i))}
	if r.ByKind() {
		cells = append(cells, percent(row.Validated.OfKind.Interval()))
	}
	if r.Charges() {
		cells = append(cells, percent(row.Validated.Charged.Interval()))
	}
	cells = append(cells, behind, amount(r.delivered(i), scale))
	for _, name := range []string{"acceptance", "job_qos_satisfaction", "utilization"} {
		cells = append(cells, percent(row.Total.Get(name).Interval()))
	}
	return cells
}

// boundColumns are the headings of the table of bounds.
func (r *Report) boundColumns() []string {
	_, unit := r.money()
	return []string{"bound", "kind", "limits", "value " + unit, "gap"}
}

func (r *Report) boundCells(b study.BoundResult) []string {
	scale, _ := r.money()
	name := text.OneLine(b.Name)
	if b.Best {
		name += " *"
	}
	limits := map[string]string{study.AllPolicies: "any policy", study.UnpreemptedPolicies: "whole jobs, run once"}[b.Limits]
	if limits == "" {
		limits = "nothing"
	}
	return []string{name, b.Kind, limits, amount(b.Money, scale), share(float64(b.Gap))}
}

// Table prints the report for a person to read.
func (r *Report) Table(w io.Writer) {
	for _, line := range r.Head() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	rows := [][]string{r.columns()}
	for _, i := range r.shown() {
		rows = append(rows, r.cells(i))
	}
	text.Align(w, rows, 1)
	fmt.Fprintln(w)
	rows = [][]string{r.boundColumns()}
	for _, b := range append(r.of(study.Proven), r.of(study.Model)...) {
		rows = append(rows, r.boundCells(b))
	}
	text.Align(w, rows, 3)
	if _, ok := r.best(); ok {
		fmt.Fprintln(w, "* "+r.shareWords()+" of it")
	}
	fmt.Fprintln(w)
	for _, line := range slices.Concat([]string{r.Closest()}, r.Foresight(), r.Kinds(), r.Predictions(), r.Merged(), r.Notes()) {
		fmt.Fprintln(w, wrapped(line))
	}
}

// shareWords says which columns are shares of the clairvoyant bound.
func (r *Report) shareWords() string {
	if r.Charges() {
		return "efficiency and charged are shares"
	}
	return "efficiency is a share"
}

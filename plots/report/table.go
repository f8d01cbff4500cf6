package report

import (
	"fmt"
	"io"
	"strings"

	"revopt/internal/text"
)

// columns are the headings of the table of policies, apart from money's.
func (r *Report) columns() []string {
	_, unit := r.money()
	return []string{"policy", "efficiency", "charged", "less than the best", "delivers " + unit, "accepted", "QoS kept", "used"}
}

// cells are those of a row of the table of policies.
func (r *Report) cells(i int) []string {
	row := r.Rows[i]
	scale, _ := r.money()
	behind := "-"
	if i > 0 {
		behind = strings.TrimSuffix(points(row.Behind), " points")
	}
	return []string{text.OneLine(row.Name), percent(row.Efficiency), percent(row.Charged), behind, amount(row.Delivered, scale),
		percent(row.Accepted), percent(row.Satisfied), percent(row.Utilisation)}
}

// boundColumns are the headings of the table of bounds.
func (r *Report) boundColumns() []string {
	_, unit := r.money()
	return []string{"bound", "kind", "value " + unit, "gap"}
}

func (r *Report) boundCells(b Bound) []string {
	scale, _ := r.money()
	name := text.OneLine(b.Name)
	if b.Best {
		name += " *"
	}
	return []string{name, string(b.Kind), amount(b.Amount, scale), share(b.Gap)}
}

// Table prints the report for a person to read.
func (r *Report) Table(w io.Writer) {
	for _, line := range r.Head() {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
	rows := [][]string{r.columns()}
	for i := range r.Rows {
		rows = append(rows, r.cells(i))
	}
	text.Align(w, rows, 1)
	fmt.Fprintln(w)
	rows = [][]string{r.boundColumns()}
	for _, b := range append(r.of(Proven), r.of(Model)...) {
		rows = append(rows, r.boundCells(b))
	}
	text.Align(w, rows, 2)
	if _, ok := r.best(); ok {
		fmt.Fprintln(w, "* efficiency and charged are shares of it")
	}
	fmt.Fprintln(w)
	for _, line := range append([]string{r.Closest()}, append(r.Kinds(), append(r.Predictions(), r.Notes...)...)...) {
		fmt.Fprintln(w, strings.Join(text.Wrapped(line, proseWidth), "\n"))
	}
}

// proseWidth is how many characters a line of prose has at most.
const proseWidth = 100

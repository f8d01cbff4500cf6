package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/report/standing"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// mostRows is how many rows the table of policies has; of more, those that are tied share one.
const mostRows = 9

// policyRow is a row of the table of policies: one of them, or several that are tied with the one above.
type policyRow struct {
	row    int // of the result; of the first that the others are tied with, if there are others
	others []int
}

// policyRows returns the rows of the table.
func (r *Report) policyRows() []policyRow {
	shown := r.shown()
	if len(shown) <= mostRows {
		return text.Each(shown, func(i int) policyRow { return policyRow{row: i} })
	}
	var list []policyRow
	var others []int
	leader := -1
	finish := func() {
		if len(others) == 1 { // it takes no more room by itself
			list = append(list, policyRow{row: others[0]})
		} else if len(others) > 1 {
			list = append(list, policyRow{row: leader, others: others})
		}
		others = nil
	}
	for _, i := range shown {
		tied := leader >= 0 && r.tiedWith(leader, i)
		if tied && !r.named(i) {
			others = append(others, i)
			continue
		}
		if !tied {
			finish()
			leader = i
		}
		list = append(list, policyRow{row: i})
	}
	finish()
	return list
}

// named reports whether the verdict names a row, or the row is what happens today.
func (r *Report) named(i int) bool {
	row, best := r.Policies[i], r.Validated.Best
	harmful := slices.ContainsFunc(best.Harmful[:min(mostHarmful, len(best.Harmful))], func(h study.Harmful) bool {
		return h.Label == row.Label
	})
	return harmful || r.today(i) || row.Label == best.Overall || row.Label == best.Runnable
}

// today reports whether a row is what happens today: the log, or the policy now, with whatever it admits.
func (r *Report) today(i int) bool {
	p := r.Policies[i].Policy
	return p.Name == subject.Recorded || r.Validated.Now != "" && p.Label == r.Validated.Now
}

// tiedWith reports whether a row delivers as much as the i-th one: within 0.1 points, or within 1 point if chance alone
// may make that difference.
func (r *Report) tiedWith(i, k int) bool {
	const least, most = 0.001, 0.01
	d := r.between(i, k)
	size := math.Abs(d.Mean)
	return size <= least || size <= most && d.N > 1 && d.Contains(0)
}

// between returns the efficiency of a row less that of another one, paired.
func (r *Report) between(i, k int) metric.Interval {
	a, b := r.Policies[i].Validated.Efficiencies, r.Policies[k].Validated.Efficiencies
	if a == nil || b == nil { // of a saved result
		return metric.Interval{Mean: r.share(i).Mean - r.share(k).Mean}
	}
	return metric.Difference(a, b, float64(r.Level))
}

// tiedName names rows that share one: 28 others within 0.1 %.
func (r *Report) tiedName(leader int, others []int) string {
	widest := 0.0
	for _, i := range others {
		widest = math.Max(widest, math.Abs(r.between(leader, i).Mean))
	}
	return fmt.Sprintf("%d others within %s %%", len(others), text.Fixed(math.Max(math.Ceil(1000*widest)/10, 0.1), 1))
}

// policyColumn is a column of the table of policies.
type policyColumn struct {
	heading string
	cell    func(i int) string
	plain   func(i int) string // without a half width; nil where the cell has none
	last    int                // columns of the largest number are left out first, never those of 0
	meaning string             // "" if the heading says it
}

// policyColumns returns the columns of the table, without those that repeat another one or say the same of all rows.
func (r *Report) policyColumns() []policyColumn {
	scale, _ := r.money()
	delivers, _ := r.delivers()
	estimated := func(heading string, last int, meaning string, of func(i int) metric.Interval,
		format func(metric.Interval) string) policyColumn {
		return policyColumn{heading, func(i int) string { return format(of(i)) },
			func(i int) string { return format(metric.Interval{Mean: of(i).Mean}) }, last, meaning}
	}
	share := func(heading string, last int, meaning string, of func(row study.Row) study.Estimate) policyColumn {
		return estimated(heading, last, meaning, func(i int) metric.Interval { return of(r.Policies[i]).Interval() },
			wording.Percent)
	}
	total := func(heading, measure string, last int, meaning string) policyColumn {
		return share(heading, last, meaning, func(row study.Row) study.Estimate { return row.Total.Get(measure) })
	}
	list := []policyColumn{
		{heading: "policy", cell: func(i int) string { return r.Policies[i].Label }},
		{heading: "efficiency", cell: r.reached},
		estimated(delivers, 0, "", r.delivered, func(i metric.Interval) string { return wording.Amount(i, scale) }),
	}
	if r.Charges() {
		list = append(list, share("charged", 3, "what the policy charged, as a share of the same bound",
			func(row study.Row) study.Estimate { return row.Validated.Charged }))
	}
	if r.Validated.Objective == "" {
		list = append(list, total("QoS kept", "job_qos_satisfaction", 4,
			"share of the jobs whose deadline, or grace, was kept"))
	}
	list = append(list, total("admitted", "acceptance", 5, ""))
	if !r.Unlike() {
		list = append(list, total("used", "utilization", 6, "share of the machine"))
	}
	totals := text.Each(r.shown(), func(i int) study.Estimates { return r.Policies[i].Total })
	for k, c := range lossColumns(totals) {
		cell := func(i int) string { return c.format(study.Estimate{Mean: r.Policies[i].Total.Get(c.measure).Mean}) }
		list = append(list, policyColumn{heading: c.heading, cell: cell, last: 8 + k, meaning: "number of jobs"})
	}
	behind := func(i metric.Interval) string { return strings.TrimSuffix(wording.Points(i), " points") }
	first := r.shown()[0]
	column := estimated("behind", 7, "points of efficiency that the policy lacks to the best, paired by replication",
		r.behind, behind)
	paired := column.cell
	column.cell = func(i int) string {
		if i == first {
			return "-"
		}
		return paired(i)
	}
	column.plain = nil
	list = append(list, column)
	if r.ByKind() {
		list = append(list, share("of its kind", 12, "efficiency as a share of the least bound for policies of its kind",
			func(row study.Row) study.Estimate { return row.Validated.OfKind }))
	}
	if slices.ContainsFunc(r.Policies, func(row study.Row) bool { return row.Policy.RunsOn != "" }) {
		list = append(list, policyColumn{heading: "runs on", last: 2,
			cell: func(i int) string { return standing.RanOn(r.Policies[i].Policy.RunsOn) }})
	}
	return r.telling(list)
}

// telling leaves out columns that repeat another one, or that say of all rows that nothing is missing or known.
func (r *Report) telling(list []policyColumn) (kept []policyColumn) {
	rows := r.shown()
	cells := func(c policyColumn) []string { return text.Each(rows, c.cell) }
	for _, c := range list {
		mine := cells(c)
		silent := c.last > 2 && !slices.ContainsFunc(mine, func(s string) bool { return s != "-" && s != "100.0 %" })
		repeats := c.last > 0 && slices.ContainsFunc(kept, func(other policyColumn) bool {
			return slices.Equal(cells(other), mine)
		})
		if !silent && !repeats {
			kept = append(kept, c)
		}
	}
	return kept
}

// fullCells and plainCells are the cells of a column, with and without half widths.
func fullCells(c policyColumn) func(int) string { return c.cell }

func plainCells(c policyColumn) func(int) string {
	if c.plain == nil {
		return c.cell
	}
	return c.plain
}

// newTable returns the table with the given columns.
func (r *Report) newTable(columns []policyColumn, cells func(policyColumn) func(int) string) *text.Table {
	t := text.NewTable()
	t.Whole = true
	rows := r.policyRows()
	for k, c := range columns {
		t.Column(c.heading, text.Each(rows, func(p policyRow) string {
			switch {
			case p.others == nil:
				return cells(c)(p.row)
			case k == 0:
				return r.tiedName(p.row, p.others)
			}
			return ""
		}))
	}
	return t
}

// policyTable is the table with all columns, for a page.
func (r *Report) policyTable() *text.Table { return r.newTable(r.policyColumns(), fullCells) }

// fittedTable is the table for lines of so many characters, and the columns that do not fit.
func (r *Report) fittedTable(wide int) (t *text.Table, left []policyColumn) {
	columns := r.policyColumns()
	t = r.newTable(columns, fullCells)
	for t.Width() > wide {
		worst := 0
		for i, c := range columns {
			if c.last > columns[worst].last {
				worst = i
			}
		}
		if worst == 0 {
			break
		}
		left = append([]policyColumn{columns[worst]}, left...)
		columns = slices.Delete(slices.Clone(columns), worst, worst+1)
		t = r.newTable(columns, fullCells)
	}
	return t, left
}

// columnWords says what the columns are.
func (r *Report) columnWords() []string {
	best, ok := r.best()
	var list []string
	if ok && r.Validated.Objective == "" {
		list = append(list, "efficiency: value delivered as a share of the "+text.OneLine(best.Name)+" bound")
	}
	for _, c := range r.policyColumns() {
		if c.meaning != "" {
			list = append(list, c.heading+": "+c.meaning)
		}
	}
	return []string{strings.Join(list, "; ") + "."}
}

// mostProse is how many lines of prose stand below the tables, besides the one about the star.
const mostProse = 7

// below returns the sentences below the table that fit into so few lines of so many characters, the most important
// first; the last says where more is. All others are told by Explain.
func (r *Report) below(left []policyColumn, wide int) (list []string) {
	var more []string
	if len(r.First()) > 0 {
		more = append(more, r.Closest())
	}
	for _, words := range promiseWords(r.Result) {
		more = append(more, words+".")
	}
	more = append(more, r.Merged()...)
	more = append(more, r.Foresight()...)
	hint := r.hint(left)
	lines := mostProse - len(text.Wrapped(hint, wide))
	for _, words := range more {
		if n := len(text.Wrapped(words, wide)); n <= lines {
			list = append(list, words)
			lines -= n
		}
	}
	return append(list, hint)
}

// hint says where more is to be found.
func (r *Report) hint(left []policyColumn) string {
	words := "--explain: bounds, columns and who is affected"
	if len(left) > 0 {
		words += "; also " + wording.Enumerate(text.Each(left, func(c policyColumn) string { return c.heading }))
	}
	if n := r.Validated.Untried; n > 0 {
		words = fmt.Sprintf("--policy all: %d more policies. ", n) + words
	}
	return words + "."
}

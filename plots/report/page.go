//go:build !js

package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/simulate/study"
)

//go:embed *.html
var pages embed.FS

// page is what the template fills in.
type page struct {
	*Report
	Policies, Proven, Models [][]string // tables, their headings first
	PoolRows                 [][]string
	Means                    []study.BoundResult
	Parts                    []partTables
	Figures                  []picture
	Facts                    []fact
}

// partTables are the tables of the customers or the pools, one for each policy.
type partTables struct {
	ID, Title string
	Tables    []partTable
}

// partTable is the table of the customers or the pools under a policy.
type partTable struct {
	Label string
	Rows  [][]string // the headings first
}

// picture is a figure of the page.
type picture struct {
	SVG     template.HTML
	Title   string
	Caption string
	Table   [][]string // of its numbers
}

// fact is one line of how the page was made.
type fact struct{ Name, Value string }

// Page writes one HTML file that needs no other: table, figures as SVG, bounds
// and what they mean, scenario and how it was run. It has no script and loads
// nothing, and says so to the browser.
func (r *Report) Page(w io.Writer) error {
	figures, err := r.pictures()
	if err != nil {
		return err
	}
	return writePage(w, "page", page{
		Report: r, Policies: r.policyRows(), Proven: r.boundRows(study.Proven), Models: r.boundRows(study.Model), PoolRows: r.poolRows(),
		Means: append(r.of(study.Proven), r.of(study.Model)...), Figures: figures, Parts: Simulation{r.Result}.partTables(),
		Facts: facts(r.Result, text.Plural(r.Replications, "replication")+", without warm-up, every job followed to its end"),
	})
}

// Page writes one HTML file that needs no other; see Report.Page.
func (s Simulation) Page(w io.Writer) error {
	return writePage(w, "simulation", struct {
		Simulation
		Answer []string
		Table  [][]string
		Parts  []partTables
		Facts  []fact
	}{s, s.answer(), s.rowTable().all(), s.partTables(), facts(s.Result, s.runWords())})
}

// answer says what the best row brings, how the others differ from the first, and which
// promises are kept.
func (s Simulation) answer() []string {
	best := s.Policies[s.best()]
	get, money := best.Total.Get, s.columns([]study.Estimates{best.Total})[0]
	shown, verb := money.format(get(money.measure)), s.money().verb
	earns := verb + " " + shown + " $/h"
	switch {
	case money.measure != s.money().measure: // no job pays
		earns = "completes " + shown + " jobs"
	case slices.ContainsFunc(s.Policies, func(row study.Row) bool { // another one to compare with
		return row.Label != best.Label && s.exceeded(row.Label) == ""
	}):
		earns = verb + " most, " + shown + " $/h"
	}
	first := fmt.Sprintf("%s %s; the mean wait is %s", text.OneLine(best.Label), earns, seconds(get("mean_wait")))
	if !s.Unlike() {
		first += fmt.Sprintf(", and %s of the machine is used", percentage(get("utilization")))
	}
	more := append(append([]string{first}, s.differences()...), promiseWords(s.Result)...)
	return text.Each(more, func(line string) string { return line + "." })
}

// best returns the row that earns most, the first of several. The schedule of a log that used more
// units than a pool has is not compared.
func (s Simulation) best() int {
	best, money := 0, s.money().measure
	for i, row := range s.Policies {
		more := row.Total.Get(money).Mean > s.Policies[best].Total.Get(money).Mean
		if s.exceeded(row.Label) == "" && (more || s.exceeded(s.Policies[best].Label) != "") {
			best = i
		}
	}
	return best
}

// partTables returns the customers and the pools under each row, those of the best first,
// and none for a single customer or pool.
func (s Simulation) partTables() []partTables {
	customerTables, poolTables := partTables{"customers", "Customers", nil}, partTables{"pools", "Pools", nil}
	add := func(to *partTables, row study.Row, kind string, parts []part, more ...column) {
		if len(parts) > 1 {
			t := s.partTable(kind, row, parts)
			t.columns = append(t.columns, more...)
			to.Tables = append(to.Tables, partTable{text.OneLine(row.Label), t.all()})
		}
	}
	best := s.best()
	for _, row := range slices.Concat(s.Policies[best:best+1], s.Policies[:best], s.Policies[best+1:]) {
		var promises []column
		if slices.ContainsFunc(row.Parts(), func(c study.CustomerRow) bool { return c.Promise != nil }) {
			promises = []column{{"promise kept", "promise_kept", percentage, true}}
		}
		add(&customerTables, row, partyWord(s.Trace != ""), s.customers(row), promises...)
		add(&poolTables, row, "pool", pools(row))
	}
	return slices.DeleteFunc([]partTables{customerTables, poolTables}, func(t partTables) bool { return t.Tables == nil })
}

// writePage writes the page of a template. It writes nothing of a page that cannot be
// made.
func writePage(w io.Writer, name string, data any) error {
	unbroken := func(s string) string { return strings.ReplaceAll(s, " %", "\u00a0%") } // a per cent sign stays with its number
	t, err := template.New("").Funcs(template.FuncMap{"unbroken": unbroken}).ParseFS(pages, "*.html")
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name+".html", data); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// With many policies the bands of all would hide each other: a page has those of the best.
const (
	manyPolicies   = 6
	bandedPolicies = 3
)

// pictures draws the figures and lists their numbers.
func (r *Report) pictures() ([]picture, error) {
	var list []picture
	captions := sentences("captions", struct{ Bands, Many bool }{r.Replications > 1, len(r.Policies) > manyPolicies})
	for k, fig := range r.Figures() {
		title, caption := fig.Title, captions[k]
		if below(fig) {
			caption += " A curve that leaves the frame below loses more than there is to earn."
		}
		if len(r.Policies) > manyPolicies {
			for i := bandedPolicies; i < len(r.Policies); i++ {
				fig.Series[i].Low, fig.Series[i].High = nil, nil
			}
		}
		fig.Title = "" // the page has it
		fig.Width, fig.Height = pageWidth, pageHeight
		svg, err := inline(fig, fmt.Sprintf("%s against %s. %s", title, fig.X.Label, caption))
		if err != nil {
			return nil, err
		}
		list = append(list, picture{svg, title, caption, r.pointRows(fig.X, k == 0)})
	}
	return list, nil
}

// pointRows are the numbers of the points, money or shares, their headings first.
func (r *Report) pointRows(x plots.Axis, isMoney bool) [][]string {
	scale, _ := r.money()
	heading := []string{x.Label}
	for _, row := range r.Policies {
		heading = append(heading, text.OneLine(row.Label))
	}
	var bounds []study.BoundResult
	if isMoney {
		bounds = r.Validated.Bounds
	}
	for _, b := range bounds {
		heading = append(heading, fmt.Sprintf("%s (%s)", text.OneLine(b.Name), b.Kind))
	}
	rows := [][]string{heading}
	for _, p := range r.points() {
		cells := []string{text.Plain(r.x(p))}
		if x.Percent {
			cells[0] = text.Rounded(100*r.x(p)) + " %"
		}
		for _, policy := range p.Policies {
			if isMoney {
				cells = append(cells, amount(policy.Money, scale))
			} else {
				cells = append(cells, amount(policy.Efficiency.Interval(), 100))
			}
		}
		for _, b := range bounds {
			cells = append(cells, amount(boundAt(p, b.Name), scale))
		}
		rows = append(rows, cells)
	}
	return rows
}

// inline returns a figure as an element of a page: as wide as it may be, with a
// text for those who cannot see it.
func inline(fig plots.Figure, alt string) (template.HTML, error) {
	svg, err := plots.Render(fig, plots.SVG, plots.Provenance{})
	if err != nil {
		return "", err
	}
	_, body, ok := strings.Cut(string(svg), "<svg")
	_, body, sized := strings.Cut(body, "viewBox=")
	if !ok || !sized {
		return "", fmt.Errorf("report: figure %s is drawn without a size", fig.ID)
	}
	open := fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox=`, template.HTMLEscapeString(alt))
	return template.HTML(open + body), nil
}

// facts say how the numbers were made.
func facts(r *study.Result, runs string) []fact {
	confidence := ""
	if r.Replications > 1 {
		confidence = text.Plain(100*float64(r.Level)) + " %, Student's t over replications; differences are paired by replication"
	}
	return stated([]fact{
		{"Scenario", r.Scenario}, {"Overrides", strings.Join(r.Overrides, ", ")},
		{"Workload", r.What}, {"Pools", strings.TrimPrefix(strings.Join(poolLine(r.Pools), ""), "pools: ")}, {"Cleaning", Cleaning(r.Cleaning)},
		{"Replications", runs}, {"Intervals", r.Covers}, {"Seed", fmt.Sprint(r.Seed)},
		{"Confidence", confidence}, {"Version", "revopt " + r.Version}, {"Command", r.Command},
	})
}

// stated leaves out facts that say nothing.
func stated(list []fact) []fact {
	return slices.DeleteFunc(list, func(f fact) bool { return f.Value == "" })
}

// Pictures returns the figure, nil if the first change was interrupted.
func (r *WhatIf) Pictures() (sheet plots.Picture, each []plots.Picture) {
	if len(r.Changes) == 0 {
		return nil, nil
	}
	fig := r.Figure()
	return fig, []plots.Picture{fig}
}

// Plot draws the gains, beside the table of the changes.
func (r *WhatIf) Plot() (*Plot, error) {
	if len(r.Changes) == 0 {
		return nil, &TableError{"nothing to draw: the run was interrupted before the first change"}
	}
	fig := &Plotted{Figure: r.Figure(), Y: "changes", Rows: r.rows(true)}
	return &Plot{Marks: Marks(r.Warnings), Trace: r.TraceFile.Sum(), list: []*Plotted{fig}}, nil
}

// Figure shows the gain of every change by every method.
func (r *WhatIf) Figure() plots.Figure {
	fig := plots.Figure{
		ID:    FileName(r.Scenario, "whatif"),
		Title: fmt.Sprintf("%s, %s: what changes would bring", text.OneLine(r.Scenario), text.Machine(r.Nodes, r.UnitName, 0)),
		Y:     plots.Axis{Label: "Gain", Unit: r.Unit, Min: math.NaN(), Max: math.NaN()},
		Width: 17, Height: 9,
	}
	formula := plots.Series{Name: "Formula", Kind: plots.Bars}
	simulation := plots.Series{Name: "Simulation", Kind: plots.Bars}
	bound := plots.Series{Name: "Gain of the proven bound", Kind: plots.Bars}
	list := r.listed()
	for i, c := range list[len(list)-len(r.Changes):] {
		fig.X.Categories = append(fig.X.Categories, shortName(r.WhatIfResult, c.Name))
		x, d := float64(i), c.Simulation.Difference
		low, high := d.Interval().Bounds()
		if r.Once {
			low, high = math.NaN(), math.NaN()
		}
		banded(&simulation, x, float64(d.Mean), low, high)
		point(&formula, x, c.Formula.Difference())
		point(&bound, x, float64(c.Bound.Difference.Mean))
	}
	fig.Series = []plots.Series{simulation}
	if r.Before.Formula != nil {
		fig.Series = append(fig.Series, formula)
	}
	if slices.ContainsFunc(bound.Y, func(y float64) bool { return math.Abs(y) > 0 }) {
		fig.Series = append(fig.Series, bound)
	}
	return fig
}

// Page writes one HTML file that needs no other; see Report.Page.
func (r *WhatIf) Page(w io.Writer) error {
	p := struct {
		*WhatIf
		Table     [][]string
		Customers [][]string
		SVG       template.HTML
		Caption   string
		Facts     []fact
	}{WhatIf: r, Table: r.rows(true), Customers: r.customerRows(), Facts: stated([]fact{
		{"Overrides", strings.Join(r.Overrides, ", ")}, {"Version", "revopt " + r.Version}, {"Command", r.Command},
	})}
	p.Caption = "Gains over the scenario as it is, with confidence intervals where there are any."
	fig := r.Figure()
	fig.Title, fig.Width, fig.Height = "", pageWidth, 0.7*pageHeight
	if len(r.Changes) > 0 {
		var err error
		if p.SVG, err = inline(fig, p.Caption); err != nil {
			return err
		}
	}
	return writePage(w, "whatif", p)
}

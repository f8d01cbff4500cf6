//go:build !js

package report

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	charts "revopt/plots/page"
	"revopt/plots/report/tidy"
	"revopt/plots/wording"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

//go:embed *.html
var pages embed.FS

// page is what the template fills in.
type page struct {
	*Report
	Policies, Proven, Models *text.Table
	PoolTable, Responses     *text.Table
	Means                    []study.BoundResult
	Parts                    []partTables
	Figures, Waits           []picture
	Facts                    []fact
}

// pageTable is a table of a page. The first row of the class policies is the best.
type pageTable struct {
	Label, Class, Caption string
	*text.Table
}

// picture is a figure of a page.
type picture struct {
	plots.Figure
	Caption string
}

// fact is one line of how the page was made.
type fact struct{ Name, Value string }

// captions are those of the figures.
func (r *Report) captions() []string {
	curves, bands := "Curves are policies", r.Replications >= FewestShown
	switch {
	case len(r.Policies) > coloredPolicies && bands:
		curves = "Curves are policies: the best three with their intervals, and today; the others are gray"
	case len(r.Policies) > coloredPolicies:
		curves = "Curves are policies: the best three and today; the others are gray"
	case bands:
		curves = "Curves with bands are policies and their intervals"
	}
	words := curves + ", dashed lines are model bounds, which policies may pass. Nothing can be in the hatched " +
		"area above the proven bound"
	if bands {
		words += "; bands may reach into it, because the jobs differ from replication to replication and the bound " +
			"with them"
	}
	return []string{words + ".", "The value each policy delivers as a share of the clairvoyant bound on the same jobs."}
}

// Page writes one HTML file that needs no other: tables, figures, bounds and what they mean, scenario and
// how it was run. It loads nothing, runs no script but that of package page, and says so to the browser.
func (r *Report) Page(w io.Writer) error {
	captions := r.captions()
	var figures []picture
	for k, fig := range r.Figures() {
		if below(fig) {
			captions[k] += " A curve that leaves the frame below loses more than there is to earn."
		}
		figures = append(figures, picture{fig, captions[k]})
	}
	s := Simulation{r.Result}
	return writePage(w, "page", ForPage(r.Replications, float64(r.Level)), page{
		Report: r, Policies: r.policyTable(),
		Proven: r.boundTable(true, study.Proven), Models: r.boundTable(true, study.Model),
		PoolTable: r.poolTable(), Responses: s.responseTable(), Parts: appendShown(s.partTables(), r.affected()),
		Means: append(r.of(study.Proven), r.of(study.Model)...), Waits: s.pictures(s.waited()),
		Figures: bandless(figures, r.Replications),
		Facts: facts(r.Result, text.Plural(r.Replications, "replication")+
			", without warm-up, every job followed to its end"),
	})
}

// Page writes one HTML file that needs no other; see Report.Page.
func (s Simulation) Page(w io.Writer) error {
	return writePage(w, "simulation", ForPage(s.Replications, float64(s.Level)), struct {
		Simulation
		Answer           []string
		Table, Responses *text.Table
		Parts            []partTables
		Figures          []picture
		Facts            []fact
	}{s, s.Answer(), s.rowTable().whole(), s.responseTable(), s.partTables(),
		s.pictures(s.money().measure, s.waited()), facts(s.Result, s.runWords())})
}

// waited returns the measure of how long jobs take: the wait for the first start or, where jobs share units or are
// suspended, which goes on after that, the response time.
func (s Simulation) waited() string {
	shared := func(e *experiment.Experiment) bool { return e.Policy.Spec.Needs.Shared }
	suspended := func(row study.Row) bool { return row.Total.Get("preemptions").Mean > 0 }
	if slices.ContainsFunc(s.Experiments, shared) || slices.ContainsFunc(s.Policies, suspended) {
		return responseTime
	}
	return "mean_wait"
}

const responseTime = "mean_response_time"

// responseTable has the waits, response times and slowdowns of each row.
func (s Simulation) responseTable() *text.Table {
	t := s.rowTable()
	t.columns = slices.DeleteFunc([]column{
		{"mean wait", "mean_wait", wording.Duration, true}, {"half wait at most", "wait_median", wording.Duration, true},
		{"90 % wait at most", "wait_90", wording.Duration, true},
		{"99 % wait at most", "wait_99", wording.Duration, true},
		{"mean response time", "mean_response_time", wording.Duration, true},
		{"mean slowdown", "mean_slowdown", wording.Ratio, true},
		{"bounded slowdown", "mean_bounded_slowdown", wording.Ratio, true},
	}, func(c column) bool {
		return !some(t.values, c.measure, func(x float64) bool { return !math.IsNaN(x) })
	})
	return t.whole()
}

// pictures draws measures as bars, money or waits: of the rows, or of the customers of the only row.
func (s Simulation) pictures(measures ...string) (list []picture) {
	who := "policies"
	parts := text.Each(s.Policies, func(row study.Row) part { return part{row.Label, row.Total} })
	if len(parts) == 1 {
		who, parts = "customers", s.customers(s.Policies[0])
	}
	if len(parts) < 2 || len(parts) > mostBars {
		return nil
	}
	for _, measure := range measures {
		if !slices.ContainsFunc(parts, func(p part) bool { return math.Abs(float64(p.Get(measure).Mean)) > 0 }) {
			continue // nothing is paid, or no job waits
		}
		fig := plots.Figure{ID: measure, Title: "How long jobs wait", Height: 0.7 * pageHeight}
		fig.Y = plots.Axis{Label: "Wait", Time: true, Max: math.NaN()}
		series, scale := []plots.Series{{Kind: plots.Bars}}, 1.0
		caption := "The mean wait with its interval, and the longest wait of 90 % of the jobs."
		if s.Replications < FewestShown {
			caption = "The mean wait, and the longest wait of 90 % of the jobs."
		}
		switch measure {
		case responseTime:
			fig.Title, fig.Y.Label = "How long jobs take", "Response time"
			caption = "The mean time from submission to end. Jobs share units or are suspended: they wait after their " +
				"first start, too."
		case s.money().measure:
			fig.Title, scale = "What "+who+" bring", 3600
			fig.Y = plots.Axis{Label: s.money().heading, Min: math.NaN(), Max: math.NaN()}
			caption = "Means with their intervals."
			if s.Replications < FewestShown {
				caption = "Means."
			}
		default:
			series[0].Name = "Mean"
			series = append(series, plots.Series{Name: "90 % wait at most", Kind: plots.Points})
		}
		for i, p := range parts {
			fig.X.Categories = append(fig.X.Categories, text.OneLine(p.name))
			e := p.Get(measure).Interval().Times(scale)
			low, high := e.Bounds()
			if measure != s.money().measure {
				low = math.Max(low, 0)
			}
			wording.AddBand(&series[0], float64(i), e.Mean, low, high)
			if len(series) > 1 {
				wording.AddPoint(&series[1], float64(i), float64(p.Get("wait_90").Mean))
			}
		}
		fig.Series = series
		list = append(list, picture{fig, caption})
	}
	return bandless(list, s.Replications)
}

// bandless takes the intervals out of pictures of few replications.
func bandless(list []picture, replications int) []picture {
	for _, p := range list {
		for i := range p.Series {
			if replications < FewestShown {
				p.Series[i].Low, p.Series[i].High = nil, nil
			}
		}
	}
	return list
}

// partTables returns the customers and the pools under each row, those of the best first,
// and none for a single customer or pool.
func (s Simulation) partTables() []partTables {
	customerTables, poolTables := partTables{"customers", "Customers", nil}, partTables{"pools", "Pools", nil}
	add := func(to *partTables, row study.Row, kind string, parts []part, more ...column) {
		if len(parts) > 1 {
			t := s.partTable(kind, row, parts)
			t.columns = append(t.columns, more...)
			to.Tables = append(to.Tables, partTable{text.OneLine(row.Label), t.whole()})
		}
	}
	best := s.best()
	for _, row := range slices.Concat(s.Policies[best:best+1], s.Policies[:best], s.Policies[best+1:]) {
		var promises []column
		if slices.ContainsFunc(row.Parts(), func(c study.CustomerRow) bool { return c.Promise != nil }) {
			promises = []column{{"promise kept", "promise_kept", wording.Percentage, true}}
		}
		add(&customerTables, row, partyWord(s.Trace != ""), s.customers(row), promises...)
		add(&poolTables, row, "pool", pools(row))
	}
	return slices.DeleteFunc([]partTables{customerTables, poolTables}, func(t partTables) bool {
		return t.Tables == nil
	})
}

// writePage writes the page of a template, or nothing if it cannot be made. Words of the report and cells of tables
// become what shown returns.
func writePage(w io.Writer, name string, shown func(string) string, data any) error {
	script, hash := charts.Script()
	t, err := template.New("").Funcs(template.FuncMap{
		"shown":    shown,
		"unbroken": func(s string) string { return strings.ReplaceAll(shown(s), " %", "\u00a0%") }, // stays with its number
		"style":    charts.Style, "script": func() template.HTML { return script },
		"security": func() string {
			return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src" + hash
		},
		"tabled": func(label, class, caption string, t *text.Table) pageTable {
			return pageTable{label, class, caption, t}
		},
	}).ParseFS(pages, "*.html")
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

// More bars than mostBars are a wall.
const mostBars = 40

// Alt describes the picture for readers who cannot see it.
func (p picture) Alt() string {
	return fmt.Sprintf("%s against %s. %s", p.Title, cmp.Or(p.X.Label, "names"), p.Caption)
}

// SVG returns the picture as an element that is as wide as it may be, for a browser without scripts.
func (p picture) SVG() (template.HTML, error) {
	fig := p.Figure
	fig.Title, fig.Width, fig.Height = "", pageWidth, cmp.Or(fig.Height, pageHeight) // the page has the title
	svg, err := plots.Render(fig, plots.SVG, plots.Provenance{})
	if err != nil {
		return "", err
	}
	_, body, ok := strings.Cut(string(svg), "<svg")
	_, body, sized := strings.Cut(body, "viewBox=")
	if !ok || !sized {
		return "", fmt.Errorf("report: figure %s is drawn without a size", fig.ID)
	}
	open := fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox=`, template.HTMLEscapeString(p.Alt()))
	return template.HTML(open + body), nil
}

// Numbers returns the picture as the script of pages draws it.
func (p picture) Numbers() any {
	type object = map[string]any
	list := func(xs []float64) []metric.Number {
		return text.Each(xs, func(x float64) metric.Number { return metric.Number(x) })
	}
	axis := func(a plots.Axis) object {
		low, high := a.Ends()
		return object{"label": a.Label, "unit": a.Unit, "min": metric.Number(low), "max": metric.Number(high),
			"percent": a.Percent, "time": a.Time, "log": a.Log, "whole": a.Whole, "categories": a.Categories}
	}
	all := object{"title": p.Title, "alt": p.Alt(), "x": axis(p.X), "y": axis(p.Y),
		"series": text.Each(p.Series, func(s plots.Series) object {
			return object{"name": s.Name, "kind": [...]string{"line", "step", "points", "bars"}[s.Kind],
				"x": list(s.X), "y": list(s.Y), "low": list(s.Low), "high": list(s.High), "dashed": s.Bound,
				"behind": s.Behind}
		}),
		"marks": text.Each(p.VLines, func(v plots.Rule) object { return object{"x": v.At, "text": v.Text} }),
	}
	for _, ceiling := range p.Regions {
		all["ceiling"] = object{"name": ceiling.Name, "x": list(ceiling.X), "y": list(ceiling.Y)}
	}
	return all
}

// facts say how the numbers were made.
func facts(r *study.Result, runs string) []fact {
	covers, confidence := "", ""
	if r.Replications >= FewestShown {
		covers = r.Covers
		confidence = text.PlainPercent(float64(r.Level)) +
			", Student's t over replications; differences are paired by replication"
	}
	return stated([]fact{
		{"Scenario", r.Scenario}, {"Overrides", strings.Join(r.Overrides, ", ")},
		{"Workload", r.What}, {"Pools", strings.TrimPrefix(strings.Join(poolLine(r.Pools), ""), "pools: ")},
		{"Cleaning", r.Cleaning.Words()},
		{"Replications", runs}, {"Intervals", covers}, {"Seed", fmt.Sprint(r.Seed)},
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
func (r *WhatIf) Plot() (*tidy.Plot, error) {
	if len(r.Changes) == 0 {
		return nil, &tidy.Error{Why: "nothing to draw: the run was interrupted before the first change"}
	}
	fig := &tidy.Plotted{Figure: r.Figure(), Y: "changes", Table: r.changeTable(true)}
	return &tidy.Plot{Marks: wording.Marks(r.Warnings), Trace: r.TraceFile.Sum(), List: []*tidy.Plotted{fig}}, nil
}

// Figure shows the gain of every change by every method.
func (r *WhatIf) Figure() plots.Figure {
	fig := plots.Figure{
		ID: wording.FileName(r.Scenario, "whatif"),
		Title: fmt.Sprintf("%s, %s: what changes would bring", text.OneLine(r.Scenario),
			text.Machine(r.Nodes, r.UnitName, 0)),
		Y:     plots.Axis{Label: "Gain", Unit: r.Unit, Min: math.NaN(), Max: math.NaN()},
		Width: 17, Height: 9,
	}
	size, ofBound := 1.0, "Gain of the proven bound"
	if a := aim(r.Objective); a != "" {
		ofBound = "Change of the proven bound"
		size, fig.Y.Unit = r.shownUnit(r.listed())
		fig.Y.Label = "Change of the " + a.noun()
	}
	formula := plots.Series{Name: "Formula", Kind: plots.Bars}
	simulation := plots.Series{Name: "Simulation", Kind: plots.Bars}
	bound := plots.Series{Name: ofBound, Kind: plots.Bars}
	list := r.listed()
	for i, c := range list[len(list)-len(r.Changes):] {
		fig.X.Categories = append(fig.X.Categories, shortName(r.Result, c.Name))
		x, d := float64(i), c.Simulation.Difference
		low, high := d.Interval().Bounds()
		if r.Once {
			low, high = math.NaN(), math.NaN()
		}
		if c.Unlike { // it is not compared
			d.Mean, low, high = metric.Number(math.NaN()), math.NaN(), math.NaN()
		}
		wording.AddBand(&simulation, x, float64(d.Mean)/size, low/size, high/size)
		wording.AddPoint(&formula, x, c.Formula.Difference())
		wording.AddPoint(&bound, x, float64(c.Bound.Difference.Mean)/size)
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

// appendShown adds tables to a list unless they are empty.
func appendShown(list []partTables, more partTables) []partTables {
	if more.Tables == nil {
		return list
	}
	return append(list, more)
}

// Page writes one HTML file that needs no other; see Report.Page.
func (r *WhatIf) Page(w io.Writer) error {
	p := struct {
		*WhatIf
		Table, Customers *text.Table
		Figures          []picture
		Facts            []fact
		Affected         []partTables
	}{WhatIf: r, Table: r.changeTable(true), Customers: r.customerTable(), Affected: appendShown(nil, r.affected()),
		Facts: stated([]fact{
			{"Overrides", strings.Join(r.Overrides, ", ")}, {"Version", "revopt " + r.Version}, {"Command", r.Command},
		})}
	if len(r.Changes) > 0 {
		fig := r.Figure()
		fig.Title, fig.Height = "What changes would bring", 0.7*pageHeight
		caption := "Gains over the scenario as it is, with confidence intervals where there are any."
		if r.Objective != "" {
			caption = "Changes against the scenario as it is: less is better. Confidence intervals where there are any."
		}
		p.Figures = bandless([]picture{{fig, caption}}, r.Replications)
	}
	return writePage(w, "whatif", ForPage(r.Replications, float64(r.Level)), p)
}

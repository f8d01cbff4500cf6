//go:build !js

package report

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	charts "revopt/plots/page"
	"revopt/simulate/metric"
)

//go:embed *.html
var pages embed.FS

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

const responseTime = "mean_response_time"

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

// Sizes of the figures of a page in centimeters: so narrow that their words can be read on a telephone.
const (
	pageWidth  = 10.5
	pageHeight = 10
)

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

// stated leaves out facts that say nothing.
func stated(list []fact) []fact {
	return slices.DeleteFunc(list, func(f fact) bool { return f.Value == "" })
}

// appendShown adds tables to a list unless they are empty.
func appendShown(list []partTables, more partTables) []partTables {
	if more.Tables == nil {
		return list
	}
	return append(list, more)
}

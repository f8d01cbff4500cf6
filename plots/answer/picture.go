//go:build !js

package answer

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
)

// picture is a figure of a page.
type picture struct{ plots.Figure }

// Sizes of a figure on a page, in centimeters: so narrow that its words can be read on a telephone.
const (
	pageWidth  = 10.5
	pageHeight = 8.5
)

// Caption says what the figure shows beyond its numbers.
func (p picture) Caption() string {
	words := "Means."
	if p.Subtitle != "" {
		words = capital(p.Subtitle) + "."
	}
	mean := words
	for _, s := range p.Series {
		for i := range s.Low {
			if s.High[i] >= s.Low[i] {
				words = mean + " Intervals are marked."
			}
		}
	}
	if len(p.Regions) > 0 {
		words += " Nothing can be in the hatched area."
	}
	return words
}

// Alt describes the picture for readers who cannot see it.
func (p picture) Alt() string {
	against := p.X.Label
	if against == "" {
		against = "names"
	}
	return fmt.Sprintf("%s against %s. %s", p.Title, against, p.Caption())
}

// SVG returns the picture as an element that is as wide as it may be, for a browser without scripts.
func (p picture) SVG() (template.HTML, error) {
	fig := p.Figure
	fig.Title, fig.Subtitle, fig.Width, fig.Height = "", "", pageWidth, pageHeight // the page has the title
	svg, err := plots.Render(fig, plots.SVG, plots.Provenance{})
	if err != nil {
		return "", err
	}
	_, body, ok := strings.Cut(string(svg), "<svg")
	_, body, sized := strings.Cut(body, "viewBox=")
	if !ok || !sized {
		return "", fmt.Errorf("answer: figure %s is drawn without a size", fig.ID)
	}
	open := fmt.Sprintf(`<svg role="img" aria-label="%s" viewBox=`, template.HTMLEscapeString(p.Alt()))
	return template.HTML(open + body), nil
}

// number is null in JSON where it is not finite.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// Numbers returns the picture as the script of pages draws it.
func (p picture) Numbers() any {
	type object = map[string]any
	list := func(xs []float64) []number {
		return text.Each(xs, func(x float64) number { return number(x) })
	}
	axis := func(a plots.Axis) object {
		low, high := a.Ends()
		return object{"label": a.Label, "unit": a.Unit, "min": number(low), "max": number(high),
			"percent": a.Percent, "time": a.Time, "log": a.Log, "whole": a.Whole, "categories": a.Categories}
	}
	all := object{"title": p.Title, "alt": p.Alt(), "x": axis(p.X), "y": axis(p.Y),
		"series": text.Each(p.Series, func(s plots.Series) object {
			return object{"name": s.Name, "kind": [...]string{"line", "step", "points", "bars"}[s.Kind],
				"x": list(s.X), "y": list(s.Y), "low": list(s.Low), "high": list(s.High), "dashed": s.Bound,
				"behind": s.Behind}
		}),
		"marks": []object{},
	}
	for _, r := range p.Regions {
		x, y := r.X, r.Y
		if n := len(p.X.Categories); n > 0 { // the script wants a number for each name
			x, y = nil, slices.Repeat(y[:1], n)
			for i := range n {
				x = append(x, float64(i))
			}
		}
		if r.Side == plots.Above {
			all["ceiling"] = object{"name": r.Name, "x": list(x), "y": list(y)}
		}
	}
	return all
}

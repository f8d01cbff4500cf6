//go:build !js

package report

import (
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
)

// Pictures returns the figure, nil if the first change was interrupted.
func (r *WhatIf) Pictures() (sheet plots.Picture, each []plots.Picture) {
	if len(r.Changes) == 0 {
		return nil, nil
	}
	fig := r.Figure()
	return fig, []plots.Picture{fig}
}

// Figure shows the gain of every change by every method.
func (r *WhatIf) Figure() plots.Figure {
	fig := plots.Figure{
		ID: FileName(r.Scenario, "whatif"), Title: fmt.Sprintf("%s, %s: what changes would bring", text.OneLine(r.Scenario), text.Plural(r.Nodes, "node")), Y: plots.Axis{Label: "Gain", Unit: r.Unit, Min: math.NaN(), Max: math.NaN()},
		Width: 17, Height: 9,
	}
	formula := plots.Series{Name: "Formula", Kind: plots.Bars}
	simulation := plots.Series{Name: "Simulation", Kind: plots.Bars}
	bound := plots.Series{Name: "Gain of the proven bound", Kind: plots.Bars}
	for i, c := range r.Changes {
		fig.X.Categories = append(fig.X.Categories, r.shortName(c.Name))
		x, d := float64(i), c.Simulation.Difference
		low, high := d.Interval().Bounds()
		if r.Once {
			low, high = math.NaN(), math.NaN()
		}
		banded(&simulation, x, float64(d.Mean), low, high)
		point(&formula, x, c.Formula.Difference())
		point(&bound, x, float64(c.Bound.Difference.Mean))
	}
	fig.Series = []plots.Series{simulation, formula, bound}
	return fig
}

// Page writes one HTML file that needs no other; see Report.Page.
func (r *WhatIf) Page(w io.Writer) error {
	p := struct {
		*WhatIf
		Table   [][]string
		SVG     template.HTML
		Caption string
		Facts   []fact
	}{WhatIf: r, Table: r.rows(), Facts: []fact{
		{"Overrides", strings.Join(r.Overrides, ", ")}, {"Version", "revopt " + r.Version}, {"Command", r.Command},
	}}
	p.Caption = "Gains over the scenario as it is, with the confidence interval of the simulation."
	fig := r.Figure()
	fig.Title = ""
	if len(r.Changes) > 0 {
		var err error
		if p.SVG, err = inline(fig, p.Caption); err != nil {
			return err
		}
	}
	return writePage(w, "whatif", p)
}

//go:build !js

package ask

import (
	"slices"

	"revopt/plots"
	"revopt/simulate/waits"
)

// Figure draws how many jobs waited over time, and for what: a band for each part.
func (w *Waited) Figure() plots.Figure {
	d := w.parts
	length := (d.To - d.From) / waitSpans
	var x []float64
	for k := range waitSpans {
		x = append(x, d.From+float64(k)*length)
	}
	x = append(x, d.To)
	fig := plots.Figure{
		ID: "waits", Title: "Waiting jobs of " + w.subject.Scenario.Name + ", by what they wait for", Width: 17, Height: 9,
		X: plots.Axis{Label: "Time since the first submission", Time: true}, Y: plots.Axis{Label: "Jobs that wait"},
	}
	tints := map[waits.Part]int{waits.Reserved: 1, waits.AtLimit: 2, waits.NotEligible: 3, waits.Unexplained: 4, waits.Down: 5}
	low := make([]float64, len(x))
	for _, p := range waitParts {
		high := slices.Clone(low)
		sum := 0.0
		for k, s := range d.Series {
			high[k] += s[p.part] / length
			sum += s[p.part]
		}
		high[len(d.Series)] = high[len(d.Series)-1]
		if sum > 0 {
			fig.Regions = append(fig.Regions, plots.Region{Name: p.title, X: x, Y: low, Y2: high, Side: plots.Between, Step: true,
				Tint: tints[p.part], Hatch: p.part == waits.Unknown})
		}
		low = high
	}
	return fig
}

package paper

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/plots"
)

// A quote is a point of a curve in the words or the tables of a paper: a hollow marker in the figure.
type quote struct {
	curve string // the beginning of its name; a name of its own where the paper speaks of several curves
	x, y  float64

	panel int    // of a sheet
	above string // y is that much above the mean of this curve
}

// drawnY stands for a y that the paper does not state: the marker is on the curve. A number that is a mean over loads is
// marked in the middle of them.
var drawnY = math.NaN()

// quotes are the numbers that the papers state of their figures, by figure and in the units of the axes.
var quotes = map[string][]quote{
	"nist-09": {{curve: "High", y: 30000}, {curve: "High", x: 3e5}, {curve: "Low", y: 6000}, {curve: "Low", x: 6e5}},
	"nist-10": {{curve: "High", x: 0.75, y: 1}, {curve: "Low", y: 0.7}, {curve: "Low", x: 0.6}},
	"nist-11": {{curve: "Optimal", x: 0.75, y: drawnY}},
	"nist-12": {
		{curve: "High value, high", y: 60000}, {curve: "High value, high", x: 1.5e4},
		{curve: "High value, low", y: 40000}, {curve: "High value, low", x: 3e4},
		{curve: "Low value, high", y: 20000}, {curve: "Low value, high", x: 2e4},
		{curve: "Low value, low", y: 10000}, {curve: "Low value, low", x: 4e4},
	},
	"nist-13": {
		{curve: "Low value, low", x: 0.15, y: 1}, {curve: "Low value, low", x: 0.21},
		{curve: "Low value, high", x: 0.28, y: 1}, {curve: "Low value, high", x: 0.4},
		{curve: "High value, high", x: 0.6, y: 1}, {curve: "High value, high", x: 0.8},
		{curve: "High value, low", x: 0.9, y: 1},
	},
	"nist-15": {
		{curve: "Low value, low", x: 0.65, y: 1}, {curve: "Low value, high", x: 0.65, y: 1},
		{curve: "Low value, low", x: 2.85}, {curve: "Low value, high", x: 2.85},
	},
	"nist-16": {{curve: "Admit all", x: 3, y: drawnY}, {curve: "Optimum", x: 5, y: drawnY}},
	"nist-17": {
		{curve: "Admit all", x: 0.9, y: 1800}, {curve: "Optimum", x: 0.9, y: 1800}, {curve: "Optimum", x: 2.85, y: 5000},
	},
	"nist-19":  {{curve: "Admit all", x: 5, y: 1}, {curve: "Optimum", x: 3, y: 0.69}},
	"nist-phi": {{curve: "Simulated", x: 0.925, y: paperPhi}},
	"nist-widths": {
		{curve: "Admit all", x: 3, y: 0.9, panel: 1}, {curve: "Optimum", x: 3, y: 0.65, panel: 1},
	},
	"libra-table1": {
		{curve: "FCFS", x: 0, y: 77}, {curve: "Libra", x: 0, y: 86}, {curve: "FCFS", x: 1, y: 86}, {curve: "Libra", x: 1, y: 90},
		{curve: "FCFS", x: 2, y: 95}, {curve: "Libra", x: 2, y: 102}, {curve: "FCFS", x: 3, y: 165}, {curve: "Libra", x: 3, y: 177},
	},
	"ic-05a": {
		{curve: "Mandatory first", x: 0.4, y: 0.8}, {curve: "Hard-M+O", x: 0.4, y: 0.5}, {curve: "Hard-M", x: 0.4, y: 1},
	},
	"pricing-04b": {
		{curve: "Libra+$, β = 0.1", x: 0.25, y: 0.23}, {curve: "Libra+$, β = 0.1", x: 1, y: 0.4},
		{curve: "Libra+$, β = 0.5", x: 0.25, y: 0.32}, {curve: "Libra+$, β = 0.5", x: 1, y: 0.57},
		{curve: "Libra+$, β = 1", x: 0.25, y: 0.31}, {curve: "Libra+$, β = 1", x: 1, y: 0.44},
	},
	"sla-02a": {{curve: "20 %", x: 0.0225, y: 0.2, above: "80 %"}},
	"sla-02b": {{curve: "20 %", x: 0.0225, y: 0.1, above: "80 %"}},
}

// A fit is a setting that was chosen so that figures come near to the numbers of their paper.
type fit struct {
	setting, to string
	figures     []string // that are drawn with it
	alternative bool     // the alternative reading has it
	byDefault   bool     // the reading of built-in scenarios has it
}

var fits = []fit{
	{"n = 25", "the loads of figure 13", []string{"nist-13", "nist-14"}, true, true},
	{"Φ = 1.525", "loads of figures 15 to 17", []string{"nist-15", "nist-16", "nist-17", "nist-18", "nist-19", "nist-widths"},
		true, false},
	{"89 MIPS", "Table 1", []string{"libra-table1"}, true, true},
	{"an application must raise the budget", "the 80 % of figure 5(a)", []string{"ic-05a", "ic-05b", "ic-06"}, true, true},
	{"penalties of 0.02 $/s", "the text of section 5", []string{
		"sla-02a", "sla-02b", "sla-03a", "sla-03b", "sla-04a", "sla-04b", "sla-05a", "sla-05b",
	}, false, true},
}

// fitted returns what was fitted in a figure under a reading; false where nothing was.
func (r Reading) fitted(figure string) (fit, bool) {
	k := slices.IndexFunc(fits, func(f fit) bool {
		has := f.byDefault
		if r.Means != "" {
			has = f.alternative
		}
		return has && slices.Contains(f.figures, figure)
	})
	if k < 0 {
		return fit{}, false
	}
	return fits[k], true
}

// beside returns a figure of a paper with the numbers that the paper states of it, and a note of what was fitted to them.
func beside(p plots.Picture, id string, r Reading) plots.Picture {
	var notes []string
	if f, ok := r.fitted(id); ok {
		notes = []string{"Fitted to the paper: " + f.setting + ", to " + f.to}
	}
	numbers := quotes[id]
	if k := slices.IndexFunc(numbers, func(s quote) bool { return s.above != "" }); k >= 0 {
		notes = append(notes, "The marker is so far above the mean of the lowest curve as the paper states")
	}
	switch p := p.(type) {
	case plots.Figure:
		p.Notes = slices.Concat(p.Notes, notes)
		return withQuotes(p, numbers)
	case plots.Sheet:
		p.Notes = slices.Concat(p.Notes, notes)
		p.Panels = slices.Clone(p.Panels)
		for i := range p.Panels {
			p.Panels[i] = withQuotes(p.Panels[i], text.Where(numbers, func(s quote) bool { return s.panel == i }))
		}
		return p
	}
	return p
}

// withQuotes returns a figure with hollow markers, those of a curve in a series of its name.
func withQuotes(fig plots.Figure, numbers []quote) plots.Figure {
	curves := fig.Series
	named := func(words string) int {
		k := slices.IndexFunc(curves, func(s plots.Series) bool { return s.Name == words })
		if k < 0 {
			k = slices.IndexFunc(curves, func(s plots.Series) bool { return strings.HasPrefix(s.Name, words) })
		}
		return k
	}
	fig.Series = slices.Clone(curves)
	marks := make(map[string]int)
	for _, n := range numbers {
		name := n.curve
		if k := named(n.curve); k >= 0 {
			name = curves[k].Name
			if math.IsNaN(n.y) {
				n.y = along(curves[k], n.x)
			}
		}
		if n.above != "" {
			n.y += stat.Mean(curves[named(n.above)].Y, nil)
		}
		at, there := marks[name]
		if !there {
			at = len(fig.Series)
			marks[name] = at
			fig.Series = append(fig.Series, plots.Series{Name: name, Kind: plots.Points, Quoted: true})
		}
		s := &fig.Series[at]
		s.X, s.Y = append(s.X, n.x), append(s.Y, n.y)
	}
	return fig
}

// along returns the value of a curve between its points.
func along(s plots.Series, x float64) float64 {
	k := slices.IndexFunc(s.X, func(end float64) bool { return end >= x })
	switch {
	case k < 0:
		return s.Y[len(s.Y)-1]
	case k == 0:
		return s.Y[0]
	}
	part := (x - s.X[k-1]) / (s.X[k] - s.X[k-1])
	return s.Y[k-1] + part*(s.Y[k]-s.Y[k-1])
}

package steered

import (
	_ "embed"
	"html/template"
	"io"
	"math"

	"revopt/internal/text"
	"revopt/plots/page"
)

//go:embed page.html
var layout string

// bar is a value as a bar, with a width in per cent of the largest.
type bar struct {
	Name, Value string
	Width       float64
	Real        bool
}

// Page writes one HTML file that needs no other and runs no script.
func (r Report) Page(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{"style": page.Style}).Parse(layout)
	if err != nil {
		return err
	}
	most := 0.0
	for _, a := range r.amounts() {
		most = max(most, float64(a.Value))
	}
	var bars []bar
	for _, a := range r.amounts() {
		x := float64(a.Value)
		bars = append(bars, bar{a.Name, text.Short(x) + " $/h", math.Round(1000*max(x, 0)/most) / 10, a.Real})
	}
	return t.Execute(w, struct {
		Report
		Bars []bar
	}{r, bars})
}

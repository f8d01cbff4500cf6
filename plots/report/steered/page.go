package steered

import (
	_ "embed"
	"html/template"
	"io"
	"math"

	"revopt/internal/text"
	"revopt/plots/page"
	earned "revopt/simulate/study/steered"
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
	for _, row := range r.Rows {
		most = max(most, float64(row.PerHour))
	}
	var bars []bar
	for _, row := range r.Rows {
		x := float64(row.PerHour)
		bars = append(bars, bar{titles[row.Name], text.Short(x) + " $/h", math.Round(1000*max(x, 0)/most) / 10,
			row.Name == earned.Happened})
	}
	return t.Execute(w, struct {
		Report
		Bars []bar
	}{r, bars})
}

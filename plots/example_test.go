package plots_test

import (
	"fmt"
	"os"
	"path/filepath"

	"revopt/plots"
)

// A figure is described, then written; here its numbers.
func ExampleRender() {
	seed := uint64(7)
	load := []float64{0.5, 1, 1.5}
	fig := plots.Figure{
		ID: "demo",
		X:  plots.Axis{Label: "Offered load"},
		Y:  plots.Axis{Label: "Revenue", Unit: "$/h"},
		Series: []plots.Series{{
			Name: "Admit all", X: load, Y: []float64{100, 180, 120},
			Low: []float64{95, 170, 100}, High: []float64{105, 190, 140},
		}},
		Regions: []plots.Region{plots.Ceiling("Proven bound", load, []float64{110, 220, 220})},
	}
	prov := plots.Provenance{Version: "v1.0.0", Scenario: "four-class", Seed: &seed}
	csv, err := plots.Render(fig, plots.CSV, prov)
	fmt.Print(string(csv))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// # figure: demo
	// # version: v1.0.0
	// # scenario: four-class
	// # seed: 7
	// # x: Offered load
	// # y: Revenue ($/h)
	// series,x,y,low,high
	// Admit all,0.5,100,95,105
	// Admit all,1,180,170,190
	// Admit all,1.5,120,100,140
	// Proven bound,0.5,110,,
	// Proven bound,1,220,,
	// Proven bound,1.5,220,,
}

// Save writes one file for each format, named after the figure.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fig := plots.Figure{ID: "nist-06"}
	paths, err := plots.Save(dir, fig, plots.Provenance{}, plots.PNG, plots.PDF)
	for _, p := range paths {
		fmt.Println(filepath.Base(p))
	}
	fmt.Println(err)
	// Output:
	// nist-06.png
	// nist-06.pdf
	// <nil>
}

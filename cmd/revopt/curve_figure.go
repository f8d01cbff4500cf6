package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"

	"revopt/plots"
)

// target is where the figures of a curve go.
type target struct {
	path string // nowhere if empty
	dir  bool
}

// parseTarget reads --out: a directory, or a file whose extension names its
// format.
func parseTarget(path string) (target, error) {
	info, err := os.Stat(path)
	switch ext := filepath.Ext(path); {
	case path == "":
		return target{}, nil
	case err == nil && !info.IsDir() && ext == "":
		return target{}, usagef("--out: expected a directory, or a file ending in .png, .svg, .pdf or .csv, and %s is a file", path)
	case err == nil && info.IsDir(), strings.HasSuffix(path, "/"), ext == "", ext == filepath.Base(path):
		return target{path, true}, nil
	default:
		if _, err := plots.ParseFormat(ext); err != nil {
			return target{}, usagef("--out: expected a directory, or a file ending in .png, .svg, .pdf or .csv, got %q", path)
		}
		return target{path, false}, nil
	}
}

// save writes the figures of a curve: one beside the other to a file, each on
// its own and in every format to a directory.
func (t target) save(cv *curve, prov plots.Provenance) error {
	admission, revenue := cv.admissionFigure(), cv.revenueFigure()
	switch {
	case t.path == "":
		return nil
	case !t.dir:
		return plots.SaveFile(t.path, plots.Sheet{ID: cv.id("curve"), Panels: []plots.Figure{admission, revenue}}, prov)
	}
	var errs []error
	for _, fig := range []plots.Figure{admission, revenue} {
		_, err := plots.Save(t.path, fig, prov, plots.PNG, plots.SVG, plots.PDF, plots.CSV)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// id is a name for files.
func (cv *curve) id(what string) string {
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}
	return strings.Map(keep, cv.Scenario+"-"+cv.Vary+"-"+what)
}

func (cv *curve) admissionFigure() plots.Figure {
	fig := plots.Figure{
		ID:    cv.id("admission"),
		Title: "Admission that earns most",
		X:     cv.axis(),
		Y:     plots.Axis{Label: "Admitted", Percent: true, Max: 1},
	}
	for k, c := range cv.Points[0].Classes {
		s := plots.Series{Name: c.Name}
		for _, p := range cv.Points {
			s.X = append(s.X, float64(p.Value))
			s.Y = append(s.Y, float64(p.Classes[k].Admit))
		}
		fig.Series = append(fig.Series, s)
	}
	return fig
}

func (cv *curve) revenueFigure() plots.Figure {
	earns := plots.Series{Name: "Best admission"}
	var x, bound []float64
	for _, p := range cv.Points {
		earns.X = append(earns.X, float64(p.Value))
		earns.Y = append(earns.Y, float64(p.RevenuePerHour))
		if p.proven() {
			x = append(x, float64(p.Value))
			bound = append(bound, float64(p.UpperBoundPerSecond)*3600)
		}
	}
	fig := plots.Figure{
		ID:     cv.id("revenue"),
		Title:  "What it earns",
		X:      cv.axis(),
		Y:      plots.Axis{Label: "Revenue", Unit: "$/h", Max: math.NaN()},
		Series: []plots.Series{earns},
	}
	if len(x) > 0 {
		fig.Regions = []plots.Region{plots.Ceiling("Proven bound", x, bound)}
	}
	return fig
}

// axis is that of the parameter.
func (cv *curve) axis() plots.Axis {
	known := map[string]plots.Axis{
		"load":     {Label: "Offered load", Percent: true},
		"parallel": {Label: "Jobs at a time"},
		"nodes":    {Label: "Nodes"},
		"phi":      {Label: "Delay coefficient"},
	}
	parts := strings.Split(cv.Vary, ".")
	last := parts[len(parts)-1]
	if axis, ok := known[last]; ok {
		return axis
	}
	units := map[string]string{"price": "$", "decay": "$/s", "grace": "s", "mean": "s", "sd": "s", "rate": "jobs/s"}
	return plots.Axis{Label: strings.Join(parts[max(0, len(parts)-3):], " "), Unit: units[last]}
}

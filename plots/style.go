package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Style changes how a picture is printed. The zero value changes nothing.
type Style struct {
	LogX, LogY bool
	Width      float64 // centimeters; the height follows
	NoTitle    bool    // captions of several panels stay
}

// columnWidth is the least width of a panel, in centimeters, beside another.
const columnWidth = 6

// StyleError is a style that a picture cannot have.
type StyleError struct{ Why string }

func (e *StyleError) Error() string { return e.Why }

// SetLog reads logarithmic axes such as x,y.
func (st *Style) SetLog(axes string) error {
	switch strings.ReplaceAll(axes, " ", "") {
	case "x", "y", "x,y", "y,x":
		st.LogX, st.LogY = strings.Contains(axes, "x"), strings.Contains(axes, "y")
		return nil
	}
	return &StyleError{fmt.Sprintf("expected x, y or x,y, got %q", axes)}
}

// SetWidth reads a width such as 8.8cm.
func (st *Style) SetWidth(width string) error {
	unit := width[max(0, len(width)-2):]
	number, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(width, unit)), 64)
	st.Width = number * map[string]float64{"cm": 1, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72}[unit]
	if !(st.Width >= columnWidth && st.Width <= 100) {
		return &StyleError{fmt.Sprintf(
			"expected a length from 6cm to 100cm such as 8.8cm, 88mm, 3.5in or 250pt, got %q", width)}
	}
	return nil
}

// Apply returns the picture in the style. A logarithmic axis leaves out zeros and refuses
// values below 0.
func (st Style) Apply(p Picture) (Picture, error) {
	if st == (Style{}) {
		return p, nil
	}
	s := p.sheet()
	s.Panels = slices.Clone(s.Panels)
	for i := range s.Panels {
		f := &s.Panels[i]
		f.Notes = nil // the sheet has them
		x, y := f.extents()
		if st.LogX && (len(f.X.Categories) > 0 || x.lo < 0) || st.LogY && (len(f.Y.Categories) > 0 || y.lo < 0) {
			return nil, &StyleError{"expected no logarithmic axis for names or values below 0"}
		}
		f.X.setLog(st.LogX)
		f.Y.setLog(st.LogY)
	}
	if st.NoTitle {
		s.Title, s.Subtitle = "", ""
	}
	if st.Width > 0 {
		aspect := s.Height / float64(s.rows()) * float64(s.Columns) / s.Width // of a panel
		s.Columns = min(s.Columns, max(1, int(st.Width/columnWidth)))
		s.Width, s.Height = st.Width, aspect*st.Width/float64(s.Columns)*float64(s.rows())
	}
	return s, nil
}

// setLog makes an axis logarithmic. An end that it cannot have becomes automatic.
func (a *Axis) setLog(log bool) {
	a.Log = a.Log || log
	if !a.Log {
		return
	}
	for _, end := range []*float64{&a.Min, &a.Max} {
		if !(*end > 0) {
			*end = math.NaN()
		}
	}
}

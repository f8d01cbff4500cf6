package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// Apply returns the picture in the style. Below zero a logarithmic axis shows nothing,
// so a picture with negative values has none.
func (st Style) Apply(p Picture) (Picture, error) {
	if st == (Style{}) {
		return p, nil
	}
	switch p := p.(type) {
	case Figure:
		f, err := st.figure(p)
		if st.NoTitle {
			f.Title = ""
		}
		if st.Width > 0 {
			size := p.sheet()
			f.Width, f.Height = st.Width, size.Height*st.Width/size.Width
		}
		return f, err
	case Sheet:
		p.Panels = slices.Clone(p.Panels)
		for i, f := range p.Panels {
			var err error
			if p.Panels[i], err = st.figure(f); err != nil {
				return p, err
			}
		}
		if st.NoTitle {
			p.Title = ""
		}
		if st.Width > 0 {
			old := p.sheet()
			aspect := old.Height / float64(old.rows()) * float64(old.Columns) / old.Width
			p.Width, p.Columns = st.Width, min(old.Columns, max(1, int(st.Width/columnWidth)))
			p.Height = aspect * st.Width / float64(p.Columns) * float64(p.rows())
		}
		return p, nil
	}
	return p, nil
}

// figure makes the axes of a figure logarithmic.
func (st Style) figure(f Figure) (Figure, error) {
	x, y := f.extents()
	var err error
	if st.LogX {
		f.X, err = f.X.logarithmic("x", x)
	}
	if st.LogY {
		var bad error
		f.Y, bad = f.Y.logarithmic("y", y)
		err = cmp.Or(err, bad)
	}
	return f, err
}

// logarithmic returns the axis of the values seen with a logarithmic scale.
func (a Axis) logarithmic(name string, seen extent) (Axis, error) {
	switch {
	case len(a.Categories) > 0:
		return a, &StyleError{fmt.Sprintf("expected no logarithmic %s axis: it has names", name)}
	case seen.lo < 0:
		return a, &StyleError{fmt.Sprintf("expected no logarithmic %s axis: it has values below 0", name)}
	}
	a.Log = true
	for _, end := range []*float64{&a.Min, &a.Max} {
		if !(*end > 0) {
			*end = math.NaN()
		}
	}
	return a, nil
}

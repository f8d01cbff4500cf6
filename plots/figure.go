package plots

import (
	"cmp"
	"slices"
)

// A Figure describes one plot. The zero value is an empty pair of axes.
type Figure struct {
	ID       string // name of the files, for example "nist-06"
	Title    string // above the axes; optional
	Subtitle string // in small letters below the title; optional
	X, Y     Axis

	Series  []Series
	Regions []Region // shaded, below the series
	VLines  []Rule   // vertical lines at an x
	HLines  []Rule   // horizontal lines at a y
	Labels  []Label  // words at data positions
	Notes   []string // remarks printed below the legend

	// EndLabels puts the names of lines at their right ends, where they need no legend.
	EndLabels bool

	// Width and Height are centimeters; zero means 12 x 8.5. The height
	// grows if legend and notes would leave too little to the axes.
	Width, Height float64
}

// A Sheet is several figures in rows, under one legend. Series of one name look
// the same in all panels.
type Sheet struct {
	ID, Title, Subtitle string

	Panels  []Figure // row by row; their sizes are ignored, their notes joined
	Columns int      // zero means 2, or 1 for a single panel
	Notes   []string

	// Width and Height are centimeters; zero means 17 wide and 6.5 per row.
	Width, Height float64
}

// A Picture is a [Figure] or a [Sheet].
type Picture interface{ sheet() Sheet }

// ID returns the name of the files of a picture.
func ID(p Picture) string { return p.sheet().ID }

// Named returns the picture with the given ID and title.
func Named(p Picture, id, title string) Picture {
	switch p := p.(type) {
	case Figure:
		p.ID, p.Title = id, title
		return p
	case Sheet:
		p.ID, p.Title = id, title
		return p
	}
	return p
}

func (f Figure) sheet() Sheet {
	s := Sheet{
		ID: f.ID, Title: f.Title, Subtitle: f.Subtitle, Columns: 1, Notes: f.Notes,
		Width: cmp.Or(f.Width, 12), Height: cmp.Or(f.Height, 8.5),
	}
	f.Title, f.Notes = "", nil
	s.Panels = []Figure{f}
	return s
}

func (s Sheet) sheet() Sheet {
	if s.Columns <= 0 {
		s.Columns = min(2, max(1, len(s.Panels)))
	}
	s.Width = cmp.Or(s.Width, 17)
	s.Height = cmp.Or(s.Height, 6.5*float64(s.rows()))
	s.Notes = slices.Clone(s.Notes)
	for _, p := range s.Panels {
		s.Notes = append(s.Notes, p.Notes...)
	}
	return s
}

// rows returns the number of rows of panels.
func (s Sheet) rows() int { return (len(s.Panels) + s.Columns - 1) / s.Columns }

// An Axis is one axis of a figure. The zero value is linear, unlabeled and
// fits the data.
type Axis struct {
	Label string // the quantity, such as "Revenue"
	Unit  string // such as "$/h", printed in parentheses

	// Min and Max are the ends. An end is automatic if it is NaN. Both are if both are
	// zero, and Max is if it is zero and Min is positive. Where data lie beyond an end the
	// axis grows to show them, unless Clip cuts them off.
	Min, Max float64
	Clip     bool

	Log     bool // logarithmic; the ends and the data must be positive
	Percent bool // values are fractions, printed as per cent
	Time    bool // values are seconds, printed in minutes, hours or days by size; Unit is ignored
	Whole   bool // values are counts: no ticks between whole numbers

	// Categories name the positions 0, 1, 2, ... of bars (X only) or squares.
	Categories []string
}

// Kind is how a series is drawn.
type Kind int

const (
	Line   Kind = iota // points joined by straight lines
	Step               // y[i] holds from x[i] to x[i+1]
	Points             // markers only
	Bars               // a bar from zero to y at each x; bars of several series stand side by side
)

// A Series is one set of measurements.
type Series struct {
	Name string // in the legend; a series without a name is not listed
	X, Y []float64
	Kind Kind

	// Low and High bound an interval about Y; give both or neither. They are drawn as a
	// translucent band, or as bars through the points if the kind is Points or Bars. A point
	// with an end that is not finite has no interval.
	Low, High []float64

	// Bandless series have intervals in tables alone: the bands of many would hide each other.
	Bandless bool

	// Bound draws a bound: a thin dark dashed line without markers.
	Bound bool

	// Behind draws a thin gray line behind all others, for comparison. It has no band, the
	// legend lists all of them as others, and no axis grows for them.
	Behind bool

	// Quoted points are numbers that a text states of the series of the same name: hollow markers in its color, with
	// one entry for all of them in the legend.
	Quoted bool

	// Look pins color, marker and dashes to the Look-th of the theme, counted from 1, so
	// that a policy has the same ones in many figures. Zero means the next free one.
	Look int
}

// Side is where a region lies relative to its edge.
type Side int

const (
	Above   Side = iota // from Y up to the top of the axes
	Below               // from Y down to the bottom of the axes
	Between             // from Y to Y2
)

// A Region is a shaded area beside a curve.
type Region struct {
	Name  string // in the legend; optional
	X, Y  []float64
	Y2    []float64 // the other edge, for Between only
	Side  Side
	Step  bool // the edges are piecewise constant, as with the kind Step
	Tint  int  // shade of the area: 0 gray, 1, 2, ... tints of the theme
	Hatch bool // hatched as well as shaded
	Edge  bool // Y is drawn as a solid dark line
}

// Ceiling is the region above a proven bound: gray, hatched, with a solid edge.
// No point can lie in it.
func Ceiling(name string, x, y []float64) Region {
	return Region{Name: name, X: x, Y: y, Side: Above, Hatch: true, Edge: true}
}

// A Rule is a thin straight line across the axes.
type Rule struct {
	At   float64
	Text string // beside the line; optional
}

// A Label is text centered at a data position, moved inside the axes if necessary.
type Label struct {
	X, Y float64
	Text string
}

package plots

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	sampleWidth vg.Length = 26 // of the piece of line or shade
	sampleGap   vg.Length = 4  // between it and the name
	columnGap   vg.Length = 12
	rowGap      vg.Length = 3
)

// A legend is the list of names below the axes, in columns.
type legend struct {
	entries       []entry
	columns       []vg.Length // widths
	rows          []vg.Length // heights
	width, height vg.Length
}

// An entry is one name with a sample drawn beside it.
type entry struct {
	lines  []string
	sample func(c draw.Canvas, r vg.Rectangle)
}

// newLegend lists the named series and regions of the panels once each, in as
// many columns as fit in width.
func newLegend(panels []Figure, all [][]look, width vg.Length) legend {
	var l legend
	f := face(tickSize, false)
	seen := make(map[string]bool)
	add := func(name string, sample func(draw.Canvas, vg.Rectangle)) {
		name = printable(name)
		if name == "" || seen[name] {
			return
		}
		seen[name] = true
		lines := wrap(f, name, width-sampleWidth-sampleGap)
		l.entries = append(l.entries, entry{lines, sample})
	}
	for i, p := range panels {
		for j, s := range p.Series {
			switch {
			case s.Behind:
				add("Others", seriesSample(s, all[i][j]))
			case s.Quoted:
				add("Stated by the paper", seriesSample(s, quotedLook(look{}, false)))
			case !p.labeled(s):
				add(s.Name, seriesSample(s, all[i][j]))
			}
		}
	}
	for _, p := range panels {
		for _, r := range p.Regions {
			add(r.Name, regionSample(r))
		}
	}
	for n := min(len(l.entries), 6); n >= 1; n-- {
		// Of equally many rows, those with the fewest columns are best.
		rows := (len(l.entries) + n - 1) / n
		l.arrange((len(l.entries) + rows - 1) / rows)
		if l.width <= width {
			break
		}
	}
	return l
}

// arrange computes widths and heights for n columns.
func (l *legend) arrange(n int) {
	f := face(tickSize, false)
	l.columns = make([]vg.Length, n)
	l.rows = make([]vg.Length, (len(l.entries)+n-1)/n)
	for i, e := range l.entries {
		w := sampleWidth + sampleGap + widest(f, e.lines)
		l.columns[i%n] = max(l.columns[i%n], w)
		l.rows[i/n] = max(l.rows[i/n], blockHeight(tickSize, len(e.lines)))
	}
	l.width = columnGap*vg.Length(n-1) + sum(l.columns)
	l.height = rowGap*vg.Length(len(l.rows)-1) + sum(l.rows)
}

func sum(ls []vg.Length) vg.Length {
	var s vg.Length
	for _, l := range ls {
		s += l
	}
	return s
}

// draw draws the legend with its top left corner at pt.
func (l legend) draw(c draw.Canvas, pt vg.Point) {
	f := face(tickSize, false)
	n := len(l.columns)
	at := pt
	for i, e := range l.entries {
		if i%n == 0 {
			at.X = pt.X
			if i > 0 {
				at.Y -= l.rows[i/n-1] + rowGap
			}
		}
		e.sample(c, vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y - tickSize*capHeight - 0.5},
			Max: vg.Point{X: at.X + sampleWidth, Y: at.Y + 0.5},
		})
		c.SetColor(ink)
		fillBlock(c, f, vg.Point{X: at.X + sampleWidth + sampleGap, Y: at.Y}, e.lines, atStart)
		at.X += l.columns[i%n] + columnGap
	}
}

// seriesSample draws a small sample of the series.
func seriesSample(s Series, l look) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, r vg.Rectangle) {
		if s.Kind == Bars {
			bar := r
			bar.Min.X += 6
			bar.Max.X -= 6
			drawBar(c, l, bar)
			return
		}
		mid := vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}
		if s.interval() && s.band() && !s.Bandless {
			c.FillPolygon(translucent(l.color), corners(r))
		}
		if s.interval() && !s.band() {
			drawErrorBar(c, l, mid.X, r.Min.Y-0.5, r.Max.Y+0.5)
		}
		if s.Kind != Points {
			c.StrokeLines(l.stroke(), []vg.Point{{X: r.Min.X, Y: mid.Y}, {X: r.Max.X, Y: mid.Y}})
		}
		if l.marker != noMarker || s.Kind == Points {
			drawMarker(c, l, mid)
		}
	}
}

// regionSample draws a piece of the region.
func regionSample(r Region) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, box vg.Rectangle) {
		fillRegion(c, r, corners(box))
		c.StrokeLines(draw.LineStyle{Color: hatchInk, Width: 0.4}, append(corners(box), box.Min))
		if !r.Edge {
			return
		}
		y := box.Min.Y
		if r.Side == Below {
			y = box.Max.Y
		}
		c.StrokeLines(edgeStyle(), []vg.Point{{X: box.Min.X, Y: y}, {X: box.Max.X, Y: y}})
	}
}

// corners returns the corners of r in order.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

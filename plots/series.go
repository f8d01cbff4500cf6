package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mostMarkers is the number of markers of a line; more would hide it.
const mostMarkers = 14

// stroke is the style of the line.
func (l look) stroke() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: l.width, Dashes: l.dashes}
}

// band reports whether an interval is drawn as a band rather than as bars.
func (s Series) band() bool { return s.Kind == Line || s.Kind == Step }

// interval reports whether some point has an interval.
func (s Series) interval() bool {
	for i := range s.Low {
		if finite(s.Low[i]) && finite(s.High[i]) {
			return true
		}
	}
	return false
}

// drawSeries draws bands first, then bars, lines and markers, so that no
// interval hides another series.
func (p panel) drawSeries(c draw.Canvas) {
	p.drawLines(c, true)
	for i, s := range p.fig.Series {
		if s.Low != nil && s.band() && !s.Bandless && !s.Behind {
			for _, poly := range p.between(s.X, s.Low, s.High, s.Kind == Step) {
				c.FillPolygon(translucent(p.styles[i].color), c.ClipPolygonXY(poly))
			}
		}
	}
	p.drawBars(c)
	p.drawLines(c, false)
	for i, s := range p.fig.Series {
		if s.Kind != Bars && !s.Behind {
			p.drawMarkers(c, s, p.styles[i], i)
		}
	}
}

// drawLines draws the lines of the series that are behind the others, or of the others.
func (p panel) drawLines(c draw.Canvas, behind bool) {
	for i, s := range p.fig.Series {
		if s.Behind == behind && (s.Kind == Line || s.Kind == Step) {
			for _, run := range p.runs(s.X, s.Y, s.Kind == Step) {
				c.StrokeLines(p.styles[i].stroke(), c.ClipLinesXY(run)...)
			}
		}
	}
}

// runs returns the places of the points (x, y), broken at gaps. With step, each
// value holds until the next x.
func (p panel) runs(x, y []float64, step bool) [][]vg.Point {
	var all [][]vg.Point
	var run []vg.Point
	end := func() {
		if len(run) > 0 {
			all = append(all, run)
		}
		run = nil
	}
	for i := range x {
		if !p.x.drawable(x[i]) || !p.y.drawable(y[i]) {
			end()
			continue
		}
		pt := vg.Point{X: p.x.at(x[i]), Y: p.y.at(y[i])}
		if step && len(run) > 0 {
			run = append(run, vg.Point{X: pt.X, Y: run[len(run)-1].Y})
		}
		run = append(run, pt)
	}
	end()
	return all
}

// between returns the areas between two curves, broken at the gaps of both. A lower
// end that a logarithmic axis cannot show is put on the axis.
func (p panel) between(x, low, high []float64, step bool) [][]vg.Point {
	a, b := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		a[i], b[i] = low[i], high[i]
		if p.y.log && a[i] <= 0 && finite(a[i]) {
			a[i] = p.y.min
		}
		if !p.y.drawable(a[i]) || !p.y.drawable(b[i]) {
			a[i], b[i] = math.NaN(), math.NaN()
		}
	}
	lower, upper := p.runs(x, a, step), p.runs(x, b, step)
	var polys [][]vg.Point
	for i, run := range lower {
		slices.Reverse(upper[i])
		polys = append(polys, append(run, upper[i]...))
	}
	return polys
}

// drawMarkers draws the marked points of s with their error bars. A point without
// neighbors is always marked, because no line shows it.
func (p panel) drawMarkers(c draw.Canvas, s Series, l look, nth int) {
	beside := p.fig.beside(s)
	if beside != 0 {
		l.color = ink // visible on a bar of its own color
	}
	for _, i := range p.marked(s, nth) {
		pt := vg.Point{X: p.x.at(s.X[i] + beside), Y: p.y.at(s.Y[i])}
		if !c.Contains(pt) {
			continue
		}
		if s.Low != nil && !s.band() {
			p.drawInterval(c, l, pt.X, s.Low[i], s.High[i])
		}
		if l.marker != noMarker || s.Kind == Points || p.isolated(s, i) {
			drawMarker(c, l, pt)
		}
	}
}

// marked returns the indices of the points to mark: all of a scatter or a short line,
// else about mostMarkers evenly spaced in x. They are shifted from series to series, so
// that markers of coinciding lines differ.
func (p panel) marked(s Series, nth int) []int {
	var all, some []int
	for i := range s.X {
		if p.x.drawable(s.X[i]) && p.y.drawable(s.Y[i]) {
			all = append(all, i)
		}
	}
	if s.Kind == Points || len(all) <= mostMarkers+10 {
		return all
	}
	gap := (p.area.Max.X - p.area.Min.X) / mostMarkers
	// A whole number of points apart, so that evenly spaced points give evenly
	// spaced markers.
	width := p.x.at(s.X[all[len(all)-1]]) - p.x.at(s.X[all[0]])
	if apart := width / vg.Length(len(all)-1); apart > 0 {
		gap = apart * vg.Length(math.Ceil(float64(gap/apart)))
	}
	slot := func(i int) float64 {
		shift := gap * vg.Length(0.137+0.25*float64(nth%4))
		return math.Floor(float64((p.x.at(s.X[i]) - p.area.Min.X - shift) / gap))
	}
	last := math.NaN()
	for _, i := range all {
		k := slot(i)
		if k < 0 && len(all) > 1 && !p.isolated(s, i) {
			continue
		}
		if k != last || p.isolated(s, i) {
			some = append(some, i)
		}
		last = k
	}
	return some
}

// isolated reports whether point i has no neighbor to be joined with.
func (p panel) isolated(s Series, i int) bool {
	ok := func(j int) bool {
		return j >= 0 && j < len(s.X) && p.x.drawable(s.X[j]) && p.y.drawable(s.Y[j])
	}
	return !ok(i-1) && !ok(i+1)
}

// drawInterval draws an error bar from low to high as far as the axes show it.
func (p panel) drawInterval(c draw.Canvas, l look, x vg.Length, low, high float64) {
	if p.y.log && low <= 0 {
		low = p.y.min
	}
	if !p.y.drawable(low) || !p.y.drawable(high) {
		return
	}
	lo, hi := max(c.Min.Y, p.y.at(low)), min(c.Max.Y, p.y.at(high))
	if lo <= hi {
		drawErrorBar(c, l, x, lo, hi)
	}
}

// drawErrorBar draws a bar with caps.
func drawErrorBar(c draw.Canvas, l look, x, lo, hi vg.Length) {
	// A light casing makes the bar visible on dark ground.
	for _, sty := range []draw.LineStyle{{Color: paper, Width: 1.8}, {Color: l.color, Width: 0.8}} {
		c.StrokeLine2(sty, x, lo, x, hi)
		c.StrokeLine2(sty, x-2, lo, x+2, lo)
		c.StrokeLine2(sty, x-2, hi, x+2, hi)
	}
}

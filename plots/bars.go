package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"revopt/internal/text"
)

// groupWidth is how much of the distance between neighboring x the bars fill.
const groupWidth = 0.8

// slot is the least distance between bars of one series: one for a single bar, zero
// without bars.
func (f Figure) slot() float64 {
	var xs []float64
	for _, s := range f.Series {
		if s.Kind != Bars {
			continue
		}
		for _, x := range s.X {
			if finite(x) {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	if len(xs) < 2 {
		return float64(len(xs))
	}
	least := math.Inf(1)
	for i := 1; i < len(xs); i++ {
		least = math.Min(least, xs[i]-xs[i-1])
	}
	return least
}

// drawBars draws the series of bars side by side about each x.
func (p panel) drawBars(c draw.Canvas) {
	base := p.y.lo
	if !p.y.log {
		base = p.y.at(0)
	}
	for i, s := range p.fig.Series {
		if s.Kind != Bars {
			continue
		}
		offset, width := p.fig.barAt(i)
		for j := range s.X {
			left, right := s.X[j]+offset, s.X[j]+offset+width
			if !p.x.drawable(left) || !p.x.drawable(right) || !p.y.drawable(s.Y[j]) {
				continue
			}
			p.drawOneBar(c, p.styles[i], p.x.at(left), p.x.at(right), base, p.y.at(s.Y[j]))
			if mid := (p.x.at(left) + p.x.at(right)) / 2; s.Low != nil && c.ContainsX(mid) {
				p.drawInterval(c, look{color: ink}, mid, s.Low[j], s.High[j])
			}
		}
	}
}

// barAt returns where the bars of a series begin beside their x, and how wide they are.
func (f Figure) barAt(series int) (offset, width float64) {
	isBar := func(s Series) bool { return s.Kind == Bars }
	n, before := text.Count(f.Series, isBar), text.Count(f.Series[:series], isBar)
	width = groupWidth * f.slot() / float64(n)
	return (float64(before) - float64(n)/2) * width, width
}

// beside returns how far the points of a series are drawn beside their x: quoted numbers of bars stand on the bars.
func (f Figure) beside(s Series) float64 {
	k := slices.IndexFunc(f.Series, func(of Series) bool { return of.Kind == Bars && of.Name == s.Name })
	if !s.Quoted || k < 0 {
		return 0
	}
	offset, width := f.barAt(k)
	return offset + width/2
}

// drawOneBar draws the part of a bar that lies within the axes.
func (p panel) drawOneBar(c draw.Canvas, l look, left, right, base, top vg.Length) {
	r := vg.Rectangle{
		Min: vg.Point{X: max(left, c.Min.X), Y: max(min(base, top), c.Min.Y)},
		Max: vg.Point{X: min(right, c.Max.X), Y: min(max(base, top), c.Max.Y)},
	}
	if r.Min.X < r.Max.X && r.Min.Y < r.Max.Y {
		drawBar(c, l, r)
	}
}

// barAngles are the directions of the hatching by look; none is a plain bar.
var barAngles = [][]float64{
	nil, {math.Pi / 4}, {-math.Pi / 4}, {0},
	{math.Pi / 4, -math.Pi / 4}, {math.Pi / 2}, {0, math.Pi / 2}, {math.Pi / 8},
}

// drawBar fills r in the color of l, with hatching that distinguishes it in gray.
func drawBar(c draw.Canvas, l look, r vg.Rectangle) {
	poly := corners(r)
	c.FillPolygon(l.color, poly)
	light := color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xb0}
	for _, a := range barAngles[l.hatch%len(barAngles)] {
		c.StrokeLines(draw.LineStyle{Color: light, Width: 0.6}, hatch(poly, a, 3)...)
	}
	c.StrokeLines(draw.LineStyle{Color: l.color, Width: 0.5}, append(poly, r.Min))
}

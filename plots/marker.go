package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A marker is the shape of a point.
type marker int

const (
	disc marker = iota
	hollowSquare
	triangle
	hollowDiamond
	square
	cross
	hollowTriangle // on its tip
	plus
	markers // the number of markers

	noMarker marker = -1
	ring     marker = -2 // of quoted numbers
)

// drawMarker draws the marker of l at pt. Hollow and filled shapes have a rim,
// so that they stay visible on lines and on each other.
func drawMarker(c draw.Canvas, l look, pt vg.Point) {
	r := markRadius
	switch l.marker {
	case noMarker:
		fillShape(c, l, circle(pt, r*0.6), false)
	case ring:
		fillShape(c, l, circle(pt, r*1.5), true)
	case disc:
		fillShape(c, l, circle(pt, r), false)
	case hollowSquare:
		fillShape(c, l, polygon(pt, r*1.25, 4, math.Pi/4), true)
	case triangle:
		fillShape(c, l, polygon(pt, r*1.35, 3, math.Pi/2), false)
	case hollowDiamond:
		fillShape(c, l, polygon(pt, r*1.3, 4, 0), true)
	case square:
		fillShape(c, l, polygon(pt, r*1.2, 4, math.Pi/4), false)
	case hollowTriangle:
		fillShape(c, l, polygon(pt, r*1.35, 3, -math.Pi/2), true)
	case cross:
		strokeCross(c, l, pt, r, math.Pi/4)
	case plus:
		strokeCross(c, l, pt, r*1.15, 0)
	default:
		panic("plots: unknown marker")
	}
}

// fillShape fills p in the color of l with a thin white rim. A hollow shape is white
// with a colored rim.
func fillShape(c draw.Canvas, l look, p vg.Path, hollow bool) {
	if hollow {
		c.SetColor(paper)
		c.Fill(p)
		c.SetLineStyle(draw.LineStyle{Color: l.color, Width: 1})
		c.Stroke(p)
		return
	}
	c.SetLineStyle(draw.LineStyle{Color: paper, Width: 0.8})
	c.Stroke(p)
	c.SetColor(l.color)
	c.Fill(p)
}

// strokeCross draws two bars through pt, the first at the given angle.
func strokeCross(c draw.Canvas, l look, pt vg.Point, r vg.Length, angle float64) {
	for _, sty := range []draw.LineStyle{{Color: paper, Width: 2.2}, {Color: l.color, Width: 1.2}} {
		for _, a := range []float64{angle, angle + math.Pi/2} {
			sin, cos := math.Sincos(a)
			d := vg.Point{X: r * vg.Length(cos), Y: r * vg.Length(sin)}
			c.StrokeLines(sty, []vg.Point{pt.Sub(d), pt.Add(d)})
		}
	}
}

// polygon is a regular polygon of n corners about pt, one of them at angle.
func polygon(pt vg.Point, r vg.Length, n int, angle float64) vg.Path {
	var p vg.Path
	for i := range n {
		sin, cos := math.Sincos(angle + 2*math.Pi*float64(i)/float64(n))
		q := vg.Point{X: pt.X + r*vg.Length(cos), Y: pt.Y + r*vg.Length(sin)}
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	return p
}

// circle is a circle of four Bézier curves, the same in every format.
func circle(pt vg.Point, r vg.Length) vg.Path {
	k := r * 0.5522847498 // 4/3 (sqrt 2 - 1)
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: pt.X + x, Y: pt.Y + y} }
	var p vg.Path
	p.Move(at(r, 0))
	p.CubeTo(at(r, k), at(k, r), at(0, r))
	p.CubeTo(at(-k, r), at(-r, k), at(-r, 0))
	p.CubeTo(at(-r, -k), at(-k, -r), at(0, -r))
	p.CubeTo(at(k, -r), at(r, -k), at(r, 0))
	p.Close()
	return p
}

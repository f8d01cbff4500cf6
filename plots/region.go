package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"revopt/internal/text"
)

func edgeStyle() draw.LineStyle { return draw.LineStyle{Color: ink, Width: lineWidth} }

// drawRegion shades the region within the axes.
func (p panel) drawRegion(c draw.Canvas, r Region) {
	for _, area := range p.regionAreas(r) {
		if clipped := c.ClipPolygonXY(area); len(clipped) > 2 {
			fillRegion(c, r, clipped)
		}
	}
}

// drawEdge draws the edge of the region if it has one.
func (p panel) drawEdge(c draw.Canvas, r Region) {
	if !r.Edge {
		return
	}
	for _, run := range p.runs(r.X, r.Y, r.Step) {
		c.StrokeLines(edgeStyle(), c.ClipLinesXY(run)...)
	}
}

// regionAreas returns the outlines of the region, one for each run of its edge.
func (p panel) regionAreas(r Region) [][]vg.Point {
	if r.Side == Between {
		return p.between(r.X, r.Y, r.Y2, r.Step)
	}
	var areas [][]vg.Point
	for _, run := range p.runs(r.X, r.Y, r.Step) {
		// The far side lies beyond the axes and the edge, which may exceed the axes.
		lo, hi := p.area.Min.Y, p.area.Max.Y
		for _, pt := range run {
			lo, hi = min(lo, pt.Y), max(hi, pt.Y)
		}
		far := hi
		if r.Side == Below {
			far = lo
		}
		first, last := run[0], run[len(run)-1]
		areas = append(areas, append(run, vg.Point{X: last.X, Y: far}, vg.Point{X: first.X, Y: far}))
	}
	return areas
}

// fillRegion shades a polygon in the manner of r.
func fillRegion(c draw.Canvas, r Region, poly []vg.Point) {
	c.FillPolygon(tints[r.Tint%len(tints)], poly)
	if r.Hatch {
		c.StrokeLines(draw.LineStyle{Color: hatchInk, Width: hatchWidth}, hatch(poly, math.Pi/4, hatchGap)...)
	}
}

// hatch returns the pieces within poly of parallel lines at an angle, gap apart.
// The lines are anchored at the origin, so neighboring polygons match.
func hatch(poly []vg.Point, angle float64, gap vg.Length) [][]vg.Point {
	sin, cos := math.Sincos(angle)
	// In turned coordinates X is parallel to the lines.
	turn := func(p vg.Point, s, c float64) vg.Point {
		return vg.Point{X: p.X*vg.Length(c) + p.Y*vg.Length(s), Y: p.Y*vg.Length(c) - p.X*vg.Length(s)}
	}
	turned := make([]vg.Point, len(poly))
	lo, hi := vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
	for i, q := range poly {
		turned[i] = turn(q, sin, cos)
		lo, hi = min(lo, turned[i].Y), max(hi, turned[i].Y)
	}
	var lines [][]vg.Point
	for v := vg.Length(math.Ceil(float64(lo/gap))) * gap; v < hi; v += gap {
		cuts := crossings(turned, v)
		for i := 0; i+1 < len(cuts); i += 2 {
			a, b := vg.Point{X: cuts[i], Y: v}, vg.Point{X: cuts[i+1], Y: v}
			lines = append(lines, []vg.Point{turn(a, -sin, cos), turn(b, -sin, cos)})
		}
	}
	return lines
}

// crossings returns in order where the outline of poly crosses the line Y = v.
func crossings(poly []vg.Point, v vg.Length) []vg.Length {
	var cuts []vg.Length
	for i, a := range poly {
		b := poly[(i+1)%len(poly)]
		if (a.Y <= v) != (b.Y <= v) {
			cuts = append(cuts, a.X+(b.X-a.X)*(v-a.Y)/(b.Y-a.Y))
		}
	}
	slices.Sort(cuts)
	return cuts
}

// ground is the color on which words at pt stand: the shade of the topmost
// region there, or paper.
func (p panel) ground(pt vg.Point) color.NRGBA {
	under := paper
	for _, r := range p.fig.Regions {
		for _, poly := range p.regionAreas(r) {
			left := text.Count(crossings(poly, pt.Y), func(x vg.Length) bool { return x < pt.X })
			if left%2 == 1 {
				under = tints[r.Tint%len(tints)]
			}
		}
	}
	under.A = 0xd0
	return under
}

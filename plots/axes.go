package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws the page on a canvas of its size.
func (pg page) draw(canvas vg.Canvas) {
	c := draw.Canvas{Canvas: canvas, Rectangle: vg.Rectangle{Max: vg.Point{X: pg.width, Y: pg.height}}}
	c.FillPolygon(paper, corners(c.Rectangle))
	c.SetColor(ink)
	fillBlock(c, face(titleSize, true), vg.Point{X: pg.width / 2, Y: pg.titleTop}, pg.title, atCenter)
	fillBlock(c, face(smallSize, false), vg.Point{X: pg.width / 2, Y: pg.subtitleTop}, pg.subtitle, atCenter)
	for _, p := range pg.panels {
		p.draw(c)
	}
	pg.legend.draw(c, pg.legendCorner())
	c.SetColor(ruleInk)
	fillBlock(c, face(smallSize, false), vg.Point{X: outerMargin, Y: pg.notesTop}, pg.notes, atStart)
}

// legendCorner is the top left corner of the legend: centered below the axes, as
// far as the page allows.
func (pg page) legendCorner() vg.Point {
	lo, hi := pg.width, vg.Length(0)
	for _, p := range pg.panels {
		lo, hi = min(lo, p.area.Min.X), max(hi, p.area.Max.X)
	}
	x := (lo+hi)/2 - pg.legend.width/2
	x = max(outerMargin, min(x, pg.width-outerMargin-pg.legend.width))
	return vg.Point{X: x, Y: pg.legendTop}
}

// draw draws the panel from the ground up.
func (p panel) draw(c draw.Canvas) {
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: p.area}
	p.drawGrid(area)
	for _, r := range p.fig.Regions {
		p.drawRegion(area, r)
	}
	for _, r := range p.fig.Regions {
		p.drawEdge(area, r)
	}
	p.drawAxes(c)
	p.drawSeries(area)
	p.drawRules(area)
	p.drawLabels(area)
	p.drawEndLabels(c)
}

func (p panel) drawGrid(c draw.Canvas) {
	sty := draw.LineStyle{Color: gridInk, Width: gridWidth}
	for _, t := range p.yTicks {
		if t.label != "" && p.fig.Y.Categories == nil {
			y := p.y.at(t.value)
			c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
		}
	}
	if len(p.fig.X.Categories) > 0 {
		return // lines behind the bars would say nothing
	}
	for _, t := range p.xTicks {
		if t.label != "" {
			x := p.x.at(t.value)
			c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
		}
	}
}

// drawAxes draws lines, ticks and words around the area.
func (p panel) drawAxes(c draw.Canvas) {
	a, sty := p.area, draw.LineStyle{Color: ink, Width: axisWidth}
	c.StrokeLines(sty, []vg.Point{{X: a.Min.X, Y: a.Max.Y}, a.Min, {X: a.Max.X, Y: a.Min.Y}})
	f := face(tickSize, false)
	for _, t := range p.xTicks {
		x, y := p.x.at(t.value), a.Min.Y
		c.StrokeLine2(sty, x, y-t.length(), x, y)
		pt := vg.Point{X: x, Y: y - tickLength - textGap}
		if p.slanted {
			fillText(c, f, pt, t.label, atEnd, atEnd, slant)
		} else {
			fillBlock(c, f, pt, t.lines(), atCenter)
		}
	}
	for _, t := range p.yTicks {
		x, y := a.Min.X, p.y.at(t.value)
		c.StrokeLine2(sty, x-t.length(), y, x, y)
		fillText(c, f, vg.Point{X: x - tickLength - textGap + 1, Y: y}, t.label, atEnd, atCenter, 0)
	}
	p.drawWords(c)
}

// length is that of the mark: half for a minor tick.
func (t tick) length() vg.Length {
	if t.label == "" {
		return tickLength / 2
	}
	return tickLength
}

// drawWords draws the axis labels and the title of the panel.
func (p panel) drawWords(c draw.Canvas) {
	a, f := p.area, face(labelSize, false)
	mid := vg.Point{X: (a.Min.X + a.Max.X) / 2, Y: (a.Min.Y + a.Max.Y) / 2}
	foot := p.cell.Min.Y + blockHeight(labelSize, len(p.xLabel))
	fillBlock(c, f, vg.Point{X: mid.X, Y: foot}, p.xLabel, atCenter)
	for i, l := range p.yLabel {
		x := p.cell.Min.X + labelSize*(capHeight+leading*vg.Length(i))
		fillText(c, f, vg.Point{X: x, Y: mid.Y}, l, atCenter, atStart, math.Pi/2)
	}
	fillBlock(c, face(labelSize, true), vg.Point{X: a.Min.X, Y: p.cell.Max.Y}, p.title, atStart)
}

package plots

import (
	"math"

	"gonum.org/v1/plot/vg"
)

const (
	textGap  vg.Length = 3  // between ticks, their labels and the axis label
	blockGap vg.Length = 7  // between axes, legend, notes and title
	cellGap  vg.Length = 10 // between panels
	titleGap vg.Length = 3  // below the title
	slant              = math.Pi / 4
)

// A page is a sheet with every rectangle fixed.
type page struct {
	width, height vg.Length
	title, notes  []string
	subtitle      []string
	titleTop      vg.Length // top edges of the blocks
	subtitleTop   vg.Length
	legendTop     vg.Length
	notesTop      vg.Length
	legend        legend
	panels        []panel
}

// A panel is a figure with its place on the page.
type panel struct {
	fig     Figure
	styles  []look       // of the series
	cell    vg.Rectangle // all of it
	area    vg.Rectangle // between the axes
	x, y    scale
	xTicks  []tick
	yTicks  []tick
	slanted bool // labels of x ticks

	ruleTexts []ruleText
	endLabels []endLabel // their places follow from those of the axes
	title     []string
	xLabel    []string
	yLabel    []string
}

// margins is what the axes need around the area.
type margins struct{ left, right, bottom, top vg.Length }

func (m margins) max(o margins) margins {
	return margins{max(m.left, o.left), max(m.right, o.right), max(m.bottom, o.bottom), max(m.top, o.top)}
}

// newPage lays out a checked sheet: title, grid of panels, legend, notes, from
// top to bottom. Width is kept; height grows if the panels would get too little.
func newPage(s Sheet) page {
	pg := page{width: vg.Length(s.Width) * vg.Centimeter, height: vg.Length(s.Height) * vg.Centimeter}
	inner := pg.width - 2*outerMargin
	all := styles(s.Panels)
	pg.title = wrap(face(titleSize, true), s.Title, inner)
	pg.subtitle = wrap(face(smallSize, false), s.Subtitle, inner)
	pg.notes = wrapAll(s.Notes, inner)
	pg.legend = newLegend(s.Panels, all, inner)

	titleHeight := gapped(blockHeight(titleSize, len(pg.title)), titleGap)
	subtitleHeight := gapped(blockHeight(smallSize, len(pg.subtitle)), titleGap)
	legendHeight := gapped(pg.legend.height, blockGap)
	notesHeight := gapped(blockHeight(smallSize, len(pg.notes)), blockGap)
	rest := titleHeight + subtitleHeight + legendHeight + notesHeight + 2*outerMargin
	grid := max(pg.height-rest, 0.62*pg.height)
	pg.height = rest + grid

	pg.titleTop = pg.height - outerMargin
	pg.subtitleTop = pg.titleTop - titleHeight
	gridTop := pg.subtitleTop - subtitleHeight
	pg.legendTop = gridTop - grid - blockGap
	pg.notesTop = gridTop - grid - legendHeight - blockGap

	pg.placePanels(s, all, vg.Rectangle{
		Min: vg.Point{X: outerMargin, Y: gridTop - grid},
		Max: vg.Point{X: pg.width - outerMargin, Y: gridTop},
	})
	return pg
}

// gapped adds the gap beside a block unless it is empty.
func gapped(h, gap vg.Length) vg.Length {
	if h == 0 {
		return 0
	}
	return h + gap
}

func wrapAll(notes []string, width vg.Length) []string {
	var lines []string
	for _, n := range notes {
		lines = append(lines, wrap(face(smallSize, false), n, width)...)
	}
	return lines
}

// placePanels divides grid into cells with common margins, so that the axes of
// a row or column stand in line.
func (pg *page) placePanels(s Sheet, all [][]look, grid vg.Rectangle) {
	cols, rows := vg.Length(s.Columns), vg.Length(s.rows())
	size := vg.Point{
		X: (grid.Size().X - cellGap*(cols-1)) / cols,
		Y: (grid.Size().Y - cellGap*(rows-1)) / rows,
	}
	for i, f := range s.Panels {
		col, row := vg.Length(i%s.Columns), vg.Length(i/s.Columns)
		lo := vg.Point{
			X: grid.Min.X + col*(size.X+cellGap),
			Y: grid.Max.Y - size.Y - row*(size.Y+cellGap),
		}
		p := panel{fig: f, styles: all[i], cell: vg.Rectangle{Min: lo, Max: lo.Add(size)}}
		p.x, p.y = f.scales()
		pg.panels = append(pg.panels, p)
	}
	// Ticks depend on the room, and the room on the labels of the ticks; a
	// few rounds with growing margins settle it.
	var m margins
	for range 3 {
		for i := range pg.panels {
			m = m.max(pg.panels[i].measure(m))
		}
	}
	for i := range pg.panels {
		pg.panels[i].place(m)
	}
}

// measure chooses ticks and labels for the area that m leaves, and returns the
// margins they need.
func (p *panel) measure(m margins) margins {
	room := p.room(m)
	f := p.fig
	p.title = wrap(face(labelSize, true), f.Title, room.X)
	p.xLabel = wrap(face(labelSize, false), f.X.textAt(p.x.min, p.x.max), room.X)
	p.yLabel = wrap(face(labelSize, false), f.Y.textAt(p.y.min, p.y.max), room.Y)
	p.yTicks = f.Y.ticks(p.y.min, p.y.max, min(6, max(2, int(room.Y/26))))
	p.xTicks, p.slanted = fitTicks(f.X, p.x, room.X)

	var levels int
	p.ruleTexts, levels = stackRules(f.VLines, p.x, room.X)
	lines := 1
	for _, t := range p.xTicks {
		lines = max(lines, len(t.lines()))
	}
	need := margins{
		left:   blockMargin(len(p.yLabel)) + widestLabel(p.yTicks) + tickLength + textGap,
		bottom: blockMargin(len(p.xLabel)) + blockHeight(tickSize, lines) + tickLength + textGap,
		top:    max(blockMargin(len(p.title))+smallSize*leading*vg.Length(levels), tickSize/2),
	}
	p.endLabels = f.endLabels(0.3 * p.cell.Size().X)
	for _, l := range p.endLabels {
		need.right = max(need.right, leaderWidth+widest(endFace(), l.lines))
	}
	tickFace := face(tickSize, false)
	for _, t := range p.xTicks {
		// How far the label reaches left and right of its tick.
		before := widest(tickFace, t.lines()) / 2
		after := before
		if p.slanted {
			before, after = 2*before*vg.Length(math.Cos(slant))+tickSize/2, tickSize/2
			need.bottom = max(need.bottom, blockMargin(len(p.xLabel))+tickLength+textGap+before)
		}
		sc := p.x
		sc.lo, sc.hi = 0, room.X
		need.left = max(need.left, before-sc.at(t.value))
		need.right = max(need.right, after-(room.X-sc.at(t.value)))
	}
	return need
}

// room is the size of the area that the margins leave.
func (p *panel) room(m margins) vg.Point {
	s := p.cell.Size()
	return vg.Point{X: max(20, s.X-m.left-m.right), Y: max(20, s.Y-m.bottom-m.top)}
}

// place fixes the area and the scales.
func (p *panel) place(m margins) {
	p.area.Min = vg.Point{X: p.cell.Min.X + m.left, Y: p.cell.Min.Y + m.bottom}
	p.area.Max = p.area.Min.Add(p.room(m))
	p.x.lo, p.x.hi = p.area.Min.X, p.area.Max.X
	p.y.lo, p.y.hi = p.area.Min.Y, p.area.Max.Y
	p.placeEndLabels()
}

// blockMargin is the room for n lines of an axis label.
func blockMargin(n int) vg.Length {
	if n == 0 {
		return 0
	}
	return blockHeight(labelSize, n) + textGap + 1
}

func widestLabel(ts []tick) vg.Length {
	f := face(tickSize, false)
	var w vg.Length
	for _, t := range ts {
		w = max(w, textWidth(f, t.label))
	}
	return w
}

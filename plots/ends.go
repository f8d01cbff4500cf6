package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	leaderWidth vg.Length = 20  // between the axes and the labels at the ends of lines
	leaderStart vg.Length = 3   // of it straight, beside the axes
	leaderGap   vg.Length = 5   // of it for the marker, beside the label
	endGap      vg.Length = 1.5 // between two labels
)

// An endLabel is the name of a line beside its right end.
type endLabel struct {
	series int
	lines  []string
	at     int       // the point of the series where the line ends
	middle vg.Length // of the lines of text
}

func endFace() font.Face { return face(smallSize, false) }

// height is that of the text.
func (l endLabel) height() vg.Length { return blockHeight(smallSize, len(l.lines)) }

// labeled reports whether the name of a series stands at its end.
func (f Figure) labeled(s Series) bool {
	return f.EndLabels && s.Name != "" && !s.Behind && (s.Kind == Line || s.Kind == Step)
}

// endLabels returns the names at the ends of lines, no wider than width, without places.
func (f Figure) endLabels(width vg.Length) []endLabel {
	x, y := f.scales()
	var list []endLabel
	for i, s := range f.Series {
		if !f.labeled(s) {
			continue
		}
		last := -1
		for k := range s.X {
			if x.drawable(s.X[k]) && y.drawable(s.Y[k]) && (last < 0 || s.X[k] >= s.X[last]) {
				last = k
			}
		}
		if last >= 0 {
			list = append(list, endLabel{series: i, lines: wrap(endFace(), s.Name, width), at: last})
		}
	}
	return list
}

// placeEndLabels puts every label as near to the end of its line as the others allow: from
// top to bottom in the order of the ends, with the least sum of squared distances.
func (p *panel) placeEndLabels() {
	list := p.endLabels
	slices.SortStableFunc(list, func(a, b endLabel) int { return cmp.Compare(p.end(b).Y, p.end(a).Y) })
	// Shifted by the room of the labels above, places need only fall from label to label.
	shift := make([]vg.Length, len(list))
	wanted := make([]float64, len(list))
	for i, l := range list {
		if i > 0 {
			shift[i] = shift[i-1] + (list[i-1].height()+l.height())/2 + endGap
		}
		wanted[i] = float64(p.end(l).Y + shift[i])
	}
	for i, y := range falling(wanted) {
		first, last := list[0], list[len(list)-1]
		lowest := p.cell.Min.Y + last.height()/2 + shift[len(list)-1]
		highest := p.area.Max.Y + tickSize/2 - first.height()/2
		list[i].middle = min(max(vg.Length(y), lowest), highest) - shift[i]
	}
}

// end is where a line ends within the axes.
func (p *panel) end(l endLabel) vg.Point {
	s := p.fig.Series[l.series]
	y := p.y.at(s.Y[l.at])
	return vg.Point{X: p.x.at(s.X[l.at]), Y: min(max(y, p.area.Min.Y), p.area.Max.Y)}
}

// falling returns the sequence without a rise that has the least sum of squared distances
// from y: neighbors in the wrong order share their mean.
func falling(y []float64) []float64 {
	type block struct {
		sum float64
		n   int
	}
	mean := func(b block) float64 { return b.sum / float64(b.n) }
	var blocks []block
	for _, v := range y {
		blocks = append(blocks, block{v, 1})
		for n := len(blocks); n > 1 && mean(blocks[n-1]) > mean(blocks[n-2]); n-- {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].n += blocks[n-1].n
			blocks = blocks[:n-1]
		}
	}
	var fitted []float64
	for _, b := range blocks {
		fitted = append(fitted, slices.Repeat([]float64{mean(b)}, b.n)...)
	}
	return fitted
}

// drawEndLabels draws the names, each joined with the end of its line and with its marker, or with its dashes if it has
// none.
func (p panel) drawEndLabels(c draw.Canvas) {
	for _, l := range p.endLabels {
		end, side := p.end(l), p.area.Max.X
		style := p.styles[l.series]
		mark := vg.Point{X: side + leaderWidth - leaderGap, Y: l.middle}
		leader := draw.LineStyle{Color: style.color, Width: 0.6}
		if style.marker == noMarker {
			leader = style.stroke()
		}
		c.StrokeLines(leader, []vg.Point{end, {X: side + leaderStart, Y: end.Y}, mark})
		if style.marker != noMarker {
			drawMarker(c, style, mark)
		}
		c.SetColor(ink)
		fillBlock(c, endFace(), vg.Point{X: side + leaderWidth, Y: l.middle + l.height()/2}, l.lines, atStart)
	}
}

package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const wordGap vg.Length = 3 // between words and the line they belong to

// drawRules draws the straight lines with their words.
func (p panel) drawRules(c draw.Canvas) {
	sty := draw.LineStyle{Color: ruleInk, Width: 0.8, Dashes: []vg.Length{2, 1.6}}
	f := face(smallSize, false)
	for _, t := range p.ruleTexts {
		x := p.x.at(t.at)
		c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
		y := c.Max.Y + wordGap + smallSize*leading*vg.Length(t.level)
		left := within(x-textWidth(f, t.text)/2, textWidth(f, t.text), c.Min.X, c.Max.X)
		c.SetColor(ink)
		fillString(c, f, vg.Point{X: left, Y: y}, t.text)
	}
	for _, r := range p.fig.HLines {
		if !p.y.drawable(r.At) || !c.ContainsY(p.y.at(r.At)) {
			continue
		}
		y := p.y.at(r.At)
		c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
		text := printable(r.Text)
		pt := vg.Point{X: max(c.Min.X+wordGap, c.Max.X-wordGap-textWidth(f, text)), Y: y + wordGap}
		if pt.Y+smallSize*capHeight > c.Max.Y {
			pt.Y = y - wordGap - smallSize*capHeight
		}
		grounded(c, f, pt, text, p.ground(pt))
	}
}

// A ruleText is the text of a vertical line, above the area at a level counted
// from below.
type ruleText struct {
	at    float64
	text  string
	level int
}

// stackRules gives the vertical lines within a width their levels, so that no
// two texts overlap, and returns the number of levels.
func stackRules(rules []Rule, sc scale, width vg.Length) (texts []ruleText, levels int) {
	sc.lo, sc.hi = 0, width
	f := face(smallSize, false)
	type span struct{ lo, hi vg.Length }
	var used [][]span
	free := func(level int, s span) bool {
		meets := func(u span) bool { return s.lo < u.hi+wordGap && u.lo < s.hi+wordGap }
		return !slices.ContainsFunc(used[level], meets)
	}
	for _, r := range rules {
		if !sc.drawable(r.At) || r.At < sc.min || r.At > sc.max {
			continue
		}
		t := ruleText{at: r.At, text: printable(r.Text)}
		if t.text != "" {
			w := textWidth(f, t.text)
			lo := within(sc.at(r.At)-w/2, w, 0, width)
			s := span{lo, lo + w}
			for t.level < len(used) && !free(t.level, s) {
				t.level++
			}
			if t.level == len(used) {
				used = append(used, nil)
			}
			used[t.level] = append(used[t.level], s)
		}
		texts = append(texts, t)
	}
	return texts, len(used)
}

// drawLabels draws the labels at data positions, moved inside the area if necessary.
func (p panel) drawLabels(c draw.Canvas) {
	f := face(labelSize, false)
	for _, l := range p.fig.Labels {
		if !p.x.drawable(l.X) || !p.y.drawable(l.Y) {
			continue
		}
		lines := wrap(f, l.Text, c.Size().X-2*wordGap)
		w, h := widest(f, lines), blockHeight(labelSize, len(lines))
		x := within(p.x.at(l.X)-w/2, w, c.Min.X+wordGap, c.Max.X-wordGap)
		y := within(p.y.at(l.Y)-h/2, h, c.Min.Y+wordGap, c.Max.Y-wordGap)
		under := p.ground(vg.Point{X: x + w/2, Y: y + h/2})
		for i, line := range lines {
			base := y + h - labelSize*(capHeight+leading*vg.Length(i))
			grounded(c, f, vg.Point{X: x + (w-textWidth(f, line))/2, Y: base}, line, under)
		}
	}
}

// within moves the start of an interval of the given length into lo..hi.
func within(start, length, lo, hi vg.Length) vg.Length {
	return max(lo, min(start, hi-length))
}

// grounded draws a line of text with its baseline start at pt on a patch of ground
// that hides lines and hatching.
func grounded(c draw.Canvas, f font.Face, pt vg.Point, s string, ground color.NRGBA) {
	if s == "" {
		return
	}
	size := f.Font.Size
	c.FillPolygon(ground, corners(vg.Rectangle{
		Min: vg.Point{X: pt.X - 1.5, Y: pt.Y - size*descent},
		Max: vg.Point{X: pt.X + textWidth(f, s) + 1.5, Y: pt.Y + size*(capHeight+0.1)},
	}))
	c.SetColor(ink)
	fillString(c, f, pt, s)
}

package plots

import (
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Superscript digits are drawn as small raised ones: the font has the digits
// but not the minus that powers of ten need beside them.
const (
	raised  = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
	lowered = "0123456789−"

	raisedSize = 0.72 // of the font size
	raisedBy   = 0.34 // of the font size
)

// A piece is a part of a text, all of it raised or none.
type piece struct {
	text   string
	raised bool
}

// pieces splits s at the ends of superscripts.
func pieces(s string) []piece {
	var ps []piece
	for s != "" {
		r, _ := utf8.DecodeRuneInString(s)
		up := strings.ContainsRune(raised, r)
		n := strings.IndexFunc(s, func(r rune) bool { return strings.ContainsRune(raised, r) != up })
		if n < 0 {
			n = len(s)
		}
		text := s[:n]
		if up {
			text = strings.Map(lower, text)
		}
		ps = append(ps, piece{text, up})
		s = s[n:]
	}
	return ps
}

// lower returns the ordinary character of a superscript.
func lower(r rune) rune {
	at := utf8.RuneCountInString(raised[:strings.IndexRune(raised, r)])
	return []rune(lowered)[at]
}

// face returns the font of the piece in a text set in f.
func (p piece) face(f font.Face) font.Face {
	if p.raised {
		f.Font.Size *= raisedSize
	}
	return f
}

// textWidth is the width of one line set in f.
func textWidth(f font.Face, s string) vg.Length {
	var w vg.Length
	for _, p := range pieces(s) {
		pf := p.face(f)
		w += pf.Width(p.text)
	}
	return w
}

// fillString draws one line with the start of its baseline at pt.
func fillString(c draw.Canvas, f font.Face, pt vg.Point, s string) {
	for _, p := range pieces(s) {
		pf, at := p.face(f), pt
		if p.raised {
			at.Y += raisedBy * f.Font.Size
		}
		c.FillString(pf, at, p.text)
		pt.X += pf.Width(p.text)
	}
}

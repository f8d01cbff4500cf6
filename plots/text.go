package plots

import (
	"strings"
	"sync"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"revopt/internal/text"
)

// fonts holds the Liberation fonts, parsed when first needed.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

const (
	capHeight = 0.72 // of the font size, above the baseline
	descent   = 0.21 // of the font size, below the baseline
	leading   = 1.2  // baseline to baseline, of the font size
)

// face returns Liberation Sans in the given size.
func face(size vg.Length, bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return fonts().Lookup(f, size)
}

// oneLine makes s printable on one line.
func oneLine(s string) string { return text.Line(s) }

// printable is oneLine with "?" for every character that the font lacks. The formats
// would fail on it differently.
func printable(s string) string {
	var buf sfnt.Buffer
	f := face(1, false)
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(raised, r) {
			return r
		}
		if i, err := f.Face.GlyphIndex(&buf, r); err != nil || i == 0 {
			return '?'
		}
		return r
	}, oneLine(s))
}

// wrap breaks s into lines no wider than width, at spaces if possible, else within a
// word.
func wrap(f font.Face, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(printable(s)) {
		if joined := strings.TrimSpace(line + " " + word); textWidth(f, joined) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for textWidth(f, word) > width {
			n := fitting(f, word, width)
			lines = append(lines, word[:n])
			word = word[n:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fitting returns the bytes of the longest prefix of word, one character at
// least, that is no wider than width.
func fitting(f font.Face, word string, width vg.Length) int {
	n := len(word)
	for i := range word {
		if i > 0 && textWidth(f, word[:i]) > width {
			break
		}
		n = i
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(word)
	}
	return n
}

// blockHeight is the height of n lines from the top of the capitals of the
// first to the descenders of the last.
func blockHeight(size vg.Length, n int) vg.Length {
	if n == 0 {
		return 0
	}
	return size * (capHeight + descent + leading*vg.Length(n-1))
}

// widest returns the width of the widest line.
func widest(f font.Face, lines []string) vg.Length {
	var w vg.Length
	for _, l := range lines {
		w = max(w, textWidth(f, l))
	}
	return w
}

// Alignment of a text relative to its anchor, as the fraction of its width or
// capital height that lies before the anchor.
const (
	atStart  = 0.0
	atCenter = 0.5
	atEnd    = 1.0
)

// fillText draws one line with its anchor at pt, turned by angle radians.
func fillText(c draw.Canvas, f font.Face, pt vg.Point, s string, h, v, angle float64) {
	off := vg.Point{
		X: -vg.Length(h) * textWidth(f, s),
		Y: -vg.Length(v) * capHeight * f.Font.Size,
	}
	if angle == 0 {
		fillString(c, f, pt.Add(off), s)
		return
	}
	c.Push()
	c.Translate(pt)
	c.Rotate(angle)
	fillString(c, f, off, s)
	c.Pop()
}

// fillBlock draws lines downwards from the top edge of the first at pt.Y.
func fillBlock(c draw.Canvas, f font.Face, pt vg.Point, lines []string, h float64) {
	for i, l := range lines {
		y := pt.Y - f.Font.Size*leading*vg.Length(i)
		fillText(c, f, vg.Point{X: pt.X, Y: y}, l, h, atEnd, 0)
	}
}

// Superscript digits are drawn as small raised ones, because the font lacks a
// superscript minus.
const (
	raised     = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
	raisedSize = 0.72 // of the font size
	raisedBy   = 0.34 // of the font size
)

var lowered = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5",
	"⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9", "⁻", "−")

// A piece is a part of a text that is raised or not.
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
			text = lowered.Replace(text)
		}
		ps = append(ps, piece{text, up})
		s = s[n:]
	}
	return ps
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

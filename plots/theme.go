package plots

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// Sizes of the theme, in points on paper.
const (
	tickSize  vg.Length = 8   // font of the tick labels
	labelSize vg.Length = 9   // font of the axis labels
	titleSize vg.Length = 10  // font of the titles
	smallSize vg.Length = 7.5 // font of labels on rules, and of notes

	lineWidth   vg.Length = 1.3
	behindWidth vg.Length = 0.5
	boundWidth  vg.Length = 1.1
	axisWidth   vg.Length = 0.6
	gridWidth   vg.Length = 0.4
	hatchWidth  vg.Length = 0.45
	hatchGap    vg.Length = 4.5
	markRadius  vg.Length = 2.3
	tickLength  vg.Length = 3
	outerMargin vg.Length = 5
)

var (
	ink       = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	gridInk   = color.NRGBA{R: 0xe4, G: 0xe4, B: 0xe4, A: 0xff}
	ruleInk   = color.NRGBA{R: 0x66, G: 0x66, B: 0x66, A: 0xff}
	paper     = color.NRGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
	behindInk = color.NRGBA{R: 0xb4, G: 0xb4, B: 0xb4, A: 0xff}
	hatchInk  = color.NRGBA{R: 0x8c, G: 0x8c, B: 0x8c, A: 0xff}
	bandAlpha = uint8(0x38)
)

// palette follows Okabe and Ito (2008), safe for color-blind readers. Some colors are
// darker, and neighbors differ in luminance when printed in gray.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x4c, B: 0x84, A: 0xff}, // dark blue
	{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, // orange
	{R: 0xc8, G: 0x50, B: 0x00, A: 0xff}, // vermilion
	{R: 0x00, G: 0x7a, B: 0x58, A: 0xff}, // green
	{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, // sky blue
	{R: 0x9b, G: 0x3f, B: 0x8c, A: 0xff}, // purple
	{R: 0x40, G: 0x40, B: 0x40, A: 0xff}, // charcoal
	{R: 0x99, G: 0x93, B: 0x2e, A: 0xff}, // olive
}

// dashes has one distinct pattern for each color.
var dashes = [][]vg.Length{
	nil, {5, 2}, {1.6, 1.6}, {6, 2, 1.6, 2},
	{9, 2.5}, {3, 1.5, 1, 1.5}, {6, 1.6, 1.6, 1.6, 1.6, 1.6}, {1, 2.8},
}

// boundDashes are the patterns of successive model bounds.
var boundDashes = [][]vg.Length{{4, 2}, {1.2, 1.6}, {7, 2, 1.2, 2}, {9, 3}}

// tints are the shades of regions, by falling luminance. Words and lines are readable
// on all of them.
var tints = []color.NRGBA{
	{R: 0xe9, G: 0xe9, B: 0xe9, A: 0xff}, // gray
	{R: 0xdc, G: 0xe9, B: 0xf4, A: 0xff}, // blue
	{R: 0xf6, G: 0xdc, B: 0xb4, A: 0xff}, // sand
	{R: 0xb5, G: 0xd9, B: 0xca, A: 0xff}, // green
	{R: 0xd5, G: 0xb6, B: 0xd3, A: 0xff}, // purple
	{R: 0xee, G: 0x90, B: 0x66, A: 0xff}, // vermilion
}

// A look distinguishes a series from the others.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	width  vg.Length
	marker marker
	hatch  int // pattern on bars
}

// seriesLook returns the k-th look, counted from 0. After one turn of the
// palette the colors repeat with other markers and dashes.
func seriesLook(k int) look {
	n := len(palette)
	turn := k / n
	return look{
		color: palette[k%n], dashes: dashes[(k+3*turn)%n], width: lineWidth,
		marker: marker((k + turn) % int(markers)), hatch: k % n,
	}
}

// boundLook returns the look of the k-th model bound.
func boundLook(k int) look {
	return look{color: ink, dashes: boundDashes[k%len(boundDashes)], width: boundWidth, marker: noMarker}
}

// quotedLook returns the look of numbers that a text states, in the color of their series if there is one.
func quotedLook(l look, there bool) look {
	if !there {
		l.color = ink
	}
	return look{color: l.color, marker: ring}
}

// translucent returns c as the color of a band.
func translucent(c color.NRGBA) color.NRGBA {
	c.A = bandAlpha
	return c
}

// styles returns the look of every series of the panels: the pinned one, else that of
// an earlier series of the same name, else the next free one.
func styles(panels []Figure) [][]look {
	pinned := make(map[int]bool)
	for _, f := range panels {
		for _, s := range f.Series {
			pinned[s.Look-1] = !s.Behind || pinned[s.Look-1]
		}
	}
	byName := make(map[string]look)
	next, bounds := 0, 0
	choose := func(s Series) look {
		if s.Behind {
			return look{color: behindInk, width: behindWidth, marker: noMarker}
		}
		if s.Look > 0 {
			return seriesLook(s.Look - 1)
		}
		if s.Bound {
			bounds++
			return boundLook(bounds - 1)
		}
		for pinned[next] {
			next++
		}
		next++
		return seriesLook(next - 1)
	}
	all := make([][]look, len(panels))
	for i, f := range panels {
		for _, s := range f.Series {
			l, ok := byName[s.Name]
			if s.Quoted {
				all[i] = append(all[i], quotedLook(l, ok))
				continue
			}
			if !ok || s.Name == "" || s.Look > 0 || s.Behind {
				l = choose(s)
				byName[s.Name] = l
			}
			all[i] = append(all[i], l)
		}
	}
	return all
}

package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func legendBox(pg page) vg.Rectangle {
	at := pg.legendCorner()
	return vg.Rectangle{
		Min: vg.Point{X: at.X, Y: at.Y - pg.legend.height},
		Max: vg.Point{X: at.X + pg.legend.width, Y: at.Y},
	}
}

// The legend must lie on the page and on no cell (area, ticks, axis labels).
func TestLegendApartFromData(t *testing.T) {
	named := func(n, length int) Figure {
		f := Figure{X: Axis{Label: "x"}, Y: Axis{Label: "y"}}
		for i := range n {
			x, y := points(0, 1, 5, func(v float64) float64 { return v * float64(i) })
			name := fmt.Sprint(i, " ", strings.Repeat("long word ", length))
			f.Series = append(f.Series, Series{Name: name, X: x, Y: y})
		}
		return f
	}
	narrow := named(20, 3)
	narrow.Width, narrow.Height = 4, 4
	unbroken := named(1, 1)
	unbroken.Series[0].Name = strings.Repeat("m", 500)
	for name, p := range map[string]Picture{
		"one": named(1, 1), "four": named(4, 1), "many": named(30, 2), "long": named(5, 30),
		"narrow": narrow, "unbroken": unbroken, "rich": rich(), "sheet": panels(),
	} {
		t.Run(name, func(t *testing.T) {
			pg := newPage(p.sheet())
			paper := vg.Rectangle{Max: vg.Point{X: pg.width, Y: pg.height}}
			box := legendBox(pg)
			if !inside(box, paper) {
				t.Errorf("legend %v leaves the page %v", box, paper)
			}
			for i, q := range pg.panels {
				if overlap(box, q.cell) {
					t.Errorf("legend %v overlaps panel %d %v", box, i, q.cell)
				}
				if !inside(q.area, q.cell) || !inside(q.cell, paper) {
					t.Errorf("panel %d: area %v, cell %v, page %v do not nest", i, q.area, q.cell, paper)
				}
				if s := q.area.Size(); s.X < 20 || s.Y < 20 {
					t.Errorf("panel %d: area of %v is too small", i, s)
				}
				for j := range i {
					if overlap(q.cell, pg.panels[j].cell) {
						t.Errorf("panels %d and %d overlap", i, j)
					}
				}
			}
		})
	}
}

// inside reports whether a lies in b, but for rounding.
func inside(a, b vg.Rectangle) bool {
	const eps = 1e-6
	return a.Min.X >= b.Min.X-eps && a.Min.Y >= b.Min.Y-eps && a.Max.X <= b.Max.X+eps && a.Max.Y <= b.Max.Y+eps
}

// Labels of ticks must neither touch each other nor leave the page.
func TestTickLabelsHaveRoom(t *testing.T) {
	f := face(tickSize, false)
	for _, ends := range [][2]float64{
		{0, 1}, {0.05, 5}, {-3, 8}, {0, 250000}, {1e6, 1.0001e6}, {-1e-7, 4e-7}, {0, 3e12},
		{1e-12, 1e14}, {99.5, 100.5}, {1e15, 1e15 + 1}, {-1e300, 1e300}, {1e-300, 2e-300},
	} {
		for _, log := range []bool{false, true} {
			if log && ends[0] <= 0 {
				continue
			}
			fig := Figure{X: Axis{Min: ends[0], Max: ends[1], Log: log}, Y: Axis{Min: ends[0], Max: ends[1], Log: log}}
			pg := newPage(fig.sheet())
			p := pg.panels[0]
			if !fits(p.xTicks, p.x) {
				t.Errorf("%g log=%v: labels touch: %v", ends, log, p.xTicks)
			}
			seen := map[string]bool{}
			for _, tk := range p.xTicks {
				half := textWidth(f, tk.label) / 2
				if x := p.x.at(tk.value); tk.label != "" && (x-half < 0 || x+half > pg.width) {
					t.Errorf("%g log=%v: %q leaves the page", ends, log, tk.label)
				}
				if tk.label != "" && seen[tk.label] && ends[1]-ends[0] > 1e-12*math.Abs(ends[1]) {
					t.Errorf("%g log=%v: %q appears twice", ends, log, tk.label)
				}
				seen[tk.label] = true
			}
			if len(seen) < 2 {
				t.Errorf("%g log=%v: only labels %v", ends, log, seen)
			}
			if w := widestLabel(p.yTicks); p.area.Min.X-p.cell.Min.X < w {
				t.Errorf("%g log=%v: no room for labels of the y axis", ends, log)
			}
		}
	}
}

func TestCategoriesFit(t *testing.T) {
	long := strings.Repeat("unbreakable", 9)
	for _, tc := range []struct {
		names   []string
		slanted bool
		lines   int
	}{
		{[]string{"a", "b", "c"}, false, 1},
		{[]string{"Hard mandatory and optional parts of jobs", "b", "c", "d", "e"}, false, 4},
		{[]string{long, "b", "c", "d", "e", "f"}, true, 1},
	} {
		fig := Figure{X: Axis{Categories: tc.names}}
		pg := newPage(fig.sheet())
		p := pg.panels[0]
		lines := 0
		for _, tk := range p.xTicks {
			lines = max(lines, len(tk.lines()))
		}
		if p.slanted != tc.slanted || lines > tc.lines {
			t.Errorf("%q: slanted %v in %d lines", tc.names, p.slanted, lines)
		}
		if h := p.area.Size().Y; h < 40 {
			t.Errorf("%q: only %v points of height left", tc.names, h)
		}
	}
}

package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"revopt/internal/text"
)

// Hero is the picture that a page begins with: what policies deliver along the load, below what none can exceed. It is
// drawn without scripts, and stretches with the window.
type Hero struct {
	Min    float64    `json:"min"`
	Max    float64    `json:"max"` // of the axis of loads
	Step   float64    `json:"-"`   // of the marker
	At     float64    `json:"-"`   // the load of the scenario
	Loads  []float64  `json:"loads"`
	Curves []Curve    `json:"curves"` // the present first
	Bound  []*float64 `json:"bound"`  // at each load; nil where none is known
	Log    *float64   `json:"-"`      // what the log delivered, at At; nil: there is none
	Unit   string     `json:"unit"`
	Scale  float64    `json:"scale"` // from $/h to the unit
	Top    float64    `json:"top"`   // of the axis of values
}

// The roles of curves, which are names of tiles.
const (
	Today = "today"
	Best  = "best without harm"
)

// Curve is what a policy delivers at each load.
type Curve struct {
	Name   string     `json:"name"`
	Role   string     `json:"role"` // Today, Best or ""
	Values []*float64 `json:"values"`
}

// Fit sets the unit and the top of the axis: a little above the highest bound.
func (h *Hero) Fit() {
	most := 0.0
	lists := [][]*float64{h.Bound}
	for _, c := range h.Curves {
		lists = append(lists, c.Values)
	}
	for _, list := range lists {
		for _, y := range list {
			if y != nil {
				most = math.Max(most, *y)
			}
		}
	}
	scale, prefix := text.MoneyUnit(most)
	h.Scale, h.Unit, h.Top = scale, prefix+"$/h", 1.15*most
	if most == 0 { // nothing delivers more
		h.Top = 1
	}
}

// Tick is a number beside an axis, at a share of it in percent.
type Tick struct {
	At   float64
	Text string
}

// ticks returns round numbers from low to high, about so many.
func ticks(low, high, about float64, words func(x float64) string) (list []Tick) {
	power := math.Pow(10, math.Floor(math.Log10((high-low)/about)))
	step := power
	for _, m := range []float64{2, 5, 10} {
		if (high-low)/step > about {
			step = m * power
		}
	}
	for k := math.Ceil(low/step-1e-9) + 0; k*step <= high*(1+1e-9); k++ { // 0 and not -0
		list = append(list, Tick{place(k*step, low, high), words(k * step)})
	}
	return list
}

// place returns where x is between both, in percent, with two decimals.
func place(x, low, high float64) float64 { return math.Round(1e4*(x-low)/(high-low)) / 100 }

// XTicks and YTicks are the numbers beside the axes.
func (h *Hero) XTicks() []Tick { return ticks(h.Min, h.Max, 5, text.PlainPercent) }

// YTicks are those of the axis of values.
func (h *Hero) YTicks() []Tick {
	return ticks(0, h.Top, 5, h.Words)
}

// Here is the place of the scenario along the axis of loads, in percent.
func (h *Hero) Here() float64 { return place(h.At, h.Min, h.Max) }

// High is the place of a value along its axis, in percent.
func (h *Hero) High(y float64) float64 { return place(y, 0, h.Top) }

// Path returns the curve of a list, in a square of 100 whose y goes down.
func (h *Hero) Path(list []*float64) string {
	var b strings.Builder
	pen := "M"
	for i, y := range list {
		if y == nil {
			pen = "M"
			continue
		}
		fmt.Fprintf(&b, "%s%g %g", pen, place(h.Loads[i], h.Min, h.Max), 100-place(*y, 0, h.Top))
		pen = "L"
	}
	return b.String()
}

// Below returns the outline of what is below the bound.
func (h *Hero) Below() string {
	if path := h.Path(h.Bound); path != "" {
		return path + "V100H0Z"
	}
	return "M0 0H100V100H0Z"
}

// now returns the value of a list at the load of the scenario; nil if none is known.
func (h *Hero) now(list []*float64) *float64 {
	for i, load := range h.Loads {
		if load == h.At {
			return list[i]
		}
	}
	return nil
}

// Now returns that value in words.
func (h *Hero) Now(list []*float64) string {
	y := h.now(list)
	if y == nil {
		return "-"
	}
	return h.Words(*y)
}

// Color is that of a curve: of its tile, if it has one.
func (h *Hero) Color(curve int) template.CSS {
	color := []int{2, 3, 5, 6}[curve]
	switch h.Curves[curve].Role {
	case Today:
		color = 1
	case Best:
		color = 4
	}
	return template.CSS(fmt.Sprintf("--c:var(--c%d)", color))
}

// Line is a curve as it is drawn.
type Line struct {
	Style template.CSS
	Path  string
}

// Lines are the curves, the present above the others.
func (h *Hero) Lines() (list []Line) {
	for i := len(h.Curves) - 1; i >= 0; i-- {
		list = append(list, Line{h.Color(i), h.Path(h.Curves[i].Values)})
	}
	return list
}

// Spot is the style of the spot of a curve.
func (h *Hero) Spot(curve int) template.CSS {
	y := h.now(h.Curves[curve].Values)
	if y == nil {
		y = new(float64)
	}
	return h.Color(curve) + template.CSS(fmt.Sprintf(";bottom:%g%%;z-index:%d", h.High(*y), len(h.Curves)-curve))
}

// Words returns a value in words.
func (h *Hero) Words(y float64) string { return text.Rounded(y * h.Scale) }

// Percent returns the load of the scenario in words.
func (h *Hero) Percent() string { return text.Percent(h.At) }

package plots

import (
	"errors"
	"testing"
)

// A style keeps the shape of panels, puts them one below the other where they would be
// too narrow, and refuses logarithms of what has none.
func TestStyle(t *testing.T) {
	line := Figure{Title: "a", Series: []Series{{X: []float64{1, 2}, Y: []float64{0, 3}}}, Y: Axis{Min: -1, Max: 4}}
	got, err := Style{LogY: true, Width: 6, NoTitle: true}.Apply(line)
	if s := got.(Sheet); err != nil || !s.Panels[0].Y.Log || s.Title != "" || s.Width != 6 || s.Height != 8.5/2 || s.sheet().check() != nil {
		t.Errorf("%+v: %v", s, err)
	}
	two := Sheet{Title: "two", Panels: []Figure{line, line}}
	for width, columns := range map[float64]int{8: 1, 12: 2} {
		got, err := Style{Width: width}.Apply(two)
		s := got.(Sheet).sheet()
		shape := s.Height / float64(s.rows()) * float64(s.Columns) / s.Width
		if err != nil || s.Columns != columns || s.Title != "two" || shape < 0.764 || shape > 0.765 { // 6.5 / 8.5
			t.Errorf("%g cm: %d columns, panels %.3f as high as wide: %v", width, s.Columns, shape, err)
		}
	}
	bars := Figure{Y: Axis{Log: true}, Series: []Series{{Kind: Bars, X: []float64{0, 1, 2}, Y: []float64{0, 5, 6}}}}
	if _, y := bars.scales(); y.min >= 5 { // on a linear axis it is 0
		t.Errorf("the axis of a bar of 5 begins at %g", y.min)
	}
	var refused *StyleError
	if got, err := (Style{Width: 5}).Apply(Figure{Width: 17, Height: 9}); err != nil || !errors.As(got.(Sheet).sheet().check(), &refused) {
		t.Errorf("%+v: %v", got, err)
	}
	for _, st := range []Style{{LogX: true}, {LogY: true}} {
		bars := Figure{X: Axis{Categories: []string{"a"}}, Series: []Series{{Kind: Bars, X: []float64{0}, Y: []float64{-1}}}}
		if _, err := st.Apply(bars); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", st, err)
		}
	}
}

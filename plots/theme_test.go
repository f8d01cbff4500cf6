package plots

import (
	"testing"
)

// Neighbors in the palette must differ in gray too.
func TestPaletteLuminance(t *testing.T) {
	gray := func(k int) float64 {
		c := palette[k]
		return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
	}
	for k := 1; k < len(palette); k++ {
		if d := gray(k) - gray(k-1); d > -20 && d < 20 {
			t.Errorf("colors %d and %d differ by %.0f in gray", k-1, k, d)
		}
	}
}

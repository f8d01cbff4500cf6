package plots

import (
	"fmt"
	"testing"
)

func TestLooksDiffer(t *testing.T) {
	for _, of := range []struct {
		name string
		key  func(look) string
		n    int
	}{
		{"marker", func(l look) string { return fmt.Sprint(l.marker) }, 8},
		{"dashes", func(l look) string { return fmt.Sprint(l.dashes) }, 8},
		{"color", func(l look) string { return fmt.Sprint(l.color) }, 8},
		{"all", func(l look) string { return fmt.Sprint(l.color, l.marker, l.dashes) }, 24},
	} {
		seen := map[string]int{}
		for k := range of.n {
			key := of.key(seriesLook(k))
			if j, ok := seen[key]; ok {
				t.Errorf("series %d and %d share their %s", j, k, of.name)
			}
			seen[key] = k
		}
	}
}

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

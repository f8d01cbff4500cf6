package workload

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// long writes a trace of more jobs than are kept in memory. Every seventh comes
// without a submit time, and run times repeat.
func long(t *testing.T, jobs int) string {
	var b bytes.Buffer
	b.WriteString("; MaxProcs: 64\n")
	for i := range jobs {
		submit := 10 * i
		if i%7 == 3 {
			submit = -1
		}
		fmt.Fprintf(&b, "%d %d 0 %d 4 -1 -1 4 900 -1 1 1 1 -1 1 -1 -1 -1\n", i+1, submit, 1+i*i%700)
	}
	path := filepath.Join(t.TempDir(), "long.swf")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRepeatedDistribution: quantiles of many numbers that repeat are those of
// the sorted list.
func TestRepeatedDistribution(t *testing.T) {
	var d Distribution
	var all []float64
	for i := range 5 * maxFresh / 2 {
		x := float64(i * i % 997)
		all = append(all, x)
		d.Add(x)
	}
	slices.Sort(all)
	for _, p := range []float64{0, 0.001, 0.25, 0.4999, 0.5, 0.9, 0.99999, 1} {
		place := p * float64(len(all)-1)
		i := int(place)
		want := all[i] + (all[min(i+1, len(all)-1)]-all[i])*(place-float64(i))
		if got := d.Quantile(p); got != want {
			t.Errorf("quantile %g: got %g, want %g", p, got, want)
		}
		x := d.Within(p)
		below, _ := slices.BinarySearch(all, x)
		upTo, _ := slices.BinarySearch(all, x+1)
		if n := p * float64(len(all)); float64(upTo) < n || below > 0 && float64(below) >= n {
			t.Errorf("%d numbers below %g, %d up to it, want %g", below, x, upTo, n)
		}
	}
}

package study

import (
	"testing"

	"revopt/simulate/metric"
)

// TestNewBest compares policies by hand: the second of the list is the first that Slurm runs,
// and earns 1 and 3 $/h less, 1460 $ a month in the mean.
func TestNewBest(t *testing.T) {
	estimate := func(x []float64) metric.Interval { return metric.Estimate(x, 0.95) }
	list := []Contender{{"log", "", []float64{9, 9}}, {"a", "research", []float64{5, 8}}, {"b", "slurm", []float64{4, 5}},
		{"c", "slurm", []float64{1, 1}}, {"d", "plugin", []float64{0, 0}}}
	b := NewBest(list[:5:5], true, estimate)
	if b.Overall != "a" || b.Runnable != "b" || b.Difference.Mean != 2*730 || b.Unit != "$/month" || b.Difference.N != 2 {
		t.Errorf("%+v", b)
	}
	if b := NewBest([]Contender{{"b", "slurm", []float64{1}}}, false, estimate); b.Overall != "b" || b.Runnable != "b" || b.Unit != "$" {
		t.Errorf("%+v", b)
	}
	if b := NewBest([]Contender{{"d", "plugin", []float64{1}}}, true, estimate); b.Runnable != "" || b.Difference != nil {
		t.Errorf("%+v", b)
	}
}

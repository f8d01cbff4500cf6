package study

import (
	"testing"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/served"
)

func contender(label, runsOn string, money ...float64) Contender {
	return Contender{Label: label, RunsOn: runsOn, Money: money}
}

// TestNewBest compares policies by hand: the second of the list is the first that Slurm runs,
// and earns 1 and 3 $/h less, 1460 $ a month in the mean.
func TestNewBest(t *testing.T) {
	estimate := func(x []float64) metric.Interval { return metric.Estimate(x, 0.95) }
	list := []Contender{contender("log", "", 9, 9), contender("a", "research", 5, 8), contender("b", "slurm", 4, 5),
		contender("c", "slurm", 1, 1), contender("d", "plugin", 0, 0)}
	b := NewBest(list[:5:5], true, estimate)
	if b.Overall != "a" || b.Runnable != "b" || b.Difference.Mean != 2*730 || b.Unit != "$/month" || b.Difference.N != 2 {
		t.Errorf("%+v", b)
	}
	if b := NewBest([]Contender{contender("b", "slurm", 1)}, false, estimate); b.Overall != "b" || b.Runnable != "b" || b.Unit != "$" {
		t.Errorf("%+v", b)
	}
	if b := NewBest([]Contender{contender("d", "plugin", 1)}, true, estimate); b.Runnable != "" || b.Difference != nil {
		t.Errorf("%+v", b)
	}
}

// TestBestHarmsNobody: the best is the first that harms nobody, those before it are named with their harm, and the
// policy now is the best only where all others harm somebody.
func TestBestHarmsNobody(t *testing.T) {
	estimate := func(x []float64) metric.Interval { return metric.Estimate(x, 0.95) }
	harm := []served.Affected{{Group: served.Group{Kind: served.Width, From: 2, To: 9}}}
	list := []Contender{contender("a", "plugin", 9, 9), contender("b", "slurm", 8, 8), contender("c", "plugin", 7, 7),
		contender("d", "slurm", 6, 6), contender("now", "slurm", 1, 1)}
	list[0].Harm, list[1].Harm = harm, harm
	list[4].Fallback = true
	b := NewBest(list[:5:5], true, estimate)
	names := text.Each(b.Harmful, func(h Harmful) string { return h.Label })
	if b.Overall != "c" || b.Runnable != "d" || len(names) != 2 || names[0] != "a" || names[1] != "b" ||
		b.Harmful[1].Difference.Mean != 730 || b.Harmful[0].Harm[0].To != 9 {
		t.Errorf("%+v", b)
	}
	list[2].Harm, list[3].Harm = harm, harm
	if b := NewBest(list[:5:5], true, estimate); b.Overall != "now" || b.Runnable != "now" || len(b.Harmful) != 4 {
		t.Errorf("all others harm somebody: %+v", b)
	}
}

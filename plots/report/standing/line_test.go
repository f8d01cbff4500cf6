package standing

import (
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// TestLine: the line names today, the best that Slurm runs, the best of all and the bound, each with its amount, and
// says what a reader has to know: chance, harm, long waits and invented prices.
func TestLine(t *testing.T) {
	mark := func(label, runsOn string, amount float64) *study.Mark {
		return &study.Mark{Label: label, RunsOn: runsOn, Amount: study.Estimate{Mean: metric.Number(amount)}}
	}
	long := mark("hol", "slurm", 665)
	wait := metric.Number(37.9 * 86400)
	long.MeanWait = &wait
	log, easy, slurm := mark("recorded", "", 458), mark("easy", "slurm", 663), mark("slurm", "slurm", 665)
	value, bound := mark("value-bf", "plugin", 694), mark("clairvoyant", "", 801)
	all := study.Standing{Quantity: "value", Unit: "$/h"}
	of := func(set func(s *study.Standing)) *study.Standing {
		s := all
		set(&s)
		return &s
	}
	for _, c := range []struct {
		standing *study.Standing
		guessed  []string
		want     string
	}{
		{nil, nil, ""},
		{&all, nil, ""},
		{of(func(s *study.Standing) {
			s.Today, s.Simulated, s.Runnable, s.Overall, s.Bound = log, easy, slurm, value, bound
		}), []string{"price"}, "Value delivered at guessed prices, $/h: today 458 (recorded; easy, simulated, 663), " +
			"best on Slurm 665 (slurm), best of all 694 (value-bf, plug-in), nothing exceeds 801."},
		{of(func(s *study.Standing) {
			s.Today, s.Runnable, s.Overall, s.Tied, s.Harmful = easy, long, value, true, value
		}), nil, "Value delivered, $/h: today 663 (easy), best on Slurm without harm 665 (hol; mean wait 37.9 d), " +
			"best of all without harm 694 (value-bf, plug-in; perhaps by chance)."},
		{of(func(s *study.Standing) { s.Today, s.Runnable, s.Overall, s.Partial = easy, easy, easy, true }), nil,
			"Value delivered, $/h: today 663 (easy), best of these, and it runs on Slurm, 663 (easy)."},
		{of(func(s *study.Standing) { s.Today, s.Runnable, s.Overall, s.Partial = easy, easy, value, true }), nil,
			"Value delivered, $/h: today 663 (easy), best on Slurm of these 663 (easy), " +
				"best of these 694 (value-bf, plug-in)."},
		{of(func(s *study.Standing) { s.Overall = value }), nil,
			"Value delivered, $/h: none of these runs on Slurm, best of all 694 (value-bf, plug-in)."},
		{of(func(s *study.Standing) {
			s.Today, s.Simulated, s.Runnable, s.Overall, s.Partial, s.Harmful = log, easy, easy, easy, true, value
			s.Change, s.BeforeCosts, s.HarmfulChanges, s.Bound = mark("nodes=+16", "", 900), true, 1, bound
		}), nil, "Value delivered, $/h: today 458 (recorded; easy, simulated, 663), no policy of these is better without harm, " +
			"best change without harm 900 (nodes=+16; before costs), " +
			"without a change nothing exceeds 801."},
		{of(func(s *study.Standing) {
			s.Today, s.Runnable, s.Overall, s.Change = easy, easy, value, mark("all together, nodes=+16", "", 900)
			s.AfterCosts, s.ChangeTied = &mark("", "", 710).Amount, true
		}), nil, "Value delivered, $/h: today 663 (easy), best policy on Slurm 663 (easy), " +
			"best policy of all 694 (value-bf, plug-in), best change 900 (all together; 710 after costs; perhaps by chance)."},
		{of(func(s *study.Standing) {
			s.Today, s.Change, s.HarmfulChanges, s.NoGain = easy, mark("nodes=-8", "", 600), 1, true
		}), nil, "Value delivered, $/h: today 663 (easy), no change is better: the best without harm 600 (nodes=-8)."},
		{of(func(s *study.Standing) { s.Today, s.HarmfulChanges, s.Bound = easy, 2, bound }), nil,
			"Value delivered, $/h: today 663 (easy), no change without harm, without a change nothing exceeds 801."},
		{of(func(s *study.Standing) { s.Today, s.Runnable, s.Overall, s.Unsure = slurm, easy, easy, true }), nil,
			"Value delivered, $/h: today 665 (slurm), best, and it runs on Slurm, 663 (easy; perhaps by chance)."},
		{of(func(s *study.Standing) { s.Today, s.Simulated = log, easy }), nil,
			"Value delivered, $/h: today 458 (recorded; easy, simulated, 663)."},
		{&study.Standing{Quantity: "wait", Unit: "s", Today: mark("easy", "slurm", 7200),
			Change: mark("nodes=+8", "slurm", 3600), Bound: mark("busy-time", "", 600)}, []string{"price"},
			"Mean wait: today 2.00 h (easy), best change 60.0 min (nodes=+8), " +
				"without a change no policy has less than 10.0 min."},
	} {
		if got := Line(c.standing, study.Head{Guessed: c.guessed}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

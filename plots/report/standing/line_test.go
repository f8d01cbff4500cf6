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
		{of(func(s *study.Standing) { s.Today, s.Runnable, s.Overall, s.Unsure = slurm, easy, easy, true }), nil,
			"Value delivered, $/h: today 665 (slurm), best, and it runs on Slurm, 663 (easy; perhaps by chance)."},
		{of(func(s *study.Standing) { s.Today, s.Simulated = log, easy }), nil,
			"Value delivered, $/h: today 458 (recorded; easy, simulated, 663)."},
		{&study.Standing{Quantity: "wait", Unit: "s", Today: mark("easy", "slurm", 7200),
			Overall: mark("easy", "slurm", 7200), Runnable: mark("easy", "slurm", 7200), Bound: mark("busy-time", "", 600)},
			[]string{"price"}, "Mean wait: today 2.00 h (easy), best, and it runs on Slurm, 2.00 h (easy), " +
				"no policy has less than 10.0 min."},
	} {
		if got := Line(c.standing, study.Head{Guessed: c.guessed}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

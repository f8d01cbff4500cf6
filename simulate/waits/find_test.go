package waits

import (
	"math"
	"testing"
)

// score is how many of the causes of waiting are found, and how many that are found do not exist.
type score struct{ costly, found, invented, named int }

func (s *score) add(other score) {
	s.costly += other.costly
	s.found += other.found
	s.invented += other.invented
	s.named += other.named
}

// judge compares what is found in a log with what is true.
func judge(t *testing.T, n int, c *truth) (limits, outages score) {
	t.Helper()
	told := c.Decompose(0)
	var all Seconds
	for _, s := range told.Jobs {
		all.Add(s)
	}
	blind := Log{Jobs: c.Jobs, Pools: c.Pools}
	blind.Outages = blind.FindOutages()
	blind.Limits = blind.FindLimits()
	sameOutage := func(a, b Outage) bool { return a.From < b.To && b.From < a.To }
	for i, o := range c.Outages {
		if told.InOutage[i] < 0.05*all.Sum() {
			continue
		}
		outages.costly++
		hit := false
		for _, f := range blind.Outages {
			hit = hit || f.From <= o.From && f.To >= o.To && f.To <= o.To+600
		}
		if hit {
			outages.found++
		} else {
			t.Logf("log %d (%s, load %.2f): missed %+v (%.0f %%), found %+v", n, c.schedule, c.load, o,
				100*told.InOutage[i]/all.Sum(), blind.Outages)
		}
	}
	for _, f := range blind.Outages {
		outages.named++
		real := false
		for _, o := range c.Outages {
			real = real || sameOutage(o, f)
		}
		if !real {
			outages.invented++
			t.Logf("log %d (%s, load %.2f): invented outage %+v", n, c.schedule, c.load, f)
		}
	}
	for i, limit := range c.Limits {
		if told.AtLimit[i] < 0.05*all.Sum() {
			continue
		}
		limits.costly++
		hit := false
		for _, f := range blind.Limits {
			hit = hit || sameLimit(limit, f)
		}
		if hit {
			limits.found++
		} else {
			t.Logf("log %d (%s, load %.2f): missed %+v (%.0f %%), found %+v", n, c.schedule, c.load, limit,
				100*told.AtLimit[i]/all.Sum(), blind.Limits)
		}
	}
	for _, f := range blind.Limits {
		limits.named++
		real := false
		for _, limit := range c.Limits {
			real = real || sameLimit(limit, f)
		}
		if !real {
			limits.invented++
			t.Logf("log %d (%s, load %.2f): invented %+v, true %+v", n, c.schedule, c.load, f, c.Limits)
		}
	}
	if c.idle && len(blind.Outages)+len(blind.Limits) > 0 {
		t.Errorf("log %d is idle: found %+v %+v", n, blind.Outages, blind.Limits)
	}
	return limits, outages
}

// sameLimit reports whether a limit that is found is a true one, of units within 5 %.
func sameLimit(limit, found Limit) bool {
	return limit.Of == found.Of && limit.Name == found.Name && limit.Jobs == found.Jobs &&
		math.Abs(float64(found.Units-limit.Units)) <= 0.05*float64(limit.Units)+0.5
}

// found judges some logs and reports the counts.
func found(t *testing.T, logs int) {
	var limits, outages score
	for n := range logs {
		l, o := judge(t, n, generate(n))
		limits.add(l)
		outages.add(o)
	}
	t.Logf("limits: %d of %d found, %d of %d invented; outages: %d of %d found, %d of %d invented", limits.found,
		limits.costly, limits.invented, limits.named, outages.found, outages.costly, outages.invented, outages.named)
	for _, s := range []score{limits, outages} {
		if 3*s.found < 2*s.costly || 20*s.invented > s.named {
			t.Errorf("got %+v, want two thirds found and at most 1 in 20 invented", s)
		}
	}
}

// TestFoundInSome is the first logs of TestFoundInAll.
func TestFoundInSome(t *testing.T) { found(t, 6) }

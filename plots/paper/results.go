package paper

import (
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// A spot is where the results of sweeps have the numbers of a contender at a
// value of the axis.
type spot struct {
	sweep int
	study.Case
}

// outcomes are the numbers of a study, by contender and value of the axis. A
// replication has the same random numbers for all of them.
type outcomes struct {
	found []*study.SweepResults
	spots [][]spot
}

// values returns a figure of merit of each replication.
func (s outcomes) values(contender, i int, f metric.Measure) []float64 {
	at := s.spots[contender][i]
	return s.found[at.sweep].Values(at.Case, f.Name, "")
}

// interval returns a figure of merit of a contender at the i-th value.
func (s outcomes) interval(contender, i int, f metric.Measure) metric.Interval {
	return metric.Estimate(s.values(contender, i, f), metric.DefaultLevel)
}

// lead returns by how much a figure of one contender exceeds that of another at
// the i-th value, on common random numbers.
func (s outcomes) lead(contender, over, i int, f metric.Measure) metric.Interval {
	return metric.Difference(s.values(contender, i, f), s.values(over, i, f), metric.DefaultLevel)
}

// top returns the place of the largest mean of a figure.
func (s outcomes) top(contender int, f metric.Measure) int {
	best := 0
	for i := range s.spots[contender] {
		if s.interval(contender, i, f).Mean > s.interval(contender, best, f).Mean {
			best = i
		}
	}
	return best
}

// line draws a figure of merit of a contender against x.
func (s outcomes) line(contender int, x []float64, f metric.Measure) plots.Series {
	line := plots.Series{X: x}
	for i := range x {
		addInterval(&line, s.interval(contender, i, f))
	}
	return line
}

// addInterval appends a point with its interval, where there is one.
func addInterval(s *plots.Series, v metric.Interval) {
	s.Y = append(s.Y, v.Mean)
	if v.N > 1 {
		s.Low = append(s.Low, v.Mean-v.HalfWidth)
		s.High = append(s.High, v.Mean+v.HalfWidth)
	}
}

// measure returns the measure of the given name.
func measure(name string) metric.Measure {
	m, ok := metric.Lookup(name)
	if !ok {
		panic("paper: no measure " + name)
	}
	return m
}

// title returns the title of a policy, for legends.
func title(name string) string {
	spec, err := policy.Lookup(policy.Standard(), name)
	if err != nil {
		panic("paper: " + err.Error())
	}
	return spec.Title
}

package paper

import (
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// A spot is where the results of sweeps have the numbers of a contender at a
// value of the axis.
type spot struct {
	sweep int
	sweep.Case
}

// outcomes are the numbers of a study, by contender and value of the axis. A
// replication has the same random numbers for all of them.
type outcomes struct {
	found []*sweep.Results
	spots [][]spot
}

// values returns a figure of merit of each replication.
func (s outcomes) values(contender, i int, f metric.Figure) []float64 {
	at := s.spots[contender][i]
	return s.found[at.sweep].Values(at.Case, f.Name, "")
}

// interval returns a figure of merit of a contender at the i-th value.
func (s outcomes) interval(contender, i int, f metric.Figure) metric.Interval {
	return metric.Estimate(s.values(contender, i, f), metric.DefaultLevel)
}

// lead returns by how much a figure of one contender exceeds that of another at
// the i-th value, on common random numbers.
func (s outcomes) lead(contender, over, i int, f metric.Figure) metric.Interval {
	return metric.Difference(s.values(contender, i, f), s.values(over, i, f), metric.DefaultLevel)
}

// top returns the place of the largest mean of a figure.
func (s outcomes) top(contender int, f metric.Figure) int {
	best := 0
	for i := range s.spots[contender] {
		if s.interval(contender, i, f).Mean > s.interval(contender, best, f).Mean {
			best = i
		}
	}
	return best
}

// line draws a figure of merit of a contender against x.
func (s outcomes) line(contender int, x []float64, f metric.Figure) plots.Series {
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

// merit returns the figure of merit of class workloads of the given name.
func merit(name string) metric.Figure { return meritOf(metric.Figures(), name) }

// traceMerit returns the figure of merit of traces and grids of the given name.
func traceMerit(name string) metric.Figure { return meritOf(metric.TraceFigures(), name) }

func meritOf(list []metric.Figure, name string) metric.Figure {
	for _, f := range list {
		if f.Name == name {
			return f
		}
	}
	panic("paper: no figure of merit " + name)
}

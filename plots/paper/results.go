package paper

import (
	"fmt"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// A sweepCase is where the results of sweeps have the numbers of a contender at a
// value of the axis.
type sweepCase struct {
	sweep int
	study.Case
}

// results are the numbers of a study, by contender and value of the axis. A
// replication has the same random numbers for all of them.
type results struct {
	found []*study.SweepResults
	cases [][]sweepCase
}

// values returns a measure of each replication.
func (s results) values(contender, i int, f metric.Measure) []float64 {
	at := s.cases[contender][i]
	return s.found[at.sweep].Values(at.Case, f.Name, "")
}

// interval returns a measure of a contender at the i-th value.
func (s results) interval(contender, i int, f metric.Measure) metric.Interval {
	return metric.Estimate(s.values(contender, i, f), metric.DefaultLevel)
}

// lead returns by how much a figure of one contender exceeds that of another at
// the i-th value, on common random numbers.
func (s results) lead(contender, over, i int, f metric.Measure) metric.Interval {
	return metric.Difference(s.values(contender, i, f), s.values(over, i, f), metric.DefaultLevel)
}

// top returns the place of the largest mean of a figure.
func (s results) top(contender int, f metric.Measure) int {
	best := 0
	for i := range s.cases[contender] {
		if s.interval(contender, i, f).Mean > s.interval(contender, best, f).Mean {
			best = i
		}
	}
	return best
}

// line draws a measure of a contender against x.
func (s results) line(contender int, x []float64, f metric.Measure) plots.Series {
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

// addBelow appends an interval that ends at top, at the latest.
func addBelow(s *plots.Series, v metric.Interval, top float64) {
	addInterval(s, v)
	if n := len(s.High); n > 0 {
		s.High[n-1] = min(s.High[n-1], top)
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

// plusMinus writes an interval with the given number of decimals.
func plusMinus(v metric.Interval, decimals int) string {
	if v.N < 2 {
		return fmt.Sprintf("%.*f", decimals, v.Mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", decimals, v.Mean, decimals, v.HalfWidth)
}

// scaled returns an interval in another unit.
func scaled(v metric.Interval, by float64) metric.Interval {
	v.Mean, v.HalfWidth = v.Mean*by, v.HalfWidth*by
	return v
}

// percent writes a share.
func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// inPercent writes the interval of a share in per cent.
func inPercent(v metric.Interval) string { return plusMinus(scaled(v, 100), 1) }

// bands says how often a point was simulated, and what its band is.
func bands(replications int, of, interval string) string {
	if replications < 2 {
		return "One replication" + of
	}
	return fmt.Sprintf("%d replications%s; bands: 95 %% intervals of the %s", replications, of, interval)
}

// provenance says how the numbers of simulations were made.
func (o Options) provenance(name string, replications int, fields ...plots.Pair) plots.Provenance {
	p := provenance(name, fields...)
	p.Seed = &o.Seed
	p.Extra = append(p.Extra, plots.Pair{Key: "replications", Value: fmt.Sprint(replications)})
	return p
}

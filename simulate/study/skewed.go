package study

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"revopt/simulate/metric"
)

// tooVaried returns the coefficient of variation c of the mean wait of a replication
// above which intervals of n replications cover too rarely. Mean waits are skewed, by up
// to about 10 c, and a t interval of numbers with skewness g misses the mean more often
// than it says by about g^2/(4 n) (Hall 1987): many replications allow a larger c. Few do
// not need a smaller one, as their t quantile is large.
func tooVaried(n int) float64 { return max(0.25, 0.025*math.Sqrt(float64(n))) }

// variation returns the coefficient of variation of the mean wait of a replication: that
// of the sample or, if it is larger, the one that follows from the job classes, since few
// replications may lack the rare long jobs on which the mean depends. It is NaN where
// there are no intervals or no job waits.
func (e *Experiment) variation(o Outcome) float64 {
	mean, sd := stat.Mean(o.Plain(metric.MeanWait(), -1), nil), stat.StdDev(o.Values(metric.MeanWait(), -1), nil)
	if o.Spread || o.N() < 2 || !(mean > 0) || math.IsNaN(sd) {
		return math.NaN()
	}
	c := sd / mean
	admitted, _ := metric.Lookup("jobs_admitted")
	if expected := e.expectedVariation(stat.Mean(o.Plain(admitted, -1), nil)); expected > c {
		return expected
	}
	return c
}

// expectedVariation returns the coefficient of variation of the mean wait of so many
// jobs of a stream with lengths S at load r, roughly, NaN where there is no steady state:
//
//	c^2 = (E[S^4]/E[S^2]^2 + 4 r/(1-r)^2 E[S^2]/E[S]^2) / jobs.
//
// The first part is how well the jobs determine E[S^2], to which waits are proportional;
// the second counts the times in which the queue forgets its state (Whitt 1989).
func (e *Experiment) expectedVariation(jobs float64) float64 {
	busy, _ := e.admittedNodes()
	var m [5]float64
	for i, class := range e.Workload.Customers() {
		if busy == nil || busy[i] == 0 {
			continue
		}
		for k := range m {
			m[k] += busy[i] / (class.Length.Mean() * class.Width.Mean()) * class.Length.Moment(k)
		}
	}
	load := e.admittedLoad()
	if !(load < 1) {
		return math.NaN()
	}
	tail, memory := m[4]*m[0]/(m[2]*m[2]), 4*load/((1-load)*(1-load))*m[2]*m[0]/(m[1]*m[1])
	return math.Sqrt((tail + memory) / jobs)
}

package run

import (
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Skewed reports whether the intervals of a row contain the true mean too rarely, because replications differ so much
// in their mean waits, and how many jobs a replication should have; 0 if its length is given or the machine has no
// steady state: longer runs then have longer waits. It looks at all jobs and at the customers that the row has.
func (f *Frame) Skewed(row Case, e *Experiment) (jobs float64, yes bool) {
	at := f.rows[row.Row()]
	if at == nil {
		at = &Runs{}
	}
	return at.Skewed(e)
}

// Skewed is that of a frame.
func (r *Runs) Skewed(e *Experiment) (jobs float64, yes bool) {
	excess := r.skewness(e) / tooSkewed(len(r.records))
	if e.Workload.Stream() > 0 && !e.Overloaded() {
		jobs = excess * excess * e.Workload.Size()
	}
	return jobs, excess > 1
}

// tooSkewed returns the skewness g of the mean wait of a replication above which 95 % intervals of n replications
// cover in less than 90 %. A t interval misses the mean more often than it says by about 0.22 g^2/n (Hall 1987), here
// 0.05. Few replications do not need a smaller g, as their t quantile is large: 2.3 was measured.
func tooSkewed(n int) float64 { return max(2.3, 0.48*math.Sqrt(float64(n))) }

// How many times its coefficient of variation the skewness of a mean wait is. In heavy traffic waits are a reflected
// Brownian motion. Its average over a long time t has mean 1, variance 2/t and third cumulant 30/t^2 in suitable units,
// so that the ratio is 30/2^2. In samples of all loads it was 2.5 to 5.5.
const (
	expectedRatio = 7.5
	sampleRatio   = 5.5
)

// skewness returns the largest skewness of a mean wait of a replication, of all jobs or of a customer: by the
// variation in the sample or, if it is larger, by the one that follows from the job classes, since few replications
// may lack the rare long jobs on which the mean depends. It is not a number if there are no intervals or no job waits.
func (r *Runs) skewness(e *Experiment) float64 {
	most := math.NaN()
	if r.spread || len(r.records) < 2 {
		return most
	}
	note := func(x float64) {
		if x > most || math.IsNaN(most) {
			most = x
		}
	}
	for _, part := range e.Parts() {
		note(expectedRatio * part.ExpectedVariation())
	}
	for _, group := range r.groups() {
		if group != All && strings.HasPrefix(group, AtProvider("")) || strings.Contains(group, "width:") {
			continue
		}
		waits := r.Series(group, ColumnMeanWait).values
		note(sampleRatio * stat.StdDev(waits, nil) / stat.Mean(waits, nil))
	}
	return most
}

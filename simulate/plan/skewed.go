package plan

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/warn"
)

// Doubts returns the warning of Skewed, and one if machines of job classes have no steady state in some rows, so that waits
// and losses grow with the length of the run.
func Doubts(ctx context.Context, list ...*Samples) ([]warn.Warning, error) {
	all, err := countSkewed(ctx, list)
	if err != nil {
		return nil, err
	}
	var found []warn.Warning
	warn.AddIf(&found, all.overloaded > 0, warn.New(warn.Overload).With(all.overloaded, all.rows))
	return append(found, all.warnings()...), nil
}

// Skewed returns a warning if replications differ so much in their mean waits that the
// intervals of some rows contain the true mean too rarely. After cancellation it fails
// unless the points are open.
func Skewed(ctx context.Context, list ...*Samples) ([]warn.Warning, error) {
	all, err := countSkewed(ctx, list)
	if err != nil {
		return nil, err
	}
	return all.warnings(), nil
}

// countSkewed counts rows at all points of samples.
func countSkewed(ctx context.Context, list []*Samples) (all skewedRows, err error) {
	for _, s := range list {
		points, err := metric.Replicate(context.WithoutCancel(ctx), 0, s.Plan().Points(), s.work.opener.Workers,
			func(_ context.Context, index int) (skewedRows, error) { return s.skewedAt(ctx, index) })
		if err != nil {
			return all, err
		}
		for _, c := range points {
			all = skewedRows{all.rows + c.rows, all.skewed + c.skewed, all.overloaded + c.overloaded, c.level,
				max(all.jobs, c.jobs)}
		}
	}
	return all, nil
}

// skewedRows counts the rows whose intervals contain the true mean too rarely.
type skewedRows struct {
	rows, skewed float64
	overloaded   float64 // rows without a steady state
	level        float64 // of the intervals
	jobs         float64 // that a replication should have; 0 if its length is given
}

func (c skewedRows) warnings() []warn.Warning {
	if c.skewed == 0 {
		return nil
	}
	return []warn.Warning{warn.New(warn.Skewed).With(c.skewed, c.rows, c.level, c.jobs)}
}

// skewedAt counts such rows at a point. For a trace, the first point serves all.
func (s *Samples) skewedAt(ctx context.Context, index int) (c skewedRows, err error) {
	at, err := s.work.ready(ctx, 0)
	if err == nil && at.workload.Stream() > 0 {
		at, err = s.work.ready(ctx, index)
	}
	if err != nil {
		return c, err
	}
	for _, row := range s.Plan().RowsAt(index) {
		o := s.Row(index, row)
		c.rows, c.level = c.rows+1, o.Confidence()
		e := at.experiment(row, s.Admission(index, row))
		c.overloaded += metric.Indicator(e.Overloaded())
		if needed, yes := SkewedRow(e, o); yes {
			c.skewed, c.jobs = c.skewed+1, max(c.jobs, needed)
		}
	}
	return c, nil
}

// SkewedRow reports whether the intervals of a row contain the true mean too rarely, and how
// many jobs a replication should have, 0 if its length is given or the machine has no steady state: longer runs then have
// longer waits.
func SkewedRow(e *run.Experiment, o Outcome) (jobs float64, yes bool) {
	excess := skewness(e, o) / tooSkewed(o.N())
	if e.Workload.Stream() > 0 && !e.Overloaded() {
		jobs = excess * excess * e.Workload.Size()
	}
	return jobs, excess > 1
}

// tooSkewed returns the skewness g of the mean wait of a replication above which 95 % intervals
// of n replications cover in less than 90 %. A t interval misses the mean more often than it
// says by about 0.22 g^2/n (Hall 1987), here 0.05. Few replications do not need a smaller g, as
// their t quantile is large: 2.3 was measured, on mixes that were drawn before anything was
// looked at, see docs/simulation.md.
func tooSkewed(n int) float64 { return max(2.3, 0.48*math.Sqrt(float64(n))) }

// How many times its coefficient of variation the skewness of a mean wait is. In heavy
// traffic waits are a reflected Brownian motion. Its average over a long time t has mean 1,
// variance 2/t and third cumulant 30/t^2 in suitable units, so that the ratio is 30/2^2. In
// samples of all loads it was 2.5 to 5.5.
const (
	expectedRatio = 7.5
	sampleRatio   = 5.5
)

// skewness returns the largest skewness of a mean wait of a replication, of all jobs or of
// a customer: by the variation in the sample or, if it is larger, by the one that follows
// from the job classes, since few replications may lack the rare long jobs on which the
// mean depends. It is NaN if there are no intervals or no job waits.
func skewness(e *run.Experiment, o Outcome) float64 {
	if o.Spread || o.N() < 2 {
		return math.NaN()
	}
	g := math.NaN()
	for _, part := range e.Parts() {
		if one := expectedRatio * part.ExpectedVariation(); one > g || math.IsNaN(g) {
			g = one
		}
	}
	if !slices.Contains(metric.Names(o.columns.measures), metric.MeanWait().Name) {
		return g
	}
	for customer := -1; customer < o.columns.customers; customer++ {
		parts, batches := o.parts(metric.MeanWait(), customer)
		one := sampleRatio * stat.StdDev(parts, nil) / stat.Mean(parts, nil) / math.Sqrt(batches)
		if one > g || math.IsNaN(g) {
			g = one
		}
	}
	return g
}

// parts returns a measure of each batch of each replication (jackknife pseudo-values), and
// the number of batches of a replication, which is 1 without control variates. There are
// more batches than replications, and they vary as these do.
func (o Outcome) parts(m metric.Measure, customer int) (list []float64, batches float64) {
	if !o.Controlled() {
		return o.Plain(m, customer), 1
	}
	k, next := o.place(m, customer), o.columns.part()+run.MaxControls
	for _, x := range o.numbers {
		for b := 1; b <= metric.Batches; b++ {
			list = append(list, metric.Batches*x[k]-(metric.Batches-1)*x[b*next+k])
		}
	}
	return list, metric.Batches
}

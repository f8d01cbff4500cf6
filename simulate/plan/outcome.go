package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// columns say what the numbers of a replication are: every measure of all jobs,
// then of each customer, or of the columns of pools; with control variates these, and all of it again without
// each batch; then every measure of each provider; then the waits of groups of jobs; at the end the extras.
type columns struct {
	measures  []metric.Measure
	customers int               // and pools, and customers in pools
	pooled    []workload.Column // these, if there are pools
	controls  bool
	providers int
	groups    int // whose waits are measured
}

// The extras: numbers of a replication that no measure is.
const (
	extraSeconds = iota // observed
	extraSpan           // s, of arrivals
	extraCharged        // $, money charged in all
	extraValue          // $, value delivered in all
	extraLoad           // offered by the jobs of a trace
	extraSplit          // 1 where a job was preempted, or shared its units with others
	extraCut            // 1 where arrivals were cut off before the last measured job had left
	extras
)

// part returns how many measures of all jobs and of customers there are.
func (c columns) part() int { return (1 + c.customers) * len(c.measures) }

// parts returns how many numbers there are before those of providers.
func (c columns) parts() int {
	if c.controls {
		return (1 + metric.Batches) * (c.part() + run.MaxControls)
	}
	return c.part()
}

// size returns how many numbers there are.
func (c columns) size() int { return c.served() + c.groups*run.WaitNumbers + extras }

// served returns how many numbers there are before the waits of groups.
func (c columns) served() int { return c.parts() + c.providers*len(c.measures) }

func (c columns) numbers(s run.Sample, groups []run.Waits) []float64 {
	if !slices.Equal(s.Columns, c.pooled) && c.customers > 0 {
		s.Customers = text.Each(c.pooled, func(wanted workload.Column) (sum metric.Sum) {
			if i := slices.Index(s.Columns, wanted); i >= 0 {
				sum = s.Customers[i]
			}
			return sum
		})
	}
	list := c.append(make([]float64, 0, c.size()), s.Part)
	for _, part := range s.Without {
		list = c.append(list, part)
	}
	for len(list) < c.parts() { // this row has no controls
		list = append(list, math.NaN())
	}
	for i := range c.providers {
		for _, m := range c.measures {
			list = append(list, m.Of(s.Providers[i]))
		}
	}
	for _, w := range groups {
		list = append(list, w.Numbers()...)
	}
	return append(list, s.Total.Seconds, s.Total.Span, s.Total.Revenue, s.Total.Value, s.Load,
		metric.Indicator(s.Total.Preemptions+s.Total.Stretched > 0), metric.Indicator(s.Cut))
}

// append adds the measures of a part of a replication and its controls. A customer
// that the point does not have has no jobs.
func (c columns) append(list []float64, p metric.Part) []float64 {
	for g := range 1 + c.customers {
		sum := p.Total
		if g > 0 {
			sum = metric.Sum{}
			if g <= len(p.Customers) {
				sum = p.Customers[g-1]
			}
		}
		for _, m := range c.measures {
			list = append(list, m.Of(sum))
		}
	}
	if c.controls && p.Controls != nil {
		list = append(append(list, p.Controls...), make([]float64, run.MaxControls-len(p.Controls))...)
	}
	return list
}

// Outcome is the replications of a row at a point. All inference about a row is functions of it.
type Outcome struct {
	columns columns
	numbers [][]float64 // by replication

	Level  float64 // of confidence; 0 is metric.DefaultLevel
	Spread bool    // intervals are ranges, see metric.Spread
	Looked bool    // a look at an interval ended the replications, see metric.LookLevel
}

// Append adds the replications of another outcome of the same plan.
func (o *Outcome) Append(more Outcome) {
	o.columns = more.columns
	o.numbers = append(o.numbers, more.numbers...)
}

// N returns how many replications there are.
func (o Outcome) N() int { return len(o.numbers) }

// Stretched returns the first n replications; the last one stands for those beyond, as
// it does where nothing is random.
func (o Outcome) Stretched(n int) Outcome {
	list := slices.Clone(o.numbers[:min(n, o.N())])
	for len(list) > 0 && len(list) < n {
		list = append(list, list[len(list)-1])
	}
	o.numbers = list
	return o
}

func (o Outcome) Confidence() float64 { return cmp.Or(o.Level, metric.DefaultLevel) }

// place returns where a measure stands, of all jobs for customer < 0.
func (o Outcome) place(m metric.Measure, customer int) int {
	i := slices.IndexFunc(o.columns.measures, func(other metric.Measure) bool { return other.Name == m.Name })
	if i < 0 || customer >= o.columns.customers {
		panic("plan: the samples do not have " + m.Name)
	}
	return (1+max(-1, customer))*len(o.columns.measures) + i
}

// Column returns the index that stands for a customer in a pool; a negative index is all.
// It panics if the samples do not have it.
func (o Outcome) Column(customer, pool int) int {
	if pool < 0 {
		return customer
	}
	i := slices.Index(o.columns.pooled, workload.Column{Customer: customer, Pool: pool})
	if i < 0 {
		panic(fmt.Sprintf("plan: the samples do not have customer %d in pool %d", customer, pool))
	}
	return i
}

func (o Outcome) column(k int) []float64 {
	return text.Each(o.numbers, func(row []float64) float64 { return row[k] })
}

// extra returns one of the extras of each replication.
func (o Outcome) extra(k int) []float64 { return o.column(o.columns.size() - extras + k) }

// Spans returns how long jobs arrive in each replication, s.
func (o Outcome) Spans() []float64 { return o.extra(extraSpan) }

// Observed returns how long each replication is observed, s.
func (o Outcome) Observed() []float64 { return o.extra(extraSeconds) }

// Charged returns the money charged in each replication, $.
func (o Outcome) Charged() []float64 { return o.extra(extraCharged) }

// Delivered returns the value delivered in each replication, $.
func (o Outcome) Delivered() []float64 { return o.extra(extraValue) }

// Load returns the mean load that the jobs of a trace offer, NaN for other jobs. Replications whose jobs all
// come at one instant do not count.
func (o Outcome) Load() float64 {
	return stat.Mean(slices.DeleteFunc(o.extra(extraLoad), math.IsNaN), nil)
}

// Whole reports whether every job that ran did so once, without a stop, on units of its own, in all replications.
func (o Outcome) Whole() bool { return !slices.Contains(o.extra(extraSplit), 1) }

// Cut reports whether arrivals were cut off in a replication before the last measured job had left.
func (o Outcome) Cut() bool { return slices.Contains(o.extra(extraCut), 1) }

// Served returns how each group of Plan.Served is served, means over replications; nil if the plan has none.
func (o Outcome) Served() []run.Waits {
	list := make([]run.Waits, o.columns.groups)
	for g := range list {
		at := o.columns.served() + g*run.WaitNumbers
		list[g] = run.MeanWaits(text.Each(o.numbers, func(row []float64) run.Waits {
			return run.ReadWaits(row[at:])
		}))
	}
	return list
}

// ServedValues returns a number of the groups of Plan.Served in each replication.
func (o Outcome) ServedValues(of func(groups []run.Waits) float64) []float64 {
	return text.Each(o.numbers, func(row []float64) float64 {
		list := make([]run.Waits, o.columns.groups)
		for g := range list {
			list[g] = run.ReadWaits(row[o.columns.served()+g*run.WaitNumbers:])
		}
		return of(list)
	})
}

// Provider returns a measure of a provider, by replication.
func (o Outcome) Provider(m metric.Measure, i int) []float64 {
	return o.column(o.columns.parts() + i*len(o.columns.measures) + o.place(m, -1))
}

// Plain returns a measure of each replication as it is, of all jobs for customer < 0.
func (o Outcome) Plain(m metric.Measure, customer int) []float64 {
	return o.column(o.place(m, customer))
}

// Values returns a measure of each replication less what control variates explain of it.
func (o Outcome) Values(m metric.Measure, customer int) []float64 {
	return o.Adjusted(m, customer, o.Plain(m, customer))
}

// Controlled reports whether there are control variates.
func (o Outcome) Controlled() bool {
	return o.columns.controls && o.N() > 0 && !math.IsNaN(o.numbers[0][o.columns.part()])
}

// Adjusted returns plain values less what control variates explain of them.
func (o Outcome) Adjusted(m metric.Measure, customer int, plain []float64) []float64 {
	if m.Plain || !o.Controlled() {
		return plain
	}
	k, part := o.place(m, customer), o.columns.part()
	without, controls := make([][]float64, o.N()), make([]metric.Controls, o.N())
	for i, x := range o.numbers {
		controls[i].Whole = x[part:][:run.MaxControls]
		for range metric.Batches {
			x = x[part+run.MaxControls:]
			without[i] = append(without[i], x[k])
			controls[i].Without = append(controls[i].Without, x[part:][:run.MaxControls])
		}
	}
	return metric.Controlled(plain, without, controls)
}

// Interval returns the interval of a measure, of all jobs for customer < 0.
func (o Outcome) Interval(m metric.Measure, customer int) metric.Interval {
	plain := o.Plain(m, customer)
	return o.Estimate(o.Adjusted(m, customer, plain), plain)
}

// Difference returns the interval of a measure of this row less that of another row
// on the same jobs, of all jobs for customer < 0.
func (o Outcome) Difference(other Outcome, m metric.Measure, customer int) metric.Interval {
	plain := metric.Less(o.Plain(m, customer), other.Plain(m, customer))
	return o.Estimate(metric.Less(o.Values(m, customer), other.Values(m, customer)), plain)
}

// Estimate returns the interval of controlled values: a range of resampled spans, or a
// t interval, wider where a look at it ended the replications.
func (o Outcome) Estimate(values, plain []float64) metric.Interval {
	level := o.Confidence()
	if o.Spread {
		return metric.Spread(values, level)
	}
	if o.Looked {
		level = metric.LookLevel(level, len(values))
	}
	i := metric.EstimateControlled(values, plain, level)
	i.Level = o.Confidence()
	return i
}

// NewOutcome returns the measures of samples of an experiment.
func NewOutcome(e *run.Experiment, samples []run.Sample) Outcome {
	o := Outcome{columns: columns{
		measures: metric.Measures(), pooled: subject.Columns(e.Workload),
		customers: cmp.Or(len(subject.Columns(e.Workload)), len(e.Workload.Customers())),
		controls:  e.Variates() != nil, providers: e.ProviderCount(),
	}}
	o.numbers = text.Each(samples, func(s run.Sample) []float64 { return o.columns.numbers(s, nil) })
	return o
}

package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"revopt/model"
	"revopt/simulate"
)

// The customers of jobs with QoS, by urgency. They are also the jobs' ranks.
const (
	LowUrgency = iota
	HighUrgency
)

// customers returns the two urgencies. The price of each job is drawn.
func (q *QoS) customers() []model.Class {
	low := model.Class{Name: "low", Dated: true, Hard: q.Hard[LowUrgency], Floor: model.Floor{None: true}}
	high := model.Class{Name: "high", Dated: true, Hard: q.Hard[HighUrgency], Floor: model.Floor{None: true}}
	return []model.Class{LowUrgency: low, HighUrgency: high}
}

// QoS says how deadlines, budgets and penalties are drawn for the jobs of a
// trace, which records none (Yeo and Buyya 2007, section VII.B; 2005, section
// 5.1).
//
// It is a shorthand for two customers: a job is of high urgency by lot. With R
// its true run time its deadline is d R, its budget b R and its penalty rate p,
// where d, b and p are normal about the mean of its urgency, drawn until d > 1,
// b > 1 and p >= 0. High urgency means the short deadline, the large budget and
// the large penalty.
type QoS struct {
	HighUrgency float64    // share of jobs
	Deadline    Spread     // of d
	Budget      Spread     // of b; $ per second of R
	Penalty     Spread     // of p; $ per second of delay
	Hard        [2]float64 // share of jobs whose deadline is hard, by class
	Inaccuracy  float64    // the estimate is RE = R (1 - Inaccuracy)
	OfUsers     bool       // the estimate is that of the user, as the trace records it
}

// Spread is a quantity that differs between the classes and, normally
// distributed, within each.
type Spread struct {
	LowMean float64 // of the class in which it is small
	Ratio   float64 // the mean of the other class over LowMean
	SD      float64 // standard deviation over mean, in either class
}

// means returns the means of the two classes, where the small one belongs to
// the given class.
func (s Spread) means(small int) (m [2]float64) {
	m[small], m[1-small] = s.LowMean, s.LowMean*s.Ratio
	return m
}

// Validate reports what cannot be drawn.
func (q *QoS) Validate() error {
	for _, p := range []float64{q.HighUrgency, q.Hard[LowUrgency], q.Hard[HighUrgency]} {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("workload: share %g of jobs", p)
		}
	}
	if !(q.Inaccuracy >= 0 && q.Inaccuracy < 1) {
		return fmt.Errorf("workload: inaccuracy %g of run times", q.Inaccuracy)
	}
	for _, s := range []struct {
		Spread
		least float64
	}{{q.Deadline, 1}, {q.Budget, 1}, {q.Penalty, 0}} {
		if !(s.LowMean >= 0 && s.Ratio >= 0 && s.SD >= 0) || math.IsInf(s.LowMean*s.Ratio*(1+s.SD), 0) {
			return fmt.Errorf("workload: spread %+v", s.Spread)
		}
		for _, mean := range s.means(LowUrgency) {
			if !model.Drawable(mean, s.SD*mean, s.least) {
				return fmt.Errorf("workload: normal numbers of mean %g and sd %g are hardly ever above %g", mean, s.SD*mean, s.least)
			}
		}
	}
	return nil
}

// decorator draws the QoS of jobs.
type decorator struct {
	qos                                      QoS
	deadline, budget, penalty                [2]model.Invertible // by class
	urgency, deadlines, budgets, rates, hard *rand.Rand
}

func newDecorator(q QoS, seed uint64, replication int) (*decorator, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	d := &decorator{
		qos: q, urgency: stream("urgency"), deadlines: stream("deadlines"),
		budgets: stream("budgets"), rates: stream("penalties"), hard: stream("hard"),
	}
	short, large, rate := q.Deadline.means(HighUrgency), q.Budget.means(LowUrgency), q.Penalty.means(LowUrgency)
	for class := range 2 {
		for _, n := range []struct {
			drawn           *model.Invertible
			mean, sd, limit float64
		}{
			{&d.deadline[class], short[class], q.Deadline.SD, 1},
			{&d.budget[class], large[class], q.Budget.SD, 1},
			{&d.penalty[class], rate[class], q.Penalty.SD, 0},
		} {
			var err error
			if *n.drawn, err = model.NewNormalAbove(n.mean, n.sd*n.mean, n.limit); err != nil {
				return nil, fmt.Errorf("workload: %w", err)
			}
		}
	}
	return d, nil
}

// decorate states the QoS of a job. Every stream gives one number per job,
// whatever becomes of it.
func (d *decorator) decorate(j *simulate.Job) {
	class := LowUrgency
	if d.urgency.Float64() < d.qos.HighUrgency {
		class = HighUrgency
	}
	j.Class, j.Rank = class, class
	if !d.qos.OfUsers {
		j.Spec.Details.Estimate = j.Work * (1 - d.qos.Inaccuracy)
	}
	due := j.Work * d.deadline[class].Above(open(d.deadlines))
	price := j.Work * d.budget[class].Above(open(d.budgets))
	decay := d.penalty[class].Above(open(d.rates))
	j.Value = simulate.ByDeadline(price, due, decay, d.hard.Float64() < d.qos.Hard[class])
}

// open returns a uniform number between 0 and 1, both excluded.
func open(r *rand.Rand) float64 { return (float64(r.Uint64()>>11) + 0.5) / (1 << 53) }

// Split says how the jobs of a trace are split into a mandatory and an optional
// part, for the schemes of Kim, Buyya and Kim (2007). Other policies run the
// whole job.
type Split struct {
	Optional Range   // o as a multiple of m
	Rate     float64 // mean slope of the optional budget, as a share of the mandatory one per RateUnit
}

// SplitMIPS is the rating of an SP2 node, by which seconds of a trace become MI,
// and splitSpread the spread of the budget rate about its mean.
const (
	SplitMIPS   = 168
	splitSpread = 0.5
)

// splitter splits jobs, with two numbers for each whatever becomes of it.
type splitter struct {
	Split
	optional, rate *rand.Rand
}

func newSplitter(s Split, seed uint64, replication int) (*splitter, error) {
	if !s.Optional.valid(0) || !(s.Rate >= 0) {
		return nil, fmt.Errorf("workload: jobs split into parts of which the optional one is %v times the other, at a budget rate of %g", s.Optional, s.Rate)
	}
	return &splitter{
		Split: s, optional: simulate.Stream(seed, replication, "optional lengths", 0),
		rate: simulate.Stream(seed, replication, "budget rates", 0),
	}, nil
}

// split states the parts of a job with QoS: on each processor the two lengths
// make up its work, and what all parts pay when they are done its budget.
//
//	m = R / (1 + f), o = f m, b^m (1 + rate o / RateUnit) Width = B
func (s *splitter) split(j *simulate.Job) {
	f := s.Optional.at(s.optional.Float64())
	rate := s.Rate * (1 + splitSpread*(2*s.rate.Float64()-1)) * SplitMIPS / RateUnit // share of b^m per second
	i := &simulate.Imprecise{Mandatory: j.Work / (1 + f)}
	i.Optional = j.Work - i.Mandatory
	i.Reward = j.Value.Price / float64(j.Width) / (1 + rate*i.Optional)
	i.Bonus = simulate.Linear(rate * i.Reward)
	j.Spec.Imprecise = i
}

package workload

import (
	"fmt"
	"math/rand/v2"

	"revopt/model"
	"revopt/simulate"
)

// qosCustomers returns the two urgencies, which are also the jobs' ranks. The price
// of each job is drawn.
func qosCustomers(q *model.QoS) []model.Class {
	low := model.Class{Name: "low", Dated: true, Hard: q.Hard[model.LowUrgency], Floor: model.Floor{None: true}}
	high := model.Class{Name: "high", Dated: true, Hard: q.Hard[model.HighUrgency], Floor: model.Floor{None: true}}
	return []model.Class{model.LowUrgency: low, model.HighUrgency: high}
}

// decorator draws the QoS of jobs.
type decorator struct {
	qos                                      model.QoS
	deadline, budget, penalty                [2]func(u float64) float64 // by class
	accuracy                                 func(u float64) float64
	urgency, deadlines, budgets, rates, hard *rand.Rand
	scatter, over                            *rand.Rand
}

func newDecorator(q model.QoS, seed uint64, replication int) (*decorator, error) {
	if err := q.Validate(); err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	d := &decorator{
		qos: q, urgency: stream("urgency"), deadlines: stream("deadlines"),
		budgets: stream("budgets"), rates: stream("penalties"), hard: stream("hard"),
		scatter: stream("inaccuracy"), over: stream("over-estimates"),
	}
	accuracy, err := model.NewNormalAbove(1-q.Inaccuracy, q.Scatter, 0)
	if err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	d.accuracy = accuracy.Above
	short := q.Deadline.Means(model.HighUrgency)
	large, rate := q.Budget.Means(model.LowUrgency), q.Penalty.Means(model.LowUrgency)
	for class := range 2 {
		for _, n := range []struct {
			drawn       *func(u float64) float64
			spread      model.Spread
			mean, limit float64
		}{
			{&d.deadline[class], q.Deadline, short[class], 1},
			{&d.budget[class], q.Budget, large[class], 1},
			{&d.penalty[class], q.Penalty, rate[class], 0},
		} {
			*n.drawn, err = n.spread.Draws(n.mean, n.limit)
			if err != nil {
				return nil, fmt.Errorf("workload: %w", err)
			}
		}
	}
	return d, nil
}

// decorate states the QoS of a job. Every stream gives one number per job in all
// cases.
func (d *decorator) decorate(j *simulate.Job) {
	class := model.LowUrgency
	if d.urgency.Float64() < d.qos.HighUrgency {
		class = model.HighUrgency
	}
	j.Class, j.Rank = class, class
	accuracy, over := d.accuracy(open(d.scatter)), d.over.Float64() < d.qos.Over
	if over {
		accuracy = max(2-accuracy, accuracy) // 1 + u, unless u is negative
	}
	if !d.qos.OfUsers {
		j.Spec.Details.Estimate, j.Spec.Details.Exact = j.Work*accuracy, d.qos.Inaccuracy == 0 && d.qos.Scatter == 0
	}
	due := j.Work * d.deadline[class](open(d.deadlines))
	price := j.Work * d.qos.Budget.Factor(j.Work) * d.budget[class](open(d.budgets))
	decay := d.qos.Penalty.Factor(j.Work) * d.penalty[class](open(d.rates))
	j.Value, j.Tariff = simulate.ByDeadline(price, due, decay, d.hard.Float64() < d.qos.Hard[class]), nil
}

// open returns a uniform number between 0 and 1, both excluded.
func open(r *rand.Rand) float64 { return (float64(r.Uint64()>>11) + 0.5) / (1 << 53) }

// splitMIPS is the rating of an SP2 node, by which seconds of a trace become MI,
// and splitSpread the spread of the budget rate about its mean.
const (
	splitMIPS   = 168
	splitSpread = 0.5
)

// splitter splits jobs. It draws two numbers for each job in all cases.
type splitter struct {
	model.Split
	optional, rate *rand.Rand
}

func newSplitter(s model.Split, seed uint64, replication int) (*splitter, error) {
	if !s.Optional.Valid(0) || !(s.Rate >= 0) {
		return nil, fmt.Errorf("workload: jobs split into parts of which the optional one is %v times the other,"+
			" at a budget rate of %g", s.Optional, s.Rate)
	}
	return &splitter{
		Split: s, optional: simulate.Stream(seed, replication, "optional lengths", 0),
		rate: simulate.Stream(seed, replication, "budget rates", 0),
	}, nil
}

// split states the parts of a job with QoS: on each processor the two lengths add up to
// its work, and the payments for all complete parts to its budget.
//
//	m = R / (1 + f), o = f m, b^m (1 + rate o / RateUnit) Width = B
func (s *splitter) split(j *simulate.Job) {
	f := s.Optional.At(s.optional.Float64())
	rate := s.Rate * (1 + splitSpread*(2*s.rate.Float64()-1)) * splitMIPS / rateUnit // share of b^m per second
	i := &simulate.Imprecise{Mandatory: j.Work / (1 + f)}
	i.Optional = j.Work - i.Mandatory
	i.Reward = j.Value.Price / float64(j.Width) / (1 + rate*i.Optional)
	i.Bonus = bonus(s.Budget, rate*i.Reward, i.Optional)
	j.Spec.Imprecise = i
}

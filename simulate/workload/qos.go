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
	deadline, budget, penalty                [2]model.Invertible // by class
	urgency, deadlines, budgets, rates, hard *rand.Rand
}

func newDecorator(q model.QoS, seed uint64, replication int) (*decorator, error) {
	if err := q.Validate(); err != nil {
		return nil, fmt.Errorf("workload: %w", err)
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	d := &decorator{
		qos: q, urgency: stream("urgency"), deadlines: stream("deadlines"),
		budgets: stream("budgets"), rates: stream("penalties"), hard: stream("hard"),
	}
	short, large, rate := q.Deadline.Means(model.HighUrgency), q.Budget.Means(model.LowUrgency), q.Penalty.Means(model.LowUrgency)
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
	class := model.LowUrgency
	if d.urgency.Float64() < d.qos.HighUrgency {
		class = model.HighUrgency
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

// SplitMIPS is the rating of an SP2 node, by which seconds of a trace become MI,
// and splitSpread the spread of the budget rate about its mean.
const (
	SplitMIPS   = 168
	splitSpread = 0.5
)

// splitter splits jobs, with two numbers for each whatever becomes of it.
type splitter struct {
	model.Split
	optional, rate *rand.Rand
}

func newSplitter(s model.Split, seed uint64, replication int) (*splitter, error) {
	if !s.Optional.Valid(0) || !(s.Rate >= 0) {
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
	f := s.Optional.At(s.optional.Float64())
	rate := s.Rate * (1 + splitSpread*(2*s.rate.Float64()-1)) * SplitMIPS / RateUnit // share of b^m per second
	i := &simulate.Imprecise{Mandatory: j.Work / (1 + f)}
	i.Optional = j.Work - i.Mandatory
	i.Reward = j.Value.Price / float64(j.Width) / (1 + rate*i.Optional)
	i.Bonus = bonus(s.Budget, rate*i.Reward, i.Optional)
	j.Spec.Imprecise = i
}

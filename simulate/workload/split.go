package workload

import (
	"fmt"
	"math/rand/v2"

	"revopt/simulate"
)

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

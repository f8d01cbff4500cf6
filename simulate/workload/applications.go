package workload

import (
	"fmt"
	"math"
	"math/rand/v2"

	"revopt/simulate"
)

// Range is where a number is drawn from, evenly.
type Range struct{ Low, High float64 }

// at returns the number of the range for u in [0, 1).
func (r Range) at(u float64) float64 { return r.Low + u*(r.High-r.Low) }

// valid reports whether the range is one of numbers from least on.
func (r Range) valid(least float64) bool {
	return r.Low >= least && r.High >= r.Low && !math.IsInf(r.High, 1)
}

// Applications is the workload of Kim, Buyya and Kim (2007), section 4: a
// Poisson stream of applications of independent parts with a mandatory and an
// optional length. Lengths are in MI, so that the speed of a machine is its
// MIPS.
type Applications struct {
	Count     int     // applications
	Gap       float64 // s, mean time between arrivals
	Parts     Range   // p, whole numbers
	Mandatory Range   // m, MI
	Optional  Range   // o as a multiple of m
	Reward    float64 // b^m, $ per MI of m
	Laxity    Range   // by how much the deadline exceeds the mean execution time
	Rate      float64 // mean slope of the optional budget, as a share of b^m per RateUnit
	Spread    float64 // the slope is drawn from Rate (1 - Spread) to Rate (1 + Spread)
	MIPS      []float64
}

// RateUnit is the optional length that adds Rate times the mandatory budget, MI.
const RateUnit = 1e6

// check returns what is wrong with the parameters.
func (a *Applications) check() error {
	switch {
	case a.Count < 1 || !(a.Gap > 0) || math.IsInf(a.Gap, 1):
		return fmt.Errorf("workload: %d applications, one every %g s", a.Count, a.Gap)
	case !a.Parts.valid(1) || !a.Mandatory.valid(0) || a.Mandatory.Low == 0 || !a.Optional.valid(0) || !a.Laxity.valid(-1):
		return fmt.Errorf("workload: applications of %v parts of %v MI, optional %v times that, laxity %v", a.Parts, a.Mandatory, a.Optional, a.Laxity)
	case !(a.Reward >= 0) || !(a.Rate >= 0) || !(a.Spread >= 0 && a.Spread <= 1) || len(a.MIPS) == 0:
		return fmt.Errorf("workload: applications that pay %g per MI, rate %g, spread %g, on %d sites", a.Reward, a.Rate, a.Spread, len(a.MIPS))
	}
	return nil
}

// applicationStream draws the applications of a replication. A stream of each
// purpose gives one number per application, so that application k is the same
// in every run of one seed and replication but for what the parameters change.
type applicationStream struct {
	Applications
	left int     // applications to come
	at   float64 // time of the last one
	mean float64 // s per MI, over the sites

	arrivals, parts, mandatory, optional, laxities, rates *rand.Rand
}

// Source returns the applications of one replication.
func (a Applications) Source(seed uint64, replication int) (simulate.Source, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	s := &applicationStream{Applications: a, left: a.Count}
	for _, mips := range a.MIPS {
		s.mean += 1 / mips / float64(len(a.MIPS))
	}
	stream := func(purpose string) *rand.Rand { return simulate.Stream(seed, replication, purpose, 0) }
	s.arrivals, s.parts, s.mandatory = stream("arrivals"), stream("widths"), stream("lengths")
	s.optional, s.laxities, s.rates = stream("optional lengths"), stream("deadlines"), stream("budget rates")
	return s, nil
}

// Next implements simulate.Source.
//
// The deadline is (1 + laxity) times the mean over the sites of (m + o)/MIPS,
// and the optional budget linear with slope rate b^m per RateUnit.
func (s *applicationStream) Next(j *simulate.Job) (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	s.left--
	s.at += s.Gap * s.arrivals.ExpFloat64()
	low, high := math.Ceil(s.Parts.Low), math.Floor(s.Parts.High)
	parts := int(low) + s.parts.IntN(int(high-low)+1)
	i := &simulate.Imprecise{Mandatory: s.Mandatory.at(s.mandatory.Float64())}
	i.Optional = i.Mandatory * s.Optional.at(s.optional.Float64())
	i.Reward = s.Reward * i.Mandatory
	rate := s.Rate * (1 + s.Spread*(2*s.rates.Float64()-1))
	i.Bonus = simulate.Linear(rate * i.Reward / RateUnit)

	j.Submit, j.Width, j.Work = s.at, parts, i.Mandatory+i.Optional
	j.Spec.Details.Estimate = j.Work
	due := (1 + s.Laxity.at(s.laxities.Float64())) * j.Work * s.mean
	j.Value = simulate.ByDeadline(float64(parts)*i.Worth(i.Optional), due, 0, true)
	j.Spec.Imprecise = i
	return true, nil
}

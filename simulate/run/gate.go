package run

import (
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Gate decides which jobs are let in. It is what an Admission comes to.
type Gate struct {
	Name   string               // all, analytic, ...; probabilities where it has none
	Admit  []float64            // probability by customer; nil admits all
	Prices []subject.AskedPrice // that it goes with, where prices were chosen
}

// rule returns the admission as the kernel takes it, nil where all are let in.
func (a Gate) rule() simulate.Admission {
	if a.Admit == nil {
		return nil
	}
	return agent.Lottery(a.Admit)
}

// Random reports whether lots decide.
func (a Gate) Random() bool {
	return slices.ContainsFunc(a.Admit, func(q float64) bool { return q > 0 && q < 1 })
}

// With returns the admission with another probability for one of n customers, and those of the others as before.
func (a Gate) With(customer, n int, q float64) Gate {
	if a.Admit == nil {
		a.Admit = slices.Repeat([]float64{1}, n)
	}
	a.Admit = slices.Clone(a.Admit)
	a.Admit[customer] = q
	return a
}

// alike is the difference below which two probabilities of admission are equal. Optima are not known better: value is
// flat around them.
const alike = 1e-3

// None reports whether no job is let in.
func (a Gate) None() bool { return a.Admit != nil && slices.Max(a.Admit) < alike }

// Same reports whether two admissions are equal.
func (a Gate) Same(b Gate) bool {
	for i := range max(len(a.Admit), len(b.Admit)) {
		if math.Abs(a.share(i)-b.share(i)) > alike {
			return false
		}
	}
	return true
}

// share returns the probability of a customer.
func (a Gate) share(customer int) float64 {
	if a.Admit == nil {
		return 1
	}
	return a.Admit[customer]
}

// inSections gives customers one probability in all pools, 1 if none is stated.
func inSections(p *workload.Pools, admit []float64) []float64 {
	listed := append(slices.Clone(admit), 1)
	return text.Each(p.Sections, func(s workload.Section) float64 { return listed[min(s.Customer, len(listed)-1)] })
}

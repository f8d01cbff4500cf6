package model

import (
	"cmp"
	"fmt"
	"math"

	"revopt/internal/text"
)

// Residual is a convention for T0, the delay at an idle priority level: the
// mean residual work that an arriving job finds in service. The zero value is Pooled. The
// paper's printed formulas hold for no real server: Printed must be asked for.
type Residual int

// The residual conventions.
const (
	// Pooled is T0 = 1/2 sum lambda_s b2_s / n^2: the exact M/G/1 queue in
	// which one server is n times as fast. The grace is subtracted from the
	// mean wait.
	Pooled Residual = iota
	// Multiserver approximates n real servers (M/G/n): the Erlang-C wait
	// scaled for the variability of lengths (Lee & Longton 1959) and spread
	// over the classes as HOL does (Bondi & Buzen 1984). The grace is
	// subtracted from the mean wait.
	Multiserver
	// Printed is T0 = 1/2 sum lambda_s b2_s, (17) as printed, with the grace
	// subtracted from T0 as in (28) and (30). It reproduces the paper's
	// figures and overstates delay.
	Printed
)

// String returns the convention's name in a scenario.
func (r Residual) String() string { return [...]string{"pooled", "multiserver", "printed"}[r] }

// System is a cluster and the job classes offered to it.
type System struct {
	Classes  []Class
	Parallel float64  // n, the number of jobs of mean width that run at once
	Residual Residual // convention for T0
	Phi      float64  // delay coefficient of (30); 0 is 1, which leaves delays as they are
	Fill     float64  // share of the machine that Parallel is; 0 is all, see By
	Prices   bool     // admitted rates of classes with a Demand determine prices, see Priced
}

// Load returns the aggregate offered load, (29): sum mu_s b1_s / n, of the whole machine.
func (s System) Load() float64 {
	return text.Sum(s.Classes, func(c Class) float64 { return c.Rate * c.Length.Mean() }) / s.Slots()
}

// Slots returns how many jobs of mean width the whole machine has room for.
func (s System) Slots() float64 { return s.Parallel / cmp.Or(s.Fill, 1) }

// DelayCoefficient returns Phi, 1 unless it is stated.
func (s System) DelayCoefficient() float64 { return cmp.Or(s.Phi, 1) }

// Validate returns an error if the system is meaningless.
func (s System) Validate() error {
	if len(s.Classes) == 0 {
		return fmt.Errorf("model: a system needs a class")
	}
	if !positive(s.Parallel) {
		return fmt.Errorf("model: parallel is %g, want a positive number", s.Parallel)
	}
	if !nonNegative(s.Phi) {
		return fmt.Errorf("model: phi is %g, want a number of at least 0", s.Phi)
	}
	for _, c := range s.Classes {
		if c.Length == nil || !positive(c.Length.Mean()) || !positive(c.Length.Moment(2)) {
			return fmt.Errorf("model: class %s has no length with two finite moments", c.Name)
		}
		for _, f := range []struct {
			name  string
			value float64
		}{
			{"rate", c.Rate}, {"price", c.MeanPrice()}, {"decay", c.MeanDecay()}, {"grace", c.MeanGrace()},
		} {
			if !nonNegative(f.value) {
				return fmt.Errorf("model: class %s has %s %g, want a number of at least 0", c.Name, f.name, f.value)
			}
		}
		if c.Demand != nil {
			if err := c.Demand.Validate(); err != nil {
				return fmt.Errorf("%w (class %s)", err, c.Name)
			}
		}
	}
	return nil
}

func positive(x float64) bool    { return x > 0 && !math.IsInf(x, 1) }
func nonNegative(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

package simulate

import "math"

// Imprecise is the segment of a job whose result may be partial. The job
// consists of Width independent parts of one shape: each has a mandatory length,
// without which it is worth nothing, and an optional length, paid by the amount that
// was executed by the deadline. Kim, Buyya and Kim (2007), section 2.
type Imprecise struct {
	Mandatory float64 // m, s at rate 1 on the reference
	Optional  float64 // o, likewise
	Reward    float64 // b^m, $ for the mandatory length done by the deadline
	Bonus     Bonus   // b^o; nil pays nothing
}

// Worth returns what a part pays with its mandatory length done and the given amount of
// its optional length executed: b^m + b^o(l).
func (i *Imprecise) Worth(executed float64) float64 {
	if i.Bonus == nil {
		return i.Reward
	}
	return i.Reward + i.Bonus.Of(executed)
}

// Rate returns what the whole optional length adds to the pay of a part,
// b^o(o) - b^o(0): the budget rate of Kim, Buyya and Kim (2007), section 3.3.
func (i *Imprecise) Rate() float64 { return i.Worth(i.Optional) - i.Worth(0) }

// Bonus is the budget function of an optional length.
type Bonus interface {
	// Of returns what an executed length pays, $. It does not fall as the
	// length grows.
	Of(executed float64) float64
}

// Linear pays the same for every second executed.
type Linear float64 // $/s

// Of implements Bonus.
func (b Linear) Of(executed float64) float64 { return float64(b) * executed }

// Concave pays less for every further second:
//
//	Top (l / Length)^Exponent, Exponent in (0, 1]
type Concave struct {
	Top      float64 // $ for the whole length
	Length   float64 // s
	Exponent float64
}

// Of implements Bonus.
func (b Concave) Of(executed float64) float64 {
	return b.Top * math.Pow(math.Max(executed, 0)/b.Length, b.Exponent)
}

// Steps pays for lengths reached, in ascending order.
type Steps []Milestone

// Milestone is a length that pays once it is executed.
type Milestone struct {
	At     float64 // s
	Amount float64 // $, in addition to the milestones before
}

// Of implements Bonus. A length that misses a milestone only by rounding has reached
// it.
func (b Steps) Of(executed float64) float64 {
	var sum float64
	for _, m := range b {
		if executed < m.At*(1-1e-9) {
			break
		}
		sum += m.Amount
	}
	return sum
}

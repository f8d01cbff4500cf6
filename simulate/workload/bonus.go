package workload

import (
	"revopt/model"
	"revopt/simulate"
)

// bonus returns the budget function of an optional length by its shape. The whole
// length pays slope times length under all shapes.
func bonus(shape model.BudgetShape, slope, length float64) simulate.Bonus {
	top := slope * length
	switch {
	case length == 0 || shape.Linear():
		return simulate.Linear(slope)
	case shape.Steps == nil:
		return simulate.Concave{Top: top, Length: length, Exponent: shape.Exponent}
	}
	var steps simulate.Steps
	for _, s := range shape.Steps {
		steps = append(steps, simulate.Milestone{At: s.At * length, Amount: s.Pay * top})
	}
	return steps
}

// slower returns a budget function of lengths in a larger unit.
func slower(b simulate.Bonus, times float64) simulate.Bonus {
	switch b := b.(type) {
	case simulate.Linear:
		return b * simulate.Linear(times)
	case simulate.Concave:
		b.Length /= times
		return b
	case simulate.Steps:
		var steps simulate.Steps
		for _, m := range b {
			steps = append(steps, simulate.Milestone{At: m.At / times, Amount: m.Amount})
		}
		return steps
	}
	panic("workload: unknown budget function")
}

package analytic

import (
	"slices"

	"revopt/model"
	"revopt/optimize"
	"revopt/simulate/metric"
)

// ExactAnswer is what only the exact utility knows.
type ExactAnswer struct {
	RevenueError metric.Number   `json:"revenue_error"` // $/s, of the numerical inversion
	Promises     []PromiseAnswer `json:"promises"`
	PromiseCost  metric.Number   `json:"promise_cost"`       // $/s that the promises cost
	Refusing     *RefusalAnswer  `json:"refusing,omitempty"` // absent where keeping the promises earns more
}

// RefusalAnswer is the revenue if some classes are refused, so that their promises are void.
type RefusalAnswer struct {
	Classes          []string      `json:"classes"`
	RevenuePerSecond metric.Number `json:"revenue_per_second"`
}

// PromiseAnswer is what becomes of a promise.
type PromiseAnswer struct {
	Name     string        `json:"name"`
	Within   metric.Number `json:"within"` // s
	Level    metric.Number `json:"level"`  // promised
	Kept     metric.Number `json:"kept"`   // probability, of a job that is, or were, admitted
	Admitted bool          `json:"admitted"`
	Cost     metric.Number `json:"cost"` // $/s: how much more is earned without it, and with all other promises
}

// SumExact adds up the exact answers of pools. Each of them says what refusing brings.
func SumExact(list []*ExactAnswer) *ExactAnswer {
	sum := *list[0]
	for _, e := range list[1:] {
		sum.RevenueError, sum.PromiseCost = sum.RevenueError+e.RevenueError, sum.PromiseCost+e.PromiseCost
		sum.Promises, sum.Refusing = slices.Concat(sum.Promises, e.Promises), nil
	}
	return &sum
}

// NewExactAnswer says what becomes of the promises of classes.
func NewExactAnswer(classes []model.Class, r optimize.ExactResult) *ExactAnswer {
	a := &ExactAnswer{RevenueError: metric.Number(r.Error), Promises: []PromiseAnswer{},
		PromiseCost: metric.Number(r.Free - r.Revenue)}
	if r.Refusing != nil {
		a.Refusing = &RefusalAnswer{RevenuePerSecond: metric.Number(r.Refusing.Revenue)}
	}
	for i, c := range classes {
		if c.SLO != nil {
			a.Promises = append(a.Promises, PromiseAnswer{
				Name: c.Name, Within: metric.Number(c.SLO.Within), Level: metric.Number(c.SLO.Level),
				Kept: metric.Number(r.Kept[i]), Admitted: r.Admit[i] > 0, Cost: metric.Number(r.Costs[i]),
			})
		}
		if a.Refusing != nil && r.Refusing.Closed[i] {
			a.Refusing.Classes = append(a.Refusing.Classes, c.Name)
		}
	}
	return a
}

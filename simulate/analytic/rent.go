package analytic

import (
	"context"
	"math"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/warn"
)

// RentAnswer is the part of a solution that runs on rented units: refused jobs of the classes
// that are worth more than the rent there.
type RentAnswer struct {
	PaidPerSecond    metric.Number `json:"paid_per_second"`
	RevenuePerSecond metric.Number `json:"revenue_per_second"` // less the rent; part of that of the solution
	// over the best admission without rent; null where that is not known
	Gain metric.Number `json:"gain_per_second"`
}

// rents lets refused jobs run on rented units, if there are any.
func (a *Analysis) rents(r *model.Rent) {
	if r == nil {
		return
	}
	a.Rented, a.System.Classes = true, text.EachAt(a.System.Classes,
		func(_ int, c model.Class) model.Class { return c.Renting(r) })
	warn.AddIf(&a.Ignored, r.Limit > 0 && a.System.Outside() > 0,
		warn.Warning{Kind: warn.RentLimit, Numbers: []float64{float64(r.Limit)}})
}

// RentGain sets the gain over the best admission without rent, that best finds.
func (a *Analysis) RentGain(s *Solution, best func(model.System) (float64, error)) error {
	if !a.Rented {
		return nil
	}
	if s.Rent == nil { // no class is worth the rent
		s.Rent = new(RentAnswer)
		return nil
	}
	sys := a.System
	sys.Classes = text.Each(sys.Classes, func(c model.Class) model.Class {
		c.Outside = model.Outside{}
		return c
	})
	without, err := best(sys)
	s.Rent.Gain = s.RevenuePerSecond - metric.Number(without)
	return err
}

// SplitRent returns the part of each class that runs on the machine, of jobs admitted with some
// probabilities: the simulator may send jobs that wait to rented units. That part is the one
// that earns most, if refused jobs of the class are worth their rent.
func (a *Analysis) SplitRent(ctx context.Context, admit []float64) ([]float64, error) {
	if a.System.Outside() == 0 {
		return admit, nil
	}
	best, err := a.Best(ctx, a.System.Residual)
	if err != nil {
		return nil, err
	}
	return text.EachAt(admit, func(i int, q float64) float64 {
		if a.System.Classes[i].Outside.Worth > 0 {
			return math.Min(q, float64(best.Classes[i].Admit))
		}
		return q
	}), nil
}

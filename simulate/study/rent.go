package study

import (
	"cmp"
	"context"
	"math"

	"revopt/model"
)

// RentAnswer is the part of a solution that runs on rented units: refused jobs of the classes
// that are worth more than the rent there.
type RentAnswer struct {
	PaidPerSecond    Number `json:"paid_per_second"`
	RevenuePerSecond Number `json:"revenue_per_second"` // less the rent; part of that of the solution
	Gain             Number `json:"gain_per_second"`    // over the best admission without rent; null where that is not known
}

// rents lets refused jobs run on rented units, if there are any.
func (a *Analysis) rents(r *model.Rent) {
	if r == nil {
		return
	}
	a.Rented, a.System.Classes = true, each(a.System.Classes, func(_ int, c model.Class) model.Class { return c.Renting(r) })
	addIf(&a.Ignored, r.Limit > 0 && a.System.Outside() > 0, Warning{Kind: WarnRentLimit, Numbers: []float64{float64(r.Limit)}})
}

// rent adds the refused jobs of a class, if these run on rented units.
func (s *Solution) rent(i int, c model.Class) {
	k := &s.Classes[i]
	if k.RentedRate = k.OfferedRate - k.AdmittedRate; !(c.Outside.Worth > 0) {
		k.RentedRate = 0
		return
	}
	s.Rent = cmp.Or(s.Rent, &RentAnswer{Gain: Number(math.NaN())})
	s.Rent.PaidPerSecond += k.RentedRate * Number(c.Outside.Rent)
	s.Rent.RevenuePerSecond += k.RentedRate * Number(c.Outside.Worth)
}

// rentGain sets the gain over the best admission without rent, that best finds.
func (a *Analysis) rentGain(s *Solution, best func(model.System) (float64, error)) error {
	if !a.Rented {
		return nil
	}
	if s.Rent == nil { // no class is worth the rent
		s.Rent = new(RentAnswer)
		return nil
	}
	sys := a.System
	sys.Classes = each(sys.Classes, func(_ int, c model.Class) model.Class { c.Outside = model.Outside{}; return c })
	without, err := best(sys)
	s.Rent.Gain = s.RevenuePerSecond - Number(without)
	return err
}

// splitRent returns the part of each class that runs on the machine, of jobs admitted with some
// probabilities: the simulator may send jobs that wait to rented units. That part is the one
// that earns most, if refused jobs of the class are worth their rent.
func (a *Analysis) splitRent(ctx context.Context, admit []float64) ([]float64, error) {
	if a.System.Outside() == 0 {
		return admit, nil
	}
	best, err := a.Best(ctx, a.System.Residual)
	if err != nil {
		return nil, err
	}
	return each(admit, func(i int, q float64) float64 {
		if a.System.Classes[i].Outside.Worth > 0 {
			return math.Min(q, float64(best.Classes[i].Admit))
		}
		return q
	}), nil
}

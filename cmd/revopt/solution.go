package main

import (
	"encoding/json"
	"math"

	"revopt/model"
	"revopt/optimize"
)

// number is a float64 that is null in JSON where it is not finite.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// solution is an admission and what follows from it, as scripts read it.
type solution struct {
	RevenuePerSecond    number          `json:"revenue_per_second"`
	RevenuePerHour      number          `json:"revenue_per_hour"`
	UpperBoundPerSecond number          `json:"upper_bound_per_second"` // null where nothing is proven
	RelativeGap         number          `json:"relative_gap"`           // null where nothing is proven
	Method              string          `json:"method"`
	Certified           bool            `json:"certified"` // the gap asked for is proven
	Load                number          `json:"load"`      // offered
	Utilization         number          `json:"utilization"`
	MeanDelay           number          `json:"mean_delay"` // s, over admitted jobs; null where there are none
	Classes             []classSolution `json:"classes"`
}

type classSolution struct {
	Name             string `json:"name"`
	Admit            number `json:"admit"`
	OfferedRate      number `json:"offered_rate"`  // jobs/s
	AdmittedRate     number `json:"admitted_rate"` // jobs/s
	Utilization      number `json:"utilization"`
	MeanWait         number `json:"mean_wait"` // s, of a job that is, or were, admitted
	RevenuePerSecond number `json:"revenue_per_second"`
}

// newSolution evaluates the system at the admission that was found.
func newSolution(sys model.System, r optimize.Result) (*solution, error) {
	hol, err := model.NewHOL(sys)
	if err != nil {
		return nil, err
	}
	n := hol.Len()
	waits := hol.Waits(make([]float64, n), r.Admit)
	earns := hol.ClassRevenue(make([]float64, n), r.Admit)
	s := &solution{
		RevenuePerSecond:    number(r.Revenue),
		RevenuePerHour:      number(r.Revenue * 3600),
		UpperBoundPerSecond: number(r.UpperBound),
		RelativeGap:         number(r.Gap),
		Method:              string(r.Method),
		Certified:           r.Certified,
		Load:                number(sys.Load()),
		Utilization:         number(hol.Utilization(r.Admit)),
		Classes:             make([]classSolution, n),
	}
	for i, c := range sys.Classes {
		admitted := r.Admit[i] * c.Rate
		s.Classes[i] = classSolution{
			Name:             c.Name,
			Admit:            number(r.Admit[i]),
			OfferedRate:      number(c.Rate),
			AdmittedRate:     number(admitted),
			Utilization:      number(admitted * c.Length.Mean() / sys.Parallel),
			MeanWait:         number(waits[i]),
			RevenuePerSecond: number(earns[i]),
		}
	}
	s.MeanDelay = number(s.meanDelay())
	return s, nil
}

// rates returns how many jobs arrive and are admitted per second.
func (s *solution) rates() (offered, admitted float64) {
	for _, c := range s.Classes {
		offered += float64(c.OfferedRate)
		admitted += float64(c.AdmittedRate)
	}
	return offered, admitted
}

// meanDelay returns the mean wait over admitted jobs, NaN where there are none.
func (s *solution) meanDelay() float64 {
	var sum float64
	for _, c := range s.Classes {
		if c.AdmittedRate > 0 {
			sum += float64(c.AdmittedRate * c.MeanWait)
		}
	}
	_, admitted := s.rates()
	return sum / admitted
}

// proven reports whether there is a bound.
func (s *solution) proven() bool { return !math.IsInf(float64(s.UpperBoundPerSecond), 0) }

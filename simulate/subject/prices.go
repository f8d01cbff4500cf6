package subject

import (
	"context"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
)

// AskedPrice is the price of a customer, in the unit in which it is stated.
type AskedPrice struct {
	Name  string
	Price float64
	Unit  string  // $, $/hour or $/node-hour
	Comes float64 // jobs at this price over those at the stated one
}

// Copy returns a copy whose classes can be given other prices.
func (s *Subject) Copy() *Subject {
	sc, p := *s.Scenario, *s
	sc.Classes = slices.Clone(sc.Classes)
	p.Scenario = &sc
	return &p
}

// AtStated returns the subject at the prices of demands, so that all jobs of its trace come.
func (s *Subject) AtStated(ctx context.Context) (*Subject, error) {
	if !slices.ContainsFunc(s.Scenario.Classes, func(c model.Class) bool { return c.Demand != nil && c.Rate != 1 }) {
		return s, nil
	}
	p := s.Copy()
	for i := range p.Scenario.Classes {
		if c := &p.Scenario.Classes[i]; c.Demand != nil {
			*c = c.Repriced(c.Demand.Price/s.PriceOf(*c), c.Demand.Price)
		}
	}
	return p, p.Reopen(ctx)
}

// Reopen makes the workload of a copy whose classes have other prices.
func (s *Subject) Reopen(ctx context.Context) error {
	if s.Trace != nil {
		return s.laid(ctx)
	}
	s.Scenario.Load = s.Scenario.System().Load()
	err := s.classes()
	if s.Scenario.Pools != nil && err == nil {
		s.Scenario.Load = s.Workload.Load() // the mean width of all pools together may be another
	}
	return err
}

// PriceOf returns the price of a class in the unit of its demand: the mean of its
// jobs or, on a trace, that of a job one second long and one node wide.
func (s *Subject) PriceOf(c model.Class) float64 {
	if s.Trace != nil {
		return c.Price.Of(1, 1)
	}
	return c.StatedPrice()
}

// Asked returns the prices that customers with a demand are asked.
func (s *Subject) Asked() []AskedPrice {
	var list []AskedPrice
	for _, c := range s.Scenario.Classes {
		if c.Demand == nil {
			continue
		}
		p := AskedPrice{c.Name, c.Price.Fixed, "$", c.Rate / c.Demand.Rate}
		switch t := c.Price; {
		case t.PerSecond > 0:
			p.Price, p.Unit = metric.Hour*t.PerSecond, "$/hour"
		case t.PerNodeSecond > 0:
			p.Price, p.Unit = metric.Hour*t.PerNodeSecond, "$/"+text.Unit(s.Unit())+"-hour"
		}
		list = append(list, p)
	}
	return list
}

package whatif

import (
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// ChoiceRent is the change of whether units are rented: rent=on or rent=off.
const ChoiceRent = "rent"

// RentChange is what rented units bring, of the side of a change that has them.
type RentChange struct {
	Share     metric.Number  `json:"share"`           // of the work
	Paid      metric.Number  `json:"paid_per_second"` // $/s
	BreakEven study.Estimate `json:"break_even"`      // $ per unit-hour up to which they pay
}

// rentChange reads a change of whether units are rented, on the terms of the scenario.
func rentChange(s *subject.Subject, arg, value string) (Change, error) {
	c := Change{Name: ChoiceRent + "=" + value, Choice: ChoiceRent}
	var off []scenario.Override
	if s.Scenario.Rent != nil {
		off = append(off, scenario.Override{Path: "machine.rent", Value: "off", Source: "--change " + arg})
	}
	for _, p := range s.Scenario.Pools {
		if p.Rent != nil {
			off = append(off, scenario.Override{Path: "pools." + p.Name + ".rent", Value: "off",
				Source: "--change " + arg})
		}
	}
	fail := func(message string) (Change, error) {
		return c, &scenario.Error{File: "--change " + arg, Message: message}
	}
	switch {
	case value != "on" && value != "off":
		return fail("expected rent=on or rent=off")
	case off == nil:
		return fail("expected units to rent in the scenario, as in machine: {rent: {price: 0.08}}")
	case value == "on":
		c.unrented = off
	default:
		c.Set = off
	}
	return c, nil
}

// before returns the overrides of all points but those that turn rent on: with such a change the
// scenario as it is rents nothing.
func (w *WhatIf) before() []scenario.Override {
	for _, c := range w.Changes {
		if c.unrented != nil {
			return c.unrented
		}
	}
	return nil
}

func (s *state) rents() bool {
	list := text.Where(s.subject.Workload.Sites(), func(site workload.Site) bool { return site.Rent != nil })
	return list != nil
}

// rent sets what rented units bring if one side has them. They pay up to the gain and the rent
// together, over the unit-hours that are paid: a ratio of means, whose interval is that of the
// residuals.
func (r *ChangeResult) rent(w *WhatIf, base, s *state, n int) {
	if base.rents() == s.rents() {
		return
	}
	with, without := s, base
	if base.rents() {
		with, without = base, s
	}
	mean := func(name string) []float64 {
		m, _ := metric.Lookup(name)
		return with.values(m, -1, n)
	}
	paid := mean("rent_per_second")
	units := mean("rented_units")
	gain := study.Less(with.money(n), without.money(n))
	var worth, hours float64
	for k := range gain {
		gain[k] += metric.Hour * paid[k]
		worth, hours = worth+gain[k], hours+units[k]
	}
	if hours == 0 {
		return
	}
	even := make([]float64, n)
	for k := range even {
		even[k] = worth/hours + (gain[k]-worth/hours*units[k])*float64(n)/hours
	}
	r.Rent = &RentChange{with.mean("rented_share", -1, n), with.mean("rent_per_second", -1, n), w.estimate(even)}
}

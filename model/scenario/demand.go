package scenario

import (
	"math"

	"revopt/model"
)

var (
	elasticity = quantity{want: "an elasticity above 0 and below 1000", unit: plain, open: true, most: 1000}
	isoelastic = quantity{
		want: "an elasticity above 1 and below 1000, with curve: isoelastic: at 1 and below, " +
			"fewer jobs never pay less, and no price is best",
		unit: plain, least: 1, open: true, most: 1000,
	}
)

// demandRow is how many jobs come at which price. Reading leaves out the price and
// the rate to which the demand refers; see demands.
func demandRow(class *model.Class, onTrace bool) row {
	return section("demand", "a demand such as {curve: linear, elasticity: 1.5}", &class.Demand,
		func(d *model.Demand) table {
			return table{
				choice("curve", &d.Curve, model.Curves()...).then(func(c *cursor) {
					if !c.given() {
						c.expected("linear, exponential or isoelastic")
					}
				}),
				{key: "elasticity", read: func(c *cursor) {
					if d.Curve == model.IsoelasticDemand {
						d.Elasticity = c.number(isoelastic)
					} else {
						d.Elasticity = c.number(elasticity)
					}
				}, write: func(*encoder) string { return formatNumber(d.Elasticity) }},
				{key: "at", write: func(e *encoder) string {
					if price := meanPrice(class, class.Price, onTrace); math.Abs(price-d.Price) <= 1e-12*price {
						return ""
					}
					return priceText(e, class, d.Price, onTrace)
				}},
			}
		})
}

// maxPriceRow is the largest price that may be asked; see demands.
func maxPriceRow(class *model.Class, onTrace bool) row {
	read := func(c *cursor) {
		if c.given() && class.Demand == nil {
			c.fail("expected a demand beside price_max: without one the price is as stated")
		}
	}
	write := func(e *encoder) string { return priceText(e, class, class.Demand.Max, onTrace) }
	return row{key: "price_max", read: read, write: write}.when(class.Demand != nil && class.Demand.Max > 0)
}

// meanPrice returns the price of a class by a tariff: that of a job of mean length and
// width or, on a trace, of a job one second long and one node wide. On a trace only
// ratios of prices count.
func meanPrice(c *model.Class, t model.Tariff, onTrace bool) float64 {
	if onTrace {
		return t.Of(1, 1) // only one of its parts is not 0
	}
	return t.Of(c.Length.Mean(), c.Width.Mean())
}

// priceText returns a mean price in the form of the tariff of the class.
func priceText(e *encoder, c *model.Class, x float64, onTrace bool) string {
	ratio := x / meanPrice(c, c.Price, onTrace)
	t := model.Tariff{
		Fixed: c.Price.Fixed * ratio, PerSecond: c.Price.PerSecond * ratio,
		PerNodeSecond: c.Price.PerNodeSecond * ratio,
	}
	return priceRow("", &t, unitHour("per_unit_hour", &t.PerNodeSecond)).write(e)
}

// atDemand returns a class as a file states it: with the rate and the decay at the
// price to which its demand refers.
func atDemand(c model.Class, onTrace bool) model.Class {
	if d := c.Demand; d != nil {
		if price := meanPrice(&c, c.Price, onTrace); math.Abs(price-d.Price) > 1e-12*price {
			c.DecayOfPrice *= price / d.Price
		}
		c.Rate = d.Rate
	}
	return c
}

// demands completes the demands of the classes and reports whether a rate changed. A
// demand refers to the price and the rate of the file: an override of the price moves
// the class along its curve and leaves its decay in $/s alone. On a trace the rate is
// the share of the jobs of the trace that come.
func (d *decoder) demands(places []*cursor, s *Scenario) (moved bool) {
	onTrace := s.Trace != nil
	for i := range s.Classes {
		c, at := &s.Classes[i], places[i]
		if c.Demand == nil || d.err != nil {
			continue
		}
		mean := func(place *cursor, t model.Tariff) float64 {
			if onTrace && unlike(t, c.Price) {
				place.fail("expected a price of the kind of the class's own: per job, per_hour or per_unit_hour")
			}
			return meanPrice(c, t, onTrace)
		}
		if pricesDiffer(c) {
			at.get("price").fail("expected one price for all pools beside demand")
		}
		price := mean(at.get("price"), c.Price)
		if !(price > 0) && d.err == nil {
			place := at.get("price")
			if n := place.n; n != nil && n.kind == mapping && len(n.fields) == 1 { // an override may have set only this
				place = place.get(n.fields[0].key)
			}
			place.fail("expected a price above 0 beside demand: at 0 no curve says how many jobs come")
		}
		stated := price
		if ref := at.get("demand").get("at"); ref.given() {
			stated = mean(ref, ref.price())
		} else if base := d.base.scenario(); base != nil && i < len(base.Classes) && base.Classes[i].Name == c.Name {
			stated = mean(at.get("price"), base.Classes[i].Price)
		}
		most := at.get("price_max")
		if most.given() {
			c.Demand.Max = mean(most, most.price())
		}
		c.Demand.Price, c.Demand.Rate = stated, c.Rate
		switch {
		case !(stated > 0):
			at.get("demand").get("at").fail("expected a price above 0, got %g", stated)
		case onTrace && most.given() && c.Demand.Max < max(price, stated):
			most.fail("expected at least the price of the class")
		case most.given() && c.Demand.Max < max(price, stated):
			most.fail("expected at least the price of the class, %g, got %g", max(price, stated), c.Demand.Max)
		case !onTrace && c.MeanPrice() < price:
			at.get("deadline").fail("expected a deadline of at least the mean length beside demand")
		}
		if price != stated {
			c.DecayOfPrice *= stated / price
			c.Rate = c.Demand.RateAt(price)
			moved = true
		}
	}
	return moved
}

func (c *cursor) price() (t model.Tariff) {
	priceRow("", &t, unitHour("per_unit_hour", &t.PerNodeSecond)).read(c)
	return t
}

// unlike reports whether two prices differ in kind: per job, hour or node-hour.
func unlike(a, b model.Tariff) bool {
	return (a.PerSecond > 0) != (b.PerSecond > 0) || (a.PerNodeSecond > 0) != (b.PerNodeSecond > 0)
}

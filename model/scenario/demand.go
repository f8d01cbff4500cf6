package scenario

import (
	"revopt/model"
)

var (
	elasticity = quantity{want: "an elasticity above 0 and below 1000", unit: plain, open: true, most: 1000}
	isoelastic = quantity{want: "an elasticity above 1 and below 1000, with curve: isoelastic: at 1 and below, fewer jobs never pay less, and no price is best", unit: plain, least: 1, open: true, most: 1000}
)

// demand reads how many jobs come at which price, without the price and the rate
// to which that refers; nil where the class does not say.
func (d *decoder) demand(c *cursor) *model.Demand {
	at, cap := c.get("demand"), c.get("price_max")
	if !at.given() {
		if cap.given() {
			cap.fail("expected a demand beside price_max: without one the price is as stated")
		}
		return nil
	}
	if !at.mapping("a demand such as {curve: linear, elasticity: 1.5}", "curve", "elasticity", "at") {
		return nil
	}
	var words []string
	for _, k := range model.Curves() {
		words = append(words, string(k))
	}
	curve := at.get("curve")
	if !curve.given() {
		curve.fail("missing, expected linear, exponential or isoelastic")
		return nil
	}
	demand := &model.Demand{Curve: model.Curve(curve.choice(words...))}
	e := elasticity
	if demand.Curve == model.IsoelasticDemand {
		e = isoelastic
	}
	demand.Elasticity = at.get("elasticity").number(e)
	return demand
}

// demands completes the demands of the classes. A demand is that at the price and
// the rate of the file: an override of the price alone moves the class along its
// curve, with its decay in $/s as it was. Of customers on a trace the rate is the
// share of the jobs of the trace that come, and a price is that of a job one second
// long and one node wide: only its ratio to another counts. The function mean
// returns the price of a class by a tariff, which stands at the cursor.
func (d *decoder) demands(places []*cursor, s *Scenario, mean func(c *model.Class, at *cursor, t model.Tariff) float64) (moved bool) {
	for i := range s.Classes {
		c, at := &s.Classes[i], places[i]
		if c.Demand == nil || d.err != nil {
			continue
		}
		price := mean(c, at.get("price"), c.Price)
		if !(price > 0) && d.err == nil {
			place := at.get("price")
			if n := place.n; n != nil && n.kind == mapping && len(n.fields) == 1 { // an override may have set it alone
				place = place.get(n.fields[0].key)
			}
			place.fail("expected a price above 0 beside demand: at 0 no curve says how many jobs come")
		}
		stated := price
		if ref := at.get("demand").get("at"); ref.given() {
			stated = mean(c, ref, d.price(ref))
		} else if base := d.base.scenario(); base != nil && i < len(base.Classes) && base.Classes[i].Name == c.Name {
			stated = mean(c, at.get("price"), base.Classes[i].Price)
		}
		most := at.get("price_max")
		if most.given() {
			c.Demand.Max = mean(c, most, d.price(most))
		}
		c.Demand.Price, c.Demand.Rate = stated, c.Rate
		switch {
		case !(stated > 0):
			at.get("demand").get("at").fail("expected a price above 0, got %g", stated)
		case s.Trace != nil && most.given() && c.Demand.Max < max(price, stated):
			most.fail("expected at least the price of the class")
		case most.given() && c.Demand.Max < max(price, stated):
			most.fail("expected at least the price of the class, %g, got %g", max(price, stated), c.Demand.Max)
		case s.Trace == nil && c.MeanPrice() < price:
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

package model

import (
	"fmt"
	"math"
)

// Curve names the shape of a demand curve.
type Curve string

// The demand curves, by the price p at which x times the stated rate comes; p0
// is the stated price and e the elasticity there.
const (
	LinearDemand      Curve = "linear"      // p = p0 (1 + (1-x)/e)
	ExponentialDemand Curve = "exponential" // p = p0 - (p0/e) ln x
	IsoelasticDemand  Curve = "isoelastic"  // p = p0 x^(-1/e), e > 1
)

// Curves returns the names of the demand curves.
func Curves() []Curve { return []Curve{LinearDemand, ExponentialDemand, IsoelasticDemand} }

// Demand is the rate of a class as a function of its price: the demand of (1) and (6) of
// Marbukh and Mills. Prices are means over the jobs of the class.
type Demand struct {
	Curve      Curve
	Elasticity float64 // e, per cent fewer jobs for a price one per cent higher, at Price
	Price      float64 // p0, $
	Rate       float64 // jobs/s that come at Price
	Max        float64 // largest price allowed, $; 0: any
	Scarce     bool    // a lower price adds no jobs beyond Rate: a trace has no others
}

// Validate returns an error if the demand is meaningless.
func (d *Demand) Validate() error {
	switch d.Curve {
	case LinearDemand, ExponentialDemand, IsoelasticDemand:
	default:
		return fmt.Errorf("model: unknown demand curve %q", d.Curve)
	}
	switch {
	case d.Curve == IsoelasticDemand && !(d.Elasticity > 1):
		return fmt.Errorf("model: isoelastic demand has elasticity %g, want a number above 1: "+
			"else fewer jobs never pay less", d.Elasticity)
	case !positive(d.Elasticity):
		return fmt.Errorf("model: demand has elasticity %g, want a number above 0", d.Elasticity)
	case !positive(d.Price):
		return fmt.Errorf("model: demand at price %g, want a price above 0", d.Price)
	case !nonNegative(d.Rate):
		return fmt.Errorf("model: demand has rate %g, want a number of at least 0", d.Rate)
	case d.Max != 0 && !(d.Max >= d.Price):
		return fmt.Errorf("model: demand has a largest price of %g, want at least the stated price of %g", d.Max,
			d.Price)
	}
	return nil
}

// PriceAt returns the price at which jobs come at the given rate, at least 0 and at most
// the largest price.
func (d *Demand) PriceAt(rate float64) float64 {
	x := rate / d.Rate
	p := d.Price
	switch d.Curve {
	case LinearDemand:
		p *= 1 + (1-x)/d.Elasticity
	case ExponentialDemand:
		p -= p / d.Elasticity * math.Log(x)
	default:
		p *= math.Pow(x, -1/d.Elasticity)
	}
	if d.Max > 0 {
		p = math.Min(p, d.Max)
	}
	return math.Max(0, p)
}

// RateAt returns the jobs/s that come at a price.
func (d *Demand) RateAt(price float64) float64 {
	r := price / d.Price
	switch d.Curve {
	case LinearDemand:
		return d.Rate * math.Max(0, 1+d.Elasticity*(1-r))
	case ExponentialDemand:
		return d.Rate * math.Exp(d.Elasticity*(1-r))
	}
	return d.Rate * math.Pow(r, -d.Elasticity)
}

// Kink returns the rate up to which jobs are sold at the largest price, 0 without one.
func (d *Demand) Kink() float64 {
	if d.Max == 0 {
		return 0
	}
	return d.RateAt(d.Max)
}

// Most returns the rate beyond which more jobs pay less in total: that of the monopoly
// price or of the largest price, if that is lower. It is +Inf with isoelastic demand,
// unless jobs are scarce.
func (d *Demand) Most() float64 {
	if d.Scarce {
		return math.Min(d.Rate, d.Sold(0))
	}
	return d.Sold(0)
}

// Sold returns the rate at which the slope of Revenue is the given marginal revenue.
func (d *Demand) Sold(marginal float64) float64 {
	e, m := d.Elasticity, marginal/d.Price
	if d.Max > 0 && marginal > d.Max {
		return 0
	}
	x := 0.0
	switch d.Curve {
	case LinearDemand:
		x = math.Max(0, (1+(1-m)*e)/2)
	case ExponentialDemand:
		x = math.Exp(e*(1-m) - 1)
	default:
		x = math.Pow(m/(1-1/e), -e)
	}
	return math.Max(d.Rate*x, d.Kink())
}

// Revenue returns the $/s of a rate of jobs at the highest price at which they all come,
// and its first two derivatives. It is concave. Below the rate of the largest price, jobs
// pay that price and some are refused: there the revenue is linear. At the kink the
// derivatives are those towards smaller rates.
func (d *Demand) Revenue(rate float64) (value, slope, curvature float64) {
	if d.Max > 0 && rate <= d.Kink() {
		return d.Max * rate, d.Max, 0
	}
	p0, e, x := d.Price, d.Elasticity, rate/d.Rate
	switch d.Curve {
	case LinearDemand:
		return rate * p0 * (1 + (1-x)/e), p0 * (1 + (1-2*x)/e), -2 * p0 / (e * d.Rate)
	case ExponentialDemand:
		if rate == 0 {
			return 0, math.Inf(1), math.Inf(-1)
		}
		return rate * p0 * (1 - math.Log(x)/e), p0 * (1 - (math.Log(x)+1)/e), -p0 / (e * rate)
	}
	if rate == 0 {
		return 0, math.Inf(1), math.Inf(-1)
	}
	p := p0 * math.Pow(x, -1/e)
	return rate * p, p * (1 - 1/e), -p * (1 - 1/e) / (e * rate)
}

// At returns the class at another mean price: with its tariff scaled, the rate of its
// demand, and its decay in $/s unchanged. A class without a demand keeps its rate.
func (c Class) At(price float64) Class {
	return c.Repriced(price/c.StatedPrice(), price)
}

// Repriced is At for a class with an unknown mean price, such as a customer on a trace:
// at k times its tariff, which is the given price in the unit of its demand.
func (c Class) Repriced(k, price float64) Class {
	if c.Demand != nil {
		c.Rate = c.Demand.RateAt(price)
	}
	c.Price = Tariff{c.Price.Fixed * k, c.Price.PerSecond * k, c.Price.PerNodeSecond * k}
	if c.DecayOfPrice > 0 {
		c.DecayOfPrice /= k
	}
	return c
}

// Priced returns the system whose admission sets prices: the rate of a class with a
// demand is the smaller of Demand.Most and twice the rate that fills the server, and the
// admitted share of it is sold at the highest price at which so many jobs come.
func (s System) Priced() System {
	classes := make([]Class, len(s.Classes))
	for i, c := range s.Classes {
		if d := c.Demand; d != nil && d.Rate > 0 {
			c.Rate = math.Min(d.Most(), 2*s.Parallel/c.Length.Mean())
		}
		classes[i] = c
	}
	s.Classes, s.Prices = classes, true
	return s
}

// Sale is the admission of a class of a priced system in terms of prices.
type Sale struct {
	Price float64 // $ per job, on average
	Rate  float64 // jobs/s that come at this price
	Admit float64 // share of them that is admitted
}

// Sale returns the price at which a share q of the rate of a class of a priced
// system is sold.
func (c Class) Sale(q float64) Sale {
	d := c.Demand
	if d == nil || d.Rate == 0 {
		return Sale{Price: c.StatedPrice(), Rate: c.Rate, Admit: q}
	}
	rate := q * c.Rate
	if kink := d.Kink(); kink > 0 && rate < kink {
		return Sale{Price: d.Max, Rate: kink, Admit: rate / kink}
	}
	return Sale{Price: d.PriceAt(rate), Rate: rate, Admit: 1}
}

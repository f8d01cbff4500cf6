package optimize

import (
	"math"

	"revopt/model"
)

// payoff is the revenue of a class with a demand, without the cost of delay, as a
// function of its utilization and in the problem's money. It is concave, and linear up
// to a kink, where the largest price binds.
type payoff struct {
	demand *model.Demand
	free   model.Demand // without a largest price
	jobs   float64      // jobs/s at utilization 1
	money  float64
	kink   float64 // utilization up to which the largest price is paid
	least  float64 // below it a tangent continues the slope, which may be unbounded
}

// newPayoff returns the payoff of a class of a priced system up to utilization beta, or
// nil and the slope pi if it is linear.
func newPayoff(c model.Class, jobs, beta float64) (f *payoff, pi float64) {
	d := c.Demand
	if d == nil {
		return nil, c.MeanPrice() * jobs
	}
	f = &payoff{demand: d, free: *d, jobs: jobs, money: 1, kink: d.Kink() / jobs, least: 1e-12 * beta}
	f.free.Max = 0
	if f.kink >= beta*(1-1e-9) {
		return nil, d.Max * jobs
	}
	_, pi, _ = f.at(1e-3 * beta)
	return f, pi
}

// at returns the payoff and its derivatives.
func (f *payoff) at(rho float64) (value, slope, curvature float64) {
	value, slope, curvature = f.demand.Revenue(rho * f.jobs)
	k := f.jobs / f.money
	return value / f.money, slope * k, curvature * k * f.jobs
}

// beyond is at for the part of the payoff beyond the kink.
func (f *payoff) beyond(rho float64) (slope, curvature float64) {
	x := max(rho, f.kink, f.least)
	_, slope, curvature = f.free.Revenue(x * f.jobs)
	k := f.jobs / f.money
	slope, curvature = slope*k, curvature*k*f.jobs
	return slope + curvature*(rho-x), curvature
}

// sold returns the utilization at which the marginal revenue is c.
func (f *payoff) sold(c float64) float64 { return f.demand.Sold(c*f.money/f.jobs) / f.jobs }

// tangent returns a line that is nowhere below the payoff and touches it at the
// utilization between least and most at which the payoff less c rho is largest.
func (f *payoff) tangent(c, least, most float64) (slope, rent float64) {
	rho := min(max(f.sold(max(0, c)), least), most)
	value, slope, _ := f.at(max(rho, f.least))
	if f.kink > 0 && math.Abs(rho-f.kink) <= 1e-12*f.kink {
		rho = f.kink
		after, _ := f.beyond(rho)
		value, _, _ = f.at(rho)
		_, slope, _ = f.at(0)
		slope = min(slope, max(after, c))
	} else if rho < f.least {
		rho = f.least
	}
	rent = value - slope*rho
	return slope, rent + 1e-15*(math.Abs(value)+math.Abs(slope)*rho)
}

// worth returns the revenue of class s at utilization rho without any delay.
func (p *problem) worth(s int, rho float64) float64 {
	if f := p.pay[s]; f != nil {
		value, _, _ := f.at(rho)
		return value
	}
	return p.pi[s] * rho
}

// gains returns an upper bound of the revenue of a stable queue without any delay. For
// linear payoffs it admits the largest prices first. For others every price c of
// utilization proves the bound c (1-margin) + sum_s max (payoff of rho - c rho), and the
// least of these is the optimum.
func (p *problem) gains() float64 {
	curved := false
	for _, f := range p.pay {
		curved = curved || f != nil
	}
	if !curved {
		return p.fill(p.pi)
	}
	bound := func(c float64) (used, sum float64) {
		sum = c * (1 - margin)
		for s, beta := range p.beta {
			switch f := p.pay[s]; {
			case f != nil:
				rho := min(beta, f.sold(c))
				value, _, _ := f.at(rho)
				used, sum = used+rho, sum+value-c*rho
			case p.pi[s] > c:
				used, sum = used+beta, sum+(p.pi[s]-c)*beta
			}
		}
		return used, sum
	}
	used, best := bound(0)
	if used <= 1-margin {
		return best
	}
	high := math.SmallestNonzeroFloat64
	for _, pi := range p.pi {
		high = max(high, pi)
	}
	for range 2000 {
		used, _ = bound(high)
		if used <= 1-margin {
			break
		}
		high *= 2
	}
	low := 0.0
	for range 200 {
		c := (low + high) / 2
		used, sum := bound(c)
		best = min(best, sum)
		if used > 1-margin {
			low = c
		} else {
			high = c
		}
	}
	return best
}

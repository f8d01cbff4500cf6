package optimize

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"revopt/internal/text"
	"revopt/model"
)

// margin keeps the optimum away from an unstable queue: sigma_1 <= 1 - margin.
const margin = 1e-9

// problem is an admission problem with a linear T0, in the order of service
// and in units in which prices and T0 are of order one:
//
//	maximize sum_s pi_s rho_s - loss,   Phi T0 = sum_s kappa_s rho_s,
//
// with a concave payoff in place of pi_s rho_s for a class whose price is chosen.
// The loss is sum_s omega_s (Phi T0 - tau_s)^+ (g(sigma_s) - g(sigma_{s+1}))
// as printed, or sum_s omega_s (Phi T0 (g(sigma_s) - g(sigma_{s+1})) - tau_s rho_s)^+
// where the grace is subtracted from the wait. Both rest on
// rho_s/((1-sigma_s)(1-sigma_{s+1})) = g(sigma_s) - g(sigma_{s+1}), g(x) = 1/(1-x).
//
// Classes without arrivals are left out.
type problem struct {
	hol     *model.HOL
	classes []int // classes[s] is the index in the system
	beta    []float64
	pi      []float64
	pay     []*payoff // in place of pi where the price is chosen, else nil
	omega   []float64
	kappa   []float64
	tauT    []float64 // grace that is subtracted from T0
	tauW    []float64 // grace that is subtracted from the wait
	onWait  bool      // the grace is subtracted from the wait
	ordered bool      // the loss is convex for every fixed T0
	money   float64
	seconds float64
	dear    float64 // the largest of pi
	size    float64 // magnitude of utilizations at the optimum
	gross   float64 // upper bound of the revenue, without any loss
}

// ResidualError is a convention for T0 without a proof: T0 is not linear in the admitted
// rates.
type ResidualError struct{ Residual model.Residual }

func (e *ResidualError) Error() string {
	return "optimize: no optimum can be certified with residual " + e.Residual.String()
}

// RangeError is a class with a number too large or too small to compute with.
type RangeError struct {
	Class string
	What  string // name of the number
	Value float64
}

func (e *RangeError) Error() string {
	return fmt.Sprintf("optimize: class %s has %s %g, which is out of range", e.Class, e.What, e.Value)
}

// inRange returns a [*RangeError] if a number of a class with arrivals is out of range.
func inRange(sys model.System) error {
	const small, large = 1e-200, 1e200
	for _, c := range sys.Classes {
		if c.Rate == 0 {
			continue
		}
		perRho := sys.Parallel / c.Length.Mean()
		for _, v := range []struct {
			what  string
			value float64
			zero  bool // is allowed
		}{
			{"rate at full load", perRho, false},
			{"offered load", c.Rate / perRho, false},
			{"price at full load", c.MeanPrice() * perRho, true},
			{"decay at full load", c.MeanDecay() * perRho, true},
			{"second moment", c.Length.Moment(2) * perRho, false},
			{"grace", c.MeanGrace(), true},
		} {
			if !(v.value >= small && v.value <= large) && !(v.zero && v.value == 0) {
				return &RangeError{c.Name, v.what, v.value}
			}
		}
	}
	return nil
}

func newProblem(hol *model.HOL) (*problem, error) {
	sys := hol.System()
	weights, ok := hol.ResidualWeights()
	if !ok {
		return nil, &ResidualError{sys.Residual}
	}
	if err := inRange(sys); err != nil {
		return nil, err
	}
	p := &problem{hol: hol}
	for _, i := range model.ServiceOrder(sys.Classes) {
		c := sys.Classes[i]
		if c.Rate == 0 {
			continue
		}
		perRho := sys.Parallel / c.Length.Mean() // jobs/s at utilization 1
		p.classes = append(p.classes, i)
		p.beta = append(p.beta, c.Rate/perRho)
		if !sys.Prices {
			c.Demand = nil
		}
		pay, pi := newPayoff(c, perRho, c.Rate/perRho)
		p.pi, p.pay = append(p.pi, pi), append(p.pay, pay)
		p.omega = append(p.omega, c.MeanDecay()*perRho)
		p.kappa = append(p.kappa, sys.DelayCoefficient()*weights[i]*perRho)
		onT, onW := c.MeanGrace(), 0.0
		if sys.Residual != model.Printed {
			onT, onW = onW, onT
		}
		p.tauT, p.tauW = append(p.tauT, onT), append(p.tauW, onW)
		p.onWait = p.onWait || sys.Residual != model.Printed && c.MeanGrace() > 0
	}
	// Urgencies that count as equal may descend by a billionth. Bounds must not.
	for s := len(p.omega) - 2; s >= 0; s-- {
		p.omega[s] = min(p.omega[s], p.omega[s+1])
	}
	p.scale()
	p.gross = p.gains() * (1 + 1e-14)
	for _, pi := range p.pi {
		p.dear = max(p.dear, pi)
	}
	p.size = 1
	p.ordered = !p.onWait && p.common()
	return p, nil
}

// common reports whether all classes that lose by delay have the same grace.
func (p *problem) common() bool {
	first := -1.0
	for s, tau := range p.tauT {
		if p.omega[s] == 0 {
			continue
		}
		if first >= 0 && tau != first {
			return false
		}
		first = tau
	}
	return true
}

// scale divides money by the revenue without any loss, which makes the revenue of order
// one at any load, and time by the largest weight of T0.
func (p *problem) scale() {
	p.money = p.gains()
	for s := range p.pi {
		p.seconds = max(p.seconds, p.kappa[s])
	}
	p.money = cmp.Or(p.money, 1)
	lossless := p.seconds == 0
	if lossless {
		p.seconds = 1
	}
	for s := range p.pi {
		if p.pay[s] != nil {
			p.pay[s].money = p.money
		}
		p.pi[s] /= p.money
		p.omega[s] *= p.seconds / p.money
		p.kappa[s] /= p.seconds
		p.tauT[s] /= p.seconds
		p.tauW[s] /= p.seconds
		if lossless {
			p.omega[s] = 0
		}
	}
}

// rescale sets the unit of money and the magnitude of utilizations. If delay costs so
// much that only a small part of the load can be admitted, rounding errors would be
// large relative to it.
func (p *problem) rescale(revenue, utilization float64) {
	for s := range p.pi {
		if p.pay[s] != nil {
			p.pay[s].money *= revenue
		}
		p.pi[s] /= revenue
		p.omega[s] /= revenue
	}
	p.dear /= revenue
	p.gross /= revenue
	p.money *= revenue
	p.size = utilization
}

// fill returns the largest sum of value_s rho_s in a stable queue. It admits the largest
// values first.
func (p *problem) fill(value []float64) float64 {
	order := text.Numbers(len(value))
	sort.Slice(order, func(i, j int) bool { return value[order[i]] > value[order[j]] })
	room, sum := 1-margin, 0.0
	for _, s := range order {
		rho := min(room, p.beta[s])
		sum += rho * value[s]
		room -= rho
	}
	return sum
}

// breakpoints returns the ascending values of Phi T0 at which the loss as printed has a
// kink, from 0 to the largest possible value.
func (p *problem) breakpoints() []float64 {
	end := cmp.Or(p.fill(p.kappa), 1)
	points := []float64{0, end}
	if !p.onWait {
		for s, tau := range p.tauT {
			if tau > 0 && tau < end && p.omega[s] > 0 {
				points = append(points, tau)
			}
		}
	}
	slices.Sort(points)
	return slices.Compact(points)
}

// stabilize scales q down if rounding has carried it past the stability constraint.
func (p *problem) stabilize(q []float64) {
	if u := p.hol.Utilization(q); u > 1-margin {
		for _, i := range p.classes {
			q[i] *= (1 - margin) / u
		}
	}
}

package optimize

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
)

// anyProblem draws a problem with graces of each kind or without, with chosen prices if
// it is priced, and an admission with its utilizations, their sums and its T0.
func anyProblem(t *testing.T, rnd *rand.Rand, priced bool) (p *problem, q, rho, sigma []float64, kappa float64) {
	t.Helper()
	sys := model.System{Parallel: 1 + 20*rnd.Float64(), Phi: 0.5 + rnd.Float64(), Residual: []model.Residual{model.Printed, model.Pooled}[rnd.IntN(2)]}
	n := 1 + rnd.IntN(6)
	for range n {
		mean := math.Exp(3 * rnd.Float64())
		length := must(model.New(model.Gamma, mean, mean*(0.2+rnd.Float64()), 0))
		c := model.Class{Rate: 2 * rnd.Float64() * sys.Parallel / mean / float64(n), Length: length,
			Price: model.Tariff{Fixed: rnd.Float64()}, Decay: rnd.Float64() * math.Exp(-4*rnd.Float64())}
		if rnd.IntN(2) == 0 {
			c.Grace.Fixed = 5 * rnd.Float64()
		}
		if priced && rnd.IntN(4) > 0 {
			d := &model.Demand{Curve: model.Curves()[rnd.IntN(3)], Elasticity: 1.01 + 3*rnd.Float64(), Price: 1e-3 + c.Price.Fixed, Rate: c.Rate}
			if rnd.IntN(2) == 0 {
				d.Max = d.Price * (1 + 2*rnd.Float64())
			}
			c.Demand = d
		}
		sys.Classes = append(sys.Classes, c)
	}
	if priced {
		sys = sys.Priced()
	}
	hol := must(model.NewHOL(sys))
	p = must(newProblem(hol))
	q = make([]float64, n)
	for i := range q {
		q[i] = rnd.Float64()
		if rnd.IntN(4) == 0 {
			q[i] = math.Round(q[i])
		}
	}
	p.stabilize(q)
	rho, sigma = make([]float64, n), make([]float64, n)
	sum := 0.0
	for s := n - 1; s >= 0; s-- {
		rho[s] = p.beta[s] * q[p.classes[s]]
		sum += rho[s]
		sigma[s] = sum
	}
	return p, q, rho, sigma, p.kappaAt(q)
}

// around returns a random interval that holds x, within [0, most].
func around(rnd *rand.Rand, x, most float64) (lo, hi float64) {
	w := math.Exp(-6 * rnd.Float64())
	return math.Max(0, x-w*rnd.Float64()), math.Min(math.Max(x, most), x+w*rnd.Float64())
}

// nodeAround returns a node that holds an admission.
func nodeAround(p *problem, rnd *rand.Rand, rho, sigma []float64, t float64) *node {
	d := p.root()
	d.t1, d.t2 = around(rnd, t, d.t2)
	for s := range rho {
		d.lo[s], d.hi[s] = around(rnd, sigma[s], 1-margin)
		d.least[s], d.most[s] = around(rnd, rho[s], p.beta[s])
	}
	return d
}

// TestAnyMultipliersProve is the foundation of the certificate: with any multipliers, no
// admission in a node earns more than their bound, at its T0 and on the line between the
// ends of the node. A fifth of the instances has demand curves.
func TestAnyMultipliersProve(t *testing.T) {
	const instances = 5000
	rnd := rand.New(rand.NewPCG(2, 71))
	tight := math.Inf(1)
	for k := range instances {
		p, q, rho, sigma, kappa := anyProblem(t, rnd, k >= instances/5*4)
		revenue := p.hol.Revenue(q) / p.money
		d := nodeAround(p, rnd, rho, sigma, kappa)
		m := newMultipliers(len(rho))
		m.y = rnd.ExpFloat64()
		for s := range rho {
			m.z[s], m.w[s] = float64(rnd.IntN(2))*rnd.ExpFloat64(), float64(rnd.IntN(2))*rnd.ExpFloat64()
			m.theta[s] = rnd.Float64()
			m.eta[s] = (1 - m.theta[s]) * rnd.Float64()
			if f := p.pay[s]; f != nil {
				least := d.most[s] * rnd.Float64()
				m.pi[s], m.rent[s] = f.tangent(2*rnd.ExpFloat64()*p.pi[s], least, max(least, d.most[s]*rnd.Float64()))
			}
		}
		if k%2 == 0 {
			m = newRelaxation(p).propose(d, d.t1+(d.t2-d.t1)*rnd.Float64())
		}
		l := lagrangian{c: make([]float64, len(rho)), d: make([]float64, len(rho)), top: make([]float64, len(rho))}
		value := func(t float64) float64 {
			p.weigh(&l, d, m, t)
			return l.value
		}
		at, v1, v2 := value(kappa), value(d.t1), value(d.t2)
		tight = math.Min(tight, at-revenue)
		slack := 1e-12 * (1 + math.Abs(v1) + math.Abs(v2))
		if at < revenue-slack {
			t.Fatalf("instance %d: %.15g earned, the multipliers show at most %.15g", k, revenue, at)
		}
		line := v1
		if d.t2 > d.t1 {
			line += (v2 - v1) * (kappa - d.t1) / (d.t2 - d.t1)
		}
		if at > line+slack {
			t.Fatalf("instance %d: %.15g above the line between the ends, %.15g", k, at, line)
		}
	}
	if tight > 1e-3 {
		t.Errorf("the tightest bound is %g above an admission: the test tests nothing", tight)
	}
}

// TestNothingLost checks that no part of a node that is cut off earns more than the
// level: an admission that earns more stays inside, unless one of its classes loses all
// it pays.
func TestNothingLost(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 71))
	cut, kept := 0, 0
	for k := range 5000 {
		p, q, rho, sigma, kappa := anyProblem(t, rnd, k >= 4000)
		revenue := p.hol.Revenue(q) / p.money
		if revenue <= 0 || ruinous(p, rho, sigma, kappa) {
			continue
		}
		s := newSearch(t.Context(), p, Settings{})
		s.best = revenue * (1 - 1e-6*math.Exp(12*rnd.Float64()))
		d := nodeAround(p, rnd, rho, sigma, kappa)
		before := d.child()
		d.proofs[0], d.count = s.relax.propose(d, d.t1+(d.t2-d.t1)*rnd.Float64()), 1
		if s.level() >= revenue {
			continue
		}
		if !s.assess(d) {
			t.Fatalf("instance %d: nothing left of a node with %.12g, level %.12g", k, revenue, s.level())
		}
		const whisker = 1e-12
		if kappa < d.t1-whisker || kappa > d.t2+whisker || d.bound < revenue-whisker {
			t.Fatalf("instance %d: T0 %.15g is cut off, [%.15g, %.15g], or the bound %.12g is below %.12g",
				k, kappa, d.t1, d.t2, d.bound, revenue)
		}
		for i := range rho {
			if sigma[i] < d.lo[i]-whisker || sigma[i] > d.hi[i]+whisker || rho[i] < d.least[i]-whisker || rho[i] > d.most[i]+whisker {
				t.Fatalf("instance %d: class %d is cut off", k, i)
			}
			if d.hi[i]-d.lo[i] < 0.5*(before.hi[i]-before.lo[i]) {
				cut++
			} else {
				kept++
			}
		}
	}
	if cut < kept/20 {
		t.Errorf("%d boxes were halved, %d kept: the test tests nothing", cut, kept)
	}
}

// ruinous reports whether a class of an admission loses all it pays, or its marginal job
// does.
func ruinous(p *problem, rho, sigma []float64, t float64) bool {
	for s := range rho {
		above := 0.0
		if s+1 < len(sigma) {
			above = sigma[s+1]
		}
		if loss := p.omega[s] * ((t-p.tauT[s])/((1-sigma[s])*(1-above)) - p.tauW[s]); rho[s] > 0 && p.pay[s] == nil && loss >= p.pi[s] {
			return true
		} else if p.pay[s] != nil && rho[s] > p.pay[s].sold(max(0, loss)) {
			return true
		}
	}
	return false
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

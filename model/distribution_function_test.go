package model_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"revopt/model"
)

// functionCases adds shapes at which formulas change to those of every family.
func functionCases() []distCase {
	return append(distCases(),
		distCase{kind: model.Exponential, mean: 100},
		distCase{kind: model.Gamma, mean: 100, sd: 100 / math.Sqrt2}, distCase{kind: model.Gamma, mean: 1, sd: 3},
		distCase{kind: model.Gamma, mean: 1, sd: 0.3}, distCase{kind: model.Gamma, mean: 1, sd: 1e-3},
		distCase{kind: model.LogNormal, mean: 1, sd: 12}, distCase{kind: model.LogNormal, mean: 1, sd: 1e-3},
		distCase{kind: model.HyperExponential, mean: 1, sd: 30}, distCase{kind: model.HyperExponential, mean: 1, sd: 1.001},
		distCase{kind: model.Normal, mean: 1, sd: 0.999}, distCase{kind: model.Normal, mean: 1, sd: 0.9999999},
		distCase{kind: model.Normal, mean: 3, sd: 1.2, min: 1},
	)
}

// shares are probabilities from one tail to the other.
func shares() []float64 {
	return []float64{1e-9, 1e-4, 0.01, 0.2, 0.4999, 0.5, 0.5001, 0.8, 0.99, 1 - 1e-4, 1 - 1e-9}
}

// TestDistributionFunctions holds CDF, Quantile and Excess of every family
// against each other, against integrals and against draws.
func TestDistributionFunctions(t *testing.T) {
	for _, c := range functionCases() {
		d := must(model.New(c.kind, c.mean, c.sd, c.min))
		t.Run(d.String(), func(t *testing.T) {
			checkSpecial(t, d)
			checkDrawn(t, d)
			if model.SD(d) > 0 {
				checkQuantiles(t, d)
				checkIntegrals(t, d)
			}
		})
	}
}

func checkSpecial(t *testing.T, d model.Distribution) {
	mean, inf := d.Mean(), math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"CDF(-1)", d.CDF(-1), 0}, {"CDF(-Inf)", d.CDF(-inf), 0}, {"CDF(+Inf)", d.CDF(inf), 1},
		{"Excess(0)", d.Excess(0), mean}, {"Excess(-mean)", d.Excess(-mean), 2 * mean}, {"Excess(+Inf)", d.Excess(inf), 0},
		{"CDF(Quantile(0)) less than", d.CDF(d.Quantile(0) * (1 - 1e-9)), 0}, {"CDF(Quantile(1))", d.CDF(d.Quantile(1)), 1},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-11*mean) && c.got != c.want {
			t.Errorf("%s is %g, want %g", c.name, c.got, c.want)
		}
	}
	for _, v := range []float64{d.CDF(math.NaN()), d.Quantile(math.NaN()), d.Quantile(-0.1), d.Quantile(1.1), d.Excess(math.NaN())} {
		if !math.IsNaN(v) {
			t.Errorf("got %g where NaN is due", v)
		}
	}
}

// checkQuantiles: quantiles rise and have the probability asked for.
func checkQuantiles(t *testing.T, d model.Distribution) {
	last := -1.0
	for _, p := range shares() {
		x := d.Quantile(p)
		if !(x > last) {
			t.Errorf("quantile %g is %g, no more than %g", p, x, last)
		}
		last = x
		// A quantile is rounded, which moves its probability.
		nearby := math.Abs(d.CDF(x*(1+1e-15)) - d.CDF(x*(1-1e-15)))
		if got := d.CDF(x); math.Abs(got-p) > 2e-13*p+1e-15+nearby {
			t.Errorf("quantile %g is %.17g, which has probability %.17g", p, x, got)
		}
	}
}

// checkIntegrals: Excess is the integral of 1 - CDF, its own integral half the
// second moment, and the transform is s times that of CDF.
func checkIntegrals(t *testing.T, d model.Distribution) {
	mean, far := d.Mean(), d.Quantile(1-1e-14)
	// Between quantiles, which lie where the function bends.
	sum := func(f func(float64) float64, from, to float64) float64 {
		at, total := from, 0.0
		var points []float64
		for _, p := range []float64{1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99, 0.999, 1 - 1e-4, 1 - 1e-6, 1 - 1e-8, 1 - 1e-11} {
			points = append(points, d.Quantile(p))
		}
		for _, x := range append(points, to) {
			for x = math.Min(x, to); x > at; {
				next := x
				if at > 0 {
					next = math.Min(x, 1.5*at)
				}
				total += quad.Fixed(f, at, next, 30, quad.Legendre{}, 0)
				at = next
			}
		}
		return total
	}
	for _, p := range shares() {
		from := d.Quantile(p)
		want := sum(func(x float64) float64 { return 1 - d.CDF(x) }, from, far) + d.Excess(far)
		if got := d.Excess(from); math.Abs(got-want) > 2e-13*mean+2e-16*far { // 1 - CDF is rounded
			t.Errorf("Excess at quantile %g is %.15g, the integral %.15g", p, got, want)
		}
	}
	half := d.Quantile(1-1e-15) * 4
	if got := sum(d.Excess, 0, half); math.Abs(2*got/d.Moment(2)-1) > 1e-5 {
		t.Errorf("twice the integral of Excess is %.12g, the second moment %.12g", 2*got, d.Moment(2))
	}
	for _, s := range []float64{0.1, 1, 7} {
		got := s / mean * sum(func(x float64) float64 { return math.Exp(-s*x/mean) * d.CDF(x) }, 0, far)
		got += math.Exp(-s * far / mean)
		if want := real(d.Transform(complex(s/mean, 0))); math.Abs(got-want) > 1e-9 {
			t.Errorf("transform at %g of the distribution function %.12g, want %.12g", s, got, want)
		}
	}
}

// checkDrawn compares shares and excesses of draws.
func checkDrawn(t *testing.T, d model.Distribution) {
	const n = 25000
	rnd := rand.New(rand.NewPCG(7, 8))
	draws := make([]float64, n)
	for i := range draws {
		draws[i] = d.Rand(rnd)
	}
	for _, p := range []float64{0.01, 0.1, 0.5, 0.9, 0.99} {
		x := d.Quantile(p)
		var below, excess, square float64
		for _, y := range draws {
			if y <= x {
				below++
			}
			e := math.Max(0, y-x)
			excess += e
			square += e * e
		}
		share := d.CDF(x)
		if noise := math.Sqrt(share * (1 - share) / n); math.Abs(below/n-share) > 5*noise {
			t.Errorf("%g of the draws up to %g, want %g", below/n, x, share)
		}
		excess /= n
		noise := math.Sqrt(math.Max(0, square/n-excess*excess) / n)
		if want := d.Excess(x); math.Abs(excess-want) > 6*noise {
			t.Errorf("draws exceed %g by %g +- %.2g, want %g", x, excess, noise, want)
		}
	}
}

// TestExcessTails checks tails, to the last digits, against closed forms and
// asymptotic series.
func TestExcessTails(t *testing.T) {
	erlang := length(model.Gamma, 2, math.Sqrt2) // shape 2, scale 1
	for _, x := range []float64{0.01, 1, 3, 10, 40, 200, 600} {
		if got, want := erlang.Excess(x), math.Exp(-x)*(2+x); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("Erlang at %g: %.15g, want %.15g", x, got, want)
		}
	}
	// An integer shape is a sum of Poisson probabilities.
	const shape = 400
	large := length(model.Gamma, shape, math.Sqrt(shape))
	for _, x := range []float64{350, 400, 440, 470, 520, 700} {
		var q, last float64
		for i := range shape {
			lg, _ := math.Lgamma(float64(i) + 1)
			last = math.Exp(float64(i)*math.Log(x) - x - lg)
			q += last
		}
		want := (shape-x)*q + last*x
		if got := large.Excess(x); math.Abs(got-want) > 1e-9*want+1e-11*x*q {
			t.Errorf("shape %d at %g: %.15g, want %.15g", shape, x, got, want)
		}
	}
	// Normal numbers far above their mean: phi(z)/z^2 (1 - 3/z^2 + 15/z^4 - ...).
	normal := must(model.NewNormalAbove(20, 1, 0))
	z := 18.0
	want := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / (z * z) *
		(1 - 3/(z*z)*(1-5/(z*z)*(1-7/(z*z)*(1-9/(z*z)*(1-11/(z*z)*(1-13/(z*z)*(1-15/(z*z)*(1-17/(z*z)))))))))
	if got := normal.Excess(20 + z); math.Abs(got/want-1) > 1e-8 {
		t.Errorf("normal tail %g, want %g", got, want)
	}
}

// TestQuantilesOfGonum compares quantiles and distribution functions with those
// of gonum's distributions.
func TestQuantilesOfGonum(t *testing.T) {
	g := length(model.Gamma, 10, 5)
	l := length(model.LogNormal, 10, 5)
	s2 := math.Log1p(0.25)
	for _, c := range []struct {
		d    model.Distribution
		want interface {
			CDF(float64) float64
			Quantile(float64) float64
		}
	}{
		{g, distuv.Gamma{Alpha: 4, Beta: 0.4}},
		{l, distuv.LogNormal{Mu: math.Log(10) - s2/2, Sigma: math.Sqrt(s2)}},
		{length(model.Exponential, 10, 0), distuv.Exponential{Rate: 0.1}},
	} {
		for _, p := range []float64{1e-6, 0.01, 0.3, 0.5, 0.9, 0.999} {
			x := c.want.Quantile(p)
			if got := c.d.Quantile(p); math.Abs(got/x-1) > 1e-9 {
				t.Errorf("%s: quantile %g is %.12g, want %.12g", c.d, p, got, x)
			}
			if got, want := c.d.CDF(x), c.want.CDF(x); math.Abs(got-want) > 1e-14 {
				t.Errorf("%s: CDF(%g) is %.15g, want %.15g", c.d, x, got, want)
			}
		}
	}
}

// TestNormalAbove: draws by inversion are the numbers that the formula of
// inversion gives, exceed the limit, and have the distribution's shares above.
func TestNormalAbove(t *testing.T) {
	for _, c := range []struct{ mean, sd, limit float64 }{{2, 0.5, 1}, {8, 2, 1}, {1, 0.25, 1}, {0.5, 0.1, 1}, {3, 1, 0}, {0, 1, 0}, {1e-3, 2, 0}} {
		d := must(model.NewNormalAbove(c.mean, c.sd, c.limit))
		tail := math.Erfc((c.limit-c.mean)/(c.sd*math.Sqrt2)) / 2
		for _, u := range []float64{1e-16, 1e-7, 1e-3, 0.1, 0.5, 0.9, 0.999999, 1 - 1e-16} {
			got := d.Above(u)
			want := c.mean + c.sd*math.Sqrt2*math.Erfcinv(2*math.Max(u*tail, 1e-15))
			if want = math.Max(want, c.limit*(1+1e-12)); math.Abs(got-want) > 1e-13*math.Abs(want) {
				t.Errorf("%+v: Above(%g) is %.17g, want %.17g", c, u, got, want)
			}
			if got < c.limit || c.limit > 0 && got == c.limit {
				t.Errorf("%+v: Above(%g) is %g", c, u, got)
			}
			if u >= 1e-3 {
				if p := 1 - d.CDF(got); math.Abs(p-u) > 1e-6*u {
					t.Errorf("%+v: %.12g of all lie above %g, want %g", c, p, got, u)
				}
			}
		}
	}
	if d, err := model.NewNormalAbove(3, 0, 1); err != nil || d.Above(0.3) != 3 || d.Mean() != 3 {
		t.Errorf("without deviation: %v, %v", d, err)
	}
	for _, c := range [][3]float64{{1, 0, 1}, {0, 0.1, 1}, {1, -1, 0}, {math.NaN(), 1, 0}, {1, 1, -1}, {1, math.Inf(1), 0}} {
		if d, err := model.NewNormalAbove(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v was taken for %v", c, d)
		}
	}
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

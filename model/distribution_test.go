package model_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"revopt/model"
)

type distCase struct {
	kind          model.Kind
	mean, sd, min float64
	density       func(x float64) float64 // up to a factor; may be nil
	upper         float64                 // beyond which the density is negligible
}

// normalDensity returns the density, up to a factor, of a normal.
func normalDensity(mu, sigma float64) func(float64) float64 {
	return func(x float64) float64 { z := (x - mu) / sigma; return math.Exp(-z * z / 2) }
}

func distCases() []distCase {
	return []distCase{
		{kind: model.Exponential, mean: 3, sd: 3, density: func(x float64) float64 { return math.Exp(-x / 3) }, upper: 150},
		{kind: model.Deterministic, mean: 7},
		{kind: model.Gamma, mean: 4, sd: 2, density: func(x float64) float64 { return x * x * x * math.Exp(-x) }, upper: 80},
		{kind: model.Gamma, mean: 4400, sd: 6000},
		{kind: model.LogNormal, mean: 10, sd: 5},
		{kind: model.LogNormal, mean: 10, sd: 1},
		{kind: model.LogNormal, mean: 2, sd: 3},
		{kind: model.HyperExponential, mean: 5, sd: 12},
		{kind: model.Normal, mean: 4400, sd: 1500},
		{kind: model.Normal, mean: 7200, sd: 2400, min: 300},
		{kind: model.Normal, mean: 10, sd: 0.1},
		{kind: model.Normal, mean: 10, sd: 9.9},
		{kind: model.Normal, mean: 1, sd: 0.75, min: 0.2},
		{kind: model.Normal, mean: 5, sd: 0},
	}
}

// TestDistributions runs every family through one harness: the moments are
// the ones asked for, those of the draws and those of the transform.
func TestDistributions(t *testing.T) {
	for _, c := range distCases() {
		d := must(model.New(c.kind, c.mean, c.sd, c.min))
		t.Run(d.String(), func(t *testing.T) {
			checkMoments(t, d, c)
			checkDraws(t, d, c)
			checkTransform(t, d, c)
		})
	}
}

func checkMoments(t *testing.T, d model.Distribution, c distCase) {
	if got := d.Mean(); math.Abs(got-c.mean) > 1e-11*c.mean {
		t.Errorf("mean %.15g, want %g", got, c.mean)
	}
	if got := model.SD(d); math.Abs(got-c.sd) > 1e-7*c.mean {
		t.Errorf("sd %.15g, want %g", got, c.sd)
	}
	if got := d.Moment(0); math.Abs(got-1) > 1e-14 {
		t.Errorf("moment 0 is %g", got)
	}
}

func checkDraws(t *testing.T, d model.Distribution, c distCase) {
	const n = 50000
	rnd := rand.New(rand.NewPCG(1, 1))
	var sum [4]float64
	least := math.Inf(1)
	for range n {
		x := d.Rand(rnd)
		least = math.Min(least, x)
		for k, y := 1, x; k < 4; k, y = k+1, y*x {
			sum[k] += y
		}
	}
	if least < c.min {
		t.Errorf("drew %g, below the minimum %g", least, c.min)
	}
	for k := 1; k <= 3; k++ {
		want := d.Moment(k)
		noise := math.Sqrt(math.Max(0, d.Moment(2*k)-want*want) / n)
		if got := sum[k] / n; math.Abs(got-want) > 5*noise+1e-9*want {
			t.Errorf("moment %d of the draws is %.6g, want %.6g +- %.2g", k, got, want, noise)
		}
	}
}

// checkTransform holds the transform against the moments near 0, bounds it,
// and integrates the density where there is one.
func checkTransform(t *testing.T, d model.Distribution, c distCase) {
	if got := d.Transform(0); cmplx.Abs(got-1) > 1e-12 {
		t.Errorf("transform at 0 is %v", got)
	}
	h := complex(1e-4/c.mean, 0)
	series := 1 - h*complex(c.mean, 0) + h*h*complex(d.Moment(2)/2, 0) - h*h*h*complex(d.Moment(3)/6, 0)
	if got := d.Transform(h); cmplx.Abs(got-series) > 1e-12 {
		t.Errorf("transform near 0 is %.15g, its series gives %.15g", got, series)
	}
	for _, re := range []float64{0, 0.01, 1, 30} {
		for _, im := range []float64{0, 0.3, 2, 11, 150} {
			s := complex(re/c.mean, im/c.mean)
			got := d.Transform(s)
			if !(cmplx.Abs(got) <= 1+1e-9) {
				t.Errorf("transform at %v is %v, outside the unit circle", s, got)
			}
			if c.density == nil {
				continue
			}
			if want := integrate(c.density, s, c.upper); cmplx.Abs(got-want) > 2e-9 {
				t.Errorf("transform at %v is %.12g, the density gives %.12g", s, got, want)
			}
		}
	}
}

// integrate returns the transform of a density known up to a factor, by
// Simpson's rule.
func integrate(density func(float64) float64, s complex128, upper float64) complex128 {
	const n = 200000
	step := upper / n
	var sum complex128
	var mass float64
	for i := 0; i <= n; i++ {
		x := float64(i) * step
		w := 4.0
		if i%2 == 0 {
			w = 2
		}
		if i == 0 || i == n {
			w = 1
		}
		f := w * density(x)
		mass += f
		sum += complex(f, 0) * cmplx.Exp(-s*complex(x, 0))
	}
	return sum / complex(mass, 0)
}

// TestTruncatedNormalTransform integrates densities whose underlying
// parameters are known: the solver must find them back from the moments.
func TestTruncatedNormalTransform(t *testing.T) {
	for _, mu := range []float64{3, 1, 0, -2, 12} {
		density := normalDensity(mu, 1)
		var m [3]float64
		const n, upper = 200000, 25.0
		for i := 0; i < n; i++ {
			x := (float64(i) + 0.5) * upper / n
			f := density(x)
			m[0] += f
			m[1] += f * x
			m[2] += f * x * x
		}
		mean := m[1] / m[0]
		sd := math.Sqrt(m[2]/m[0] - mean*mean)
		d := must(model.New(model.Normal, mean, sd, 0))
		for _, s := range []complex128{0.5, 2 + 1i, 3i, 0.1 + 20i, 10} {
			if got, want := d.Transform(s), integrate(density, s, upper); cmplx.Abs(got-want) > 1e-7 {
				t.Errorf("mu %g: transform at %v is %.10g, the density gives %.10g", mu, s, got, want)
			}
		}
	}
}

// TestLogNormalTransform integrates exp(-s e^y) against the normal density of
// y, where it is smooth.
func TestLogNormalTransform(t *testing.T) {
	for _, sd := range []float64{0.3, 1, 3, 9} {
		const mean = 2.0
		s2 := math.Log1p(sd * sd / mean / mean)
		mu := math.Log(mean) - s2/2
		d := length(model.LogNormal, mean, sd)
		for _, s := range []complex128{0.01, 1, 20, 0.3i, 1 + 2i, 12i, 3 + 60i} {
			var sum complex128
			const n = 500000
			step := 18 * math.Sqrt(s2) / n
			for i := range n {
				y := mu - 9*math.Sqrt(s2) + (float64(i)+0.5)*step
				z := y - mu
				sum += cmplx.Exp(-s*complex(math.Exp(y), 0)) * complex(math.Exp(-z*z/2/s2), 0)
			}
			sum *= complex(step/math.Sqrt(2*math.Pi*s2), 0)
			if got := d.Transform(s); cmplx.Abs(got-sum) > 1e-9 {
				t.Errorf("sd %g: transform at %v is %.12g, the density gives %.12g", sd, s, got, sum)
			}
		}
	}
}

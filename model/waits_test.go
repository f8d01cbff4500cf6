package model_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"revopt/model"
)

func length(kind model.Kind, mean, sd float64) model.Distribution {
	return must(model.New(kind, mean, sd, 0))
}

// queueOf returns n servers offered classes that are more urgent the later
// they stand, each with an equal part of the load.
func queueOf(n, load float64, lengths ...model.Distribution) model.System {
	sys := model.System{Parallel: n, Residual: model.Pooled, Phi: 1}
	for i, d := range lengths {
		sys.Classes = append(sys.Classes, model.Class{
			Name: fmt.Sprint(i), Rate: load / float64(len(lengths)) * n / d.Mean(), Length: d,
			Decay: float64(i+1) * d.Mean(), Floor: model.Floor{None: true},
		})
	}
	return sys
}

func all(n int) []float64 {
	q := make([]float64, n)
	for i := range q {
		q[i] = 1
	}
	return q
}

func waits(t testing.TB, sys model.System, options model.WaitOptions) *model.Waits {
	t.Helper()
	return must(model.NewWaits(sys, all(len(sys.Classes)), options))
}

// check compares a tail with its true value, and the error it reports with the
// one it has.
func check(t *testing.T, w *model.Waits, class int, at, want, within float64) {
	t.Helper()
	p, _, err, _ := w.TailExcess(class, at)
	if off := math.Abs(p - want); off > within || off > err {
		t.Errorf("P(W > %g) = %.14g, want %.14g: off by %.1e, reported %.1e, allowed %.0e", at, p, want, off, err, within)
	}
}

// TestWaitsMM1 checks the tail of M/M/1 FCFS, rho exp(-(1-rho) t/b), and its
// excess, to 1e-10 up to load 0.999.
func TestWaitsMM1(t *testing.T) {
	for _, rho := range []float64{0.01, 0.3, 0.7, 0.95, 0.999} {
		w := waits(t, queueOf(4, rho, length(model.Exponential, 8, 8)), model.WaitOptions{})
		for _, x := range []float64{1e-9, 0.01, 0.3, 1, 3, 10, 40, 1e3, 1e6} {
			at := x * 2 / (1 - rho)
			want := rho * math.Exp(-(1-rho)*at/2)
			check(t, w, 0, at, want, 1e-10)
			_, excess, _, err := w.TailExcess(0, at)
			if off := math.Abs(excess - want*2/(1-rho)); off > 1e-10*w.Mean(0)/(1-rho) || off > err {
				t.Errorf("rho %g: E[(W-%g)+] is off by %.1e, reported %.1e", rho, at, off, err)
			}
		}
	}
}

// TestWaitsMH21 checks M/H2/1 against the partial fractions of its transform:
// the poles are the roots of s^2 + s (m1 + m2 - lambda) + m1 m2 (1-rho).
func TestWaitsMH21(t *testing.T) {
	const mean, sd, rho = 5.0, 12.0, 0.8
	c2 := sd * sd / (mean * mean)
	p := (1 + math.Sqrt((c2-1)/(c2+1))) / 2
	m1, m2, lambda := 2*p/mean, 2*(1-p)/mean, rho/mean
	b, c := m1+m2-lambda, m1*m2*(1-rho)
	r1, r2 := (b-math.Sqrt(b*b-4*c))/2, (b+math.Sqrt(b*b-4*c))/2
	// W*(s) = (1-rho)(s+m1)(s+m2)/((s+r1)(s+r2)).
	weight := func(r, other float64) float64 { return (1 - rho) * (m1 - r) * (m2 - r) / ((other - r) * r) }
	w := waits(t, queueOf(1, rho, length(model.HyperExponential, mean, sd)), model.WaitOptions{})
	for _, at := range []float64{0.01, 1, 7, 30, 100, 400} {
		check(t, w, 0, at, weight(r1, r2)*math.Exp(-r1*at)+weight(r2, r1)*math.Exp(-r2*at), 1e-10)
	}
}

// TestWaitsMD1 checks M/D/1 against Erlang's series, and the accuracy that is
// promised there: 1e-5 everywhere, 1e-6 off the kink at one length.
func TestWaitsMD1(t *testing.T) {
	for _, rho := range []float64{0.2, 0.5, 0.9} {
		w := waits(t, queueOf(1, rho, length(model.Deterministic, 1, 0)), model.WaitOptions{})
		for at := 0.05; at < 6; at += 0.05 {
			within := 1e-6
			if math.Abs(at-1) < 0.02 {
				within = 1.5e-5
			}
			check(t, w, 0, at, 1-erlangSeries(rho, at), within)
		}
	}
}

// erlangSeries returns P(W <= t) in M/D/1 with unit length (Erlang 1909).
func erlangSeries(rho, t float64) float64 {
	var sum float64
	for k := 0; float64(k) <= t; k++ {
		x := rho * (float64(k) - t)
		gamma, _ := math.Lgamma(float64(k) + 1)
		sum += math.Pow(x, float64(k)) * math.Exp(-x-gamma)
	}
	return (1 - rho) * sum
}

// TestWaitsLadder checks M/G/1 FCFS against the renewal equation of ladder
// heights, P(W > t) = rho S(t) + lambda int_0^t (1-F(u)) P(W > t-u) du with
// S(t) = int_t^inf (1-F)/b, solved on a grid and extrapolated.
func TestWaitsLadder(t *testing.T) {
	for _, c := range []struct {
		name    string
		length  model.Distribution
		density func(x float64) float64
		within  float64
	}{
		{"gamma, shape 4", length(model.Gamma, 1, 0.5), func(x float64) float64 { return x * x * x * math.Exp(-4*x) }, 1e-8},
		{"lognormal", length(model.LogNormal, 1, 0.5), func(x float64) float64 {
			s2 := math.Log(1.25)
			z := math.Log(x) + s2/2
			return math.Exp(-z*z/(2*s2)) / x
		}, 1e-8},
		// Truncated at -6.7 sd, a normal is as good as whole.
		{"normal", length(model.Normal, 1, 0.15), func(x float64) float64 { z := (x - 1) / 0.15; return math.Exp(-z * z / 2) }, 1e-8},
	} {
		const rho, end = 0.8, 8.0
		w := waits(t, queueOf(1, rho, c.length), model.WaitOptions{})
		coarse, fine := ladder(c.density, rho, end, 1000), ladder(c.density, rho, end, 2000)
		for _, share := range []float64{0.05, 0.125, 0.2, 0.5, 1} {
			a, b := coarse[int(1000*share)], fine[int(2000*share)]
			near(t, c.name, w, share*end, b+(b-a)/3, c.within)
		}
	}
}

// near compares a tail with a reference that has an error of its own.
func near(t *testing.T, name string, w *model.Waits, at, want, within float64) {
	t.Helper()
	if p, _, _, _ := w.TailExcess(0, at); math.Abs(p-want) > within {
		t.Errorf("%s: P(W > %g) = %.12g, want %.12g", name, at, p, want)
	}
}

// ladder solves the renewal equation by the trapezoidal rule, for a length with
// the given density, up to a factor, which is negligible beyond 20.
func ladder(density func(float64) float64, rho, end float64, cells int) []float64 {
	h := end / float64(cells)
	n := int(20 / h)
	tail := make([]float64, n+1) // 1 - F
	below := 0.0
	last := 0.0
	for i := 1; i <= n; i++ {
		x := h * float64(i)
		next := density(x)
		// Simpson on each cell.
		below += h / 6 * (last + 4*density(x-h/2) + next)
		tail[i], last = below, next
	}
	mean := 0.0
	for i := range tail {
		tail[i] = 1 - tail[i]/below
		if i > 0 {
			mean += h / 2 * (tail[i-1] + tail[i])
		}
	}
	rest := mean
	p := make([]float64, cells+1)
	lambda := rho / mean
	p[0] = rho
	for i := 1; i <= cells; i++ {
		rest -= h / 2 * (tail[i-1] + tail[i])
		sum := tail[i] * p[0] / 2
		for j := 1; j < i; j++ {
			sum += tail[j] * p[i-j]
		}
		p[i] = (lambda*rest + lambda*h*sum) / (1 - lambda*h*tail[0]/2)
	}
	return p
}

// TestWaitsPriority checks the low class of M/M/1 with two priorities against
// the density of a delay cycle, by the ballot theorem (Takacs 1967): the work
// x that a job finds is cleared at t while urgent work comes with probability
// (x/t) times the density of urgent work t-x in t.
func TestWaitsPriority(t *testing.T) {
	const rho, high = 0.8, 0.4 // of one mean, 1
	w := waits(t, queueOf(1, rho, length(model.Exponential, 1, 1), length(model.Exponential, 1, 1)), model.WaitOptions{})
	found := func(x float64) float64 { return rho * (1 - rho) * math.Exp(-(1-rho)*x) }
	// urgent is the density of compound Poisson work y > 0 in t.
	urgent := func(y, t float64) float64 {
		sum, term := 0.0, high*t*math.Exp(-high*t-y)
		for n := 1.0; n < 400 && term > 1e-18*sum; n++ {
			sum += term
			term *= high * t * y / (n * (n + 1))
		}
		return sum
	}
	density := func(t float64) float64 {
		const cells = 600
		sum := 0.0
		for i := 1; i < cells; i++ {
			x := t * float64(i) / cells
			weight := 2 + 2*float64(i%2)
			sum += weight * found(x) * x / t * urgent(t-x, t)
		}
		// The end x = t, where urgent(0) = high t exp(-high t).
		sum += found(t) * high * t * math.Exp(-high*t)
		return sum*t/cells/3 + found(t)*math.Exp(-high*t)
	}
	const cells = 400
	for _, at := range []float64{0.5, 2, 6, 15} {
		below := 1 - rho
		h := at / cells
		for i := range cells + 1 {
			weight := 2 + 2*float64(i%2)
			f := found(0)
			if i > 0 {
				f = density(h * float64(i))
			}
			if i == 0 || i == cells {
				weight = 1
			}
			below += weight * h / 3 * f
		}
		near(t, "low class", w, at, 1-below, 1e-8)
	}
}

// TestBusyPeriod compares the busy period of M/M/1 with its closed form, and
// others with their equation, in heavy traffic and in the complex plane.
func TestBusyPeriod(t *testing.T) {
	for _, rho := range []float64{0.1, 0.9, 0.999} {
		for _, re := range []float64{0, 1e-9, 1e-3, 1, 50} {
			for _, im := range []float64{0, 1e-6, 0.01, 1, 30} {
				s := complex(re, im)
				root := cmplx.Sqrt((complex(1+rho, 0)+s)*(complex(1+rho, 0)+s) - complex(4*rho, 0))
				want := 2 / (complex(1+rho, 0) + s + root)
				if got := model.BusyPeriod(s, []float64{rho}, []model.Distribution{length(model.Exponential, 1, 1)}); cmplx.Abs(got-want) > 1e-13/(1-rho) {
					t.Errorf("rho %g: G(%v) = %v, want %v", rho, s, got, want)
				}
				a := []float64{rho / 3, rho / 6, rho / 9}
				lengths := []model.Distribution{length(model.Normal, 1, 0.3), length(model.Deterministic, 2, 0), length(model.LogNormal, 3, 4)}
				g := model.BusyPeriod(s, a, lengths)
				var again complex128
				eta, sum := s, a[0]+a[1]+a[2]
				eta += complex(sum, 0) * (1 - g)
				for i, d := range lengths {
					again += complex(a[i]/sum, 0) * d.Transform(eta)
				}
				if cmplx.Abs(g) > 1+1e-12 || cmplx.Abs(g-again) > 1e-11 {
					t.Errorf("rho %g: G(%v) = %v is not a root: %v", rho, s, g, again)
				}
			}
		}
	}
	if g := model.BusyPeriod(2, []float64{0}, []model.Distribution{length(model.Gamma, 1, 1)}); g != 1 {
		t.Errorf("without arrivals G = %v", g)
	}
}

package model

import "math"

// inversion inverts Laplace transforms of functions f on t > 0 numerically by
// the Fourier series method with Euler summation (Abate & Whitt 1995; the
// parameter l of Choudhury, Lucantoni & Whitt 1994):
//
//	f(t) = e^{A/2l}/(2lt) { F(A/2lt) + 2 sum_{j>=1} Re[ F((A + 2 pi i j)/2lt) e^{i pi j/l} ] } - e,
//
// whose error e = sum_{k>=1} e^{-kA} f((1+2kl) t) is at most
// sup f e^{-A}/(1 - e^{-A}), and whose rounding is magnified by e^{A/2l}. The
// terms, gathered by l, alternate; the series is summed by the binomial
// average of its partial sums (Euler).
//
// The number of terms is doubled until two results agree. For smooth f 16 and 32 suffice.
// If f has a kink the sum converges slowly, and the difference between the last two
// results is as large as the error; twice the difference is reported.
type inversion struct {
	alias     float64 // A
	l         int
	average   int     // partial sums averaged, less 1
	first     int     // terms before the average, in groups of l
	most      int     // likewise, at most
	tolerance float64 // difference of two results, relative to the scale, to stop at
	loose     float64 // likewise from 16 times the first terms on: f is not smooth
}

// accurate is for results that are reported, quick for searches.
func accurate() inversion {
	return inversion{alias: 28, l: 2, average: 14, first: 16, most: 2048, tolerance: 2e-12, loose: 1e-8}
}

func quick() inversion {
	return inversion{alias: 21, l: 1, average: 11, first: 12, most: 192, tolerance: 1e-8, loose: 1e-7}
}

// invert sets value to the functions with the transforms f at time t > 0, and err to
// their errors. scale[i] bounds function i, +Inf if its error does not matter, and noise
// is the relative error of the transforms. It stops once the first len(scale) functions
// are within tolerance; err is theirs.
func (v inversion) invert(
	t float64, f func(s complex128, dst []complex128), value, err, scale []float64, noise float64,
) {
	n, m := len(value), v.average
	terms := make([]complex128, n)
	sums := make([]float64, n)
	partial := make([]float64, (m+1)*n) // the last m+1 partial sums, in a ring
	older := make([]float64, n)         // the result with half the terms
	drift := make([]float64, len(scale))
	weights := binomial(m)
	l := float64(v.l)
	re, step := v.alias/(2*l*t), math.Pi/(l*t)
	front := math.Exp(v.alias/(2*l)) / (l * t)

	f(complex(re, 0), terms)
	for i, x := range terms {
		sums[i] = front * real(x) / 2
	}
	next := v.first
	for k := 0; ; k++ {
		for j := 1; j <= v.l; j++ {
			at := k*v.l + j
			f(complex(re, float64(at)*step), terms)
			sin, cos := math.Sincos(math.Pi * float64(at%(2*v.l)) / l)
			for i, x := range terms {
				sums[i] += front * (real(x)*cos - imag(x)*sin)
			}
		}
		copy(partial[k%(m+1)*n:], sums)
		if k < next+m {
			continue
		}
		clear(value)
		for i, w := range weights {
			for c, x := range partial[(k+1+i)%(m+1)*n:][:n] {
				value[c] += w * x
			}
		}
		if next > v.first && v.settled(value, older, drift, scale, next) || next >= v.most {
			break
		}
		copy(older, value)
		next *= 2
	}
	a := math.Exp(-v.alias)
	for i, s := range scale {
		err[i] = 2*drift[i] + s*(a/(1-a)+noise*math.Exp(v.alias/(2*l)))
	}
}

// settled updates drift, the distance of the last two results, and reports whether it is
// small. At a kink results converge slowly and may agree by chance, so a drift counts for
// two rounds.
func (v inversion) settled(value, older, drift, scale []float64, terms int) bool {
	ok, tolerance := true, v.tolerance
	if terms >= 16*v.first {
		tolerance = v.loose
	}
	for i, s := range scale {
		drift[i] = math.Max(math.Abs(value[i]-older[i]), drift[i]/4)
		ok = ok && drift[i] <= tolerance*s
	}
	return ok
}

// binomial returns the weights C(m, i)/2^m.
func binomial(m int) []float64 {
	w := make([]float64, m+1)
	w[0] = math.Pow(0.5, float64(m))
	for i := 1; i <= m; i++ {
		w[i] = w[i-1] * float64(m-i+1) / float64(i)
	}
	return w
}

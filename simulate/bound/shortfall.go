package bound

import (
	"math"

	"revopt/model"
)

// shortfall returns E[(k - X)^+] for k >= 0, plus an estimate of its error.
//
// As a function of k it has the Laplace transform E[exp(-s X)]/s^2, which is
// inverted by the Fourier series method with Euler summation (Abate and Whitt
// 1995):
//
//	f(k) = e^{A/2}/k { F(A/2k)/2 + sum_{i>=1} (-1)^i Re F((A + 2 pi i j)/2k) }
//
// whose discretisation error is about 3k e^{-A} here. The number of terms is
// doubled until two sums agree.
//
// Special cases: a length without variance has (k - mean)^+.
func shortfall(d model.Distribution, k float64) float64 {
	const (
		alias = 24.0
		first = 32
		most  = 1 << 13
		close = 1e-10 // of k
	)
	mean := d.Mean()
	least := math.Max(0, k-mean)
	if k <= 0 || d.Moment(2)-mean*mean <= 1e-12*mean*mean {
		return least
	}
	term := func(i int) float64 {
		s := complex(alias/(2*k), float64(i)*math.Pi/k)
		v := real(d.Transform(s) / (s * s))
		if i%2 == 1 {
			return -v
		}
		return v
	}
	sum, older, drift := term(0)/2, math.NaN(), k
	i := 0
	for n := first; n <= most; n *= 2 {
		for ; i < n; i++ {
			sum += term(i + 1)
		}
		value := math.Exp(alias/2) / k * euler(sum, i, term)
		drift = math.Abs(value - older)
		older = value
		if drift <= close*k {
			break
		}
	}
	if math.IsNaN(drift) {
		drift = k
	}
	return math.Min(math.Max(older+2*drift+2*close*k, least), k)
}

// euler returns the binomial average of the partial sums of an alternating
// series from term n on.
func euler(sum float64, n int, term func(int) float64) float64 {
	const order = 12
	weight := math.Pow(0.5, order)
	average := 0.0
	for i := 0; i <= order; i++ {
		average += weight * sum
		weight *= float64(order-i) / float64(i+1)
		sum += term(n + i + 1)
	}
	return average
}

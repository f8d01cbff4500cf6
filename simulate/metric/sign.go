package metric

import "math"

// SignRisk returns the risk of the sign test (Arbuthnott 1710) against chance: with which probability an event of
// probability 1/2 happens as unequally often in n independent trials as k times, or more so:
//
//	min(1, 2 sum over i from 0 to min(k, n-k) of C(n, i) / 2^n).
//
// It asks nothing of the distribution behind the event, so that it holds for gains that a few trials decide.
func SignRisk(k, n int) float64 {
	few := min(k, n-k)
	if few < 0 || 2*few == n {
		return 1
	}
	log := func(x int) float64 {
		y, _ := math.Lgamma(float64(x) + 1)
		return y
	}
	sum := 0.0
	for i := range few + 1 {
		sum += math.Exp(log(n) - log(i) - log(n-i) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

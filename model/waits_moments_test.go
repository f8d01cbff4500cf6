package model_test

import (
	"math"
	"testing"

	"revopt/model"
)

// mixes are queues of several classes with unlike lengths.
func mixes() map[string]model.System {
	return map[string]model.System{
		"exponential":   queueOf(1, 0.9, length(model.Exponential, 1, 1), length(model.Exponential, 3, 3), length(model.Exponential, 0.2, 1)),
		"gamma":         queueOf(7, 0.8, length(model.Gamma, 1, 0.4), length(model.Gamma, 2, 3)),
		"normal":        queueOf(25, 0.95, length(model.Normal, 4400, 1500), length(model.Normal, 7200, 2400), length(model.Normal, 100, 90), length(model.Normal, 4400, 1500)),
		"deterministic": queueOf(2, 0.7, length(model.Deterministic, 1, 0), length(model.Deterministic, 2.5, 0)),
		"heavy traffic": queueOf(3, 0.999, length(model.HyperExponential, 5, 12), length(model.LogNormal, 2, 2), length(model.Gamma, 3, 1)),
		"five":          queueOf(1, 0.6, length(model.Normal, 1, 0.3), length(model.Exponential, 1, 1), length(model.HyperExponential, 1, 2), length(model.Gamma, 1, 0.2), length(model.Deterministic, 1, 0)),
	}
}

// TestWaitMoments holds the first moment against (16) and the second against
// the known formula (Takagi 1991, section 3.2; Kella & Yechiali 1988): with
// m_j = sum lambda_i E[X_i^j] over all classes and over those from k, or above,
//
//	E[W^2] = m_3/(3 d d'^2) + m_2 m_2(>=k)/(2 d^2 d'^2) + m_2 m_2(>k)/(2 d d'^3).
func TestWaitMoments(t *testing.T) {
	for name, sys := range mixes() {
		w := waits(t, sys, model.WaitOptions{})
		h := hol(t, sys)
		means := h.Waits(make([]float64, h.Len()), all(h.Len()))
		sum := func(power, from int) (total float64) {
			for _, c := range sys.Classes[from:] { // in the order of service
				total += c.Rate * c.Length.Moment(power) / math.Pow(sys.Parallel, float64(power))
			}
			return total
		}
		for k := range sys.Classes {
			d, above := 1-sum(1, k), 1-sum(1, k+1)
			second := sum(3, 0)/(3*d*above*above) + sum(2, 0)*sum(2, k)/(2*d*d*above*above) + sum(2, 0)*sum(2, k+1)/(2*d*above*above*above)
			if got := w.Mean(k); math.Abs(got-means[k]) > 1e-9*means[k] {
				t.Errorf("%s, class %d: mean %.14g, want %.14g", name, k, got, means[k])
			}
			if got := w.Moment(k, 2); math.Abs(got-second) > 1e-9*second {
				t.Errorf("%s, class %d: second moment %.14g, want %.14g", name, k, got, second)
			}
		}
	}
}

// TestThirdMoment integrates the tail: E[W^3] = 3 int t^2 P(W > t) dt.
func TestThirdMoment(t *testing.T) {
	sys := queueOf(2, 0.7, length(model.Gamma, 1, 0.4), length(model.Exponential, 2, 2))
	w := waits(t, sys, model.WaitOptions{})
	for k := range sys.Classes {
		const cells = 400
		h := 60 * w.Mean(k) / cells
		var sum float64
		for i := 1; i <= cells; i++ {
			at := h * float64(i)
			p, _, _, _ := w.TailExcess(k, at)
			weight := 2 + 2*float64(i%2)
			sum += weight * h / 3 * 3 * at * at * p
		}
		if got := w.Moment(k, 3); math.Abs(got-sum) > 1e-4*sum {
			t.Errorf("class %d: third moment %.10g, the tail gives %.10g", k, got, sum)
		}
	}
}

//go:build long

package policy_test

import (
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// section51 are the settings of Yeo and Buyya (2005), section 5.1, with the
// means that reproduce its text.
func section51() model.QoS {
	seven := model.Spread{LowMean: 2, Ratio: 7, SD: 0.5}
	return model.QoS{
		HighUrgency: 0.2, Deadline: seven, Budget: seven,
		Penalty: model.Spread{LowMean: 0.02, Ratio: 4, SD: 0.5}, Hard: [2]float64{model.HighUrgency: 1},
	}
}

// gain is by how much LibraSLA is ahead of Libra, in per cent.
type gain struct {
	jobs, utility float64
}

// gainOn compares LibraSLA with the Libra of Yeo and Buyya (2005), best fit and
// no spare, over arrival delay factors and seeds.
func gainOn(t *testing.T, trace *workload.Trace, seeds int, delays []float64, qos model.QoS) gain {
	t.Helper()
	terms := policy.DefaultLibra()
	terms.Spare = policy.None
	var jobs, utility [2]float64
	for _, delay := range delays {
		for i, fresh := range []func() simulate.Policy{
			func() simulate.Policy { return policy.NewLibraSLA(policy.SLATerms{}) },
			func() simulate.Policy { return policy.NewLibra(terms) },
		} {
			for _, sum := range onSeeds(t, seeds, trace, delay, qos, fresh) {
				jobs[i] += float64(sum.Completed)
				utility[i] += sum.Value
			}
		}
	}
	return gain{100 * (jobs[0]/jobs[1] - 1), 100 * (utility[0]/utility[1] - 1)}
}

// TestLibraSLAGains checks the directions of Yeo and Buyya (2005), section 5: LibraSLA
// gains more over Libra with fewer hard deadlines, larger budgets and smaller
// penalties.
func TestLibraSLAGains(t *testing.T) {
	const seeds = 10
	delays := []float64{0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04}
	trace := sp2Last(t, 1000, workload.Reject)
	with := func(name string, change func(*model.QoS)) gain {
		qos := section51()
		change(&qos)
		g := gainOn(t, trace, seeds, delays, qos)
		t.Logf("%s: %+.1f %% jobs, %+.1f %% utility", name, g.jobs, g.utility)
		return g
	}
	rises := func(what string, gains ...gain) {
		for i := range gains[1:] {
			if !(gains[i].jobs < gains[i+1].jobs && gains[i].utility < gains[i+1].utility) {
				t.Errorf("%s: gains %+.1f", what, gains)
			}
		}
	}
	base := with("20 % hard", func(*model.QoS) {})
	if base.jobs <= 0 || base.utility <= 0 {
		t.Errorf("LibraSLA is not ahead of Libra: %+v", base)
	}
	rises("80 % to 20 % hard deadlines", with("80 % hard", func(q *model.QoS) { q.HighUrgency = 0.8 }), base)
	rises("budget factor 1 to 3", base,
		with("budget factor 2", func(q *model.QoS) { q.Budget.LowMean *= 2 }),
		with("budget factor 3", func(q *model.QoS) { q.Budget.LowMean *= 3 }))
	rises("penalty factor 3 to 1",
		with("penalty factor 3", func(q *model.QoS) { q.Penalty.LowMean *= 3 }),
		with("penalty factor 2", func(q *model.QoS) { q.Penalty.LowMean *= 2 }), base)
}

package run

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
)

// Admissions that the model knows are those of every pool, and on the same jobs two pools
// earn what two machines earn.
func TestAdmissionsOfPools(t *testing.T) {
	whole, alone := fixture.TwoPools(rand.New(rand.NewPCG(30, 3)), "multiserver", "exponential")
	all := fixture.Opened(t, whole)
	parts, err := all.Pools()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{scenario.AdmitAnalytic, analytic.ControlThreshold, analytic.ControlState} {
		admitted := func(s *subject.Subject) Gate {
			policies, err := s.Policies()
			if err != nil {
				t.Fatal(err)
			}
			got, err := (&Models{Subject: s, Seed: 1}).Compute(context.Background(), name, policies[0])
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		earns := func(s *subject.Subject, a Gate) float64 {
			e := under(t, s.Workload, "hol", nil, nil, 1)
			e.Admission = a
			sample, err := e.Run(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			return sample.Total.Revenue
		}
		got := admitted(all)
		var sum float64
		for i, text := range alone {
			one := admitted(fixture.Opened(t, text))
			for k := range 2 {
				if name == scenario.AdmitAnalytic && got.Admit[i+2*k] != one.Admit[k] {
					t.Errorf("%s: pool %d admits %v, alone %v", name, i, got.Admit, one.Admit)
				}
				if rule := got.Thresholds(all.Names()); rule != nil {
					if bad := fixture.Alike(rule[i+2*k], one.Thresholds(make([]string, 2))[k]); strings.Contains(bad, "Waiting") {
						t.Errorf("%s: pool %d%s", name, i, bad)
					}
				}
			}
			sum += earns(parts[i], one)
		}
		if money := earns(all, got); math.Abs(money-sum) > 1e-9*sum || !(sum > 0) {
			t.Errorf("%s earns %v $, alone %v", name, money, sum)
		}
	}
}

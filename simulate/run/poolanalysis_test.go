package run

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/subject"
)

// The analytic admission is that of every pool, and on the same jobs two pools earn what two machines earn.
func TestAdmissionsOfPools(t *testing.T) {
	whole, alone := fixture.TwoPools(rand.New(rand.NewPCG(30, 3)), "multiserver", "exponential")
	all := fixture.Opened(t, whole)
	parts, err := all.Pools()
	if err != nil {
		t.Fatal(err)
	}
	admitted := func(s *subject.Subject) []float64 {
		admit, err := (&Models{Subject: s, Seed: 1}).Analytic(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return admit
	}
	earns := func(s *subject.Subject, admit []float64) float64 {
		e := under(t, s.Workload, "hol", nil, admit, 1)
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
			if got[i+2*k] != one[k] {
				t.Errorf("pool %d admits %v, alone %v", i, got, one)
			}
		}
		sum += earns(parts[i], one)
	}
	if money := earns(all, got); math.Abs(money-sum) > 1e-9*sum || !(sum > 0) {
		t.Errorf("they earn %v $, alone %v", money, sum)
	}
}

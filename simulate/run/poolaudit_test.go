package run

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// TestNoPoolExceedsItsUnits audits random workloads with pools: traces and classes, with
// overflow in chains and circles, jobs for several pools and jobs for none. In all columns
// every submitted job has one fate.
func TestNoPoolExceedsItsUnits(t *testing.T) { auditPools(t, 1, 1000) }

func auditPools(t *testing.T, seed uint64, workloads int) {
	rnd := rand.New(rand.NewPCG(31, seed))
	moved, several, none := 0, 0, int64(0)
	for n := range workloads {
		w := randomPools(t, rnd, n%2 == 0, true)
		var p subject.Policy
		for p = someOptions(rnd, subject.Standard()[rnd.IntN(len(subject.Standard()))]); p.Spec.Check(w.Has()) != nil; {
			p = someOptions(rnd, subject.Standard()[rnd.IntN(len(subject.Standard()))])
		}
		e := &Experiment{Workload: w, Policy: p, Seed: uint64(n)}
		if rnd.IntN(3) == 0 {
			for range w.Customers() {
				e.Admission.Admit = append(e.Admission.Admit, rnd.Float64())
			}
		}
		if e.Check() != nil {
			e.Admission.Admit = nil
		}
		var audit simulate.Audit
		seen := &traffic{}
		s, err := e.Run(context.Background(), 0, &audit, seen)
		if err != nil || audit.Err() != nil {
			t.Fatalf("workload %d under %s: %v, %v", n, p.Label(), err, audit.Err())
		}
		moved, several, none = moved+seen.moved, several+seen.several, none+s.Total.Reasons[simulate.NoPool]
		for i, sum := range append(s.Customers, s.Total) {
			ended := sum.Rejected + sum.GivenUp + sum.Expired + sum.Killed + sum.Completed
			if sum.Submitted != ended || sum.Admitted < sum.Started {
				t.Fatalf("workload %d under %s: column %d has %+v", n, p.Label(), i, sum)
			}
		}
		var pools metric.Sum
		for i := range w.Pools().List {
			c := s.Customers[len(w.Pools().Customers)+i]
			pools.Submitted += c.Submitted
		}
		if pools.Submitted != s.Total.Submitted-s.Total.Reasons[simulate.NoPool] {
			t.Fatalf("workload %d: %d jobs in pools of %d", n, pools.Submitted, s.Total.Submitted)
		}
	}
	t.Logf("%d moves, %d jobs for several pools, %d for none", moved, several, none)
	if moved == 0 || several == 0 || none == 0 {
		t.Error("not all kinds of jobs were seen")
	}
}

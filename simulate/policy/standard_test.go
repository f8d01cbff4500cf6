package policy_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
)

// conduct runs jobs under a standard policy on so many sites of eight
// processors, under audit, and returns how they ended.
func conduct(t *testing.T, spec policy.Spec, sites int, jobs []simulate.Job, admission simulate.Admission, charging simulate.Charging, others ...simulate.Observer) []policytest.Ending {
	t.Helper()
	policies, broker, err := spec.Build(nil, policy.Sites(make([]int, sites)...))
	if err != nil {
		t.Fatal(err)
	}
	cfg := simulate.Config{Router: broker, Admission: admission, Charging: charging, Observers: others}
	if broker != nil && admission != nil {
		cfg.Router, cfg.Admission = &agent.Gate{Router: broker, Admission: admission}, nil
	}
	for _, p := range policies {
		cfg.Sites = append(cfg.Sites, simulate.Site{Processors: 8, Policy: p})
	}
	return policytest.Audited(t, cfg, jobs)
}

// everywhere calls f for every standard policy, on one site and, where there is
// a broker, on three.
func everywhere(t *testing.T, f func(t *testing.T, spec policy.Spec, sites int)) {
	for _, spec := range catalog.Standard() {
		for _, sites := range []int{1, 3} {
			if sites == 1 || spec.Grid {
				t.Run(fmt.Sprintf("%s on %d", spec.Name, sites), func(t *testing.T) { f(t, spec, sites) })
			}
		}
	}
}

// TestLotteryBeforeEveryPolicy: admission by lot does the same as leaving the
// jobs that are refused out of the workload, whatever the policy.
func TestLotteryBeforeEveryPolicy(t *testing.T) {
	share := agent.Lottery{0.3, 1, 0}
	everywhere(t, func(t *testing.T, spec policy.Spec, sites int) {
		jobs := policytest.Assorted(rand.New(rand.NewPCG(1, 7)), 3000, 60)
		var in []simulate.Job
		for _, j := range jobs {
			if j.Chance < share[j.Class] {
				in = append(in, j)
			}
		}
		want := conduct(t, spec, sites, in, nil, simulate.ByPolicy)
		var submitted, admitted [3]float64
		for i, got := range conduct(t, spec, sites, jobs, share, simulate.ByPolicy) {
			j := jobs[i]
			submitted[j.Class]++
			if j.Chance >= share[j.Class] {
				if got.Kind != simulate.Rejected || got.Reason != simulate.Refused || got.Admitted || got.Revenue != 0 || got.At != j.Submit {
					t.Fatalf("job %d: %+v, want it refused", i, got)
				}
				continue
			}
			admitted[j.Class]++
			if got.Reason == simulate.Refused || got != want[0] {
				t.Fatalf("job %d: %+v, without those refused %+v", i, got, want[0])
			}
			want = want[1:]
		}
		for class, q := range share {
			if got := admitted[class] / submitted[class]; math.Abs(got-q) > 4*math.Sqrt(q*(1-q)/submitted[class]) {
				t.Errorf("class %d: a share of %g is let in, want %g", class, got, q)
			}
		}
	})
}

// TestRefusedByQueue: an admission that refuses jobs while six wait sees as many waiting jobs as an observer, under
// every policy.
func TestRefusedByQueue(t *testing.T) {
	everywhere(t, func(t *testing.T, spec policy.Spec, sites int) {
		jobs := policytest.Assorted(rand.New(rand.NewPCG(2, 7)), 2000, 20)
		seen := new(policytest.Endings)
		var asked []bool // whether a job is to be let in
		check := agent.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
			waiting := 0
			for _, c := range sites {
				waiting += c.Waiting()
			}
			if waiting != seen.Waiting {
				t.Fatalf("job %d: %d jobs wait, %d were seen", j.ID, waiting, seen.Waiting)
			}
			asked = append(asked, waiting < 6)
			return waiting < 6
		})
		for i, got := range conduct(t, spec, sites, jobs, check, simulate.ByPolicy, seen) {
			if (got.Reason == simulate.Refused) == asked[i] {
				t.Fatalf("job %d: %+v, to be let in: %t", i, got, asked[i])
			}
		}
	})
}

// TestEveryPolicyPaysValue: where jobs pay their value, a job that ends pays
// Value.At(response) whatever the policy charges, one that is rejected nothing,
// and none is rejected for its budget; a job in pieces pays what it is charged.
func TestEveryPolicyPaysValue(t *testing.T) {
	everywhere(t, func(t *testing.T, spec policy.Spec, sites int) {
		jobs := policytest.Assorted(rand.New(rand.NewPCG(3, 7)), 1500, 40)
		late, completed := 0, 0
		charged := conduct(t, spec, sites, jobs, nil, simulate.ByPolicy)
		for i, got := range conduct(t, spec, sites, jobs, nil, simulate.ByValue) {
			j := &jobs[i]
			switch {
			case got.Kind == simulate.Rejected && (got.Revenue != 0 || got.Reason == simulate.Budget):
				t.Fatalf("job %d: %+v", i, got)
			case got.Kind != simulate.Completed:
				continue
			case spec.Needs.Optional:
				if got != charged[i] {
					t.Fatalf("job %d, in pieces: %+v, where the policy charges %+v", i, got, charged[i])
				}
				continue
			}
			completed++
			if got.At-j.Submit > j.Value.Due {
				late++
			}
			want := j.Value.At(got.At - j.Submit)
			if math.Abs(got.At-j.Submit-j.Value.Due) < 1e-7*j.Value.Due {
				want = j.Value.Price // in time but for rounding
			}
			if math.Abs(got.Revenue-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("job %d pays %g, ends after %g: worth %g of %+v", i, got.Revenue, got.At-j.Submit, want, j.Value)
			}
		}
		if !spec.Needs.Optional && (completed < 300 || late == 0) {
			t.Errorf("%d jobs ended, %d of them late", completed, late)
		}
	})
}

// TestEveryPolicyLetsJobsGiveUp: a job that still waits at its time of expiry
// leaves then and, where jobs pay their value, costs its floor.
func TestEveryPolicyLetsJobsGiveUp(t *testing.T) {
	everywhere(t, func(t *testing.T, spec policy.Spec, sites int) {
		rnd := rand.New(rand.NewPCG(4, 7))
		jobs := policytest.Patient(rnd, policytest.Assorted(rnd, 3000, 15/float64(sites)))
		for _, charging := range []simulate.Charging{simulate.ByPolicy, simulate.ByValue} {
			gone := 0
			for i, got := range conduct(t, spec, sites, jobs, nil, charging) {
				j := &jobs[i]
				if got.WasAccepted && j.Expire > 0 && got.Start >= j.Expire {
					t.Fatalf("job %d, of which %g was the last moment, starts at %g", i, j.Expire, got.Start)
				}
				if got.Kind != simulate.Expired {
					continue
				}
				if !got.WasAccepted { // else it was preempted and given up
					gone++
				}
				want := 0.0
				if charging == simulate.ByValue {
					want = -j.Value.Floor
				}
				if got.At != j.Expire && !got.WasAccepted || got.Revenue != want || !got.Admitted {
					t.Fatalf("job %d, which gives up at %g: %+v, want it to pay %g", i, j.Expire, got, want)
				}
			}
			// Under the Libras no job waits.
			if waits := !strings.HasPrefix(spec.Name, "libra"); waits != (gone > 10) {
				t.Errorf("charging %d: %d jobs gave up", charging, gone)
			}
		}
	})
}

package policy_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
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

// under runs jobs on so many processors, or on machines, under audit.
func under(t *testing.T, p simulate.Policy, processors int, jobs []simulate.Job, machines ...simulate.Machine) []policytest.Ending {
	t.Helper()
	return policytest.Audited(t, simulate.Config{Sites: []simulate.Site{{Processors: processors, Policy: p, Machines: machines}}}, jobs)
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

// TestThresholdsBeforeEveryPolicy: a class is refused while as many jobs wait as
// its threshold says, by the count of an observer, and by lot otherwise.
func TestThresholdsBeforeEveryPolicy(t *testing.T) {
	limits := agent.Thresholds{Share: []float64{0.5, 1, 1}, Waiting: []int{3, 6, -1}}
	everywhere(t, func(t *testing.T, spec policy.Spec, sites int) {
		jobs := policytest.Assorted(rand.New(rand.NewPCG(2, 7)), 2000, 20)
		seen := new(policytest.Endings)
		var asked []bool // whether a job is to be let in
		check := agent.AdmitFunc(func(j *simulate.Job, sites []*simulate.Cluster) bool {
			waiting, byClass := 0, [80]int{}
			for _, c := range sites {
				waiting += c.Waiting()
				for class := range byClass {
					byClass[class] += c.WaitingOf(class)
				}
			}
			if waiting != seen.Waiting || byClass != seen.ByClass {
				t.Fatalf("job %d: %d jobs wait, %v by class, %d and %v were seen", j.ID, waiting, byClass, seen.Waiting, seen.ByClass)
			}
			most := limits.Waiting[j.Class]
			asked = append(asked, (most < 0 || waiting < most) && j.Chance < limits.Share[j.Class])
			if got := limits.Admit(j, sites); got != asked[len(asked)-1] {
				t.Fatalf("job %d of class %d: let in is %t while %d wait", j.ID, j.Class, got, waiting)
			}
			return limits.Admit(j, sites)
		})
		for i, got := range conduct(t, spec, sites, jobs, check, simulate.ByPolicy, seen) {
			if (got.Reason == simulate.Refused) == asked[i] {
				t.Fatalf("job %d: %+v, to be let in: %t", i, got, asked[i])
			}
		}
	})
	if j := (&simulate.Job{Chance: 0.4}); !(agent.Thresholds{}).Admit(j, nil) || !(agent.Thresholds{Share: []float64{0.5}}).Admit(j, nil) || (agent.Thresholds{Share: []float64{0.4}}).Admit(j, nil) {
		t.Error("without limits the lot decides, and without shares nothing does")
	}
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
			// Under the Libras no job waits, and las soon starts each job.
			if waits := !strings.HasPrefix(spec.Name, "libra") && spec.Name != "las"; waits != (gone > 10) {
				t.Errorf("charging %d: %d jobs gave up", charging, gone)
			}
		}
	})
}

// TestNoAllocationPerExpiry compares a run in which many jobs give up with one
// five times as long.
func TestNoAllocationPerExpiry(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 7))
	jobs := policytest.Patient(rnd, policytest.Assorted(rnd, 40_000, 15))
	for _, name := range []string{"hol", "fcfs", "easy", "fcfs-bf", "sjf-bf", "edf-bf", "conservative"} {
		for i := range jobs {
			jobs[i].Spec.Imprecise = nil
			if math.IsInf(jobs[i].Expire, 1) || jobs[i].Expire == 0 {
				jobs[i].Expire = jobs[i].Submit + 300
			}
		}
		count := func(n int) (objects, bytes uint64) {
			source := policytest.Given(jobs[:n])
			cfg := simulate.Config{
				Source: &source, Charging: simulate.ByValue, Admission: agent.Thresholds{Waiting: []int{-1, 50, 50}},
				Sites: []simulate.Site{{Processors: 8, Policy: policytest.ByName(t, name, nil)}},
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			policytest.Must(simulate.Run(context.Background(), cfg))
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
		}
		objects, bytes := count(8_000)
		more, larger := count(40_000)
		if more > objects+50 || larger > bytes+100_000 {
			t.Errorf("%s: %d objects of %d bytes for 8,000 jobs, %d of %d for 40,000", name, objects, bytes, more, larger)
		}
	}
}

// TestOwnKey works a queue by hand: the job with the highest price per second
// and processor comes first.
func TestOwnKey(t *testing.T) {
	density := func(j *simulate.Job, estimate float64) float64 { return -j.Value.Price / estimate / float64(j.Width) }
	job := func(at, work float64, width int, price float64) simulate.Job {
		return simulate.Job{Submit: at, Work: work, Width: width, Value: simulate.Value{Price: price}}
	}
	jobs := []simulate.Job{
		job(0, 10, 8, 1),  // runs at once
		job(1, 10, 4, 40), // 1 $/s: third, at 10 beside the second
		job(2, 5, 4, 100), // 5 $/s: the first at 10
		job(3, 20, 8, 16), // 0.1 $/s: at 20, when the other two have ended
		job(4, 5, 4, 10),  // 0.5 $/s: at 15, when job 2 has ended
	}
	for i, got := range under(t, &policy.Backfill{Key: density}, 8, jobs) {
		if want := []float64{0, 10, 10, 20, 15}[i]; got.Start != want {
			t.Errorf("job %d starts at %g, want %g", i, got.Start, want)
		}
	}
}

// TestChangingKey: a key that is not kept puts jobs out of order, but the job
// that gives up is the one that leaves.
func TestChangingKey(t *testing.T) {
	calls := 0.0
	p := &policy.Backfill{Key: func(*simulate.Job, float64) float64 { calls++; return math.Mod(7*calls, 5) }}
	rnd := rand.New(rand.NewPCG(6, 7))
	expired := 0
	for _, got := range under(t, p, 8, policytest.Patient(rnd, policytest.Assorted(rnd, 2000, 15))) {
		if got.Kind == simulate.Expired {
			expired++
		}
	}
	if expired < 100 {
		t.Errorf("%d jobs expired", expired)
	}
}

// TestCheck: what policies need of a workload, and the messages where it is not
// there.
func TestCheck(t *testing.T) {
	all := simulate.Has{Deadlines: true, Optional: true, Alike: true, Sites: 1}
	without := func(change func(*simulate.Has)) simulate.Has {
		h := all
		change(&h)
		return h
	}
	for _, test := range []struct {
		policy string
		has    simulate.Has
		want   string // empty: it can run
	}{
		{"hol", simulate.Has{Alike: true, Sites: 1}, ""},
		{"easy", without(func(h *simulate.Has) { h.Alike = false }), "policy easy needs nodes of speed 1 without limits"},
		{"easy", without(func(h *simulate.Has) { h.Sites = 6 }), "policy easy needs a single site: the grid has 6"},
		{"libra", simulate.Has{Deadlines: true, Sites: 1}, ""},
		{"libra", without(func(h *simulate.Has) { h.Deadlines, h.Undated = false, []string{"gold", "silver"} }),
			"policy libra needs deadlines: gold, silver state none (give deadline or grace)"},
		{"libra+$", without(func(h *simulate.Has) { h.Deadlines = false }),
			"policy libra+$ needs deadlines: the jobs state none (give qos, or classes with deadline or grace)"},
		{"libra-sla", without(func(h *simulate.Has) { h.Sites = 2 }), "policy libra-sla needs a single site: the grid has 2"},
		{"mf-edf", without(func(h *simulate.Has) { h.Optional = false }), "policy mf-edf needs optional parts: the jobs are whole (give ic)"},
		{"mf-edf", without(func(h *simulate.Has) { h.Alike = false }), "policy mf-edf needs nodes of speed 1 without limits"},
		{"hard-m", without(func(h *simulate.Has) { h.Sites = 9 }), ""},
	} {
		spec := policytest.Must(policy.Lookup(catalog.Standard(), test.policy))
		switch err := spec.Check(test.has).(type) {
		case nil:
			if test.want != "" {
				t.Errorf("%s runs on %+v", test.policy, test.has)
			}
		case *policy.NeedError:
			if err.Error() != test.want || err.Policy != test.policy || err.Need == "" {
				t.Errorf("got  %s\nwant %s", err, test.want)
			}
		default:
			t.Errorf("%T", err)
		}
	}
}

// TestMake: every run has policies of its own, for one site or several.
func TestMake(t *testing.T) {
	seen := make(map[string]bool)
	for _, spec := range catalog.Standard() {
		a, _, err := spec.Build(nil, policy.Sites(8))
		b, _, _ := spec.Build(nil, policy.Sites(8))
		if seen[spec.Name] || spec.Summary == "" || err != nil || len(a) != 1 || a[0] == b[0] {
			t.Errorf("%s: listed before %t, %d policies, %v", spec.Name, seen[spec.Name], len(a), err)
		}
		seen[spec.Name] = true
		policies, broker, err := spec.Build(nil, policy.Sites(8, 8, 8, 8))
		if grid := spec.Grid; grid != (err == nil) || grid != (len(policies) == 4) || grid != (broker != nil) {
			t.Errorf("%s on four sites: %d policies, broker %v, %v", spec.Name, len(policies), broker, err)
		}
		if _, _, err := spec.Build(policy.Settings{"nonsense": "1"}, policy.Sites(8)); err == nil {
			t.Errorf("%s takes any option", spec.Name)
		}
		if spec.Title == "" || spec.Cost <= 0 || spec.Make == nil {
			t.Errorf("%+v", spec)
		}
	}
}

// TestLabels: the names of policies with their settings, and the errors of
// settings as types.
func TestLabels(t *testing.T) {
	for _, test := range []struct {
		policy         string
		given          policy.Settings
		label, heading string
	}{
		{"hol", nil, "hol", "HOL"},
		{"hol", policy.Settings{"backfill": "false"}, "hol", "HOL"},
		{"hol", policy.Settings{"backfill": "true"}, "hol:backfill=true", "HOL:backfill=true"},
		{"libra+$", policy.Settings{"spare": "none", "alpha": "1", "beta": "0.5"}, "libra+$:beta=0.5:spare=none", "Libra+$:beta=0.5:spare=none"},
	} {
		spec := policytest.Must(policy.Lookup(catalog.Standard(), test.policy))
		if label, heading := spec.Label(test.given), spec.Heading(test.given); label != test.label || heading != test.heading {
			t.Errorf("got %s and %s, want %s and %s", label, heading, test.label, test.heading)
		}
	}
	bare := policy.Spec{Name: "own"}
	if bare.Heading(nil) != "own" {
		t.Errorf("heading %q", bare.Heading(nil))
	}
	easy, _ := policy.Lookup(catalog.Standard(), "easy")
	_, err := easy.Resolve(policy.Settings{"overrun": "stop"})
	if e, ok := err.(*policy.OptionError); !ok || e.Error() != `option overrun of easy: expected extend or kill, got "stop"` {
		t.Errorf("%#v", err)
	}
	_, err = easy.Resolve(policy.Settings{"speed": "9"})
	if e, ok := err.(*policy.OptionError); !ok || e.Policy != "easy" || e.Option != "speed" || e.Want != "" || !slices.Contains(e.Known, "overrun") {
		t.Errorf("%#v", err)
	}
	_, err = policy.Lookup(catalog.Standard()[:2], "easy")
	if e, ok := err.(*policy.UnknownError); !ok || e.Name != "easy" || !slices.Equal(e.Known, []string{"hol", "fcfs"}) {
		t.Errorf("%#v", err)
	}
}

// TestUnpreempted: a policy with queues runs jobs once on processors of their own,
// unless it may preempt them.
func TestUnpreempted(t *testing.T) {
	for name, want := range map[string]bool{"easy": true, "value-bf": true, "hol": true, "libra": false, "libra-sla": false, "mf-edf": false, "hard-m": false} {
		spec, err := policy.Lookup(catalog.Standard(), name)
		if err != nil || spec.Unpreempted(nil) != want {
			t.Errorf("%s: unpreempted %v, want %v, %v", name, spec.Unpreempted(nil), want, err)
		}
	}
	spec := policy.Spec{Options: []policy.Option{{Name: "preempt", Values: []string{"none", "suspend"}}}}
	if !spec.Unpreempted(policy.Settings{"preempt": "none"}) || spec.Unpreempted(policy.Settings{"preempt": "suspend"}) {
		t.Error("an option preempt is not told apart")
	}
}

package slurm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/policy/slurm"
)

// likeEASY are the settings under which slurm is easy, with a weight of ages.
func likeEASY(age string) policy.Settings {
	return policy.Settings{
		"PriorityWeightAge": age, "bf_interval": "0", "bf_window": "0", "bf_max_job_test": "0", "bf_resolution": "1",
		"default_queue_depth": "0", "bf_job_part_count_reserve": "1",
	}
}

// differing counts different starts.
func differing(a, b policytest.Fates) (n int) {
	for i := range a {
		if a[i].Start != b[i].Start && (a[i].Start == a[i].Start || b[i].Start == b[i].Start) {
			n++
		}
	}
	return n
}

// slurmRun runs jobs of customers a and b on pools, jobs of class k in pool k, and calls a
// function with the policies when a job of rank 9 comes.
func slurmRun(t *testing.T, s policy.Settings, units []int, jobs []simulate.Job,
	at func(p []*slurm.Slurmctld)) string {
	t.Helper()
	spec := policytest.Must(policy.Lookup(catalog.Standard(), "slurm"))
	names := []string{"one", "two"}[:len(units)]
	facts := policy.Context{Processors: units, Pools: names, Customers: []string{"a", "b"}}
	policies, _, err := spec.Build(s, facts)
	if err != nil {
		t.Fatal(err)
	}
	var log slurmLog
	cfg := simulate.Config{Observers: []simulate.Observer{&log}}
	var list []*slurm.Slurmctld
	for i, p := range policies {
		cfg.Sites = append(cfg.Sites, simulate.Site{Processors: units[i], Policy: p})
		list = append(list, p.(*slurm.Slurmctld))
	}
	if len(units) > 1 {
		cfg.Router = &agent.Pools{Site: []int{0, 1}}
	}
	called := at == nil
	cfg.Observers = append(cfg.Observers, slurmMoment(func() { called = true; at(list) }))
	if policytest.Audited(t, cfg, jobs); !called {
		t.Error("no job of rank 9")
	}
	return strings.Join(log, "; ")
}

// slurmMoment calls a function when a job of rank 9 comes.
type slurmMoment func()

func (f slurmMoment) Observe(e simulate.Event) {
	if e.Kind == simulate.Submitted && e.Job.Rank == 9 {
		f()
	}
}

// TestSlurmFactors: the machine of 8 units is full, and a second job of 2 units, half the
// size of QOS priority, waits since 0 s. At 310 s the last calculation was at 300 s: an age
// of 300 of 6000 s, 2 of 8 units and 5 of 10 of QOS give 50 + 125 + 100 + 100 - 7.
func TestSlurmFactors(t *testing.T) {
	s := policy.Settings{
		"PriorityWeightAge": "1000", "PriorityMaxAge": "1:40:00", "PriorityWeightJobSize": "500",
		"PriorityWeightQOS":       "200",
		"PriorityWeightPartition": "100", "partition.one.PriorityJobFactor": "4", "qos.a.Priority": "5",
		"qos.b.Priority": "10", "nice.a": "7",
	}
	jobs := []simulate.Job{
		{Width: 8, Work: 1000}, {Width: 2, Work: 10}, {Class: 1, Submit: 305, Width: 4, Work: 10},
		{Submit: 310, Width: 1, Work: 1, Rank: 9},
	}
	slurmRun(t, s, []int{8}, jobs, func(p []*slurm.Slurmctld) {
		var got []string
		for _, x := range p[0].Priorities(310) {
			got = append(got, fmt.Sprint(x.Job.ID, x.Priority))
		}
		if want := "2 550, 1 368"; strings.Join(got, ", ") != want {
			t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
		}
	})
}

// TestSlurmFairShare: account a with 2 shares has users who used 10 and 0, and b with 1
// share has one who used 30. The levels of the accounts are (2/3)/(10/40) and
// (1/3)/(30/40), so that users of a come first, the one without usage ahead; a fourth user,
// whose account has no shares, is the last. By the classic rule effective usage is 0.25,
// 0.125 and 0.75 against shares of 1/3 each.
func TestSlurmFairShare(t *testing.T) {
	for flags, want := range map[string][3]float64{
		"":             {3. / 4, 1, 2. / 4},
		"NO_FAIR_TREE": {math.Exp2(-0.75), math.Exp2(-0.375), math.Exp2(-2.25)},
	} {
		s := policy.Settings{
			"PriorityWeightFairshare": "4e9", "PriorityFlags": flags, "account.a.Fairshare": "2",
			"account.class 2.Fairshare": "0", "qos.class 2.UsageFactor": "0", "PriorityDecayHalfLife": "0",
		}
		jobs := []simulate.Job{
			{Width: 1, Work: 10}, {Class: 1, Width: 1, Work: 30}, {Class: 2, Submit: 1, Width: 1, Work: 1000},
			{Submit: 50, Width: 1, Work: 1}, {Submit: 50, Width: 1, Work: 1}, {Class: 1, Submit: 50, Width: 1, Work: 1},
			{Submit: 700, Width: 1, Work: 1, Rank: 9},
		}
		for i, user := range []int{1, 3, 9, 1, 2, 3, 1} {
			jobs[i].Spec.Details.User = user
		}
		slurmRun(t, s, []int{1}, jobs, func(p []*slurm.Slurmctld) {
			list := p[0].Priorities(700)
			for _, x := range list {
				if want := want[x.Job.ID-3]; math.Abs(float64(x.Priority)/4e9-want) > 1e-9 {
					t.Errorf("%s: job %d has %d, want %g", flags, x.Job.ID, x.Priority, want)
				}
			}
			if len(list) != 3 || list[0].Job.ID != 4 {
				t.Errorf("%s: %v", flags, list)
			}
		})
	}
}

// TestSlurmLimits: one job of the QOS at a time, in all pools; two jobs of a user in the
// system, and no job wider than 4.
func TestSlurmLimits(t *testing.T) {
	s := policy.Settings{"qos.normal.GrpJobs": "1", "qos.normal.GrpTRES": "node=4", "qos.normal.MaxSubmitPU": "3"}
	jobs := []simulate.Job{
		{Width: 1, Work: 10}, {Class: 1, Width: 1, Work: 5}, {Width: 5, Work: 5}, {Width: 1, Work: 5},
		{Width: 1, Work: 1},
	}
	for i, user := range []int{1, 2, 3, 1, 1} {
		jobs[i].Spec.Details.User = user
	}
	jobs = append(jobs, simulate.Job{Submit: 1, Width: 1, Work: 1}) // a fourth of user 1
	jobs[5].Spec.Details.User = 1
	got := slurmRun(t, s, []int{8, 8}, jobs, nil)
	want := "0: job 2 leaves; 0: job 0 runs; 1: job 5 leaves; 10: job 0 ends; 10: job 3 runs; 15: job 3 ends; " +
		"15: job 4 runs; 16: job 4 ends; 16: job 1 runs; 21: job 1 ends"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSlurmRequeue: an outage of all units stops job 0 at 500 s. Job 1 starts when it is over. Job 0 counts as
// submitted anew; with priority/basic it keeps its place, but it waits for 121 s first. Under EASY it keeps its place.
func TestSlurmRequeue(t *testing.T) {
	jobs := []simulate.Job{{Width: 2, Work: 1000}, {Width: 2, Work: 5000}}
	behind := "500: job 0 is preempted; %g: job 1 runs; %g: job 1 ends; %g: job 0 runs; %g: job 0 ends"
	before := "500: job 0 is preempted; %g: job 0 runs; %g: job 0 ends; %g: job 1 runs; %g: job 1 ends"
	order := func(format string, at, first, second float64) string {
		return "0: job 0 runs; " + fmt.Sprintf(format, at, at+first, at+first, at+first+second)
	}
	basic := policy.Settings{"PriorityType": "basic"}
	age := policy.Settings{"PriorityWeightAge": "1000"}
	for _, c := range []struct {
		policy   string
		settings policy.Settings
		over     float64 // end of the outage
		want     string
	}{
		{"easy", nil, 600, order(before, 600, 1000, 5000)},
		{"slurm", nil, 600, order(behind, 600, 5000, 1000)},
		{"slurm", age, 600, order(behind, 600, 5000, 1000)},
		{"slurm", basic, 600, order(behind, 600, 5000, 1000)},
		{"slurm", nil, 700, order(behind, 700, 5000, 1000)},
		{"slurm", basic, 700, order(before, 700, 1000, 5000)},
	} {
		var log slurmLog
		policytest.Audited(t, simulate.Config{
			Sites:     []simulate.Site{{Processors: 2, Policy: policytest.ByName(t, c.policy, c.settings)}},
			Agents:    []simulate.Agent{&agent.Outages{List: []simulate.Outage{{From: 500, To: c.over, Units: 2}}}},
			Observers: []simulate.Observer{&log},
		}, jobs)
		if got := strings.Join(log, "; "); got != c.want {
			t.Errorf("%s %v, outage until %g s: got  %s\nwant %s", c.policy, c.settings, c.over, got, c.want)
		}
	}
}

// TestSlurmPreemption: a job of 100 s gives way to one of 5 s that comes at 10 s, after a
// grace of 20 s. A requeued job waits for 121 s.
func TestSlurmPreemption(t *testing.T) {
	jobs := []simulate.Job{{Width: 1, Work: 100}, {Class: 1, Submit: 10, Width: 1, Work: 5}}
	for mode, end := range map[string]string{
		"requeue": "151: job 0 runs; 251: job 0 ends", "SUSPEND,GANG": "35: job 0 runs; 105: job 0 ends", "cancel": "",
	} {
		s := policy.Settings{"PreemptMode": mode, "qos.b.Preempt": "a", "qos.a.GraceTime": "00:00:20"}
		want := "0: job 0 runs; 30: job 0 is preempted; 30: job 1 runs; 35: job 1 ends; " + end
		if mode == "cancel" {
			want = "0: job 0 runs; 30: job 0 is preempted; 30: job 0 leaves; 30: job 1 runs; 35: job 1 ends"
		}
		if got := slurmRun(t, s, []int{1}, jobs, nil); got != want {
			t.Errorf("%s: got  %s\nwant %s", mode, got, want)
		}
	}
	s := policy.Settings{"PreemptMode": "requeue", "qos.b.Preempt": "a", "PreemptType": "preempt/none"}
	const want = "0: job 0 runs; 100: job 0 ends; 100: job 1 runs; 105: job 1 ends"
	if got := slurmRun(t, s, []int{1}, jobs, nil); got != want {
		t.Errorf("without preemption: %s", got)
	}
}

// TestSlurmQueueNormal: jobs whose queue is normal ask for no QOS, and have that of their
// customer, whatever settings normal has; jobs of another queue have that.
func TestSlurmQueueNormal(t *testing.T) {
	s := policy.Settings{
		"PriorityWeightQOS": "100", "qos.b.Priority": "10", "qos.normal.Priority": "5", "qos.fast.Priority": "20",
	}
	spec, err := policy.Lookup(catalog.Standard(), "slurm")
	if err != nil {
		t.Fatal(err)
	}
	policies, _, err := spec.Build(s, policy.Context{
		Processors: []int{1}, Pools: []string{""}, Customers: []string{"a", "b"},
		Names: map[string]map[int32]string{"queue": {1: "normal", 2: "fast"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	queue := func(class, queue int) simulate.Job {
		j := simulate.Job{Class: class, Width: 1, Work: 10}
		j.Spec.Details.Queue = queue
		return j
	}
	jobs := []simulate.Job{queue(0, 1), queue(0, 1), queue(1, 1), queue(0, 2)}
	var order []int64
	log := slurmEvents(func(e simulate.Event) {
		if e.Kind == simulate.Started {
			order = append(order, e.Job.ID)
		}
	})
	policytest.Audited(t, simulate.Config{
		Sites: []simulate.Site{{Processors: 1, Policy: policies[0]}}, Observers: []simulate.Observer{log},
	}, jobs)
	if got, want := fmt.Sprint(order), "[3 2 0 1]"; got != want {
		t.Errorf("jobs start in the order %s, want %s", got, want)
	}
}

// slurmEvents is an observer that is a function.
type slurmEvents func(e simulate.Event)

func (f slurmEvents) Observe(e simulate.Event) { f(e) }

package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
)

// stay is the time in which a job has its processors, and how it ends.
type stay struct {
	id       int64
	width    int
	from, to float64
	estimate float64
	stopped  bool
}

// stays is an observer that collects them.
type stays struct {
	list []stay
	runs map[int64]int // place in the list of the jobs that run
}

func (s *stays) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Started, simulate.Resumed:
		s.runs[e.Job.ID] = len(s.list)
		s.list = append(s.list, stay{e.Job.ID, e.Job.Width, e.Time, 0, e.Job.Spec.Details.Estimate, false})
	case simulate.Preempted, simulate.Completed:
		at := &s.list[s.runs[e.Job.ID]]
		at.to, at.stopped = e.Time, e.Kind == simulate.Preempted
	}
}

// down runs jobs under a policy on a machine with outages.
func down(tb testing.TB, processors int, p simulate.Policy, jobs []policytest.Submission,
	out []simulate.Outage) (policytest.Fates, []stay) {
	tb.Helper()
	got, seen := make(policytest.Fates, len(jobs)), &stays{runs: map[int64]int{}}
	policytest.Audited(tb, simulate.Config{
		Sites:     []simulate.Site{{Processors: processors, Policy: p}},
		Agents:    []simulate.Agent{&agent.Outages{List: out}},
		Observers: []simulate.Observer{got, seen},
	}, policytest.Submitted(jobs))
	return got, seen.list
}

// TestOutagesByHand compares EASY with schedules worked out by hand, on 4 units.
func TestOutagesByHand(t *testing.T) {
	long := []policytest.Submission{{At: 0, Runtime: 12, Estimate: 8, Width: 4}, {At: 3, Runtime: 2, Estimate: 2, Width: 1}}
	pair := []policytest.Submission{{At: 0, Runtime: 10, Estimate: 10, Width: 2}, {At: 1, Runtime: 20, Estimate: 20, Width: 1}}
	for _, test := range []struct {
		name string
		jobs []policytest.Submission
		out  []simulate.Outage
		want string // stays
	}{
		// The first job would need a unit that is down from 10 on: it waits until 20. The others
		// end by 10, need no more than the 2 units that stay up, or end by 20.
		{"planned", []policytest.Submission{
			{At: 0, Runtime: 12, Estimate: 12, Width: 3}, {At: 0, Runtime: 15, Estimate: 15, Width: 2},
			{At: 1, Runtime: 9, Estimate: 9, Width: 2}, {At: 2, Runtime: 3, Estimate: 3, Width: 1},
		}, []simulate.Outage{{From: 10, To: 20, Units: 2, Planned: true}}, "1:0-15 2:1-10 3:15-18 0:20-32"},
		// The first job overruns its estimate of 8, is stopped and comes first again.
		{"overrun", long, []simulate.Outage{{From: 10, To: 20, Units: 4, Planned: true}}, "0:0-10! 0:20-32 1:32-34"},
		{"overrun, killed", long, []simulate.Outage{{From: 10, To: 20, Units: 4, Planned: true, Kill: true}},
			"0:0-10! 1:20-22"},
		// Three of four units go down: the job that started last is stopped first, and the unit
		// that is left is enough for it. The other one waits for the end of the outage.
		{"unplanned", pair, []simulate.Outage{{From: 5, To: 15, Units: 3}}, "0:0-5! 1:1-5! 1:5-25 0:15-25"},
		{"unplanned, killed", pair, []simulate.Outage{{From: 5, To: 15, Units: 3, Kill: true}}, "0:0-5! 1:1-5!"},
		// Of two jobs that started at one instant, the one that was submitted last is stopped.
		{"tie", []policytest.Submission{
			{At: 0, Runtime: 10, Estimate: 10, Width: 2}, {At: 0, Runtime: 10, Estimate: 10, Width: 2},
		}, []simulate.Outage{{From: 5, To: 15, Units: 2}}, "0:0-10 1:0-5! 1:10-20"},
		// The idle unit goes first, then the job that started last; together all units are down.
		// Two units drain: the idle one leaves at 5, the next when the first job has ended at 10. So
		// the third job starts at 10 on the unit that stays, and the last waits for the end.
		{"drain", append(pair[:2:2], policytest.Submission{At: 6, Runtime: 3, Estimate: 3, Width: 1},
			policytest.Submission{At: 7, Runtime: 1, Estimate: 1, Width: 2}),
			[]simulate.Outage{{From: 5, To: 15, Units: 2, Drain: true}}, "0:0-10 1:1-21 2:10-13 3:15-16"},
		// The whole machine drains, and one unit fails at 6: the job that started last is stopped.
		{"drain and failure", pair,
			[]simulate.Outage{{From: 5, To: 30, Units: 4, Drain: true}, {From: 6, To: 8, Units: 1}}, "0:0-10 1:1-6! 1:30-50"},
		{"two at a time", pair, []simulate.Outage{{From: 5, To: 40, Units: 2}, {From: 6, To: 8, Units: 4}},
			"0:0-6! 1:1-5! 0:8-18 1:18-38"},
	} {
		_, list := down(t, 4, policytest.ByName(t, "easy", nil), test.jobs, test.out)
		got := ""
		for i, s := range list {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%d:%g-%g", s.id, s.from, s.to)
			if s.stopped {
				got += "!"
			}
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// drawOutages draws outages of a machine; in every third run one is of the whole.
func drawOutages(rnd *rand.Rand, processors int, planned bool) (list []simulate.Outage) {
	for range 1 + rnd.IntN(4) {
		from := float64(rnd.IntN(120))
		o := simulate.Outage{From: from, To: from + 1 + float64(rnd.IntN(60)), Units: 1 + rnd.IntN(processors)}
		o.Planned, o.Kill = planned || rnd.IntN(2) == 0, rnd.IntN(4) == 0
		o.Drain = o.Units%3 == 0
		list = append(list, o)
	}
	if rnd.IntN(3) == 0 {
		list[0].Units = processors
	}
	return list
}

// dedicated calls a function for every policy on dedicated units, with some of its settings.
func dedicated(t *testing.T, f func(t *testing.T, s policy.Spec, given policy.Settings)) {
	for _, s := range catalog.Standard() {
		if s.Check(simulate.Has{Deadlines: true, Alike: true, Sites: 1, Outages: true}) != nil {
			continue
		}
		variants := []policy.Settings{{}}
		for _, o := range s.Options {
			if !o.Number && o.Read == nil {
				for _, v := range o.Values[1:] {
					variants = append(variants, policy.Settings{o.Name: v})
				}
			}
		}
		if s.Name == "value-bf" {
			variants = append(variants, policy.Settings{"preempt": "restart", "preempt-cost": "2"})
		}
		for _, given := range variants {
			t.Run(s.Label(given), func(t *testing.T) { f(t, s, given) })
		}
	}
}

// TestOutagesUnderEveryPolicy adds up the widths of the jobs that run: never more than the
// units that are up. If all estimates hold and all outages are planned, no job is stopped.
// An outage after the end changes nothing.
func TestOutagesUnderEveryPolicy(t *testing.T) {
	const processors = 8
	dedicated(t, func(t *testing.T, s policy.Spec, given policy.Settings) {
		stopped := 0
		for seed := range uint64(12) {
			rnd := rand.New(rand.NewPCG(seed, 31))
			planned, holds := seed%2 == 0, seed%4 == 0
			jobs := make([]policytest.Submission, 40)
			at := 0.0
			for i := range jobs {
				at += float64(rnd.IntN(6))
				run := float64(1 + rnd.IntN(30))
				jobs[i] = policytest.Submission{
					At: at, Runtime: run, Estimate: max(1, run+float64(rnd.IntN(20)-8)), Width: 1 + rnd.IntN(processors),
					Deadline: 20 + float64(rnd.IntN(200)), Budget: float64(rnd.IntN(100)), Penalty: 1, Hard: rnd.IntN(2) == 0,
				}
				if holds {
					jobs[i].Estimate = max(jobs[i].Estimate, run)
				}
			}
			out := drawOutages(rnd, processors, planned)
			fates, list := down(t, processors, policytest.ByName(t, s.Name, given), jobs, out)
			preempts := given["preempt"] != ""
			checkStays(t, processors, list, out)
			for _, x := range list {
				if x.stopped {
					stopped++
				}
				if x.stopped && planned && holds && !preempts && given["estimates"] != "predicted" {
					t.Fatalf("seed %d: job %d is stopped at %g by a planned outage", seed, x.id, x.to)
				}
			}
			for id, f := range fates {
				if f == (policytest.Fate{}) {
					t.Fatalf("seed %d: job %d has not ended", seed, id)
				}
			}
			far := []simulate.Outage{{From: 1e6, To: 2e6, Units: processors, Planned: true}}
			_, with := down(t, processors, policytest.ByName(t, s.Name, given), jobs, far)
			_, without := down(t, processors, policytest.ByName(t, s.Name, given), jobs, nil)
			if !slices.Equal(with, without) {
				t.Fatalf("seed %d: an outage after the end changes the schedule\n%v\n%v", seed, with, without)
			}
		}
		if stopped == 0 {
			t.Error("no job was stopped")
		}
	})
}

// checkStays adds up the units that jobs have at the beginning of every stay and outage. On
// units that drain jobs may run, but not start.
func checkStays(t *testing.T, processors int, list []stay, out []simulate.Outage) {
	t.Helper()
	var times []float64
	for _, x := range list {
		times = append(times, x.from)
	}
	for _, o := range out {
		times = append(times, o.From)
	}
	for i, at := range times {
		up := processors
		for _, o := range out {
			if o.From <= at && at < o.To && (i < len(list) || !o.Drain) {
				up -= o.Units
			}
		}
		busy := 0
		for _, x := range list {
			if x.from <= at && at < x.to {
				busy += x.width
			}
		}
		if busy > max(up, 0) {
			t.Fatalf("at %g %d units are busy, %d are up", at, busy, max(up, 0))
		}
	}
}

// TestPredictedOutage: a job that is predicted to end before a planned outage, but may run into it by its limit, waits for
// its end. One with a limit before it starts.
func TestPredictedOutage(t *testing.T) {
	jobs := []policytest.Submission{
		{At: 0, Runtime: 1, Estimate: 15, Width: 1}, {At: 0, Runtime: 1, Estimate: 15, Width: 1},
		{At: 10, Runtime: 1, Estimate: 50, Width: 4}, {At: 11, Runtime: 1, Estimate: 5, Width: 4},
	}
	for i := range jobs {
		jobs[i].Deadline = 1000
	}
	long := policytest.Submission{At: 5, Runtime: 8, Estimate: 8, Width: 4, Deadline: 1000}
	out := []simulate.Outage{{From: 20, To: 30, Units: 4, Planned: true}}
	for _, name := range []string{"easy", "wfp3", "fcfs-bf", "conservative"} {
		for _, test := range []struct {
			longest string // wait: the last two jobs are overdue when the long one ends
			jobs    []policytest.Submission
			want    []float64
		}{
			{"none", jobs, []float64{0, 0, 30, 11}},
			{"none", slices.Insert(slices.Clone(jobs), 2, long), []float64{0, 0, 5, 30, 13}},
			{"1", slices.Insert(slices.Clone(jobs), 2, long), []float64{0, 0, 5, 30, 13}},
		} {
			p := policytest.ByName(t, name, policy.Settings{"estimates": "predicted", "longest_wait": test.longest})
			got, _ := down(t, 4, p, test.jobs, out)
			for i, want := range test.want {
				if got[i].Start != want {
					t.Errorf("%s, longest wait %s: job %d starts at %g, want %g", name, test.longest, i, got[i].Start, want)
				}
			}
		}
	}
}

// TestPredictedOutageAtRandom: whatever is predicted, no job starts that may run into a planned outage of the whole machine
// by its limit.
func TestPredictedOutageAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 57))
		var jobs []policytest.Submission
		for at := 0.0; len(jobs) < 60; at += 20 * rnd.ExpFloat64() {
			run := 60 * rnd.ExpFloat64()
			jobs = append(jobs, policytest.Submission{At: at, Runtime: run, Estimate: run * (1 + 9*rnd.Float64()), Width: 1 + rnd.IntN(4),
				Deadline: 1e6})
		}
		var out []simulate.Outage
		for at := 100.0; len(out) < 4; {
			at += 200 * rnd.ExpFloat64()
			out = append(out, simulate.Outage{From: at, To: at + 100, Units: 4, Planned: true})
			at += 101
		}
		for _, name := range []string{"easy", "wfp3", "sjf-bf", "conservative"} {
			for _, longest := range []string{"none", "60"} {
				p := policytest.ByName(t, name, policy.Settings{"estimates": "predicted", "longest_wait": longest})
				got, _ := down(t, 4, p, jobs, out)
				for i, f := range got {
					for _, o := range out {
						if policy.Before(f.Start, o.From) && policy.Before(o.From, f.Start+jobs[i].Estimate) {
							t.Fatalf("seed %d, %s, longest wait %s: job %d starts at %g for up to %g s, and an outage begins at %g",
								seed, name, longest, i, f.Start, jobs[i].Estimate, o.From)
						}
					}
				}
			}
		}
	}
}

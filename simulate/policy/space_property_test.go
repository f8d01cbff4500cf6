package policy_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// Times are whole seconds unless a test says otherwise, so that two programs
// that do the same sums get the same results.

// drawJobs draws a small workload: bursts of arrivals, some jobs wider than the
// cluster, estimates too long, right, too short or missing (0).
func drawJobs(t *rapid.T, processors, shortest int) []policytest.Submission {
	n := rapid.IntRange(1, 40).Draw(t, "jobs")
	jobs := make([]policytest.Submission, n)
	at := 0
	for i := range jobs {
		at += rapid.SampledFrom([]int{0, 0, 1, 2, 5, 20}).Draw(t, "gap")
		runtime := rapid.IntRange(shortest, 30).Draw(t, "runtime")
		estimate := rapid.IntRange(0, 40).Draw(t, "estimate")
		if rapid.Bool().Draw(t, "exact") {
			estimate = runtime
		}
		jobs[i] = policytest.Submission{
			At: float64(at), Runtime: float64(runtime), Estimate: float64(estimate),
			Width:    rapid.IntRange(1, processors+processors/4).Draw(t, "width"),
			Deadline: float64(rapid.IntRange(0, 80).Draw(t, "deadline")),
		}
	}
	return jobs
}

// drawPatience draws jobs of which, in half of the runs, some give up, at the time
// of other events as often as not. Those have work.
func drawPatience(t *rapid.T, processors, shortest int) (jobs []policytest.Submission, expiries bool) {
	if expiries = rapid.Bool().Draw(t, "expiries"); !expiries {
		return drawJobs(t, processors, shortest), false
	}
	jobs = drawJobs(t, processors, 1)
	for i := range jobs {
		if rapid.Bool().Draw(t, "expires") {
			jobs[i].Expire = jobs[i].At + float64(rapid.IntRange(1, 60).Draw(t, "patience"))
		}
	}
	return jobs, true
}

// sameFates compares what two programs made of the jobs.
func sameFates(t *rapid.T, got, want policytest.Fates) {
	for i := range want {
		g, w := got[i], want[i]
		if math.IsNaN(w.Start) {
			if !math.IsNaN(g.Start) || g.Reason != w.Reason || g.Expired != w.Expired || w.Expired && g.Finish != w.Finish {
				t.Fatalf("job %d: got %+v, want %+v", i, g, w)
			}
		} else if g != w {
			t.Fatalf("job %d: got %+v, want %+v", i, g, w)
		}
	}
}

// TestEASYAgainstNaive compares every EASY policy, and two with keys of the test,
// with the naive one. In half of the runs jobs give up while they wait.
func TestEASYAgainstNaive(t *testing.T) {
	deadline := func(s policytest.Submission) float64 {
		if s.Deadline == 0 {
			return math.Inf(1)
		}
		return s.At + s.Deadline
	}
	estimate := func(s policytest.Submission) float64 {
		if s.Estimate == 0 {
			return s.Runtime
		}
		return s.Estimate
	}
	widest := func(s policytest.Submission) float64 { return -float64(s.Width) }
	urgency := func(s policytest.Submission) float64 { return s.At - 3*estimate(s)/float64(s.Width) }
	area := func(s policytest.Submission) float64 { return estimate(s) * float64(s.Width) }
	f1 := func(s policytest.Submission) float64 {
		return math.Log10(math.Max(estimate(s), 0.1))*float64(s.Width) + 870*math.Log10(math.Max(s.At, 0.1))
	}
	wfp3 := func(s policytest.Submission, now float64) float64 {
		if now == s.At {
			return 0
		}
		x := (now - s.At) / estimate(s)
		return -x * x * x * float64(s.Width)
	}
	aging := func(j *simulate.Job, estimate, now float64) float64 {
		return estimate - (now-j.Submit)*float64(j.Width)
	}
	aged := func(s policytest.Submission, now float64) float64 { return estimate(s) - (now-s.At)*float64(s.Width) }
	varying := func(b policy.Backfill) func() simulate.Policy {
		return func() simulate.Policy {
			return &policy.Backfill{Key: b.Key, Order: b.Order, Lapse: b.Lapse, Latest: b.Latest}
		}
	}
	own := func(lapse bool, key func(*simulate.Job, float64) float64) func() simulate.Policy {
		return func() simulate.Policy { return &policy.Backfill{Lapse: lapse, Key: key} }
	}
	for _, test := range []struct {
		name     string
		settings policy.Settings
		own      func() simulate.Policy // in place of a standard policy
		naive    naive
	}{
		{"easy", nil, nil, naive{}},
		{"easy", policy.Settings{"overrun": "kill"}, nil, naive{kill: true}},
		{"easy", policy.Settings{"estimates": "exact"}, nil, naive{exact: true}},
		{"fcfs-bf", nil, nil, naive{lapse: true}},
		{"sjf-bf", nil, nil, naive{lapse: true, key: estimate}},
		{"edf-bf", nil, nil, naive{lapse: true, key: deadline}},
		{"fcfs-bf", policy.Settings{"lapse": "latest"}, nil, naive{lapse: true, latest: true}},
		{"sjf-bf", policy.Settings{"lapse": "latest"}, nil, naive{lapse: true, latest: true, key: estimate}},
		{"edf-bf", policy.Settings{"lapse": "latest"}, nil, naive{lapse: true, latest: true, key: deadline}},
		{"edf-bf", policy.Settings{"lapse": "latest", "estimates": "exact"}, nil, naive{lapse: true, latest: true, exact: true, key: deadline}},
		{"sjf", nil, nil, naive{key: estimate, inOrder: true}},
		{"sjf", policy.Settings{"backfill": "easy"}, nil, naive{key: estimate}},
		{"saf-bf", policy.Settings{"overrun": "kill"}, nil, naive{key: area, kill: true}},
		{"f1", nil, nil, naive{key: f1}},
		{"wfp3", nil, nil, naive{order: wfp3}},
		{"wfp3", policy.Settings{"backfill": "none"}, nil, naive{order: wfp3, inOrder: true}},
		{"wfp3", policy.Settings{"overrun": "kill"}, nil, naive{order: wfp3, kill: true}},
		{"aging, lapse", nil, varying(policy.Backfill{Order: aging, Lapse: true}), naive{order: aged, lapse: true}},
		{"aging, latest", nil, varying(policy.Backfill{Order: aging, Lapse: true, Latest: true}),
			naive{order: aged, lapse: true, latest: true}},
		{"widest first", nil, own(false, func(j *simulate.Job, _ float64) float64 { return -float64(j.Width) }), naive{key: widest}},
		{"own key, lapse", nil, own(true, func(j *simulate.Job, estimate float64) float64 {
			return j.Submit - 3*estimate/float64(j.Width)
		}), naive{lapse: true, key: urgency}},
	} {
		s := test.settings
		t.Run(test.name+" "+s["overrun"]+s["estimates"]+s["lapse"]+s["backfill"], func(tb *testing.T) {
			gone := 0
			rapid.Check(tb, func(t *rapid.T) {
				reference := test.naive
				reference.processors = rapid.IntRange(1, 12).Draw(t, "processors")
				jobs, _ := drawPatience(t, reference.processors, 0)
				var p simulate.Policy
				if test.own != nil {
					p = test.own()
				} else {
					p = policytest.ByName(tb, test.name, test.settings)
				}
				got := policytest.Execute(tb, reference.processors, p, jobs)
				sameFates(t, got, reference.run(jobs, reference.easy))
				for i, g := range got {
					if g.Expired {
						gone++
					} else if g.Start >= jobs[i].Expire && jobs[i].Expire > 0 {
						t.Fatalf("job %d, which gives up at %g, starts at %g", i, jobs[i].Expire, g.Start)
					}
				}
			})
			if gone == 0 {
				tb.Error("no job gave up")
			}
		})
	}
}

// TestConservativeAgainstNaive does the same for conservative backfilling, and
// checks its promise: while no job overruns, no job starts later than its first
// reservation; and if all estimates are exact and no job gives up, every job
// starts exactly then.
func TestConservativeAgainstNaive(t *testing.T) {
	for _, test := range []struct {
		settings policy.Settings
		naive    naive
		shortest int // runtime; jobs without work need no room in a plan
	}{
		{nil, naive{}, 0},
		{policy.Settings{"overrun": "kill"}, naive{kill: true}, 1},
		{policy.Settings{"estimates": "exact"}, naive{exact: true}, 1},
	} {
		t.Run("conservative "+test.settings["overrun"]+test.settings["estimates"], func(tb *testing.T) {
			rapid.Check(tb, func(t *rapid.T) {
				reference := test.naive
				reference.processors = rapid.IntRange(1, 12).Draw(t, "processors")
				jobs, expiries := drawPatience(t, reference.processors, test.shortest)
				want := reference.run(jobs, reference.conservative)
				got := policytest.Execute(tb, reference.processors, policytest.ByName(tb, "conservative", test.settings), jobs)
				sameFates(t, got, want)
				terms := policy.Terms{Kill: reference.kill, Exact: reference.exact}
				sameFates(t, policytest.Execute(tb, reference.processors, policy.NewConservativeDepth(terms, len(jobs)), jobs), want)
				for i, g := range got {
					promised := reference.promised[i]
					if reference.kill && g.Start > promised || reference.exact && !expiries && g.Start != promised && !math.IsNaN(g.Start) {
						t.Fatalf("job %d was promised %g and starts at %g", i, promised, g.Start)
					}
				}
			})
		})
	}
}

// TestConservativeBeyondDepth compares conservative backfilling with the naive one
// where the queue is longer than the part of it that moves to any place.
func TestConservativeBeyondDepth(t *testing.T) {
	for _, test := range []struct {
		name  string
		terms policy.Terms
		naive naive
	}{
		{"extend", policy.Terms{}, naive{}},
		{"kill", policy.Terms{Kill: true}, naive{kill: true}},
		{"exact", policy.Terms{Exact: true}, naive{exact: true}},
	} {
		t.Run(test.name, func(tb *testing.T) {
			rapid.Check(tb, func(t *rapid.T) {
				reference := test.naive
				reference.processors = rapid.IntRange(1, 12).Draw(t, "processors")
				depth := rapid.IntRange(1, 8).Draw(t, "depth")
				jobs, _ := drawPatience(t, reference.processors, 1)
				want := reference.run(jobs, reference.bounded(depth))
				got := policytest.Execute(tb, reference.processors, policy.NewConservativeDepth(test.terms, depth), jobs)
				sameFates(t, got, want)
				for i, g := range got {
					if reference.kill && g.Start > reference.promised[i] {
						t.Fatalf("job %d was promised %g and starts at %g", i, reference.promised[i], g.Start)
					}
				}
			})
		})
	}
}

// TestSpaceScaling: if all times are scaled, so is the schedule. Sums of
// runtimes that are equal on paper are not in floating point, and must be
// treated as equal. Submissions and deadlines are multiples of irrational
// numbers, so that only such sums coincide.
func TestSpaceScaling(t *testing.T) {
	for _, name := range []string{"fcfs", "fcfs-bf", "sjf-bf", "edf-bf", "easy", "conservative"} {
		t.Run(name, func(tb *testing.T) {
			rapid.Check(tb, func(t *rapid.T) {
				processors := rapid.IntRange(1, 12).Draw(t, "processors")
				jobs := drawJobs(t, processors, 1)
				k := rapid.SampledFrom([]float64{0.1, 1.0 / 3, 1e5 / 7}).Draw(t, "scale")
				scaled := make([]policytest.Submission, len(jobs))
				for i := range jobs {
					s := &jobs[i]
					s.At *= math.Phi
					s.Deadline *= math.Pi
					scaled[i] = policytest.Submission{At: k * s.At, Runtime: k * s.Runtime, Estimate: k * s.Estimate, Width: s.Width, Deadline: k * s.Deadline}
				}
				got := policytest.Execute(tb, processors, policytest.ByName(tb, name, nil), scaled)
				for i, w := range policytest.Execute(tb, processors, policytest.ByName(tb, name, nil), jobs) {
					g := got[i]
					if g.Reason != w.Reason || math.Abs(g.Finish-k*w.Finish) > 1e-9*(1+k*w.Finish) || math.Abs(g.Revenue-k*w.Revenue) > 1e-9*(1+k*w.Revenue) {
						t.Fatalf("job %d: got %+v, want %g times %+v", i, g, k, w)
					}
				}
			})
		})
	}
}

package policy_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// plain is a job of the given length and width, with an exact estimate.
func plain(at, work float64, width int) simulate.Job {
	return simulate.Job{Submit: at, Work: work, Width: width, Value: simulate.Value{Price: 1, Floor: math.Inf(1)}}
}

// ends runs jobs under a policy and an audit, and returns when they end.
func ends(
	t *testing.T, name string, s policy.Settings, processors int, jobs []simulate.Job, o ...simulate.Observer,
) []float64 {
	t.Helper()
	sites := []simulate.Site{{Processors: processors, Policy: policytest.ByName(t, name, s)}}
	var list []float64
	for _, e := range policytest.Audited(t, simulate.Config{Sites: sites, Charging: simulate.ByValue, Observers: o}, jobs) {
		list = append(list, e.At)
	}
	return list
}

// TestPreemptiveByHand works schedules out.
func TestPreemptiveByHand(t *testing.T) {
	filling := []simulate.Job{plain(0, 10, 1), plain(1, 3, 4), plain(2, 2, 2)}
	for _, c := range []struct {
		name       string
		settings   policy.Settings
		processors int
		jobs       []simulate.Job
		want       []float64
	}{
		// At 1 the first two jobs fill the machine, and the wider one takes it all until 4.
		{"server-filling", nil, 4, filling, []float64{13, 4, 6}},
		// The preemption costs the first job 5 s.
		{"server-filling", policy.Settings{"preempt-cost": "5"}, 4, filling, []float64{18, 4, 6}},
		// At 1 the second job needs 8 processor-seconds and the first 36. At 2 the third needs 2 and the
		// second 4.
		{"server-filling-srpt", nil, 4, []simulate.Job{plain(0, 10, 4), plain(1, 2, 4), plain(2, 0.5, 4)},
			[]float64{12.5, 3.5, 2.5}},
		// One processor-second each, then two, then the rest by arrival.
		{"las", nil, 1, []simulate.Job{plain(0, 3, 1), plain(0, 3, 1)}, []float64{5, 6}},
		{"las", policy.Settings{"queues": "2"}, 1, []simulate.Job{plain(0, 3, 1), plain(0, 3, 1)}, []float64{4, 6}},
		{"las", nil, 1, []simulate.Job{plain(0, 3, 1), plain(2, 1, 1)}, []float64{4, 3}},
		// Each preemption, at 1, 2, 3, 4, 6 and 8, costs 1 s, which is service too.
		{"las", policy.Settings{"preempt-cost": "1"}, 1, []simulate.Job{plain(0, 3, 1), plain(0, 3, 1)}, []float64{10, 12}},
		// The second job is twice as wide, so that its levels take half the time: 1 s of the first,
		// 0.5 s of the second, 1 s, 0.5 s, and the rest by arrival.
		{"las", nil, 2, []simulate.Job{plain(0, 4, 1), plain(0, 2, 2)}, []float64{5, 6}},
	} {
		got := ends(t, c.name, c.settings, c.processors, c.jobs)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-6 {
				t.Errorf("%s%v: jobs end at %v, want %v", c.name, c.settings, got, c.want)
				break
			}
		}
	}
}

// occupancy checks that no processor is idle while the jobs present could use all of them.
type occupancy struct {
	t                   *testing.T
	processors          int
	busy, present, full int
	last                float64
}

func (o *occupancy) Observe(e simulate.Event) {
	if e.Time > o.last { // the state since the last decision
		if o.last = e.Time; o.present >= o.processors {
			if o.full++; o.busy != o.processors {
				o.t.Fatalf("until %g: %d of %d processors busy, %d wanted", e.Time, o.busy, o.processors, o.present)
			}
		}
	}
	switch e.Kind {
	case simulate.Submitted:
		o.present += e.Job.Width
	case simulate.Started, simulate.Resumed:
		o.busy += e.Job.Width
	case simulate.Preempted:
		o.busy -= e.Job.Width
	case simulate.Completed:
		o.busy, o.present = o.busy-e.Job.Width, o.present-e.Job.Width
	}
}

// TestServerFillingWastesNothing: the theorem of ServerFilling, for both orders. Widths that are
// no powers of two are served as well.
func TestServerFillingWastesNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(34, 1))
	for _, name := range []string{"server-filling", "server-filling-srpt"} {
		var powers, any []simulate.Job
		at := 0.0
		for range 3000 {
			at += rnd.ExpFloat64()
			work, width := 6*rnd.ExpFloat64(), 1<<rnd.IntN(5)
			powers = append(powers, plain(at, work, width))
			any = append(any, plain(at, work, 1+rnd.IntN(16)))
		}
		check := &occupancy{t: t, processors: 16}
		ends(t, name, nil, 16, powers, check)
		if check.full < 1000 {
			t.Errorf("%s: the machine had enough work %d times only", name, check.full)
		}
		ends(t, name, nil, 16, any)
	}
}

// TestSRPTIsOptimal: on one processor the mean response of server-filling-srpt is the least of all
// preemptive schedules, found by exhaustive search over whole seconds.
func TestSRPTIsOptimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(34, 2))
	for range 300 {
		var jobs []simulate.Job
		var left [4]int
		at := 0
		for i := range left {
			at += rnd.IntN(3)
			left[i] = 1 + rnd.IntN(5)
			jobs = append(jobs, plain(float64(at), float64(left[i]), 1))
		}
		known := map[string]int{}
		var best func(now int, left [4]int) int // the sum of ends
		best = func(now int, left [4]int) int {
			key := fmt.Sprint(now, left)
			if x, ok := known[key]; ok {
				return x
			}
			least, any := math.MaxInt32, false
			for i := range left {
				if any = any || left[i] > 0; left[i] == 0 || jobs[i].Submit > float64(now) {
					continue
				}
				next, end := left, 0
				if next[i]--; next[i] == 0 {
					end = now + 1
				}
				least = min(least, end+best(now+1, next))
			}
			if !any {
				return 0
			} else if least == math.MaxInt32 {
				least = best(now+1, left)
			}
			known[key] = least
			return least
		}
		sum := 0.0
		for _, e := range ends(t, "server-filling-srpt", nil, 1, jobs) {
			sum += e
		}
		if want := best(0, left); math.Abs(sum-float64(want)) > 1e-6 {
			t.Fatalf("ends sum to %g, the least is %d: %+v", sum, want, jobs)
		}
	}
}

// TestLASMeanResponse: on one processor at load 0.7 the mean response of exponential jobs under
// las is that of M/M/1, 1/(1 - 0.7) lengths, as under any policy that does not know them. For
// hyperexponential jobs las is well below first come, first served.
func TestLASMeanResponse(t *testing.T) {
	const load, n, runs = 0.7, 2500, 8
	mean := func(name string, varied bool) (m, e float64) {
		var all []float64
		for run := range uint64(runs) {
			rnd := rand.New(rand.NewPCG(34, 3+run))
			jobs, at, sum := []simulate.Job(nil), 0.0, 0.0
			for range n {
				at += 100 * rnd.ExpFloat64() / load
				work, lot := 100*rnd.ExpFloat64(), rnd.Float64()
				if varied && lot < 0.9 {
					work /= 5 // a tenth of the jobs is 8.2 times as long as the mean
				} else if varied {
					work *= 8.2
				}
				jobs = append(jobs, plain(at, work, 1))
			}
			for i, e := range ends(t, name, nil, 1, jobs) {
				sum += (e - jobs[i].Submit) / 100 / n
			}
			all = append(all, sum)
		}
		for _, x := range all {
			m += x / runs
		}
		for _, x := range all {
			e += (x - m) * (x - m) / runs / (runs - 1)
		}
		return m, math.Sqrt(e)
	}
	if m, e := mean("las", false); math.Abs(m-1/(1-load)) > 4*e || e > 0.15 {
		t.Errorf("las: mean response %.3f ± %.3f, want %.3f", m, e, 1/(1-load))
	}
	las, e := mean("las", true)
	if fcfs, f := mean("fcfs", true); las+4*e > (fcfs-4*f)/2 {
		t.Errorf("hyperexponential: las %.3f ± %.3f, fcfs %.3f ± %.3f", las, e, fcfs, f)
	}
}

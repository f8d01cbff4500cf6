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
	"revopt/simulate/workload"
)

// rentals is an observer that notes stays of jobs on rented units, and those on the machine.
type rentals struct {
	text   []string
	rented int
}

func (r *rentals) Observe(e simulate.Event) {
	if e.Kind == simulate.Ordered {
		r.rented++
	}
	if e.Kind == simulate.Completed {
		mark := ""
		if e.Job.Rented {
			mark = fmt.Sprintf(" rent %.5g", e.Job.RentPaid)
		}
		r.text = append(r.text, fmt.Sprintf("%d:%.5g-%.5g%s", e.Job.ID, e.Job.Start, e.Time, mark))
	}
}

// burst runs jobs that pay their value under a policy with units to rent.
func burst(t testing.TB, s policy.Spec, given policy.Settings, site workload.Site, jobs []simulate.Job) *rentals {
	t.Helper()
	seen := new(rentals)
	stated := func(j *simulate.Job, _ float64) simulate.Value { return j.Value }
	site.Policy = policytest.ByName(t, s.Name, given)
	site.Burst = s.Burst(given, site.Policy, policy.Context{Stated: stated, Patience: []float64{0, 10}})
	policytest.Audited(t, simulate.Config{
		Sites: []simulate.Site{site.Site}, Agents: workload.Agents([]workload.Site{site}), Charging: simulate.ByValue, Observers: []simulate.Observer{seen},
	}, jobs)
	return seen
}

// TestBurstByHand compares rules with schedules of EASY worked out by hand, on 4 units. The
// first job has the machine until 10. The second pays 100 at 10 and 5 less per second; after a
// startup of 2 it ends at 12 and is worth 90, less 4 units times 12 s.
func TestBurstByHand(t *testing.T) {
	job := func(submit, run float64, width int, price, decay, floor float64) simulate.Job {
		return simulate.Job{Submit: submit, Work: run, Width: width,
			Value: simulate.Value{Price: price, Due: run, Decay: decay, Floor: floor}}
	}
	first, second := job(0, 10, 4, 0, 0, 0), job(0, 10, 4, 100, 5, 100)
	small := job(1, 2, 4, 10, 1, 0)
	dear := func(price float64) simulate.Rent { return simulate.Rent{Price: price, Startup: 2} }
	hard := job(1, 2, 4, 30, 0, 0)
	hard.Value.Hard, hard.Value.Due = true, 8
	impatient := second
	impatient.Class = 1
	leaving := job(0, 2, 4, 200, 0, 0)
	leaving.Class = 1
	late := job(0, 2, 4, 30, 0, 0)
	late.Value.Hard, late.Value.Due = true, 1
	for _, test := range []struct {
		rule string
		rent simulate.Rent
		jobs []simulate.Job
		want string
	}{
		{"burst=never", dear(1), []simulate.Job{first, second, small}, "0:0-10 1:10-20 2:20-22"},
		{"burst=all", dear(1), []simulate.Job{first, second, small}, "2:3-5 rent 16 0:0-10 1:2-12 rent 48"},
		{"burst=wait burst-after=3", dear(1), []simulate.Job{first, second, small},
			"2:6-8 rent 16 0:0-10 1:5-15 rent 48"},
		// It starts at 10 without rent, before its time comes.
		{"burst=wait burst-after=11", dear(1), []simulate.Job{first, second}, "0:0-10 1:10-20"},
		{"burst=all", simulate.Rent{Price: 1, Startup: 2, Minimum: 30}, []simulate.Job{first, second},
			"0:0-10 1:2-12 rent 120"},
		// The units for the second job are in use until 12. The third one, 4 wide, waits for them in
		// vain, since it starts on the machine at 10; the last is too wide for the limit.
		{"burst=all", simulate.Rent{Price: 1, Startup: 2, Limit: 4}, []simulate.Job{first, second, small,
			job(2, 1, 4, 0, 0, 0)}, "0:0-10 1:2-12 rent 48 2:10-12 3:12-13"},
		{"burst=all", simulate.Rent{Price: 1, Limit: 3}, []simulate.Job{first, second}, "0:0-10 1:10-20"},
		// The second job expects to start at 10, and is then worth 50: more than 90 - 48, and less
		// than 90 - 0.8 * 48 = 51.6. The third is worth 8 after its startup, and is not sent for
		// 0.8 * 16.
		{"burst=loss", dear(1), []simulate.Job{first, second, small}, "0:0-10 1:10-20 2:20-22"},
		{"burst=loss", dear(0.8), []simulate.Job{first, second, small}, "0:0-10 1:2-12 rent 38.4 2:10-12"},
		// At a price of 1 it is sent as well if a job waits that loses 20 $/s: 42 + 20 * 40 / 4 > 50.
		{"burst=loss", dear(1), []simulate.Job{first, second, job(0, 2, 4, 30, 20, 0)},
			"0:0-10 1:2-12 rent 48 2:10-12"},
		// A hard job that is too late loses nothing, whatever it was worth.
		{"burst=loss", dear(1), []simulate.Job{first, second, late}, "0:0-10 1:10-20 2:20-22"},
		// Nor is it sent if that costs more than its value and its penalty: 90 - 4 * 48 < -100.
		{"burst=loss", dear(4), []simulate.Job{first, second, job(0, 2, 4, 30, 20, 0)}, "0:0-10 1:10-20 2:20-22"},
		// A customer whose mean patience is 10 s still waits then with a chance of 1/e: 42 > 50/e, while
		// 90 - 1.6 * 48 < 50/e.
		{"burst=loss", dear(1), []simulate.Job{first, impatient}, "0:0-10 1:2-12 rent 48"},
		{"burst=loss", dear(1.6), []simulate.Job{first, impatient}, "0:0-10 1:10-20"},
		// Jobs 3 wide leave one of four processors idle: the last one expects to start at 11 + 10 * 2 / 3,
		// not / 4, and is then worth 66.7, less than 90 - 0.5 * 36.
		{"burst=loss", dear(0.5), []simulate.Job{job(0, 10, 3, 0, 0, 0), job(0, 10, 3, 0, 0, 0),
			job(11, 10, 3, 100, 5, 100)}, "0:0-10 1:10-20 2:13-23 rent 18"},
		// A customer that leaves after 10 s on average has 20 $/s to lose: 42 + 20 * 40 / 4 > 50.
		{"burst=loss", dear(1), []simulate.Job{first, second, leaving},
			"2:2-4 rent 16 0:0-10 1:2-12 rent 48"},
		// A hard job loses all if it waits until 10. It is sent at the last moment, at 9 - 2 - 2.
		{"burst=loss", dear(1), []simulate.Job{first, hard}, "1:7-9 rent 16 0:0-10"},
	} {
		given := policy.Settings{}
		for _, part := range strings.Fields(test.rule) {
			name, value, _ := strings.Cut(part, "=")
			given[name] = value
		}
		s, err := policy.Lookup(catalog.Standard(), "easy")
		if err != nil {
			t.Fatal(err)
		}
		got := burst(t, s, given, workload.Site{Site: simulate.Site{Processors: 4}, Rent: &test.rent}, test.jobs)
		if text := strings.Join(got.text, " "); text != test.want {
			t.Errorf("%s at %+v:\ngot  %s\nwant %s", test.rule, test.rent, text, test.want)
		}
	}
}

// TestBurstRefused sends jobs that the admission refuses, at a price of 1 with 2 s of startup:
// a job of 4 units for 10 s earns its rent of 48 if it pays 49.
func TestBurstRefused(t *testing.T) {
	for _, test := range []struct {
		rule, want string
	}{
		{"never", ""}, {"wait", ""}, {"loss", "1:2-12 rent 48"}, {"all", "0:2-12 rent 48 1:2-12 rent 48"},
	} {
		var jobs []simulate.Job
		for _, price := range []float64{47, 49} {
			jobs = append(jobs, simulate.Job{Work: 10, Width: 4, Value: simulate.Value{Price: price}})
		}
		s, _ := policy.Lookup(catalog.Standard(), "fcfs")
		p, seen := policytest.ByName(t, "fcfs", nil), new(rentals)
		site := workload.Site{Site: simulate.Site{Processors: 4, Policy: p}, Rent: &simulate.Rent{Price: 1, Startup: 2}}
		site.Burst = s.Burst(policy.Settings{"burst": test.rule}, p, policy.Context{})
		none := agent.AdmitFunc(func(*simulate.Job, []*simulate.Cluster) bool { return false })
		policytest.Audited(t, simulate.Config{Sites: []simulate.Site{site.Site}, Agents: workload.Agents([]workload.Site{site}), Charging: simulate.ByValue, Admission: none,
			Observers: []simulate.Observer{seen}}, jobs)
		if got := strings.Join(seen.text, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.rule, got, test.want)
		}
	}
}

// prompt is an observer that checks that every job starts or leaves when it comes.
type prompt struct{ t *testing.T }

func (p prompt) Observe(e simulate.Event) {
	if (e.Kind == simulate.Started || e.Kind == simulate.Rejected) && e.Time != e.Job.Submit {
		p.t.Fatalf("job %d: %v at %g, submitted at %g", e.Job.ID, e.Kind, e.Time, e.Job.Submit)
	}
}

// TestBurstExtremes: units that cost nothing and are there at once take all jobs that would
// wait. At a price above the value plus the largest penalty per unit-second no job is sent.
func TestBurstExtremes(t *testing.T) {
	dedicated(t, func(t *testing.T, s policy.Spec, given policy.Settings) {
		free := 0
		for seed := range uint64(3) {
			rnd := rand.New(rand.NewPCG(seed, 34))
			jobs := policytest.Patient(rnd, policytest.Assorted(rnd, 80, 6))
			dear := 0.0
			for i := range jobs {
				j := &jobs[i]
				dear = max(dear, (j.Value.Price+j.Value.Floor)/(float64(j.Width)*j.Work))
			}
			p := policytest.ByName(t, s.Name, given)
			stated := func(j *simulate.Job, _ float64) simulate.Value { return j.Value }
			for _, rule := range []string{"loss", "all"} {
				own := policy.Settings{"burst": rule}
				for name, value := range given {
					own[name] = value
				}
				site := workload.Site{Site: simulate.Site{Processors: 8, Policy: p}, Rent: &simulate.Rent{}}
				site.Burst = s.Burst(own, p, policy.Context{Stated: stated})
				seen := new(rentals)
				policytest.Audited(t, simulate.Config{Sites: []simulate.Site{site.Site}, Agents: workload.Agents([]workload.Site{site}), Charging: simulate.ByValue,
					Observers: []simulate.Observer{prompt{t}, seen}}, jobs)
				p = policytest.ByName(t, s.Name, given)
				free += seen.rented
			}
			for i := range jobs {
				jobs[i].Spec.Details.Estimate = 0 // the run times are known
			}
			site := workload.Site{Site: simulate.Site{Processors: 8}, Rent: &simulate.Rent{Price: dear * (1 + 1e-9)}}
			if got := burst(t, s, given, site, jobs); got.rented > 0 {
				t.Errorf("seed %d: %d jobs were sent at a price above their values", seed, got.rented)
			}
		}
		if free == 0 {
			t.Error("no job was sent to units that cost nothing")
		}
	})
}

// TestBurstUnderEveryPolicy audits runs of random jobs, terms, rules and outages: money and units
// are conserved, and the limit is kept.
func TestBurstUnderEveryPolicy(t *testing.T) {
	runs, sent := 0, 0
	dedicated(t, func(t *testing.T, s policy.Spec, given policy.Settings) {
		for seed := range uint64(12) {
			rnd := rand.New(rand.NewPCG(seed, 35))
			jobs := policytest.Assorted(rnd, 60, 4)
			if seed%2 == 0 {
				jobs = policytest.Patient(rnd, jobs)
			}
			site := workload.Site{Site: simulate.Site{Processors: 8}, Rent: &simulate.Rent{
				Price: 0.3 * rnd.Float64(), Startup: float64(rnd.IntN(3)) * 5, Limit: rnd.IntN(3) * 9,
				Minimum: 40 * rnd.Float64(),
			}}
			if seed%3 == 0 {
				site.Down = drawOutages(rnd, 8, seed%2 == 0)
			}
			rule := []string{"loss", "wait", "all"}[rnd.IntN(3)]
			own := policy.Settings{"burst": rule, "burst-after": fmt.Sprint(rnd.IntN(50))}
			for name, value := range given {
				own[name] = value
			}
			p := policytest.ByName(t, s.Name, given)
			site.Policy = p
			stated := func(j *simulate.Job, _ float64) simulate.Value { return j.Value }
			site.Burst = s.Burst(own, p, policy.Context{Stated: stated})
			seen := new(rentals)
			charging := []simulate.Charging{simulate.ByValue, simulate.ByPolicy}[rnd.IntN(2)]
			policytest.Audited(t, simulate.Config{Sites: []simulate.Site{site.Site}, Agents: workload.Agents([]workload.Site{site}), Charging: charging,
				Observers: []simulate.Observer{seen}}, jobs)
			runs, sent = runs+1, sent+seen.rented
		}
	})
	if runs < 300 || sent < 10*runs {
		t.Errorf("%d jobs were sent in %d runs", sent, runs)
	}
}

// TestBurstOptions: the options belong to all policies on dedicated units, and to no others.
func TestBurstOptions(t *testing.T) {
	for _, s := range catalog.Standard() {
		whole := !s.Needs.Shared && !s.Needs.Optional
		if got := s.Has("burst") && s.Has("burst-after"); got != whole {
			t.Errorf("%s: %t", s.Name, got)
		}
		if whole && s.Label(policy.Settings{"burst": "loss"}) != s.Name {
			t.Errorf("%s: the default is in the label", s.Name)
		}
	}
	s, _ := policy.Lookup(catalog.Standard(), "easy")
	got, err := s.Resolve(policy.Settings{"burst-after": "15m"})
	if err != nil || got["burst-after"] != "900" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"soon", "-1", "1e999h"} {
		if _, err := s.Resolve(policy.Settings{"burst-after": bad}); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestBurstGrowth: the time per job grows with the logarithm of the queue. Without limits on
// their number, jobs of ten times as many would take ten times as long.
func TestBurstGrowth(t *testing.T) {
	asks := func(n int) float64 {
		jobs := make([]simulate.Job, n)
		for i := range jobs {
			jobs[i] = simulate.Job{Submit: float64(i), Work: 100, Width: 1,
				Value: simulate.Value{Price: 1, Due: 200, Decay: 1e-6, Floor: math.Inf(1)}}
		}
		s, _ := policy.Lookup(catalog.Standard(), "easy")
		p := policytest.ByName(t, "easy", nil)
		count := &counted{Burst: s.Burst(nil, p, policy.Context{})}
		policytest.Audited(t, simulate.Config{
			Sites:    []simulate.Site{{Processors: 50, Policy: p}},
			Agents:   []simulate.Agent{&agent.Rental{Terms: simulate.Rent{Price: 1, Limit: 50}, Burst: count}},
			Charging: simulate.ByValue,
		}, jobs)
		return float64(count.asks) / float64(n)
	}
	few, many := asks(400), asks(4000)
	if many > few+4 {
		t.Errorf("%.3g questions per job, %.3g for ten times as many jobs", few, many)
	}
}

// counted counts questions.
type counted struct {
	agent.Burst
	asks int
}

func (c *counted) Ask(k *simulate.Cluster, j *simulate.Job) (gain, again float64) {
	c.asks++
	return c.Burst.Ask(k, j)
}

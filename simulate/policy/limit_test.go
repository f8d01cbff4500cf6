package policy_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

const limitProcessors = 8

// crowdedJobs returns 20 to 60 jobs on eight processors that come faster than they can run. Estimates are
// right or too long, in every fourth workload too short as well, and in every fourth jobs give up.
func crowdedJobs(seed uint64) []simulate.Job {
	rnd := rand.New(rand.NewPCG(seed, 44))
	jobs := policytest.Assorted(rnd, 20+rnd.IntN(41), 10+20*rnd.Float64())
	wide := 1 + rnd.IntN(limitProcessors)
	for i := range jobs {
		j := &jobs[i]
		j.Submit, j.Work = math.Floor(j.Submit), math.Ceil(j.Work)
		j.Width = 1 + rnd.IntN(wide)
		if rnd.IntN(6) == 0 {
			j.Width = 1 + rnd.IntN(limitProcessors)
		}
		least := 1.0
		if seed%4 == 3 {
			least = 0.6
		}
		j.Spec.Details.Estimate = math.Ceil(j.Work * (least + rnd.Float64()*float64(rnd.IntN(4))))
		j.Spec.Details.User = rnd.IntN(4)
		j.Value.Due *= 1 + 8*rnd.Float64()
	}
	if seed%4 == 2 {
		policytest.Patient(rnd, jobs)
	}
	return jobs
}

// limitRecord is a job with its fate.
type limitRecord struct {
	*simulate.Job
	id       int
	start    float64 // +Inf if it never started
	end      float64 // of its work, or the time at which it left
	estimate float64
}

// recordsOf runs jobs, and returns their records by submission.
func recordsOf(t *testing.T, name string, s policy.Settings, jobs []simulate.Job) []limitRecord {
	t.Helper()
	site := simulate.Site{Processors: limitProcessors, Policy: policytest.ByName(t, name, s)}
	list := make([]limitRecord, len(jobs))
	cfg := simulate.Config{Sites: []simulate.Site{site}, Charging: simulate.ByValue}
	for i, g := range policytest.Audited(t, cfg, slices.Clone(jobs)) {
		list[i] = limitRecord{&jobs[i], i, math.Inf(1), g.At, jobs[i].Spec.Details.Estimate}
		if g.WasAccepted {
			list[i].start = g.Start
		}
	}
	return list
}

// waitsAfter reports whether a job still waits after the decisions of an instant.
func (r *limitRecord) waitsAfter(t float64) bool { return r.Submit <= t && r.start > t && r.end > t }

// overdue reports whether it has waited for the limit.
func (r *limitRecord) overdue(t, limit float64) bool { return r.Submit+limit <= t }

// room is the free processors over time, as a list of reservations that is searched from end to end.
type room struct {
	now   float64
	taken []limitSpan
}

type limitSpan struct {
	from, to float64
	width    int
}

func (r *room) take(from, to float64, width int) {
	r.taken = append(r.taken, limitSpan{from, to, width})
}

// has reports whether there is room for a job from a time on.
func (r *room) has(from, length float64, width int) bool {
	for _, at := range append([]float64{from}, r.edges()...) {
		if at < from || at >= from+length {
			continue
		}
		used := 0
		for _, s := range r.taken {
			if s.from <= at && at < s.to {
				used += s.width
			}
		}
		if used+width > limitProcessors {
			return false
		}
	}
	return true
}

// earliest returns the first time at which there is.
func (r *room) earliest(length float64, width int) float64 {
	edges := append(r.edges(), r.now)
	slices.Sort(edges)
	for _, at := range edges {
		if at >= r.now && r.has(at, length, width) {
			return at
		}
	}
	return math.Inf(1)
}

func (r *room) edges() (list []float64) {
	for _, s := range r.taken {
		list = append(list, s.from, s.to)
	}
	return list
}

// auditLimit checks records of starts. At every instant t with starts it goes through the overdue jobs that
// still wait, by submission, and gives each the earliest place beside the running jobs, the older
// overdue jobs that start at t, and the places of the older ones that wait. None of these jobs
// could have started at t, and with all the jobs that start at t its place is no later. Only the first 64
// have places. In order, nothing starts before the first of them.
func auditLimit(records []limitRecord, limit float64, inOrder bool) error {
	for i := range records {
		t := records[i].start
		if math.IsInf(t, 1) {
			continue
		}
		before, after := room{now: t}, room{now: t}
		free, held := limitProcessors, 0
		for k := range records {
			r := &records[k]
			if r.start < t && r.end > t {
				before.take(r.start, max(r.start+r.estimate, t), r.Width)
				after.take(r.start, max(r.start+r.estimate, t), r.Width)
				free -= r.Width
			} else if r.start == t {
				after.take(t, t+r.estimate, r.Width)
			}
		}
		for k := range records {
			r := &records[k]
			switch {
			case !r.overdue(t, limit):
			case r.start == t:
				before.take(t, t+r.estimate, r.Width)
				free -= r.Width
			case r.waitsAfter(t):
				passed := slices.ContainsFunc(records, func(o limitRecord) bool {
					return o.start == t && (o.id > k || !o.overdue(t, limit))
				})
				if passed && r.Width <= free && before.has(t, r.estimate, r.Width) {
					return fmt.Errorf("job %d starts at %g, and overdue job %d could", i, t, k)
				}
				if inOrder && passed {
					return fmt.Errorf("job %d starts at %g before overdue job %d, in order", i, t, k)
				}
				if held++; held > 64 {
					continue
				}
				place := before.earliest(r.estimate, r.Width)
				if !inOrder && !after.has(place, r.estimate, r.Width) {
					return fmt.Errorf("the start of job %d at %g delays overdue job %d, which had a place at %g", i, t, k, place)
				}
				before.take(place, place+r.estimate, r.Width)
				after.take(place, place+r.estimate, r.Width)
			}
		}
	}
	return nil
}

// exactSlurm are the settings with which slurm decides at every event, and plans to the second.
func exactSlurm() policy.Settings {
	return policy.Settings{
		"bf_interval": "0", "bf_resolution": "1", "bf_window": "0", "bf_max_job_test": "0", "default_queue_depth": "0",
		"PriorityWeightQOS": "1000", "PriorityWeightJobSize": "500",
	}
}

// limitPolicies are the policies of the audit, limitHeadline of them with many workloads.
func limitPolicies() []limitCase {
	return []limitCase{
		{"value-bf", nil}, {"hol", policy.Settings{"backfill": "true"}}, {"sjf-bf", nil}, {"easy", nil},
		{"slurm", exactSlurm()},
		{"hol", nil}, {"fcfs", policy.Settings{"backfill": "true"}}, {"conservative", nil}, {"sjf", nil},
		{"wfp3", policy.Settings{"backfill": "none"}}, {"first-price", nil},
		{"edf-bf", policy.Settings{"lapse": "latest"}}, {"saf-bf", nil},
	}
}

const limitHeadline = 5

type limitCase struct {
	name     string
	settings policy.Settings
}

func (c limitCase) with(option, value string) policy.Settings {
	s := policy.Settings{option: value}
	maps.Copy(s, c.settings)
	return s
}

// inOrder reports whether no job starts before the head of the queue.
func (c limitCase) inOrder() bool {
	return c.name == "hol" && c.settings == nil || c.name == "sjf" || c.settings["backfill"] == "none"
}

// limitWorkloads audits policies on workloads, with limits that many waits exceed, and with one that none does.
func limitWorkloads(t *testing.T, cases []limitCase, workloads uint64) {
	overdue := map[string]int{}
	for seed := range workloads {
		jobs := crowdedJobs(seed)
		for _, c := range cases {
			plain := recordsOf(t, c.name, c.settings, jobs)
			var waits []float64
			for i := range plain {
				waits = append(waits, min(plain[i].start, plain[i].end)-plain[i].Submit)
			}
			slices.Sort(waits)
			most := strconv.FormatFloat(waits[len(waits)-1]+1, 'g', -1, 64)
			for i, r := range recordsOf(t, c.name, c.with(policy.LongestWait, most), jobs) {
				if r.start != plain[i].start || r.end != plain[i].end {
					t.Fatalf("%s, workload %d, job %d: %v with a limit above all waits, %v without", c.name, seed, i, r, plain[i])
				}
			}
			limit := max(waits[len(waits)*3/4]*0.6, 5)
			got := recordsOf(t, c.name, c.with(policy.LongestWait, strconv.FormatFloat(limit, 'g', -1, 64)), jobs)
			for i := range got {
				if got[i].start-got[i].Submit > limit {
					overdue[c.name]++
				}
			}
			if err := auditLimit(got, limit, c.inOrder()); err != nil {
				t.Fatalf("%s %v, workload %d, limit %g: %v", c.name, c.settings, seed, limit, err)
			}
		}
	}
	for _, c := range cases {
		if overdue[c.name] < int(workloads) {
			t.Errorf("%s: only %d overdue jobs", c.name, overdue[c.name])
		}
	}
}

// TestLongestWait audits records of starts of small workloads.
func TestLongestWait(t *testing.T) {
	limitWorkloads(t, limitPolicies()[:limitHeadline], 60)
	limitWorkloads(t, limitPolicies()[limitHeadline:], 12)
}

// TestLongestWaitOfMany: more overdue jobs wait for the whole machine than hold reservations. Narrow ones behind them
// start beside a running job, before narrow ones that are not overdue.
func TestLongestWaitOfMany(t *testing.T) {
	job := func(at, work float64, width int) (j simulate.Job) {
		j = simulate.Job{Submit: at, Work: work, Width: width}
		j.Spec.Details.Estimate = work
		return j
	}
	jobs := []simulate.Job{job(0, 20, limitProcessors), job(0, 50, limitProcessors-3)}
	for range 80 {
		jobs = append(jobs, job(1, 10, limitProcessors))
	}
	for range 10 {
		jobs = append(jobs, job(2, 5, 1))
	}
	for i := range 4 {
		jobs = append(jobs, job(21+float64(i), 5, 1))
	}
	got := recordsOf(t, "easy", policy.Settings{policy.LongestWait: "5"}, jobs)
	if err := auditLimit(got, 5, false); err != nil || got[82].start != 20 || got[85].start != 25 {
		t.Error(err, got[82].start, got[85].start)
	}
}

// TestLimitByHand: on two processors A runs on one of them up to 100. B and C wait; the queue is in order of
// estimates without backfilling, so that the wide B holds C up. C is overdue at 11, and starts then.
func TestLimitByHand(t *testing.T) {
	p := policytest.ByName(t, "sjf", policy.Settings{policy.LongestWait: "10s"})
	got := policytest.Execute(t, 2, p, []policytest.Submission{
		{At: 0, Runtime: 100, Estimate: 100, Width: 1}, {At: 1, Runtime: 20, Estimate: 20, Width: 1},
		{At: 1, Runtime: 10, Estimate: 10, Width: 2},
	})
	if got[1].Start != 11 || got[2].Start != 100 {
		t.Errorf("got %+v", got)
	}
}

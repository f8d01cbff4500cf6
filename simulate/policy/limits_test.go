package policy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
)

// owned is a job with its user, from 1.
func owned(user int, at, runtime float64, width int) simulate.Job {
	j := simulate.Job{Submit: at, Work: runtime, Width: width}
	j.Spec.Details.User = user
	return j
}

// starts returns the starts of jobs under limits, NaN for those that never start.
func starts(t *testing.T, name string, processors int, limits []simulate.Limit, jobs []simulate.Job) []float64 {
	t.Helper()
	fates := make(policytest.Fates, len(jobs))
	cfg := simulate.Config{
		Sites:     []simulate.Site{{Processors: processors, Policy: policytest.ByName(t, name, nil)}},
		Observers: []simulate.Observer{fates}, Limits: limits,
	}
	policytest.Audited(t, cfg, jobs)
	list := make([]float64, len(jobs))
	for i, f := range fates {
		list[i] = f.Start
	}
	return list
}

// TestLimitsByHand: schedules worked out by hand on 10 processors, where user 1 may hold 4.
func TestLimitsByHand(t *testing.T) {
	nan := math.NaN()
	four := []simulate.Limit{{Owner: simulate.OfUser, ID: 1, Units: 4}}
	for _, c := range []struct {
		name   string
		policy string
		limits []simulate.Limit
		jobs   []simulate.Job
		want   []float64
	}{
		{"the second job of user 1 is passed over, and the job behind it starts", "fcfs", four,
			[]simulate.Job{owned(1, 0, 10, 4), owned(1, 0, 10, 4), owned(2, 1, 5, 6)}, []float64{0, 10, 1}},
		{"two jobs fit one by one, not together; a narrow one fits beside the first", "fcfs", four,
			[]simulate.Job{owned(1, 0, 10, 3), owned(1, 0, 10, 2), owned(1, 0, 5, 1)}, []float64{0, 10, 0}},
		{"a wide job starts when its owner holds nothing, and then nothing else of the owner", "fcfs", four,
			[]simulate.Job{owned(1, 0, 10, 1), owned(1, 0, 10, 6), owned(1, 1, 20, 1), owned(1, 25, 1, 1)}, []float64{0, 21, 1, 31}},
		{"a wide job is rejected", "fcfs", []simulate.Limit{{Owner: simulate.OfUser, ID: 1, Units: 4, Never: true}},
			[]simulate.Job{owned(1, 0, 10, 5), owned(1, 0, 10, 4), owned(2, 0, 10, 5)}, []float64{nan, 0, 0}},
		{"one job at a time", "fcfs", []simulate.Limit{{Owner: simulate.OfUser, ID: 1, Jobs: 1}},
			[]simulate.Job{owned(1, 0, 10, 1), owned(1, 1, 10, 1), owned(2, 2, 10, 1)}, []float64{0, 10, 2}},
		{"a job at its limit holds no reservation: a long job starts in its place", "easy", four,
			[]simulate.Job{owned(1, 0, 10, 4), owned(1, 1, 10, 4), owned(2, 2, 100, 6)}, []float64{0, 10, 2}},
		{"the head loses its room by a start behind it, and its reservation with it", "easy", []simulate.Limit{{Owner: simulate.OfUser, ID: 1, Units: 10}},
			[]simulate.Job{owned(2, 0, 10, 8), owned(1, 1, 10, 10), owned(1, 2, 5, 1), owned(2, 3, 50, 1)}, []float64{0, 53, 2, 3}},
		{"conservative gives a job its place when there is room", "conservative", four,
			[]simulate.Job{owned(1, 0, 10, 4), owned(1, 1, 10, 4), owned(2, 2, 100, 6)}, []float64{0, 10, 2}},
	} {
		if got := starts(t, c.policy, 10, c.limits, c.jobs); !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: %s starts jobs at %v, want %v", c.name, c.policy, got, c.want)
		}
	}
}

func same(a, b float64) bool { return a == b || a != a && b != b }

// rescan is fcfs and easy under limits, written for plainness: after every start it looks at all jobs again.
type rescan struct {
	easy       bool
	processors int
	limits     []simulate.Limit
	jobs       []simulate.Job
	start, end []float64 // NaN before the start
	gone       []bool    // rejected
}

func (r *rescan) room(i int) bool {
	for _, l := range r.limits {
		units, jobs := 0, 0
		for k := range r.jobs {
			if l.Owns(&r.jobs[k]) && r.runs(k) {
				units += r.jobs[k].Width
				jobs++
			}
		}
		width := r.jobs[i].Width
		switch {
		case !l.Owns(&r.jobs[i]):
		case l.Jobs > 0 && jobs >= l.Jobs:
			return false
		case l.Units > 0 && units+width > l.Units && (width <= l.Units || l.Never || jobs > 0):
			return false
		}
	}
	return true
}

func (r *rescan) runs(k int) bool { return r.start[k] == r.start[k] && r.end[k] != r.end[k] }

// next returns a job that may start now, -1 if there is none.
func (r *rescan) next(now float64) int {
	free, ends := r.processors, []int(nil)
	for k, j := range r.jobs {
		if r.runs(k) {
			free -= j.Width
			ends = append(ends, k)
		}
	}
	expected := func(k int) float64 { return max(now, r.start[k]+r.jobs[k].Spec.Details.Estimate) }
	slices.SortFunc(ends, func(a, b int) int { return int(expected(a) - expected(b)) })
	head, shadow, extra := -1, 0.0, 0
	for i, j := range r.jobs {
		switch {
		case j.Submit > now || r.gone[i] || r.start[i] == r.start[i] || !r.room(i):
		case head < 0 && j.Width <= free:
			return i
		case head < 0:
			if !r.easy {
				return -1
			}
			head, extra = i, free-j.Width
			for n, k := range ends {
				extra += r.jobs[k].Width
				if extra >= 0 && (n+1 == len(ends) || expected(ends[n+1]) > expected(k)) {
					shadow = expected(k)
					break
				}
			}
		case j.Width <= free && (now+j.Spec.Details.Estimate <= shadow || j.Width <= extra):
			return i
		}
	}
	return -1
}

func (r *rescan) run() []float64 {
	never := math.NaN()
	for i, j := range r.jobs {
		r.start, r.end = append(r.start, never), append(r.end, never)
		r.gone = append(r.gone, j.Width > r.processors || slices.ContainsFunc(r.limits, func(l simulate.Limit) bool {
			return l.Owns(&r.jobs[i]) && l.Never && l.Units > 0 && j.Width > l.Units
		}))
	}
	for now := 0.0; !math.IsInf(now, 1); {
		for k, j := range r.jobs {
			if r.runs(k) && r.start[k]+j.Work <= now {
				r.end[k] = now
			}
		}
		for i := r.next(now); i >= 0; i = r.next(now) {
			r.start[i] = now
		}
		soon := math.Inf(1)
		for k, j := range r.jobs {
			if r.runs(k) {
				soon = min(soon, r.start[k]+j.Work)
			} else if j.Submit > now {
				soon = min(soon, j.Submit)
			}
		}
		now = soon
	}
	return r.start
}

// limited returns random jobs of four users and three accounts on nine processors, at whole seconds, and limits.
func limited(rnd *rand.Rand) (jobs []simulate.Job, limits []simulate.Limit) {
	at := 0.0
	for range 5 + rnd.IntN(60) {
		at += float64(rnd.IntN(8))
		j := owned(1+rnd.IntN(4), at, float64(1+rnd.IntN(40)), 1+rnd.IntN(9))
		j.Spec.Details.Account = 1 + rnd.IntN(3)
		j.Spec.Details.Estimate = max(1, math.Floor(j.Work*(0.5+2*rnd.Float64())))
		jobs = append(jobs, j)
	}
	for range 1 + rnd.IntN(4) {
		l := simulate.Limit{Owner: simulate.OfUser, ID: 1 + rnd.IntN(4)}
		if rnd.IntN(2) == 0 {
			l.Owner = simulate.OfAccount
		}
		if rnd.IntN(3) > 0 {
			l.Units, l.Never = 1+rnd.IntN(9), rnd.IntN(3) == 0
		}
		if l.Units == 0 || rnd.IntN(3) == 0 {
			l.Jobs = 1 + rnd.IntN(3)
		}
		limits = append(limits, l)
	}
	return jobs, limits
}

// TestLimitsRescanned compares fcfs and easy with a simulator that looks at all jobs again after every start.
func TestLimitsRescanned(t *testing.T) {
	rnd := rand.New(rand.NewPCG(55, 1))
	for run := range 500 {
		jobs, limits := limited(rnd)
		for _, name := range []string{"fcfs", "easy"} {
			want := (&rescan{easy: name == "easy", processors: 9, limits: limits, jobs: jobs}).run()
			if got := starts(t, name, 9, limits, jobs); !slices.EqualFunc(got, want, same) {
				t.Fatalf("run %d: %s starts jobs at\n%v, want\n%v, under %+v", run, name, got, want, limits)
			}
		}
	}
}

// hoard counts the processors of user 1, and the starts that take them beyond 4.
type hoard struct{ held, beyond int }

func (h *hoard) Observe(e simulate.Event) {
	if e.Job == nil || e.Job.Spec.Details.User != 1 {
		return
	}
	switch e.Kind {
	case simulate.Started:
		h.held += e.Job.Width
		if h.held > 4 && h.held > e.Job.Width {
			h.beyond++
		}
	case simulate.Completed:
		h.held -= e.Job.Width
	}
}

// TestLimitsAudited: under every policy with a queue on dedicated processors, which are those with the option
// longest_wait, no owner holds more than its limits, and limits that nothing reaches change nothing.
func TestLimitsAudited(t *testing.T) {
	for _, spec := range catalog.Standard() {
		for _, settings := range []policy.Settings{nil, {policy.LongestWait: "40"}, spec.Also} {
			if !spec.Grid && (settings[policy.LongestWait] == "" || spec.Limited) {
				auditLimits(t, spec, settings)
			}
		}
	}
}

func auditLimits(t *testing.T, spec policy.Spec, settings policy.Settings) {
	rnd := rand.New(rand.NewPCG(55, 2))
	seen := new(hoard)
	for range 10 {
		jobs := policytest.Patient(rnd, policytest.Assorted(rnd, 60, 8))
		for i := range jobs {
			jobs[i].Spec.Details.User = 1 + rnd.IntN(3)
		}
		run := func(limits []simulate.Limit, others ...simulate.Observer) policytest.Fates {
			policies, _, err := spec.Build(settings, policy.Sites(8))
			if err != nil {
				t.Fatal(err)
			}
			fates := make(policytest.Fates, len(jobs))
			cfg := simulate.Config{Sites: []simulate.Site{{Processors: 8, Policy: policies[0]}}, Limits: limits,
				Charging: simulate.ByValue, Observers: append(others, fates)}
			policytest.Audited(t, cfg, jobs)
			return fates
		}
		run([]simulate.Limit{{Owner: simulate.OfUser, ID: 1, Units: 4}, {Owner: simulate.OfUser, ID: 2, Jobs: 1}}, seen)
		free, wide := run(nil), run([]simulate.Limit{{Owner: simulate.OfUser, ID: 1, Units: 1000, Jobs: 1000}})
		for i := range free {
			if f, w := free[i], wide[i]; !same(f.Start, w.Start) || !same(f.Finish, w.Finish) || f.Revenue != w.Revenue {
				t.Fatalf("%s: job %d is %+v, and %+v under limits that nothing reaches", spec.Name, i, f, w)
			}
		}
	}
	if spec.Limited && seen.beyond > 0 {
		t.Errorf("%s: %d starts beyond the limit", spec.Name, seen.beyond)
	}
}

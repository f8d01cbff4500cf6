package policy_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// submission is a job with what its user asks for.
type submission struct {
	at, runtime, estimate float64
	width                 int
	deadline, budget      float64 // a deadline of 0 is none
	penalty               float64
	hard                  bool
	memory, disk          float64
	class                 int
	void                  bool    // never ran
	expire                float64 // time at which it gives up; 0: never
}

// submitted returns the jobs of submissions.
func submitted(list []submission) []simulate.Job {
	jobs := make([]simulate.Job, len(list))
	for i, s := range list {
		jobs[i] = simulate.Job{Class: s.class, Submit: s.at, Work: s.runtime, Width: s.width, Expire: s.expire, Void: s.void}
		jobs[i].Spec.Details.Estimate = s.estimate
		jobs[i].Spec.Requirements = simulate.Requirements{Memory: s.memory, Disk: s.disk}
		jobs[i].Value = simulate.ByDeadline(s.budget, s.deadline, s.penalty, s.hard)
		jobs[i].Value.Dated = s.deadline > 0
	}
	return jobs
}

// fate is what became of a job.
type fate struct {
	start, finish float64 // NaN where it did not run
	revenue       float64
	reason        simulate.Reason
	killed        bool
	expired       bool
}

// fates is an observer that collects them by ID.
type fates []fate

func (f fates) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Completed:
		f[e.Job.ID] = fate{start: e.Job.Start, finish: e.Time, revenue: e.Job.Revenue, killed: e.Job.Killed}
	case simulate.Rejected:
		f[e.Job.ID] = fate{start: math.NaN(), finish: math.NaN(), revenue: e.Job.Revenue, reason: e.Reason}
	case simulate.Expired:
		f[e.Job.ID] = fate{start: math.NaN(), finish: e.Time, revenue: e.Job.Revenue, expired: true}
	}
}

// execute runs jobs under a policy and an audit.
func execute(tb testing.TB, processors int, p simulate.Policy, jobs []submission, others ...simulate.Observer) fates {
	tb.Helper()
	got, site := make(fates, len(jobs)), simulate.Site{Processors: processors, Policy: p}
	audited(tb, simulate.Config{Sites: []simulate.Site{site}, Observers: append(others, got)}, submitted(jobs))
	return got
}

// named returns a policy by its name.
func named(tb testing.TB, name string, s policy.Settings) simulate.Policy {
	tb.Helper()
	spec := must(policy.Lookup(catalog.Standard(), name))
	policies, _, err := spec.Build(s, policy.Sites(8))
	if err != nil {
		tb.Fatal(err)
	}
	return policies[0]
}

// sp2Path is where the SDSC SP2 trace is looked for.
const sp2Path = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"

// Rules of cleaning a trace: what becomes of jobs that never ran.
const (
	drop   = "drop"   // they are left out
	reject = "reject" // they come and are never accepted
	keep   = "keep"   // they run for a second
)

// sp2 reads the jobs of the SDSC SP2 trace, or skips the test. It is apart from
// the reader of the project and only as good as it must be for one file.
func sp2(tb testing.TB, cleaning string) []submission {
	tb.Helper()
	file, err := os.Open(sp2Path)
	if err != nil {
		tb.Skipf("the SDSC SP2 trace is not here: %v", err)
	}
	defer file.Close()
	unzipped := must(gzip.NewReader(file))
	var jobs []submission
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		var id, at, wait, runtime, used, cpu, memory, width, estimate float64
		if lines.Text()[0] == ';' {
			continue
		}
		if _, err := fmt.Sscan(lines.Text(), &id, &at, &wait, &runtime, &used, &cpu, &memory, &width, &estimate); err != nil {
			tb.Fatalf("%q: %v", lines.Text(), err)
		}
		if width < 0 {
			width = used
		}
		if runtime <= 0 && cleaning == drop || width <= 0 {
			continue
		}
		void := runtime <= 0 && cleaning == reject
		runtime = max(runtime, 1)
		if estimate <= 0 {
			estimate = runtime
		}
		jobs = append(jobs, submission{at: at, runtime: runtime, estimate: estimate, width: int(width), void: void})
	}
	if lines.Err() != nil {
		tb.Fatal(lines.Err())
	}
	for i := len(jobs) - 1; i >= 0; i-- {
		jobs[i].at -= jobs[0].at
	}
	return jobs
}

// means returns the mean wait and the mean bounded slowdown, with the usual
// threshold of 10 s, of the jobs that ran, and the number of jobs killed.
func means(jobs []submission, f fates) (wait, slowdown float64, killed int) {
	n := 0.0
	for i, job := range f {
		if math.IsNaN(job.start) {
			continue
		}
		n++
		w, r := job.start-jobs[i].at, job.finish-job.start
		wait += w
		slowdown += max(1, (w+r)/max(r, 10))
		if job.killed {
			killed++
		}
	}
	return wait / n, slowdown / n, killed
}

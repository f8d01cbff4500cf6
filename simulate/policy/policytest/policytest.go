package policytest

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// Given is a source of jobs, of which it takes all that a source fills.
type Given []simulate.Job

func (l *Given) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	g := &(*l)[0]
	*l = (*l)[1:]
	j.Class, j.Submit, j.Work, j.Width, j.Rank, j.Void = g.Class, g.Submit, g.Work, g.Width, g.Rank, g.Void
	j.Value, j.Tariff, j.Expire, j.Patience, j.Chance, j.Spec = g.Value, g.Tariff, g.Expire, g.Patience, g.Chance, g.Spec
	j.Eligible, j.Number, j.After, j.Think = g.Eligible, g.Number, g.After, g.Think
	return true, nil
}

// Assorted returns jobs for any policy: three classes, deadlines soft and hard
// with floors of some, estimates that are off, a mandatory and an optional part,
// and a lot. A few are wider than eight processors, some state no deadline.
func Assorted(rnd *rand.Rand, n int, gap float64) []simulate.Job {
	jobs := make([]simulate.Job, n)
	at := 0.0
	for i := range jobs {
		j := &jobs[i]
		at += gap * rnd.ExpFloat64()
		*j = simulate.Job{Class: rnd.IntN(3), Submit: at, Work: 1 + 30*rnd.ExpFloat64(), Width: 1 + rnd.IntN(9), Chance: rnd.Float64()}
		j.Rank = j.Class
		j.Value = simulate.ByDeadline(j.Work*(1+3*rnd.Float64()), j.Work*(1.1+6*rnd.Float64()), rnd.Float64(), rnd.IntN(3) == 0)
		j.Value.Dated = rnd.IntN(8) > 0
		if rnd.IntN(2) == 0 {
			j.Value.Floor = 20 * rnd.Float64()
		}
		j.Spec.Details.Estimate = j.Work * (0.7 + 2*rnd.Float64())
		j.Spec.Imprecise = &simulate.Imprecise{Mandatory: j.Work / 3, Optional: j.Work * 2 / 3, Reward: 5, Bonus: simulate.Linear(rnd.Float64())}
	}
	return jobs
}

// Patient lets most of the jobs give up. All have a floor.
func Patient(rnd *rand.Rand, jobs []simulate.Job) []simulate.Job {
	for i := range jobs {
		jobs[i].Value.Floor = 20 * rnd.Float64()
		if rnd.IntN(4) > 0 {
			jobs[i].Expire = jobs[i].Submit + 60*rnd.ExpFloat64()
		}
	}
	return jobs
}

// Ending is how a job ended.
type Ending struct {
	Kind        simulate.Kind
	Reason      simulate.Reason
	Start, At   float64
	Revenue     float64
	site        int
	Admitted    bool
	WasAccepted bool // started
}

// Endings is an observer of how jobs end, in order of submission.
type Endings struct {
	list    []Ending
	Waiting int // jobs that wait, by what was seen
}

func (s *Endings) Observe(e simulate.Event) {
	if e.Job == nil || e.Kind == simulate.Rated {
		return
	}
	if e.Kind == simulate.Submitted {
		s.list = append(s.list, Ending{site: -1})
		s.Waiting++
	}
	g := &s.list[e.Job.ID]
	switch e.Kind {
	case simulate.Admitted:
		g.Admitted = true
	case simulate.Started:
		g.WasAccepted, g.Start = true, e.Time
		s.Waiting--
	case simulate.Rejected, simulate.Expired:
		if !g.WasAccepted { // else it was preempted
			s.Waiting--
		}
	}
	g.Kind, g.Reason, g.At, g.Revenue = e.Kind, e.Reason, e.Time, e.Job.Revenue
	if e.Site != nil {
		g.site = e.Site.Index()
	}
}

// Built returns the policies of a spec with its defaults.
func Built(t *testing.T, spec policy.Spec, c policy.Context) []simulate.Policy {
	t.Helper()
	policies, _, err := spec.Build(nil, c)
	if err != nil {
		t.Fatal(err)
	}
	return policies
}

// Audited runs jobs under audit, to their ends.
func Audited(t testing.TB, cfg simulate.Config, jobs []simulate.Job) []Ending {
	t.Helper()
	source, audit, seen := Given(jobs), new(simulate.Audit), new(Endings)
	cfg.Source, cfg.Observers = &source, append(slices.Clip(cfg.Observers), audit, seen)
	if _, err := simulate.Run(context.Background(), cfg); err != nil || audit.Err() != nil {
		t.Fatal(err, audit.Err())
	}
	if audit.Unfinished() != 0 || len(seen.list) != len(jobs) || seen.Waiting != 0 {
		t.Fatalf("%d of %d jobs unfinished, %d wait", audit.Unfinished(), len(jobs), seen.Waiting)
	}
	return seen.list
}

// Must returns v, and panics if there is an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Submission is a job with what its user asks for.
type Submission struct {
	At, Runtime, Estimate float64
	Width                 int
	Deadline, Budget      float64 // a deadline of 0 is none
	Penalty               float64
	Hard                  bool
	Memory, Disk          float64
	Class                 int
	void                  bool    // never ran
	Expire                float64 // time at which it gives up; 0: never
}

// Submitted returns the jobs of submissions.
func Submitted(list []Submission) []simulate.Job {
	jobs := make([]simulate.Job, len(list))
	for i, s := range list {
		jobs[i] = simulate.Job{Class: s.Class, Submit: s.At, Work: s.Runtime, Width: s.Width, Expire: s.Expire, Void: s.void}
		jobs[i].Spec.Details.Estimate = s.Estimate
		jobs[i].Spec.Requirements = simulate.Requirements{Memory: s.Memory, Disk: s.Disk}
		jobs[i].Value = simulate.ByDeadline(s.Budget, s.Deadline, s.Penalty, s.Hard)
		jobs[i].Value.Dated = s.Deadline > 0
	}
	return jobs
}

// Fate is what became of a job.
type Fate struct {
	Start, Finish float64 // NaN where it did not run
	Revenue       float64
	Reason        simulate.Reason
	Killed        bool
	Expired       bool
}

// Fates is an observer that collects them by ID.
type Fates []Fate

func (f Fates) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Completed:
		f[e.Job.ID] = Fate{Start: e.Job.Start, Finish: e.Time, Revenue: e.Job.Revenue, Killed: e.Job.Killed}
	case simulate.Rejected:
		f[e.Job.ID] = Fate{Start: math.NaN(), Finish: math.NaN(), Revenue: e.Job.Revenue, Reason: e.Reason}
	case simulate.Expired:
		f[e.Job.ID] = Fate{Start: math.NaN(), Finish: e.Time, Revenue: e.Job.Revenue, Expired: true}
	}
}

// Execute runs jobs under a policy and an audit.
func Execute(tb testing.TB, processors int, p simulate.Policy, jobs []Submission, others ...simulate.Observer) Fates {
	tb.Helper()
	got, site := make(Fates, len(jobs)), simulate.Site{Processors: processors, Policy: p}
	Audited(tb, simulate.Config{Sites: []simulate.Site{site}, Observers: append(others, got)}, Submitted(jobs))
	return got
}

// ByName returns a policy by its name.
func ByName(tb testing.TB, name string, s policy.Settings) simulate.Policy {
	tb.Helper()
	spec := Must(policy.Lookup(catalog.Standard(), name))
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
	Drop   = "drop"   // they are left out
	Reject = "reject" // they come and are never accepted
	Keep   = "keep"   // they run for a second
)

// SP2 reads the jobs of the SDSC SP2 trace, or skips the test. It is apart from
// the reader of the project and only as good as it must be for one file.
func SP2(tb testing.TB, cleaning string) []Submission {
	tb.Helper()
	file, err := os.Open(sp2Path)
	if err != nil { // the test is of a package below
		file, err = os.Open("../" + sp2Path)
	}
	if err != nil {
		tb.Skipf("the SDSC SP2 trace is not here: %v", err)
	}
	defer file.Close()
	unzipped := Must(gzip.NewReader(file))
	var jobs []Submission
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
		if runtime <= 0 && cleaning == Drop || width <= 0 {
			continue
		}
		void := runtime <= 0 && cleaning == Reject
		runtime = max(runtime, 1)
		if estimate <= 0 {
			estimate = runtime
		}
		jobs = append(jobs, Submission{At: at, Runtime: runtime, Estimate: estimate, Width: int(width), void: void})
	}
	if lines.Err() != nil {
		tb.Fatal(lines.Err())
	}
	for i := len(jobs) - 1; i >= 0; i-- {
		jobs[i].At -= jobs[0].At
	}
	return jobs
}

// Means returns the mean wait and the mean bounded slowdown, with the usual
// threshold of 10 s, of the jobs that ran, and the number of jobs killed.
func Means(jobs []Submission, f Fates) (wait, slowdown float64, killed int) {
	n := 0.0
	for i, job := range f {
		if math.IsNaN(job.Start) {
			continue
		}
		n++
		w, r := job.Start-jobs[i].At, job.Finish-job.Start
		wait += w
		slowdown += max(1, (w+r)/max(r, 10))
		if job.Killed {
			killed++
		}
	}
	return wait / n, slowdown / n, killed
}

// Seven are J0 to J6 of the worked example, for three nodes.
func Seven() []Submission {
	return []Submission{
		Exact(0, 10, 40, 20, 2), Exact(5, 10, 25, 40, 1), Exact(8, 6, 8, 30, 2), Exact(9, 4, 40, 4.05, 1),
		Exact(12, 5, 10, 50, 3), Exact(13, 3, 12, 9, 2), Exact(14, 1, 9, 9, 4),
	}
}

// Exact returns a job whose runtime is as estimated.
func Exact(at, runtime, deadline, budget float64, width int) Submission {
	return Submission{At: at, Runtime: runtime, Estimate: runtime, Width: width, Deadline: deadline, Budget: budget}
}

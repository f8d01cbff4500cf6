package study

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
)

// The needs of the parts of a study, in bytes, about.
const (
	jobBytes   = 700  // a job that waits or runs, in the kernel and its policy
	boundBytes = 4000 // a job that is bounded
	cellBytes  = 100  // a cell of work, beside its numbers
)

// workPlan is so many replications of experiments on so many workers.
type workPlan struct {
	experiments  []*Experiment
	replications int
	workers      int // 0: one per processor
	bounds       int // replications that are bounded as well
}

// side returns how many of so many runs are side by side.
func (p workPlan) side(runs int) float64 {
	workers := p.workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return float64(max(1, min(runs, workers)))
}

// afford refuses a plan beyond the budget of memory, and says how long one takes.
func (p workPlan) afford(ctx context.Context) error {
	var samples, active, seconds, rough float64
	for _, e := range p.experiments {
		samples += e.sampleBytes()
		active = math.Max(active, e.active())
		rough += e.cost() * float64(p.replications)
	}
	size := p.experiments[0].Workload.Size()
	if err := budget.Memory(ctx, samples*float64(p.replications), "%s of %s ask for", text.Plural(p.replications, "replication"), text.Plural(len(p.experiments), "run")); err != nil {
		return err
	}
	if err := budget.Memory(ctx, active*jobBytes*p.side(p.replications), "%s of %s jobs that wait at a time ask for", text.Fixed(active, 0), text.Fixed(size, 0)); err != nil {
		return err
	}
	if p.bounds > 0 {
		seconds += size * boundCost * float64(p.bounds)
		if err := budget.Memory(ctx, size*boundBytes*p.side(p.bounds), "bounds on %s jobs ask for", text.Fixed(size, 0)); err != nil {
			return err
		}
	}
	for _, e := range p.experiments {
		cost := e.cost()
		if rough > pilotFrom {
			cost = e.measured(ctx)
		}
		seconds += cost * (float64(p.replications) + e.searchRuns())
	}
	budget.Time(ctx, seconds/p.side(p.replications*len(p.experiments)))
	return nil
}

// sampleBytes returns what a replication leaves behind.
func (e *Experiment) sampleBytes() float64 {
	parts, sum := 1, int(unsafe.Sizeof(metric.Sum{}))
	if e.variates() != nil {
		parts += metric.Batches
	}
	const slack = 2 // of the garbage collector, and for what is estimated of them
	return slack * float64(cellBytes+parts*(int(unsafe.Sizeof(metric.Part{}))+sum*len(e.Workload.Customers())+8*maxControls))
}

// active estimates how many jobs wait or run at a time at most: the part of them that
// is more than the machine can serve, where jobs do not give up, and all of them where
// they are submitted at once.
func (e *Experiment) active() float64 {
	jobs, load := e.Workload.Size(), e.Workload.Load()
	switch {
	case e.Workload.Stream() > 0 && !e.Overloaded(), e.Policy.Spec.Needs.Deadlines:
		return 0
	case math.IsInf(load, 1): // all are submitted at once, before any gives up
		return jobs
	case !(load > 1), slices.ContainsFunc(e.Workload.Customers(), givesUp):
		return 0
	}
	return jobs * (1 - 1/load)
}

// givesUp reports whether jobs of a customer give up at some time.
func givesUp(c model.Class) bool { return c.Expire != model.ExpireNever }

// A study that may take longer than pilotFrom seconds is measured: each of its
// experiments runs for a moment.
const (
	pilotFrom = 5
	pilotTime = 100 * time.Millisecond
)

// measured returns how many seconds a replication takes, by the jobs that arrive in
// the second half of its first moment, when an empty machine has filled a little.
// Queues that grow make it longer.
func (e *Experiment) measured(ctx context.Context) float64 {
	short, cancel := context.WithTimeout(ctx, pilotTime)
	defer cancel()
	seen := submissions{begun: time.Now()}
	_, err := e.Run(short, 0, &seen)
	seconds := time.Since(seen.begun)
	switch n := float64(seen.late); {
	case err == nil:
		return seconds.Seconds()
	case short.Err() == nil || n == 0:
		return e.cost()
	default:
		return (seconds - pilotTime/2).Seconds() * math.Max(1, e.Workload.Size()/n)
	}
}

// submissions counts jobs that are submitted late in a pilot run.
type submissions struct {
	begun time.Time
	late  int
}

// Observe implements simulate.Observer.
func (s *submissions) Observe(e simulate.Event) {
	if e.Kind == simulate.Submitted && time.Since(s.begun) > pilotTime/2 {
		s.late++
	}
}

// searchedRuns is how many runs a search for an admission takes, about.
const searchedRuns = 1000

// searchRuns returns how many replications the search for the admission is worth.
func (e *Experiment) searchRuns() float64 {
	a := e.Admission
	if a.Admit != nil || a.Rule != nil || !slices.Contains([]string{scenario.AdmitSimulated, scenario.AdmitPromise, ControlThreshold}, a.Name) {
		return 0
	}
	if e.Workload.Stream() == 0 {
		return searchedRuns
	}
	return searchedRuns * math.Min(1, searchJobs/e.Workload.Size())
}

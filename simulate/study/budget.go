package study

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
)

// The needs of the parts of a study, in bytes, about.
const (
	jobBytes   = 700  // a job that waits or runs, in the kernel and its policy
	boundBytes = 4000 // a job that is bounded
	cellBytes  = 100  // a cell of work, beside its numbers
)

// afford refuses a plan beyond the budget of memory. With a Stop, the first look may
// be the last.
func (x *Execution) afford(ctx context.Context) error {
	p := x.Plan
	n := p.Replications
	if p.Stop != nil {
		n = x.first
	}
	cells := float64(p.Points()) * float64(len(p.Rows)) * float64(n)
	const slack = 2 // of the garbage collector, and for what is estimated of them
	if err := budget.Memory(ctx, slack*cells*float64(cellBytes+8*x.Values()), "%s of %s at %s ask for",
		text.Plural(n, "replication"), text.Plural(len(p.Rows), "run"), text.Plural(p.Points(), "point")); err != nil {
		return err
	}
	for point := range x.costs {
		if err := x.affordPoint(ctx, point, n); err != nil {
			return err
		}
	}
	return nil
}

// affordPoint refuses a point whose jobs do not fit into memory.
func (x *Execution) affordPoint(ctx context.Context, index, replications int) error {
	at, err := x.ready(ctx, index)
	if err != nil {
		return err
	}
	size, active := x.sizes[index], 0.0
	for _, row := range x.Plan.RowsAt(index) {
		active = math.Max(active, at.experiment(row, x.Plan.Rows[row].admission(index)).active())
	}
	side := sideBySide(0, replications)
	if err := budget.Memory(ctx, active*jobBytes*side, "%s of %s jobs that wait at a time ask for", text.Fixed(active, 0), text.Fixed(size, 0)); err != nil {
		return err
	}
	if x.Plan.Bounds == nil || x.Plan.Bounds.Quick && at.workload.Stream() > 0 {
		return nil
	}
	return budget.Memory(ctx, size*boundBytes*side, "bounds on %s jobs ask for", text.Fixed(size, 0))
}

// affordRuns refuses replications of one experiment that do not fit into memory, and
// says how long they take.
func (e *Experiment) affordRuns(ctx context.Context, replications, workers int) error {
	side, active := sideBySide(workers, replications), e.active()
	size := text.Fixed(e.Workload.Size(), 0)
	if err := budget.Memory(ctx, active*jobBytes*side, "%s of %s jobs that wait at a time ask for", text.Fixed(active, 0), size); err != nil {
		return err
	}
	cost := e.cost()
	if cost*float64(replications) > pilotFrom {
		cost = e.measured(ctx)
	}
	budget.Time(ctx, cost*float64(replications)/side)
	return nil
}

// sideBySide returns how many of so many runs are simulated at a time on so many
// workers, 0 being one per processor.
func sideBySide(workers, runs int) float64 {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return float64(max(1, min(runs, workers)))
}

// announce says how long a plan takes, by what its costliest point is measured to
// take.
func (x *Execution) announce(ctx context.Context, e Engine) {
	n := x.Plan.Replications
	if x.Plan.Stop != nil {
		n = x.first
	}
	var rough, bounds float64
	costliest := 0
	for i, cost := range x.costs {
		rough += cost * float64(len(x.Plan.RowsAt(i))*n)
		bounds += x.boundCost(i) * float64(n)
		if cost > x.costs[costliest] {
			costliest = i
		}
	}
	seconds := bounds
	if at, err := x.ready(ctx, costliest); err == nil {
		var measured, most, searches float64
		for _, row := range x.Plan.RowsAt(costliest) {
			own := at.experiment(row, x.Plan.Rows[row].admission(costliest))
			cost := own.cost()
			most += x.costs[costliest]
			if rough > pilotFrom {
				cost = own.measured(ctx)
			}
			measured += cost
			searches += cost * own.searchRuns() * float64(x.Plan.Points())
		}
		seconds += rough*measured/math.Max(most, math.SmallestNonzeroFloat64) + searches
	}
	budget.Time(ctx, seconds/sideBySide(e.Workers, x.Cells())/float64(max(1, e.Shard.Of)))
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

package workload

import (
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// Workload is machines, customers and their jobs. [Classes] draws the jobs from
// the customers, [Replay] lays the customers over a trace, [Grid] has
// applications, and [Batch] is a batch of jobs. A Workload is never changed, so
// it may be shared between replications that run side by side.
type Workload interface {
	// Sites returns the machines, without policies.
	Sites() []Site
	// Customers returns the customers in the order of Job.Class: their names,
	// prices and promises; rates and lengths where jobs are drawn from them.
	Customers() []model.Class
	// Pools returns how customers and machine are divided; nil where the machine is one.
	Pools() *Pools
	// Has returns the features of the jobs and machines.
	Has() simulate.Has
	// Jobs returns the jobs of a replication. A source that is an io.Closer is to
	// be closed after use.
	Jobs(seed uint64, replication int) (simulate.Source, error)
	// Window returns the part of a replication that is measured. The zero value
	// is all jobs, until the last has ended.
	Window() simulate.Window
	// Charging is the rule of what jobs pay.
	Charging() simulate.Charging
	// Random reports whether replications differ.
	Random() bool
	// Size returns the mean number of jobs of a replication.
	Size() float64
	// Load returns the load offered to the machines.
	Load() float64
	// Drained returns the workload with about so many jobs (0 is a default), an
	// empty start, no warm-up, and an end when the last job has ended: all money of
	// all jobs is counted.
	Drained(jobs int) Workload
	// Stream returns the rate of arrivals per second of an endless stream; 0 for
	// finitely many jobs.
	Stream() float64
}

// Spanned is a source that knows the span of arrivals, s: its jobs alone may not show
// it. It is asked after the last job.
type Spanned interface{ Span() float64 }

// Loaded is a source of jobs whose load differs between replications. It is asked after the last job.
type Loaded interface {
	// Load returns the load that the jobs have offered to the machines, see Workload.Load; NaN for
	// simultaneous jobs.
	Load() float64
}

// datedBy fills in which paying customers state deadlines.
func datedBy(h *simulate.Has, customers []model.Class, pays func(i int) bool) {
	h.Deadlines = true
	paying := false
	for i, c := range customers {
		if !pays(i) {
			continue
		}
		paying = true
		if !c.Dated {
			h.Deadlines = false
		}
		if !c.Dated && !slices.Contains(h.Undated, c.Name) { // a customer may have several sections
			h.Undated = append(h.Undated, c.Name)
		}
	}
	h.Deadlines = h.Deadlines && paying
}

// bounded refuses customers whose jobs would give up at a cost without limit.
func bounded(c *model.Class) error {
	if c.Expire == model.ExpireZero && c.Floor.None && c.Hard < 1 {
		return fmt.Errorf("workload: a job of class %s that expires at value zero would cost an unbounded penalty",
			c.Name)
	}
	return nil
}

// tariff is a customer as the law of what its jobs are worth.
type tariff model.Class

// Value implements simulate.Tariff.
func (t *tariff) Value(j *simulate.Job, length float64) simulate.Value {
	trial := simulate.Job{Work: length, Width: j.Width}
	setValue(&trial, (*model.Class)(t), j.Value.Hard)
	return trial.Value
}

// setValue sets the value and the expiry of a job of a customer. The value of a hard job
// is the negative of its floor from the moment at which it can only end late. A job whose
// patience ends before leaves then.
func setValue(j *simulate.Job, c *model.Class, hard bool) {
	j.Tariff = (*tariff)(c)
	u := c.Utility(j.Work, float64(j.Width))
	v := &j.Value // field by field: a copy of the whole takes longer
	v.Price = u.Base
	v.Due = c.Due(j.Work)
	v.Decay = u.Decay
	v.Floor = u.Penalty
	v.Hard = hard
	v.Dated = c.Dated
	if hard && math.IsInf(u.Penalty, 1) {
		j.Value.Floor = 0
	}
	patience := math.Inf(1)
	switch {
	case c.Expire == model.ExpireNever:
	case hard:
		patience = u.Grace
	case c.Expire == model.ExpireFloor:
		patience = u.Corner()
	default:
		patience = u.Zero()
	}
	j.Expire = j.Submit + max(patience, 0)
	if j.Patience > 0 {
		j.Expire = min(j.Expire, j.Submit+j.Patience)
	}
	if j.Expire == 0 { // 0 stands for never
		j.Expire = math.SmallestNonzeroFloat64
	}
}

package run

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/metric"
)

// The columns that say how a group of jobs is served. Waits are of the jobs that started, in s. The wait of a job is all
// the time from its submission to its end in which it is not served at full speed: also the times in which it is
// suspended; see metric.Waited. That of a job that has not ended is the time until its first start.
const (
	servedJobs    = "served_jobs" // submitted
	servedWait    = "served_wait"
	servedWait99  = "served_wait_99" // that 99 % of the jobs do not exceed
	servedWaitMax = "served_wait_max"
	servedNotRun  = "served_not_run" // share of the jobs that never start
)

// WaitColumn is a column of a group whose waits are measured: its name in a record and as people read it.
type WaitColumn struct{ Column, Name, Unit string }

// WaitColumns returns those columns.
func WaitColumns() []WaitColumn {
	return []WaitColumn{{servedJobs, ColumnSubmitted, Count}, {servedWait, ColumnMeanWait, Seconds},
		{servedWait99, "wait_99", Seconds}, {servedWaitMax, "wait_max", Seconds}, {servedNotRun, "not_run", Share}}
}

// waitObserver is a simulate.Follower that sums up the waits of groups of measured jobs in one run.
type waitObserver struct {
	customers []int    // groups by class
	sites     []ranges // by site
	waits     []waits  // by group
}

// ranges are the groups of width of a site.
type ranges struct {
	first int   // group
	to    []int // the largest width of each; nil: none is measured
}

// waits sums up the waits of a group.
type waits struct {
	jobs, started int64
	sum, longest  float64
	histogram     metric.Histogram
}

func (w *waits) start(wait float64) {
	w.started++
	w.sum += wait
	if wait > w.longest {
		w.longest = wait
	}
	w.histogram.Add(wait)
}

// prolong counts a job that waited longer in all than until its first start.
func (w *waits) prolong(first, total float64) {
	w.sum += total - first
	w.longest = math.Max(w.longest, total)
	w.histogram.Move(first, total)
}

// customer returns the group of the customer of a job, nil if it is not measured.
func (o *waitObserver) customer(j *simulate.Job) *waits {
	if g := o.customers[j.Class]; g >= 0 {
		return &o.waits[g]
	}
	return nil
}

// width returns the group of width of a job at a site, nil if it is not measured. Jobs that are wider than the machine
// are among the widest.
func (o *waitObserver) width(c *simulate.Cluster, j *simulate.Job) *waits {
	if c == nil || c.Index() >= len(o.sites) {
		return nil
	}
	r := &o.sites[c.Index()]
	last := len(r.to) - 1
	if last < 0 {
		return nil
	}
	k := 0
	for k < last && j.Width > r.to[k] {
		k++
	}
	return &o.waits[r.first+k]
}

// submit adds a job that comes, or takes back one that moves to another pool.
func (o *waitObserver) submit(c *simulate.Cluster, j *simulate.Job, sign int64) {
	if !j.Measured {
		return
	}
	if w := o.customer(j); w != nil {
		w.jobs += sign
	}
	if w := o.width(c, j); w != nil {
		w.jobs += sign
	}
}

// Submit implements simulate.Follower.
func (o *waitObserver) Submit(c *simulate.Cluster, j *simulate.Job, _ float64) { o.submit(c, j, 1) }

// Start implements simulate.Follower.
func (o *waitObserver) Start(c *simulate.Cluster, j *simulate.Job, now float64) {
	if !j.Measured {
		return
	}
	wait := now - j.Submit
	if w := o.customer(j); w != nil {
		w.start(wait)
	}
	if w := o.width(c, j); w != nil {
		w.start(wait)
	}
}

// Complete implements simulate.Follower.
func (o *waitObserver) Complete(c *simulate.Cluster, j *simulate.Job, now float64) {
	if !j.Measured {
		return
	}
	o.end(c, j, metric.Waited(j, c, now))
}

// end counts the whole wait of a job that leaves after its start.
func (o *waitObserver) end(c *simulate.Cluster, j *simulate.Job, total float64) {
	first := j.Start - j.Submit
	if total <= first {
		return
	}
	if w := o.customer(j); w != nil {
		w.prolong(first, total)
	}
	if w := o.width(c, j); w != nil {
		w.prolong(first, total)
	}
}

// Observe implements simulate.Observer.
func (o *waitObserver) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Submitted:
		o.Submit(e.Site, e.Job, e.Time)
	case simulate.Started:
		o.Start(e.Site, e.Job, e.Time)
	case simulate.Completed:
		o.Complete(e.Site, e.Job, e.Time)
	case simulate.Moved:
		o.submit(e.Site, e.Job, -1)
	case simulate.Expired:
		if e.Job.Measured && e.Job.Preemptions > 0 { // suspended
			o.end(e.Site, e.Job, e.Time-e.Job.Submit-e.Job.Served(e.Time))
		}
	}
}

// addWaits adds how groups of jobs are served, in the order of jobGroups.Groups, and the longest wait of all.
func (r *Record) addWaits(groups []JobGroup, o *waitObserver) {
	if o == nil {
		return
	}
	longest, started := 0.0, false
	for i, g := range groups {
		w, name := &o.waits[i], GroupName(g)
		r.set(name, servedJobs, float64(w.jobs))
		r.set(name, servedNotRun, 1-float64(w.started)/float64(w.jobs))
		if w.started == 0 {
			continue
		}
		r.set(name, servedWait, w.sum/float64(w.started))
		r.set(name, servedWait99, math.Min(w.histogram.Quantile(0.99), w.longest))
		r.set(name, servedWaitMax, w.longest)
		longest, started = math.Max(longest, w.longest), true
	}
	if started {
		r.set(All, servedWaitMax, longest)
	}
}

package run

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/metric"
)

// Waits is how a group of jobs is served. Waits are of the jobs that started, in s, and NaN if there are none. The wait
// of a job is all the time from its submission to its end in which it is not served at full speed: also the times in
// which it is suspended; see metric.Waited. That of a job that has not ended is the time until its first start.
type Waits struct {
	Jobs     float64 // submitted
	MeanWait float64
	Wait99   float64 // that 99 % of the jobs do not exceed
	WaitMax  float64
	NotRun   float64 // share of the jobs that never start
}

// waitNumbers is how many numbers Waits has.
const waitNumbers = 5

// numbers returns the fields in their order.
func (w Waits) numbers() []float64 {
	return []float64{w.Jobs, w.MeanWait, w.Wait99, w.WaitMax, w.NotRun}
}

// readWaits is the inverse of Numbers.
func readWaits(x []float64) Waits { return Waits{x[0], x[1], x[2], x[3], x[4]} }

// meanWaits returns the means of the fields over replications. A field that a replication does not define does not count
// there.
func meanWaits(list []Waits) Waits {
	var sums, counts [waitNumbers]float64
	for _, w := range list {
		for i, x := range w.numbers() {
			if !math.IsNaN(x) {
				sums[i] += x
				counts[i]++
			}
		}
	}
	for i := range sums {
		sums[i] /= counts[i] // NaN of none
	}
	return readWaits(sums[:])
}

// waitObserver is a simulate.Follower that sums up the waits of groups of measured jobs in one run.
type waitObserver struct {
	customers []int    // groups by class
	sites     []ranges // by site
	waits     []waits  // by group
	keep      bool     // the wait of every job
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
	work          float64 // unit-seconds of time run, of the jobs that ended
	histogram     metric.Histogram
	ended         []float64 // waits of the jobs that ended, if they are kept
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
	wait := metric.Waited(j, c, now)
	o.end(c, j, wait)
	if w := o.customer(j); w != nil {
		w.work += float64(j.Width) * (now - j.Submit - wait)
		if o.keep {
			w.ended = append(w.ended, wait)
		}
	}
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

// Waits returns the waits of each group, in the order of jobGroups.Groups; nil without an observer.
func (o *waitObserver) Waits() []Waits {
	if o == nil {
		return nil
	}
	list := make([]Waits, len(o.waits))
	for i := range o.waits {
		w := &o.waits[i]
		longest := w.longest
		if w.started == 0 {
			longest = math.NaN()
		}
		list[i] = Waits{
			Jobs: float64(w.jobs), MeanWait: w.sum / float64(w.started),
			Wait99: math.Min(w.histogram.Quantile(0.99), longest), WaitMax: longest,
			NotRun: 1 - float64(w.started)/float64(w.jobs),
		}
	}
	return list
}

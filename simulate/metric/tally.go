package metric

import (
	"math"

	"revopt/internal/text"
	"revopt/simulate"
)

// Sum is what the measured jobs of a customer, or of all, add up to.
type Sum struct {
	Submitted        int64
	Admitted         int64
	Rejected         int64 // for any reason but Lapsed
	GivenUp          int64 // rejected for Lapsed
	Started          int64
	Completed        int64 // with a result
	Killed           int64 // started and ended without a result, see simulate.Event.Killed
	Expired          int64
	Ended            int64 // completed, or killed at their estimates
	Dated            int64 // submitted with a deadline
	Finished         int64 // of these, ended, with a result
	Kept             int64 // of these, in time
	Late             int64 // of these, not in time
	Overcharged      int64 // charged more than their price
	Promised         int64 // submitted with a promise
	PromisedAdmitted int64 // of these, admitted
	Punctual         int64 // of these, delayed no more than promised
	Preemptions      int64 // of all
	Stretched        int64 // of the jobs that ended, those that took longer from start to end than their length

	Wait            float64 // s, start less submission, of the jobs that started
	Response        float64 // s, end less submission, of the jobs that completed
	Waited          float64 // s, response less length, of the same
	Slowdown        float64 // response over length, of the same
	BoundedSlowdown float64 // bounded slowdowns of the same
	Lateness        float64 // s past the deadline, of the jobs with one that ended
	Offered         float64 // $, prices of the jobs submitted
	Revenue         float64 // $ charged to the jobs that ended
	Profit          float64 // $ charged to the jobs that ended in time, or have no deadline
	Value           float64 // $ delivered, see simulate.Job.Worth
	Delivered       float64 // processor-seconds given while the window was open
	Lost            float64 // processor-seconds given for costs of preemption and work in vain, of the jobs that ended

	Reasons [simulate.Reasons]int64 // rejected, by reason
	Waits   [3]float64              // s: quantiles of the wait, see WaitQuantiles

	Makespan float64 // s, from the first submission to the last end

	Seconds  float64 // observed
	Span     float64 // s, of arrivals: money per second is over it
	Capacity float64 // processor-seconds there were
}

// WaitQuantiles returns the shares of the jobs that started whose waits Sum.Waits
// holds.
func WaitQuantiles() [3]float64 { return [3]float64{0.5, 0.9, 0.99} }

// add adds what other jobs add up to, but not what is known of the run as a whole.
func (s *Sum) add(o *Sum) {
	s.Submitted += o.Submitted
	s.Admitted += o.Admitted
	s.Rejected += o.Rejected
	s.GivenUp += o.GivenUp
	s.Started += o.Started
	s.Completed += o.Completed
	s.Killed += o.Killed
	s.Expired += o.Expired
	s.Ended += o.Ended
	s.Dated += o.Dated
	s.Finished += o.Finished
	s.Kept += o.Kept
	s.Late += o.Late
	s.Overcharged += o.Overcharged
	s.Promised += o.Promised
	s.PromisedAdmitted += o.PromisedAdmitted
	s.Punctual += o.Punctual
	s.Preemptions += o.Preemptions
	s.Stretched += o.Stretched
	s.Wait += o.Wait
	s.Response += o.Response
	s.Waited += o.Waited
	s.Slowdown += o.Slowdown
	s.BoundedSlowdown += o.BoundedSlowdown
	s.Lateness += o.Lateness
	s.Offered += o.Offered
	s.Revenue += o.Revenue
	s.Profit += o.Profit
	s.Value += o.Value
	s.Delivered += o.Delivered
	s.Lost += o.Lost
	for i, n := range o.Reasons {
		s.Reasons[i] += n
	}
}

// submit adds a job that comes, or takes back one that moves to another pool.
func (s *Sum) submit(j *simulate.Job, promised bool, sign int64) {
	s.Submitted += sign
	if promised {
		s.Promised += sign
	}
	s.Offered += float64(sign) * j.Value.Price
	if j.Value.Dated {
		s.Dated += sign
	}
}

// admit adds a job that was admitted. It is added at its end, so that its admission need not be observed.
func (s *Sum) admit(promised bool) {
	s.Admitted++
	if promised {
		s.PromisedAdmitted++
	}
}

// start adds a job that starts after a wait.
func (s *Sum) start(wait float64) {
	s.Started++
	s.Wait += wait
}

const (
	slack    = 1e-9  // of sums of money and of time
	rounding = 1e-13 // of the clock: a job that did not wait may seem to have
)

// stretched reports whether a job took longer from its first start to its end than its length: it was interrupted, or
// shared its processors.
func stretched(j *simulate.Job, length, at float64) bool {
	return at-j.Start > length*(1+slack)+rounding*at
}

// Waited returns for how long a job that ends at a site has waited, s: response less length, so that the times count in
// which it was suspended, and those that sharing and lost work cost it. If it ran once, on processors of its own, that
// is its start less its submission.
func Waited(j *simulate.Job, site *simulate.Cluster, at float64) float64 {
	if length := lengthOf(j, site); stretched(j, length, at) {
		return at - j.Submit - length
	}
	return j.Start - j.Submit
}

// complete adds a job that ends at a site, nil: on processors of speed 1. A delay within some time is promised to it;
// NaN is no promise. The length of a job is that on the fastest processors. A job that was killed at its estimate has
// no result and delivers nothing.
func (s *Sum) complete(j *simulate.Job, site *simulate.Cluster, at, within float64) {
	s.Value += worth(j, site, at)
	response, length := at-j.Submit, lengthOf(j, site)
	s.admit(within >= 0)
	s.Ended++
	s.Response += response
	if waited := response - length; waited > rounding*at {
		s.Waited += waited
	}
	bounded := slowdown(response, length)
	s.Slowdown += bounded
	if length < ShortestBounded {
		bounded = response / ShortestBounded
	}
	if bounded < 1 {
		bounded = 1
	}
	s.BoundedSlowdown += bounded
	s.Revenue += j.Revenue
	s.Lost += j.Lost * float64(j.Width)
	if stretched(j, length, at) {
		s.Stretched++
	}
	if response-length <= within*(1+slack)+rounding*at {
		s.Punctual++
	}
	if j.Killed {
		s.Killed++
		return
	}
	s.Completed++
	if j.Revenue > j.Value.Price*(1+slack) {
		s.Overcharged++
	}
	if !j.Value.Dated {
		s.Profit += j.Revenue
		return
	}
	s.Finished++
	lateness := j.Lateness(at)
	s.Lateness += lateness
	if lateness > 0 {
		s.Late++
		return
	}
	s.Kept++
	s.Profit += j.Revenue
}

// shortestLength keeps the slowdown of a job without work finite, s.
const shortestLength = 1e-9

// slowdown returns how much longer a job took, from submission to end, than its length.
func slowdown(response, length float64) float64 {
	if length < shortestLength {
		length = shortestLength
	}
	return response / length
}

// lengthOf returns how long a job takes on the fastest processors of its site, s.
func lengthOf(j *simulate.Job, site *simulate.Cluster) float64 {
	if site == nil {
		return j.Work
	}
	if speed := site.Speed(); speed != 1 {
		return j.Work / speed
	}
	return j.Work
}

// boundedSlowdown returns how much longer a job took, from submission to end,
// than on processors of its own, max(1, response / max(length, 10 s)): without
// the bound the shortest jobs would be all that counts (Feitelson et al. 1997).
func boundedSlowdown(response, length float64) float64 {
	return max(1, response/max(length, ShortestBounded))
}

// ShortestBounded is the length below which jobs count as so long in the bounded slowdown, s.
const ShortestBounded = 10

// Tally is an observer that sums up the measured jobs of a run by customer.
type Tally struct {
	// UntilEnd observes until the last job has ended rather than until
	// arrivals close: for workloads that have no steady state. The span of arrivals
	// is then from the first submission to the last, else the time observed.
	UntilEnd bool
	// Arrivals is the span of arrivals of a finite workload that knows it, s; 0 is
	// that of the jobs seen.
	Arrivals float64
	// Within is the delay that each customer is promised, s; NaN is no promise.
	// A delay is the response less the length: on dedicated processors the wait.
	Within []float64
	// Site is the number of the site whose clock is that of the run, the first.
	Site int
	// Groups are what Part.Customers sums up, by default each customer.
	Groups []Group

	classes []Sum // by customer
	waits   []Histogram
	ranges  []activity // by customer
	seconds float64    // observed
	power   float64    // processor-seconds
	sites   []float64  // processor-seconds by site
	last    float64    // submission
}

// activity is the time in which a customer has jobs: from the first submission to the last
// end; NaN if there is none.
type activity struct{ first, last float64 }

// Group is customers whose jobs are summed up, and the site whose capacity they have.
type Group struct {
	Customers []int
	Site      int // negative: all sites together
}

// NewTally returns a tally of jobs of the given number of customers, to whom
// nothing is promised.
func NewTally(customers int) *Tally {
	t := &Tally{
		classes: make([]Sum, customers),
		waits:   make([]Histogram, customers),
		ranges:  make([]activity, customers),
		Within:  make([]float64, customers),
	}
	for i := range t.Within {
		t.ranges[i] = activity{math.NaN(), math.NaN()}
		t.Within[i], t.Groups = math.NaN(), append(t.Groups, Group{[]int{i}, -1})
	}
	return t
}

// Part is what a replication adds up to.
type Part struct {
	Total     Sum
	Customers []Sum // or groups of customers
}

// Class returns the sums of customer s.
func (t *Tally) Class(s int) Sum { return t.group(Group{[]int{s}, -1}) }

// Total returns the sums of all customers.
func (t *Tally) Total() Sum { return t.group(Group{text.Numbers(len(t.classes)), -1}) }

// Part returns the sums of all customers, and those of the groups.
func (t *Tally) Part() Part { return Part{t.Total(), text.Each(t.Groups, t.group)} }

// group adds up the customers of a group.
func (t *Tally) group(g Group) Sum {
	s, waits := Sum{}, &Histogram{}
	if len(g.Customers) == 1 {
		waits = &t.waits[g.Customers[0]]
	}
	for _, c := range g.Customers {
		s.add(&t.classes[c])
		if len(g.Customers) > 1 {
			waits.merge(&t.waits[c])
		}
	}
	s.Seconds, s.Capacity, s.Span = t.seconds, t.power, t.arrivals()
	if g.Site >= 0 {
		s.Capacity = t.sites[g.Site]
	}
	s.Makespan = t.makespan(g.Customers)
	for i, p := range WaitQuantiles() {
		s.Waits[i] = waits.Quantile(p)
	}
	return s
}

// makespan returns the time from the first submission of customers to the last end of their
// jobs, s; 0 if none has ended.
func (t *Tally) makespan(customers []int) float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, c := range customers {
		if a := t.ranges[c]; a.last >= a.first { // some job has ended
			first, last = min(first, a.first), max(last, a.last)
		}
	}
	return max(last-first, 0)
}

// arrivals returns the span of arrivals, s. Jobs that are submitted at one instant have the time until the last of them
// ends.
func (t *Tally) arrivals() float64 {
	first, done := math.Inf(1), math.Inf(-1)
	for _, a := range t.ranges { // NaN of a customer without jobs
		if a.first < first {
			first = a.first
		}
		if a.last > done {
			done = a.last
		}
	}
	switch {
	case !t.UntilEnd:
		return t.seconds
	case t.Arrivals > 0:
		return t.Arrivals
	case t.last > first:
		return t.last - first
	case done > first:
		return done - first
	}
	return t.seconds
}

// Submit implements simulate.Follower.
func (t *Tally) Submit(_ *simulate.Cluster, j *simulate.Job, _ float64) {
	if !j.Measured {
		return
	}
	t.classes[j.Class].submit(j, t.Within[j.Class] >= 0, 1)
	if j.Submit > t.last {
		t.last = j.Submit
	}
	if active := &t.ranges[j.Class]; !(active.first <= j.Submit) {
		active.first = j.Submit
	}
}

// Start implements simulate.Follower.
func (t *Tally) Start(_ *simulate.Cluster, j *simulate.Job, now float64) {
	if !j.Measured {
		return
	}
	wait := now - j.Submit
	t.classes[j.Class].start(wait)
	t.waits[j.Class].Add(wait)
}

// Complete implements simulate.Follower.
func (t *Tally) Complete(c *simulate.Cluster, j *simulate.Job, now float64) {
	if !j.Measured {
		return
	}
	t.classes[j.Class].complete(j, c, now, t.Within[j.Class])
	t.ranges[j.Class].last = now
}

// Observe implements simulate.Observer. Admissions are counted when jobs end.
func (t *Tally) Observe(e simulate.Event) {
	j := e.Job
	switch {
	case j == nil:
		t.window(e)
	case e.Kind == simulate.Submitted:
		t.Submit(e.Site, j, e.Time)
	case e.Kind == simulate.Started:
		t.Start(e.Site, j, e.Time)
	case e.Kind == simulate.Completed:
		t.Complete(e.Site, j, e.Time)
	case j.Measured:
		t.classes[j.Class].observe(e, t.Within[j.Class])
		if e.Kind == simulate.Expired && e.Killed() {
			t.ranges[j.Class].last = e.Time
		}
	}
}

// observe adds what happens to a job, to which a delay within some time is promised; NaN is no promise.
func (s *Sum) observe(e simulate.Event, within float64) {
	j, promised := e.Job, within >= 0
	switch e.Kind {
	case simulate.Submitted:
		s.submit(j, promised, 1)
	case simulate.Moved:
		s.submit(j, promised, -1)
	case simulate.Started:
		s.start(e.Time - j.Submit)
	case simulate.Preempted:
		s.Preemptions++
	case simulate.Completed:
		s.complete(j, e.Site, e.Time, within)
	case simulate.Rejected:
		s.reject(e, promised)
	case simulate.Expired:
		s.expire(e, promised)
	}
}

// reject adds a job that is refused, or that the policy gives up.
func (s *Sum) reject(e simulate.Event, promised bool) {
	if e.Job.Admitted() {
		s.admit(promised)
	}
	s.Reasons[e.Reason]++
	s.Revenue += e.Job.Revenue
	if e.Reason == simulate.Lapsed {
		s.GivenUp++
		return
	}
	s.Rejected++
}

// expire adds a job that gives up or is killed.
func (s *Sum) expire(e simulate.Event, promised bool) {
	if e.Job.Admitted() {
		s.admit(promised)
	}
	if e.Killed() {
		s.Killed++
	} else {
		s.Expired++
	}
	s.Revenue += e.Job.Revenue
	s.Value += delivered(e)
	s.Lost += e.Job.Lost * float64(e.Job.Width)
}

// delivered returns the value of a job that completes or expires, $.
func delivered(e simulate.Event) float64 {
	switch j := e.Job; {
	case e.Kind == simulate.Completed:
		return worth(j, e.Site, e.Time)
	case e.Kind == simulate.Expired && (j.Preemptions > 0 || j.Gone(e.Time) && !e.Site.ByValue()):
		return j.Forsaken()
	default:
		return j.Revenue
	}
}

// worth returns the value of a job that completes, $. It is the revenue where jobs pay their value.
func worth(j *simulate.Job, site *simulate.Cluster, at float64) float64 {
	if site != nil && site.ByValue() {
		return j.Revenue
	}
	return j.Worth(at)
}

// window takes the difference of what was delivered between the opening and
// the close.
func (t *Tally) window(e simulate.Event) {
	end := simulate.Closed
	if t.UntilEnd {
		end = simulate.Ended
	}
	switch e.Kind {
	case simulate.Opened:
		t.clock(e.Site, e.Time, -1)
	case end:
		t.clock(e.Site, e.Time, 1)
	}
}

// clock adds a time to that observed, and what a site has delivered up to it.
func (t *Tally) clock(c *simulate.Cluster, now, sign float64) {
	for class := range min(len(t.classes), c.Classes()) {
		t.classes[class].Delivered += sign * c.Delivered(class)
	}
	for c.Index() >= len(t.sites) {
		t.sites = append(t.sites, 0)
	}
	t.power += sign * c.UnitSeconds()
	t.sites[c.Index()] += sign * c.UnitSeconds()
	if c.Index() == t.Site {
		t.seconds += sign * now
	}
}

// Chain sums up the jobs of a run with agent.Providers by provider: one Tally
// for each site, with its Site set. A job that was forwarded counts as submitted
// to every provider that decided on it, and as rejected by all but the last.
type Chain []*Tally

// Observe implements simulate.Observer.
func (c Chain) Observe(e simulate.Event) {
	if e.Site == nil {
		return
	}
	i := e.Site.Index()
	if e.Kind != simulate.Forwarded {
		c[i].Observe(e)
		return
	}
	e.Kind = simulate.Rejected
	c[i].Observe(e)
	e.Kind, e.Reason = simulate.Submitted, simulate.NoReason
	c[i+1].Observe(e)
}

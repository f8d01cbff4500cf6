package policy

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/heap"
	"revopt/simulate"
	"revopt/simulate/agent"
)

// bursts reports whether jobs of the policy can be sent to rented units: the policy has one
// site and dedicated processors.
func (s Spec) bursts() bool {
	return !s.Needs.Shared && !s.Needs.Optional && !s.Needs.Recorded || s.Joint
}

// burstOptions say which waiting jobs are sent to rented units, see agent.Burst:
//
//	burst=loss   those that are expected to lose more by waiting than the rent
//	burst=never  none
//	burst=wait   those that have waited for the time of burst-after
//	burst=all    all that do not start at once
func burstOptions() []Option {
	return []Option{
		{Name: "burst", Values: []string{"loss", "never", "wait", "all"}},
		{Name: "burst-after", Values: []string{"3600"}, Read: readTime},
	}
}

// readTime reads seconds, or a number with the unit s, m, h or d.
func readTime(value string) (canonical, want string) {
	unit := 1.0
	for i, word := range []string{"s", "m", "h", "d"} {
		if number, ok := strings.CutSuffix(value, word); ok {
			value, unit = number, []float64{1, 60, 3600, 86400}[i]
			break
		}
	}
	x, err := strconv.ParseFloat(value, 64)
	x *= unit
	if err != nil || !(x >= 0) || math.IsInf(x, 1) {
		return "", "a time such as 900, 15m or 2h"
	}
	return strconv.FormatFloat(x, 'g', -1, 64), ""
}

// Burst returns the rule by which waiting jobs of a policy are sent to rented units, nil if none
// are. Of the context it needs the values that are stated, and patience.
func (s Spec) Burst(given Settings, p simulate.Policy, f Context) agent.Burst {
	all := given.merged()
	switch {
	case !s.bursts() || all["burst"] == "never":
		return nil
	case all["burst"] == "all":
		return &burstWait{}
	case all["burst"] == "wait":
		all["burst-after"] = cmp.Or(all["burst-after"], burstOptions()[1].Values[0])
		return &burstWait{after: all.Number("burst-after")}
	}
	b := &burstLoss{exact: all["estimates"] == "exact", context: f, jobs: map[*simulate.Job]*burstJob{}}
	b.queue.crowd = 64
	b.queue.root = b.queue.blank()
	b.queue.sum = sumWork
	b.lost.Less = func(x, y *burstEnd) bool { return x.at < y.at }
	b.placer, _ = p.(placer)
	return b
}

// burstWait sends jobs that have waited for some time.
type burstWait struct{ after float64 }

func (*burstWait) Wait(*simulate.Cluster, *simulate.Job)       {}
func (*burstWait) Gone(*simulate.Cluster, *simulate.Job)       {}
func (*burstWait) Finish(c *simulate.Cluster, j *simulate.Job) { postRented(c, j) }

// Refused implements agent.Burst: a refused job does not wait.
func (b *burstWait) Refused(*simulate.Cluster, *simulate.Job) bool { return b.after == 0 }

// Ask implements agent.Burst.
func (b *burstWait) Ask(c *simulate.Cluster, j *simulate.Job) (gain, again float64) {
	if at := j.Submit + b.after; at > c.Now() {
		return -1, at
	}
	return 0, 0
}

// postRented charges the posted price of a job on rented units, see Terms.start. Of a market it
// pays its rent, at most its value.
func postRented(c *simulate.Cluster, j *simulate.Job) {
	switch {
	case !j.Rented || c.ByValue():
	case c.Market() != nil:
		c.Charge(j, max(min(j.RentPaid+j.Worth(c.Now()), j.RentPaid), 0))
	default:
		Terms{}.Charge(c, j)
	}
}

// burstLoss sends a job if its wait is expected to cost more than its rent. With run time R,
// startup u, and v the value by the end, it is sent at time t if
//
//	v(t + u + R) - rent >= v(s + R) - width R D / (P (1 - work done / (P t)))
//
// P is the number of processors that work, on average over the times so far in which jobs wait: a
// policy that leaves processors idle beside a queue has fewer than there are. The start s is
// expected when the jobs before it, in the order of the policy, are done,
//
//	s = t + (work before it + B (width - free processors)^+) / P
//
// with B = sum width R^2 / sum width R over all jobs so far: the processors of running jobs
// become free evenly over B. The last term is the loss of others: the work of a job that stays
// delays the jobs that wait and still have value to lose, and those that follow until processors
// are idle. D is what waiting jobs lose, in $/s: by the fall of their values, and by customers that
// leave. It is that of the jobs that wait now, or the mean over time so far if that is more: in a
// long queue the jobs that wait may have lost everything while others are still to come. The term is
// at most the mean price of the same amount of work. A job is never sent for more than it can lose,
// however long it waits: it may give up, and a policy that has not admitted it may reject it for
// nothing. If customers have patience, v(s + R) is multiplied by the chance that they still wait at s.
//
// R is expected from users' earlier jobs, see predictor. Until its value falls a job loses
// nothing by waiting, and its turn may come: it is then sent at the last moment, unless units
// cost nothing or its customer may leave. The rule is asked again halfway to the start that is as bad
// as to rent now, or at s if that is later. So each job is examined a few times, each in logarithmic
// time.
type burstLoss struct {
	exact     bool
	context   Context
	placer    placer // nil: jobs start in the order of submission
	predictor predictor
	jobs      map[*simulate.Job]*burstJob // that wait
	queue     burstQueue                  // their work
	crowd     crowd                       // the times in which they wait
	stake                                 // of these jobs
	risk      float64                     // $, the integral of the slope of the stake up to settled
	settled   float64                     // s
	offered   stake                       // of all jobs so far, without slopes
	lost      heap.Heap[burstEnd]         // when the jobs have nothing left to lose
	work      float64                     // sum of width times run time of all jobs so far
	square    float64                     // sum of width times the square of the run time
	done      float64                     // processor-seconds of the jobs that ended here
}

// placer is a policy that says which of its jobs start first, as far as it is known when they
// come: those of the least place, then by submission.
type placer interface {
	place(j *simulate.Job, run float64) float64
}

// burstJob is what is expected of a job that waits.
type burstJob struct {
	mark
	run   float64 // s
	most  float64 // s, the longest run time
	theta float64 // the chance per second that the customer leaves
	value simulate.Value
	stake
}

// crowd measures how many processors work while jobs wait.
type crowd struct {
	since, from float64 // when the jobs began to wait, and the work that was done by then
	time, area  float64 // of earlier times with waiting jobs: s, and work that was done in them
}

// delivered returns the processor-seconds of work that the cluster has done.
func delivered(c *simulate.Cluster) (sum float64) {
	for class := range c.Classes() {
		sum += c.Delivered(class)
	}
	return sum
}

// begin notes that jobs begin to wait, and end that none waits any more.
func (w *crowd) begin(c *simulate.Cluster) {
	w.since = c.Now()
	w.from = delivered(c)
}

func (w *crowd) end(c *simulate.Cluster) {
	w.time += c.Now() - w.since
	w.area += delivered(c) - w.from
}

// busy returns the mean number of processors that work while jobs wait, at least one. It is asked
// while jobs wait.
func (w *crowd) busy(c *simulate.Cluster) float64 {
	time := w.time + c.Now() - w.since
	if time <= 0 {
		return float64(c.Processors())
	}
	return max((w.area+delivered(c)-w.from)/time, 1)
}

// stake is what jobs have to lose.
type stake struct {
	slope float64 // $/s; D in sum
	price float64 // $
	area  float64 // processor-seconds
}

// add adds a stake several times.
func (s *stake) add(x stake, times float64) {
	s.slope = s.slope + times*x.slope
	s.price = s.price + times*x.price
	s.area = s.area + times*x.area
}

// burstEnd is the last start by which a job still loses value.
type burstEnd struct {
	at float64
	*burstJob
}

// worth returns the value of a job that ends at the given time, with the tolerance of
// simulate.Job.Worth.
func (p *burstJob) worth(j *simulate.Job, end float64) float64 {
	response, due := end-j.Submit, p.value.Due
	if response <= due+1e-8*due+hair*end {
		response = due
	}
	return p.value.At(response)
}

func (b *burstLoss) expect(j *simulate.Job) *burstJob {
	p := &burstJob{mark: mark{float64(j.ID), j.ID}, run: j.Work, most: j.Work, value: j.Value}
	if e := j.Spec.Details.Estimate; e > 0 && !b.exact && !j.Spec.Details.Exact {
		o := b.predictor.predict(j, e)
		p.run, p.most = o.mean(), e
		p.value = b.context.Stated(j, p.run)
	}
	if j.Class < len(b.context.Patience) && b.context.Patience[j.Class] > 0 {
		p.theta = 1 / b.context.Patience[j.Class]
	}
	return p
}

// Refused implements agent.Burst: a job that would only be lost is sent if it earns its rent.
func (b *burstLoss) Refused(c *simulate.Cluster, j *simulate.Job) bool {
	p, terms := b.expect(j), c.Terms()
	return p.worth(j, c.Now()+terms.Startup+p.run) > terms.Cost(j.Width, p.run)
}

// Wait implements agent.Burst.
func (b *burstLoss) Wait(c *simulate.Cluster, j *simulate.Job) {
	p := b.expect(j)
	fall := (p.value.Price + p.value.Floor) / p.value.Decay // s from the due time on
	p.slope = p.value.Decay
	if p.value.Hard {
		p.slope, fall = p.value.Price/max(p.value.Due, leastRun), 0
	}
	p.slope += p.theta * p.value.Price
	work := float64(j.Width) * p.run
	b.offered.add(stake{price: p.value.Price, area: work}, 1)
	if p.slope > 0 {
		p.price, p.area = p.value.Price, work
		b.advance(c)
		b.add(p.stake, 1)
		b.lost.Push(burstEnd{j.Submit + p.value.Due + fall - p.run, p})
	}
	if b.placer != nil {
		p.key = b.placer.place(j, p.run)
	}
	b.work, b.square = b.work+work, b.square+work*p.run
	if len(b.jobs) == 0 {
		b.crowd.begin(c)
	}
	b.jobs[j] = p
	b.queue.add(p.mark, work)
}

// Gone implements agent.Burst.
func (b *burstLoss) Gone(c *simulate.Cluster, j *simulate.Job) {
	b.queue.remove(b.jobs[j].mark)
	b.advance(c)
	b.settle(b.jobs[j])
	delete(b.jobs, j)
	if len(b.jobs) == 0 {
		b.crowd.end(c)
		b.stake, b.lost.List = stake{}, b.lost.List[:0] // without rounding
	}
}

// advance brings the integral of the stake up to date.
func (b *burstLoss) advance(c *simulate.Cluster) {
	b.risk += max(b.slope, 0) * (c.Now() - b.settled)
	b.settled = c.Now()
}

// settle notes that a job has nothing to lose any more.
func (b *burstLoss) settle(p *burstJob) {
	b.add(p.stake, -1)
	p.stake = stake{}
}

// Finish implements agent.Burst.
func (b *burstLoss) Finish(c *simulate.Cluster, j *simulate.Job) {
	b.predictor.learn(j)
	if !j.Rented {
		b.done += float64(j.Width) * j.Work
	}
	postRented(c, j)
}

// start returns when a job is expected to start.
func (b *burstLoss) start(c *simulate.Cluster, j *simulate.Job, p *burstJob) float64 {
	work := b.queue.before(p.mark)
	if wide := j.Width - c.Free(); wide > 0 && b.work > 0 {
		work += float64(wide) * b.square / b.work
	}
	return c.Now() + work/b.crowd.busy(c)
}

// others returns what other jobs lose if a job stays.
func (b *burstLoss) others(c *simulate.Cluster, j *simulate.Job, p *burstJob) float64 {
	b.advance(c)
	for b.lost.Len() > 0 && b.lost.First().at < c.Now() {
		b.settle(b.lost.Pop().burstJob)
	}
	if b.offered.area <= 0 {
		return 0
	}
	busy, idle := b.crowd.busy(c), 1.0
	slope := b.slope - p.slope
	if all := c.Now() * busy; all > 0 {
		idle = max(1-b.done/all, 1/all)
		slope = max(slope, (b.risk-p.slope*(c.Now()-j.Submit))/c.Now())
	}
	most := min(slope/(busy*idle), b.offered.price/b.offered.area)
	return max(most, 0) * float64(j.Width) * p.run
}

// Ask implements agent.Burst.
func (b *burstLoss) Ask(c *simulate.Cluster, j *simulate.Job) (gain, again float64) {
	p := b.jobs[j]
	terms := c.Terms()
	now := c.Now()
	v := &p.value
	start := b.start(c, j, p)
	others := b.others(c, j, p)
	length, rent := terms.Startup+p.run, terms.Cost(j.Width, p.run)
	rented := p.worth(j, now+length) - rent
	waited, worst := p.worth(j, start+p.run), v.At(math.Inf(1))
	leaves := j.Expire > 0 && j.Expire < math.Inf(1) && !j.Impatient()
	if leaves {
		worst = v.Forsaken()
	}
	if p.theta > 0 {
		worst = min(worst, 0) // the customer leaves
	}
	if !j.Admitted() && rent+terms.Startup > 0 {
		worst = max(worst, 0)
	}
	waited = max(waited, worst) * math.Exp((now-start)*p.theta)
	if leaves && start >= j.Expire {
		waited = worst
	}
	last := j.Submit + v.Due - terms.Startup - p.most // an order until then loses nothing
	gain = min(rented+others-waited, rented-worst)
	if gain >= 0 && (rent == 0 || p.theta > 0 || last <= now) {
		return gain / (float64(j.Width) * max(length, leastRun)), 0
	} else if gain >= 0 {
		return -1, last
	}
	turn := math.Inf(1) // a start that is as bad as to rent now
	switch {
	case rented < worst:
		return -1, turn
	case v.Hard:
		turn = j.Submit + v.Due - p.run
	case v.Decay > 0:
		turn = j.Submit + v.Due + (v.Price-rented-others)/v.Decay - p.run
	}
	if leaves {
		turn = min(turn, j.Expire)
	}
	if stay := rented + others; p.theta > 0 && stay > 0 {
		turn = min(turn, now+math.Log(v.Price/stay)/p.theta)
	}
	again = max(now+(turn-now)/2, start)
	if again <= now {
		again = math.Inf(1)
	}
	return -1, again
}

// burstQueue is the work of waiting jobs in the order of their marks.
type burstQueue struct{ tree[burstEntry, burstEntry] }

// burstEntry is the work of a job, or of a branch that begins with a mark.
type burstEntry struct {
	mark
	work float64 // processor-seconds
}

func (q *burstQueue) add(m mark, work float64) {
	n, i := leafOf(&q.tree, m)
	n.leaf = slices.Insert(n.leaf, i, burstEntry{m, work})
	q.settle(n)
}

func (q *burstQueue) remove(m mark) {
	n, i := leafOf(&q.tree, m)
	n.leaf = slices.Delete(n.leaf, i, i+1)
	q.settle(n)
}

// before returns the work of the jobs before a mark in the queue.
func (q *burstQueue) before(m mark) (work float64) {
	n, i := leafOf(&q.tree, m)
	for _, t := range q.path {
		for k := range t.kid {
			work += t.node.kids[k].sum.work
		}
	}
	for k := range i {
		work += n.leaf[k].work
	}
	return work
}

// sumWork brings the summary of a branch up to date.
func sumWork(s *burstEntry, n *node[burstEntry, burstEntry]) bool {
	var all burstEntry
	if len(n.kids) > 0 {
		all.mark = n.kids[0].sum.mark
	} else {
		all.mark = n.leaf[0].mark
	}
	for i := range n.kids {
		all.work += n.kids[i].sum.work
	}
	for i := range n.leaf {
		all.work += n.leaf[i].work
	}
	changed := *s != all
	*s = all
	return changed
}

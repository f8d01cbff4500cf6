package policy

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// Preemption says whether running jobs are preempted.
//
// # Policies value-bf, first-price: preemption
//
// With preempt=suspend running jobs give way and keep their work, with preempt=restart they begin again. Both add
// preempt-cost seconds to the work that is left. Let job i have a reservation at S (or be about to get one) and the
// estimate RE, and let running job j have r seconds left:
//
//	gain of i:  G = E[v(now + R)^+ - v(S + R)^+]        loss of j:  L = E[v(now + r) - v(now + RE + r + cost)]
//
// Candidates are running jobs whose index, for the work that is left, is less than half that of i (Woeginger (1994)).
// They are taken in order of L per processor until i fits, and give way if G (1 - W / (width RE)) > sum of L, with W
// the processor-seconds lost to costs and wasted work. Only a job that has never run preempts. A preempted job stays
// admitted, and is dropped only if it is worthless and dropping it costs nothing.
type Preemption struct {
	Mode PreemptionMode
	Cost float64 // s on each processor of the preempted job, see simulate.Cluster.Suspend
}

// PreemptionMode says how a preempted job continues.
type PreemptionMode uint8

const (
	NoPreemption PreemptionMode = iota // no job is preempted
	Suspend                            // it resumes later where it stopped
	Restart                            // it restarts later from its beginning
)

func (s Settings) preemption() Preemption {
	mode := map[string]PreemptionMode{"suspend": Suspend, "restart": Restart}[s["preempt"]]
	return Preemption{mode, s.Number("preempt-cost")}
}

// victim is a running job that may be preempted.
type victim struct {
	loss, waste float64 // $, processor-seconds
	holding
}

// Enough returns the first of some running jobs that give up so many processors, without
// those that are not needed, the last ones first. It reports whether there are enough.
func Enough[T any](list []T, need int, width func(T) int) ([]T, bool) {
	taken := 0
	for ; taken < len(list) && need > 0; taken++ {
		need -= width(list[taken])
	}
	list = list[:taken]
	for k := taken - 1; k >= 0; k-- {
		if w := width(list[k]); need+w <= 0 {
			need += w
			list = slices.Delete(list, k, k+1)
		}
	}
	return list, need <= 0
}

// preemptionFactor is the least ratio of the index of a job to that of a job that it
// displaces. The factor 2 has the best guarantee if preempted jobs are lost: Woeginger (1994),
// "On-line scheduling of jobs with fixed start and end times".
const preemptionFactor = 2

// displace lets a job that has not started take the processors of running jobs if that
// pays, and reports whether it did. It tries the first waiting jobs, as many as may hold
// a reservation.
//
// Job i, which otherwise starts at its reservation S, gains
//
//	G = E[v(now + R)^+ - v(S + R)^+]
//
// A running job j with r seconds left, which resumes when i is expected to end at the
// earliest, loses
//
//	L = E[v(now + r) - v(now + RE + r + cost)]
//
// where r follows from the possible run times that it has not exceeded; a job that
// restarts has its whole run time left. The index of the rest of j must be less than half
// the index of i. The processor-seconds W lost to costs and discarded work are valued at
// the rate that i earns. Running jobs are taken in order of L per processor, then those
// that are not needed are spared. They are preempted if
//
//	G (1 - sum W / (width RE)) > sum L
//
// Only a job that has never run displaces others, so that there are at most as many
// rounds of preemption as jobs.
func (p *ValueBF) displace(c *simulate.Cluster) bool {
	p.rivals = p.rivals[:0]
	for len(p.planned) < p.Reservations {
		q, _ := p.pop(c)
		if q == nil {
			break
		}
		p.reserve(q)
	}
	p.sweep() // a job that has just started may be preempted
	for _, q := range p.planned {
		if q.job.Waiting() && Before(c.Now(), q.start) && p.oust(c, q) {
			return true
		}
	}
	return false
}

// oust lets a waiting job take the processors of others if that pays.
func (p *ValueBF) oust(c *simulate.Cluster, q *candidate) bool {
	now := c.Now()
	v := &q.value
	var gain float64
	for _, run := range q.outcomes.at[:q.outcomes.n] {
		gain += max(v.At(now+run-q.job.Submit), 0) - max(v.At(q.start+run-q.job.Submit), 0)
	}
	gain /= float64(q.outcomes.n)
	if !(gain > 0) {
		return false
	}
	if len(p.rivals) == 0 {
		for _, h := range p.running {
			p.rivals = append(p.rivals, p.indexOf(h, now))
		}
	}
	p.victims = p.victims[:0]
	for k, h := range p.running {
		if preemptionFactor*p.rivals[k] < q.index {
			p.victims = append(p.victims, p.victim(h, now, q.estimate))
		}
	}
	slices.SortStableFunc(p.victims, func(a, b victim) int {
		return cmp.Compare(a.loss/float64(a.job.Width), b.loss/float64(b.job.Width))
	})
	var ok bool
	p.victims, ok = Enough(p.victims, q.job.Width-c.Free(), func(x victim) int { return x.job.Width })
	if !ok {
		return false
	}
	var loss, waste float64
	for _, x := range slices.Backward(p.victims) {
		loss += x.loss
		waste += x.waste
	}
	if !(gain*(1-waste/(float64(q.job.Width)*max(q.estimate, leastRun))) > loss) {
		return false
	}
	p.revoke()
	if c.Ahead() {
		for _, x := range p.victims {
			p.profile.Release(now, x.end, x.job.Width)
		}
		room := p.profile.Room(q.job.Width, q.estimate)
		for _, x := range p.victims {
			p.profile.Reserve(now, x.end, x.job.Width)
		}
		if !room {
			return false
		}
	}
	for _, x := range p.victims {
		p.suspend(c, x.holding)
	}
	p.launch(c, q)
	return true
}

// victim returns the loss of a job that is preempted for the given number of seconds.
func (p *ValueBF) victim(h holding, now, pause float64) victim {
	left := h.left(now)
	later := left
	x := victim{holding: h, waste: p.Cost * float64(h.job.Width)}
	if p.Mode == Restart {
		later = h.outcomes
		x.waste += h.job.Served(now) * float64(h.job.Width)
	}
	v := &h.value
	since := now - h.job.Submit
	for _, run := range left.at[:left.n] {
		x.loss += v.At(since+run) / float64(left.n)
	}
	for _, run := range later.at[:later.n] {
		x.loss -= v.At(since+pause+run+p.Cost) / float64(later.n)
	}
	return x
}

// indexOf returns the index of the rest of a running job.
func (p *ValueBF) indexOf(h holding, now float64) float64 {
	q := *h.candidate
	q.outcomes = q.left(now)
	q.mean = max(q.outcomes.mean(), leastRun)
	b := indexEntry{candidate: &q, width: int32(q.job.Width)}
	p.appraise(&b, now)
	return b.at(now, p.clock.wave(now))
}

// left returns the possible remaining run times of a job: by the outcomes that it has
// not exceeded, or by its estimate.
func (q *candidate) left(now float64) (o outcomes) {
	done := q.job.Served(now) - q.served
	for _, run := range q.outcomes.at[:q.outcomes.n] {
		if run > done {
			o.add(run - done)
		}
	}
	if o.n == 0 {
		o.add(max(q.estimate-done, leastRun))
	}
	return o
}

// suspend preempts a running job. Its possible run times become those of its rest or, if
// it restarts, those that it has not exceeded.
func (p *ValueBF) suspend(c *simulate.Cluster, h holding) {
	q := p.vacate(c, h.job)
	now := c.Now()
	cost := p.Cost
	done := q.job.Served(now) - q.served
	o := q.left(now)
	if p.Mode == Suspend {
		q.estimate = max(q.estimate-done, 0)
		c.Suspend(q.job, p.Cost)
	} else {
		for i := range o.n {
			o.at[i] += done
		}
		if q.delayed {
			cost = 0
		}
		c.Requeue(q.job, p.Cost)
	}
	for i := range o.n {
		o.at[i] += cost
	}
	q.outcomes = o
	q.estimate += cost
	q.served = q.job.Served(now)
	q.delayed = true
	q.mean = max(o.mean(), leastRun)
	p.queue(q)
}

package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// Spot is a market: jobs bid for processors, and those that run pay one price. Use one per run
// and pool. The bid of a job, $ per processor and second, is that of its customer or else
//
//	b = price / (width RE)
//
// Jobs start in the order of their bids, then of arrival. A job that does not fit takes the
// processors of running jobs with lower bids, the lowest and latest first, if these are enough, and
// spares those that it does not need. Otherwise it waits, and jobs behind it that fit start.
//
// A job keeps its processors for Minimum seconds from each start. When another one has waited
// so long only because of that, no lower bid starts before it: it waits at most twice Minimum
// unless higher bids have the processors.
//
// The price at each instant is the highest waiting bid, preempted jobs included, but at most the
// lowest running one; 0 if no job waits. A job pays it for the processors that it has, in total at
// most its bid times its estimated processor-seconds, and of that at most the share of its price
// that it is worth when it ends. So if its bid is its value, it never pays more than its worth. A
// job that is killed or worth nothing pays nothing, and no job is paid.
//
// Armada has such a market: jobs run in order of bids and preempt those that they outbid, and
// the spot price of a full pool is the lowest bid that runs (armadaproject/armada#4070). Running
// jobs win ties (#4405), pools are billed by their price (#4365).
//
// A decision takes time logarithmic in the waiting jobs and linear in the running jobs with
// lower bids than a waiting one, times the number of widths at most.
type Spot struct {
	Terms
	Preemption
	Minimum float64   // s
	Bids    []float64 // of customers, by Job.Class, $/s; 0, also if missing: the value

	queue   waiting  // by minus the bid
	running []tenant // see compareTenants
	victims []*simulate.Job
	lowest  mark    // no job that came since the last decision is before this place
	free    int     // processors after it
	wake    float64 // time at which a protection ends that matters

	price  float64 // of a processor, $/s
	bill   float64 // its integral up to the last change, $
	priced float64 // the time of that

	claimant int64   // 1 + ID of the first job that waits only because others are protected, 0: none
	since    float64 // the time of its claim
}

// tenant is a job that runs.
type tenant struct {
	rank float64 // see rank
	bill float64 // of the cluster at its start
	job  *simulate.Job
}

// compareTenants puts the lowest bid first, of equal bids the latest job.
func compareTenants(a, b tenant) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.job.ID, a.job.ID))
}

// bid returns the bid of a job, $ per processor and second.
func (p *Spot) bid(j *simulate.Job) float64 {
	if j.Class < len(p.Bids) && p.Bids[j.Class] > 0 {
		return p.Bids[j.Class]
	}
	return max(j.Value.Price, 0) / (float64(j.Width) * max(p.RunTime(j), leastRun))
}

// rank returns the bid without its last bits: bids that differ by a relative 1e-12, such as the
// same price per unit-hour for jobs of unlike lengths, are equal.
func (p *Spot) rank(j *simulate.Job) float64 {
	return math.Float64frombits((math.Float64bits(p.bid(j)) + 1<<11) &^ (1<<12 - 1))
}

// place implements placer.
func (p *Spot) place(j *simulate.Job, _ float64) float64 { return -p.rank(j) }

// Arrive implements simulate.Policy.
func (p *Spot) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if _, ok := p.Take(c, j); ok {
		c.Admit(j)
		p.enter(c, j)
	}
}

func (p *Spot) enter(c *simulate.Cluster, j *simulate.Job) {
	key := -p.rank(j)
	p.queue.insert(entry{key: key, width: int32(j.Width), job: j}, c.Processors())
	if m := (mark{key, j.ID - 1}); m.less(p.lowest) {
		p.lowest = m
	}
}

// Leave implements simulate.Leaver.
func (p *Spot) Leave(c *simulate.Cluster, j *simulate.Job) {
	p.queue.remove(mark{-p.rank(j), j.ID})
	p.quote(c)
}

// Stop implements simulate.Stopper. The job pays nothing for the work that is lost.
func (p *Spot) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	p.vacate(j)
	if again {
		p.enter(c, j)
	}
}

// Finish implements simulate.Finisher.
func (p *Spot) Finish(c *simulate.Cluster, j *simulate.Job) {
	t := p.vacate(j)
	p.settle(c, t)
	most := p.bid(j) * float64(j.Width) * max(p.RunTime(j), leastRun)
	if worth := j.Worth(c.Now()); j.Killed || worth <= 0 {
		most = 0
	} else if j.Value.Price > 0 {
		most *= worth / j.Value.Price
	}
	if j.Revenue > most {
		c.Charge(j, most-j.Revenue)
	}
}

func (p *Spot) vacate(j *simulate.Job) tenant {
	at, _ := slices.BinarySearchFunc(p.running, tenant{rank: p.rank(j), job: j}, compareTenants)
	t := p.running[at]
	p.running = slices.Delete(p.running, at, at+1)
	return t
}

// settle bills a job for the time since it got its processors.
func (p *Spot) settle(c *simulate.Cluster, t tenant) {
	since := min(p.Bill(c.Now())-t.bill, p.bid(t.job)*(c.Now()-t.job.Since())) // without rounding above the bid
	c.Charge(t.job, since*float64(t.job.Width))
}

// Schedule implements simulate.Policy.
func (p *Spot) Schedule(c *simulate.Cluster) {
	if c.Free() != p.free || p.claimant > 0 {
		p.lowest = first()
	}
	p.trade(c)
	p.lowest, p.free = last(), c.Free()
	p.quote(c)
	c.WakeAt(p.wake)
}

func (p *Spot) quote(c *simulate.Cluster) {
	price := 0.0
	if p.queue.length > 0 {
		price = p.bid(p.queue.head().leaf[0].job)
	}
	if len(p.running) > 0 {
		price = min(price, p.bid(p.running[0].job))
	}
	if price != p.price {
		p.bill = p.Bill(c.Now())
		p.priced = c.Now()
		p.price = price
		c.Repriced()
	}
}

// Price and Bill implement simulate.Seller.
func (p *Spot) Price() float64           { return p.price }
func (p *Spot) Bill(now float64) float64 { return p.bill + p.price*(now-p.priced) }

// trade starts the jobs that can have processors now, from the lowest place of a new one on.
// Lower bids can have no more processors than higher ones. So after a job that fails only
// narrower ones are examined.
func (p *Spot) trade(c *simulate.Cluster) {
	at := p.lowest
	most := c.Processors()
	held := p.claimant
	p.wake, p.claimant = math.Inf(1), 0
	for p.queue.length > 0 && most > 0 {
		if len(p.queue.root.kids) > 0 {
			p.queue.within(bounds{free: most, extra: most}, 0)
		}
		n, i := p.queue.seek(at, 0)
		if n == nil {
			break
		}
		for i < len(n.leaf)-1 && int(n.leaf[i].width) > most {
			i++
		}
		e := n.leaf[i]
		at = e.mark()
		if int(e.width) > most {
			p.queue.settle(n) // the summary may be stale
			continue
		}
		switch now, all := p.room(c, &e); {
		case now >= int(e.width):
			p.start(c, &e)
		case p.claimant > 0:
			most = now
		case all < int(e.width):
			most = all
		default:
			p.claimant = e.job.ID + 1
			if held != p.claimant {
				p.since = c.Now()
			}
			most = now
			if !Before(c.Now(), p.since+p.Minimum) {
				return
			}
		}
	}
}

// room returns the processors that a waiting job can have, up to its width, and those that
// it could have if no job was protected.
func (p *Spot) room(c *simulate.Cluster, e *entry) (now, all int) {
	now, all = c.Free(), c.Free()
	if p.Mode == NoPreemption {
		return now, all
	}
	for i := 0; i < len(p.running) && now < int(e.width); i++ {
		t := &p.running[i]
		if t.rank >= -e.key {
			break
		}
		all += t.job.Width
		if p.protected(c, t.job) {
			p.wake = min(p.wake, t.job.Since()+p.Minimum)
		} else {
			now += t.job.Width
		}
	}
	return now, all
}

// protected reports whether a job may not be displaced yet.
func (p *Spot) protected(c *simulate.Cluster, j *simulate.Job) bool {
	return Before(c.Now(), j.Since()+p.Minimum)
}

// start runs a waiting job, for which there is room, in place of others if necessary.
func (p *Spot) start(c *simulate.Cluster, e *entry) {
	need := int(e.width) - c.Free()
	p.victims = p.victims[:0]
	for i, left := 0, need; left > 0; i++ {
		if j := p.running[i].job; !p.protected(c, j) {
			p.victims = append(p.victims, j)
			left -= j.Width
		}
	}
	p.victims, _ = Enough(p.victims, need, func(j *simulate.Job) int { return j.Width })
	for _, j := range p.victims {
		p.settle(c, p.vacate(j))
		if p.Mode == Suspend {
			c.Suspend(j, p.Cost)
		} else {
			c.Requeue(j, p.Cost)
		}
		p.enter(c, j)
	}
	p.queue.remove(e.mark())
	c.Start(e.job)
	t := tenant{-e.key, p.Bill(c.Now()), e.job}
	at, _ := slices.BinarySearchFunc(p.running, t, compareTenants)
	p.running = slices.Insert(p.running, at, t)
}

// spotSpec returns the market. The bids of customers are known in runs of a study.
func spotSpec() Spec {
	return Spec{
		Name: "spot", Title: "Spot", Summary: "a market: the highest bids run, and all pay the pool's price",
		Options: append(TermOptions(), NumberOption("minimum", "0"),
			Option{Name: "preempt", Values: []string{"suspend", "restart", "none"}}, NumberOption("preempt-cost", "0")),
		Needs: Needs{Alike: true, Preempts: true, Prices: true}, Market: true, Cost: 2e-6,
		Make: InContext(func(s Settings, f Context) simulate.Policy {
			return &Spot{Terms: s.Terms(), Preemption: s.preemption(), Minimum: s.Number("minimum"), Bids: f.Bids}
		}),
	}
}

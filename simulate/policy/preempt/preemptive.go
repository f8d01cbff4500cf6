package preempt

import (
	"cmp"
	"slices"

	"revopt/internal/ordered"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// Specs returns the policies of this package.
func Specs() []policy.Spec {
	return []policy.Spec{
		dOverSpec(),
		fillingSpec("server-filling", "ServerFilling",
			"the first jobs that fill the machine, the widest first, preemptive", false),
		fillingSpec("server-filling-srpt", "ServerFilling-SRPT",
			"the smallest jobs that fill the machine, the widest first, preemptive", true),
		lasSpec(),
	}
}

// preemptive is what policies that choose the running jobs anew at every decision share. The
// key of a job changes only while it runs.
type preemptive struct {
	policy.Terms
	cost    float64 // s of each preemption, see simulate.Cluster.Suspend
	key     func(j *simulate.Job, now float64) float64
	queue   ordered.List[contender] // jobs that do not run
	running []contender             // those that do
	first   []contender             // jobs that the policy serves, in order, as far as they fit
	keep    []bool                  // by place among those that run
}

// contender is a job that waits or runs.
type contender struct {
	job *simulate.Job
	key float64 // the least is first, then the job that came first
	at  int     // place among those that run, -1: it waits
}

func (a *contender) compare(b *contender) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.job.ID, b.job.ID))
}

func (p *preemptive) set(key func(j *simulate.Job, now float64) float64) {
	p.key, p.queue.Compare = key, (*contender).compare
}

// at returns the contender of a job that does not run.
func (p *preemptive) at(c *simulate.Cluster, j *simulate.Job) contender {
	return contender{j, p.key(j, c.Now()), -1}
}

// Arrive implements simulate.Policy.
func (p *preemptive) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if _, ok := p.Take(c, j); ok {
		c.Admit(j)
		p.queue.Insert(p.at(c, j))
	}
}

// Leave implements simulate.Leaver.
func (p *preemptive) Leave(c *simulate.Cluster, j *simulate.Job) { p.queue.Remove(p.at(c, j)) }

// Unlimited implements simulate.Unlimited: the first jobs are chosen by the processors of all that run.
func (p *preemptive) Unlimited() {}

// Finish implements simulate.Finisher.
func (p *preemptive) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.running = slices.DeleteFunc(p.running, func(x contender) bool { return x.job == j })
	p.Charge(c, j)
}

// Stop implements simulate.Stopper.
func (p *preemptive) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	p.running = slices.DeleteFunc(p.running, func(x contender) bool { return x.job == j })
	if again {
		p.queue.Insert(p.at(c, j))
	}
}

// review sets the keys of the running jobs as of now, and returns the processors that jobs may
// use.
func (p *preemptive) review(c *simulate.Cluster) (up int) {
	p.first = p.first[:0]
	p.keep = p.keep[:0]
	up = c.Free()
	for i := range p.running {
		x := &p.running[i]
		x.key, up = p.key(x.job, c.Now()), up+x.job.Width
		p.keep = append(p.keep, false)
	}
	slices.SortFunc(p.running, func(a, b contender) int { return a.compare(&b) })
	for i := range p.running {
		p.running[i].at = i
	}
	return up
}

// present yields all jobs in order.
func (p *preemptive) present(yield func(contender) bool) {
	for i, k := 0, 0; i < len(p.running) || k < len(p.queue.Items); {
		var x contender
		if k == len(p.queue.Items) || i < len(p.running) && p.running[i].compare(&p.queue.Items[k]) < 0 {
			x, i = p.running[i], i+1
		} else {
			x, k = p.queue.Items[k], k+1
		}
		if !yield(x) {
			return
		}
	}
}

// serve runs each of the first jobs that fits beside those before it, and preempts all others.
func (p *preemptive) serve(c *simulate.Cluster, up int) {
	start := p.first[:0]
	for _, x := range p.first {
		if x.job.Width > up {
			continue
		}
		up -= x.job.Width
		if x.at >= 0 {
			p.keep[x.at] = true
		} else {
			start = append(start, x)
		}
	}
	p.running = slices.DeleteFunc(p.running, func(x contender) bool {
		if !p.keep[x.at] {
			c.Suspend(x.job, p.cost)
			p.queue.Insert(p.at(c, x.job))
		}
		return !p.keep[x.at]
	})
	for _, x := range start {
		p.queue.Remove(x)
		c.Start(x.job)
		p.running = append(p.running, x)
	}
}

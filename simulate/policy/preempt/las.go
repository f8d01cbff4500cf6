package preempt

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// las is least attained service.
//
// # Policy las
//
// Least attained service, preemptive and without any estimates: jobs that have had the fewest processor-seconds run
// first, as far as they fit. Service counts in levels, as in the discretized 2D-LAS of Tiresias (Gu et al. 2019), so
// that jobs do not preempt each other all the time: the first level ends at the option quantum, in processor-seconds,
// each further one at twice the service. The option queues limits their number (0: no limit). Within a level jobs run
// by arrival.
type las struct {
	preemptive
	quantum float64 // processor-seconds
	queues  int     // levels, at most; 0 is no limit
}

// leastQuantum is the least quantum, processor-seconds.
const leastQuantum = 1e-3

func lasSpec() policy.Spec {
	number := policy.NumberOption
	return policy.Spec{
		Name: "las", Title: "LAS", Summary: "least attained service first, preemptive, no estimates",
		Options: []policy.Option{number("quantum", "1"), number("queues", "0"), number("preempt-cost", "0")},
		Needs:   policy.Needs{Alike: true, Preempts: true}, Cost: 2e-5,
		Make: policy.PerSite(func(s policy.Settings) simulate.Policy {
			p := &las{quantum: max(s.Number("quantum"), leastQuantum), queues: int(min(s.Number("queues"), 1e6))}
			p.cost = s.Number("preempt-cost")
			p.set(func(j *simulate.Job, now float64) float64 {
				level, _ := p.level(j, now)
				return level
			})
			return p
		}),
	}
}

// level returns the level of a job and the service at which it ends, processor-seconds.
func (p *las) level(j *simulate.Job, now float64) (level, end float64) {
	end = p.quantum
	if x := float64(j.Width) * j.Served(now) / p.quantum * (1 + 1e-9); x >= 1 {
		level = 1 + math.Floor(math.Log2(x))
		end *= math.Exp2(level)
	}
	if last := float64(p.queues - 1); p.queues > 0 && level >= last {
		return last, math.Inf(1)
	}
	return level, end
}

// Schedule implements simulate.Policy.
func (p *las) Schedule(c *simulate.Cluster) {
	up := p.review(c)
	left := up
	for x := range p.present {
		if left == 0 {
			break
		}
		if x.job.Width <= left {
			p.first, left = append(p.first, x), left-x.job.Width
		}
	}
	p.serve(c, up)
	if len(p.queue.Items) == 0 {
		return
	}
	wake := math.Inf(1)
	for _, x := range p.running {
		_, end := p.level(x.job, c.Now())
		wake = min(wake, c.Now()+end/float64(x.job.Width)-x.job.Served(c.Now()))
	}
	c.WakeAt(max(wake, c.Now()*(1+1e-12)))
}

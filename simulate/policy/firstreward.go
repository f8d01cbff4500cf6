package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// Reward is the order of FirstReward: Irwin, Grit and Chase (2004), "Balancing
// risk and reward in a market-based task service". A job that would run for RPT
// seconds has the present value
//
//	PV = v(now + RPT)^+ / (1 + rate RPT)
//
// and comes in order of its reward
//
//	(alpha PV - (1 - alpha) cost) / (width RPT)
//
// where its cost is the loss of the other waiting jobs meanwhile. On a cluster of P
// processors it delays them by tau = RPT width / P. A soft job that would lose its value
// between d and z seconds from now then loses
//
//	decay (min(tau, z) - min(tau, d))
//
// and a hard job that must start within d seconds loses its price if tau > d. On one
// processor, with values that decay from the start, this is the paper's decay
// min(RPT, z). The costs of n jobs take one sort and time linear in n.
type Reward struct {
	Alpha float64 // weight of the present value, from 0 to 1
	Rate  float64 // discount, 1/s
	// Admit refuses a job on arrival if its slack (PV - cost) / decay is below Slack. The
	// slack is the delay after which the job is worth less than its cost. The slack of a
	// hard job is d, or minus infinity if its cost exceeds PV.
	Admit bool
	Slack float64 // s

	changes []change
	costs   []costing
}

// change is a point at which the losses of a job jump or their rate changes.
type change struct{ at, slope, jump float64 }

// costing is a job whose cost is computed.
type costing struct {
	tau, cost float64
	bid       int
}

// rewardOptions are the options of FirstReward.
func rewardOptions() []Option {
	return append(valuePlan("1"),
		NumberOption("alpha", "0.5"), NumberOption("discount", "0.01"),
		Option{Name: "admission", Values: []string{"all", "slack"}}, NumberOption("slack", "0"))
}

// reward reads them.
func (s Settings) reward() *ValueBF {
	p := s.valuePlan()
	p.Reward = &Reward{
		Alpha: min(s.Number("alpha"), 1), Rate: s.Number("discount") / 3600,
		Admit: s["admission"] == "slack", Slack: s.Number("slack"),
	}
	return p
}

// window returns the times, s from now, between which a waiting job loses its value.
func (q *candidacy) window(now float64) (d, z float64) {
	v := &q.job.Value
	d = q.job.Submit + v.Due - now - q.mean
	switch {
	case v.Price <= 0 || v.Decay == 0 && !v.Hard:
		return math.Inf(1), math.Inf(1)
	case v.Hard:
		return d, d
	}
	return max(d, 0), max(d+v.Price/v.Decay, 0)
}

// loses returns the loss of a waiting job that is delayed by tau.
func (q *candidacy) loses(now, tau float64) float64 {
	d, z := q.window(now)
	switch {
	case math.IsInf(d, 1):
		return 0
	case q.job.Value.Hard && d >= 0 && tau > d:
		return q.job.Value.Price
	case q.job.Value.Hard:
		return 0
	}
	return q.job.Value.Decay * (min(tau, z) - min(tau, d))
}

// reckon computes the costs of all waiting jobs.
func (r *Reward) reckon(bids []bid, now float64, processors int) {
	r.changes, r.costs = r.changes[:0], r.costs[:0]
	for i := range bids {
		q := &bids[i]
		if q.width == 0 {
			continue
		}
		v := &q.job.Value
		switch d, z := q.window(now); {
		case math.IsInf(d, 1):
		case v.Hard && d >= 0:
			r.changes = append(r.changes, change{at: d, jump: v.Price})
		case !v.Hard && z > d:
			r.changes = append(r.changes, change{d, v.Decay, 0}, change{z, -v.Decay, 0})
		}
		r.costs = append(r.costs, costing{tau: q.mean * float64(q.width) / float64(processors), bid: i})
	}
	slices.SortFunc(r.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	slices.SortFunc(r.costs, func(a, b costing) int { return cmp.Or(cmp.Compare(a.tau, b.tau), cmp.Compare(a.bid, b.bid)) })
	var constant, slope float64
	next := 0
	for i := range r.costs {
		k := &r.costs[i]
		for ; next < len(r.changes) && r.changes[next].at < k.tau; next++ {
			c := r.changes[next]
			slope += c.slope
			constant += c.jump - c.slope*c.at
		}
		k.cost = max(constant+slope*k.tau-bids[k.bid].loses(now, k.tau), 0)
	}
}

// present returns the present value of a waiting job.
func (r *Reward) present(q *bid, now float64) float64 {
	return max(q.job.Worth(now+q.mean), 0) / (1 + r.Rate*q.mean)
}

// rank sets the indexes to the rewards.
func (r *Reward) rank(bids []bid, now float64, processors int) {
	r.reckon(bids, now, processors)
	for _, k := range r.costs {
		q := &bids[k.bid]
		q.index = (r.Alpha*r.present(q, now) - (1-r.Alpha)*k.cost) / (float64(q.width) * q.mean)
	}
}

// refuse rejects new bids, from the given index on, whose slack is too small, and sets
// their widths to 0. It reports whether there were any.
func (r *Reward) refuse(c *simulate.Cluster, bids []bid, from int) (any bool) {
	now := c.Now()
	r.reckon(bids, now, c.Processors())
	for _, k := range r.costs {
		q := &bids[k.bid]
		if k.bid < from || !q.job.Waiting() || q.job.Value.Price <= 0 {
			continue
		}
		slack := (r.present(q, now) - k.cost) / q.job.Value.Decay
		if q.job.Value.Hard {
			if d, _ := q.window(now); slack >= 0 {
				slack = d
			}
		}
		if slack < r.Slack {
			c.Reject(q.job, simulate.Refused)
			q.width, any = 0, true
		}
	}
	return any
}

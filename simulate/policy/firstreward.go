package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// Reward is the order of FirstReward: "Balancing risk and reward in a market-based task service". On one processor,
// with values that decay from the start, the cost of a job is the paper's decay min(RPT, z). The losses of all jobs
// until a time are a sum over a tree, so that a cost takes logarithmic time.
//
// # Policies first-price, first-reward
//
// The queue of value-bf in other orders, with one reservation; the rules of value-bf about values, lapses, decisions,
// run times and ties hold. first-price is value-bf with future=0, the value density of Chun and Culler (2002).
// first-reward is that of Irwin, Grit and Chase (2004). A job that would run for RPT seconds (the mean of its possible
// run times) has the present value PV and comes in order of its reward:
//
//	PV = v(now + RPT)^+ / (1 + discount RPT)        reward = (alpha PV - (1 - alpha) cost) / (width RPT)
//
// In place of the index, the sign of v(now + RPT) says which jobs wait. Its cost is the loss of the other waiting jobs
// meanwhile. On P processors it delays them by tau = RPT width / P. A soft job whose value falls to 0 as its own start,
// with its own RPT, moves from d to z seconds from now (0 if that is past) then loses decay (min(tau, z) - min(tau,
// d)), and a hard job that must start within d seconds, and still can, loses its price if tau > d. The option discount
// is per hour. admission=slack refuses an arriving job whose slack (PV - cost) / decay is below the option slack, in s;
// for a hard job the slack is d if PV covers the cost.
type Reward struct {
	Alpha float64 // weight of the present value, from 0 to 1
	Rate  float64 // discount, 1/s
	// Admit refuses a job on arrival if its slack (PV - cost) / decay is below Slack. The
	// slack is the delay after which the job is worth less than its cost. The slack of a
	// hard job is d, or minus infinity if its cost exceeds PV.
	Admit bool
	Slack float64 // s

	losses     tree[change, change] // of the waiting jobs, by time
	lost       change               // those before now
	processors float64
}

// change is a time at which the losses of a job jump or their rate changes, or the sum of
// some changes, from the first of them on.
type change struct {
	mark
	slope, jump float64
	moment      float64 // the slopes times their times
}

// add adds another sum.
func (s *change) add(o *change) {
	s.slope += o.slope
	s.jump += o.jump
	s.moment += o.moment
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

// window returns the start times from which a waiting job loses its value and from which it
// has lost it, infinity if it loses none.
func (q *candidate) window() (due, end float64) {
	v := &q.value
	due = q.job.Submit + v.Due - q.mean
	switch {
	case v.Price <= 0 || v.Decay == 0 && !v.Hard:
		return math.Inf(1), math.Inf(1)
	case v.Hard:
		return due, due
	}
	return due, due + v.Price/v.Decay
}

// loses returns the loss of a waiting job that is delayed by tau. A hard job loses in the same
// spans as in the sums of changes, to the last bit.
func (q *candidate) loses(now, tau float64) float64 {
	due, end := q.window()
	switch {
	case !q.value.Hard:
		return q.value.Decay * (min(tau, max(end-now, 0)) - min(tau, max(due-now, 0)))
	case now <= due && due < now+tau:
		return q.value.Price
	}
	return 0
}

// count calls a function for the changes by a waiting job.
func (r *Reward) count(q *candidate, f func(x change)) {
	v := &q.value
	switch due, end := q.window(); {
	case math.IsInf(due, 1):
	case v.Hard:
		f(change{mark: mark{due, q.job.ID}, jump: v.Price})
	default:
		f(change{mark: mark{due, q.job.ID}, slope: v.Decay, moment: v.Decay * due})
		f(change{mark: mark{end, q.job.ID}, slope: -v.Decay, moment: -v.Decay * end})
	}
}

// insert adds a change, and remove removes it.
func (r *Reward) insert(x change) {
	if r.losses.root == nil {
		r.losses = tree[change, change]{root: new(node[change, change]), crowd: 32, sum: sumChanges}
	}
	n, i := leafOf(&r.losses, x.mark)
	n.leaf = slices.Insert(n.leaf, i, x)
	r.losses.settle(n)
}

func (r *Reward) remove(x change) {
	n, i := leafOf(&r.losses, x.mark)
	n.leaf = slices.Delete(n.leaf, i, i+1)
	r.losses.settle(n)
}

// sumChanges computes the summary of a node.
func sumChanges(s *change, n *node[change, change]) bool {
	*s = change{}
	for i := range n.kids {
		s.add(&n.kids[i].sum)
	}
	for i := range n.leaf {
		s.add(&n.leaf[i])
	}
	if len(n.kids) > 0 {
		s.mark = n.kids[0].sum.mark
	} else if len(n.leaf) > 0 {
		s.mark = n.leaf[0].mark
	}
	return true
}

// until returns the sum of the changes before a time.
func (r *Reward) until(t float64) (s change) {
	n := r.losses.root
	for n != nil && len(n.kids) > 0 {
		i := 0
		for i+1 < len(n.kids) && n.kids[i+1].sum.key < t {
			s.add(&n.kids[i].sum)
			i++
		}
		n = n.kids[i].node
	}
	for i := 0; n != nil && i < len(n.leaf) && n.leaf[i].key < t; i++ {
		s.add(&n.leaf[i])
	}
	return s
}

// begin prepares a decision.
func (r *Reward) begin(now float64, processors int) {
	r.lost, r.processors = r.until(now), float64(processors)
}

// cost returns the cost of a waiting job by its processor-seconds.
func (r *Reward) cost(q *candidate, now float64) float64 {
	tau := q.work() / r.processors
	return max(r.lost.slope/r.processors+(r.within(now, tau)-q.loses(now, tau))/q.work(), 0)
}

// within returns how much more all jobs lose in the next tau seconds than at the rate of now.
func (r *Reward) within(now, tau float64) float64 {
	s := r.until(now + tau)
	return (s.slope-r.lost.slope)*(now+tau) - (s.moment - r.lost.moment) + s.jump - r.lost.jump
}

// toll returns a lower bound of the weighted costs of jobs, with their own losses, by their
// processor-seconds, which are between the given ones.
func (r *Reward) toll(least, most, now float64) float64 {
	tau := least / r.processors
	rounding := 1e-13 * (r.lost.slope*now + math.Abs(r.lost.moment) + r.lost.jump)
	return (1 - r.Alpha) * (r.lost.slope*tau + r.within(now, tau) - rounding) / most
}

// most returns an upper bound of the reward of a job from now on without the toll, and the
// time until which it holds, later or after it.
func (r *Reward) most(q *candidate, now, later float64) (reward, until float64) {
	v, work := &q.value, q.work()
	tau, near := work/max(r.processors, 1), 1e-9*later
	own, until := 0.0, math.Inf(1)
	switch due, end := q.window(); {
	case end+near < now:
	case later+tau+near < due:
		until = due - tau - near
	case v.Hard:
		own, until = v.Price, later
	default:
		own, until = v.Decay*(min(tau, later+tau-due)+near), later
	}
	return (r.Alpha*r.present(q, now) + (1-r.Alpha)*own) / work * (1 + 1e-12), until
}

// present returns the present value of a waiting job.
func (r *Reward) present(q *candidate, now float64) float64 {
	return max(q.worth(now+q.mean), 0) / (1 + r.Rate*q.mean)
}

// reward returns the reward of a waiting job.
func (r *Reward) reward(q *candidate, now float64) float64 {
	return r.Alpha*r.present(q, now)/q.work() - (1-r.Alpha)*r.cost(q, now)
}

// refuse rejects new jobs whose slack is too small, and appends them to a list.
func (r *Reward) refuse(c *simulate.Cluster, fresh, gone []*candidate) []*candidate {
	now := c.Now()
	r.begin(now, c.Processors())
	slices.SortFunc(fresh, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.work()/r.processors, b.work()/r.processors), cmp.Compare(a.turn, b.turn))
	})
	for _, q := range fresh {
		if !q.job.Waiting() || q.value.Price <= 0 {
			continue
		}
		slack := (r.present(q, now) - r.cost(q, now)*q.work()) / q.value.Decay
		if q.value.Hard {
			if due, _ := q.window(); slack >= 0 {
				slack = due - now
			}
		}
		if slack < r.Slack {
			c.Reject(q.job, simulate.Refused)
			gone = append(gone, q)
		}
	}
	return gone
}

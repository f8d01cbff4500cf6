package share

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// Spare says which tasks get the processor time of a node that the shares leave over.
type Spare uint8

// The rules. Under every rule, shares that sum to more than 1 are scaled down to the
// capacity of the node, which happens only after an estimate was too small.
const (
	Proportional Spare = iota // all, in proportion to the shares; Yeo and Buyya (2007)
	Equal                     // all, equally; Sherwani et al. (2004)
	None                      // none, so that every job ends at its deadline; Libra in Yeo and Buyya (2005)
)

// spareOption is the rule as an option of a policy.
func spareOption() policy.Option {
	return policy.Option{Name: "spare", Values: []string{"proportional", "equal", "none"}}
}

func spareOf(s policy.Settings) Spare {
	return map[string]Spare{"proportional": Proportional, "equal": Equal, "none": None}[s["spare"]]
}

// demand returns the share of its node that task i, of whose estimate the given time is left,
// needs to meet its deadline,
//
//	share = estimated runtime left / time to the deadline
//
// Yeo and Buyya (2005), (3). It is at most 1, and 1 once the task is overdue.
// A task that has spent its estimate and is not done keeps its share at admission,
// RE/D; a task that is done up to rounding needs none.
func demand(n *simulate.Node, i int, left, now float64) float64 {
	t := &n.Tasks[i]
	ahead := t.Due - now
	if left > near*t.Estimate && left < ahead {
		return left / ahead // the usual case
	}
	switch {
	case n.Spent(i):
		return t.Estimate / t.Allowed
	case 0 <= left && left < ahead:
		return left / ahead
	case n.Over(i):
		return 0
	case left >= ahead:
		return 1
	}
	return left / ahead
}

// near is the part of its estimate that a task has left when it may be spent up to rounding.
const near = 1e-3

// load returns the sum of the shares that the tasks of a node need, or hold. A task that
// runs at its share keeps it.
func (s Spare) load(n *simulate.Node, now float64) float64 {
	var sum float64
	elapsed := n.Elapsed(now)
	steady := s == None && !n.Changed()
	for i := range n.Tasks {
		t := &n.Tasks[i]
		switch {
		case t.Note[1] > 0:
			sum += t.Note[0] // see TimeSharing
		case steady:
			sum += t.Rate
		default:
			sum += demand(n, i, t.Left(elapsed), now)
		}
	}
	return sum
}

// rate gives every task its share and distributes the rest by the rule.
func (s Spare) rate(n *simulate.Node, now float64, sharing TimeSharing) {
	room, period := sharing.capacity(len(n.Tasks)), 0.0
	if sharing.Update > 0 {
		period = sharing.period(now)
	}
	sum := 0.0 // of the shares
	for i := range n.Tasks {
		t := &n.Tasks[i]
		t.Rate = demand(n, i, t.Left(0), now)
		if period > 0 {
			sharing.hold(t, period)
		}
		sum += t.Rate
	}
	factor, extra := 1.0, 0.0
	switch {
	case sum > room || s == Proportional && sum > 0:
		factor = room / sum
	case s == Equal && len(n.Tasks) > 0:
		extra = (room - sum) / float64(len(n.Tasks))
	}
	for i := range n.Tasks {
		t := &n.Tasks[i]
		t.Rate = t.Rate*factor + extra
	}
	switch {
	case period > 0 && len(n.Tasks) > 0:
		n.ReviewAt(sharing.nextUpdate(now))
	case period == 0:
		n.ReviewSpent()
	}
}

// TimeSharing describes the time sharing of a node's operating system. The zero value
// has no losses and updates shares at any time. Sherwani et al.
// (2004), "Libra scheduling algorithm" and "Performance evaluation".
type TimeSharing struct {
	// Update is the period of updates, s. Shares change only at its multiples: until the
	// next multiple a task holds the share of the last one, or of its arrival. Rates
	// follow from these shares. 0 is no period.
	Update float64
	// Switching is the part of its speed, below 1, that a node with several tasks loses to
	// context switches. The sum of the shares is limited to the rest.
	Switching float64
}

// timeSharingOptions are the choices as options of a policy.
func timeSharingOptions() []policy.Option {
	switching := policy.NumberOption("switching", "0")
	switching.Below = 1
	update := policy.NumberOption("update", "0")
	update.Least = 1 // s: the events of a run are as many as its periods
	return []policy.Option{update, switching}
}

func timeSharingOf(s policy.Settings) TimeSharing {
	return TimeSharing{Update: s.Number("update"), Switching: s.Number("switching")}
}

// capacity returns the capacity of a node with the given number of tasks.
func (s TimeSharing) capacity(tasks int) float64 {
	if tasks > 1 {
		return 1 - s.Switching
	}
	return 1
}

// A task whose node has a period of updates holds a share, Note[0], of the period
// with the number Note[1], from 1 on.

// period returns the number of the period at a time.
func (s TimeSharing) period(now float64) float64 { return 1 + math.Floor(now/s.Update*(1+1e-12)) }

// hold keeps the share of a task, its rate so far, until the next update.
func (s TimeSharing) hold(t *simulate.Task, period float64) {
	if t.Note[1] < period {
		t.Note = [2]float64{t.Rate, period}
	}
	t.Rate = t.Note[0]
}

// nextUpdate returns the end of the period. It is later than now even if the period is
// below the resolution of the clock.
func (s TimeSharing) nextUpdate(now float64) float64 {
	return max(s.period(now)*s.Update, now*(1+1e-12))
}

package policy

import (
	"math"

	"revopt/simulate"
)

// TimeSharing is how the operating system of a node shares it. The zero value
// shares without loss and brings shares up to date at any time. Sherwani et al.
// (2004), "Libra scheduling algorithm" and "Performance evaluation".
type TimeSharing struct {
	// Update is the period after which a node is told how long its tasks have run, s.
	// Shares change at its multiples alone: until the next a task holds the share it
	// had at the last, or came with. Rates follow from these. 0 is no period.
	Update float64
	// Switching is the part of its speed that a node with several tasks loses to
	// changes of context, below 1. Shares that exceed the rest find no room.
	Switching float64
}

// timeSharingOptions are the choices as options of a policy.
func timeSharingOptions() []Option {
	switching := NumberOption("switching", "0")
	switching.Below = 1
	update := NumberOption("update", "0")
	update.Least = 1 // s: the events of a run are as many as its periods
	return []Option{update, switching}
}

// timeSharing reads them.
func (s Settings) timeSharing() TimeSharing {
	return TimeSharing{Update: s.Number("update"), Switching: s.Number("switching")}
}

// capacity returns what a node offers to so many tasks.
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

// nextUpdate returns when the period ends. Periods that the clock cannot tell apart
// end with the next that it can.
func (s TimeSharing) nextUpdate(now float64) float64 {
	return max(s.period(now)*s.Update, now*(1+1e-12))
}

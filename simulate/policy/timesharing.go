package policy

import (
	"math"

	"revopt/simulate"
)

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

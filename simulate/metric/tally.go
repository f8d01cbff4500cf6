package metric

import "revopt/simulate"

// Sum is what the measured jobs of a class, or of all, add up to.
type Sum struct {
	Submitted int64
	Admitted  int64
	Rejected  int64
	Started   int64
	Completed int64
	Expired   int64
	Prompt    int64   // jobs that started within their grace
	Wait      float64 // s, start less submission, of the jobs that started
	Slowdown  float64 // bounded slowdowns of the jobs that completed
	Worth     float64 // $ that the submitted jobs would pay if none waited
	Revenue   float64 // $ booked for the jobs that ended
	Delivered float64 // processor-seconds given while the window was open

	Stated  Stated                  // of jobs with deadlines
	Reasons [simulate.Reasons]int64 // rejected, by reason

	Seconds  float64 // the window was open
	Capacity float64 // processor-seconds there were
}

// add adds another class in the same window.
func (s *Sum) add(t Sum) {
	s.Submitted += t.Submitted
	s.Admitted += t.Admitted
	s.Rejected += t.Rejected
	s.Started += t.Started
	s.Completed += t.Completed
	s.Expired += t.Expired
	s.Prompt += t.Prompt
	s.Wait += t.Wait
	s.Slowdown += t.Slowdown
	s.Worth += t.Worth
	s.Revenue += t.Revenue
	s.Delivered += t.Delivered
	s.Stated.add(t.Stated)
	for reason, n := range t.Reasons {
		s.Reasons[reason] += n
	}
}

// start adds a job that starts after the given wait.
func (s *Sum) start(wait, grace float64) {
	s.Started++
	s.Wait += wait
	if wait <= grace {
		s.Prompt++
	}
}

// boundedSlowdown returns how much longer a job took, from submission to end,
// than on processors of its own, max(1, response / max(length, 10 s)): without
// the bound the shortest jobs would be all that counts (Feitelson et al. 1997).
func boundedSlowdown(response, length float64) float64 {
	const shortest = 10
	return max(1, response/max(length, shortest))
}

// Tally is an observer that sums up the measured jobs of a run by class.
type Tally struct {
	// UntilEnd observes until the last job has ended rather than until
	// arrivals close: for traces, which have no steady state.
	UntilEnd bool

	classes []Sum
	seconds float64
	power   float64 // processor-seconds
}

// NewTally returns a tally of jobs of the given number of classes.
func NewTally(classes int) *Tally { return &Tally{classes: make([]Sum, classes)} }

// Class returns the sums of class s.
func (t *Tally) Class(s int) Sum {
	sum := t.classes[s]
	sum.Seconds, sum.Capacity = t.seconds, t.power
	return sum
}

// Total returns the sums of all classes.
func (t *Tally) Total() Sum {
	total := Sum{Seconds: t.seconds, Capacity: t.power}
	for _, s := range t.classes {
		total.add(s)
	}
	return total
}

// Observe implements simulate.Observer.
func (t *Tally) Observe(e simulate.Event) {
	if e.Job == nil {
		t.window(e)
		return
	}
	if !e.Job.Measured {
		return
	}
	s := &t.classes[e.Job.Class]
	switch e.Kind {
	case simulate.Submitted:
		s.Submitted++
		s.Worth += e.Job.Price
		s.Stated.submit(e.Job)
	case simulate.Admitted:
		s.Admitted++
	case simulate.Started:
		s.start(e.Time-e.Job.Submit, e.Job.Grace)
	case simulate.Rejected:
		s.Rejected++
		s.Reasons[e.Reason]++
		s.Revenue += e.Job.Revenue
	case simulate.Completed:
		s.Completed++
		s.Slowdown += boundedSlowdown(e.Time-e.Job.Submit, e.Job.Work)
		s.Revenue += e.Job.Revenue
		s.Stated.complete(e.Job, e.Time)
	case simulate.Expired:
		s.Expired++
		s.Revenue += e.Job.Revenue
	}
}

// window takes the difference of what was delivered between the opening and
// the close.
func (t *Tally) window(e simulate.Event) {
	end := simulate.Closed
	if t.UntilEnd {
		end = simulate.Ended
	}
	var sign float64
	switch e.Kind {
	case simulate.Opened:
		sign = -1
	case end:
		sign = 1
	default:
		return
	}
	for class := range t.classes {
		t.classes[class].Delivered += sign * e.Site.Delivered(class)
	}
	t.power += sign * e.Time * float64(e.Site.Processors())
	if e.Site.Index() == 0 {
		t.seconds += sign * e.Time
	}
}

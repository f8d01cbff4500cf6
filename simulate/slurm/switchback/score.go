package switchback

import (
	"cmp"
	"math"
	"slices"
)

// Job is a job as a trial scores it. Times are those of the plan, money is in $.
type Job struct {
	Submit float64
	Start  float64                    // +Inf while it waits
	Paid   func(wait float64) float64 // what it pays if it starts after a wait; nil: it pays nothing and has no score
	Groups []string                   // that it belongs to
}

// wait returns for how long a job has waited at a time.
func (j *Job) wait(time float64) float64 { return max(min(j.Start, time)-j.Submit, 0) }

// Trial is what is known of a plan at a time.
type Trial struct {
	Pairs  []Pair  // that were laid down before they began
	Span   float64 // s
	Margin float64 // s; 0: the quantile of waits, see Quantile
	Jobs   []Job
	Now    float64 // the jobs are known up to here
}

// Quantile is the share of jobs that wait no longer than the margin, unless it is stated: most jobs that are submitted
// outside of the margins then start in the span in which they were submitted.
const Quantile = 0.9

// Side is what the jobs of a span delivered, without those that were submitted in its margins.
type Side struct {
	Jobs   int
	Waited int     // of them, those that had not started when the pair was closed
	Paid   float64 // $
	AtOnce float64 // $, if each had started when it was submitted
}

// Score returns what was delivered over what the jobs pay at once, NaN if they pay nothing.
func (s Side) Score() float64 {
	if !(s.AtOnce > 0) {
		return math.NaN()
	}
	return s.Paid / s.AtOnce
}

// Scored is a pair with what its spans delivered.
type Scored struct {
	Pair
	// Closed is the time from which on the score does not change: the first one after the end of the pair that is later
	// than it by the longest wait seen until then. A job that waits still counts as if it started at that time. +Inf: the
	// pair is not closed yet.
	Closed  float64
	On, Off Side
}

// Difference returns the score with the rule less that without it, NaN where one of them is missing or the pair is open.
func (s *Scored) Difference() float64 {
	if math.IsInf(s.Closed, 1) {
		return math.NaN()
	}
	return s.On.Score() - s.Off.Score()
}

// Result is the scores of a trial.
type Result struct {
	Margin  float64 // s
	Longest float64 // wait that was seen, s
	Pairs   []Scored

	trial Trial
}

// Score scores the pairs. It is a *MarginError if too little is left of the spans.
func (t Trial) Score() (*Result, error) {
	r := &Result{Margin: t.Margin, trial: t}
	if r.Margin == 0 {
		r.Margin = t.Waits()
	}
	if err := checkMargin(r.Margin, t.Span); err != nil {
		return nil, err
	}
	seen := t.longest()
	r.Longest = seen.until(t.Now)
	for _, p := range t.Pairs {
		closed := seen.closes(p.To)
		if closed > t.Now {
			closed = math.Inf(1)
		}
		r.Pairs = append(r.Pairs, Scored{Pair: p, Closed: closed})
	}
	r.Pairs = r.Of("")
	return r, nil
}

// Of returns the pairs with the scores of the jobs of one group, of all if it is "".
func (r *Result) Of(group string) []Scored {
	list := slices.Clone(r.Pairs)
	for i := range list {
		list[i].On, list[i].Off = Side{}, Side{}
	}
	for i := range r.trial.Jobs {
		j := &r.trial.Jobs[i]
		if j.Paid != nil && (group == "" || slices.Contains(j.Groups, group)) {
			r.add(list, j)
		}
	}
	return list
}

// add adds a job to the span in which it was submitted, unless that was in a margin.
func (r *Result) add(list []Scored, j *Job) {
	i, _ := slices.BinarySearchFunc(list, j.Submit, func(s Scored, submit float64) int {
		if s.To <= submit {
			return -1
		}
		return 1
	})
	if i == len(list) || j.Submit < list[i].From {
		return
	}
	s := &list[i]
	begin, end := s.From, s.Switch
	if j.Submit >= s.Switch {
		begin, end = s.Switch, s.To
	}
	if j.Submit < begin+r.Margin || j.Submit >= end-r.Margin {
		return
	}
	side := &s.Off
	if s.on(j.Submit) {
		side = &s.On
	}
	side.Jobs++
	closed := min(s.Closed, r.trial.Now)
	if j.Start > closed {
		side.Waited++
	}
	side.Paid += j.Paid(j.wait(closed))
	side.AtOnce += j.Paid(0)
}

// Waits returns the wait that nine of ten jobs do not exceed, see Quantile, s. A job that waits has waited so long.
func (t Trial) Waits() float64 {
	var waits []float64
	for i := range t.Jobs {
		if t.Jobs[i].Submit <= t.Now {
			waits = append(waits, t.Jobs[i].wait(t.Now))
		}
	}
	if len(waits) == 0 {
		return 0
	}
	slices.Sort(waits)
	return waits[int(math.Ceil(Quantile*float64(len(waits))))-1]
}

// waitRecord is a start after a longer wait than any before it.
type waitRecord struct{ at, wait float64 }

// waitRecords are in order of time.
type waitRecords []waitRecord

// longest returns the starts of jobs that had waited longer than any before.
func (t Trial) longest() (list waitRecords) {
	var starts []*Job
	for i := range t.Jobs {
		if j := &t.Jobs[i]; j.Start <= t.Now {
			starts = append(starts, j)
		}
	}
	slices.SortStableFunc(starts, func(a, b *Job) int { return cmp.Compare(a.Start, b.Start) })
	most := 0.0
	for _, j := range starts {
		if wait := j.wait(j.Start); wait > most {
			most = wait
			list = append(list, waitRecord{j.Start, wait})
		}
	}
	return list
}

// until returns the longest wait of the jobs that have started by a time, s.
func (w waitRecords) until(time float64) (wait float64) {
	for _, r := range w {
		if r.at <= time {
			wait = r.wait
		}
	}
	return wait
}

// closes returns the first time that is later than the end of a pair by the longest wait seen until then.
func (w waitRecords) closes(end float64) float64 {
	closed := end + w.until(end)
	for {
		later := end + w.until(closed)
		if later <= closed {
			return closed
		}
		closed = later
	}
}

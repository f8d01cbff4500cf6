package offline

import (
	"math"

	"revopt/simulate"
)

// Job is a job that runs once, or not at all. If it ends at time f it loses
//
//	min(Rate (f - After)^+, Most)
type Job struct {
	Release float64 // s, it starts no earlier
	Last    float64 // s, nor later; +Inf where it may always start
	Length  float64 // s
	Width   int     // nodes
	After   float64 // s
	Rate    float64 // of the loss, per s
	Most    float64 // +Inf where there is no limit
	Skipped float64 // what is lost if it does not run; +Inf where it has to
}

// Loss returns what is lost if the job starts at a time.
func (j *Job) Loss(start float64) float64 {
	late := start + j.Length - j.After
	if late <= 0 || j.Rate == 0 {
		return 0
	}
	return math.Min(j.Rate*late, j.Most)
}

// Paid returns a job that loses value. Where it does not run it is worth what [Unserved] says.
func Paid(j *simulate.Job, speed float64) Job {
	v, length := j.Value, j.Work/speed
	p := Job{Release: j.Submit, Last: math.Inf(1), Length: length, Width: j.Width, After: j.Submit + v.Due,
		Skipped: v.Price - Unserved(j)}
	switch {
	case j.Void:
		p.Skipped = 0
	case v.Hard && -v.Floor <= Unserved(j):
		p.Last = p.After - length
	case v.Hard:
		p.Rate, p.Most = math.Inf(1), v.Price+v.Floor
	case v.Decay > 0:
		p.Rate, p.Most = v.Decay, v.Price+v.Floor
	}
	return p
}

// Unserved returns what a job is worth that does not run: nothing, or more where it gives up and its floor is below 0.
func Unserved(j *simulate.Job) float64 {
	if j.Void || j.Expire == 0 || math.IsInf(j.Expire, 1) {
		return 0
	}
	return math.Max(0, j.Value.Forsaken())
}

// Delayed returns a job that has to run, and loses a weight per second that it waits beyond a grace.
func Delayed(j *simulate.Job, weight, grace float64) Job {
	return Job{Release: j.Submit, Last: math.Inf(1), Length: j.Work, Width: j.Width, After: j.Submit + j.Work + grace,
		Rate: weight, Most: math.Inf(1), Skipped: math.Inf(1)}
}

// Level is how many nodes are up from a time on.
type Level struct {
	From  float64
	Units int
}

// Machine is what jobs run on. Up rises to Nodes in the end; nil: all nodes are up, always.
type Machine struct {
	Nodes int
	Up    []Level
}

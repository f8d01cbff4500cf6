package bound

import (
	"errors"
	"math"

	"revopt/simulate"
)

// The simulator takes an end a little past a deadline for one in time. Windows
// are wider than stated by these parts of the time and of the deadline.
const (
	hair   = 1e-9
	leeway = 2e-8
)

// due returns the time of a job's deadline, widened; +Inf where there is none.
func due(j *simulate.Job) float64 {
	d := j.Spec.Constraints.Deadline
	if d <= 0 {
		return math.Inf(1)
	}
	return widen(j.Submit + d + leeway*d)
}

// widen returns a time a hair later.
func widen(t float64) float64 { return t + hair*math.Abs(t) }

// FromSpec returns the job of a user who states a deadline and a budget, as in
// Job.Spec.Constraints. It is worth its budget if it ends by its deadline. Late
// it is worth nothing if the deadline is hard, and budget - penalty x delay if
// not; a scheduler may decline it, so that less than nothing counts as nothing.
// Without a deadline it is worth its budget whenever it ends.
//
// A job that is Void is worth nothing.
func FromSpec(j *simulate.Job) Job {
	c := j.Spec.Constraints
	b := Job{Release: j.Submit, End: math.Inf(1), Width: float64(j.Width)}
	if j.Void {
		return b
	}
	switch {
	case c.Deadline <= 0:
	case c.Hard:
		b.End = due(j)
	default:
		b.Late = Lateness{After: due(j), Rate: c.Penalty, Most: math.Inf(1)}
	}
	b.setWork(j.Work, c.Budget)
	return b
}

// FromClass returns the job of a class workload, which pays Job.Value of its
// wait at the start of service and minus its penalty if it gives up at
// Job.Expire.
//
// A wait of tau means an end no earlier than tau after release + Work, so in
// terms of the finish the value falls from release + Work + Grace on. This
// holds for service without interruption at rate 1, and with interruptions if
// the wait is taken for all the time in which the job did not run. A job that
// expires pays nothing to the provider, unless its penalty is negative.
//
// A job that is Void is worth nothing.
func FromClass(j *simulate.Job) Job {
	served := j.Submit + j.Work
	b := Job{Release: j.Submit, End: j.Expire + j.Work, Width: float64(j.Width)}
	if j.Void {
		return b
	}
	b.End = widen(b.End)
	worth := j.Price
	if j.Decay > 0 {
		worth = math.Max(worth, -j.Penalty) // a floor above the price
		b.Late = Lateness{After: widen(served + j.Grace), Rate: j.Decay, Most: math.Max(0, j.Price+j.Penalty)}
	}
	if !math.IsInf(j.Expire, 1) {
		b.Free = math.Max(0, -j.Penalty)
	}
	b.setWork(j.Work, worth-b.Free)
	return b
}

// instant is a length, s, that is taken for none: values per node-second of
// shorter jobs may be beyond the range of numbers.
const instant = 1e-100

// setWork gives the job its only part. Work that takes no time is free.
func (j *Job) setWork(length, value float64) {
	if length > instant {
		j.Parts = []Part{{Work: length * j.Width, Value: value}}
		return
	}
	j.Free += math.Max(0, value)
}

// Imprecise returns a job with a mandatory part, which pays only when it is
// done in full, and an optional part, which is paid by what is done of it; at
// the deadline the job is returned with what it has. Works are in node-seconds,
// optional pieces in the order in which they are done; a budget that is not
// piecewise linear is given by pieces whose chords lie on or above it.
func Imprecise(release, deadline, width float64, mandatory Part, optional ...Part) Job {
	return Job{
		Release: release, End: widen(deadline), Width: width,
		Parts: append([]Part{mandatory}, optional...),
	}
}

// Collect reads the first n jobs of a source, all of them if n is 0, and turns
// each into a job of this package, with [FromSpec], [FromClass],
// [FromImprecise] or [FromEither].
func Collect(source simulate.Source, n int, from func(*simulate.Job) Job) ([]Job, error) {
	if n < 0 {
		return nil, errors.New("bound: a negative number of jobs")
	}
	var jobs []Job
	for n == 0 || len(jobs) < n {
		var j simulate.Job
		ok, err := source.Next(&j)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		jobs = append(jobs, from(&j))
	}
	return jobs, nil
}

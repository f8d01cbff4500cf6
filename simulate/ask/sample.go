package ask

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/slurm"
)

// The sizes of a sample: stretches evenly over the log, and the last jobs, whose waits are simulated.
const (
	sampleStretches = 8
	sampleStretch   = 125 // jobs
	sampleWaits     = 5000
)

// LogSample is how well a policy reproduces a part of a log, whose size does not grow with the log.
type LogSample struct {
	Starts  int  // that were compared
	Whole   bool // they are those of the whole log
	Allowed int  // of them, the policy would make
	Waits   slurm.LogWaits
}

// Share returns the share of the starts that the policy allows, NaN if none was compared.
func (s LogSample) Share() float64 { return float64(s.Allowed) / float64(s.Starts) }

// Stretches returns how many jobs a sample compares, and in how many stretches. A log with no more jobs is one stretch.
func Stretches(jobs int) (compared, stretches int) {
	if jobs <= sampleStretches*sampleStretch {
		return jobs, 1
	}
	return sampleStretches * sampleStretch, sampleStretches
}

// Starts compares the starts of the jobs of the stretches. All jobs that ran or waited beside them are there.
func Starts(ctx context.Context, r slurm.LogReplay) (LogSample, error) {
	var sample LogSample
	jobs := bySubmission(r.Jobs)
	compared, stretches := Stretches(len(jobs))
	sample.Whole = stretches == 1
	for k := range stretches {
		each := compared / stretches
		first := 0
		if stretches > 1 {
			first = k * (len(jobs) - each) / (stretches - 1)
		}
		d, err := stretch(r, jobs, first, first+each).Run(ctx)
		if err != nil {
			return sample, err
		}
		sample.Starts += d.Starts
		sample.Allowed += d.Allowed
	}
	return sample, nil
}

// Sample is Starts with the waits of the last jobs, on a machine that is empty before them.
func Sample(ctx context.Context, r slurm.LogReplay) (LogSample, error) {
	sample, err := Starts(ctx, r)
	if err != nil {
		return sample, err
	}
	jobs := bySubmission(r.Jobs)
	r.Jobs = jobs[max(len(jobs)-sampleWaits, 0):]
	sample.Waits, err = r.Waits(ctx)
	return sample, err
}

// stretch returns the replay of some jobs beside all that are in the log at the same time.
func stretch(r slurm.LogReplay, jobs []slurm.LoggedJob, first, end int) slurm.LogReplay {
	r.From, r.To = jobs[first].Submit, jobs[end-1].Submit
	last := 0.0
	for _, j := range jobs[first:end] {
		if !math.IsNaN(j.Start) {
			last = max(last, j.Start)
		}
	}
	last += r.Tolerance
	from := r.From
	r.Jobs = slices.Clone(text.Where(jobs, func(j slurm.LoggedJob) bool { return j.Submit <= last && j.End >= from-1 }))
	return r
}

func bySubmission(jobs []slurm.LoggedJob) []slurm.LoggedJob {
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b slurm.LoggedJob) int { return cmp.Compare(a.Submit, b.Submit) })
	return jobs
}

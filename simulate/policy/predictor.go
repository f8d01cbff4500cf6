package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// predictor predicts run times from the jobs that have ended. Users ask for more time
// than they need, each in a different way: Tsafrir, Etsion and Feitelson (2007) predict
// the mean of the user's last two jobs. Here a job has several equally likely run times:
// its estimate times the ratio of run time to estimate of the user's last jobs, its
// estimate times quantiles of that ratio over all jobs, and the estimate. The spread
// matters as much as the mean to a policy that rejects jobs. The zero value has seen no
// job and returns the estimates.
type predictor struct {
	users map[int]history
	bins  [predictorBins]int // jobs by ratio
	jobs  int
	cuts  [predictorQuantiles]quantile
}

// quantile is a quantile of the ratio: its bin, and the number of jobs up to the end of the bin.
type quantile struct{ bin, jobs int }

const (
	predictorBins      = 128
	predictorOwn       = 4 // jobs of the user that count
	predictorQuantiles = 5 // of all jobs
)

// history is the last jobs of a user.
type history struct {
	ratio [predictorOwn]float64 // a ring
	jobs  int
}

// outcomes are the possible run times of a job, s.
type outcomes struct {
	at [predictorOwn + predictorQuantiles + 1]float64
	n  int
}

func (o *outcomes) add(run float64) {
	o.at[o.n] = run
	o.n++
}

func (o *outcomes) mean() float64 {
	var sum float64
	for _, run := range o.at[:o.n] {
		sum += run
	}
	return sum / float64(o.n)
}

func (f *predictor) learn(j *simulate.Job) {
	estimate := j.Spec.Details.Estimate
	if !(estimate > 0) {
		return
	}
	ratio := j.Work / estimate
	if f.users == nil {
		f.users = make(map[int]history)
	}
	h := f.users[j.Spec.Details.User]
	h.ratio[h.jobs%predictorOwn] = ratio
	h.jobs++
	f.users[j.Spec.Details.User] = h
	bin := min(int(ratio*predictorBins), predictorBins-1)
	f.bins[bin]++
	f.jobs++
	for k := range f.cuts {
		q, want := &f.cuts[k], (2*k+1)*f.jobs
		if bin <= q.bin {
			q.jobs++
		}
		for q.jobs*2*predictorQuantiles < want {
			q.bin++
			q.jobs += f.bins[q.bin]
		}
		for (q.jobs-f.bins[q.bin])*2*predictorQuantiles >= want {
			q.jobs -= f.bins[q.bin]
			q.bin--
		}
	}
}

// predict returns the outcomes of a job with the given estimate.
func (f *predictor) predict(j *simulate.Job, estimate float64) (o outcomes) {
	h := f.users[j.Spec.Details.User]
	for _, ratio := range h.ratio[:min(h.jobs, predictorOwn)] {
		o.add(estimate * min(ratio, 1))
	}
	if f.jobs == 0 {
		o.add(estimate)
		return o
	}
	// The quantiles at 1/10, 3/10, ..., in the middle of their bins.
	for _, q := range f.cuts {
		o.add(estimate * (float64(q.bin) + 0.5) / predictorBins)
	}
	o.add(estimate)
	return o
}

// forecaster predicts for backfilling as Tsafrir, Etsion and Feitelson (2007) do: the run
// time of a job is the mean of the last two jobs of its user that have ended, at most its
// estimate. When a job exceeds its prediction, that is raised by a minute, then by 5, 15
// and 30 minutes and by 1, 2, 5, 10, 20, 50 and 100 hours, up to the estimate. If the terms do
// not ask for predictions, it knows the estimates alone.
type forecaster struct {
	users   map[int]recent
	running []expectation
}

// recent is the run times of the last two jobs of a user, s.
type recent struct {
	run  [2]float64
	jobs int
}

// expectation is the expected end of a running job.
type expectation struct {
	job        *simulate.Job
	end, limit float64 // by the prediction, and by the estimate
	raised     int
}

// raise returns the nth increment of a prediction, from 0, s.
func raise(n int) float64 {
	steps := [...]float64{1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000}
	return 60 * steps[min(n, len(steps)-1)]
}

// predict returns for how long a job with the given estimate is expected to run, s.
func (f *forecaster) predict(j *simulate.Job, estimate float64) float64 {
	h := f.users[j.Spec.Details.User] // none without predictions
	if h.jobs < len(h.run) {
		return estimate
	}
	return min(math.Max((h.run[0]+h.run[1])/2, leastRun), estimate)
}

func (f *forecaster) start(t Terms, j *simulate.Job, now, predicted float64) {
	if t.Predict {
		f.running = append(f.running, expectation{job: j, end: now + predicted, limit: now + t.RunTime(j)})
	}
}

// finish returns the expected end of a job that has ended, and learns from its run time unless
// an outage stopped it.
func (f *forecaster) finish(t Terms, j *simulate.Job, stopped bool) (end float64) {
	if !t.Predict {
		return j.Since() + t.RunTime(j)
	}
	if f.users == nil {
		f.users = make(map[int]recent)
	}
	if !stopped {
		h := f.users[j.Spec.Details.User]
		h.run[h.jobs%len(h.run)] = j.Work
		h.jobs++
		f.users[j.Spec.Details.User] = h
	}
	i := slices.IndexFunc(f.running, func(e expectation) bool { return e.job == j })
	end = f.running[i].end
	f.running = slices.Delete(f.running, i, i+1)
	return end
}

// correct raises the exceeded predictions and reserves the processors in the given
// profiles. It reports whether there were any.
func (f *forecaster) correct(now float64, in ...*Profile) (any bool) {
	for i := range f.running {
		e := &f.running[i]
		if Before(now, e.end) || !Before(now, e.limit) {
			continue
		}
		e.end = min(now+raise(e.raised), e.limit)
		e.raised++
		for _, p := range in {
			p.Reserve(now, e.end, e.job.Width)
		}
		any = true
	}
	return any
}

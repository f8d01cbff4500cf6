package policy

import "revopt/simulate"

// predictor learns from the jobs that have ended how long others will run. Users
// ask for more time than they need, each in a way of their own: Tsafrir, Etsion
// and Feitelson (2007) predict the mean of the last two jobs of the user. Here a
// job has several possible run times, equally likely: its estimate times the
// ratio of run time to estimate of the last jobs of its user, and times
// quantiles of that ratio over all jobs. The spread matters as much as the mean
// to a policy that gives jobs up. The zero value knows nothing and believes the
// estimates.
type predictor struct {
	users map[int]*history
	bins  [predictorBins]int // jobs by ratio
	jobs  int
}

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

// outcomes are run times that are thought possible, s.
type outcomes struct {
	at [predictorOwn + predictorQuantiles]float64
	n  int
}

// add appends an outcome.
func (o *outcomes) add(run float64) {
	o.at[o.n] = run
	o.n++
}

// mean returns the mean of the outcomes.
func (o *outcomes) mean() float64 {
	var sum float64
	for _, run := range o.at[:o.n] {
		sum += run
	}
	return sum / float64(o.n)
}

// learn takes note of a job that has ended.
func (f *predictor) learn(j *simulate.Job) {
	estimate := j.Spec.Details.Estimate
	if !(estimate > 0) {
		return
	}
	ratio := j.Work / estimate
	if f.users == nil {
		f.users = make(map[int]*history)
	}
	h := f.users[j.Spec.Details.User]
	if h == nil {
		h = new(history)
		f.users[j.Spec.Details.User] = h
	}
	h.ratio[h.jobs%predictorOwn] = ratio
	h.jobs++
	f.bins[min(int(ratio*predictorBins), predictorBins-1)]++
	f.jobs++
}

// of returns the outcomes of a job with the given estimate.
func (f *predictor) of(j *simulate.Job, estimate float64) (o outcomes) {
	if h := f.users[j.Spec.Details.User]; h != nil {
		for _, ratio := range h.ratio[:min(h.jobs, predictorOwn)] {
			o.add(estimate * min(ratio, 1))
		}
	}
	if f.jobs == 0 {
		o.add(estimate)
		return o
	}
	// The quantiles at 1/10, 3/10, ..., in the middle of their bins.
	bin, below := 0, f.bins[0]
	for k := range predictorQuantiles {
		for below*2*predictorQuantiles < (2*k+1)*f.jobs {
			bin++
			below += f.bins[bin]
		}
		o.add(estimate * (float64(bin) + 0.5) / predictorBins)
	}
	return o
}

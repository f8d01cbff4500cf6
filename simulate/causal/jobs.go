package causal

import (
	"math"
	"math/rand/v2"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// workload is random jobs and a small machine for them.
type workload struct {
	jobs       []simulate.Job
	terms      []*terms // of the jobs
	context    policy.Context
	processors int // of each site
	machines   []simulate.Machine
	outages    []simulate.Outage
	gap        float64 // s, the mean between submissions
	exact      bool    // the policy knows run times
	patient    bool    // no job leaves by itself
}

// newWorkload returns jobs that the policy can serve.
func newWorkload(seed uint64, spec policy.Spec, settings policy.Settings) *workload {
	rnd := rand.New(rand.NewPCG(seed, 1))
	w := &workload{
		processors: 8, gap: []float64{5, 15, 40}[rnd.IntN(3)], patient: rnd.IntN(2) == 0,
		exact: settings["estimates"] == "exact" || spec.Needs.Optional,
	}
	sites := 1
	if spec.Grid {
		sites += rnd.IntN(2)
	}
	processors := make([]int, sites)
	for i := range processors {
		processors[i] = w.processors
	}
	w.context = policy.Sites(processors...)
	w.context.Seed = seed
	w.context.Customers = []string{"one", "two", "three"}
	shares := spec.Needs.Shared || spec.Needs.Optional
	if shares && !spec.Needs.Alike && rnd.IntN(2) == 0 {
		for range w.processors {
			w.machines = append(w.machines, simulate.Machine{Speed: 0.5 + rnd.Float64(), Memory: 100, Disk: 100})
		}
	}
	for range []int{0, 0, 3}[rnd.IntN(3)] {
		from := 600 * rnd.Float64()
		w.outages = append(w.outages, simulate.Outage{From: from, To: from + 1 + 60*rnd.Float64(),
			Units: 1 + rnd.IntN(4), Planned: rnd.IntN(2) == 0, Kill: rnd.IntN(3) == 0})
	}
	at := 0.0
	for range 40 + rnd.IntN(40) {
		at += w.gap * rnd.ExpFloat64()
		j, t := w.job(rnd, at)
		w.jobs, w.terms = append(w.jobs, j), append(w.terms, t)
	}
	return w
}

// job returns a random job that is submitted at the given time.
func (w *workload) job(rnd *rand.Rand, at float64) (simulate.Job, *terms) {
	j := simulate.Job{Class: rnd.IntN(3), Submit: at, Work: 1 + 30*rnd.ExpFloat64(), Width: 1 + rnd.IntN(8), Chance: rnd.Float64()}
	j.Rank = j.Class
	d := &j.Spec.Details
	d.User, d.Group, d.Queue = 1+rnd.IntN(5), 1+rnd.IntN(2), 1+rnd.IntN(2)
	d.Partition, d.Account = 1, 1+rnd.IntN(3)
	d.Estimate = j.Work * (0.7 + 3*rnd.Float64())
	if rnd.IntN(8) == 0 {
		d.Estimate, d.Exact = j.Work, true
	}
	j.Spec.Requirements = simulate.Requirements{Memory: 100 * rnd.Float64(), Disk: 100 * rnd.Float64()}
	j.Spec.Imprecise = parts(&j, simulate.Linear(rnd.Float64()))
	t := &terms{price: 1 + 3*rnd.Float64(), due: 1.5 + 6*rnd.Float64(), decay: rnd.Float64(), floor: math.Inf(1),
		hard: rnd.IntN(3) == 0, scale: rnd.IntN(2) == 0, stated: d.Estimate}
	if !w.patient || rnd.IntN(2) == 0 {
		t.floor = 20 * rnd.Float64()
	}
	w.price(&j, t)
	if !w.patient && rnd.IntN(2) == 0 {
		j.Expire = at + 60*rnd.ExpFloat64()
		j.Patience = j.Expire - at
	}
	j.Spec.Recorded = simulate.Recorded{Ran: rnd.IntN(2) == 0, At: at + 100*rnd.ExpFloat64()}
	return j, t
}

// parts returns the lengths of the parts of a job.
func parts(j *simulate.Job, bonus simulate.Bonus) *simulate.Imprecise {
	return &simulate.Imprecise{Mandatory: j.Work / 3, Optional: j.Work * 2 / 3, Reward: 5, Bonus: bonus}
}

// terms are what a customer pays. With scale, price and time allowed are multiples of the run time. Else they are
// multiples of the estimate, and so are stated.
type terms struct {
	price, due, decay, floor, stated float64
	hard, scale                      bool
}

// Value returns what a job is worth that runs for the given time.
func (t *terms) Value(_ *simulate.Job, length float64) simulate.Value {
	if !t.scale {
		length = t.stated
	}
	v := simulate.ByDeadline(t.price*length, t.due*length, t.decay, t.hard)
	v.Floor = t.floor
	return v
}

// price gives a job the value that it has by its run time.
func (w *workload) price(j *simulate.Job, t *terms) {
	j.Tariff = t
	j.Value = t.Value(j, j.Work)
}

// altered returns the jobs with another future after a time t, of which the history of the jobs tells until then.
//
//   - A job that has ended or left by t, also one with a task that has, stays as it is.
//   - A job that has started runs for another time, longer than since its start.
//   - A job that waits runs for any other time, and still leaves after t if it ever leaves.
//   - All jobs that are submitted after t are replaced by others.
//   - A log would tell something else of the jobs that have not ended.
//
// Amounts by run time and the lengths of parts change with it. Where a run time is known, it stays: the user states
// none, or the policy plans with run times.
func (w *workload) altered(rnd *rand.Rand, h *history, t float64) []simulate.Job {
	var jobs []simulate.Job
	for i, j := range w.jobs {
		if j.Submit > t {
			break
		}
		jobs = append(jobs, w.changed(rnd, j, w.terms[i], &h.jobs[i], t))
	}
	at := t
	for range 5 + rnd.IntN(20) {
		at += w.gap * rnd.ExpFloat64()
		other, _ := w.job(rnd, at)
		jobs = append(jobs, other)
	}
	return jobs
}

// changed returns a job with what is not known of it at t changed.
func (w *workload) changed(rnd *rand.Rand, j simulate.Job, terms *terms, f *fate, t float64) simulate.Job {
	if f.ended <= t {
		return j
	}
	started := f.start <= t
	if !w.exact && !j.Spec.Details.Exact {
		least := 0.0
		if started {
			least = (t - f.start) * w.speed()
		}
		work := j.Spec.Details.Estimate * (0.05 + 1.2*rnd.Float64())
		for work <= least*(1+1e-6) {
			work = least*(1+1e-6) + j.Spec.Details.Estimate*rnd.Float64()
		}
		j.Work = work
		j.Spec.Imprecise = parts(&j, j.Spec.Imprecise.Bonus)
		w.price(&j, terms)
	}
	j.Spec.Recorded = simulate.Recorded{Ran: !j.Spec.Recorded.Ran, At: t + 100*rnd.ExpFloat64()}
	if !started && j.Expire > t {
		j.Expire = t + (j.Expire-t)*(0.1+2*rnd.Float64())
		j.Patience = j.Expire - j.Submit
	}
	return j
}

// speed returns that of the fastest node.
func (w *workload) speed() float64 {
	fastest := 1.0
	for _, m := range w.machines {
		fastest = max(fastest, m.Speed)
	}
	return fastest
}

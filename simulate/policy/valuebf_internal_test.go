package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
)

// TestWaitLoss: the closed form of an index agrees with the integral over the
// delay, at all times until it changes its form.
func TestWaitLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 15))
	for range 300 {
		j := &simulate.Job{Submit: 100 * random.Float64(), Width: 1 + random.IntN(3), Value: simulate.Value{
			Price: 10 * random.Float64(), Due: 50 * random.Float64(), Decay: random.Float64(), Floor: []float64{math.Inf(1), 0, 5}[random.IntN(3)], Hard: random.IntN(2) == 0,
		}}
		now, g := j.Submit+80*random.Float64(), random.Float64()
		p := &ValueBF{Future: g, clock: clock{mean: 1 + 50*random.Float64(), epoch: now - 10*random.Float64()}}
		q := indexEntry{width: int32(j.Width), candidate: &candidate{job: j, value: j.Value}}
		for range 1 + random.IntN(3) {
			q.outcomes.add(1 + 40*random.Float64())
		}
		q.mean = q.outcomes.mean()
		p.appraise(&q, now)
		at := now + random.Float64()*min(q.until-now, 20)
		var want float64
		alive := false
		for _, run := range q.outcomes.at[:q.outcomes.n] {
			const n = 5_000 // midpoints of delays that are equally likely
			worth := j.Worth(at + run)
			alive = alive || worth > 0
			for k := range n {
				delay := -p.clock.mean * math.Log(1-(float64(k)+0.5)/n)
				want += (worth - g*max(j.Worth(at+run+delay), 0)) / n
			}
		}
		want /= float64(q.outcomes.n*j.Width) * q.mean
		if got := q.at(at, p.clock.wave(at)); math.Abs(got-want) > 1e-3*j.Value.Price || (at < q.lapses(false)) != alive {
			t.Errorf("%+v at %g, %v, mean delay %g: index %g, want %g", j.Value, at-j.Submit, q.outcomes, p.clock.mean, got, want)
		}
	}
}

// jobList is a source of jobs.
type jobList []simulate.Job

func (l *jobList) Next(j *simulate.Job) (bool, error) {
	if len(*l) == 0 {
		return false, nil
	}
	*j, *l = (*l)[0], (*l)[1:]
	return true, nil
}

// TestMeanDelayOfLapsed: a job allows 20 s, so that H is 20 s. Another one allows 10 s and is eligible 49 s after its
// submission. It is rejected first, so that no job waits at this decision and H is not updated, but the job counts. With
// a third job, which allows 30 s, H is (20 + 10 + 30) / 3 s.
func TestMeanDelayOfLapsed(t *testing.T) {
	job := func(submit, due float64) (j simulate.Job) {
		j = simulate.Job{Submit: submit, Work: 5, Width: 1, Value: simulate.ByDeadline(1, due, 0, true)}
		j.Spec.Details.Estimate = 5
		return j
	}
	held := job(1, 10)
	held.Eligible = 50
	for _, test := range []struct {
		jobs jobList
		want clock
	}{
		{jobList{job(0, 20), held}, clock{allowed: 30, seen: 2, since: 1, mean: 20}},
		{jobList{job(0, 20), held, job(60, 30)}, clock{allowed: 60, seen: 3, since: 3, mean: 20, epoch: 60}},
	} {
		p := &ValueBF{Future: 0.98, Reservations: 8, asked: math.Inf(1)}
		_, err := simulate.Run(context.Background(), simulate.Config{
			Source: &test.jobs, Sites: []simulate.Site{{Processors: 1, Policy: p}}, Charging: simulate.ByValue,
		})
		if err != nil || p.clock != test.want {
			t.Errorf("%+v, %v, want %+v", p.clock, err, test.want)
		}
	}
}

// TestPredictor: outcomes are the ratios of the last jobs of the user, quantiles of
// all, and the estimate; of a stranger these alone.
func TestPredictor(t *testing.T) {
	var p predictor
	job := func(user int, work, estimate float64) *simulate.Job {
		j := &simulate.Job{Work: work}
		j.Spec.Details.User, j.Spec.Details.Estimate = user, estimate
		return j
	}
	if o := p.predict(job(1, 1, 100), 100); o.n != 1 || o.at[0] != 100 {
		t.Errorf("before any job has ended: %v", o)
	}
	for i := range 1000 {
		p.learn(job(0, float64(i)+0.5, 1000))
	}
	p.learn(job(0, 5000, 1000)) // past its estimate
	p.learn(job(0, 1, 0))       // without one
	stranger := p.predict(job(7, 1, 100), 100)
	for i, want := range []float64{10, 30, 50, 70, 90, 100} {
		if got := stranger.at[i]; math.Abs(got-want) > 1 || stranger.n != 6 {
			t.Errorf("outcome %d of a stranger is %g, want %g", i, got, want)
		}
	}
	known := p.predict(job(0, 1, 100), 100)
	own := slices.Clone(known.at[:4])
	slices.Sort(own)
	if known.n != 10 || own[3] != 100 || math.Abs(own[0]-99.75) > 0.01 {
		t.Errorf("of a user: %v", known)
	}
}

// TestForecaster: a job is expected to run as long as the last two of its user,
// and no longer than its estimate; what it exceeds is raised in steps.
func TestForecaster(t *testing.T) {
	var f forecaster
	terms := Terms{Predict: true}
	job := func(work, estimate float64) *simulate.Job {
		return &simulate.Job{Work: work, Width: 2, Spec: simulate.Spec{Details: simulate.Details{Estimate: estimate}}}
	}
	for i, want := range []float64{500, 500, 150, 250, 500} { // with the jobs before, of 100, 200, 300 and 4000 s
		if got := f.predict(job(1, 500), 500); got != want {
			t.Errorf("after %d jobs %g s are expected, want %g", i, got, want)
		}
		j := job([]float64{100, 200, 300, 4000, 1}[i], 500)
		f.start(terms, j, 0, 1)
		if end := f.finish(terms, j, false); end != 1 {
			t.Errorf("the end was expected at %g", end)
		}
	}
	var p Profile
	p.Advance(0, 8)
	f.start(terms, job(1000, 400), 0, 10)
	p.Reserve(0, 10, 2)
	for _, step := range []struct{ now, until float64 }{{5, 10}, {10, 70}, {100, 400}, {400, 400}} { // 60 s more, then 300 s to the estimate, then none
		p.Advance(step.now, 8)
		f.correct(step.now, &p)
		if end := f.running[0].end; end != step.until || step.now < end && p.Earliest(7, 1) != end {
			t.Errorf("at %g the end is expected at %g, and processors are free at %g; want %g", step.now, end, p.Earliest(7, 1), step.until)
		}
	}
}

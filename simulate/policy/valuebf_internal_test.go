package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
)

// TestWaitLoss: the closed form agrees with the integral over the delay.
func TestWaitLoss(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 15))
	for range 200 {
		j := &simulate.Job{Submit: 100 * random.Float64(), Value: simulate.Value{
			Price: 10 * random.Float64(), Due: 50 * random.Float64(), Decay: random.Float64(), Floor: math.Inf(1), Hard: random.IntN(2) == 0,
		}}
		end, h := j.Submit+80*random.Float64(), 1+50*random.Float64()
		worth := j.Worth(end)
		if worth <= 0 {
			continue
		}
		// The midpoints of delays that are equally likely.
		const n = 10_000
		var want float64
		for k := range n {
			delay := -h * math.Log(1-(float64(k)+0.5)/n)
			want += (worth - math.Max(j.Worth(end+delay), 0)) / n
		}
		if got := waitLoss(j, end, worth, h); math.Abs(got-want) > 1e-3*j.Value.Price {
			t.Errorf("%+v at %g, mean delay %g: loses %g, want %g", j.Value, end, h, got, want)
		}
	}
	if got := waitLoss(new(simulate.Job), 1, 1, 0); got != 0 {
		t.Errorf("without a horizon %g is lost", got)
	}
}

// TestPredictor: outcomes are the ratios of the last jobs of the user, and
// quantiles of all; of a stranger the quantiles alone.
func TestPredictor(t *testing.T) {
	var p predictor
	job := func(user int, work, estimate float64) *simulate.Job {
		j := &simulate.Job{Work: work}
		j.Spec.Details.User, j.Spec.Details.Estimate = user, estimate
		return j
	}
	if o := p.of(job(1, 1, 100), 100); o.n != 1 || o.at[0] != 100 {
		t.Errorf("before any job has ended: %v", o)
	}
	for i := range 1000 {
		p.learn(job(0, float64(i)+0.5, 1000))
	}
	p.learn(job(0, 5000, 1000)) // past its estimate
	p.learn(job(0, 1, 0))       // without one
	stranger := p.of(job(7, 1, 100), 100)
	for i, want := range []float64{10, 30, 50, 70, 90} {
		if got := stranger.at[i]; math.Abs(got-want) > 1 || stranger.n != 5 {
			t.Errorf("outcome %d of a stranger is %g, want %g", i, got, want)
		}
	}
	known := p.of(job(0, 1, 100), 100)
	own := slices.Clone(known.at[:4])
	slices.Sort(own)
	if known.n != 9 || own[3] != 100 || math.Abs(own[0]-99.75) > 0.01 {
		t.Errorf("of a user: %v", known)
	}
}

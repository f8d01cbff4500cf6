package bound

import (
	"context"
	"math"
	"math/rand/v2"

	"revopt/simulate"
)

// sp2 returns n jobs that resemble the SDSC SP2 trace with the QoS of Yeo and
// Buyya: log-normal run times of mean 8671 s, widths mostly powers of two,
// interarrival times of mean 1969 s times delay, a fifth of high urgency. soft
// is the share of soft deadlines.
func sp2(n int, delay, soft float64, seed uint64) []simulate.Job {
	rnd := rand.New(rand.NewPCG(seed, 1))
	normal := func(mean, sd, least float64) float64 {
		for {
			if x := mean + sd*rnd.NormFloat64(); x > least {
				return x
			}
		}
	}
	jobs := make([]simulate.Job, n)
	var now float64
	for i := range jobs {
		now += rnd.ExpFloat64() * 1969 * delay
		work := math.Max(1, math.Round(math.Exp(7.6+1.7*rnd.NormFloat64())))
		deadline, budget, penalty := normal(8, 2, 1), normal(2, 0.5, 1), normal(0.02, 0.01, 0)
		if rnd.Float64() < 0.2 {
			deadline, budget, penalty = normal(2, 0.5, 1), normal(8, 2, 1), normal(0.08, 0.04, 0)
		}
		jobs[i] = simulate.Job{
			Submit: math.Round(now), Work: math.Min(work, 64800), Width: 1 << rnd.IntN(8), Expire: math.Inf(1),
			Value: simulate.ByDeadline(budget*work, deadline*work, penalty, rnd.Float64() >= soft),
		}
	}
	return jobs
}

// wholes turns jobs with deadlines into jobs of this package.
func wholes(jobs []simulate.Job) []Job {
	list := make([]Job, len(jobs))
	for i := range jobs {
		list[i] = Whole(&jobs[i])
	}
	return list
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// proved returns the bound that prices prove.
func proved(p Prices, jobs []Job, m Machine) float64 {
	items, free := newItems(jobs, m)
	return free + p.bound(context.Background(), items, m)
}

// packed returns the fluid bound.
func packed(jobs []Job, m Machine) float64 {
	items, free := newItems(jobs, m)
	sum, _ := fluid(items, m)
	return free + sum
}

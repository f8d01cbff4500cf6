package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
	"revopt/simulate/offline"
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

// found returns what a schedule of whole jobs earns that an offline search finds.
func found(t *testing.T, jobs []Job, m Machine) float64 {
	t.Helper()
	var list []offline.Job
	var sum float64
	for _, j := range jobs {
		sum += j.Free
		if len(j.Parts) == 0 || j.Width > float64(m.Nodes) {
			continue
		}
		length := j.Parts[0].Work / j.Width / m.Speed
		sum += j.Parts[0].Value
		list = append(list, offline.Job{Release: j.Release, Last: j.End - length, Length: length, Width: int(j.Width),
			After: j.Late.After, Rate: j.Late.Rate, Most: j.Late.Most, Skipped: j.Parts[0].Value})
	}
	return sum - searched(t, list, m)
}

// delayed returns the loss of a schedule of tasks that an offline search finds.
func delayed(t *testing.T, tasks []Task, m Machine) float64 {
	t.Helper()
	var list []offline.Job
	for _, x := range tasks {
		if x.Width <= m.Nodes {
			list = append(list, offline.Job{Release: x.Release, Last: math.Inf(1), Length: x.Length, Width: x.Width,
				After: x.Release + x.Length + x.Grace, Rate: x.Weight, Most: math.Inf(1), Skipped: math.Inf(1)})
		}
	}
	return searched(t, list, m)
}

func searched(t *testing.T, list []offline.Job, m Machine) float64 {
	t.Helper()
	machine := offline.Machine{Nodes: m.Nodes}
	for _, l := range m.Up {
		machine.Up = append(machine.Up, offline.Level(l))
	}
	return must(offline.Search(context.Background(), list, machine, offline.Options{Moves: 20_000})).Loss
}

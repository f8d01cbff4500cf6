package bound

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

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

// found returns what a good schedule of whole jobs earns that run once.
func found(jobs []Job, m Machine) float64 {
	var list []listed
	var sum float64
	for _, j := range jobs {
		sum += j.Free
		if len(j.Parts) == 0 || j.Width > float64(m.Nodes) {
			continue
		}
		length := j.Parts[0].Work / j.Width / m.Speed
		sum += j.Parts[0].Value
		list = append(list, listed{release: j.Release, last: j.End - length, length: length, width: int(j.Width),
			late: j.Late, skipped: j.Parts[0].Value})
	}
	return sum - searched(list, m)
}

// delayed returns the loss of a good schedule of tasks.
func delayed(tasks []Task, m Machine) float64 {
	var list []listed
	for _, x := range tasks {
		if x.Width <= m.Nodes {
			late := Lateness{After: x.Release + x.Length + x.Grace, Rate: x.Weight, Most: math.Inf(1)}
			list = append(list, listed{release: x.Release, last: math.Inf(1), length: x.Length, width: x.Width, late: late,
				skipped: math.Inf(1)})
		}
	}
	return searched(list, m)
}

// listed is a job of a schedule. It starts by last, or is skipped at a loss.
type listed struct {
	release, last, length float64
	width                 int
	late                  Lateness
	skipped               float64
}

// searched returns the loss of a good schedule. The jobs take their places in some order, each as early as it fits. The
// search puts one job after another elsewhere in the order at random, and keeps what loses no more.
func searched(list []listed, m Machine) float64 {
	rnd := rand.New(rand.NewPCG(1, 1))
	least := placed(list, m)
	for range 300 * min(len(list), 10) {
		i, j := rnd.IntN(len(list)), rnd.IntN(len(list))
		other := slices.Insert(slices.Delete(slices.Clone(list), i, i+1), j, list[i])
		if loss := placed(other, m); loss <= least {
			list, least = other, loss
		}
	}
	return least
}

// placed returns the loss of the schedule in which jobs take their places in the order of a list.
func placed(list []listed, m Machine) (loss float64) {
	changes := map[float64]int{0: m.Nodes} // of the free units
	before := m.Nodes
	for _, l := range m.Up {
		changes[l.From] += l.Units - before
		before = l.Units
	}
	for _, x := range list {
		start := x.start(changes)
		late := x.late.At(start + x.length)
		if start > x.last || late >= x.skipped {
			loss += x.skipped
			continue
		}
		loss += late
		changes[start] -= x.width
		changes[start+x.length] += x.width
	}
	return loss
}

// start returns the first time at which a job fits.
func (x listed) start(changes map[float64]int) float64 {
	start, free := x.release, 0
	times := append(slices.Sorted(maps.Keys(changes)), math.Inf(1))
	for k, at := range times[:len(times)-1] {
		free += changes[at]
		end := times[k+1]
		switch {
		case end <= start:
		case free < x.width:
			start = end
		case end >= start+x.length:
			return start
		}
	}
	return start
}

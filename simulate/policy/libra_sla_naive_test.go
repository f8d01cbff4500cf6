package policy_test

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// plainSLA are the rules of LibraSLA, step by step as its Algorithms 1 and 2.
type plainSLA struct{ now bool }

// worth is the return of a job that earns the given utility.
func (f *farm) worth(job int, utility float64) float64 {
	return utility / f.jobs[job].estimate / f.jobs[job].deadline
}

// best returns which of the tasks has the highest return by the budget.
func (f *farm) best(tasks []chore) int {
	best := 0
	for i, c := range tasks {
		if f.worth(c.job, f.jobs[c.job].budget) > f.worth(tasks[best].job, f.jobs[tasks[best].job].budget)*(1+hair) {
			best = i
		}
	}
	return best
}

// allot returns the rates of tasks on one node, and whether it is short.
func (f *farm) allot(tasks []chore) (rates []float64, short bool) {
	if len(tasks) == 0 {
		return nil, false
	}
	best := f.best(tasks)
	var total, hard, soft float64
	for i, c := range tasks {
		s := f.share(c)
		rates = append(rates, s)
		total += s
		if f.jobs[c.job].hard {
			hard += s
		} else if i != best {
			soft += s
		}
	}
	if total <= 1+hair {
		rates[best] += max(0, 1-total)
		return rates, false
	}
	free := max(0, 1-hard)
	if !f.jobs[tasks[best].job].hard {
		rates[best] = min(rates[best], free)
		free -= rates[best]
	}
	for i, c := range tasks {
		switch {
		case f.jobs[c.job].hard:
			rates[i] /= max(1, hard)
		case i != best && free <= hair:
			rates[i] = 0
		case i != best:
			rates[i] -= rates[i] / soft * (soft - free)
		}
	}
	return rates, true
}

// value returns the return of a node with the given tasks.
func (f *farm) value(tasks []chore) float64 {
	rates, short := f.allot(tasks)
	var sum float64
	for i, c := range tasks {
		j := f.jobs[c.job]
		utility := j.budget
		if short && !j.hard && f.share(c)-rates[i] > 1e-12 {
			if rates[i] <= hair*f.share(c) {
				return math.Inf(-1)
			}
			delay := max(0, f.now+max(0, c.estimated)/rates[i]-j.at-j.deadline)
			utility -= delay * j.penalty
		}
		sum += f.worth(c.job, utility)
	}
	return sum
}

func (plainSLA) shares(f *farm, node int) []float64 {
	if f.returns == nil {
		f.returns = make(map[int]float64)
	}
	f.returns[node] = f.value(f.nodes[node])
	rates, _ := f.allot(f.nodes[node])
	return rates
}

func (plainSLA) pays(f *farm, job int, _ float64) float64 {
	j := f.jobs[job]
	switch late := f.got[job].finish - j.at - j.deadline; {
	case !f.isLate(job):
		return j.budget
	case j.hard:
		return 0
	default:
		return j.budget - late*j.penalty
	}
}

func (r plainSLA) choose(f *farm, job int) ([]int, float64, simulate.Reason) {
	j := f.jobs[job]
	if j.width > len(f.nodes) {
		return nil, 0, simulate.Resources
	}
	able, keys := 0, make(map[int]float64)
	for n, tasks := range f.nodes {
		fresh := chore{job: job, left: j.runtime / f.speeds[n], estimated: j.estimate / f.speeds[n], speed: f.speeds[n]}
		if fresh.estimated > j.deadline*(1+hair) {
			continue
		}
		if j.hard {
			sum := f.share(fresh)
			for _, c := range tasks {
				if f.jobs[c.job].hard {
					sum += f.share(c)
				}
			}
			if sum > 1+hair {
				continue
			}
		}
		able++
		present, value := f.value(tasks), f.value(append(tasks[:len(tasks):len(tasks)], fresh))
		if !r.now && !f.dirty[n] {
			present = f.returns[n]
		}
		if value >= present-hair && !math.IsInf(value, -1) {
			keys[n] = -value
		}
	}
	switch {
	case able < j.width:
		return nil, 0, simulate.Deadline
	case len(keys) < j.width:
		return nil, 0, simulate.Return
	}
	return least(keys, j.width), 0, simulate.NoReason
}

// TestLibraSLAAgainstPlain compares LibraSLA with the plain simulator.
func TestLibraSLAAgainstPlain(t *testing.T) {
	for _, blunders := range []bool{false, true} {
		agree(t, 800, func() simulate.Policy { return named(t, "libra-sla", nil) }, plainSLA{}, blunders)
		now := func() simulate.Policy { return named(t, "libra-sla", policy.Settings{"return": "now"}) }
		agree(t, 200, now, plainSLA{now: true}, blunders)
	}
}

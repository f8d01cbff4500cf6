package share_test

import (
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// plainSLA are the rules of LibraSLA, step by step as its Algorithms 1 and 2.
type plainSLA struct{ now bool }

// worth is the return of a job that earns the given utility.
func (f *farm) worth(job int, utility float64) float64 {
	return utility / f.jobs[job].Estimate / f.jobs[job].Deadline
}

// best returns which of the tasks has the highest return by the budget.
func (f *farm) best(tasks []chore) int {
	best := 0
	for i, c := range tasks {
		if f.worth(c.job, f.jobs[c.job].Budget) > f.worth(tasks[best].job, f.jobs[tasks[best].job].Budget)*(1+hair) {
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
		if f.jobs[c.job].Hard {
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
	if !f.jobs[tasks[best].job].Hard {
		rates[best] = min(rates[best], free)
		free -= rates[best]
	}
	for i, c := range tasks {
		switch {
		case f.jobs[c.job].Hard:
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
		utility := j.Budget
		if short && !j.Hard && f.share(c)-rates[i] > 1e-12 {
			if rates[i] <= hair*f.share(c) {
				return math.Inf(-1)
			}
			delay := max(0, f.now+max(0, c.estimated)/rates[i]-j.At-j.Deadline)
			utility -= delay * j.Penalty
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
	switch late := f.got[job].finish - j.At - j.Deadline; {
	case !f.isLate(job):
		return j.Budget
	case j.Hard:
		return 0
	default:
		return j.Budget - late*j.Penalty
	}
}

func (r plainSLA) choose(f *farm, job int) ([]int, float64, simulate.Reason) {
	j := f.jobs[job]
	if j.Width > len(f.nodes) {
		return nil, 0, simulate.Resources
	}
	able, keys := 0, make(map[int]float64)
	for n, tasks := range f.nodes {
		fresh := chore{job: job, left: j.Runtime / f.speeds[n], estimated: j.Estimate / f.speeds[n], speed: f.speeds[n]}
		if fresh.estimated > j.Deadline*(1+hair) {
			continue
		}
		if j.Hard {
			sum := f.share(fresh)
			for _, c := range tasks {
				if f.jobs[c.job].Hard {
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
	case able < j.Width:
		return nil, 0, simulate.Deadline
	case len(keys) < j.Width:
		return nil, 0, simulate.Return
	}
	return least(keys, j.Width), 0, simulate.NoReason
}

// TestLibraSLAAgainstPlain compares LibraSLA with the plain simulator.
func TestLibraSLAAgainstPlain(t *testing.T) {
	for _, blunders := range []bool{false, true} {
		agree(t, 800, func() simulate.Policy { return policytest.ByName(t, "libra-sla", nil) }, plainSLA{}, blunders)
		now := func() simulate.Policy { return policytest.ByName(t, "libra-sla", policy.Settings{"return": "now"}) }
		agree(t, 200, now, plainSLA{now: true}, blunders)
	}
}

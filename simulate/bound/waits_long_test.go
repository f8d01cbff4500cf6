//go:build long

package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// wholeSeconds returns jobs of whole seconds, crowded on a machine of 8 to 32 nodes.
func wholeSeconds(rnd *rand.Rand, least, most int) ([]simulate.Job, int) {
	nodes := 8 << rnd.IntN(3)
	jobs := make([]simulate.Job, least+rnd.IntN(most-least+1))
	area := 0.0
	for i := range jobs {
		j := &jobs[i]
		j.Work, j.Width, j.Expire = float64(1+rnd.IntN(20)), 1+rnd.IntN(nodes), math.Inf(1)
		if rnd.IntN(2) == 0 {
			j.Width = 1 + rnd.IntN(nodes/4)
		}
		area += j.Work * float64(j.Width)
	}
	for i := range jobs {
		j := &jobs[i]
		j.Submit = math.Floor(rnd.Float64() * area / float64(nodes) / 2)
		price := j.Work * float64(j.Width) * (1 + 4*rnd.Float64())
		due := j.Work + float64(rnd.IntN(20))
		j.Value = simulate.ByDeadline(price, due, price/float64(5+rnd.IntN(40)), rnd.IntN(2) == 0)
	}
	return jobs, nodes
}

// timeIndexed returns the optimum of the time-indexed linear program of seconds: jobs divide themselves among their
// starts, earn what worth says, negative where none is possible, and no second has more than all nodes.
func timeIndexed(t *testing.T, jobs []simulate.Job, nodes, horizon int, worth func(j int, start float64) float64) float64 {
	t.Helper()
	var p program
	var lists [][]int
	inSecond := make([]map[int]float64, horizon)
	for s := range inSecond {
		inSecond[s] = map[int]float64{}
	}
	for i, j := range jobs {
		var starts []int
		for s := int(j.Submit); s+int(j.Work) <= horizon; s++ {
			v := worth(i, float64(s))
			if v <= 0 {
				continue
			}
			x := p.variable(v)
			starts = append(starts, x)
			for k := s; k < s+int(j.Work); k++ {
				inSecond[k][x] = float64(j.Width) / float64(nodes)
			}
		}
		lists = append(lists, starts)
	}
	for _, starts := range lists {
		p.atMost(1, starts...)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, units := range inSecond {
		row := make([]float64, len(p.c))
		for x, u := range units {
			row[x] = u
		}
		p.a, p.b = append(p.a, row), append(p.b, 1+1e-7*rnd.Float64()) // without ties
	}
	for i := range p.a {
		p.a[i] = append(p.a[i], make([]float64, len(p.c)-len(p.a[i]))...)
	}
	return p.solve(t)
}

// No schedule of few tasks that runs each once has less delay than the bound.
func TestWaitsExhaustiveOften(t *testing.T) { checkWaits(t, 300, 6, 2) }

// The bounds on waits and on bounded slowdowns are below the optimum of the time-indexed linear program, here by simplex, by
// at most its gap.
func TestWaitsTimeIndexed(t *testing.T) {
	for _, slowdown := range []bool{false, true} {
		rnd := rand.New(rand.NewPCG(58, 2))
		most, above := 0.0, 0
		for n := range 15 {
			jobs, nodes := wholeSeconds(rnd, 14, 24)
			last, length := 0.0, 0.0
			for _, j := range jobs {
				last, length = math.Max(last, j.Submit), length+j.Work
			}
			list := tasksOf(jobs, slowdown)
			horizon := last + length/2
			top := 0.0 // more than a job can gain by not running
			for _, x := range list {
				top += 2 * x.Weight * horizon
			}
			program := float64(len(list))*top - timeIndexed(t, jobs, nodes, int(horizon), func(j int, start float64) float64 {
				x := list[j]
				return top - x.Weight*math.Max(0, start-x.Release-x.Grace)
			})
			bound := waits(t, list, Uniform(nodes))
			if bound < program*(1-closest) {
				t.Errorf("%d: bound %g, time-indexed %g", n, bound, program)
			}
			most = math.Max(most, 1-bound/program)
			if bound > program*(1+closest) {
				above++
			}
		}
		t.Logf("slowdown %v: the bound is at most %.4f %% below the time-indexed program; the other goods bring it above %d times in 15",
			slowdown, 100*most, above)
	}
}

// tasksOf returns jobs whose waits count, or their bounded slowdowns.
func tasksOf(jobs []simulate.Job, slowdown bool) []Task {
	var list []Task
	for _, j := range jobs {
		x := Task{Release: j.Submit, Length: j.Work, Width: j.Width, Weight: 1}
		if slowdown {
			x.Grace = math.Max(0, 10-j.Work)
			x.Weight = 1 / (x.Length + x.Grace)
		}
		list = append(list, x)
	}
	return list
}

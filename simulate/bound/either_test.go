package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// either returns a job with a deadline and two parts as a toy that is served
// whole, late or not, and as one that is returned at its deadline with what it
// has.
func either(rnd *rand.Rand, nodes int) (whole, partial toy, j simulate.Job) {
	whole = shape(rnd, nodes)
	partial = whole
	partial.mandatory = 1 + rnd.IntN(whole.length)
	due := max(1, whole.length+rnd.IntN(3)-1)
	first, slope := float64(1+rnd.IntN(9)), float64(rnd.IntN(4))
	budget := first + slope*float64(whole.length-partial.mandatory)
	penalty, hard := float64(rnd.IntN(4)), rnd.IntN(3) == 0
	whole.reward = func(done, finish int) float64 {
		late := float64(finish - whole.release - due)
		switch {
		case done < whole.length || late > 0 && hard:
			return 0
		case late > 0:
			return budget - penalty*late
		}
		return budget
	}
	partial.reward = func(done, finish int) float64 {
		if done < partial.mandatory || finish > partial.release+due {
			return 0
		}
		return first + slope*float64(done-partial.mandatory)
	}
	w := float64(whole.width)
	j = simulate.Job{
		Submit: float64(whole.release), Work: float64(whole.length), Width: whole.width,
		Spec: simulate.Spec{
			Constraints: simulate.Constraints{Deadline: float64(due), Budget: budget, Penalty: penalty, Hard: hard},
			Imprecise: &simulate.Imprecise{
				Mandatory: float64(partial.mandatory), Optional: float64(whole.length - partial.mandatory), Reward: first / w, Bonus: simulate.Linear(slope / w),
			},
		},
	}
	return whole, partial, j
}

// TestEitherNeverBelowBestSchedule lets an exhaustive search choose, job by job,
// whether to serve it whole or in part.
func TestEitherNeverBelowBestSchedule(t *testing.T) {
	const instances, horizon = 60, 14
	rnd := rand.New(rand.NewPCG(19, 1))
	tight, late := 0, 0
	for range instances {
		nodes := 2 + rnd.IntN(2)
		n := 1 + rnd.IntN(4)
		whole, partial, jobs := make([]toy, n), make([]toy, n), make([]Job, n)
		var stated []Job
		for i := range n {
			var j simulate.Job
			whole[i], partial[i], j = either(rnd, nodes)
			jobs[i] = FromEither(&j)
			stated = append(stated, FromSpec(&j))
		}
		var most float64
		for choice := range 1 << n {
			toys := make([]toy, n)
			for i := range n {
				if toys[i] = whole[i]; choice>>i&1 == 1 {
					toys[i] = partial[i]
				}
			}
			most = math.Max(most, best(toys, nodes, horizon, preempted))
		}
		m := Uniform(nodes)
		r := clairvoyant(t, jobs, m, Options{Gap: 1e-3, First: 512, Edges: 4096})
		if most > r.Bound*(1+1e-9)+1e-9 {
			t.Errorf("best schedule %g, bound %g: %+v on %d nodes", most, r.Bound, jobs, nodes)
		}
		if r.Bound <= most*1.05 {
			tight++
		}
		if s := clairvoyant(t, stated, m, Options{Gap: 1e-3, First: 512, Edges: 4096}); s.Feasible > r.Bound*slack {
			t.Errorf("whole jobs alone earn %g, either way at most %g", s.Feasible, r.Bound)
		} else if s.Bound < r.Feasible*0.99 {
			late++
		}
	}
	if tight < instances/4 || late < instances/10 {
		t.Errorf("the bound is near %d times in %d, and above that of whole jobs %d times", tight, instances, late)
	}
}

// TestRaise checks the value of parts after raising them to a whole.
func TestRaise(t *testing.T) {
	parts := []Part{{4, 8}, {2, 1}, {4, 4}}
	value := func(parts []Part, work float64) (sum float64) {
		for i, p := range parts {
			done := math.Min(1, work/p.Work)
			if i > 0 || done == 1 {
				sum += done * p.Value
			}
			work = math.Max(0, work-p.Work)
		}
		return sum
	}
	for _, c := range []struct {
		name  string
		whole Part
		at    [5]float64 // value at 3, 4, 6, 8 and 10
	}{
		{"as it is", Part{10, 13}, [5]float64{0, 8, 9, 11, 13}},
		{"less", Part{6, 2}, [5]float64{0, 8, 9, 11, 13}},
		{"more for all", Part{10, 15}, [5]float64{0, 8, 9, 12, 15}},
		{"more after two parts", Part{6, 12}, [5]float64{0, 8, 12, 14, 16}},
		{"within a part", Part{8, 13}, [5]float64{0, 8, 9, 13, 13}},
		{"shorter than the first", Part{3, 5}, [5]float64{5, 8, 9, 11, 13}},
		{"longer than all", Part{12, 20}, [5]float64{0, 8, 9, 11, 13}},
	} {
		raised := raise(parts, c.whole)
		for i, work := range []float64{3, 4, 6, 8, 10} {
			if got := value(raised, work); math.Abs(got-c.at[i]) > 1e-12 {
				t.Errorf("%s: %g for %g, want %g: %+v", c.name, got, work, c.at[i], raised)
			}
		}
		if got := value(raised, c.whole.Work); got < c.whole.Value-1e-12 {
			t.Errorf("%s: %g for the whole, want %g", c.name, got, c.whole.Value)
		}
	}
}

// TestFromEitherWithoutParts checks a job that states no parts: mandatory as a
// whole, and its tasks may follow one another.
func TestFromEitherWithoutParts(t *testing.T) {
	j := simulate.Job{Submit: 1, Work: 10, Width: 4, Spec: simulate.Spec{Constraints: simulate.Constraints{Deadline: 20, Budget: 80, Hard: true}}}
	for name, from := range map[string]func(*simulate.Job) Job{"either": FromEither, "imprecise": FromImprecise} {
		b := from(&j)
		if !b.Loose || len(b.Parts) != 1 || b.Parts[0] != (Part{40, 80}) || math.Abs(b.End-21) > 1e-5 {
			t.Errorf("%s: %+v", name, b)
		}
		// Two nodes have 40 node-seconds before the deadline.
		if r := clairvoyant(t, []Job{b}, Uniform(2), Options{}); math.Abs(r.Bound-80) > 1e-4 {
			t.Errorf("%s: bound %g, want 80", name, r.Bound)
		}
	}
	j.Void = true
	if r := clairvoyant(t, []Job{FromEither(&j), FromImprecise(&j)}, Uniform(9), Options{}); r.Bound != 0 {
		t.Errorf("jobs that never ran are worth %g", r.Bound)
	}
}

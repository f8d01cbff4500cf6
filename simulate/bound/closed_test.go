package bound

import (
	"context"
	"math"
	"testing"
)

// TestClosedForms checks instances that are solved on paper.
func TestClosedForms(t *testing.T) {
	inf := math.Inf(1)
	hard := func(release, end, width, work, value float64) Job {
		return Job{Release: release, End: end, Width: width, Parts: []Part{{work, value}}}
	}
	late := func(release, after, rate, most, width, work, value float64) Job {
		j := hard(release, inf, width, work, value)
		j.Late = Lateness{After: after, Rate: rate, Most: most}
		return j
	}
	mixed := Mixed([]float64{2, 1})
	for _, c := range []struct {
		name     string
		jobs     []Job
		machine  Machine
		want     float64
		fluid    float64
		accuracy float64
	}{
		{"nothing", nil, Uniform(3), 0, 0, 0},
		{"one job", []Job{hard(5, 9, 2, 8, 7)}, Uniform(3), 7, 7, 0},
		{"one job, too long", []Job{hard(5, 8.9, 2, 8, 7)}, Uniform(3), 0, 0, 0},
		{"one job, too wide", []Job{hard(5, 9, 4, 8, 7)}, Uniform(3), 0, 0, 0},
		{"one job, faster node", []Job{hard(5, 7, 2, 8, 7)}, Machine{Nodes: 2, Capacity: 4, Speed: 2}, 7, 7, 0},
		{"rate of the faster node, capacity of both", []Job{hard(0, 2, 1, 4, 5), hard(0, 2, 1, 4, 5)}, mixed, 7.5, 7.5, 0},
		{"free", []Job{{Release: 1, End: 2, Width: 1, Free: 3}}, Uniform(1), 3, 3, 0},
		{"room for all", []Job{hard(0, 10, 2, 4, 1), hard(1, 10, 1, 9, 2), hard(2, 4, 1, 2, 4)}, Uniform(4), 7, 7, 0},
		{"no deadlines", []Job{hard(0, inf, 1, 50, 1), hard(0, inf, 1, 50, 2), hard(7, inf, 1, 50, 4)}, Uniform(1), 7, 7, 0},
		{"overload of one density", []Job{hard(0, 4, 2, 8, 16), hard(0, 4, 2, 8, 16), hard(0, 4, 2, 8, 16)}, Uniform(2), 16, 16, 0},
		// In [0, 1] the dear job takes its width of 1, the cheap one the rest.
		{"width in the way", []Job{hard(0, 1, 1, 1, 3), hard(0, 1, 2, 2, 2)}, Uniform(2), 4, 4, 0},
		// The first may only run in [0, 1]; fluid has [0, 2] for it.
		{"windows in the way", []Job{hard(0, 1, 1, 1, 5), hard(0, 1, 1, 1, 4), hard(0, 2, 1, 1, 1)}, Uniform(1), 6, 9, 0},
		// The dear job must move to [1, 2] to leave [0, 1] to the other.
		{"moved over", []Job{hard(0, 2, 1, 1, 5), hard(0, 1, 1, 1, 4)}, Uniform(1), 9, 9, 0},
		// Ends at 4 at the earliest: 10 - 2 (4 - 3).
		{"certain delay", []Job{late(0, 3, 2, inf, 1, 4, 10)}, Uniform(1), 8, 8, 0},
		{"certain loss of all", []Job{late(0, 3, 20, inf, 1, 4, 10)}, Uniform(1), 0, 0, 0},
		// Late by 30 s it still earns 10 - 4.
		{"floor", []Job{late(0, 1, 9, 4, 1, 1, 10), hard(0, 31, 1, 31, 1000)}, Uniform(1), 1006, 1010, 0.001},
		// The machine is free at 8, when the value has fallen to 3; over [8, 9]
		// it is 2.5 on average.
		{"little left", []Job{late(0, 1, 1, inf, 1, 1, 10), hard(0, 8, 1, 8, 1000)}, Uniform(1), 1002.5, 1010, 0.001},
		// Two jobs of 1 s, value 10 - 2t from t = 1 on: the second earns the
		// mean of the relaxation over [1, 2], 10 - 1, of which the first half
		// of either is worth as much as any: 10 + 9.
		{"linear loss", []Job{late(0, 1, 2, inf, 1, 1, 10), late(0, 1, 2, inf, 1, 1, 10)}, Uniform(1), 19, 20, 0.001},
	} {
		r, err := Clairvoyant(context.Background(), c.jobs, c.machine, Options{Gap: 1e-4})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Bound < c.want*(1-1e-12) || r.Bound > c.want*(1+c.accuracy)+1e-9 {
			t.Errorf("%s: bound %.12g, want %g", c.name, r.Bound, c.want)
		}
		if f := packed(c.jobs, c.machine); math.Abs(f-c.fluid) > 1e-9 {
			t.Errorf("%s: fluid %g, want %g", c.name, f, c.fluid)
		}
	}
}

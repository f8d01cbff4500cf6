package bound

import (
	"context"
	"math"
	"slices"
	"testing"

	"revopt/simulate"
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
		if f, err := Fluid(c.jobs, c.machine); err != nil || math.Abs(f-c.fluid) > 1e-9 {
			t.Errorf("%s: fluid %g, want %g: %v", c.name, f, c.fluid, err)
		}
	}
}

// TestNested: of jobs without slack that all start at once, each twice as long as
// the one before and worth as much, one can be served. Pro rata each adds a half.
// A second node makes room for one more. Mandatory parts of nine tenths leave a
// little slack.
func TestNested(t *testing.T) {
	var whole, parts []Job
	for i := range 20 {
		length := math.Exp2(float64(i))
		whole = append(whole, Job{End: length, Width: 1, Parts: []Part{{length, 1}}})
		parts = append(parts, Job{End: length, Width: 1, Loose: true, Parts: []Part{{0.9 * length, 0}, {0.1 * length, 1}}})
	}
	for nodes := 1; nodes <= 2; nodes++ {
		for i, jobs := range [][]Job{whole, parts} {
			m, want := Uniform(nodes), float64(nodes)
			r := clairvoyant(t, jobs, m, Options{})
			b, err := Indivisible(context.Background(), jobs, m, r)
			if err != nil || r.Bound < 5*want || b.Bound < want*(1-1e-9) || i == 0 && b.Bound > 1.02*want || b.Bound > 0.6*r.Bound {
				t.Errorf("%d of 20 jobs can be served: clairvoyant %g, indivisible %g, %v", nodes, r.Bound, b.Bound, err)
			}
			if i > 0 {
				continue
			}
			if b, err = Unpreempted(context.Background(), jobs, m, r); err != nil || b.Bound < want*(1-1e-9) || b.Bound > 1.02*want || math.Abs(found(jobs, m)-want) > 1e-9 {
				t.Errorf("%d of 20 jobs can be served: unpreempted %g to %g, %v", nodes, found(jobs, m), b.Bound, err)
			}
		}
	}
}

// TestNeverTogether: of jobs wider than half of the machine, or than a third, no
// two, or three, run at a time.
func TestNeverTogether(t *testing.T) {
	for _, c := range []struct{ width, jobs, want float64 }{{6, 4, 1}, {4, 9, 2}, {3, 9, 3}} {
		jobs := slices.Repeat([]Job{{End: 1, Width: c.width, Parts: []Part{{c.width, 1}}}}, int(c.jobs))
		r := clairvoyant(t, jobs, Uniform(11), Options{})
		b, err := Unpreempted(context.Background(), jobs, Uniform(11), r)
		if err != nil || b.Bound < c.want*(1-1e-9) || b.Bound > 1.01*c.want || found(jobs, Uniform(11)) != c.want || r.Bound < 1.05*c.want {
			t.Errorf("%g of width %g: %g to %g, %v; clairvoyant %g", c.jobs, c.width, found(jobs, Uniform(11)), b.Bound, err, r.Bound)
		}
	}
}

// TestWideJobsAndOutages: two jobs of 1 s on 2 of 3 nodes, the second after the first. If only
// one node is up from 1 s on, one job is all there is. With a price of 1/3 for each of the 3
// units that a job takes, and 1 unit for sale while one node is up, no more than 4/3.
func TestWideJobsAndOutages(t *testing.T) {
	jobs := slices.Repeat([]Job{{End: 2, Width: 2, Parts: []Part{{2, 1}}}}, 2)
	m := Uniform(3)
	for _, want := range []float64{2, 4. / 3} {
		r := clairvoyant(t, jobs, m, Options{})
		b, err := Unpreempted(context.Background(), jobs, m, r)
		if err != nil || math.Abs(r.Bound-2) > 0.01 || b.Bound < math.Floor(want) || b.Bound > 1.01*want {
			t.Errorf("%v: clairvoyant %g, unpreempted %g, want %g, %v", m.Up, r.Bound, b.Bound, want, err)
		}
		m.Up = Levels(3, []simulate.Outage{{From: 1, To: 9, Units: 2}, {From: 0, To: 9, Units: 3, Drain: true}})
	}
}

package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// program is the linear program to maximize c x with A x <= b, x >= 0, b >= 0.
type program struct {
	a [][]float64
	b []float64
	c []float64
}

// variable adds a variable and returns its index.
func (p *program) variable(profit float64) int {
	p.c = append(p.c, profit)
	return len(p.c) - 1
}

// atMost adds the constraint that the sum of variables is at most b.
func (p *program) atMost(b float64, variables ...int) {
	row := make([]float64, 0, len(p.c))
	for _, v := range variables {
		for len(row) <= v {
			row = append(row, 0)
		}
		row[v] = 1
	}
	p.a, p.b = append(p.a, row), append(p.b, b)
}

// solve returns the optimum by the tableau simplex with the largest
// coefficient, and Bland's rule after many pivots.
func (p *program) solve(t *testing.T) float64 {
	t.Helper()
	rows, cols := len(p.a), len(p.c)+len(p.a)+1
	tab := make([][]float64, rows+1)
	for i := range tab {
		tab[i] = make([]float64, cols)
		if i < rows {
			copy(tab[i], p.a[i])
			tab[i][len(p.c)+i] = 1
			tab[i][cols-1] = p.b[i]
		}
	}
	for v, c := range p.c {
		tab[rows][v] = -c
	}
	for pivots := 0; ; pivots++ {
		enter := -1
		for v := range cols - 1 {
			if r := tab[rows][v]; r < -1e-11 && (enter < 0 || pivots < 500 && r < tab[rows][enter]) {
				enter = v
			}
		}
		if enter < 0 {
			return tab[rows][cols-1]
		}
		leave := -1
		for i := range rows {
			if tab[i][enter] > 1e-11 && (leave < 0 || tab[i][cols-1]/tab[i][enter] < tab[leave][cols-1]/tab[leave][enter]) {
				leave = i
			}
		}
		if leave < 0 || pivots > 5000 {
			t.Fatal("the linear program is unbounded or too hard")
		}
		pivot(tab, leave, enter)
	}
}

func pivot(tab [][]float64, leave, enter int) {
	row := tab[leave]
	f := 1 / row[enter]
	for v := range row {
		row[v] *= f
	}
	for i := range tab {
		if g := tab[i][enter]; i != leave && g != 0 {
			for v := range row {
				tab[i][v] -= g * row[v]
			}
		}
	}
}

// stepped is a job that is worth less after a time, all at once, with two
// layers of value.
type stepped struct {
	release, end, width float64
	step, drop          float64 // time, and loss per node-second
	work, value         [2]float64
}

// job returns the job with a step so steep that it is one.
func (s stepped) job() Job {
	total := s.work[0] + s.work[1]
	j := Job{Release: s.release, End: s.end, Width: s.width, Parts: []Part{{s.work[0], s.work[0] * s.value[0]}}}
	if s.work[1] > 0 {
		j.Parts = append(j.Parts, Part{s.work[1], s.work[1] * s.value[1]})
	}
	if s.drop > 0 {
		j.Late = Lateness{After: s.step, Rate: 1e9 * s.drop * total, Most: s.drop * total}
	}
	return j
}

// optimum returns the relaxed optimum as a linear program on the cells between
// all times, with a variable for each layer of each job in each cell.
func optimum(t *testing.T, jobs []stepped, nodes float64) float64 {
	t.Helper()
	var times []float64
	for _, j := range jobs {
		times = append(times, j.release, j.end, j.step)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	var p program
	inCell := make([][]int, len(times))
	for _, j := range jobs {
		var layers [2][]int
		for k := range times[:len(times)-1] {
			a, b := times[k], times[k+1]
			if a < j.release || b > j.end {
				continue
			}
			var here []int
			for l := range j.work {
				v := j.value[l]
				if a >= j.step {
					v -= j.drop
				}
				x := p.variable(v)
				here = append(here, x)
				layers[l] = append(layers[l], x)
			}
			p.atMost(j.width*(b-a), here...)
			inCell[k] = append(inCell[k], here...)
		}
		for l, work := range j.work {
			p.atMost(work, layers[l]...)
		}
	}
	for k := range times[:len(times)-1] {
		p.atMost(nodes*(times[k+1]-times[k]), inCell[k]...)
	}
	return p.solve(t)
}

// randomStepped returns a job whose first part can be done both before the step
// and at all.
func randomStepped(rnd *rand.Rand, nodes int, drop float64) stepped {
	s := stepped{release: 5 * rnd.Float64(), width: float64(1 + rnd.IntN(nodes))}
	length := 0.2 + 4*rnd.Float64()
	s.work = [2]float64{s.width * length, 0}
	s.value = [2]float64{1 + 9*rnd.Float64(), 0}
	if rnd.IntN(2) == 0 { // a second layer, of lower value
		s.work[1] = s.width * 3 * rnd.Float64()
		s.value[1] = s.value[0] * rnd.Float64()
	}
	s.step = s.release + length*(1+2*rnd.Float64())
	s.end = s.step + (s.work[0]+s.work[1])/s.width*2*rnd.Float64()
	s.drop = drop * s.value[0] * rnd.Float64()
	return s
}

func TestEqualsLinearProgram(t *testing.T) {
	for _, c := range []struct {
		name string
		drop float64
	}{{"hard", 0}, {"soft", 0.9}} {
		t.Run(c.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(11, 3))
			crowded := 0
			for range 120 {
				nodes := 1 + rnd.IntN(4)
				list := make([]stepped, 1+rnd.IntN(9))
				jobs := make([]Job, len(list))
				var values float64
				for i := range list {
					list[i] = randomStepped(rnd, nodes, c.drop)
					jobs[i] = list[i].job()
					values += list[i].work[0]*list[i].value[0] + list[i].work[1]*list[i].value[1]
				}
				want := optimum(t, list, float64(nodes))
				r := must(Clairvoyant(context.Background(), jobs, Uniform(nodes), Options{Gap: 1e-8, first: 512, edges: 512}))
				if math.Abs(r.Bound-want) > 1e-6*want || math.Abs(r.Feasible-want) > 1e-6*want {
					t.Errorf("bound %.9g and schedule %.9g, linear program %.9g: %+v on %d nodes", r.Bound, r.Feasible, want, list, nodes)
				}
				if c.drop == 0 && !r.Exact {
					t.Errorf("gap %g", r.Gap)
				}
				if proof := proved(r.Prices, jobs, Uniform(nodes)); math.Abs(proof-r.Bound) > 1e-12*proof {
					t.Errorf("the prices prove %g, not %g", proof, r.Bound)
				}
				if want < 0.95*values {
					crowded++
				}
			}
			if crowded < 20 {
				t.Errorf("jobs were in each other's way only %d times", crowded)
			}
		})
	}
}

// impreciseJob returns a job with a mandatory part, which pays only when it is done in
// full, and optional ones, which are paid by what is done of them.
func impreciseJob(release, deadline, width float64, mandatory Part, optional ...Part) Job {
	return Job{Release: release, End: widen(deadline), Width: width, Parts: append([]Part{mandatory}, optional...)}
}

// TestMajorant checks that a job whose optional part is worth more per
// node-second than its mandatory one counts as one layer: it cannot have the
// one without the other.
func TestMajorant(t *testing.T) {
	j := impreciseJob(0, 4, 1, Part{Work: 2, Value: 2}, Part{Work: 1, Value: 5}, Part{Work: 1, Value: 1})
	for _, c := range []struct{ end, want float64 }{{4, 8}, {3, 7}, {2.5, 4.5}, {2, 2}, {1.5, 0}} {
		j.End = c.end
		r, err := Clairvoyant(context.Background(), []Job{j}, Uniform(1), Options{})
		if err != nil || math.Abs(r.Bound-c.want) > 1e-9 || !r.Exact {
			t.Errorf("until %g: %+v, %v, want %g", c.end, r, err, c.want)
		}
	}
	// A rival of density 2.2 leaves room for one of the two densest layers.
	j.End = 3
	rival := Job{Release: 0, End: 3, Width: 1, Parts: []Part{{Work: 3, Value: 6.6}}}
	r, err := Clairvoyant(context.Background(), []Job{j, rival}, Uniform(1), Options{})
	if err != nil || math.Abs(r.Bound-7) > 1e-9 {
		t.Errorf("with a rival: %+v, %v, want 7", r, err)
	}
}

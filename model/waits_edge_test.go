package model_test

import (
	"math"
	"testing"

	"revopt/model"
)

// TestWaitsSaturated: above the saturation point waits are those of a server
// that never idles. M/M/1, half urgent, low class without end: the urgent class
// waits for the job in service and its own queue, an exponential of mean 2.
func TestWaitsSaturated(t *testing.T) {
	one := length(model.Exponential, 1, 1)
	for _, low := range []float64{0.5, 0.6, 30} { // load 1 and beyond
		sys := queueOf(1, 1, one, one)
		sys.Classes[0].Rate, sys.Classes[1].Rate = low, 0.5
		w := waits(t, sys, model.WaitOptions{})
		if got := w.Mean(1); math.Abs(got-2) > 1e-12 {
			t.Errorf("low rate %g: the urgent class waits %g, want 2", low, got)
		}
		if got := w.Atom(1); got != 0 {
			t.Errorf("low rate %g: %g of the urgent jobs do not wait", low, got)
		}
		for _, at := range []float64{0.1, 1, 5, 20} {
			check(t, w, 1, at, math.Exp(-at/2), 1e-10)
		}
		p, x, perr, xerr := w.TailExcess(0, 1e6)
		q, err := w.Quantile(0, 0.01)
		if p != 1 || !math.IsInf(x, 1) || perr != 0 || xerr != 0 || !math.IsInf(q, 1) || err != nil || !math.IsInf(w.Mean(0), 1) || w.Atom(0) != 0 {
			t.Errorf("low rate %g: a class that is never served: %g %g %g %g, quantile %g %v, mean %g",
				low, p, x, perr, xerr, q, err, w.Mean(0))
		}
	}
}

// TestWaitsIdle: rates of 0 give the waits that a single job would see.
func TestWaitsIdle(t *testing.T) {
	sys := queueOf(2, 0.8, length(model.Gamma, 1, 0.5), length(model.Exponential, 2, 2), length(model.Normal, 3, 1))
	for k := range sys.Classes {
		quiet, faint := sys, sys
		quiet.Classes, faint.Classes = append([]model.Class(nil), sys.Classes...), append([]model.Class(nil), sys.Classes...)
		quiet.Classes[k].Rate, faint.Classes[k].Rate = 0, 1e-9
		a, b := waits(t, quiet, model.WaitOptions{}), waits(t, faint, model.WaitOptions{})
		for i := range sys.Classes {
			p, _, _, _ := a.TailExcess(i, 0.7)
			q, _, _, _ := b.TailExcess(i, 0.7)
			if math.Abs(p-q) > 1e-8 || math.Abs(a.Mean(i)-b.Mean(i)) > 1e-7 {
				t.Errorf("class %d idle: tail of %d is %g, next to it %g", k, i, p, q)
			}
		}
	}
	nobody := must(model.NewWaits(sys, make([]float64, 3), model.WaitOptions{}))
	p, x, _, _ := nobody.TailExcess(1, 3)
	q, err := nobody.Quantile(1, 0.99)
	if p != 0 || x != 0 || q != 0 || err != nil || nobody.Atom(1) != 1 || nobody.Mean(1) != 0 {
		t.Errorf("an empty queue: %g %g, quantile %g %v", p, x, q, err)
	}
}

// TestWaitsTimes are times and quantiles at and beyond their limits.
func TestWaitsTimes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	w := waits(t, queueOf(1, 0.5, length(model.Gamma, 1, 0.5)), model.WaitOptions{})
	mean := w.Mean(0)
	for _, c := range []struct{ at, p, x float64 }{{-2, 1, mean + 2}, {0, 0.5, mean}, {inf, 0, 0}, {-inf, 1, inf}} {
		if p, x, _, _ := w.TailExcess(0, c.at); p != c.p || x != c.x {
			t.Errorf("at %g: %g, %g, want %g, %g", c.at, p, x, c.p, c.x)
		}
	}
	if p, _, err, _ := w.TailExcess(0, nan); !math.IsNaN(p) || !math.IsNaN(err) {
		t.Errorf("at NaN: %g, %g", p, err)
	}
	for _, c := range []struct {
		q, want float64
		fails   bool
	}{{0, 0, false}, {0.3, 0, false}, {0.5, 0, false}, {1, inf, false}, {nan, 0, true}, {-0.1, 0, true}, {1.1, 0, true}, {1 - 1e-14, 0, true}} {
		got, err := w.Quantile(0, c.q)
		if (err != nil) != c.fails || err == nil && got != c.want {
			t.Errorf("quantile %g: %g, %v", c.q, got, err)
		}
	}
	for _, q := range []float64{0.51, 0.9, 0.999, 1 - 1e-9} {
		at, err := w.Quantile(0, q)
		p, _, off, _ := w.TailExcess(0, at)
		if err != nil || math.Abs(p-(1-q)) > 1e-6*(1-q)+off {
			t.Errorf("quantile %g is %g, where P(W > t) = %g, %v", q, at, p, err)
		}
	}
}

// TestWaitsMMn: with exponential lengths of one mean the waits of several servers are
// exact, and their errors true. The jobs ahead of a job that waits are geometric with
// the load of its class and those above; it starts after as many and one more have
// left, and those above join them. Uniformization gives the chance that this takes
// longer than t. The class served first has P(W > t) = C(n, a) exp(-n (1-sigma) t/b).
func TestWaitsMMn(t *testing.T) {
	const mean = 100.0
	for _, n := range []float64{2, 3, 10, 64} {
		for _, load := range []float64{0.3, 0.8, 0.97} {
			for _, first := range []float64{0.1, 0.4, 1} {
				sys := queueOf(n, load, length(model.Exponential, mean, 0), length(model.Exponential, mean, 0))
				sys.Classes[0].Rate, sys.Classes[1].Rate = load*n/mean*(1-first), load*n/mean*first
				w := waits(t, sys, model.WaitOptions{Multiserver: true})
				wait := model.ErlangC(n, n*load)
				for _, x := range []float64{0.1, 0.4, 3} {
					at := x * mean / n
					check(t, w, 1, at, wait*math.Exp(-x*(1-load*first)), 1e-10)
					check(t, w, 0, at, wait*longer(load, load*first, x), 1e-10)
				}
			}
		}
	}
}

// longer returns the chance that a queue, geometric with load sigma and one job more,
// is not empty by time t: a job leaves per unit of time, and others join it at a rate.
func longer(sigma, rate, t float64) float64 {
	now, next := make([]float64, 2500), make([]float64, 2500)
	for k := range now[1:] {
		now[k+1] = (1 - sigma) * math.Pow(sigma, float64(k))
	}
	var sum float64
	clock := 1 + rate
	weight := math.Exp(-clock * t)
	for step := 1.0; step < 100; step++ {
		alive := 0.0
		clear(next)
		for k := 1; k < len(now)-1; k++ {
			alive += now[k]
			next[k-1] += now[k] / clock
			next[k+1] += now[k] * rate / clock
		}
		sum += weight * alive
		weight *= clock * t / step
		now, next = next, now
	}
	return sum
}

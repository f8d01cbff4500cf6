package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// traffic counts moves and jobs with a choice.
type traffic struct{ moved, several int }

func (c *traffic) Observe(e simulate.Event) {
	switch {
	case e.Kind == simulate.Moved:
		c.moved++
	case e.Kind == simulate.Submitted && e.Job.Choice > 0:
		c.several++
	}
}

// randomPools returns a workload with pools: a trace in which some jobs list several
// partitions, or none that a pool takes, or classes.
func randomPools(t *testing.T, rnd *rand.Rand, trace, overflow bool) workload.Workload {
	t.Helper()
	var pools []model.Pool
	for k := range 2 + rnd.IntN(3) {
		p := model.Pool{Name: fmt.Sprint("p", k), Units: 1 + rnd.IntN(8)}
		p.Of = &model.Selector{Partitions: []model.Party{{Name: p.Name}}, Share: 1}
		pools = append(pools, p)
	}
	for k := range pools {
		if to := rnd.IntN(len(pools)); overflow && to != k && rnd.IntN(3) > 0 {
			pools[k].Overflow = &model.Overflow{To: pools[to].Name, After: float64(rnd.IntN(60))}
		}
	}
	if !trace {
		var classes []model.Class
		for i := range 1 + rnd.IntN(4) {
			c := randomClass(rnd, fmt.Sprint(i), true)
			in := pools[rnd.IntN(len(pools))]
			c.Pool, c.Width = in.Name, model.FixedWidth(float64(1+rnd.IntN(in.Units)))
			c.Length, _ = model.New(model.Exponential, 20, 20, 0)
			c.Rate = (0.5 + rnd.Float64()) * float64(in.Units) / 20 / c.Width.Mean()
			classes = append(classes, c)
		}
		w, err := workload.NewClasses(classes, 1, workload.Length{Jobs: 1000})
		if err == nil {
			w, err = w.WithPools(pools)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w.Drained(20 + rnd.IntN(40))
	}
	lines, at := "; Partition: 0 other\n; Partition: 9 p0,p1\n", 0
	for k, p := range pools {
		lines += fmt.Sprintf("; Partition: %d %s\n", k+1, p.Name)
	}
	for i := range 20 + rnd.IntN(40) {
		at += rnd.IntN(20)
		partition, width := []int{0, 9, 1, 2}[rnd.IntN(4)], 1+rnd.IntN(8)
		lines += fmt.Sprintf("%d %d -1 %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n", i+1, at, 1+rnd.IntN(100),
			width, width, 1+rnd.IntN(150), 1+rnd.IntN(3), partition)
	}
	path := filepath.Join(t.TempDir(), "random.swf")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, err := workload.Load(context.Background(), workload.Selection{File: path, Nodes: 64}, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := divided{options: workload.ReplayOptions{Pools: pools}, whole: loaded}
	d.customers(rnd)
	return d.replay(t, loaded, d.options)
}

// divided is a random trace of jobs in pools, and the same jobs as a trace for each pool.
// A job of every pool comes at time 0, so that all clocks agree. Partition k+1 of the
// first pools is that of pool k; every further partition goes to some pool.
type divided struct {
	options workload.ReplayOptions
	whole   *workload.Trace
	parts   []*workload.Trace
}

func newDivided(t *testing.T, rnd *rand.Rand, jobs int) divided {
	t.Helper()
	var d divided
	n, total := 2+rnd.IntN(2), 0
	lines, pool := make([]strings.Builder, n+1), []int{}
	for k := range n + 2 {
		if k >= n {
			k = rnd.IntN(n)
		} else {
			p := model.Pool{Name: fmt.Sprint("p", k), Units: 1 + rnd.IntN(8), Of: &model.Selector{Share: 1}}
			d.options.Pools = append(d.options.Pools, p)
			total += p.Units
		}
		of := d.options.Pools[k].Of
		of.Partitions = append(of.Partitions, model.Party{Number: len(pool) + 1, IsNumber: true})
		pool = append(pool, k)
	}
	at, gap := 0, 1+rnd.IntN(40)
	for i := range n + jobs {
		partition := i
		if i >= n {
			partition, at = rnd.IntN(len(pool)), at+rnd.IntN(gap)
		}
		width := 1 + rnd.IntN(d.options.Pools[pool[partition]].Units)
		if rnd.IntN(15) == 0 {
			width += 8
		}
		line := fmt.Sprintf("%d %d %d %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n", i+1, at, rnd.IntN(50),
			1+rnd.IntN(100), width, width, 1+rnd.IntN(150), 1+rnd.IntN(3), partition+1)
		lines[pool[partition]].WriteString(line)
		lines[n].WriteString(line)
	}
	for k := range lines {
		nodes, path := total, filepath.Join(t.TempDir(), fmt.Sprint(k, ".swf"))
		if k < n {
			nodes = d.options.Pools[k].Units
		}
		if err := os.WriteFile(path, []byte(lines[k].String()), 0o644); err != nil {
			t.Fatal(err)
		}
		trace, err := workload.Load(context.Background(), workload.Selection{File: path, Nodes: nodes}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if d.parts = append(d.parts, trace); k == n {
			d.whole = trace
		}
	}
	return d
}

// customers lists two customers with deadlines, of whom one may have a price per pool.
func (d *divided) customers(rnd *rand.Rand) {
	for i := range 2 {
		c := randomClass(rnd, fmt.Sprint(i), true)
		c.Hard = float64(rnd.IntN(2)) // not drawn
		if i == 0 {
			for range d.options.Pools {
				slo := &model.SLO{Within: 50 * rnd.Float64(), Level: 0.9}
				c.Terms = append(c.Terms, model.Terms{PerNodeSecond: float64(rnd.IntN(4)), SLO: slo})
			}
		}
		d.options.Classes = append(d.options.Classes, c)
		of := &model.Selector{Groups: []model.Party{{Number: i + 1, IsNumber: true}}, Share: 1}
		d.options.Of = append(d.options.Of, of)
	}
}

func (d *divided) replay(t *testing.T, trace *workload.Trace, o workload.ReplayOptions) *workload.Replay {
	t.Helper()
	w, err := workload.NewReplay(context.Background(), trace, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// alone returns the jobs of a pool as a workload without pools, from a trace of its own.
func (d *divided) alone(t *testing.T, pool int) *workload.Replay {
	o := d.options
	o.Pools, o.Classes = nil, slices.Clone(o.Classes)
	for i, c := range o.Classes {
		o.Classes[i] = c.In(pool)
	}
	return d.replay(t, d.parts[pool], o)
}

// sums are the numbers that do not depend on the length of the run, without their last
// digits: events of other pools cut intervals in two, which changes the rounding.
func sums(s metric.Sum) string {
	s.Seconds, s.Span, s.Capacity = 0, 0, 0
	fields := reflect.ValueOf(&s).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Float64 {
			f.SetFloat(math.Round(1e9*f.Float()) / 1e9)
		}
	}
	return fmt.Sprintf("%.12v", s)
}

// observer is a function that observes.
type observer func(simulate.Event)

// Observe implements simulate.Observer.
func (f observer) Observe(e simulate.Event) { f(e) }

package study

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

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
	s.Seconds, s.Span, s.Capacity, s.Traded, s.Priced = 0, 0, 0, 0, 0
	return fmt.Sprintf("%.12g", text.Each(s.Numbers(), func(x float64) float64 { return math.Round(1e9*x) / 1e9 }))
}

// sameAsAlone compares a pool of a run with a run of its jobs alone, in all and by customer.
func sameAsAlone(t *testing.T, what string, whole *Experiment, got Sample, pool int, alone workload.Workload) {
	t.Helper()
	e := *whole
	e.Workload, e.Pooled = alone, nil
	e.Policy = whole.policyIn(pool)
	want, err := e.Run(context.Background(), 0)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	p := whole.Workload.Pools()
	if want.Total.ByWait {
		want.Total.Delivered = 0
	}
	for i, c := range p.Columns() {
		switch {
		case c.Pool != pool:
		case c.Customer < 0 && sums(got.Customers[i]) != sums(want.Total):
			t.Errorf("%s: pool %d\n%s, alone\n%s", what, pool, sums(got.Customers[i]), sums(want.Total))
		case c.Customer >= 0:
			k := slices.Index(names(alone.Customers()), p.Customers[c.Customer].Name)
			if k < 0 && got.Customers[i].Submitted > 0 || k >= 0 && sums(got.Customers[i]) != sums(want.Customers[k]) {
				t.Errorf("%s: customer %d in pool %d differs", what, c.Customer, pool)
			}
		}
	}
}

// TestTwoPoolsAreTwoSimulations compares pools with runs of the jobs of each pool alone,
// from a trace of its own and as a part of the workload, up to rounding, under all policies
// whose pools share nothing.
func TestTwoPoolsAreTwoSimulations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(30, 1))
	runs := map[string]int{}
	for split := range 10 {
		d := newDivided(t, rnd, 60)
		stated := split%3 < 2
		if stated {
			d.customers(rnd)
		} else {
			d.options.QoS = &model.QoS{
				HighUrgency: 0.4, Deadline: model.Spread{LowMean: 1.5, Ratio: 2, SD: 0.2},
				Budget:  model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
				Penalty: model.Spread{LowMean: 0.3, Ratio: 4, SD: 0.5}, Hard: [2]float64{0.5, 0.5},
			}
			d.options.Split = &model.Split{Optional: model.Interval{Low: 0, High: 4}, Rate: 1000}
		}
		w := d.replay(t, d.whole, d.options)
		for _, spec := range Standard() {
			e := &Experiment{Workload: w, Policy: someOptions(rnd, spec), Seed: 5}
			if split%2 == 1 { // the second pool under a policy of its own
				e.Pooled = make([]*Policy, len(d.options.Pools))
				e.Pooled[1] = &named(t, "easy")[0]
			}
			if e.Check() != nil || spec.Join != nil {
				continue
			}
			got, err := e.Run(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			runs[spec.Name]++
			for pool := range d.options.Pools {
				what := fmt.Sprintf("split %d, %s", split, e.Policy.Label())
				part, err := workload.Part(w, []int{pool})
				if err != nil {
					t.Fatal(err)
				}
				sameAsAlone(t, what+", part", e, got, pool, part)
				if stated {
					sameAsAlone(t, what+", trace", e, got, pool, d.alone(t, pool))
				}
			}
		}
	}
	for _, spec := range Standard() {
		if runs[spec.Name] == 0 && spec.Join == nil {
			t.Errorf("no split under %s", spec.Name)
		}
	}
}

// TestPoolsOfClasses is TestTwoPoolsAreTwoSimulations on job classes that are drawn. The
// work delivered is over the time in which jobs arrive, which is shorter in a part.
func TestPoolsOfClasses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(30, 2))
	for n := range 10 {
		w := randomPools(t, rnd, false, false)
		for _, spec := range Standard() {
			e := &Experiment{Workload: w, Policy: someOptions(rnd, spec), Seed: 5}
			if e.Check() != nil || spec.Join != nil {
				continue
			}
			got, err := e.Run(context.Background(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Customers {
				got.Customers[i].Delivered = 0
			}
			for pool := range w.Pools().List {
				part, err := workload.Part(w, []int{pool})
				if err != nil {
					t.Fatal(err)
				}
				if part.Stream() > 0 { // jobs come to the pool
					sameAsAlone(t, fmt.Sprintf("classes %d, %s", n, e.Policy.Label()), e, got, pool, part)
				}
			}
		}
	}
}

// TestOnePoolIsTheMachine compares the records of all policies with one pool and without.
func TestOnePoolIsTheMachine(t *testing.T) {
	sp2, err := filepath.Abs("../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{sp2, model.SP2Like} {
		if _, err := os.Stat(file); err != nil && file == sp2 {
			t.Log("the SDSC SP2 trace is not at ../shared/traces")
			continue
		}
		for _, more := range []string{"", "ic: {optional: [0.5, 4]}\n"} {
			text := more + "qos: {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4, sd: 0.25}, " +
				"budget: {low_mean: 2, ratio: 4, sd: 0.25}}\ntrace: {file: " + file + ", jobs: first:200"
			plain := opened(t, text+", nodes: 128}\n")
			pooled := opened(t, text+"}\npools: [{name: all, units: 128}]\n")
			for _, spec := range Standard() {
				if spec.Check(plain.Workload.Has()) != nil {
					continue
				}
				p := PolicyOf(spec)
				if recordsOf(t, plain.Workload, p) != recordsOf(t, pooled.Workload, p) {
					t.Errorf("%s: records of %s differ", filepath.Base(file), spec.Name)
				}
			}
		}
	}
}

// recordsOf returns the records of a replication without the column of pools.
func recordsOf(t *testing.T, w workload.Workload, p Policy) string {
	t.Helper()
	var b bytes.Buffer
	records := metric.NewRecords(&b)
	e := &Experiment{Workload: w, Policy: p, Seed: 1}
	if _, err := e.Run(context.Background(), 0, e.Recorder(records, "p", 0)); err != nil || records.Flush() != nil {
		t.Fatal(p.Label(), err)
	}
	text := strings.ReplaceAll(b.String(), ",pool\n", "\n")
	return strings.ReplaceAll(text, ",all\n", "\n")
}

package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// starts observes the pool and the time at which each job starts.
type starts map[int64]string

func (s starts) Observe(e simulate.Event) {
	if e.Kind == simulate.Started {
		s[e.Job.ID] = fmt.Sprint("ab"[e.Site.Index():][:1], " ", e.Time)
	}
}

// pairOfPools writes a trace of jobs, in the order submit, length, partition, and lays pools a
// and b of one unit over it.
func pairOfPools(t *testing.T, pools string, jobs ...[3]int) *Subject {
	t.Helper()
	lines := "; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 a,b\n; Partition: 4 b,a\n"
	for i, j := range jobs {
		lines += fmt.Sprintf("%d %d -1 %d 1 -1 -1 1 %d -1 1 1 1 1 1 %d -1 -1\n", i+1, j[0], j[1], j[1], j[2])
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return opened(t, "trace: {file: "+path+"}\n"+pools+
		"classes: [{name: all, price: {per_unit_hour: {a: 3600, b: 7200}}, max_penalty: none}]\n")
}

// TestOverflow compares schedules with some worked out by hand. The first job of a keeps
// its pool until 1000, that of b until 150. Jobs of a move to b after 100 s, and wait there
// for the jobs that came before them; the last job of b comes behind these.
func TestOverflow(t *testing.T) {
	jobs := [][3]int{{0, 1000, 1}, {0, 150, 2}, {10, 50, 1}, {20, 500, 1}, {130, 10, 2}}
	over := "pools: [{name: a, units: 1, of: {partition: a}, overflow: {to: b, after: 100}}, " +
		"{name: b, units: 1, of: {partition: b}%s}]\n"
	for _, tt := range []struct {
		pools string
		jobs  [][3]int
		want  []string
		money [2]float64
	}{
		{fmt.Sprintf(over, ""), jobs, []string{"a 0", "b 0", "b 150", "b 200", "b 700"}, [2]float64{1000, 1420}},
		// Jobs of b move to a after 20 s, but none returns to its first pool.
		{fmt.Sprintf(over, ", overflow: {to: a, after: 20}"), jobs,
			[]string{"a 0", "b 0", "b 150", "b 200", "a 1000"}, [2]float64{1010, 1400}},
		// After 0 s a job moves that does not start at once.
		{"pools: [{name: a, units: 1, of: {partition: a}, overflow: {to: b, after: 0}}, {name: b, units: 1}]\n",
			[][3]int{{0, 10, 1}, {0, 10, 1}, {5, 10, 1}}, []string{"a 0", "b 0", "b 10"}, [2]float64{10, 40}},
		// The third job may run in both pools, and b is free first; the fourth then starts first in a.
		{"pools: [{name: a, units: 1, of: {partition: a}}, {name: b, units: 1, of: {partition: b}}]\n",
			[][3]int{{0, 100, 1}, {0, 50, 2}, {10, 80, 3}, {20, 10, 3}},
			[]string{"a 0", "b 0", "b 50", "a 100"}, [2]float64{110, 260}},
	} {
		s := pairOfPools(t, tt.pools, tt.jobs...)
		for _, policy := range []string{"fcfs", "easy", "conservative"} {
			got := starts{}
			e := under(t, s.Workload, policy, nil, nil, 1)
			sample, err := e.Run(context.Background(), 0, got)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range tt.want {
				if got[int64(i)] != want {
					t.Errorf("%s: job %d starts %s, want %s", policy, i, got[int64(i)], want)
				}
			}
			for pool, money := range tt.money {
				i := NewOutcome(e, []Sample{sample}).Column(-1, pool)
				if sample.Customers[i].Value != money {
					t.Errorf("%s: pool %d earns %g, want %g", policy, pool, sample.Customers[i].Value, money)
				}
			}
		}
		p := s.Workload.Pools()
		if got := p.Groups(); !reflect.DeepEqual(got, [][]int{{0, 1}}) {
			t.Errorf("groups %v", got)
		}
		part, err := workload.Part(s.Workload, []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		best, err := under(t, part, "easy", nil, nil, 1).Run(context.Background(), 0)
		if err != nil || part.Sites()[0].Processors != 2 || best.Total.Value < tt.money[0]+tt.money[1] {
			t.Errorf("one machine earns %g: %v", best.Total.Value, err)
		}
	}
}

// TestUnitsOfLists: a job that lists pools of different units runs in those with the unit of the
// first that it names, because its width is counted in that unit. One warning counts such jobs.
func TestUnitsOfLists(t *testing.T) {
	const pools = "pools: [{name: a, units: 1, unit: %s, of: {partition: a}}, " +
		"{name: b, units: 1, unit: gpu, of: {partition: b}}]\n"
	jobs := [][3]int{{0, 100, 1}, {0, 50, 2}, {10, 80, 3}, {20, 10, 4}}
	for unit, want := range map[string][]string{
		"gpu": {"a 0", "b 0", "b 50", "a 100"}, "core": {"a 0", "b 0", "a 100", "b 50"},
	} {
		s, got := pairOfPools(t, fmt.Sprintf(pools, unit), jobs...), starts{}
		if _, err := under(t, s.Workload, "fcfs", nil, nil, 1).Run(context.Background(), 0, got); err != nil {
			t.Fatal(err)
		}
		for i, want := range want {
			if got[int64(i)] != want {
				t.Errorf("%s: job %d starts %s, want %s", unit, i, got[int64(i)], want)
			}
		}
		warned := []Warning{fact(WarnMixedUnits, "a", "b").with(2)}
		if unit == "gpu" {
			warned = nil
		}
		if got := poolWarnings(s.Workload.Pools()); !reflect.DeepEqual(got, warned) {
			t.Errorf("%s: warnings %v", unit, got)
		}
	}
}

// TestNoPoolExceedsItsUnits audits random workloads with pools: traces and classes, with
// overflow in chains and circles, jobs for several pools and jobs for none. In all columns
// every submitted job has one fate.
func TestNoPoolExceedsItsUnits(t *testing.T) { auditPools(t, 1, 1000) }

func auditPools(t *testing.T, seed uint64, workloads int) {
	rnd := rand.New(rand.NewPCG(31, seed))
	moved, several, none := 0, 0, int64(0)
	for n := range workloads {
		w := randomPools(t, rnd, n%2 == 0, true)
		var p Policy
		for p = someOptions(rnd, Standard()[rnd.IntN(len(Standard()))]); p.Spec.Check(w.Has()) != nil; {
			p = someOptions(rnd, Standard()[rnd.IntN(len(Standard()))])
		}
		e := &Experiment{Workload: w, Policy: p, Seed: uint64(n)}
		if rnd.IntN(3) == 0 {
			for range w.Customers() {
				e.Admission.Admit = append(e.Admission.Admit, rnd.Float64())
			}
		}
		if e.Check() != nil {
			e.Admission.Admit = nil
		}
		var audit simulate.Audit
		seen := &traffic{}
		s, err := e.Run(context.Background(), 0, &audit, seen)
		if err != nil || audit.Err() != nil {
			t.Fatalf("workload %d under %s: %v, %v", n, p.Label(), err, audit.Err())
		}
		moved, several, none = moved+seen.moved, several+seen.several, none+s.Total.Reasons[simulate.NoPool]
		for i, sum := range append(s.Customers, s.Total) {
			ended := sum.Rejected + sum.GivenUp + sum.Expired + sum.Killed + sum.Completed
			if sum.Submitted != ended || sum.Admitted < sum.Started {
				t.Fatalf("workload %d under %s: column %d has %+v", n, p.Label(), i, sum)
			}
		}
		var pools metric.Sum
		for i := range w.Pools().List {
			c := s.Customers[len(w.Pools().Customers)+i]
			pools.Submitted += c.Submitted
		}
		if pools.Submitted != s.Total.Submitted-s.Total.Reasons[simulate.NoPool] {
			t.Fatalf("workload %d: %d jobs in pools of %d", n, pools.Submitted, s.Total.Submitted)
		}
	}
	t.Logf("%d moves, %d jobs for several pools, %d for none", moved, several, none)
	if moved == 0 || several == 0 || none == 0 {
		t.Error("not all kinds of jobs were seen")
	}
}

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

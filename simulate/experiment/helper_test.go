package experiment

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

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// census notes the values of the jobs that are submitted, and checks the run.
type census struct {
	simulate.Audit
	jobs []simulate.Value
}

func (c *census) Observe(e simulate.Event) {
	c.Audit.Observe(e)
	if e.Kind == simulate.Submitted {
		c.jobs = append(c.jobs, e.Job.Value)
	}
}

const smallTrace = `name: small
trace: {file: sp2-like, jobs: first:500, cleaning: reject, arrival_delay_factor: 0.5}
qos: {penalty: {low_mean: 0.02}}
`

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &Experiment{Workload: w, Policy: p, Admission: Admission{Admit: admit}, Seed: seed}
}

// constant is one class of jobs of 10 s and $100, which lose $1 per second of
// wait, on one node.
const constant = `
server: {parallel: 1}
load: 0.8
simulation: {jobs: 2000, warmup: 50%, replications: 3}
classes:
  - {name: only, share: 1, length: {dist: deterministic, mean: 10}, price: 100, decay: 1}
`

// starts observes the pool and the time at which each job starts.
type starts map[int64]string

func (s starts) Observe(e simulate.Event) {
	if e.Kind == simulate.Started {
		s[e.Job.ID] = fmt.Sprint("ab"[e.Site.Index():][:1], " ", e.Time)
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

// twoPools returns a scenario of two pools whose classes alternate, and one of each pool
// alone: a server with its units.
func twoPools(rnd *rand.Rand, residual, dist string, more ...string) (whole string, alone []string) {
	list := []string{"cpu", "gpu"}
	var b strings.Builder
	parts := make([]strings.Builder, len(list))
	fmt.Fprintf(&b, "name: all\nserver: {residual: %s}\nsimulation: {horizon: 20d}\npools:\n", residual)
	units := []int{4 + 2*rnd.IntN(3), 2 + rnd.IntN(3)}
	for i, name := range list {
		fmt.Fprintf(&b, "  - {name: %s, units: %d, unit: %s}\n", name, units[i], name)
		fmt.Fprintf(&parts[i], "name: %s\nserver: {nodes: %d, residual: %s}\nsimulation: {horizon: 20d}\nclasses:\n",
			name, units[i], residual)
	}
	b.WriteString("classes:\n")
	for k := range 4 {
		i, width := k%2, 2-k%2
		mean := []float64{3600, 1800}[i]
		rate := (0.4 + 0.3*rnd.Float64()) * float64(units[i]) / float64(width) / mean
		class := fmt.Sprintf("rate: %.9g, length: {mean: %g, dist: %s}, width: %d, price: %.9g, decay: %.9g%s}\n",
			rate, mean, dist, width, 5+20*rnd.Float64(), 0.001+0.01*rnd.Float64(), strings.Join(more, ""))
		fmt.Fprintf(&b, "  - {name: c%d, pool: %s, %s", k, list[i], class)
		fmt.Fprintf(&parts[i], "  - {name: c%d, %s", k, class)
	}
	for i := range parts {
		alone = append(alone, parts[i].String())
	}
	return b.String(), alone
}

// alike reports whether two values have the same numbers, to 1e-12 of each, and the same
// words, except for names of pools.
func alike(x, y any) string {
	var walk func(path string, a, b reflect.Value) string
	walk = func(path string, a, b reflect.Value) string {
		switch a.Kind() {
		case reflect.Float64:
			u, v := a.Float(), b.Float()
			if u == v || math.IsNaN(u) && math.IsNaN(v) || math.Abs(u-v) <= 1e-12*math.Max(math.Abs(u), math.Abs(v)) {
				return ""
			}
			return fmt.Sprintf("%s: %v, alone %v", path, u, v)
		case reflect.Pointer, reflect.Interface:
			if a.IsNil() || b.IsNil() {
				if a.IsNil() != b.IsNil() {
					return path + ": one is nil"
				}
				return ""
			}
			return walk(path, a.Elem(), b.Elem())
		case reflect.Struct:
			for i := range a.NumField() {
				f := a.Type().Field(i)
				if f.Name == "Pool" || f.Type == reflect.TypeFor[model.System]() {
					continue
				}
				if bad := walk(path+"."+f.Name, a.Field(i), b.Field(i)); bad != "" {
					return bad
				}
			}
			return ""
		case reflect.Slice:
			if a.Len() != b.Len() {
				return fmt.Sprintf("%s: %d and %d", path, a.Len(), b.Len())
			}
			for i := range a.Len() {
				if bad := walk(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); bad != "" {
					return bad
				}
			}
			return ""
		}
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v, alone %v", path, a, b)
		}
		return ""
	}
	return walk("", reflect.ValueOf(x), reflect.ValueOf(y))
}

// crossing is a trace of two customers, by group, in two partitions: jobs arrive every 90 s,
// a third of them for the smaller pool; both pools are busy.
func crossing(t *testing.T) *subject.Subject {
	t.Helper()
	rnd := rand.New(rand.NewPCG(30, 4))
	var b strings.Builder
	for i := range 200 {
		partition, width := 1+i%3/2, 1+rnd.IntN(2)
		fmt.Fprintf(&b, "%d %d 0 %d %d -1 -1 %d 600 -1 1 1 %d 1 1 %d -1 -1\n",
			i+1, 90*i, 60+rnd.IntN(540), width, width, 1+rnd.IntN(2), partition)
	}
	path := filepath.Join(t.TempDir(), "crossing.swf")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, `name: crossing
trace: {file: `+path+`}
pools:
  - {name: cpu, units: 4, unit: core, of: {partition: [1]}}
  - {name: gpu, units: 2, unit: gpu, of: {partition: [2]}}
  - {name: idle, units: 5, of: {partition: [3]}}
classes:
  - name: ana
    of: {group: [1]}
    price: {per_unit_hour: {cpu: 1, gpu: 9}}
    decay: 0.001
    slo: {within: 2m, level: 0.8}
  - {name: ben, of: {group: [2]}, price: 2, decay: 0.001, slo: {gpu: {within: 1m, level: 0.9}}}
`)
}

// overflowing are two pools of one unit.
const overflowing = "pools: [{name: a, units: 1, of: {partition: a}, overflow: {to: b, after: 60}},\n" +
	"  {name: b, units: 1}]\n"

// ruled lays a scenario over a trace of jobs: submit, length, width, group, partition. The
// estimate is the length times the group.
func ruled(t *testing.T, rest string, jobs ...[5]int) *subject.Subject {
	t.Helper()
	lines := "; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 b,a\n; Group: 1 x\n; Group: 2 y\n"
	for i, j := range jobs {
		lines += fmt.Sprintf("%d %d %d %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n", i+1, j[0], 10*i, j[1], j[2], j[2],
			j[1]*j[3], j[3], j[4])
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, "trace: {file: "+path+"}\n"+rest)
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
	s.Seconds, s.Span, s.Capacity, s.Traded, s.Priced = 0, 0, 0, 0, 0
	return fmt.Sprintf("%.12g", text.Each(s.Numbers(), func(x float64) float64 { return math.Round(1e9*x) / 1e9 }))
}

// logged opens a scenario of a log with two customers by user. %d in a line is the number
// of the job.
func logged(t testing.TB, more string, lines []string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	text := "; MaxProcs: 8\n"
	for i, line := range lines {
		if line[0] == ';' {
			text += line + "\n"
			continue
		}
		text += fmt.Sprintf("%d %s\n", i+1, line)
	}
	path := filepath.Join(t.TempDir(), "log.swf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return fixture.Opened(t, "trace: {file: "+path+more+`}
classes:
  - {name: industry, of: {user: 1}, price: {per_unit_hour: 2}, decay: {per_hour: 20%}, deadline: {lengths: 1.5}, slo: {within: 10m, level: 90%}}
  - {name: students, price: {per_unit_hour: 1}, decay: {per_hour: 100%}, grace: 10m, max_penalty: 0, expire: zero}
`, overrides...)
}

// job writes the fields of a job after its number.
func job(submit, wait, run float64, allocated, requested, status, user int) string {
	return fmt.Sprintf("%g %g %g %d -1 -1 %d 7200 -1 %d %d 1 1 1 1 -1 -1", submit, wait, run, allocated, requested, status, user)
}

// observer is a function that observes.
type observer func(simulate.Event)

// Observe implements simulate.Observer.
func (f observer) Observe(e simulate.Event) { f(e) }

// workloads are one of every kind, by what their jobs and machines have.
func workloads(t *testing.T) map[string]*subject.Subject {
	undated := strings.Replace(fixture.Customers(t), "grace: 5m, decay: 0.01", "decay: 0", 1)
	return map[string]*subject.Subject{
		"classes":               fixture.Opened(t, constant),
		"classes, deadlines":    fixture.Opened(t, strings.Replace(constant, "decay: 1", "decay: 1, deadline: 25", 1)),
		"classes, grace":        fixture.Opened(t, strings.Replace(constant, "decay: 1", "decay: 1, grace: {lengths: 2}", 1)),
		"trace":                 fixture.Opened(t, "trace: {file: sp2-like, jobs: last:60}\n"),
		"trace, qos":            fixture.Opened(t, smallTrace),
		"trace, parts":          fixture.Opened(t, smallTrace+"ic: {rate: 0.2}\n"),
		"trace, customers":      fixture.Opened(t, fixture.Customers(t)),
		"trace, no deadline":    fixture.Opened(t, undated),
		"trace, unlike nodes":   fixture.Opened(t, "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\nqos: {}\n"),
		"grid":                  fixture.Opened(t, "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"),
		"batch":                 fixture.Opened(t, "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n"),
		"grid of a single site": fixture.Opened(t, "sites: [{processors: 4, mips: 89}]\napplications: {count: 5}\n"),
	}
}

// randomClass returns a customer with a price, a decay, a floor and an expiry of
// all kinds, with or without a deadline.
func randomClass(rnd *rand.Rand, name string, dated bool) model.Class {
	c := model.Class{
		Name: name, Price: model.Tariff{Fixed: 100 * rnd.Float64(), PerSecond: rnd.Float64(), PerNodeSecond: float64(rnd.IntN(3))},
		Decay: 10 * rnd.Float64() * rnd.Float64(), Expire: model.ExpireNever, Dated: dated, Floor: model.Floor{None: true},
	}
	if rnd.IntN(3) == 0 {
		c.Decay = 0
	}
	if rnd.IntN(3) == 0 {
		c.DecayOfPrice = 0.01 * rnd.Float64()
	}
	switch {
	case dated && rnd.IntN(2) == 0:
		c.Deadline = model.Grace{Fixed: 20 * rnd.Float64(), Lengths: 0.5 + 3*rnd.Float64()} // some too short
	case dated:
		c.Grace = model.Grace{Fixed: 10 * rnd.Float64(), Lengths: 3 * rnd.Float64()}
	case rnd.IntN(2) == 0:
		c.Grace.Lengths = 3 * rnd.Float64()
	}
	if dated {
		c.Hard = []float64{0, 0.5, 1}[rnd.IntN(3)]
	}
	if rnd.IntN(3) > 0 {
		c.Floor = model.Floor{Fixed: 60*rnd.Float64() - 10, OfPrice: 0.1 * rnd.Float64()}
		c.Expire = []model.Expiry{model.ExpireNever, model.ExpireFloor, model.ExpireZero}[rnd.IntN(3)]
	}
	return c
}

// someOptions chooses among the options of a policy.
func someOptions(rnd *rand.Rand, spec policy.Spec) subject.Policy {
	p := subject.PolicyOf(spec)
	for _, o := range spec.Options {
		if !o.Number && rnd.IntN(3) == 0 {
			p.Settings[o.Name] = o.Values[rnd.IntN(len(o.Values))]
		}
	}
	return p
}

// offering has classes whose prices and work vary in different ways, and in which
// a late job loses nothing: all that is offered is earned.
const offering = `
server: {nodes: 40}
load: 0.7
simulation: {jobs: 1500, warmup: 10%, replications: 5}
classes:
  - {name: flat, share: 0.5, length: {mean: 100, sd: 30, min: 10}, price: 3}
  - {name: hourly, share: 0.3, length: {dist: lognormal, mean: 50, sd: 60}, width: {values: [1, 4, 9], weights: [0.5, 0.3, 0.2]}, price: {per_hour: 40}}
  - {name: wide, share: 0.2, length: {dist: exponential, mean: 20}, width: {values: [2, 8], weights: [0.6, 0.4]}, price: {per_unit_hour: 90}}
`

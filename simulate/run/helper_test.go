package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// fates counts the jobs of each customer by what became of them, by events alone.
type fates struct {
	started     map[int64]bool
	jobs        []map[string]float64
	first, last float64 // submissions
}

func (f *fates) Observe(e simulate.Event) {
	j, fate := e.Job, ""
	if j == nil || !j.Measured {
		return
	}
	switch left := j.Expire > 0 && e.Time >= j.Expire; e.Kind { // left by its customer
	case simulate.Submitted:
		fate, f.last = "jobs_submitted", j.Submit
		f.first = min(f.first, j.Submit)
	case simulate.Started:
		f.started[j.ID] = true
	case simulate.Completed:
		if fate = "jobs_completed"; j.Killed {
			fate = "jobs_killed"
		}
	case simulate.Rejected:
		if fate = "jobs_rejected"; e.Reason == simulate.Lapsed && !f.started[j.ID] {
			fate = "jobs_given_up"
		}
	case simulate.Expired:
		if fate = "jobs_expired"; f.started[j.ID] && !left {
			fate = "jobs_killed"
		}
	}
	if fate != "" {
		f.jobs[j.Class][fate]++
	}
}

// live returns the bytes that are in use after a garbage collection.
func live() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// wantAbout reports where an estimate is not within a factor of 3 of what was measured.
func wantAbout(t *testing.T, what string, estimate, measured float64) {
	t.Helper()
	if !(estimate <= 3*measured && measured <= 3*estimate) {
		t.Errorf("%s: %.0f bytes estimated, %.0f measured", what, estimate, measured)
	}
}

// atJob observes how much memory is in use when a job arrives.
type atJob struct {
	job   int64
	bytes float64
}

func (a *atJob) Observe(e simulate.Event) {
	if e.Kind == simulate.Submitted && e.Job.ID == a.job {
		a.bytes = live()
	}
}

// under returns the experiment of a workload under a standard policy.
func under(t testing.TB, w workload.Workload, name string, options policy.Settings, admit []float64, seed uint64) *Experiment {
	t.Helper()
	p, err := subject.NewPolicy(nil, name, options)
	if err != nil {
		t.Fatal(err)
	}
	return &Experiment{Workload: w, Policy: p, Admission: Gate{Admit: admit}, Seed: seed}
}

// beside is a row of a lab under a policy behind probabilities; nil admits all.
func beside(l *Lab, policy string, admit []float64) Case {
	c := rowsOf(l, policy)[0]
	c.Admission.Admit, c.Detail.Customers = admit, true
	return c
}

// drained is beside on jobs that are all followed to their ends; count 0 is the usual number of them.
func drained(l *Lab, policy string, admit []float64, count int) Case {
	c := beside(l, policy, admit)
	c.Jobs = Jobs{Drained: true, Count: count}
	return c
}

// labOf returns a lab of a subject.
func labOf(t testing.TB, s *subject.Subject, o Options) *Lab {
	t.Helper()
	o.Opener = s.Opener
	l, err := NewLab(t.Context(), s.Document, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// difference returns the interval of a column of all jobs of a row less that of another.
func difference(f *Frame, row, than Case, column string) metric.Interval {
	return f.Estimate(f.Series(row, All, column).Less(f.Series(than, All, column)))
}

// bounded returns the bounds of a row of a lab, which is drained.
func bounded(l *Lab, row Case, b Bound) Case {
	row.Do, row.Admission, row.Detail = Action{Bound: &b}, Admission{}, Detail{}
	return row
}

// framed runs rows of a lab in n replications.
func framed(t testing.TB, l *Lab, n int, rows ...Case) *Frame {
	t.Helper()
	f, err := l.Frame(t.Context(), rows, n)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// replicated runs replications of an experiment.
func replicated(t testing.TB, e *Experiment, n, workers int) *Runs {
	t.Helper()
	samples, err := metric.Replicate(t.Context(), 0, n, workers, func(ctx context.Context, k int) (Sample, error) {
		return e.Run(ctx, k)
	})
	if err != nil {
		t.Fatal(err)
	}
	return NewRuns(e, samples)
}

// interval returns the interval of a column of all jobs, at the usual level.
func interval(r *Runs, column string) metric.Interval {
	return new(Frame).Estimate(r.Series(All, column))
}

// class returns a class of jobs of one node.
func class(name string, share, decay float64, kind model.Kind, mean, sd float64) model.Class {
	length, err := model.New(kind, mean, sd, 0)
	if err != nil {
		panic(err)
	}
	return model.Class{Name: name, Rate: share, Length: length, Decay: decay, Width: model.FixedWidth(1), Floor: model.Floor{None: true}}
}

// serverCounts are the numbers of servers compared.
func serverCounts() []int { return []int{2, 10, 50} }

// faint is the mean wait, in lengths, below which an error is not told: next to
// nobody waits, and a simulation sees too few who do.
const faint = 3e-3

// errorWords writes an error in per cent.
func errorWords(off, unsure float64) string {
	if math.IsNaN(off) {
		return "-"
	}
	return fmt.Sprintf("%+.1f ± %.1f", 100*off, 100*unsure)
}

// pooledJob is a job of a trace of the partitions a, b and either.
type pooledJob struct{ submit, length, width, group, partition int }

// pooledTrace writes the jobs of some partitions as a trace.
func pooledTrace(t testing.TB, jobs []pooledJob, units int, partitions ...int) string {
	t.Helper()
	words := fmt.Sprintf("; MaxNodes: %[1]d\n; MaxProcs: %[1]d\n; Partition: 1 a\n; Partition: 2 b\n; Partition: 3 a,b\n", units)
	for i, j := range jobs {
		if slices.Contains(partitions, j.partition) {
			words += fmt.Sprintf("%d %d 0 %d %d -1 -1 %d %d -1 1 1 %d 1 1 %d -1 -1\n",
				i+1, j.submit, j.length, j.width, j.width, 2*j.length, j.group, j.partition)
		}
	}
	path := filepath.Join(t.TempDir(), "jobs.swf")
	if err := os.WriteFile(path, []byte(words), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// bestSchedule tries every order, every pool and every refusal of jobs that run once on two
// units of pool a at 60 or b at 90 $ per unit-hour and lose $0.004 per second of wait. With
// overflow a job may leave a for b after some time.
func bestSchedule(jobs []pooledJob, overflow bool, after float64) float64 {
	const units = 2
	best := 0.0
	var place func(left []int, done []pooledStart, earned float64)
	place = func(left []int, done []pooledStart, earned float64) {
		best = math.Max(best, earned)
		for k, i := range left {
			j := jobs[i]
			rest := append(slices.Clone(left[:k]), left[k+1:]...)
			for pool := 1; pool <= 2; pool++ {
				from := float64(j.submit)
				switch {
				case pool == j.partition || j.partition == 3:
				case j.partition == 1 && overflow:
					from += after
				default:
					continue
				}
				start := earliest(done, pool, j.width, units, from, float64(j.length))
				price := []float64{60, 90}[pool-1] * float64(j.width*j.length) / 3600
				worth := price - 0.004*(start-float64(j.submit))
				place(rest, append(slices.Clone(done), pooledStart{pool, j.width, start, start + float64(j.length)}), earned+worth)
			}
		}
	}
	all := make([]int, len(jobs))
	for i := range all {
		all[i] = i
	}
	place(all, nil, 0)
	return best
}

// pooledStart is a job that runs in a pool.
type pooledStart struct {
	pool, width int
	from, to    float64
}

// earliest returns the first time from which a job finds so many units of a pool free.
func earliest(done []pooledStart, pool, width, units int, from, length float64) float64 {
	times := []float64{from}
	for _, d := range done {
		if d.to > from {
			times = append(times, d.to)
		}
	}
	slices.Sort(times)
	for _, start := range times {
		free := true
		for _, at := range append([]pooledStart{{from: start}}, done...) { // use grows at starts alone
			used := 0
			for _, d := range done {
				if d.pool == pool && d.from <= at.from && at.from < d.to {
					used += d.width
				}
			}
			free = free && (at.from < start || at.from >= start+length || used+width <= units)
		}
		if free {
			return start
		}
	}
	return math.Inf(1)
}

// randomClasses returns jobs drawn from a few classes.
func randomClasses(t *testing.T, rnd *rand.Rand, dated bool) workload.Workload {
	t.Helper()
	nodes := 1 + rnd.IntN(12)
	kinds := model.Kinds()
	var classes []model.Class
	for i := range 1 + rnd.IntN(3) {
		c := randomClass(rnd, fmt.Sprint(i), dated)
		mean := 10 * math.Exp(2*rnd.Float64())
		kind, sd := kinds[rnd.IntN(len(kinds))], mean*0.3
		if kind == model.HyperExponential {
			sd = mean * 2
		}
		var err error
		if c.Length, err = model.New(kind, mean, sd, 0); err != nil {
			t.Fatal(err)
		}
		c.Width = model.FixedWidth(float64(1 + rnd.IntN(nodes)))
		if rnd.IntN(2) == 0 { // some too wide
			c.Width = model.Width{Values: []float64{1, float64(1 + rnd.IntN(nodes+1))}, Weights: []float64{0.6, 0.4}}
		}
		c.Rate = (0.2 + 2*rnd.Float64()) * float64(nodes) / (mean * c.Width.Mean()) / 2
		classes = append(classes, c)
	}
	w, err := workload.NewClasses(classes, nodes, workload.Length{Jobs: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return w.Drained(10 + rnd.IntN(40))
}

// randomReplay returns a trace of random jobs with QoS, or with customers of
// whom some pay by length, some state no deadline and some have hard ones.
func randomReplay(t *testing.T, rnd *rand.Rand, customers, split bool) workload.Workload {
	t.Helper()
	nodes := 1 + rnd.IntN(10)
	var lines strings.Builder
	fmt.Fprintf(&lines, "; MaxNodes: %d\n; MaxProcs: %d\n", nodes, nodes)
	at, gap := 0, 1+rnd.IntN(60)
	for i := range 10 + rnd.IntN(40) {
		at += rnd.IntN(2 * gap)
		length, width := 1+rnd.IntN(100), 1+rnd.IntN(nodes)
		if rnd.IntN(15) == 0 {
			width = nodes + 1
		}
		if rnd.IntN(20) == 0 {
			length = -1 // it never ran
		}
		lines.WriteString(fixture.SWFLine(i+1, at, length, width, 1+rnd.IntN(150), 1, 1+rnd.IntN(3)))
	}
	path := filepath.Join(t.TempDir(), "random.swf")
	if err := os.WriteFile(path, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	rules := []workload.Rule{workload.Keep, workload.Reject, workload.Drop}
	trace, err := workload.Load(context.Background(), workload.Selection{File: path, Rule: rules[rnd.IntN(len(rules))]}, 1)
	if err != nil {
		t.Fatal(err)
	}
	o := workload.ReplayOptions{Delay: 0.5 + rnd.Float64(), Exact: rnd.IntN(3) == 0}
	if split {
		o.Split = &model.Split{Optional: model.Interval{Low: 0, High: 4}, Rate: 2000 * rnd.Float64()}
	}
	if customers {
		dated := split || rnd.IntN(2) == 0
		for i := range 1 + rnd.IntN(3) {
			c := randomClass(rnd, fmt.Sprint(i), dated || rnd.IntN(2) == 0)
			of := &model.Selector{Groups: []model.Party{{Number: i + 1, IsNumber: true}}, Share: 1}
			if rnd.IntN(4) == 0 {
				of.Share = 0.5
			}
			o.Classes, o.Of = append(o.Classes, c), append(o.Of, of)
		}
	} else {
		o.QoS = &model.QoS{
			HighUrgency: rnd.Float64(), Deadline: model.Spread{LowMean: 1.5, Ratio: 2, SD: 0.2}, Budget: model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
			Penalty: model.Spread{LowMean: 0.5 * rnd.Float64(), Ratio: 4, SD: 0.5}, Hard: [2]float64{rnd.Float64(), rnd.Float64()}, Inaccuracy: []float64{0, 0.5}[rnd.IntN(2)],
		}
	}
	w, err := workload.NewReplay(context.Background(), trace, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// given is a workload of given jobs, of one customer each. Lots are drawn.
type given struct {
	workload.Workload // what is not said below
	sites             []workload.Site
	has               simulate.Has
	charging          simulate.Charging
	jobs              []simulate.Job
}

func (g *given) Sites() []workload.Site { return slices.Clone(g.sites) }

func (g *given) Customers() []model.Class {
	return []model.Class{{Name: "all", Floor: model.Floor{None: true}}}
}

func (g *given) Pools() *workload.Pools { return nil }

func (g *given) Has() simulate.Has { return g.has }

func (g *given) Charging() simulate.Charging { return g.charging }

func (g *given) Window() simulate.Window { return simulate.Window{} }

func (g *given) Size() float64 { return float64(len(g.jobs)) }

func (g *given) Load() float64 { return 1 }

func (g *given) Stream() float64 { return 0 }

func (g *given) Random() bool { return false }

func (g *given) Drained(int) workload.Workload { return g }

func (g *given) Jobs(uint64, int) (simulate.Source, error) { return &queued{g.jobs}, nil }

// queued yields given jobs.
type queued struct{ left []simulate.Job }

func (q *queued) Next(j *simulate.Job) (bool, error) {
	if len(q.left) == 0 {
		return false, nil
	}
	n := &q.left[0]
	j.Submit, j.Work, j.Width, j.Rank, j.Value, j.Expire, j.Chance, j.Spec, j.Void = n.Submit, n.Work, n.Width, n.Rank, n.Value, n.Expire, n.Chance, n.Spec, n.Void
	q.left = q.left[1:]
	return true, nil
}

// windows returns the workload with every kind of window that has exact means.
func windows(t *testing.T) map[string]workload.Workload {
	w := fixture.Opened(t, offering).Workload.(*workload.Classes)
	span := 1500 / w.Stream()
	return map[string]workload.Workload{
		"jobs": w, "time": w.WithLength(workload.Length{Horizon: span, WarmupSeconds: span / 12}),
		"drained jobs": w.Drained(1300), "drained time": w.WithLength(workload.Length{Horizon: span}).Drained(0),
	}
}

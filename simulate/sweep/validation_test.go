package sweep

import (
	"context"
	"errors"
	"math"
	"reflect"
	"sync/atomic"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// parsed returns a scenario.
func parsed(t *testing.T, text string) *scenario.Document {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// validated runs a validation.
func validated(t *testing.T, v *Validation, workers int) *Validated {
	t.Helper()
	w, err := v.Open()
	if err != nil {
		t.Fatal(err)
	}
	found, err := w.Validate(context.Background(), Engine{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return found
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

// TestDrainedByLindley sets what a class workload books against Lindley's
// recursion over all its jobs: no warm-up, and followed to the last.
func TestDrainedByLindley(t *testing.T) {
	doc := parsed(t, constant)
	v := &Validation{Scenario: doc, Contenders: []Contender{{Policy: "fcfs"}, {Policy: "hol", Admit: [][]float64{{0.5}}}}, Seed: 5, Jobs: 300}
	found := validated(t, v, 2)
	sc, err := doc.ClassScenario()
	if err != nil {
		t.Fatal(err)
	}
	p := &found.Points[0]
	if !found.Timed || p.Replications() != 3 || len(p.Bounds) != 3 {
		t.Fatalf("%d replications, %d bounds, timed %v", p.Replications(), len(p.Bounds), found.Timed)
	}
	for k := range 3 {
		source, err := workload.NewClasses(sc.Classes, 5, k)
		if err != nil {
			t.Fatal(err)
		}
		var all, half, last float64
		free, freeHalf := 0.0, 0.0
		for range 300 {
			var j simulate.Job
			if _, err := source.Next(&j); err != nil {
				t.Fatal(err)
			}
			start := math.Max(j.Submit, free)
			all, free = all+100-(start-j.Submit), start+10
			if j.Chance < 0.5 {
				start := math.Max(j.Submit, freeHalf)
				half, freeHalf = half+100-(start-j.Submit), start+10
			}
			last = j.Submit
		}
		for i, want := range []float64{all, half} {
			if got := p.Rows[i].Delivered[k]; math.Abs(got-want) > 1e-6 || p.Rows[i].Charged[k] != got {
				t.Errorf("replication %d, %s: %g and %g charged, want %g", k, found.Contenders[i].Label(), got, p.Rows[i].Charged[k], want)
			}
			if s := p.Rows[i].Samples[k].Total; s.Submitted != 300 || math.Abs(s.Seconds-last) > 1e-9 {
				t.Errorf("%d jobs in %g s, want 300 in %g", s.Submitted, s.Seconds, last)
			}
		}
		if p.Jobs[k] != 300 || math.Abs(p.Seconds[k]-last) > 1e-9 {
			t.Errorf("%d jobs in %g s, want 300 in %g", p.Jobs[k], p.Seconds[k], last)
		}
		// Nobody can have more than the price of each job; a wait is certain
		// for one of two jobs that overlap.
		if best := p.Best()[k]; best < all || best > 300*100 {
			t.Errorf("bound %g, earned %g of 30000", best, all)
		}
	}
	if e := p.Efficiency(0).Mean; e < 0.8 || e > 1+1e-6 {
		t.Errorf("efficiency %g", e)
	}
	if d := p.Difference(0, 1); math.Abs(d.Mean-(p.Efficiency(0).Mean-p.Efficiency(1).Mean)) > 1e-12 || d.Mean < 0.3 {
		t.Errorf("paired difference %+v", d)
	}
	if rate, ok := (&classArena{sc: sc}).rate(); !ok || math.Abs(rate.Bound-0.08*100) > 1e-5 || math.Abs(p.Bounds[2].PerSecond[0]-rate.Bound) > 1e-9 {
		t.Errorf("a stream of 0.08 jobs/s earns %g at most, %g here", rate.Bound, p.Bounds[2].PerSecond[0])
	}
}

// pair is two jobs of 10 s and $100 that come at once to one node and lose $1
// per second of wait.
type pair struct{ classArena }

func (p *pair) source() *queued {
	j := simulate.Job{Work: 10, Width: 1, Price: 100, Decay: 1, Penalty: math.Inf(1), Expire: math.Inf(1)}
	return &queued{j, j}
}

type queued []simulate.Job

func (q *queued) Next(j *simulate.Job) (bool, error) {
	if len(*q) == 0 {
		return false, nil
	}
	n := (*q)[0]
	j.Work, j.Width, j.Price, j.Decay, j.Penalty, j.Expire = n.Work, n.Width, n.Price, n.Decay, n.Penalty, n.Expire
	*q = (*q)[1:]
	return true, nil
}

func (p *pair) run(ctx context.Context, c Contender, _ []float64, _ int) (Sample, error) {
	site, err := p.experiment(c, nil).site()
	if err != nil {
		return Sample{}, err
	}
	tally := metric.NewTally(1)
	_, err = simulate.Run(ctx, simulate.Config{Source: p.source(), Sites: []simulate.Site{site}, Observers: []simulate.Observer{tally}})
	return Sample{Total: tally.Total(), Classes: []metric.Sum{tally.Class(0)}}, err
}

func (p *pair) offered(ctx context.Context, _ int, _ func(*simulate.Job) bound.Job) ([]bound.Job, error) {
	return bound.Collect(ctx, p.source(), 0, bound.FromClass)
}

// TestEfficiencyByHand works an example on paper. In turn the two jobs earn 100
// and 90. The relaxed problem pays the work of the first ten seconds in full and
// that of the others $1 less per second, so $5 less in all: 195.
func TestEfficiencyByHand(t *testing.T) {
	doc := parsed(t, constant)
	v := Validation{Scenario: doc, Contenders: []Contender{{Policy: "fcfs"}}, Replications: 1, Gap: 1e-6, Jobs: 2}
	w, err := v.Open()
	if err != nil {
		t.Fatal(err)
	}
	w.arenas[0] = &pair{*w.arenas[0].(*classArena)}
	found, err := w.Validate(context.Background(), Engine{})
	if err != nil {
		t.Fatal(err)
	}
	p := &found.Points[0]
	if p.Rows[0].Delivered[0] != 190 || math.Abs(p.Best()[0]-195) > 0.02 || math.Abs(p.Efficiency(0).Mean-190.0/195) > 1e-4 {
		t.Errorf("delivered %g, bound %g, efficiency %g, want 190, 195", p.Rows[0].Delivered[0], p.Best()[0], p.Efficiency(0).Mean)
	}
	if fluid := p.Bounds[0].Total[0]; math.Abs(fluid-200) > 1e-9 || p.Bounds[0].Gap != nil || !math.IsNaN(p.Bounds[0].WidestGap()) {
		t.Errorf("fluid bound %g, want 200", fluid)
	}
	if gap := p.Bounds[1].WidestGap(); !(gap >= 0 && gap < 1e-3) {
		t.Errorf("gap %g", gap)
	}
}

func TestSumNumbers(t *testing.T) {
	var s metric.Sum
	n := 0.0
	eachNumber(reflect.ValueOf(&s).Elem(), func(v reflect.Value) {
		n++
		if v.CanInt() {
			v.SetInt(int64(n))
		} else {
			v.SetFloat(n + 0.5)
		}
	})
	list := sumNumbers(s)
	if len(list) != int(n) || numbersSum(list) != s || s.Reasons[0] == 0 || s.Stated.Utility == 0 || s.Capacity == 0 {
		t.Errorf("%v became %+v", list, numbersSum(list))
	}
}

// counted counts the cells that are run, and tells at one of them.
type counted struct {
	Work
	runs atomic.Int64
	at   int64
	tell func()
}

func (c *counted) Run(ctx context.Context, cell int) ([]float64, error) {
	if c.runs.Add(1) == c.at {
		c.tell()
	}
	return c.Work.Run(context.WithoutCancel(ctx), cell)
}

// TestValidationResumes checks that the numbers depend neither on the workers
// nor on an interruption, and that another validation is told apart.
func TestValidationResumes(t *testing.T) {
	v := &Validation{
		Scenario: parsed(t, constant), Contenders: []Contender{{Policy: "fcfs"}, {Policy: "hol", Admission: "half", Admit: [][]float64{{1}, {0.5}}}},
		Vary: scenario.Axis{Path: "load", Values: []float64{0.5, 1.5}}, Seed: 9, Jobs: 100,
	}
	want := validated(t, v, 1)
	if got := validated(t, v, 3); !reflect.DeepEqual(got, want) {
		t.Error("three workers give other numbers")
	}
	w, err := v.Open()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	before := &counted{Work: w, at: 6, tell: cancel}
	numbers, err := Engine{Dir: dir, Workers: 1}.Run(ctx, before)
	if !errors.Is(err, context.Canceled) || before.runs.Load() > 7 {
		t.Errorf("interrupted after %d cells: %v", before.runs.Load(), err)
	}
	// Replications run one after the other, of six cells each: one is complete.
	if part, err := w.Collect(numbers); err != nil || part == nil || part.Points[1].Replications() != 1 {
		t.Errorf("collected %+v of a validation of which one replication is complete, %v", part, err)
	}
	if part, err := w.Collect(make([][]float64, w.Cells())); err != nil || part != nil {
		t.Errorf("collected %+v of a validation of which no replication is complete, %v", part, err)
	}
	rest := &counted{Work: w}
	if numbers, err = (Engine{Dir: dir}).Run(context.Background(), rest); err != nil || int(before.runs.Load()+rest.runs.Load()) != w.Cells() {
		t.Errorf("%d cells, then %d of %d: %v", before.runs.Load(), rest.runs.Load(), w.Cells(), err)
	}
	if got, err := w.Collect(numbers); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("resumed, other numbers: %v", err)
	}
	// Without one cell of the last replication the first two are complete.
	numbers[w.Replications-1] = nil
	if got, err := w.Collect(numbers); err != nil || got.Points[1].Replications() != 2 || len(got.Points[0].Rows[1].Delivered) != 2 {
		t.Errorf("collected %+v, %v", got, err)
	}
	other := *v
	other.Gap = 0.004
	o, err := other.Open()
	if err != nil {
		t.Fatal(err)
	}
	var mine *OtherSweepError
	if _, err := o.Validate(context.Background(), Engine{Dir: dir}); !errors.As(err, &mine) {
		t.Errorf("another validation in the directory: %v", err)
	}
}

// TestTightInLightLoad checks that the bounds are near what policies earn where
// jobs are hardly ever in each other's way, and the order of bounds under load.
func TestTightInLightLoad(t *testing.T) {
	v := &Validation{
		Scenario: parsed(t, constant), Contenders: []Contender{{Policy: "fcfs"}}, Jobs: 400, Seed: 2,
		Vary: scenario.Axis{Path: "load", Values: []float64{0.02, 3}},
	}
	found := validated(t, v, 0)
	if e := found.Points[0].Efficiency(0); e.Mean < 0.998 || e.Mean > 1+1e-6 {
		t.Errorf("efficiency %+v in light load", e)
	}
	heavy := &found.Points[1]
	if e := heavy.Efficiency(0); e.Mean > 0 { // an unbounded penalty on nearly every job
		t.Errorf("efficiency %+v in heavy load", e)
	}
	for k := range heavy.Jobs {
		if fluid, best := heavy.Bounds[0].Total[k], heavy.Bounds[1].Total[k]; best > fluid || best < 0.3*fluid {
			t.Errorf("clairvoyant %g, fluid %g", best, fluid)
		}
	}
}

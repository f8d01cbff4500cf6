package plan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
)

// allText returns both tables of results.
func allText(t *testing.T, r *Samples) string {
	t.Helper()
	text := tableText(t, r)
	for _, f := range r.Found() {
		text += fmt.Sprintln(f.Point, f.Row, f.Admit, limitWords(f.Thresholds))
	}
	return text
}

// TestStaged runs sweeps whose cells wait for others: at once, in shards, and from a journal that
// was cut at random bytes. The tables are the same, no cell runs twice, and what waits does not
// count as finished.
func TestStaged(t *testing.T) {
	for name, sweep := range stagedSweeps {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := plan(t, sweep)
			last, calls := 0, 0
			r, err := runOn(context.Background(), p, Engine{Dir: dir, Workers: 1, Progress: func(finished, total int) {
				calls++
				if finished < last || finished > last+1 || finished > total || calls == 1 && finished != 0 {
					t.Errorf("%d of %d cells finished after %d", finished, total, last)
				}
				last = finished
			}})
			if err != nil || last < p.Plan.Points() {
				t.Fatalf("%d cells finished, %v", last, err)
			}
			want, count := allText(t, r), r.Finished()
			stagedShards(t, sweep, 3, want, count)
			stagedCuts(t, sweep, dir, want, count)
		})
	}
}

// stagedShards runs a sweep in shards, out of turn.
func stagedShards(t *testing.T, sweep string, shards int, want string, count int) {
	t.Helper()
	dir := t.TempDir()
	p := plan(t, sweep)
	var last *Samples
	for _, i := range rand.New(rand.NewPCG(1, uint64(shards))).Perm(shards) {
		var err error
		last, err = runOn(context.Background(), p, Engine{Dir: dir, Workers: 3, Shard: Shard{Index: i + 1, Of: shards}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !last.Complete() || allText(t, last) != want {
		t.Error("other tables in shards")
	}
	collected(t, dir, want, count)
}

// stagedCuts cuts the journal of a sweep at a random byte and goes on.
func stagedCuts(t *testing.T, sweep, dir, want string, count int) {
	t.Helper()
	path := filepath.Join(dir, "journal")
	rnd := rand.New(rand.NewPCG(8, 3))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := text[:rnd.IntN(len(text))]
	if err := os.WriteFile(path, cut, 0o644); err != nil {
		t.Fatal(err)
	}
	p := plan(t, sweep) // knows nothing of what was found before
	r, err := runOn(context.Background(), p, Engine{Dir: dir})
	if err != nil || allText(t, r) != want {
		t.Fatalf("cut at %d of %d: other tables, %v", len(cut), len(text), err)
	}
	collected(t, dir, want, count)
}

// collected reads the journal of a complete sweep: each cell is there once.
func collected(t *testing.T, dir, want string, count int) {
	t.Helper()
	merged, err := CollectSweep(context.Background(), dir, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if allText(t, merged) != want || merged.all.Records != count {
		t.Errorf("%d records of %d cells, or other tables", merged.all.Records, count)
	}
}

// TestSimulatedIsSearch compares the admissions of a sweep with searches.
func TestSimulatedIsSearch(t *testing.T) {
	p := plan(t, stagedSweeps["simulated"])
	r, err := runOn(context.Background(), p, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	for point := range 3 {
		at, err := p.setup(context.Background(), point)
		if err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"hol", "fcfs"} {
			e := under(t, at.subject.Workload, name, nil, nil, 1)
			starts, err := at.models.Starts(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			best, err := experiment.Search{Experiment: e, Effort: scenario.SearchEffort{Jobs: 100, Replications: 2, Step: 0.2}, Workers: 1, Progress: nil}.Admission(context.Background(), starts)
			if err != nil || !slices.Equal(r.Admit(Case{point, 1, k}), best) {
				t.Errorf("%v at point %d, want %v, %v", r.Admit(Case{point, 1, k}), point, best, err)
			}
			e.Admission.Admit = best
			o, err := Replicate(context.Background(), e, 3, 1)
			if err != nil || r.Interval(Case{point, 1, k}, "revenue_per_second", "") != o.Interval(metric.RevenuePerSecond(), -1) {
				t.Errorf("another revenue at point %d, %v", point, err)
			}
		}
	}
	if r.Admit(Case{0, 0, 0}) != nil || len(r.Found()) == 0 {
		t.Errorf("admission %v", r.Admit(Case{0, 0, 0}))
	}
}

// TestPrecisionIsComparison compares the replications of a sweep with those of
// comparisons that stop by the same rule.
func TestPrecisionIsComparison(t *testing.T) {
	p := plan(t, stagedSweeps["precision"])
	r, err := runOn(context.Background(), p, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	var ns []int
	imprecise := 0
	for point := range p.Plan.Points() {
		at, err := p.setup(context.Background(), point)
		if err != nil {
			t.Fatal(err)
		}
		var rows []Row
		for _, a := range []int{0, 1} {
			for k, name := range []string{"hol", "fcfs"} {
				rows = append(rows, beside(t, name, nil, r.Admit(Case{point, a, k})))
			}
		}
		// The sweep names acceptance first; its precision is that of the revenue.
		want := sampled(t, at.subject, func(p *Plan) {
			p.Stop, p.Replications = &StopRule{Metric: "revenue_per_second", Relative: 0.06, First: 3, Level: 0.95}, 40
		}, rows...)
		if !want.Met(0) {
			imprecise++
		}
		for i := range rows {
			at, o := Case{point, i / 2, i % 2}, want.Row(0, i)
			if got := r.Interval(at, "revenue_per_second", ""); got != o.Interval(metric.RevenuePerSecond(), -1) {
				t.Errorf("%+v: %+v, want %+v", at, got, o.Interval(metric.RevenuePerSecond(), -1))
			}
		}
		n, _ := want.Replications(0)
		ns = append(ns, n)
	}
	if slices.Min(ns) == slices.Max(ns) {
		t.Errorf("all points have %d replications, which tests little", ns[0])
	}
	if r.Imprecise() != imprecise || r.Settled() != p.Plan.Points() {
		t.Errorf("%d imprecise points of %d settled, want %d", r.Imprecise(), r.Settled(), imprecise)
	}
}

// TestShardsAreEven checks that searches do not all fall to one shard.
func TestShardsAreEven(t *testing.T) {
	p := plan(t, stagedSweeps["simulated"])
	for i := range 2 {
		searches := 0
		for _, cell := range p.Progress(Shard{Index: i + 1, Of: 2}, 1, make([][]float64, p.Cells())).Ready {
			if at := p.place(cell); at.kind == finderCell && p.searches(at.row) {
				searches++
			}
		}
		if searches != 3 {
			t.Errorf("%d searches of 6 in shard %d/2", searches, i+1)
		}
	}
}

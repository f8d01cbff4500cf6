package plan

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// plan returns the plan of a sweep file with the given text.
func plan(t testing.TB, text string) *Execution {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := ReadSweep(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tableText returns all intervals of a complete sweep.
func tableText(t *testing.T, r *Samples) string {
	t.Helper()
	if !r.Complete() {
		t.Fatal("the sweep is not complete")
	}
	var b strings.Builder
	for point := range r.Plan().Points() {
		for row := range r.Plan().Rows {
			for customer, class := range append([]string{""}, r.Names()...) {
				for _, m := range r.Measures() {
					fmt.Fprintln(&b, r.Plan().At(point), r.Policy(point, row).Label(), class, m.Name, r.Row(point, row).Interval(m, customer-1))
				}
			}
		}
	}
	return b.String()
}

func TestPlanCells(t *testing.T) {
	p := plan(t, smallSweep)
	if got := p.Cells(); got != 2*3*2*3*4+6 { // and an analytic admission at each point
		t.Fatalf("%d cells", got)
	}
	i := 0
	for point := range 6 {
		for admission := range 3 {
			for policy := range 2 {
				for replication := range 4 {
					want := place{replicationCell, point, admission*2 + policy, replication, -1}
					if at := p.place(i); at != want || p.cell(point, want.row, replication) != i {
						t.Errorf("cell %d is %v, want %v", i, at, want)
					}
					i++
				}
			}
		}
	}
	if at := p.Plan.At(4); at[0] != 0.9 || at[1] != 2 {
		t.Errorf("point 4 is at %v", at)
	}
	if high, low := p.Cost(p.cell(3, 0, 0)), p.Cost(p.cell(2, 0, 0)); high <= low {
		t.Errorf("a cell costs %g under high load and %g under low load, so that it is not first", high, low)
	}
}

// TestHash checks that a sweep is another where its results are, and the same
// however it is written.
func TestHash(t *testing.T) {
	base := plan(t, smallSweep).Plan.Hash()
	same := strings.NewReplacer("[hol, fcfs]", "[hol, {fcfs: {backfill: false}}]", "[0.5, 0.9]", "0.5:0.9:0.4", "seeds: 4", "seeds: 4 # each\nseed: 1").Replace(smallSweep)
	if plan(t, same).Plan.Hash() != base {
		t.Error("the same sweep, written in another way, has another hash")
	}
	for _, change := range [][2]string{{"0.9", "0.8"}, {"seeds: 4", "seeds: 5"}, {"seeds: 4", "seeds: 4\nseed: 2"}, {"100", "101"}, {", fcfs", ""}, {", acceptance", ""}} {
		if plan(t, strings.Replace(smallSweep, change[0], change[1], 1)).Plan.Hash() == base {
			t.Errorf("%s for %s: the same hash", change[1], change[0])
		}
	}
}

func TestSweepAdmissions(t *testing.T) {
	p := plan(t, smallSweep)
	r, err := runOn(context.Background(), p, Engine{Dir: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for point := range p.Plan.Points() {
		at, err := p.setup(context.Background(), point)
		if err != nil {
			t.Fatal(err)
		}
		want, err := at.models.Analytic(context.Background())
		if got := r.Admit(Case{Point: point, Admission: 1}); err != nil || !slices.Equal(got, want) {
			t.Errorf("point %d: analytic admission %v, want %v, %v", point, got, want, err)
		}
	}
}

// TestFirstFault opens points of which many are at fault, each in words of its own, several at
// a time: the error is that of the first.
func TestFirstFault(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	text := "scenario: nist-four\nvary: {server.parallel: [10, 9, 8, 7, 6, 5, 0, -1, -2, -3, -4, -5]}\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		spec, err := ReadSweep(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = spec.Open(context.Background(), nil)
		if err == nil || !strings.Contains(err.Error(), "vary server.parallel=0:") {
			t.Fatalf("got %v, want the fault of 0", err)
		}
	}
}

// TestForgedNames gives journals names that no sweep file gives: they are refused
// in one line.
func TestForgedNames(t *testing.T) {
	base := plan(t, strings.Replace(smallSweep, ", analytic", "", 1)).Name()
	if _, err := parsePlan([]byte(base), nil); err != nil {
		t.Fatal(err)
	}
	twice := plan(t, "scenario: nist-cluster\nadmissions: [simulated, {simulated: {jobs: 500}}, [1, 1, 1, 0.5], [1, 1, 1, 0]]\npolicies: [hol, fcfs]\n").Name()
	if p, err := parsePlan([]byte(twice), nil); err != nil || p.grid != [2]int{4, 2} {
		t.Errorf("%v, %v", p, err)
	}
	for _, change := range [][2]string{
		{`"replications":4`, `"replications":0`}, {`"replications":4`, `"replications":-1`}, {`"replications":4`, `"replications":9000000000000000000`},
		{`"measures":["utilization","acceptance"]`, `"measures":[]`}, {`"measures":["utilization",`, `"measures":["luck",`},
		{`[0.5,0.9]`, `[]`}, {`[0.5,0.9]`, `null`}, {`[0.5,0.9]`, `[-1,0.9]`}, {`"path":"simulation.jobs"`, `"path":"simulation.jobz"`},
		{`"value":"100"`, `"value":"-1"`}, {`"policy":"hol"`, `"policy":"luck"`}, {`[1,1,0.5,0]`, `[1,1,0.5,2]`}, {`[1,1,0.5,0]`, `[1]`},
		{`"measures"`, `"stop":{"metric":"utilization","relative":-1,"first":0,"level":0.95},"measures"`},
	} {
		forged := strings.Replace(base, change[0], change[1], 1)
		if forged == base {
			// The name writes the field in another way: the case would test nothing.
			t.Errorf("%s is not in %s", change[0], base)
			continue
		}
		dir := t.TempDir()
		line := fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(forged), crc32.MakeTable(crc32.Castagnoli)), forged)
		if err := os.WriteFile(filepath.Join(dir, "journal"), []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := CollectSweep(context.Background(), dir, nil, false); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

// TestCostOfPolicies checks that the cells of a slow policy start before those of a fast one at the same point.
func TestCostOfPolicies(t *testing.T) {
	p := plan(t, `scenario: sp2-like
set: {trace.jobs: "last:50"}
vary: {trace.arrival_delay_factor: [0.5, 1]}
policies: [easy, libra]
seeds: 1
`)
	if easy, libra := p.Cost(p.cell(0, 0, 0)), p.Cost(p.cell(0, 1, 0)); easy >= libra {
		t.Errorf("a cell costs %g s under easy, %g s under libra", easy, libra)
	}
}

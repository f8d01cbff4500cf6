package sweep

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"revopt/model/scenario"
)

// plan returns the plan of a sweep file with the given text.
func plan(t testing.TB, text string) *Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := ReadSpec(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tableText returns the table of results.
func tableText(t *testing.T, r *Results) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const smallSweep = `scenario: nist-cluster
set: {simulation.jobs: 100}
vary: {load: [0.5, 0.9], phi: 1:3:1}
policies: [hol, fcfs]
admissions: [all, analytic, [1, 1, 0.5, 0]]
seeds: 4
metrics: [utilization, acceptance]
`

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
					if got := p.cell(i); got != (cell{point, admission, policy, replication}) {
						t.Errorf("cell %d is %v", i, got)
					}
					i++
				}
			}
		}
	}
	if at := p.At(4); at[0] != 0.9 || at[1] != 2 {
		t.Errorf("point 4 is at %v", at)
	}
	order := (&run{work: p, store: newStore(p)}).stage().cells
	longestFirst(p, order)
	if first, last := p.cell(order[0]).point, p.cell(order[len(order)-1]).point; first < 3 || last > 2 {
		t.Errorf("points %d to %d: the high load is not first", first, last)
	}
}

// TestHash checks that a sweep is another where its results are, and the same
// however it is written.
func TestHash(t *testing.T) {
	base := plan(t, smallSweep).Spec.Hash()
	same := strings.NewReplacer("[hol, fcfs]", "[hol, {fcfs: {backfill: false}}]", "[0.5, 0.9]", "0.5:0.9:0.4", "seeds: 4", "seeds: 4 # each\nseed: 1").Replace(smallSweep)
	if plan(t, same).Spec.Hash() != base {
		t.Error("the same sweep, written in another way, has another hash")
	}
	for _, change := range [][2]string{{"0.9", "0.8"}, {"seeds: 4", "seeds: 5"}, {"seeds: 4", "seeds: 4\nseed: 2"}, {"100", "101"}, {", fcfs", ""}, {", acceptance", ""}} {
		if plan(t, strings.Replace(smallSweep, change[0], change[1], 1)).Spec.Hash() == base {
			t.Errorf("%s for %s: the same hash", change[1], change[0])
		}
	}
}

func TestLocalAdmissions(t *testing.T) {
	p := plan(t, smallSweep)
	solved := 0
	p.Analytic = func(context.Context, *scenario.Scenario) ([]float64, error) {
		solved++
		return []float64{1, 1, 1, 0}, nil
	}
	l := &Local{Plan: p, Dir: t.TempDir(), Workers: 1}
	r, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	table := tableText(t, r)
	if lines := strings.Count(table, "\n"); lines != 1+36*2 || solved != 6 {
		t.Errorf("%d lines, %d admissions computed:\n%s", lines, solved, table)
	}
	for _, name := range []string{`0.9,2,all,hol,backfill=false,,acceptance,1,0,0.95,4`, `0.9,2,analytic,`, `0.9,2,"1,1,0.5,0",`} {
		if !strings.Contains(table, "\n"+name) {
			t.Errorf("no line %s in\n%s", name, table)
		}
	}
}

func TestLocalTrace(t *testing.T) {
	p := plan(t, "scenario: sp2-sla\nset: {trace.jobs: last:50}\nvary: {trace.arrival_delay_factor: [0.5, 1]}\npolicies: [libra, edf-bf]\nseeds: 2\nmetrics: [utilization]\nclasses: true\n")
	var tables []string
	for _, workers := range []int{1, 4} {
		r, err := (&Local{Plan: p, Dir: t.TempDir(), Workers: workers}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tableText(t, r))
	}
	if lines := strings.Count(tables[0], "\n"); lines != 1+4*3 || tables[0] != tables[1] {
		t.Errorf("tables of %d lines differ:\n%s\n%s", lines, tables[0], tables[1])
	}
}

func TestRecord(t *testing.T) {
	p := plan(t, smallSweep)
	r := newResults(p)
	want := []float64{math.NaN(), 0.1 + 0.2}
	if err := r.record(appendRecord(nil, 7, want)); err != nil {
		t.Fatal(err)
	}
	if got := r.cell(7); !math.IsNaN(got[0]) || got[1] != want[1] || r.Finished() != 1 || r.cell(6) != nil {
		t.Errorf("%v was read as %v", want, got)
	}
	for _, bad := range []string{"", "x 1 2", "-1 1 2", "144 1 2", "3 1", "3 1 y", "3 1 2 3"} {
		if r.record([]byte(bad)) == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// full is a journal on a disk that is full after some records.
type full struct {
	*Journal
	left int
}

func (f *full) Append(records ...[]byte) error {
	fit := min(f.left, len(records))
	f.left -= fit
	if err := f.Journal.Append(records[:fit]...); err != nil || fit == len(records) {
		return err
	}
	return syscall.ENOSPC
}

// TestFullDisk checks that what is finished when the disk is full is there
// afterwards, and the rest is run then.
func TestFullDisk(t *testing.T) {
	p := plan(t, strings.Replace(smallSweep, ", analytic", "", 1))
	l := &Local{Plan: p, Dir: t.TempDir(), Workers: 1}
	j, err := OpenJournal(filepath.Join(l.Dir, journalFile), p.Spec.work(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{work: p, store: newStore(p), Engine: Engine{Workers: 1}}
	err = r.all(context.Background(), &full{j, 20})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "what it holds is kept") {
		t.Errorf("on a full disk: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, r, err := Collect(l.Dir); err != nil || r.Finished() != 20 {
		t.Fatalf("%v finished, %v", r, err)
	}
	again, err := l.Run(context.Background())
	if err != nil || !again.Complete() {
		t.Fatalf("%d of %d cells, %v", again.Finished(), p.Cells(), err)
	}
	clean, err := (&Local{Plan: p, Dir: t.TempDir()}).Run(context.Background())
	if err != nil || tableText(t, clean) != tableText(t, again) {
		t.Errorf("another table, %v", err)
	}
}

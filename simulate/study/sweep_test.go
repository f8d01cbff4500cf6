package study

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plan returns the plan of a sweep file with the given text.
func plan(t testing.TB, text string) *Sweep {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := ReadSweep(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewSweep(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tableText returns the table of results.
func tableText(t *testing.T, r *SweepResults) string {
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
					if at, k := p.of(i); at != (Case{point, admission, policy}) || k != replication {
						t.Errorf("cell %d is %v, %d", i, at, k)
					}
					i++
				}
			}
		}
	}
	if at := p.At(4); at[0] != 0.9 || at[1] != 2 {
		t.Errorf("point 4 is at %v", at)
	}
	if high, low := p.Cost(p.first(Case{Point: 3})), p.Cost(p.first(Case{Point: 2})); high <= low {
		t.Errorf("a cell costs %g under high load and %g under low load, so that it is not first", high, low)
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

func TestSweepAdmissions(t *testing.T) {
	p := plan(t, smallSweep)
	r, err := p.RunOn(context.Background(), Engine{Dir: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	table := tableText(t, r)
	if lines := strings.Count(table, "\n"); lines != 1+36*2 {
		t.Errorf("%d lines:\n%s", lines, table)
	}
	for _, name := range []string{`0.9,2,all,hol,backfill=false,,acceptance,1,0,0.95,4`, `0.9,2,analytic,`, `0.9,2,"1,1,0.5,0",`} {
		if !strings.Contains(table, "\n"+name) {
			t.Errorf("no line %s in\n%s", name, table)
		}
	}
	for point := range p.Points() {
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

func TestSweepTrace(t *testing.T) {
	p := plan(t, "scenario: sp2-sla\nset: {trace.jobs: last:50}\nvary: {trace.arrival_delay_factor: [0.5, 1]}\npolicies: [libra, edf-bf]\nseeds: 2\nmetrics: [utilization]\nclasses: true\n")
	var tables []string
	for _, workers := range []int{1, 4} {
		r, err := p.RunOn(context.Background(), Engine{Dir: t.TempDir(), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, tableText(t, r))
	}
	if lines := strings.Count(tables[0], "\n"); lines != 1+4*3 || tables[0] != tables[1] {
		t.Errorf("tables of %d lines differ:\n%s\n%s", lines, tables[0], tables[1])
	}
}

// TestForgedNames gives journals names that no sweep file gives: they are refused
// in one line.
func TestForgedNames(t *testing.T) {
	base := plan(t, strings.Replace(smallSweep, ", analytic", "", 1)).Name()
	if _, err := parseSweep([]byte(base), nil); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"replications":4`, `"replications":0`}, {`"replications":4`, `"replications":-1`}, {`"replications":4`, `"replications":9000000000000000000`},
		{`"metrics":["utilization","acceptance"]`, `"metrics":[]`}, {`"metrics":["utilization",`, `"metrics":["luck",`},
		{`[0.5,0.9]`, `[]`}, {`[0.5,0.9]`, `null`}, {`[0.5,0.9]`, `[-1,0.9]`}, {`"path":"simulation.jobs"`, `"path":"simulation.jobz"`},
		{`"value":"100"`, `"value":"-1"`}, {`"name":"hol"`, `"name":"luck"`}, {`[1,1,0.5,0]`, `[1,1,0.5,2]`}, {`[1,1,0.5,0]`, `[1]`},
		{`"classes":false`, `"precision":{"relative":-1,"metric":"utilization","least":0},"classes":false`},
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

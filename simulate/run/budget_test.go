package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/bound"
	"revopt/simulate/subject"
)

// TestEstimates holds what a lab says of memory against what is measured.
func TestEstimates(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"nist-four", "sp2-sla"} {
		e := under(t, fixture.Builtin(t, name).Workload, "hol", nil, nil, 1)
		before := live()
		const n = 100
		o := replicated(t, e, n, 1)
		groups := 1 + len(subject.Sections(e.Workload))
		wantAbout(t, name+", records", float64(groups*recordBytes), (live()-before)/n)
		runtime.KeepAlive(o)
	}

	e := under(t, fixture.Builtin(t, "nist-four", scenario.Set("load", 5), scenario.Set("simulation.jobs", 20000)).Workload, "hol", nil, nil, 1)
	size := e.Workload.Size()
	mid := &atJob{job: int64(size) - 10}
	before := live()
	if _, err := e.Run(ctx, 0, mid); err != nil {
		t.Fatal(err)
	}
	wantAbout(t, "jobs that wait", e.Active()*jobBytes, mid.bytes-before)
	if e := under(t, fixture.Builtin(t, "nist-four").Workload, "hol", nil, nil, 1); e.Active() != 0 {
		t.Errorf("%g of the jobs of a stable queue wait", e.Active())
	}
	path := filepath.Join(t.TempDir(), "once.swf")
	if err := os.WriteFile(path, []byte("; MaxProcs: 1\n"+strings.Repeat("1 0 5 60 1 -1 -1 1 300 -1 1 1 1 1 1 1 -1 -1\n", 50)), 0o644); err != nil {
		t.Fatal(err)
	}
	once, err := subject.Open(ctx, fixture.Parsed(t, fmt.Sprintf("trace: {file: %q}\nclasses:\n  - {name: a, price: 3, decay: 0.01, max_penalty: 0}\n", path)), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := under(t, once.Workload, "easy", nil, nil, 1); e.Active() != 50 {
		t.Errorf("%g of 50 jobs that are submitted at once wait, though they give up later", e.Active())
	}

	// A bound allocates more in all than it keeps.
	s := fixture.Builtin(t, "nist-four")
	source, err := s.Workload.Drained(0).Jobs(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	var first, last runtime.MemStats
	runtime.ReadMemStats(&first)
	jobs, err := bound.Collect(ctx, source, bound.Whole)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bound.Clairvoyant(ctx, jobs, machineOf(s.Workload), bound.Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&last)
	wantAbout(t, "bounds", float64(len(jobs))*boundBytes, float64(last.TotalAlloc-first.TotalAlloc)/2)
}

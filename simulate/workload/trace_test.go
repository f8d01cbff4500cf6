package workload_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/workload"
)

// write puts a trace into a file.
func write(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.swf")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// line is a job of a trace.
func line(submit, run, allocated, requested, estimate float64) string {
	r := workload.Record{1, submit, -1, run, allocated, -1, -1, requested, estimate, 64, 1, 7, 8, 9, 3, -1, -1, -1}
	return string(r.AppendText(nil))
}

// drain returns all jobs of a source.
func drain(t testing.TB, s simulate.Source) []simulate.Job {
	t.Helper()
	var all []simulate.Job
	for {
		var j simulate.Job
		ok := must(s.Next(&j))
		if !ok {
			return all
		}
		all = append(all, j)
	}
}

// replay returns the jobs of a trace.
func replay(t testing.TB, trace *workload.Trace, o workload.ReplayOptions, seed uint64, replication int) simulate.Source {
	t.Helper()
	w := must(workload.NewReplay(context.Background(), trace, o, seed))
	return must(w.Jobs(seed, replication))
}

// odd is a trace with one job of every kind that needs cleaning.
func odd(t testing.TB) string {
	return write(t, "; MaxProcs: 16",
		line(100, 50, 4, 4, 80),   // in order
		line(110, -1, -1, 8, 80),  // never ran
		line(120, 0, 2, 2, 80),    // ran for no time
		line(130, 50, 4, -1, 80),  // request unknown
		line(140, 50, -1, -1, 80), // no processors at all
		line(150, 50, 4, 4, -1),   // no estimate
		line(160, 90, 4, 4, 80),   // overrun
		line(170, 50, 32, 32, 80), // wider than the machine
		line(180, -1, -1, 1, -1),  // never ran, no estimate
		line(-1, 70, 2, 2, 80),    // no time of submission
	)
}

// TestCleaning: requested processors count, then the allocated ones, then one.
func TestCleaning(t *testing.T) {
	path := odd(t)
	widths := []int{4, 8, 2, 4, 1, 4, 4, 32, 1, 2}
	estimates := []float64{80, 80, 80, 80, 80, 50, 80, 80, 1, 80}
	for _, test := range []struct {
		want     workload.Cleaning
		runtimes []float64
	}{
		{workload.Cleaning{Rule: workload.Keep, Read: 10, Left: 10, NoSubmit: 1, NoRunTime: 3, NoProcessors: 1, Allocated: 1, NoEstimate: 2, Overrun: 1, Wide: 1},
			[]float64{50, 1, 1, 50, 50, 50, 90, 50, 1, 70}},
		{workload.Cleaning{Rule: workload.Reject, Read: 10, Left: 10, NoSubmit: 1, NoRunTime: 3, NoProcessors: 1, Allocated: 1, NoEstimate: 2, Overrun: 1, Wide: 1},
			[]float64{50, 1, 1, 50, 50, 50, 90, 50, 1, 70}},
		{workload.Cleaning{Rule: workload.Drop, Read: 10, Left: 5, NoSubmit: 1, NoRunTime: 3, NoProcessors: 1, Allocated: 1, NoEstimate: 1, Overrun: 1, Wide: 1},
			[]float64{50, 50, 50, 90, 50}},
	} {
		trace := must(workload.Load(context.Background(), workload.Selection{File: path, Rule: test.want.Rule}, 1))
		if got := trace.Cleaning(); got != test.want || trace.Nodes() != 16 {
			t.Errorf("%v: got %+v on %d nodes, want %+v", test.want.Rule, got, trace.Nodes(), test.want)
		}
		jobs := replay(t, trace, workload.ReplayOptions{Delay: 0.5}, 1, 0)
		var runtimes []float64
		void := 0
		for i, j := range drain(t, jobs) {
			runtimes = append(runtimes, j.Work)
			if j.Void {
				void++
			}
			if test.want.Rule != workload.Drop && (j.Submit != 5*float64(min(i, 8)) || j.Width != widths[i] || j.Spec.Details.Estimate != estimates[i]) {
				t.Errorf("job %d is submitted at %g for %d processors, estimate %g", i, j.Submit, j.Width, j.Spec.Details.Estimate)
			}
			if j.Spec.Requirements.Memory != 64 || j.Spec.Details.User != 7 || j.Spec.Details.Group != 8 || j.Spec.Details.Queue != 3 || !math.IsInf(j.Expire, 1) {
				t.Errorf("job %d: %+v", i, j)
			}
		}
		if fmt.Sprint(runtimes) != fmt.Sprint(test.runtimes) {
			t.Errorf("%v: run times %v, want %v", test.want.Rule, runtimes, test.runtimes)
		}
		if want := map[workload.Rule]int{workload.Reject: 5}[test.want.Rule]; void != want {
			t.Errorf("%v: %d jobs are void, want %d", test.want.Rule, void, want)
		}
	}
}

func TestSubsets(t *testing.T) {
	path := write(t, line(10, 1, 1, 1, 9), line(20, 2, 1, 1, 9), line(30, 3, 1, 1, 9), line(40, 4, 1, 1, 9), line(50, 5, 1, 1, 9))
	for _, test := range []struct {
		subset workload.Subset
		name   string
		want   []float64
	}{
		{workload.Subset{}, "all", []float64{1, 2, 3, 4, 5}},
		{workload.Subset{First: 2}, "first:2", []float64{1, 2}},
		{workload.Subset{First: 9}, "first:9", []float64{1, 2, 3, 4, 5}},
		{workload.Subset{Last: 2}, "last:2", []float64{4, 5}},
		{workload.Subset{Last: 5}, "last:5", []float64{1, 2, 3, 4, 5}},
		{workload.Subset{Last: 9}, "last:9", []float64{1, 2, 3, 4, 5}},
		{workload.Subset{From: 20, To: 40}, "from:20:40", []float64{2, 3}},
		{workload.Subset{From: 0, To: 11}, "from:0:11", []float64{1}},
	} {
		if got := test.subset.String(); got != test.name {
			t.Errorf("%+v is called %s, want %s", test.subset, got, test.name)
		}
		trace := must(workload.Load(context.Background(), workload.Selection{File: path, Subset: test.subset, Nodes: 1}, 1))
		jobs := replay(t, trace, workload.ReplayOptions{Delay: 1}, 1, 0)
		var got []float64
		for _, j := range drain(t, jobs) {
			got = append(got, j.Work)
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	idle := write(t, "; MaxProcs: 4", line(10, -1, 1, 1, 9))
	for _, test := range []struct {
		selection workload.Selection
		want      string
	}{
		{workload.Selection{File: idle, Rule: workload.Drop}, "no job of all ran (cleaning: drop)"},
		{workload.Selection{File: idle, Subset: workload.Subset{From: 50, To: 60}}, "no jobs in from:50:60"},
		{workload.Selection{File: write(t, line(10, 1, 1, 1, 9))}, "the header gives neither MaxProcs nor MaxNodes: say how many nodes there are"},
		{workload.Selection{File: write(t, "; nothing")}, "no jobs in all"},
		{workload.Selection{File: "none.swf"}, "no such file"},
	} {
		_, err := workload.Load(context.Background(), test.selection, 1)
		var e *workload.Error
		if !errors.As(err, &e) || e.Message != test.want {
			t.Errorf("%+v: got %v, want %s", test.selection, err, test.want)
		}
	}
	trace := must(workload.Load(context.Background(), workload.Selection{File: idle}, 1))
	for _, delay := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{Delay: delay}, 1); err == nil {
			t.Errorf("arrival delay factor %g was accepted", delay)
		}
	}
}

// TestSort: a trace out of order is sorted if asked to, and counted.
func TestSort(t *testing.T) {
	path := write(t, "; MaxProcs: 4", line(30, 1, 1, 1, 9), line(10, 2, 1, 1, 9), line(20, 3, 1, 1, 9), line(20, 4, 1, 1, 9))
	if _, err := workload.Load(context.Background(), workload.Selection{File: path}, 1); err == nil {
		t.Error("a trace out of order was accepted")
	}
	s, err := workload.Summarize(context.Background(), workload.Selection{File: path, Sort: true}, 1)
	if err != nil || s.Moved != 1 || s.Span != 20 || s.Cleaning.Left != 4 {
		t.Errorf("%v: %+v", err, s)
	}
	trace := must(workload.Load(context.Background(), workload.Selection{File: path, Sort: true, Subset: workload.Subset{Last: 3}}, 1))
	jobs := replay(t, trace, workload.ReplayOptions{Delay: 1}, 1, 0)
	var got []float64
	for _, j := range drain(t, jobs) {
		got = append(got, j.Work)
	}
	if fmt.Sprint(got) != "[3 4 1]" {
		t.Errorf("got %v, want [3 4 1]", got)
	}
}

// near reports whether x rounds to the whole number that a paper prints.
func near(x, printed float64) bool { return math.Round(x) == printed }

// TestSP2Statistics: the numbers that the papers print of the trace, and the
// counts of what needs cleaning.
func TestSP2Statistics(t *testing.T) {
	path := sp2Trace(t)
	for _, test := range []struct {
		subset             workload.Subset
		rule               workload.Rule
		gap, runtime, wide float64 // as printed; 0 is not looked at
		want               workload.Cleaning
	}{
		{workload.Subset{Last: 5000}, workload.Keep, 1969, 8671, 17,
			workload.Cleaning{Rule: workload.Keep, Read: 5000, Left: 5000, NoRunTime: 469, Overrun: 396}},
		{workload.Subset{Last: 1000}, workload.Keep, 2276, 10610, 18,
			workload.Cleaning{Rule: workload.Keep, Read: 1000, Left: 1000, NoRunTime: 102, Overrun: 89}},
		{workload.Subset{}, workload.Keep, 0, 0, 0,
			workload.Cleaning{Rule: workload.Keep, Read: 59715, Left: 59715, NoRunTime: 5681, NoEstimate: 66, Overrun: 4134}},
		{workload.Subset{}, workload.Drop, 0, 0, 0,
			workload.Cleaning{Rule: workload.Drop, Read: 59715, Left: 54034, NoRunTime: 5681, NoEstimate: 35, Overrun: 4134}},
	} {
		s := must(workload.Summarize(context.Background(), workload.Selection{File: path, Subset: test.subset, Rule: test.rule}, 1))
		if s.Cleaning != test.want || s.Nodes != 128 || s.Header.Get("Version") != "2.2" {
			t.Errorf("%s: got %+v on %d nodes, want %+v", test.subset, s.Cleaning, s.Nodes, test.want)
		}
		if test.gap > 0 && !(near(s.Gaps.Mean(), test.gap) && near(s.RunTimes.Mean(), test.runtime) && near(s.Widths.Mean(), test.wide)) {
			t.Errorf("%s: means %g s, %g s, %g processors, want %g, %g, %g", test.subset, s.Gaps.Mean(), s.RunTimes.Mean(), s.Widths.Mean(), test.gap, test.runtime, test.wide)
		}
	}
}

// TestNoSubmitTime: a record without a submit time goes with the one before it
// in the file, in a window, in the last jobs, in a sorted trace and in what is
// written.
func TestNoSubmitTime(t *testing.T) {
	path := write(t, "; MaxProcs: 4", line(-1, 1, 1, 1, 9), line(10, 2, 1, 1, 9), line(20, 3, 1, 1, 9), line(-1, 4, 1, 1, 9), line(30, 5, 1, 1, 9))
	for _, test := range []struct {
		selection workload.Selection
		want      string
	}{
		{workload.Selection{}, "[1:0 2:10 3:20 4:20 5:30]"},
		{workload.Selection{Subset: workload.Subset{First: 1}}, "[1:0]"},
		{workload.Selection{Subset: workload.Subset{Last: 2}}, "[4:0 5:10]"},
		{workload.Selection{Subset: workload.Subset{From: 15, To: 25}}, "[3:0 4:0]"},
		{workload.Selection{Sort: true}, "[1:0 2:10 3:20 4:20 5:30]"},
		{workload.Selection{Rule: workload.Drop}, "[2:0 3:10 5:20]"},
	} {
		test.selection.File = path
		trace := must(workload.Load(context.Background(), test.selection, 1))
		var got []string
		for _, j := range drain(t, replay(t, trace, workload.ReplayOptions{}, 1, 0)) {
			got = append(got, fmt.Sprintf("%g:%g", j.Work, j.Submit))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%+v: %v, want %s", test.selection, got, test.want)
		}
	}
	for rule, want := range map[workload.Rule]string{workload.Keep: "[0 10 20 20 30]", workload.Reject: "[-1 10 20 -1 30]", workload.Drop: "[10 20 30]"} {
		stream := must(workload.Selection{File: path}.Open(context.Background(), 1, 0))
		count := workload.Cleaning{Rule: rule}
		var b bytes.Buffer
		if err := workload.WriteSWF(context.Background(), &b, nil, stream, func(r *workload.Record) bool { return count.Repair(r, 4) }); err != nil {
			t.Fatal(err)
		}
		var got []string
		for text := range strings.Lines(b.String()) {
			got = append(got, strings.Fields(text)[workload.SubmitTime])
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v: %v, want %s", rule, got, want)
		}
		stream.Close()
	}
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestTraceOn: a trace on a machine of another size is as if it were read for that machine.
func TestTraceOn(t *testing.T) {
	path := odd(t)
	for _, rule := range []workload.Rule{workload.Keep, workload.Reject, workload.Drop} {
		for _, from := range []int{0, 3, 40} {
			trace := load(t, workload.Selection{File: path, Rule: rule, Nodes: from})
			for _, nodes := range []int{0, 1, 4, 8, 16, 17} {
				want := load(t, workload.Selection{File: path, Rule: rule, Nodes: nodes})
				got := trace.On(nodes)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, from %d to %d nodes: got %+v, want %+v", rule, from, nodes, got, want)
				}
			}
		}
	}
}

package workload_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy/policytest"
	"revopt/simulate/workload"
)

// chained is a trace in which job 20 depends on job 10 and job 30 on job 20. Job 40 can run half an hour after its
// submission, job 50 names an unknown job, job 60 only a time, job 70 a later job, and job 80 never ran.
const chained = `; MaxProcs: 2
; Eligible: 7
10 100 0 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
20 101 9 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 10 5
30 102 99 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 20 -1
; Eligible: 1800
40 103 9 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
50 104 9 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 5 9
60 105 9 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 999
70 106 9 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 90 9
80 107 -1 -1 -1 -1 -1 2 10 -1 5 1 1 -1 -1 -1 -1 -1
90 108 9 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 80 3
`

func replayOf(t *testing.T, s workload.Selection) *workload.Replay {
	t.Helper()
	trace := must(workload.Load(context.Background(), s, 1))
	return must(workload.NewReplay(context.Background(), trace, workload.ReplayOptions{}, 1))
}

// startsOf returns the starts under fcfs, by audit.
func startsOf(t *testing.T, w *workload.Replay) []float64 {
	t.Helper()
	sites := []simulate.Site{{Processors: w.Trace().Nodes(), Policy: policytest.ByName(t, "fcfs", nil)}}
	var starts []float64
	for _, e := range policytest.Audited(t, simulate.Config{Sites: sites}, jobsOf(t, w, 0)) {
		starts = append(starts, e.Start)
	}
	return starts
}

// TestHeldTrace: fields 17 and 18 and recorded eligibility hold jobs; the schedules were worked out by hand, two
// processors that every job needs, first come first served among the eligible.
func TestHeldTrace(t *testing.T) {
	path := write(t, chained)
	for _, test := range []struct {
		name            string
		selection       workload.Selection
		starts          []float64
		held, unrelated int64
	}{
		// Job 50 starts at 4 s and job 10 at 14 s. Job 20 is eligible at 29 s, while job 60 runs.
		{"all", workload.Selection{File: path, Rule: workload.Keep},
			[]float64{14, 34, 44, 1803, 4, 24, 54, 64, 68}, 5, 2},
		{"dropped", workload.Selection{File: path, Rule: workload.Drop},
			[]float64{14, 34, 44, 1803, 4, 24, 54, 64}, 4, 3},
		{"ignored", workload.Selection{File: path, Rule: workload.Drop, Free: true},
			[]float64{0, 10, 20, 30, 40, 50, 60, 70}, 0, 0},
		{"cut off", workload.Selection{File: path, Rule: workload.Drop, Subset: workload.Subset{Begin: 1, End: 3}},
			[]float64{0, 10}, 1, 1},
	} {
		w := replayOf(t, test.selection)
		got, count := startsOf(t, w), w.Trace().Cleaning()
		if !slices.Equal(got, test.starts) || count.Held != test.held || count.Unrelated != test.unrelated {
			t.Errorf("%s: starts %v, want %v; %+v", test.name, got, test.starts, count)
		}
	}
}

// TestLogged: the record of a job, whatever a simulation makes of it.
func TestLogged(t *testing.T) {
	list := must(replayOf(t, workload.Selection{File: write(t, chained), Rule: workload.Keep}).Logged(context.Background(), 1))
	for i, want := range []workload.Logged{
		0: {Submit: 0, Eligible: 7, Start: 0, End: 10, Width: 2, Busy: 2, After: -1},
		1: {Submit: 1, Eligible: 1, Start: 10, End: 20, Width: 2, Busy: 2, After: 0, Think: 5},
		3: {Submit: 3, Eligible: 1803, Start: 12, End: 22, Width: 2, Busy: 2, After: -1},
	} {
		want.Number = int64(10 * (i + 1))
		got := list[i]
		got.Details = simulate.Details{}
		if want.Width > 0 && got != want {
			t.Errorf("job %d: %+v, want %+v", i, got, want)
		}
	}
	if l := list[7]; !math.IsNaN(l.Start) || !math.IsNaN(l.End) || l.User != 1 || len(list) != 9 {
		t.Errorf("a job that never ran: %+v, %d jobs", l, len(list))
	}
}

// TestLoggedCanceled: in the log canceled jobs wait for others, and others wait for them, though cleaning leaves them out.
func TestLoggedCanceled(t *testing.T) {
	path := write(t, `; MaxProcs: 2
1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 -1 -1
2 1 30 -1 -1 -1 -1 2 10 -1 5 1 1 -1 -1 -1 1 5
3 2 50 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 2 7
4 3 60 10 2 -1 -1 2 10 -1 1 1 1 -1 -1 -1 3 -1
`)
	for _, free := range []bool{false, true} {
		list := must(replayOf(t, workload.Selection{File: path, Rule: workload.Drop, Free: free}).Logged(context.Background(), 1))
		for i, think := range []float64{0, 5, 7, 0} {
			after := i - 1
			if free {
				after, think = -1, 0
			}
			if l := list[i]; l.After != after || l.Think != think {
				t.Errorf("dependencies ignored %v, job %d: after %d, think %g", free, l.Number, l.After, l.Think)
			}
		}
	}
}

// TestHeldWritten: a trace with times from which jobs are eligible stays the same when it is written.
func TestHeldWritten(t *testing.T) {
	r := must(workload.NewReader("x", strings.NewReader(chained)))
	var b bytes.Buffer
	if err := workload.WriteSWF(context.Background(), &b, r.Header.Lines, r, nil); err != nil || b.String() != chained {
		t.Errorf("%v, got\n%s", err, b.String())
	}
}

// TestHeldWeeks: in resampled weeks a job depends on the job of its own copy of the week, else on none.
func TestHeldWeeks(t *testing.T) {
	lines := []string{"; MaxProcs: 16"}
	for i := range 240 {
		n, week, k := float64(i+1), float64(i/40), float64(i%40)
		r := workload.Record{n, week*weekSeconds + k*15000, -1, n, 1, -1, -1, 1, n, -1, 1, 1 + math.Mod(k, 4), 1, 1, 1, -1, -1, -1}
		if k >= 4 {
			r[workload.Preceding], r[workload.ThinkTime] = n-4, 60 // of the same user
		}
		lines = append(lines, string(r.AppendText(nil)))
	}
	_, drawn := resampled(t, write(t, lines...), workload.ReplayOptions{}, workload.Resampling{Own: 0.5, Span: 20 * weekSeconds})
	related := 0
	for replication := range 3 {
		jobs := jobsOf(t, drawn, replication)
		for i, j := range jobs {
			k := math.Mod(j.Work-1, 40)
			if int(j.Number) != i+1 {
				t.Fatalf("job %d has number %d", i, j.Number)
			}
			if (j.After > 0) != (k >= 4) {
				t.Fatalf("job %d of a week depends on %d", int(k), j.After)
			}
			if j.After == 0 {
				continue
			}
			related++
			p := jobs[j.After-1]
			if p.Work != j.Work-4 || math.Abs(j.Submit-p.Submit-60000) > 1e-6 || j.Think != 60 {
				t.Fatalf("job of %g s at %g depends on one of %g s at %g", j.Work, j.Submit, p.Work, p.Submit)
			}
		}
	}
	if related < 1000 {
		t.Errorf("%d jobs depend on others", related)
	}
}

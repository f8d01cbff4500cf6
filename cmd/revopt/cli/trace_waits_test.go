package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"revopt/plots/answer"
)

// swfLine is a job of a trace of user 1, with unknown memory.
func swfLine(id, submit, wait, run, width, status int) string {
	return fmt.Sprintf("%d %d %d %d %d -1 -1 %d 1000 -1 %d 1 1 -1 1 1 -1 -1\n", id, submit, wait, run, width, width, status)
}

// waitParts are the shares of an answer, by hand: full, reserved, limit, down, not eligible, unexplained, unknown.
var waitParts = []string{"full", "reserved", "limit", "down", "not_eligible", "unexplained", "unknown"}

// TestTraceWaitsByHand: on 4 nodes, job 1 holds 3 until 100; the second is wider than the free node until then; behind
// it the third, which fits, waits for a reservation; the fourth waits unexplained from 200 to 230, and the fifth until it
// is canceled. The first 100 s are unknown, as the runs are that long.
func TestTraceWaitsByHand(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "; MaxProcs: 4\n; MaxNodes: 4\n"
	text += swfLine(1, 0, 0, 100, 4, 1) + swfLine(2, 90, 10, 100, 3, 1) + swfLine(3, 120, 80, 50, 2, 1)
	text += swfLine(4, 140, 70, 60, 1, 1) + swfLine(5, 300, 40, -1, 1, 5)
	writeText(t, "hand.swf", text)
	a := told(t, "trace", "waits", "hand.swf", "--csv", "jobs.csv", "--table", "jobs")
	// Waits: 10 + 80 + 70 + 40 = 200 s, of which job 2 waits 10 unknown, job 3 80 full, job 4 60 reserved and 10
	// unexplained, and job 5 40 unexplained.
	want := []float64{0.4, 0.3, 0, 0, 0, 0.25, 0.05}
	for i, part := range waitParts {
		if got := fact(a, part).Number; math.Abs(got-want[i]) > 1e-12 {
			t.Errorf("%s: %g, want %g", part, got, want[i])
		}
	}
	if got := fact(a, "wait").Number; got != 40 {
		t.Errorf("the mean wait is %g s, want that of jobs that started, 40", got)
	}
	rows, err := csv.NewReader(strings.NewReader(uncommented(readText(t, "jobs.csv")))).ReadAll()
	if err != nil || len(rows) != 6 || rows[4][0] != "4" || rows[4][3] != "70" {
		t.Fatalf("jobs.csv: %v\n%v", err, rows)
	}
	for _, row := range rows[1:] {
		sum := 0.0
		for _, cell := range row[4:] {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += x
		}
		if row[3] != strconv.FormatFloat(sum, 'f', -1, 64) {
			t.Errorf("job %s: the parts sum to %g, its wait is %s", row[0], sum, row[3])
		}
	}
}

// uncommented returns the lines of a file that are no comments.
func uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestTraceWaitsIdle: on an empty machine where every job starts 5 h late nothing is invented.
func TestTraceWaitsIdle(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "; MaxProcs: 10\n; MaxNodes: 10\n"
	for i := range 200 {
		text += swfLine(i+1, 3000*i, 18000, 600, 1, 1)
	}
	writeText(t, "idle.swf", text)
	a := told(t, "trace", "waits", "idle.swf", "-o", "idle.png")
	if got := fact(a, "unexplained").Number; got < 0.999 {
		t.Errorf("unexplained: %g", got)
	}
	for _, name := range []string{"limits", "outages"} {
		if list, ok := a.Table(name); !ok || len(list.Rows) > 0 {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if info, err := os.Stat("idle.png"); err != nil || info.Size() == 0 {
		t.Error("no figure:", err)
	}
	writeText(t, "none.swf", "; MaxProcs: 4\n"+swfLine(1, 0, -1, 100, 4, 1))
	if o := try("trace", "waits", "none.swf"); o.code != exitUsage || !strings.Contains(o.stderr, "start times") {
		t.Errorf("without starts: %+v", o)
	}
}

// TestTraceWaitsOfASite finds the day of maintenance of the log of the documents, which it is not told.
func TestTraceWaitsOfASite(t *testing.T) {
	log := readText(t, "../../../testdata/site-sacct.txt")
	t.Chdir(t.TempDir())
	writeText(t, "site-sacct.txt", log)
	a := told(t, "trace", "waits", "site-sacct.txt")
	outages, _ := a.Table("outages")
	if len(outages.Rows) != 1 || number(t, a, "outages", 0, "to")-number(t, a, "outages", 0, "from") < 86400 {
		t.Errorf("outages: %+v", outages)
	}
	if when := a.Headline.Value("when"); when != answer.Word("on 16 September") {
		t.Errorf("the outage was %v", when)
	}
	limited := told(t, "trace", "waits", "site-sacct.txt", "--set", "limits=[{account: climate, units: 768}]")
	limits, _ := limited.Table("limits")
	if len(limits.Rows) != 1 || number(t, limited, "limits", 0, "share") != fact(limited, "limit").Number ||
		fact(limited, "limit").Number <= 0 {
		t.Errorf("limits: %+v", limits)
	}
	sum := 0.0
	for _, part := range waitParts {
		sum += fact(limited, part).Number
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the parts sum to %g", sum)
	}
}

package workload_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

// writeRecords writes records of submit, wait, run, allocated and asked processors as a trace.
func writeRecords(t *testing.T, header string, records [][5]int) string {
	t.Helper()
	b := strings.Builder{}
	b.WriteString(header)
	for i, r := range records {
		fmt.Fprintf(&b, "%d %d %d %d %d -1 -1 %d 900 -1 1 1 1 -1 1 -1 -1 -1\n", i+1, r[0], r[1], r[2], r[3], r[4])
	}
	path := filepath.Join(t.TempDir(), "t.swf")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWidthRule: the work of a trace is by the processors asked for or by those allocated, and by the other number if a
// record lacks one.
func TestWidthRule(t *testing.T) {
	path := writeRecords(t, "; MaxProcs: 64\n", [][5]int{{0, 1, 10, 48, 4}, {5, 0, 20, -1, 6}, {10, 0, 30, 7, -1}, {20, 0, 5, 2, 2}})
	for rule, want := range map[workload.WidthRule]float64{
		"": 10*4 + 20*6 + 30*7 + 5*2, workload.ByAsked: 10*4 + 20*6 + 30*7 + 5*2, workload.ByAllocated: 10*48 + 20*6 + 30*7 + 5*2,
	} {
		trace, err := workload.Load(context.Background(), workload.Selection{File: path, Width: rule}, 1)
		if err != nil {
			t.Fatal(err)
		}
		w, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{}, 1)
		if got := w.Load() * 64 * 20; err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: work %g, want %g, %v", rule, got, want, err)
		}
		if asked, allocated := trace.Widths(); asked != 10*4+5*2 || allocated != 10*48+5*2 {
			t.Errorf("%s: %g asked, %g allocated", rule, asked, allocated)
		}
	}
}

// TestFewWithoutStart: a log is used without the jobs that ran and have no start if they are at most 1 %.
func TestFewWithoutStart(t *testing.T) {
	for _, tt := range []struct {
		lacking int
		left    int64
		known   bool
	}{{0, 200, true}, {2, 198, true}, {3, 200, false}} {
		var records [][5]int
		for i := range 200 {
			records = append(records, [5]int{10 * i, 3, 5, 1, 1})
			if i < tt.lacking {
				records[i][1] = -1
			}
		}
		trace, err := workload.Load(context.Background(), workload.Selection{File: writeRecords(t, "; MaxProcs: 8\n", records)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		w, err := workload.NewReplay(context.Background(), trace, workload.ReplayOptions{}, 1)
		if c := trace.Cleaning(); err != nil || c.Left != tt.left || c.Left+c.NoStart != 200 ||
			w.Has().Recorded != tt.known {
			t.Errorf("%d without a start: %+v, recorded %t, %v", tt.lacking, c, w.Has().Recorded, err)
		}
	}
}

// TestCustomersSplit: the kind of party that divides the work best makes the customers, the account if none is better by
// a tenth of a bit.
func TestCustomersSplit(t *testing.T) {
	for _, tt := range []struct {
		want                    string
		accounts, groups, queue func(i int) int
	}{
		{"queue", func(i int) int { return 1 + min(i/99, 1) }, func(int) int { return 1 }, func(i int) int { return 1 + i%4 }},
		{"account", func(i int) int { return 1 + i%4 }, func(i int) int { return 1 + i%4 }, func(i int) int { return 1 + i%4 }},
		{"group", func(i int) int { return 1 + i%2 }, func(i int) int { return 1 + i%3 }, func(i int) int { return 1 + i%3 }},
		{"user", func(int) int { return 1 }, func(int) int { return 1 }, func(int) int { return 1 }},
		// One of two accounts has 98 % of the work: seven users divide it better, and so do queues.
		{"user", func(i int) int { return 1 + min(i/98, 1) }, func(int) int { return 1 }, func(i int) int { return 1 + min(i/98, 1) }},
		{"queue", func(i int) int { return 1 + min(i/98, 1) }, func(int) int { return 1 }, func(i int) int { return 1 + i/60 }},
	} {
		b := strings.Builder{}
		b.WriteString("; MaxProcs: 8\n; Account: 1 a\n; Account: 2 b\n; Account: 3 c\n; Account: 4 d\n")
		for i := range 100 {
			fmt.Fprintf(&b, "%d %d 0 60 1 -1 -1 1 90 -1 1 %d %d %d %d -1 -1 -1\n", i+1, i, 1+i%7, tt.groups(i), tt.accounts(i), tt.queue(i))
		}
		path := filepath.Join(t.TempDir(), "t.swf")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := workload.Summarize(context.Background(), workload.Selection{File: path}, 1)
		if err != nil {
			t.Fatal(err)
		}
		c, err := s.Customers(context.Background(), "")
		if err != nil || c.By != tt.want {
			t.Errorf("customers by %s, %v, want %s", c.By, err, tt.want)
		}
	}
}

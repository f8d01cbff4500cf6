//go:build long

package workload_test

import (
	"io"
	"runtime"
	"testing"

	"revopt/simulate/workload"
)

// endless repeats a line, with a submit time that never falls, until it has
// given size bytes.
type endless struct {
	line []byte
	left int64
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 && e.at == 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && (e.left > 0 || e.at > 0) {
		c := copy(p[n:], e.line[e.at:])
		n += c
		e.left -= int64(c)
		e.at = (e.at + c) % len(e.line)
	}
	return n, nil
}

// TestTwoGigabytes: 2 GB of trace are read in constant memory, and the last
// 1000 jobs in that of 1000 jobs.
func TestTwoGigabytes(t *testing.T) {
	for _, subset := range []workload.Subset{{}, {Last: 1000}} {
		line := []byte("1 10 5 100 4 90.25 -1 8 120 -1 1 3 4 5 6 -1 -1 -1\n")
		r := must(workload.NewReader("endless.swf", &endless{line: line, left: 2 << 30}))
		records := workload.Take(r, subset)
		var rec workload.Record
		before, most := live(), uint64(0)
		jobs := 0
		for {
			ok := must(records.Next(&rec))
			if jobs%1_000_000 == 0 {
				most = max(most, live())
			}
			if !ok {
				break
			}
			jobs++
		}
		want := (2<<30 + len(line) - 1) / len(line)
		if subset.Last > 0 {
			want = int(subset.Last)
		}
		if jobs != want || most > before+16<<20 {
			t.Errorf("%s: %d jobs, want %d, in %d bytes", subset, jobs, want, most-before)
		}
	}
}

// live returns the bytes in use after a garbage collection.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

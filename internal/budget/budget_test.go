package budget

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]float64{"1": 1, "4GB": 4e9, "4g": 4e9, " 1.5 TB": 1.5e12, "512MiB": 512 << 20,
		"2Ki": 2048, "3e9": 3e9, "10k": 1e4} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q is %g, %v, want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "B", "GB", "-1GB", "0", "nan", "inf", "4XB", "1i", "4 GB free", "1e400"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %g", text, got)
		}
	}
	for bytes, want := range map[float64]string{1: "1 B", 999: "999 B", 1500: "1.5 KB", 9.96e6: "10 MB",
		2.4e10: "24 GB", 3e9: "3.0 GB", 9.999e11: "1.0 TB", 1e21: "1000 EB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%g bytes are %q, want %q", bytes, got, want)
		}
	}
}

// TestBudget checks that a limit holds where there is one, and that a computation is
// announced once.
func TestBudget(t *testing.T) {
	var told []float64
	b := &Budget{Memory: 3e9, Slow: func(s float64) { told = append(told, s) }}
	ctx := b.Context(t.Context())
	var refused *Error
	if err := Memory(ctx, 2.4e10, "%d replications ask for", 7); !errors.As(err, &refused) ||
		err.Error() != "7 replications ask for about 24 GB, --max-memory is 3.0 GB" {
		t.Error(err)
	}
	if err := errors.Join(Memory(ctx, 3e9, "less"), Memory(t.Context(), 1e30, "no budget"),
		Memory((&Budget{}).Context(ctx), 1e30, "no limit")); err != nil {
		t.Error(err)
	}
	for _, seconds := range []float64{1, 60, 86400, 86401, 1e9} {
		Time(ctx, seconds)
		Time(t.Context(), seconds)
		Left(ctx, seconds, true) // nothing is measured
	}
	if len(told) != 1 || told[0] != 86401 {
		t.Errorf("told %v", told)
	}
}

// TestLeft follows computations with a clock of the test: what is left of each after some seconds, and what is told.
func TestLeft(t *testing.T) {
	type step struct {
		at, left float64
		sure     bool
	}
	for _, tt := range []struct {
		steps []step
		want  float64 // 0 tells nothing
	}{
		{[]step{{0.4, 100, true}, {0.6, 30, true}, {5, 20, true}}, 30.6}, // too early, then once
		{[]step{{0.6, 1.3, true}, {1, 0.9, true}}, 0},                    // less than 2 s
		{[]step{{3, 0.5, true}}, 0},                                      // nearly done
		{[]step{{1, 9, false}, {6, 5, false}}, 11},                       // kinds that are not measured
		{[]step{{1, math.Inf(1), true}, {70, math.Inf(1), true}}, 0},
	} {
		var told []float64
		now := time.Unix(0, 0)
		b := &Budget{Slow: func(s float64) { told = append(told, s) }, Now: func() time.Time { return now }}
		ctx := b.Context(t.Context())
		for _, s := range tt.steps {
			now = time.Unix(0, int64(s.at*1e9))
			Left(ctx, s.left, s.sure)
		}
		if tt.want == 0 && told != nil || tt.want != 0 && (len(told) != 1 || math.Abs(told[0]-tt.want) > 1e-9) {
			t.Errorf("%v: told %v, want %g", tt.steps, told, tt.want)
		}
	}
}

// TestTrack measures parts that are alike, from 3 s after the start of the command on.
func TestTrack(t *testing.T) {
	var told []float64
	now := time.Unix(0, 0)
	b := &Budget{Slow: func(s float64) { told = append(told, s) }, Now: func() time.Time { return now }}
	ctx := b.Context(t.Context())
	at := func(seconds float64) { now = time.Unix(0, int64(seconds*1e9)) }
	at(3)
	track := Begin(ctx)
	at(3.4)
	track.Done(0.01) // too early
	at(4)
	track.Done(0)
	track.Guess(0.1, 20) // only 10 s
	if told != nil {
		t.Errorf("told %v", told)
	}
	track.Done(0.1)
	track.Done(0.2)
	if len(told) != 1 || math.Abs(told[0]-13) > 1e-9 {
		t.Errorf("told %v, want 13 s", told)
	}
	Begin(t.Context()).Done(0.5) // without a budget
}

// TestWatch lets memory grow beyond a budget until it is stopped.
func TestWatch(t *testing.T) {
	limit := used() + 50e6
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	go (&Budget{Memory: limit}).Watch(ctx, stop)
	var kept [][]byte
	for begun := time.Now(); ctx.Err() == nil && time.Since(begun) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
		if len(kept) < 100 {
			kept = append(kept, make([]byte, 2e6))
			for i := range kept[len(kept)-1] {
				kept[len(kept)-1][i] = 1
			}
		}
	}
	var refused *Error
	if !errors.As(context.Cause(ctx), &refused) || refused.Limit != limit || len(kept) < 10 {
		t.Errorf("stopped by %v after %d pieces", context.Cause(ctx), len(kept))
	}
}

func TestAvailable(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip(err)
	}
	if got := Available().Memory; !(got > 1e6) || math.IsInf(got, 0) || got > share*1024*number(strings.TrimPrefix(read("/proc/meminfo"), "MemTotal:")) {
		t.Errorf("%g bytes", got)
	}
}

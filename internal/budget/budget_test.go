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
	for bytes, want := range map[float64]string{1: "1 B", 999: "999 B", 1500: "1.5 KB", 9.96e6: "10 MB",
		2.4e10: "24 GB", 3e9: "3.0 GB", 9.999e11: "1.0 TB", 1e21: "1000 EB"} {
		if got := Size(bytes); got != want {
			t.Errorf("%g bytes are %q, want %q", bytes, got, want)
		}
	}
}

// TestBudget checks that a limit holds where there is one.
func TestBudget(t *testing.T) {
	ctx := (&Budget{Memory: 3e9}).Context(t.Context())
	var refused *Error
	if err := Memory(ctx, 2.4e10, "%d replications ask for", 7); !errors.As(err, &refused) ||
		err.Error() != "7 replications ask for about 24 GB, the limit is 3.0 GB, 3/4 of the memory available" {
		t.Error(err)
	}
	if err := errors.Join(Memory(ctx, 3e9, "less"), Memory(t.Context(), 1e30, "no budget"),
		Memory((&Budget{}).Context(ctx), 1e30, "no limit")); err != nil {
		t.Error(err)
	}
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

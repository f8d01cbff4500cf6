package bound

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestClairvoyantCanceled cancels at several times into long computations, of
// every kind of jobs: each returns within 100 ms.
func TestClairvoyantCanceled(t *testing.T) {
	for _, c := range cases(5000) {
		// Finer than any gap asks for, so that it would take long.
		o := Options{Gap: 1e-12, First: 1 << 20, Edges: 1 << 23}
		for _, after := range []time.Duration{0, 20 * time.Millisecond, 300 * time.Millisecond} {
			var late time.Duration
			var err error
			for range 3 { // a busy machine may be late for reasons of its own; the aim is 100 ms
				ctx, cancel := context.WithTimeout(context.Background(), after)
				start := time.Now()
				_, err = Clairvoyant(ctx, c.jobs, Uniform(128), o)
				late = time.Since(start) - after
				cancel()
				if late <= time.Second {
					break
				}
			}
			if err == nil {
				break // done before
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", c.name, err)
			}
			if late > time.Second {
				t.Errorf("%s, canceled after %v: returned %v late", c.name, after, late)
			}
		}
	}
}

// TestBoundCanceled: prices are not evaluated, and jobs not collected, for a
// context that has ended.
func TestBoundCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	jobs := small("soft", 1)
	p := Prices{Times: []float64{0, 1}, Level: []float64{1}}
	if _, err := p.Bound(ctx, jobs, Uniform(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("Bound: %v", err)
	}
	if _, err := Collect(ctx, nil, 0, Whole); !errors.Is(err, context.Canceled) {
		t.Errorf("Collect: %v", err)
	}
}

package whatif

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"revopt/internal/exact"
	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/plan"
	"revopt/simulate/study/simulation"
	"revopt/simulate/warn"
)

// TestInterrupted cancels studies after some of their cells. Their results are
// marked, of the replications that are finished, and the journal leads to the whole,
// which is that of an undisturbed study.
func TestInterrupted(t *testing.T) {
	stream := fixture.Builtin(t, "nist-one", scenario.Override{Path: "simulation.jobs", Value: "200"}, scenario.Override{Path: "simulation.replications", Value: "4"})
	type study func(ctx context.Context, r *plan.Runner) (found any, warnings []warn.Warning, err error)
	studies := map[string]study{
		"simulation": func(ctx context.Context, runner *plan.Runner) (any, []warn.Warning, error) {
			r, err := (&simulation.Simulation{Subject: stream, Runner: runner}).Run(ctx)
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
		"what-if": func(ctx context.Context, runner *plan.Runner) (any, []warn.Warning, error) {
			c, err := ParseChange(stream, "growth=20%")
			if err != nil {
				return nil, nil, err
			}
			r, err := (&WhatIf{Subject: stream, Changes: []Change{c}, Runner: runner}).Run(ctx)
			if r == nil {
				return nil, nil, err
			}
			return r, r.Warnings, err
		},
	}
	for name, run := range studies {
		t.Run(name, func(t *testing.T) {
			want, _, err := run(t.Context(), &plan.Runner{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			dir, parts := filepath.Join(t.TempDir(), "kept"), 0
			for stop := 1; ; stop++ {
				ctx, cancel := context.WithCancel(t.Context())
				told := 0
				got, warnings, err := run(ctx, &plan.Runner{Dir: dir, Workers: 1, Progress: func(string, int, int) {
					if told++; told == stop {
						cancel()
					}
				}})
				cancel()
				switch {
				case err == nil:
					if a, b := string(exact.Marshal(got)), string(exact.Marshal(want)); a != b {
						t.Errorf("after interruptions %s, want %s", a, b)
					}
					if parts < 1 {
						t.Errorf("%d interruptions with a part of the result", parts)
					}
					return
				case !errors.Is(err, context.Canceled):
					t.Fatal(err)
				case got == nil:
				case len(warnings) == 0 || warnings[0].Kind != warn.Interrupted:
					t.Errorf("stopped at %d: warnings %v", stop, warnings)
				default:
					parts++
				}
			}
		})
	}
}

//go:build long

package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/fit"
)

// TestTraceFitSP2: the real trace, whose users and queues differ.
func TestTraceFitSP2(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	for _, by := range fit.Ways() {
		if by == fit.ByAccount {
			o := try("trace", "fit", path, "--by", "account")
			if o.code != exitUsage || !strings.Contains(o.stderr, "names no accounts") {
				t.Errorf("accounts that the log lacks: exit %d, %s", o.code, o.stderr)
			}
			continue
		}
		r := fitted(t, path, "--jobs", "last:5000", "--by", string(by), "--price", "1")
		solvable(t, string(by), r)
		// The load is that of trace info, the arrivals are anything but Poisson.
		load, gap := fact(r.Answer, "load").Number, fact(r.Answer, "interarrival_mean").Number
		if math.Abs(load-0.8874) > 5e-5 || math.Abs(gap-1968.876) > 0.01 {
			t.Errorf("%s: load %g, a job every %g s", by, load, gap)
		}
		if !slices.Contains(doubts(r), string(fit.NotPoisson)) {
			t.Errorf("%s: warnings %q", by, r.Warnings)
		}
	}
}

// TestTraceFitFigures: the figures of docs/traces.md that need no simulation.
func TestTraceFitFigures(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	for factor, want := range map[string]float64{"1": 48663, "0.5": 64183, "0.25": 79818} {
		r := fitted(t, path, "--jobs", "last:5000", "--set", "qos.hard=high", "--common-widths", "--arrivals", "poisson", "--set", "trace.arrival_delay_factor="+factor)
		a := readAnswer(t, tryWith(t.Context(), r.yaml, "solve", "-", "--json").stdout)
		if earns := known(t, a, "value").Number; math.Abs(earns-want) > 1 {
			t.Errorf("factor %s: earns %g, want %g", factor, earns, want)
		}
		index := func(i int) float64 { return number(t, r.Answer, "dispersion", i, "index") }
		got := fmt.Sprintf("%.2f %.1f %.1f %.1f %.2f %.2f", fact(r.Answer, "interarrival_scv").Number, index(0), index(1),
			index(2), fact(r.Answer, "daily_cycle").Number, fact(r.Answer, "weekly_cycle").Number)
		if got != "4.35 4.2 11.2 23.3 0.66 0.35" {
			t.Errorf("factor %s: arrivals %s", factor, got)
		}
	}
}

// doubts are the kinds of warnings about a fit.
func doubts(f fitting) []string {
	return text.Each(f.Warnings, func(w answer.Fact) string { return w.Value("kind").Word })
}

//go:build long

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/fit"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// TestTraceLikeSP2: mean wait, bounded slowdown and utilization under EASY of the real trace, of its
// halves and of a third of its users lie between the 5 and 95 % quantiles of
// 20 generated traces of the same span.
func TestTraceLikeSP2(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	t.Chdir(t.TempDir())
	const traces = 20
	measures := []string{"mean_wait", "mean_bounded_slowdown", "utilization"}
	run := func(file string) (values [3]float64) {
		writeText(t, "run.yaml", fmt.Sprintf("trace: {file: %s, jobs: all, nodes: 128}\npolicies: [easy]\n", file))
		var r struct {
			Policies []map[string]json.RawMessage `json:"policies"`
		}
		decode(t, &r, "simulate", "run.yaml", "--json")
		for i, name := range measures {
			var m struct {
				Mean study.Number `json:"mean"`
			}
			if err := json.Unmarshal(r.Policies[0][name], &m); err != nil {
				t.Fatal(err)
			}
			values[i] = float64(m.Mean)
		}
		return values
	}
	save := func(file string, records workload.Records, keep func(*workload.Record) bool) {
		f, err := os.Create(file)
		if err == nil {
			err = workload.WriteSWF(t.Context(), f, []string{"; MaxProcs: 128", "; UnixStartTime: 893466664", "; TimeZone: -28800"}, records, keep)
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	const middle = 566129 + 31508082 // s
	for name, keep := range map[string]func(r *workload.Record) bool{
		"all":         func(*workload.Record) bool { return true },
		"first half":  func(r *workload.Record) bool { return r[workload.SubmitTime] < middle },
		"second half": func(r *workload.Record) bool { return r[workload.SubmitTime] >= middle },
		"third":       func(r *workload.Record) bool { return int(r[workload.User])%3 == 1 },
		"no users": func(r *workload.Record) bool {
			r[workload.User], r[workload.Group], r[workload.Queue] = -1, -1, -1
			return r[workload.SubmitTime] < middle
		},
	} {
		st, err := (workload.Selection{File: path}).Open(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		save("real.swf", st, keep)
		io.Closer(st).Close()
		real := run("real.swf")
		m, err := workload.FitLike(t.Context(), workload.Selection{File: "real.swf"})
		if err != nil {
			t.Fatal(err)
		}
		var values [3][]float64
		for k := range traces {
			save("like.swf", m.Generate(m.Span, 1, k), nil)
			for i, x := range run("like.swf") {
				values[i] = append(values[i], x)
			}
		}
		for i, x := range values {
			slices.Sort(x)
			var mean float64
			for _, v := range x {
				mean += v / traces
			}
			// The 5 and 95 % quantiles are 0.95 and 18.05 order statistics from the least.
			low, high := x[0]+0.95*(x[1]-x[0]), x[18]+0.05*(x[19]-x[18])
			t.Logf("%s: %s %.5g, generated mean %.5g, range %.5g to %.5g", name, measures[i], real[i], mean, low, high)
			if real[i] < low || real[i] > high {
				t.Errorf("%s: %s is outside", name, measures[i])
			}
		}
	}
}

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
		if math.Abs(float64(r.Load)-0.8874) > 5e-5 || math.Abs(float64(r.Arrivals.Interarrival.Mean)-1968.876) > 0.01 {
			t.Errorf("%s: load %g, arrivals %+v", by, float64(r.Load), r.Arrivals)
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), "arrivals are not Poisson") {
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
	for factor, want := range map[string]float64{"1": 51362, "0.5": 74781, "0.25": 101762} {
		r := fitted(t, path, "--jobs", "last:5000", "--set", "qos.hard=high", "--common-widths", "--arrivals", "poisson", "--set", "trace.arrival_delay_factor="+factor)
		var a study.Solution
		if err := json.Unmarshal([]byte(tryWith(t.Context(), r.YAML, "solve", "-", "--json").stdout), &a); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(a.RevenuePerHour)-want) > 1 {
			t.Errorf("factor %s: earns %g, want %g", factor, float64(a.RevenuePerHour), want)
		}
		got := fmt.Sprintf("%.2f %.1f %.1f %.1f %.2f %.2f", float64(r.Arrivals.Interarrival.SCV), float64(r.Arrivals.Dispersion[0].Index), float64(r.Arrivals.Dispersion[1].Index),
			float64(r.Arrivals.Dispersion[2].Index), float64(r.Arrivals.Daily), float64(r.Arrivals.Weekly))
		if got != "4.35 4.2 11.2 23.3 0.66 0.35" {
			t.Errorf("factor %s: arrivals %s", factor, got)
		}
	}
}

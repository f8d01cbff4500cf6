package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestSimulateUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	never := "server: {nodes: 2}\nclasses: [{name: a, rate: 0, length: {mean: 9, sd: 1}, price: 1}]\n"
	if err := os.WriteFile("never.yaml", []byte(never), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, want string }{
		{"", "simulate: expected SCENARIO"},
		{"nist-four --policy hil", `--policy: unknown policy "hil"; did you mean hol? (one of hol, fcfs, `},
		{"nist-four --policy hol,", `--policy: unknown policy "", expected one of hol, fcfs, `},
		{"nist-four --policy hol,hol:backfill=false", "--policy: hol is given twice"},
		{"nist-four --policy hol:backfil=true", `--policy: hol has no option "backfil"`},
		{"nist-four --policy hol:backfill=1", `--policy: option backfill of hol: expected false or true, got "1"`},
		{"nist-four --policy hol:backfill", "--policy: expected options as in hol:backfill=true"},
		{"nist-four --admission some", `--admission: expected all, analytic, simulated, promise, threshold, state, prices, prices-simulated or probabilities from 0 to 1, got "some"`},
		{"nist-four --admission 1,1,1", "--admission: expected 4 probabilities, one for each class (HvHu, HvLu, LvHu, LvLu), got 3"},
		{"nist-four --admission 1,1,1,1.5", `--admission: expected all, analytic, simulated, promise, threshold, state, prices, prices-simulated or probabilities from 0 to 1, got "1.5"`},
		{"nist-four --admission 1,1,1,NaN", `--admission: expected all, analytic, simulated, promise, threshold, state, prices, prices-simulated or probabilities from 0 to 1, got "NaN"`},
		{"nist-four --admission all,1,1,1", "--admission: expected names or probabilities, got both"},
		{"nist-four --admission all,all", "--admission: all is given twice"},
		{"nist-four --admission x=1", `--admission: unknown class "x", expected one of HvHu`},
		{"nist-four --admission HvHu=2", "--admission: expected class=probability from 0 to 1"},
		{"nist-four --admission HvHu=1,0.5", "--admission: expected class=probability from 0 to 1"},
		{"nist-four --admission HvHu=1,HvHu=0", "--admission: class HvHu is given twice"},
		{"nist-four --precision 0", "--precision: expected a share of the mean above 0"},
		{"nist-four --precision -1%", "--precision: expected a share of the mean above 0"},
		{"nist-four --precision inf", "--precision: expected a share of the mean above 0"},
		{"nist-four --precision 1% --metric money", `--metric: unknown measure "money", expected one of revenue_per_second, `},
		{"nist-four --metric mean_wait", "--metric: expected --precision with it"},
		{"nist-four --precision 1% --replications 1", "--replications: expected at least 2 with --precision, got 1"},
		{"nist-four --level 1", "--level: expected a share above 0 and below 1"},
		{"nist-four --workers 0", "--workers: expected a whole number of at least 1, got 0"},
		{"nist-four --replications 0", "--replications 0: "},
		{"nist-four --jobs 1.5", "--jobs 1.5: "},
		{"nist-four --jobs 10 --horizon 1d", "--horizon 1d: "},
		{"nist-four --horizon -1d", "--horizon -1d: "},
		{"nist-four --warmup 100%", "--warmup 100%: "},
		{"sp2-like --resample days", `--resample: expected weeks, got "days"`},
		{"sp2-like --span 12w", "--span: expected --resample weeks with it"},
		{"sp2-like --resample weeks --span 0", "--span: expected a time above 0 such as 12w"},
		{"sp2-like --resample weeks --precision 1%", "--precision: expected none with --resample"},
		{"sp2-like --resample weeks", "sp2-like: cannot resample weeks: every replication of a generated trace has new jobs already"},
		{"nist-four --resample weeks", "nist-four: cannot resample weeks: expected a recorded trace"},
		{"never.yaml", "never.yaml: no jobs arrive, so there is nothing to simulate"},
	} {
		wantUsageError(t, append([]string{"simulate"}, strings.Fields(tt.line)...), "revopt: "+tt.want)
	}
}

// TestSimulateInterrupt sends a signal to a process that has finished some of
// its replications: they are printed, with their intervals.
func TestSimulateInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	for pause := 500 * time.Millisecond; ; pause *= 4 {
		v, stderr := interrupted(t, pause)
		if v == nil && pause < 20*time.Second {
			continue // a slow machine: nothing was finished, or not even begun
		}
		n, _ := v["replications"].(float64)
		if n < 2 || n >= 1e5 || v["interrupted"] != true {
			t.Fatalf("%v replications, interrupted: %v", n, v["interrupted"])
		}
		e := v["policies"].([]any)[0].(map[string]any)["mean_wait"].(map[string]any)
		if e["n"] != n || e["half_width"] == nil {
			t.Errorf("%v replications: %v", n, e)
		}
		if !strings.HasPrefix(stderr, "revopt: simulate: stopped after ") || !strings.HasSuffix(stderr, " of 100,000 replications: interrupted\n") {
			t.Errorf("stderr %q", stderr)
		}
		return
	}
}

// interrupted starts a simulation that never ends, interrupts it, and returns
// what it printed; nil where that is nothing.
func interrupted(t *testing.T, after time.Duration) (v map[string]any, diagnostics string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "simulate", "nist-cluster", "--jobs", "2000", "--replications", "100000", "--json", "--quiet")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	err := cmd.Wait()
	if stdout.Len() == 0 {
		return nil, stderr.String()
	}
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		t.Fatalf("%v: %s", err, stdout.String())
	}
	return v, stderr.String()
}

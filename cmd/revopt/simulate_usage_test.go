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
		if !strings.HasPrefix(stderr, "revopt: simulate: stopped after ") ||
			!strings.HasSuffix(stderr, " of 100,000 replications: interrupted\n") {
			t.Errorf("stderr %q", stderr)
		}
		return
	}
}

// interrupted starts a simulation that never ends, interrupts it, and returns
// what it printed; nil where that is nothing.
func interrupted(t *testing.T, after time.Duration) (v map[string]any, diagnostics string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "simulate", "nist-cluster", "--jobs", "2000", "--replications", "100000", "--json",
		"--quiet")
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

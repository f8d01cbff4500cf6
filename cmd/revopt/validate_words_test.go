package main

import (
	"os"
	"strings"
	"testing"
)

// The notes say all that the model of a trace leaves out: nodes of unlike speeds, and what
// is earned after the last arrival.
func TestValidateModelOfTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	mixed := "trace: {file: sp2-like, jobs: last:60}\nqos: {hard: high, penalty: {low_mean: 0.02}}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\n"
	if err := os.WriteFile("mixed.yaml", []byte(mixed), 0o644); err != nil {
		t.Fatal(err)
	}
	o := try("validate", "mixed.yaml", "--replications", "2", "--policy", "libra")
	if o.code != exitDone || !strings.Contains(o.stderr, "model bound: nodes have speeds or limits of their own") ||
		!strings.Contains(strings.Join(strings.Fields(o.stdout), " "),
			"policies also earn from the last arrival until the last job has ended") {
		t.Errorf("%+v", o)
	}
	if o = try(shellWords("validate sp2-like --jobs 60 --replications 2 --policy libra")...); strings.Contains(o.stderr,
		"of their own") {
		t.Errorf("nodes that are all alike: %s", o.stderr)
	}
}

// The admissions that were computed are said, and are those of solve.
func TestValidateSaysAdmissions(t *testing.T) {
	best := try("solve", "nist-four", "--load", "0.6", "--quiet")
	if !strings.Contains(best.stdout, "86.9 %") {
		t.Fatalf("solve: %s", best.stdout)
	}
	o := try(shellWords("validate nist-four --load 0.6 --jobs 100 --replications 2 --policy hol,fcfs --admission all,analytic --quiet")...)
	text := strings.Join(strings.Fields(o.stdout), " ")
	if strings.Count(text, "Admitted, ") != 1 ||
		!strings.Contains(text, "Admitted, analytic: HvHu 86.9 %, HvLu 100.0 %, LvHu 0.0 %, LvLu 0.0 %.") {
		t.Errorf("%s", o.stdout)
	}
}

package cli

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A sweep names promises that no admission keeps, with the share that can be kept.
func TestPromises(t *testing.T) {
	// Jobs on the slower nodes take longer, however few there are.
	file := filepath.Join(t.TempDir(), "unlike.yaml")
	writeText(t, file, `name: unlike
trace: {file: sp2-like, jobs: first:120}
nodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]
classes: [{name: all, price: {per_unit_hour: 1}, deadline: {lengths: 3}, slo: {within: 0, level: 99%}}]
`)
	sweep, out := filepath.Join(filepath.Dir(file), "sweep.yaml"), filepath.Join(filepath.Dir(file), "out")
	writeText(t, sweep, "scenario: unlike.yaml\npolicies: [libra]\nadmissions: [promise]\nseeds: 1\n")
	o := try("sweep", sweep, "-o", out, "--quiet")
	found, err := os.ReadFile(filepath.Join(out, "admissions.csv"))
	if o.code != exitShort || !strings.Contains(o.stderr, "for 1 case no admission") || err != nil ||
		!strings.Contains(string(found), ",class,probability,possible\n") {
		t.Errorf("sweep: exit %d, %q, %v\n%s", o.code, o.stderr, err, found)
	}
}

// The cost of a promise is printed, and so is that refusing the class would earn more.
func TestSolvePromise(t *testing.T) {
	a := told(t, shellWords("solve nist-cluster --no-check --utility exact --set 'classes.HvHu.slo={within: 600, level: 0.9}'")...)
	if kept := number(t, a, "promises", 0, "kept"); math.Abs(kept-0.9) > 1e-3 || !(number(t, a, "promises", 0, "cost") > 0) ||
		!slices.Contains(codes(a), "REFUSING") {
		t.Errorf("%+v", a)
	}
}

//go:build long && unix

package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExecC: the program of docs/policy.c makes the schedules of sjf, on logs with and without estimates. Where it suspends
// jobs, it runs all of them, also with outages and a cost of preemption, and stays below the proven bound.
func TestExecC(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	source, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "policy.c"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	build := exec.Command(compiler, "-O2", "-Wall", "-Werror", "-o", "policy", source, "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	must(t, "trace", "generate", "sp2-like", "--jobs", "2000", "--seed", "5", "-o", "user.swf")
	var none []string
	for line := range strings.Lines(readText(t, "user.swf")) {
		if fields := strings.Fields(line); len(fields) == 18 && fields[0] != ";" {
			fields[8] = "-1"
			line = strings.Join(fields, " ") + "\n"
		}
		none = append(none, line)
	}
	writeText(t, "none.swf", strings.Join(none, ""))
	writeText(t, "down.yaml", `trace: {file: user.swf, nodes: 128}
machine:
  down:
    - {from: 0h, to: 1h, units: 100}
    - {from: 2d, to: 2.5d, units: 60}
    - {from: 5d, to: 5.2d}
    - {from: 7d, to: 9d, units: 40, jobs: kill}
    - {from: 10d, to: 12d, units: 40, jobs: finish}
`)
	for _, trace := range []string{"user.swf", "none.swf"} {
		must(t, "simulate", trace, "--records", "a.csv", "--quiet", "--policy", "sjf", "--policy", "exec:order=sjf:./policy")
		if jobs := sameTimes(t, "a.csv", "sjf", "exec:order=sjf:./policy"); jobs != 2000 {
			t.Errorf("%s: %d jobs", trace, jobs)
		}
	}
	for _, trace := range []string{"user.swf", "none.swf", "down.yaml"} {
		a := told(t, "simulate", trace, "--policy", "exec:./policy", "--policy", "exec:preempt-cost=30:./policy")
		for i := range 2 {
			if left := number(t, a, "policies", i, "not_run"); left > 0.01 || number(t, a, "policies", i, "preemptions") == 0 {
				t.Errorf("%s: a share of %g does not run", trace, left)
			}
		}
	}
	v := validated(t, "sp2-like", "--jobs", "60", "--replications", "1", "--policy", "exec:./policy", "--policy",
		"exec:order=sjf:./policy")
	wantShares(t, v)
}

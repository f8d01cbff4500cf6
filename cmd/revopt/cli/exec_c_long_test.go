//go:build long && unix

package cli

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExecC: the program of docs/policy.c makes the schedules of sjf on logs with and without estimates. It also suspends
// jobs, under outages too: all jobs run, and bench check accepts its schedules.
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
	for _, trace := range []string{"user.swf", "none.swf", "down.yaml"} {
		must(t, "simulate", trace, "--quiet", "--policy", "exec:./policy", "--policy", "exec:preempt-cost=30:./policy")
		if trace == "down.yaml" {
			continue // sjf knows when an outage ends
		}
		must(t, "simulate", trace, "--records", "a.csv", "--quiet", "--policy", "sjf", "--policy", "exec:order=sjf:./policy")
		if jobs := sameTimes(t, "a.csv", "sjf", "exec:order=sjf:./policy"); jobs != 2000 {
			t.Errorf("%s: %d jobs", trace, jobs)
		}
	}
	v := validated(t, "sp2-like", "--jobs", "60", "--replications", "1", "--policy", "exec:./policy", "--policy",
		"exec:order=sjf:./policy")
	wantShares(t, v)
	must(t, "bench", "run", "tight-1.0-1", "--policy", "exec:./policy", "--schedule", "d")
	var checked reply
	decode(t, &checked, "bench", "check", "d/exec:._policy/tight-1.0-1.csv", "--json")
	if checked.Values["valid"] != true {
		t.Errorf("got %v", checked.Values)
	}
}

//go:build long && unix

package cli

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExecC: the program of docs/policy.c makes the schedules of sjf and server-filling-srpt, on logs with and without
// estimates and with outages, and bench check accepts its schedules.
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
		pairs := []string{
			"server-filling-srpt", "exec:./policy",
			"server-filling-srpt:preempt-cost=30", "exec:preempt-cost=30:./policy", "sjf", "exec:order=sjf:./policy",
		}
		if trace == "down.yaml" {
			pairs = pairs[:4] // sjf knows when an outage ends
		}
		args := []string{"simulate", trace, "--records", "a.csv", "--quiet"}
		for _, p := range pairs {
			args = append(args, "--policy", p)
		}
		must(t, args...)
		for i := 0; i < len(pairs); i += 2 {
			if jobs := sameTimes(t, "a.csv", pairs[i], pairs[i+1]); jobs != 2000 {
				t.Errorf("%s: %d jobs", trace, jobs)
			}
		}
	}
	v := validated(t, "sp2-like", "--jobs", "60", "--replications", "1", "--policy", "exec:./policy", "--policy",
		"exec:order=sjf:./policy")
	wantShares(t, v)
	must(t, "bench", "run", "tight-1.0-1", "--policy", "exec:./policy", "--policy", "server-filling-srpt", "--schedule", "d")
	var over, inside reply
	decode(t, &over, "bench", "check", "d/exec:._policy/tight-1.0-1.csv", "--json")
	decode(t, &inside, "bench", "check", "d/server-filling-srpt/tight-1.0-1.csv", "--json")
	if !maps.Equal(over.Values, inside.Values) || over.Values["valid"] != true {
		t.Errorf("got %v, want %v", over.Values, inside.Values)
	}
}

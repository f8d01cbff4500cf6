//go:build long

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A module of its own, testdata/external, is revopt with one policy more: every command knows
// the policy, journals and figures have it, and a panic in it shows where. It builds from what
// this module has, without a network; a fresh module is made as docs/simulation.md says, where go mod tidy
// may ask for modules that nothing here imports.
func TestExternalModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	source, err := filepath.Abs("../../../testdata/external")
	if err != nil {
		t.Fatal(err)
	}
	text := readText(t, filepath.Join(source, "main.go"))
	if lines := strings.Count(text, "\n"); lines > 60 {
		t.Errorf("%d lines", lines)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	build := func(dir string, env []string, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off", "GOTOOLCHAIN=local"), env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v: %s", name, args, err, out)
		}
	}
	program := filepath.Join(dir, "mypolicy")
	build(source, []string{"GOPROXY=off", "GOSUMDB=off"}, "go", "build", "-mod=readonly", "-o", program, ".")
	document := readText(t, "../../../docs/simulation.md")
	commands := regexp.MustCompile("(?s)```sh\n(go mod init .*?)```").FindStringSubmatch(document)
	if commands == nil {
		t.Fatal("docs/simulation.md does not say how to make a module")
	}
	making := strings.Replace(commands[1], "../revopt", filepath.Dir(filepath.Dir(source)), 1)
	fresh := func(name, program string) string {
		t.Helper()
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		writeText(t, filepath.Join(at, "main.go"), program)
		build(at, nil, sh, "-e", "-c", making)
		return at
	}
	// The policy of the fresh module panics when it sorts its queue.
	const key = "key := func(j *simulate.Job) float64 {"
	fresh("fresh", strings.Replace(text, key, key+" panic(j.Width);", 1))
	example := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(document)
	if example == nil {
		t.Fatal("docs/simulation.md has no program")
	}
	at := fresh("example", example[1])
	for peek, want := range map[string]string{
		`j.Left(truth.Key{}, 0)`:     "use of internal package revopt/internal/truth not allowed",
		`new(simulate.Task).Work`:    "Work undefined",
		`simulate.Job{}.work`:        "work undefined",
		`new(simulate.Node).left(0)`: "left undefined",
	} {
		program := strings.Replace(example[1], "-j.Value.Price", peek, 1)
		if strings.Contains(peek, "truth.") {
			program = strings.Replace(program, "import (", "import (\n\"revopt/internal/truth\"", 1)
		}
		writeText(t, filepath.Join(at, "main.go"), program)
		compile := exec.Command("go", "vet", ".")
		compile.Dir = at
		compile.Env = append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=local")
		if out, err := compile.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %s\n%s", peek, err, want, out)
		}
	}

	writeText(t, filepath.Join(dir, "patience.yaml"), `scenario: sp2-like
set: {trace.jobs: last:200}
vary: {policies.density.patience: [1, 24]}
policies: [easy, density]
seeds: 2
metrics: [value_total, mean_wait]
`)
	for _, c := range []struct {
		command string
		code    int
		want    []string // of the output
	}{
		{"simulate sp2-like --jobs 200 --policy easy,density --replications 3", 0,
			[]string{`(?m)^density `}},
		{"validate sp2-like --jobs 60 --policy easy,density:patience=2 --replications 2 -o value.svg", 0,
			[]string{`(?m)^density:patience=2 `}},
		{"sweep patience.yaml -o sweep --shard 1/2", 0, nil},
		{"sweep status sweep", 0, []string{`of 2 points are finished`}},
		{"sweep patience.yaml -o sweep", 0, []string{`at [12] of 2 points`}},
		{"figure nist-06 -o figures --format csv --quick", 0, []string{`nist-06\.csv`}},
		{"bench run classes-value-1.0 --policy density", 0, []string{`density`}},
		{"example/mypolicy", 0, []string{`(?m)^densest has the largest value, 9,739 \$/h;`}},
		{"fresh/mypolicy simulate sp2-like --jobs 50 --policy density", exitFault, []string{
			`^revopt: policy main\.density, job \d+, at [\d.]+ s: panic: \d+\nmain\.density\.Schedule\.func2\(`,
			`main\.go:\d+`}},
	} {
		words := strings.Fields(c.command)
		run := exec.Command(program, words...)
		if strings.Contains(words[0], "/") {
			run = exec.Command(filepath.Join(dir, words[0]), words[1:]...)
		}
		run.Dir = dir
		var out bytes.Buffer
		run.Stdout, run.Stderr = &out, &out
		if err := run.Run(); run.ProcessState == nil || run.ProcessState.ExitCode() != c.code {
			t.Fatalf("%s: %v: %s", c.command, err, out.Bytes())
		}
		for _, want := range c.want {
			if !regexp.MustCompile(want).Match(out.Bytes()) {
				t.Errorf("%s: no %s in\n%s", c.command, want, out.Bytes())
			}
		}
	}
	for _, want := range []string{"<svg", "density", "easy", "bound"} {
		if !strings.Contains(readText(t, filepath.Join(dir, "value.svg")), want) {
			t.Errorf("the figure has no %s", want)
		}
	}
}

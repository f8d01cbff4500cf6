//go:build long

package study_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A module of its own, testdata/external, adds a policy without touching revopt:
// compared with intervals, validated, and drawn into the same figure. It builds
// from what this module has, without a network, as it is and as README.md says.
func TestExternalModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	source, err := filepath.Abs("../../testdata/external")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(source, "main.go"))
	if err != nil || bytes.Count(text, []byte("\n")) >= 60 {
		t.Errorf("%d lines, %v", bytes.Count(text, []byte("\n")), err)
	}
	dir := t.TempDir()
	offline := func(dir, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v: %s", name, args, err, out)
		}
	}
	program := filepath.Join(dir, "mypolicy")
	offline(source, "go", "build", "-mod=readonly", "-o", program, ".")
	if sh, err := exec.LookPath("sh"); err == nil {
		readme, err := os.ReadFile("../../README.md")
		if err != nil {
			t.Fatal(err)
		}
		commands := regexp.MustCompile("(?s)```sh\n(go mod init .*?)```").FindSubmatch(readme)
		if commands == nil {
			t.Fatal("README.md does not say how to make a module")
		}
		fresh := filepath.Join(dir, "fresh")
		if err := errors.Join(os.Mkdir(fresh, 0o755), os.WriteFile(filepath.Join(fresh, "main.go"), text, 0o644)); err != nil {
			t.Fatal(err)
		}
		offline(fresh, sh, "-e", "-c", strings.Replace(string(commands[1]), "../revopt", filepath.Dir(filepath.Dir(source)), 1))
		program = filepath.Join(fresh, "mypolicy")
	}
	run := exec.Command(program)
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		`(?m)^libra delivers [+-]\d+ ± \d+ \$ more than easy$`, `(?m)^density delivers [+-]\d+ ± \d+ \$ more than easy$`,
		`(?m)^EASY delivers \d+ ± \d+ % of the possible$`, `(?m)^Libra delivers `, `(?m)^Value density delivers \d+ ± \d+ % of the possible$`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	figure, err := os.ReadFile(filepath.Join(dir, "density.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", ">density", ">easy", ">libra", "proven bound"} {
		if !strings.Contains(string(figure), want) {
			t.Errorf("the figure has no %s", want)
		}
	}
}

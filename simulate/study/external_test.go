package study_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A module of its own, testdata/external, adds a policy without touching revopt:
// compared with intervals, validated, and drawn into the same figure. It builds
// from what this module has, without a network.
func TestExternalModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	source, err := filepath.Abs("../../testdata/external")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(source, "main.go")); err != nil || bytes.Count(text, []byte("\n")) >= 60 {
		t.Errorf("%d lines, %v", bytes.Count(text, []byte("\n")), err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "mypolicy")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = source
	build.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
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

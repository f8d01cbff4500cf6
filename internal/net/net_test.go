//go:build net

// Package net compares the numbers that two builds print: the differential test of a change that moves code. Its cases
// are command lines (testdata/cases.txt), which both builds must understand. Differences that are meant stand in
// testdata/allowed.txt, each with its reason.
//
//	make net OLD=COMMIT [NET='-only whatif']
package net

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Flags of TestNet, behind -args.
var (
	oldCommit = flag.String("old", "", "the commit to compare with")
	only      = flag.String("only", "", "cases whose name has this text")
	trace     = flag.String("trace", "", "the SDSC SP2; cases that need it are left out if there is no such file")
)

// near is how far a number may be from the old one, as a share of the larger of both, where the order of sums differs.
const near = 1e-12

// TestNet runs all cases with the build of a commit and with this one, and compares their numbers.
func TestNet(t *testing.T) {
	if *oldCommit == "" {
		t.Fatal("expected a commit: make net OLD=COMMIT")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cases, err := readCases()
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := readAllowed()
	if err != nil {
		t.Fatal(err)
	}
	_, lacking := os.Stat(*trace)
	before, now := programs(t, ctx)
	runs, compared, nearby := 0, 0, 0
	for _, c := range cases {
		if !strings.Contains(c.name, *only) || lacking != nil && strings.Contains(c.line, "$SP2") {
			continue
		}
		first, err := run(t, ctx, before, c)
		if err != nil {
			t.Errorf("%s before: %v", c.name, err)
			continue
		}
		second, err := run(t, ctx, now, c)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(first) == 0 {
			t.Errorf("case %s has no numbers", c.name)
		}
		runs++
		compared += len(first)
		nearby += compare(t, c.name, first, second, allowed)
	}
	fmt.Printf("%d of %d cases, %d numbers, %d of them near: a last digit differs\n", runs, len(cases), compared, nearby)
	for _, a := range allowed {
		fmt.Printf("  meant %6d: %s: %s\n", a.used, a.pattern, a.reason)
	}
}

// An allowance is a line of allowed.txt.
type allowance struct {
	pattern *regexp.Regexp // of the case and the name of a number
	reason  string
	used    int
}

// readAllowed returns the lines of allowed.txt.
func readAllowed() ([]*allowance, error) {
	text, err := os.ReadFile("testdata/allowed.txt")
	if err != nil {
		return nil, err
	}
	var all []*allowance
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(line, "|")
		if len(fields) != 3 {
			return nil, fmt.Errorf("expected case | number | reason, got %q", line)
		}
		quoted := regexp.QuoteMeta(strings.TrimSpace(fields[0]) + ": " + strings.TrimSpace(fields[1]))
		pattern, err := regexp.Compile("^" + strings.ReplaceAll(quoted, `\*`, ".*") + "$")
		if err != nil {
			return nil, err
		}
		all = append(all, &allowance{pattern: pattern, reason: strings.TrimSpace(fields[2])})
	}
	return all, nil
}

// compare reports the numbers that are gone or differ without a reason, and returns how many are near.
func compare(t *testing.T, run string, before, now numbers, allowed []*allowance) (nearby int) {
	t.Helper()
	var names []string
	for name := range before {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		old := before[name]
		x, ok := now[name]
		if ok && x == old {
			continue
		}
		if ok && math.Abs(x-old) <= near*max(math.Abs(x), math.Abs(old)) {
			nearby++
			continue
		}
		full := run + ": " + name
		i := slices.IndexFunc(allowed, func(a *allowance) bool { return a.pattern.MatchString(full) })
		switch {
		case i >= 0:
			allowed[i].used++
		case ok:
			t.Errorf("%s: %v before, now %v", full, old, x)
		default:
			t.Errorf("%s: %v before, now gone", full, old)
		}
	}
	return nearby
}

// run runs the steps of a case and returns its numbers. Exit codes 0 and 3 have results.
func run(t *testing.T, ctx context.Context, program string, c request) (numbers, error) {
	t.Helper()
	dir := t.TempDir()
	for _, words := range c.steps(dir, *trace) {
		var printed, said bytes.Buffer
		command := exec.CommandContext(ctx, program, words...)
		command.Dir = "testdata"
		command.Stdout, command.Stderr = &printed, &said
		err := command.Run()
		if err != nil && (command.ProcessState == nil || command.ProcessState.ExitCode() != 3) {
			return nil, fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(said.String()))
		}
		if err := os.WriteFile(filepath.Join(dir, "stdout"), printed.Bytes(), 0o644); err != nil {
			return nil, err
		}
	}
	return extract(dir)
}

// programs builds the program of the old commit and that of this tree.
func programs(t *testing.T, ctx context.Context) (before, now string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, archive := filepath.Join(dir, "source"), filepath.Join(dir, "source.tar")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	before, now = filepath.Join(dir, "before"), filepath.Join(dir, "now")
	for _, step := range []struct {
		dir   string
		words []string
	}{
		{root, []string{"git", "archive", "-o", archive, *oldCommit}},
		{source, []string{"tar", "-xf", archive}},
		{source, []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", before, "./cmd/revopt"}},
		{root, []string{"go", "build", "-trimpath", "-buildvcs=false", "-o", now, "./cmd/revopt"}},
	} {
		command := exec.CommandContext(ctx, step.words[0], step.words[1:]...)
		command.Dir = step.dir
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(step.words, " "), err, said)
		}
	}
	return before, now
}

// TestCompare sees numbers that are near, gone, and meant to differ.
func TestCompare(t *testing.T) {
	before := make(numbers)
	seen := make(map[string]int)
	before.row("policies", map[string]any{"policy": "hol", "value": 5.0, "kept": 1.0}, seen)
	before.row("policies", map[string]any{"policy": "hol", "value": 6.0}, seen)
	now := numbers{"policies hol [1] value": 5 * (1 + 1e-13), "policies hol [2] value": 6}
	allowed := []*allowance{{pattern: regexp.MustCompile("^case: policies .* kept$")}}
	if got := compare(t, "case", before, now, allowed); got != 1 || allowed[0].used != 1 {
		t.Errorf("%d near, %d meant, expected 1 and 1 of %v", got, allowed[0].used, before)
	}
}

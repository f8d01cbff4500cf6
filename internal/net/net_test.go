//go:build net

// Package net compares the numbers that two builds print: the differential test of a redesign. Its cases are command
// lines (testdata/cases.txt), its result is one long table with the columns case, group, column, replication and
// number. Names of columns and units are those of answers; old_test.go reads what version 0.4 printed, new_test.go
// reads answers. Differences that are meant stand in testdata/allowed.txt, each with its reason.
//
//	make net OLD=COMMIT [NET='-only whatif']
package net

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Flags of TestNet, behind -args.
var (
	oldCommit = flag.String("old", "", "the commit to compare with")
	only      = flag.String("only", "", "cases whose name has this text")
	trace     = flag.String("trace", "", "the SDSC SP2; cases that need it are left out if there is no such file")
	nowSource = flag.String("now", "", "the directory of the sources to compare (default this checkout)")
)

// A build is a program whose outputs are kept in a directory.
type build struct {
	program string
	commit  string
	kept    string // directory of outputs
	reuse   bool   // outputs of the same command line and files need not be made again
	took    time.Duration
}

// TestNet runs all cases with the build of a commit and with this one, and compares their numbers.
func TestNet(t *testing.T) {
	if *oldCommit == "" {
		t.Fatal("expected a commit: make net OLD=COMMIT")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(root, "out", "net")
	commit := strings.TrimSpace(output(t, ctx, root, "git", "rev-parse", "--short=8", *oldCommit+"^{commit}"))
	old := &build{commit: commit, kept: filepath.Join(out, commit), reuse: true}
	now := &build{kept: filepath.Join(out, "now"), program: filepath.Join(t.TempDir(), "now")}
	source := root
	if *nowSource != "" {
		source = *nowSource
	}
	compile(t, ctx, source, now.program)
	cases := chosen(t, ctx, root, commit)
	var before, after numbers
	for _, c := range cases {
		first, err := old.run(t, ctx, root, c.name, c.old)
		if err != nil {
			t.Errorf("%s at %s: %v", c.name, commit, err)
			continue
		}
		merge(t, &before, first)
		second, err := now.run(t, ctx, root, c.name, c.now)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		merge(t, &after, second)
	}
	report(t, out, commit, len(cases), &before, &after)
	fmt.Printf("time of runs: %s %.0f s, now %.0f s of user time\n", commit, old.took.Seconds(), now.took.Seconds())
}

// chosen returns the cases to run. The command lines of the old commit are those of its own list of cases, if it has
// one.
func chosen(t *testing.T, ctx context.Context, root, commit string) []request {
	t.Helper()
	text, err := readFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := readCases(text)
	if err != nil {
		t.Fatal("testdata/cases.txt: ", err)
	}
	then := make(map[string]string)
	command := exec.CommandContext(ctx, "git", "show", commit+":internal/net/testdata/cases.txt")
	command.Dir = root
	if text, err := command.Output(); err == nil {
		earlier, err := readCases(string(text))
		if err != nil {
			t.Fatal("cases of the old commit: ", err)
		}
		for _, c := range earlier {
			then[c.name] = c.now
		}
	}
	_, err = os.Stat(*trace)
	var some []request
	left := 0
	for _, c := range cases {
		if line, ok := then[c.name]; ok {
			c.old = line
		}
		switch {
		case !strings.Contains(c.name, *only):
		case err != nil && strings.Contains(c.old, "$SP2"):
			left++
		default:
			some = append(some, c)
		}
	}
	if left > 0 {
		fmt.Printf("%d cases are left out: there is no trace %q\n", left, *trace)
	}
	return some
}

// report writes the tables, prints counts and differences, and fails if there is one without a reason.
func report(t *testing.T, out, commit string, runs int, before, after *numbers) {
	t.Helper()
	text, err := readFile("testdata/allowed.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := readAllowed(text)
	if err != nil {
		t.Fatal("testdata/allowed.txt: ", err)
	}
	v := compare(before, after, allowed)
	v.print(os.Stdout, runs, allowed)
	err = errors.Join(before.write(filepath.Join(out, commit+".csv.gz")), after.write(filepath.Join(out, "now.csv.gz")),
		v.write(filepath.Join(out, "differences.csv")))
	if err != nil {
		t.Error(err)
	}
	if n := len(v.unexpected()); n > 0 {
		t.Errorf("%d numbers differ without a reason: see out/net/differences.csv", n)
	}
}

// merge adds the numbers of a run to those of all.
func merge(t *testing.T, all *numbers, run *reading) {
	t.Helper()
	for _, k := range run.keys {
		if err := all.add(k, run.of[k]); err != nil {
			t.Error(err)
		}
	}
	if len(run.keys) == 0 {
		t.Errorf("case %s has no numbers", run.name)
	}
}

// run runs the command lines of a case and returns the numbers. Outputs of the old commit are kept.
func (b *build) run(t *testing.T, ctx context.Context, root, name, line string) (*reading, error) {
	t.Helper()
	dir := filepath.Join(b.kept, name)
	sum := filepath.Join(dir, "sum")
	want := inputs(t, line)
	if have, err := os.ReadFile(sum); err != nil || !b.reuse || string(have) != want {
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if b.program == "" {
			b.program = history(t, ctx, root, b.commit)
		}
		exit, err := b.execute(ctx, dir, line)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "exit.csv"), []byte(fmt.Sprintf("exit\n%d\n", exit)), 0o644); err != nil {
			return nil, err
		}
		if err := os.WriteFile(sum, []byte(want), 0o644); err != nil {
			return nil, err
		}
	}
	return extract(name, line, dir)
}

// execute runs the steps of a case. The last one prints to the file stdout. Exit codes 0 and 3 have results.
func (b *build) execute(ctx context.Context, dir, line string) (exit int, err error) {
	printed, err := os.Create(filepath.Join(dir, "stdout"))
	if err != nil {
		return 0, err
	}
	defer printed.Close()
	all := steps(line, dir, *trace)
	for i, words := range all {
		var said bytes.Buffer
		c := exec.CommandContext(ctx, b.program, words...)
		c.Dir = "testdata"
		c.Stderr = &said
		if i == len(all)-1 {
			c.Stdout = printed
		}
		err := c.Run()
		if c.ProcessState != nil {
			b.took += c.ProcessState.UserTime()
			exit = c.ProcessState.ExitCode()
		}
		if err != nil && exit != 3 {
			return exit, fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(said.String()))
		}
	}
	return exit, printed.Close()
}

// inputs returns a hash of a command line and of the files that it names, directly or in scenarios, as a change of them
// makes outputs old.
func inputs(t *testing.T, line string) string {
	t.Helper()
	sum := sha256.New()
	fmt.Fprintln(sum, line)
	known := make(map[string]bool)
	texts := []string{line}
	for len(texts) > 0 {
		words := strings.FieldsFunc(texts[0], func(c rune) bool { return strings.ContainsRune(" \n\t,:={}'\"", c) })
		texts = texts[1:]
		for _, word := range words {
			path := filepath.Join("testdata", word)
			info, err := os.Stat(path)
			if err != nil || info.IsDir() || known[path] {
				continue
			}
			known[path] = true
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(sum, word, len(text))
			sum.Write(text)
			if filepath.Ext(path) == ".yaml" {
				texts = append(texts, string(text))
			}
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// history builds the program of a commit and returns its path.
func history(t *testing.T, ctx context.Context, root, commit string) string {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "source.tar")
	output(t, ctx, root, "git", "archive", "-o", archive, commit)
	output(t, ctx, source, "tar", "-xf", archive)
	program := filepath.Join(dir, "revopt")
	compile(t, ctx, source, program)
	return program
}

// compile builds the program of the sources in a directory.
func compile(t *testing.T, ctx context.Context, source, program string) {
	t.Helper()
	output(t, ctx, source, "go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./cmd/revopt")
}

// output runs a program in a directory and returns what it prints.
func output(t *testing.T, ctx context.Context, dir, program string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	var said bytes.Buffer
	c.Stderr = &said
	printed, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said.String())
	}
	return string(printed)
}

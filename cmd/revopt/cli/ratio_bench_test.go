//go:build bench

package cli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Flags of TestRatios, behind -args.
var (
	ratioOld   = flag.String("old", "", "commits to compare with, by commas")
	ratioTrace = flag.String("trace", "", "the SDSC SP2; generated jobs if there is no such file")
	ratioWrite = flag.Bool("write", false, "write the tables to testdata/ratios.md")
)

// A timed is a command whose processor time is compared.
type timed struct {
	name string
	args []string
}

// spelled returns the arguments as a build understands them: 0.4 and before had solve --vary as curve.
func (row timed) spelled(ctx context.Context, dir, build string) []string {
	if row.args[0] == "solve" && slices.Contains(row.args, "--vary") {
		old := append([]string{"curve"}, row.args[1:]...)
		if _, err := userTime(ctx, dir, build, old); err == nil {
			return old
		}
	}
	return row.args
}

// Rules of a measurement: runs alternate between builds, and the least time counts, as other work on the machine
// only adds to it. Short runs are repeated, because the clock of user time is coarse.
const (
	ratioRuns  = 9
	slowRuns   = 3   // of a command that takes longer than slow
	slow       = 3.0 // s
	shortest   = 0.3 // s, of a measurement
	mostRepeat = 20
)

// TestRatios prints the user time of this build over that of the commits -old, which it builds from history, and the
// same for the instructions of TestCount if there is valgrind. It never fails because of a ratio.
func TestRatios(t *testing.T) {
	if *ratioOld == "" {
		t.Fatal("expected a commit: make bench OLD=COMMIT")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	builds := []string{build(t, ctx, root, filepath.Join(dir, "now"))}
	var commits []string
	for _, name := range strings.Split(*ratioOld, ",") {
		commit := strings.TrimSpace(output(t, ctx, root, "git", "rev-parse", "--short=8", name+"^{commit}"))
		commits = append(commits, commit)
		builds = append(builds, buildCommit(t, ctx, root, dir, commit))
	}
	file, jobs := *ratioTrace, "the SDSC SP2"
	if _, err := os.Stat(file); err != nil {
		file, jobs = filepath.Join(dir, "sp2-like.swf"), "generated, like the SDSC SP2"
		output(t, ctx, dir, builds[0], "trace", "generate", "--jobs", "60000", "-q", "-o", file)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, the log is %s.\n\n", time.Now().Format(time.DateOnly), goVersion(t, ctx), jobs)
	header := fmt.Sprintf(" | now | / %s |\n|---|---|%s\n", strings.Join(commits, " | / "),
		strings.Repeat("---|", len(commits)))
	fmt.Fprint(&b, "| user time", header)
	lacking := make(map[string][]string) // reasons, by commit
	for _, row := range timedRows(dir, file) {
		if ctx.Err() == nil && strings.Contains(row.name, *growthOnly) {
			fmt.Fprintln(os.Stderr, row.name)
			least, reasons := row.least(ctx, dir, builds)
			writeRatios(&b, row.name, fmt.Sprintf("%.2f s", least[0]), least)
			note(lacking, commits, reasons)
		}
	}
	if valgrind() == "" {
		b.WriteString("\nInstructions are not counted: there is no valgrind.\n")
	} else {
		fmt.Fprint(&b, "\n| instructions", header)
		for _, row := range countedRows(t, ctx, dir, builds[0]) {
			if ctx.Err() == nil && strings.Contains(row.name, *growthOnly) {
				fmt.Fprintln(os.Stderr, row.name)
				counts := make([]float64, len(builds))
				reasons := make([]error, len(builds))
				for i, program := range builds {
					counts[i], reasons[i] = row.count(ctx, program)
				}
				writeRatios(&b, "`"+row.name+"`"+row.of(), row.per(counts[0]), counts)
				note(lacking, commits, reasons)
			}
		}
	}
	for _, commit := range commits {
		if reasons := lacking[commit]; reasons != nil {
			fmt.Fprintf(&b, "\n%s refuses: %s.\n", commit, strings.Join(slices.Compact(reasons), "; "))
		}
	}
	if ctx.Err() != nil {
		t.Fatal("interrupted")
	}
	fmt.Print(b.String())
	if *ratioWrite {
		text := "# Processor time now and before, by `make bench`\n\n" + strings.TrimSpace(b.String()) + "\n"
		if err := os.WriteFile(filepath.Join(root, "testdata", "ratios.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// writeRatios writes the line of a table: what this build takes, and its ratios to the others. A build that refuses
// the command, whose number is 0, has a dash.
func writeRatios(b *strings.Builder, name, now string, numbers []float64) {
	fmt.Fprintf(b, "| %s | %s |", name, now)
	for _, old := range numbers[1:] {
		if old == 0 {
			b.WriteString(" - |")
		} else {
			fmt.Fprintf(b, " %.2f |", numbers[0]/old)
		}
	}
	b.WriteString("\n")
}

// note adds the reasons for which the builds of commits refuse a command. The first reason is that of this build.
func note(lacking map[string][]string, commits []string, reasons []error) {
	for i, commit := range commits {
		if reason := reasons[i+1]; reason != nil {
			lacking[commit] = append(lacking[commit], reason.Error())
		}
	}
}

// buildCommit builds the program of a commit and returns its path.
func buildCommit(t *testing.T, ctx context.Context, root, dir, commit string) string {
	t.Helper()
	source := filepath.Join(dir, "source-"+commit)
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, commit+".tar")
	output(t, ctx, root, "git", "archive", "-o", archive, commit)
	output(t, ctx, source, "tar", "-xf", archive)
	return build(t, ctx, source, filepath.Join(dir, "revopt-"+commit))
}

// least returns the least user times of the builds, 0 for one that refuses the command, and why it does.
func (row timed) least(ctx context.Context, dir string, builds []string) (times []float64, reasons []error) {
	times = make([]float64, len(builds))
	reasons = make([]error, len(builds))
	args := make([][]string, len(builds))
	for i, build := range builds {
		args[i] = row.spelled(ctx, dir, build)
		times[i], reasons[i] = userTime(ctx, dir, build, args[i])
	}
	runs, repeat := ratioRuns, 1
	if slices.Max(times) > slow {
		runs = slowRuns
	}
	if times[0] < shortest {
		repeat = int(min(math.Ceil(shortest/max(times[0], 1e-3)), mostRepeat))
	}
	for round := range runs {
		for i, build := range builds {
			if reasons[i] != nil {
				continue
			}
			var sum float64
			for range repeat {
				var seconds float64
				seconds, reasons[i] = userTime(ctx, dir, build, args[i])
				sum += seconds
			}
			if mean := sum / float64(repeat); round == 0 || mean < times[i] {
				times[i] = mean
			}
		}
	}
	return times, reasons
}

// refused returns why a run failed: the last line that it wrote, up to its first comma, else err.
func refused(stderr string, err error) error {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	reason, ok := strings.CutPrefix(lines[len(lines)-1], "revopt: ")
	if !ok {
		return err
	}
	reason, _, _ = strings.Cut(reason, ", ")
	return errors.New(reason)
}

// userTime returns the user time of a run on one processor.
func userTime(ctx context.Context, dir, program string, args []string) (seconds float64, err error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		return 0, refused(stderr.String(), err)
	}
	return c.ProcessState.UserTime().Seconds(), nil
}

// timedRows returns the commands that are compared. It writes the scenarios that they need into dir.
func timedRows(dir, trace string) []timed {
	const values = "qos: {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4, sd: 0.25}, " +
		"budget: {low_mean: 2, ratio: 4, sd: 0.25}, penalty: {low_mean: 0.02, ratio: 4, sd: 0.5}, estimates: users}\n"
	plain := scenarioFile(dir, "log.yaml", "trace: {file: "+trace+", nodes: 128}\n")
	priced := scenarioFile(dir, "priced.yaml", "trace: {file: "+trace+", nodes: 128}\n"+values)
	busy := scenarioFile(dir, "busy.yaml",
		"trace: {file: sp2-like, jobs: last:10000, nodes: 128, arrival_delay_factor: 0.1}\n"+values)
	simulate := func(scenario, policy string, more ...string) []string {
		args := []string{"simulate", scenario, "--policy", policy, "--replications", "1", "--workers", "1", "-q"}
		return append(args, more...)
	}
	first := func(jobs string) []string { return []string{"--set", "trace.jobs=first:" + jobs} }
	once := []string{"--replications", "1", "--workers", "1", "-q"}
	falling := scenarioFile(dir, "falling.yaml", "trace: {file: "+trace+", nodes: 128, jobs: last:28489}\n"+
		"classes:\n- {name: wide, of: {width: [9, 128]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, grace: 2h, "+
		"max_penalty: 0}\n- {name: narrow, price: {per_unit_hour: 1}, decay: {per_hour: 5%}, grace: 8h, max_penalty: 0}\n")
	five := []string{"--policy", "easy,slurm,value-bf,conservative,hol:backfill=true"}
	return []timed{
		{"`hol`, 1,000,000 jobs of classes", simulate("nist-four", "hol", "--load", "0.9", "--jobs", "1000000")},
		{"`fcfs`, 1,000,000 jobs of classes", simulate("nist-four", "fcfs", "--load", "0.9", "--jobs", "1000000")},
		{"`hol`, 500,000 jobs of three widths",
			simulate("nist-cluster-widths", "hol", "--load", "0.9", "--jobs", "500000")},
		{"`easy`, log", simulate(plain, "easy")},
		{"`conservative`, log", simulate(plain, "conservative")},
		{"`slurm`, log, first 20,000", simulate(plain, "slurm", first("20000")...)},
		{"`value-bf`, log", simulate(priced, "value-bf")},
		{"`value-bf:preempt=suspend`, log", simulate(priced, "value-bf:preempt=suspend")},
		{"`value-bf`, load 8", simulate(busy, "value-bf")},
		{"`libra`, log", simulate(priced, "libra")},
		{"`libra+$`, log", simulate(priced, "libra+$")},
		{"`libra-sla`, log, first 20,000", simulate(priced, "libra-sla", first("20000")...)},
		{"`mf-edf`, grid, 3,000 applications", simulate("ic-grid", "mf-edf", "--set", "applications.count=3000")},
		{"`easy`, pools of cores and GPUs, 50,000 jobs", simulate("ai-site", "easy", "--jobs", "50000")},
		{"`solve --utility exact`", []string{"solve", "nist-cluster", "--load", "1.2", "--utility", "exact", "-q"}},
		{"`solve --vary`, 1,000 points", []string{"solve", "nist-four", "--vary", "load=0.05:1.4:x1000", "-q"}},
		{"`validate`, log, last 3,000",
			append([]string{"validate", priced, "--jobs", "3000", "--policy", "easy"}, once...)},
		{"`validate`, 2,000 jobs of classes", append(
			[]string{"validate", "nist-cluster", "--load", "1.2", "--jobs", "2000", "--policy", "hol"}, once...)},
		{"`validate`, log, last 28,489, five policies", slices.Concat([]string{"validate", falling}, five, once)},
		{"`validate --gap 0.1%`, log, last 3,000", append(
			[]string{"validate", falling, "--jobs", "3000", "--policy", "easy", "--gap", "0.1%"}, once...)},
		{"`whatif`, log, last 3,000, two changes", []string{"whatif", falling, "--jobs", "3000", "--policy", "easy",
			"--change", "nodes=+16", "--change", "policy=value-bf", "--workers", "1", "-q"}},
	}
}

// scenarioFile writes a scenario into dir and returns its path.
func scenarioFile(dir, name, yaml string) string {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(yaml), 0o644); err != nil {
		panic(err)
	}
	return path
}

// build builds the program of the sources in dir as file, and returns file.
func build(t *testing.T, ctx context.Context, dir, file string) string {
	t.Helper()
	output(t, ctx, dir, "go", "build", "-trimpath", "-buildvcs=false", "-o", file, "./cmd/revopt")
	return file
}

// goVersion returns the version of Go and its platform, such as go1.26.8 linux/amd64.
func goVersion(t *testing.T, ctx context.Context) string {
	t.Helper()
	return strings.TrimPrefix(strings.TrimSpace(output(t, ctx, ".", "go", "version")), "go version ")
}

// output runs a program in dir and returns what it prints.
func output(t *testing.T, ctx context.Context, dir, program string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	b, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, stderr.String())
	}
	return string(b)
}

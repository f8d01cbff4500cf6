//go:build bench

package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
)

// Flags of TestCount, behind -args.
var (
	countRecord  = flag.Bool("record", false, "write the counts into testdata/instructions.txt")
	countProgram = flag.String("program", "", "program to count in place of a new build")
)

// countLimit is the largest ratio of instructions to those of the file at which TestCount passes.
const countLimit = 1.05

// A counted is a command at two sizes. The difference of their instructions is that of the work, without the
// start of the program.
type counted struct {
	name string
	unit string  // such as job
	size float64 // units of work between the two
	args [2][]string
	dir  string
}

// TestCount counts the instructions of five short runs and compares them with testdata/instructions.txt. Such
// counts do not depend on the load or the speed of the machine. It fails where a count is more than countLimit times
// that of the file, if the version of Go is that of the file. Counts change with the version of Go.
func TestCount(t *testing.T) {
	if valgrind() == "" {
		t.Skip("instructions are not counted: there is no valgrind (Debian's package valgrind)")
	}
	ctx := context.Background()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	current := build(t, ctx, root, filepath.Join(dir, "new"))
	program := current
	if *countProgram != "" {
		program = *countProgram
	}
	path := filepath.Join(root, "testdata", "instructions.txt")
	version := goVersion(t, ctx)
	expected, of := make(map[string]float64), version
	if !*countRecord {
		expected, of = readCounts(t, path)
	}
	if of != version {
		fmt.Printf("%s has the counts of %s, this is %s: no ratio fails\n", path, of, version)
	}
	table := text.NewTable("run", "instructions", "of the file", "ratio")
	var recorded strings.Builder
	for _, row := range countedRows(t, ctx, dir, current) {
		if !strings.Contains(row.name, *growthOnly) {
			continue
		}
		n, err := row.count(ctx, program)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		ratio := n / expected[row.name]
		if *countRecord {
			expected[row.name] = n
			ratio = 1
		}
		if ratio > countLimit { // was the machine disturbed?
			again, err := row.count(ctx, program)
			if err != nil {
				t.Fatal(err)
			}
			n = min(n, again)
			ratio = n / expected[row.name]
		}
		table.Row(row.name+row.of(), row.per(n), row.per(expected[row.name]), fmt.Sprintf("%.3f", ratio))
		fmt.Fprintf(&recorded, "%s %.0f\n", row.name, n)
		if of == version && ratio > countLimit {
			t.Errorf("%s takes %.3f times the instructions of %s, more than %g", row.name, ratio, path, countLimit)
		}
	}
	table.Print(os.Stdout)
	if *countRecord {
		header := "# Instructions of the runs of make count. Give the reason for a change in its commit.\n"
		if err := os.WriteFile(path, []byte(header+version+"\n"+recorded.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readCounts reads counts by name, and the version of Go that they are of.
func readCounts(t *testing.T, path string) (counts map[string]float64, version string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	counts = make(map[string]float64)
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "go"):
			version = line
		case len(fields) != 2:
			t.Fatalf("%s:%d: expected a name and a count, got %q", path, i+1, line)
		default:
			n, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				t.Fatalf("%s:%d: expected a name and a count, got %q", path, i+1, line)
			}
			counts[fields[0]] = n
		}
	}
	return counts, version
}

// countedRows returns the runs that are counted. It writes the files that they need into dir: a log that the program
// current generates, so that older builds run the same jobs.
func countedRows(t *testing.T, ctx context.Context, dir, current string) []counted {
	t.Helper()
	const few, many = 1000, 11000
	log := filepath.Join(dir, "jobs.swf")
	output(t, ctx, dir, current, "trace", "generate", "--jobs", strconv.Itoa(many), "-q", "-o", log)
	trace := "trace: {file: jobs.swf, nodes: 128}\n"
	scenarioFile(dir, "jobs.yaml", trace)
	scenarioFile(dir, "values.yaml", trace+"qos: {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4, sd: 0.25}, "+
		"budget: {low_mean: 2, ratio: 4, sd: 0.25}, penalty: {low_mean: 0.02, ratio: 4, sd: 0.5}, estimates: users}\n")
	simulate := func(scenario, policy string, more ...string) []string {
		args := []string{"simulate", scenario, "--policy", policy, "--replications", "1", "--workers", "1", "-q"}
		return append(args, more...)
	}
	classJobs := func(n int) []string {
		return simulate("nist-four", "hol", "--load", "0.9", "--jobs", strconv.Itoa(n))
	}
	logged := func(scenario, policy string) (args [2][]string) {
		for i, n := range []int{few, many} {
			args[i] = simulate(scenario, policy, "--set", fmt.Sprintf("trace.jobs=first:%d", n))
		}
		return args
	}
	solve := func(classes int) []string { return []string{"solve", linear(dir, classes), "-q", "--no-check"} }
	return []counted{
		{"hol", "job", 1e5, [2][]string{classJobs(40_000), classJobs(140_000)}, dir},
		{"easy", "job", many - few, logged("jobs.yaml", "easy"), dir},
		{"conservative", "job", many - few, logged("jobs.yaml", "conservative"), dir},
		{"value-bf", "job", many - few, logged("values.yaml", "value-bf"), dir},
		{"solve", "", 1, [2][]string{solve(2), solve(32)}, dir},
	}
}

// linear writes a scenario of n classes at load 1.2 with different prices, decays and lengths.
func linear(dir string, n int) string {
	var b strings.Builder
	b.WriteString("server: {parallel: 10}\nload: 1.2\nclasses:\n")
	for i := range n {
		x := float64(i) / float64(n)
		fmt.Fprintf(&b, "  - {name: c%d, share: %g, length: {mean: %g, dist: exponential}, price: %g, decay: %g}\n",
			i, 1/float64(n), 3600*(1+x), 100*(1+2*x), 0.002*(1+3*x*x))
	}
	return scenarioFile(dir, fmt.Sprintf("linear%d.yaml", n), b.String())
}

// of returns what a count is of, for the name in a table.
func (row counted) of() string {
	if row.unit == "" {
		return ""
	}
	return ", for each " + row.unit
}

// per returns a count for each unit of work as text.
func (row counted) per(n float64) string { return text.Grouped(math.Round(n / row.size)) }

// count returns the instructions of the work of a row.
func (row counted) count(ctx context.Context, program string) (float64, error) {
	small, err := instructions(ctx, row.dir, program, row.args[0])
	if err != nil {
		return 0, err
	}
	large, err := instructions(ctx, row.dir, program, row.args[1])
	return large - small, err
}

// collected is the line of callgrind with the number of instructions.
var collected = regexp.MustCompile(`Collected : (\d+)`)

// instructions returns the number of instructions of a run, without those of the operating system. One processor, no
// preemption of goroutines and a garbage collector that stops the world make it nearly the same in every run.
func instructions(ctx context.Context, dir, program string, args []string) (float64, error) {
	all := append([]string{"--tool=callgrind", "--callgrind-out-file=/dev/null", program}, args...)
	c := exec.CommandContext(ctx, valgrind(), all...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1,gcstoptheworld=1", "GOGC=100")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err := c.Run()
	match := collected.FindStringSubmatch(stderr.String())
	if err != nil || match == nil {
		return 0, refused(programLines(stderr.String()), cmp.Or(err, errors.New("valgrind: no count")))
	}
	return strconv.ParseFloat(match[1], 64)
}

// programLines returns the lines of stderr without those of valgrind, which begin with ==.
func programLines(stderr string) string {
	lines := slices.DeleteFunc(strings.Split(stderr, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "==")
	})
	return strings.Join(lines, "\n")
}

// valgrind returns the path of valgrind, or "" if there is none.
func valgrind() string {
	path, err := exec.LookPath("valgrind")
	if err != nil {
		return ""
	}
	return path
}

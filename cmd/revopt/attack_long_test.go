//go:build long && unix

package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"revopt/model/scenario"
)

// attacks is how many command lines TestAttacks tries: overrides, and a tenth as many
// traces and journals. REVOPT_ATTACKS says otherwise.
func attacks() int {
	if n, err := strconv.Atoi(os.Getenv("REVOPT_ATTACKS")); err == nil {
		return n
	}
	return 1000
}

// attacked is the program: this one, or that of REVOPT_PROGRAM, which starts faster.
func attacked() string { return cmp.Or(os.Getenv("REVOPT_PROGRAM"), os.Args[0]) }

// TestAttacks runs the program, each time as a process of its own, on random overrides
// of the fields of built-in scenarios, on traces and on journals that were tampered
// with. It never crashes, exits as documented with one line that says why, and stays
// below 10 s of processor time and 1 GB, but where it said that it would take longer.
func TestAttacks(t *testing.T) {
	n := attacks()
	t.Run("overrides", func(t *testing.T) { attack(t, n, overrideAttack(t)) })
	t.Run("traces", func(t *testing.T) { attack(t, n/10, traceAttack(t)) })
	t.Run("journals", func(t *testing.T) { attack(t, n/10, journalAttack(t)) })
}

// attack runs so many command lines, each made of random numbers of its own.
func attack(t *testing.T, n int, make func(rnd *rand.Rand, dir string) []string) {
	var mu sync.Mutex
	var group sync.WaitGroup
	counts := map[string]int{}
	next := 0
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= n {
					return
				}
				dir := filepath.Join(t.TempDir(), "attack")
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Error(err)
					return
				}
				args := make(rand.New(rand.NewPCG(18, uint64(i))), dir)
				what, complaint := judge(dir, args)
				os.RemoveAll(dir)
				mu.Lock()
				counts[what]++
				mu.Unlock()
				if complaint != "" {
					t.Errorf("%d: revopt %q: %s: %s", i, args, what, complaint)
				}
			}
		})
	}
	group.Wait()
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d  %s", counts[what], what)
	}
}

// judge runs the program and says how it ended, and what is wrong with that.
func judge(dir string, args []string) (what, complaint string) {
	const seconds, bytesMost = 10, 1 << 30
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", fmt.Sprintf("ulimit -t %d; exec \"$0\" \"$@\"", seconds), attacked()}, args...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), asProgram+"=1"), dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	state := cmd.ProcessState
	words := stderr.String()
	usage, _ := state.SysUsage().(*syscall.Rusage)
	switch {
	case strings.Contains(words, "goroutine ") || strings.Contains(words, "fatal error") || strings.Contains(words, "a bug"):
		return "a crash", words[:min(400, len(words))]
	case usage != nil && usage.Maxrss<<10 > bytesMost:
		return "too much memory", fmt.Sprintf("%d MB", usage.Maxrss>>10)
	case state.ExitCode() < 0 && strings.Contains(words, "this takes"):
		return "longer than 10 s, announced", ""
	case state.ExitCode() < 0 && (state.UserTime()+state.SystemTime()).Seconds() < seconds-1:
		return "stopped on a machine that was busy", ""
	case state.ExitCode() < 0:
		return "a runaway", fmt.Sprint(err, words)
	}
	what = fmt.Sprintf("exit %d", state.ExitCode())
	lines := strings.Split(strings.TrimSuffix(words, "\n"), "\n")
	last := lines[len(lines)-1]
	switch code := state.ExitCode(); {
	case !slices.Contains([]int{exitDone, exitFailed, exitUsage, exitShort}, code):
		return what, "is not documented: " + words
	case code != exitDone && !strings.HasPrefix(last, "revopt: "):
		return what, "does not say why: " + words
	case code == exitUsage && (len(lines) > 1 || stdout.Len() > 0):
		return what, "more than one line: " + words
	}
	return what, ""
}

// nasty are values that somebody may write by mistake, or to see what happens.
var nasty = strings.Split("0|-0|-1|1|2|3|0.5|1e-306|5e-324|1e-18|1e-6|1e6|1e9|1e15|1e18|1e19|1e300|1.8e308|-1e300|2147483648|9007199254740993|.nan|.inf|-.inf|NaN|inf|"+
	"0%|10%|1000%|1e18%|0s|1s|1e18s|1e300h|182d|none|zero|never|floor|all|[]|{}|[1,2]|[0,0]|[1e18,1]|{mean: 1, sd: 1e18}|{values: [1e18], weights: [1]}|{values: [1, 2], weights: [0, 0]}|"+
	"{per_hour: 1e18}|{per_node_hour: 1e-18}|{lengths: 1e9}|{of_price: 1e18}|{renewal: {cv: 1e9}}|{bursts: {on: 1s, off: 1e9s, ratio: 1e9}}|true|~|''|'=1+1'|\"\\e[31m\"|exponential|deterministic|hyperexponential|lognormal|gamma|multiserver|pooled|printed", "|")

// plausible are numbers that most fields take.
var plausible = strings.Split("0 0.000001 0.001 0.01 0.1 0.3 0.5 0.9 1 1.5 2 3 7 10 30 100 1000 5000 1e5 1e6 1e9 1e12 1e15 10% 1h", " ")

// extra are fields that scenarios may state and the built-in ones do not.
var extra = []string{"growth", "load", "phi", "server.waiting", "server.nodes", "server.residual", "simulation.jobs", "simulation.horizon", "simulation.warmup", "simulation.replications",
	"trace.jobs", "trace.nodes", "trace.cleaning", "trace.arrival_delay_factor", "qos.high_urgency", "nodes.speed", "arrivals", "policies"}

// overrideAttack overrides one to three random fields.
func overrideAttack(t *testing.T) func(*rand.Rand, string) []string {
	var names []string
	fields := map[string][]string{}
	for _, info := range scenario.Builtins() {
		var doc any
		if err := yaml.Unmarshal([]byte(must(t, "scenario", "show", info.Name)), &doc); err != nil {
			t.Fatal(err)
		}
		own := leaves(doc, "")
		for _, field := range extra { // those of parts that the scenario has
			if part, _, _ := strings.Cut(field, "."); slices.Contains(own, part) || part == field {
				own = append(own, field)
			}
		}
		names, fields[info.Name] = append(names, info.Name), own
	}
	commands := [][]string{
		{"solve"}, {"solve", "--utility", "exact"}, {"wait", "--at", "60"}, {"simulate"}, {"simulate", "--admission", "analytic"}, {"simulate", "--warmup", "mser"},
		{"validate", "--replications", "1"}, {"simulate", "--policy", "easy"}, {"simulate", "--policy", "libra-sla"}, {"whatif", "--change", "growth=10%"},
		{"curve", "--vary", "load=0.2:1:0.4"}, {"trace", "generate", "--jobs", "100"}, {"solve", "--control", "threshold"},
	}
	return func(rnd *rand.Rand, _ string) []string {
		name := names[rnd.IntN(len(names))]
		command := commands[rnd.IntN(len(commands))]
		args := append(slices.Clone(command), name, "--max-memory", "800MB")
		if !slices.Contains([]string{"solve", "wait", "curve", "trace"}, command[0]) {
			if !slices.Contains(fields[name], "sites") {
				args = append(args, "--jobs", "300")
			}
			if !slices.Contains(command, "--replications") {
				args = append(args, "--replications", "2")
			}
		}
		for range 1 + rnd.IntN(2) {
			values := nasty
			if rnd.IntN(3) > 0 {
				values = plausible
			}
			args = append(args, "--set", fields[name][rnd.IntN(len(fields[name]))]+"="+values[rnd.IntN(len(values))])
		}
		return args
	}
}

// leaves returns the paths of the fields below a value, as --set takes them.
func leaves(value any, path string) []string {
	var list []string
	join := func(word any) string { return strings.TrimPrefix(fmt.Sprintf("%s.%v", path, word), ".") }
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "name" {
				continue
			}
			list = append(append(list, join(name)), leaves(v[name], join(name))...)
		}
	case []any:
		for _, item := range v {
			if fields, ok := item.(map[string]any); ok && fields["name"] != nil {
				list = append(list, leaves(item, join(fields["name"]))...)
			}
		}
	}
	return list
}

// traceAttack tampers with a trace and looks at it in several ways.
func traceAttack(t *testing.T) func(*rand.Rand, string) []string {
	good := []byte(must(t, "trace", "generate", "--jobs", "200"))
	numbers := strings.Split("-1 0 1 1073741824 -2 1e300 nan 1073741825 2147483648 9007199254740993 1e15 0.5 x", " ")
	return func(rnd *rand.Rand, dir string) []string {
		text := slices.Clone(good)
		for range 1 + rnd.IntN(5) {
			text = tampered(rnd, text, numbers)
		}
		if rnd.IntN(2) == 0 { // numbers alone, so that it stays a trace
			lines := strings.Split(strings.TrimSpace(string(good)), "\n")
			for range 1 + rnd.IntN(20) {
				i := rnd.IntN(len(lines))
				if words := strings.Fields(lines[i]); words[0] != ";" {
					words[2+rnd.IntN(len(words)-2)] = numbers[rnd.IntN(4)]
					lines[i] = strings.Join(words, " ")
				}
			}
			text = []byte(strings.Join(lines, "\n") + "\n")
		}
		name := filepath.Join(dir, "t.swf")
		if rnd.IntN(4) == 0 {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			z.Write(text)
			z.Close()
			if text = b.Bytes(); rnd.IntN(2) == 0 {
				text[rnd.IntN(len(text))] ^= byte(1 + rnd.IntN(255))
			}
		}
		os.WriteFile(name, text, 0o644)
		set := []string{"--set", "trace.file=" + name, "--max-memory", "800MB"}
		switch rnd.IntN(6) {
		case 0:
			return []string{"trace", "info", name, "--max-memory", "800MB"}
		case 1:
			return []string{"trace", "info", name, "--sort", "--jobs", "last:50", "--max-memory", "800MB"}
		case 2:
			return []string{"trace", "clean", name, "--sort", "--cleaning", "drop", "-o", filepath.Join(dir, "c.swf.gz"), "--max-memory", "800MB"}
		case 3:
			return []string{"trace", "fit", name, "--max-memory", "800MB"}
		case 4:
			return append([]string{"simulate", "sp2-sla", "--policy", "easy,libra-sla", "--replications", "2", "--set", "trace.jobs=all"}, set...)
		}
		return append([]string{"validate", "sp2-sla", "--replications", "1", "--set", "trace.jobs=all"}, set...)
	}
}

// tampered changes a byte, a word, a line or the end of a text.
func tampered(rnd *rand.Rand, text []byte, words []string) []byte {
	if len(text) == 0 {
		return text
	}
	at := rnd.IntN(len(text))
	switch rnd.IntN(8) {
	case 0:
		text[at] = byte(rnd.IntN(256))
		return text
	case 1:
		return text[:at]
	case 2, 3: // a line goes, or comes twice
		lines := bytes.SplitAfter(text, []byte("\n"))
		i := rnd.IntN(len(lines))
		if rnd.IntN(2) == 0 {
			return bytes.Join(slices.Delete(lines, i, i+1), nil)
		}
		return bytes.Join(slices.Insert(lines, rnd.IntN(len(lines)), lines[i]), nil)
	}
	all := regexp.MustCompile(`[-0-9.e+]+`).FindAllIndex(text, -1)
	if len(all) == 0 {
		return text
	}
	place := all[rnd.IntN(len(all))]
	return slices.Concat(text[:place[0]], []byte(words[rnd.IntN(len(words))]), text[place[1]:])
}

// journalAttack tampers with the journal of a sweep, in half of the cases as somebody
// would who knows its checksums.
func journalAttack(t *testing.T) func(*rand.Rand, string) []string {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.yaml")
	writeText(t, file, "scenario: nist-four\nset: {simulation.jobs: 200}\nvary: {load: [0.4, 0.8]}\nadmissions: [all, analytic]\nseeds: 2\nmetrics: [revenue_per_second]\n")
	// The journal is that of the process, whose build it names.
	if what, complaint := judge(dir, []string{"sweep", file, "-o", filepath.Join(dir, "out")}); what != "exit 0" {
		t.Fatal(what, complaint)
	}
	good, err := os.ReadFile(filepath.Join(dir, "out", "journal"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := strings.Split("-1 0 1 2 3 1e300 9007199254740993 1e15 0.5 -2147483648 null", " ")
	return func(rnd *rand.Rand, dir string) []string {
		text := slices.Clone(good)
		if rnd.IntN(2) == 0 {
			for range 1 + rnd.IntN(4) {
				text = tampered(rnd, text, numbers)
			}
		} else {
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			for i := range lines {
				if payload := lines[i][9:]; rnd.IntN(len(lines)) < 2 || i == 0 && rnd.IntN(2) == 0 {
					forged := bytes.ReplaceAll(tampered(rnd, []byte(payload), numbers), []byte("\n"), nil)
					lines[i] = fmt.Sprintf("%08x %s", crc32.Checksum(forged, crc32.MakeTable(crc32.Castagnoli)), forged)
				}
			}
			text = []byte(strings.Join(lines, "\n") + "\n")
		}
		out := filepath.Join(dir, "out")
		os.MkdirAll(out, 0o755)
		os.WriteFile(filepath.Join(out, "journal"), text, 0o644)
		switch rnd.IntN(3) {
		case 0:
			return []string{"sweep", file, "-o", out, "--max-memory", "800MB"}
		case 1:
			return []string{"sweep", "status", out, "--max-memory", "800MB"}
		}
		return []string{"sweep", "merge", out, "--max-memory", "800MB"}
	}
}

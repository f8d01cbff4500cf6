//go:build unix

package cli

import (
	"context"
	"encoding/csv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pythonEasy returns a policy that Python decides for, with its script in the current
// directory, which is a new one. The test is skipped where there is no Python.
func pythonEasy(t *testing.T) string {
	t.Helper()
	python := "/usr/bin/python3"
	if _, err := os.Stat(python); err != nil {
		if python, err = exec.LookPath("python3"); err != nil {
			t.Skip("no python3")
		}
	}
	script := readText(t, filepath.Join("testdata", "easy.py"))
	t.Chdir(t.TempDir())
	writeText(t, "easy.py", script)
	return "exec:" + python + " easy.py"
}

// TestExecEASY: EASY in Python starts every job when the policy easy does.
func TestExecEASY(t *testing.T) {
	easy := pythonEasy(t)
	must(t, "simulate", "site", "--jobs", "1000", "--replications", "1",
		"--policy", "easy", "--policy", easy, "--records", "a.csv")
	if jobs := sameTimes(t, "a.csv", "easy", easy); jobs < 800 {
		t.Errorf("%d jobs", jobs)
	}
}

// sameTimes checks that all jobs start and end at the same times under two policies, by their records, and returns how
// many jobs there are.
func sameTimes(t *testing.T, records, one, other string) int {
	t.Helper()
	times := map[string]map[string]string{one: {}, other: {}}
	r := csv.NewReader(strings.NewReader(readText(t, records)))
	r.Comment = '#'
	for row, err := r.Read(); err != io.EOF; row, err = r.Read() {
		if err != nil {
			t.Fatal(err)
		}
		if times[row[0]] != nil {
			times[row[0]][row[2]] = row[15] + " " + row[16]
		}
	}
	differ := 0
	for job, at := range times[one] {
		if times[other][job] != at {
			differ++
		}
	}
	if differ > 0 || len(times[other]) != len(times[one]) {
		t.Errorf("%d of %d times under %s and %s differ", differ, len(times[one]), one, other)
	}
	return len(times[one])
}

// TestExecJournal: results of programs do not depend on the number of workers, continue
// where a journal ends, and those of another script are computed anew.
func TestExecJournal(t *testing.T) {
	easy := pythonEasy(t)
	args := []string{"simulate", "site", "--jobs", "60", "--replications", "4", "--policy", easy, "--json"}
	want := must(t, append(args, "--workers", "1")...)
	if got := must(t, append(args, "--workers", "4")...); got != want {
		t.Error("results depend on the number of workers")
	}
	kept := append(args, "--journal", "kept")
	must(t, kept...)
	journal := readText(t, "kept/journal")
	writeText(t, "kept/journal", journal[:len(journal)*2/3]) // as a killed program leaves it
	if got := must(t, kept...); got != want {
		t.Error("a resumed run differs")
	}
	writeText(t, "easy.py", readText(t, "easy.py")+"# changed\n")
	before := len(readText(t, "kept/journal"))
	if got := must(t, kept...); got != want || len(readText(t, "kept/journal")) < 2*before-1000 {
		t.Error("a changed script is not run")
	}
}

// TestExecFiles: programs that files name run only if the command line allows it. The results
// of a sweep are read without.
func TestExecFiles(t *testing.T) {
	easy := pythonEasy(t)
	writeText(t, "sweep.yaml", "scenario: site\nset: {trace.jobs: 'last:60'}\nvary: {load: 0.6:0.8:0.2}\nseeds: 2\n"+
		"policies: [easy, '"+easy+"', {exec: {command: '"+easy[5:]+"', k: 2}}]\n")
	site := must(t, "scenario", "show", "site")
	writeText(t, "site.yaml", strings.Replace(site, "policies: [easy,", "policies: ['"+easy+"',", 1))
	for _, args := range [][]string{
		{"sweep", "sweep.yaml"}, {"simulate", "site.yaml", "--jobs", "60"}, {"validate", "site.yaml", "--jobs", "60"},
		{"whatif", "site.yaml", "--jobs", "60", "--change", "growth=10%"},
	} {
		o := try(args...)
		if o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "--allow-exec") {
			t.Errorf("%s: exit %d: %s", args, o.code, o.stderr)
		}
	}
	must(t, "simulate", "site.yaml", "--jobs", "60", "--policy", "easy")
	must(t, "solve", "site.yaml", "--no-check")
	must(t, "validate", "site.yaml", "--jobs", "60", "--replications", "2", "--allow-exec", "--policy", easy)
	must(t, "sweep", "sweep.yaml", "--allow-exec")
	table := readText(t, "sweep/table.csv")
	if !strings.Contains(table, "exec:k=2:"+easy[5:]) {
		t.Errorf("the table does not name the policy:\n%s", table)
	}
	must(t, "sweep", "merge", "sweep")
	if readText(t, "sweep/table.csv") != table {
		t.Error("merge changes the table")
	}
	writeText(t, "easy.py", "raise SystemExit(3)\n")
	if got := must(t, "sweep", "status", "sweep"); !strings.Contains(got, "0 of 2 points are finished") {
		t.Errorf("results of another script are taken for those of this one: %s", got)
	}
	if o := try("sweep", "sweep.yaml", "--allow-exec"); o.code != exitFailed || !strings.Contains(o.stderr, "exit status 3") {
		t.Errorf("a sweep with a changed script: exit %d: %s", o.code, o.stderr)
	}
	o := try("simulate", "site", "--jobs", "60", "--policy", easy)
	if o.code != exitFailed || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "exit status 3") {
		t.Errorf("a program that fails: exit %d: %s", o.code, o.stderr)
	}
}

// TestExecLeftOut: a program that fails in one replication is left out of the table, the other rows are those of
// a run without it, and the error names the policy and the replication. So it is with one that hangs.
func TestExecLeftOut(t *testing.T) {
	easy := pythonEasy(t)
	script := readText(t, "easy.py")
	fails := func(act string) {
		writeText(t, "easy.py", strings.Replace(script, `    if "hello" in m:`, `    if m.get("replication") == 2:
        `+act+`
    if "hello" in m:`, 1))
	}
	policies := func(list ...string) (words []string) {
		for _, p := range list {
			words = append(words, "--policy", p)
		}
		return words
	}
	within := "30s" // a busy machine starts a program late
	run := func(command string, more ...string) []string {
		return append([]string{command, "site", "--jobs", "60", "--replications", "4", "--exec-timeout", within}, more...)
	}
	rows := func(text string) string { // by policy, without what is about all of the result
		_, list, _ := strings.Cut(text, `"policies":`)
		list, _, _ = strings.Cut(list, "]")
		return list
	}
	fails("sys.exit('no luck')")
	want := rows(must(t, run("simulate", append(policies("fcfs", "easy"), "--json")...)...))
	for _, args := range [][]string{
		run("simulate", policies("fcfs", easy, "easy")...), run("simulate", policies(easy, "fcfs", "easy")...),
		run("validate", policies("fcfs", easy, "easy")...),
	} {
		o := try(append(args, "--json", "--cells", "cells.csv")...)
		lines := strings.Split(strings.TrimSpace(o.stderr), "\n")
		last := "revopt: policy " + easy + ", replication 2: hello at "
		if o.code != exitFailed || !strings.HasPrefix(lines[len(lines)-1], last) ||
			!strings.HasSuffix(lines[len(lines)-1], "the program ended with exit status 1: no luck") {
			t.Errorf("%s: exit %d: %s", args, o.code, o.stderr)
		}
		if args[0] == "simulate" && rows(o.stdout) != want {
			t.Errorf("%s: the other rows are\n%s\nwant\n%s", args, rows(o.stdout), want)
		}
		if !strings.Contains(o.stdout, "is left out: it failed in replication 2") ||
			strings.Contains(readText(t, "cells.csv"), easy+",") {
			t.Errorf("%s: %s", args, o.stdout)
		}
	}
	fails("import time; time.sleep(100)")
	within = "1s"
	o := try(run("simulate", policies("fcfs", easy)...)...)
	within = "30s"
	if o.code != exitFailed || !strings.Contains(o.stdout, "\nfcfs ") || !strings.Contains(o.stderr, "no reply within 1s") {
		t.Errorf("exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
	fails("sys.exit('no luck')")
	o = try(run("simulate", policies(easy)...)...)
	if o.code != exitFailed || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("no other row: exit %d: %s%s", o.code, o.stdout, o.stderr)
	}
}

// TestExecInterrupted: an interruption does not wait for a silent program.
func TestExecInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	var since time.Time
	time.AfterFunc(100*time.Millisecond, func() {
		since = time.Now()
		stop()
	})
	o := tryWith(ctx, "", "simulate", "site", "--jobs", "60", "--policy", "exec:sleep 1000")
	if late := time.Since(since); o.code != exitInterrupted || late > 5*time.Minute { // usually a few milliseconds
		t.Errorf("exit %d after %s: %s", o.code, late, o.stderr)
	}
}

// TestExecParent: exec:- speaks on standard input and output, and nothing else is printed there.
func TestExecParent(t *testing.T) {
	t.Chdir(t.TempDir())
	replies := `{"hello":2,"wants":[],"fields":[]}` + "\n"
	o := tryWith(context.Background(), replies, "simulate", "nist-one", "--jobs", "20",
		"--replications", "1", "--policy", "exec:-")
	if o.code != exitFailed || strings.Count(o.stdout, "\n") != 2 || !strings.HasPrefix(o.stdout, `{"hello":2,`) ||
		!strings.HasSuffix(o.stdout, "\n{\"bye\":1}\n") ||
		!strings.Contains(o.stderr, "policy exec:-, replication 0: ") {
		t.Errorf("exit %d: %q, %q", o.code, o.stdout, o.stderr)
	}
	writeText(t, "s.yaml", "scenario: nist-one\nvary: {load: 0.6:0.8:0.2}\npolicies: ['exec:-']\n")
	for _, args := range [][]string{
		{"bench", "run", "--policy", "exec:-"}, {"whatif", "nist-one", "--change", "policy=exec:-"},
		{"sweep", "s.yaml", "--allow-exec"}, {"validate", "nist-one", "--policy", "exec:-"},
		{"simulate", "nist-one", "--policy", "exec"}, {"simulate", "nist-one", "--policy", "exec:k=2"},
	} {
		o := try(args...)
		if o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "expected a command") {
			t.Errorf("%s: exit %d: %s", args, o.code, o.stderr)
		}
	}
	for _, args := range []string{"--policy=easy", "--json", "--replications=2", "--records=a.csv"} {
		o := try("simulate", "nist-one", "--jobs", "20", "--replications", "1", "--policy", "exec:-", args)
		if o.code != exitUsage || o.stdout != "" {
			t.Errorf("%s: exit %d: %s", args, o.code, o.stderr)
		}
	}
}

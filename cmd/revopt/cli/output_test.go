package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
)

// TestInputsAreKept names an input as an output.
func TestInputsAreKept(t *testing.T) {
	t.Chdir(t.TempDir())
	o := must(t, "scenario", "show", "nist-four")
	writeText(t, "four.yaml", o)
	if err := os.Symlink("four.yaml", "link.csv"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, path := range []string{"four.yaml", "./four.yaml", "link.csv"} {
		if o := try("solve", "four.yaml", "--csv", path); o.code != exitUsage ||
			!strings.Contains(o.stderr, "is also an input, four.yaml") {
			t.Errorf("%s: %v", path, o)
		}
	}
	if readText(t, "four.yaml") != o {
		t.Error("the scenario was overwritten")
	}
	jobs := must(t, "trace", "generate", "--jobs", "20")
	for _, dir := range []string{"sweep", "figure"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeText(t, "sweep/table.csv", jobs)
	writeText(t, "figure/sla-04a.csv", jobs)
	writeText(t, "sweep.yaml", "scenario: sp2-like\nset: {trace.file: sweep/table.csv, trace.jobs: all}\nseeds: 2\n")
	wantUsageError(t, shellWords("sweep sweep.yaml -o sweep"), "revopt: sweep: sweep/table.csv: is also an input")
	wantUsageError(t, shellWords("figure sla-04a --quick --trace figure/sla-04a.csv -o figure"),
		"revopt: figure: figure/sla-04a.csv: is also an input")
	if readText(t, "sweep/table.csv") != jobs || readText(t, "figure/sla-04a.csv") != jobs {
		t.Error("a trace was overwritten")
	}
	wantUsageError(t, shellWords("simulate nist-one --csv link.csv --cells four.yaml"),
		"revopt: --csv and --cells: expected two files")
	wantUsageError(t, shellWords("simulate nist-one --journal kept --csv kept/journal"),
		"revopt: --journal and --csv: expected two files")
	wantUsageError(t, shellWords("simulate nist-one --journal four.yaml"),
		"revopt: --journal: expected a directory, and four.yaml is a file")
}

// TestDirectoriesAreChecked gives directories that cannot be written, or that hold an
// input, to commands that write several files: they refuse before they compute.
func TestDirectoriesAreChecked(t *testing.T) {
	t.Chdir(t.TempDir())
	four := must(t, "scenario", "show", "nist-four")
	for _, dir := range []string{"in", "dirs/nist-02.csv"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"in/four.csv", "in/README.md", "in/sla-02a.pdf", "file"} {
		writeText(t, path, four)
	}
	for line, want := range map[string]string{
		"solve in/four.csv --vary load=0.4,0.8 -o in":                "--out: in holds an input, in/four.csv, which a figure might overwrite",
		"validate in/four.csv -o ./in/":                              "--out: ./in/ holds an input, in/four.csv",
		"export slurm in/README.md -o in":                            "export slurm: in/README.md: is also an input",
		"export slurm nist-four -o file":                             "--out: expected a directory",
		"figure nist-02 -o dirs":                                     "figure: dirs/nist-02.csv: is a directory",
		"figure sla-02a --trace in/sla-02a.pdf --format pdf -o ./in": "figure: in/sla-02a.pdf: is also an input",
	} {
		wantUsageError(t, strings.Fields(line), "revopt: "+want)
	}
	if readText(t, "in/four.csv") != four || readText(t, "in/README.md") != four {
		t.Error("an input was overwritten")
	}
	must(t, "solve", "in/four.csv", "--vary", "load=0.4,0.8", "-o", "out", "--quiet")
	must(t, "solve", "in/README.md", "--vary", "load=0.4,0.8", "-o", "in", "--quiet")
}

// TestStandardInputIsKept redirects a file to a command that is to write it.
func TestStandardInputIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	text := must(t, "scenario", "show", "nist-one")
	writeText(t, "one.yaml", text)
	cmd := exec.Command(os.Args[0], "solve", "-", "--csv", "one.yaml")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdin, _ = os.Open("one.yaml")
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip("standard input has no name here")
	}
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitUsage ||
		!strings.Contains(string(out), "is also an input") || readText(t, "one.yaml") != text {
		t.Errorf("%v: %s", err, out)
	}
}

// TestNamesAreTame has commands speak of files whose names would command a terminal.
func TestNamesAreTame(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := "\x1b[31mred\a\u202e"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	writeText(t, at("one.yaml"), must(t, "scenario", "show", "nist-one"))
	writeText(t, at("sweep.yaml"), "scenario: one.yaml\nset: {simulation.jobs: 30}\nseeds: 2\nmetrics: [mean_wait]\n")
	writeText(t, at("bad"), "x y\n")
	simulate := "simulate @one.yaml --journal @j --csv @a.csv --jobs 30 --replications 2"
	for _, line := range []string{
		"sweep @sweep.yaml -o @out", "sweep status @out", "sweep merge @out", "sweep status @", "sweep cancel @out",
		"sweep @bad -o @out",
		"figure nist-02 --quick --format csv -o @f", "figure nist-02 -o @bad", "figure sla-04a --quick --trace @bad -o @f",
		simulate, simulate + " --seed 2", simulate + " --journal @bad", "simulate @bad", "simulate @none",
		"solve @one.yaml --csv @one.yaml", "solve @one.yaml --csv @bad/x",
		"trace info @bad", "trace info @none", "trace import @bad", "trace generate --jobs 5 -o @t.swf",
		"trace info @t.swf", "trace clean @t.swf -o @c.swf",
		"@", "solve @", "solve nist-one --set @=1", "solve nist-one --@", "scenario show @",
	} {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "@", dir+"/")
		}
		o := try(args...)
		if i := strings.IndexFunc(o.stdout+o.stderr, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%q: exit %d, %q%q", args, o.code, o.stdout, o.stderr)
		}
	}
}

// TestPipes gives a pipe that nobody writes in the place of a file: it is refused, or an
// interruption ends the wait.
func TestPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip(err)
	}
	writeText(t, "trace.yaml", "trace: {file: pipe, nodes: 4}\nclasses: [{name: a, price: 1}]\n")
	writeText(t, "profile.yaml", `server: {parallel: 2}
load: 0.5
classes: [{name: a, share: 1, price: 1, length: {mean: 9, sd: 1}, arrivals: {profile: pipe}}]
`)
	for line, code := range map[string]int{
		"solve pipe": exitInterrupted, "sweep pipe -o out": exitInterrupted,
		"trace info pipe":            exitInterrupted,
		"trace import pipe -o a.swf": exitInterrupted, "trace import -": exitInterrupted,
		"trace clean pipe -o a.swf": exitUsage, "trace fit pipe": exitInterrupted,
		"simulate trace.yaml": exitUsage, "solve profile.yaml": exitUsage,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		if code == exitInterrupted { // a refusal may take as long as it likes
			time.AfterFunc(20*time.Millisecond, cancel)
		}
		stdin, end := io.Pipe()
		got := make(chan int, 1)
		go func() { got <- run(ctx, strings.Fields(line), stdin, io.Discard, io.Discard) }()
		select {
		case found := <-got:
			if found != code {
				t.Errorf("%s: exit %d, want %d", line, found, code)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: still waits", line)
		}
		cancel()
		end.Close()
	}
}

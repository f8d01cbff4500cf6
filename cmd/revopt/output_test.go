package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOutputsAreChecked gives files that cannot be written to commands that
// would compute for long: they refuse at once.
func TestOutputsAreChecked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	writeText(t, file, "")
	for code, lines := range map[int][][]string{
		exitFailed: {
			{"simulate", "nist-cluster", "--replications", "1000", "--csv", filepath.Join(file, "x.csv")},
			{"curve", "nist-cluster", "--vary", "load=0.1:3:x10000", "--out", filepath.Join(file, "x.png")},
		},
		exitUsage: {
			{"simulate", "nist-cluster", "--replications", "1000", "--records", dir},
			{"validate", "nist-cluster", "--replications", "1000", "--html", dir},
			{"solve", "nist-cluster", "--csv="},
		},
	} {
		for _, args := range lines {
			began := time.Now()
			o := try(args...)
			if o.code != code || !strings.HasPrefix(o.stderr, "revopt: --") || o.stdout != "" || time.Since(began) > 5*time.Second {
				t.Errorf("%v: %v", args, o)
			}
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// TestInputsAreKept names an input as an output.
func TestInputsAreKept(t *testing.T) {
	t.Chdir(t.TempDir())
	o := must(t, "scenario", "show", "nist-four")
	writeText(t, "four.yaml", o)
	if err := os.Symlink("four.yaml", "link.csv"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, path := range []string{"four.yaml", "./four.yaml", "link.csv"} {
		if o := try("solve", "four.yaml", "--csv", path); o.code != exitUsage || !strings.Contains(o.stderr, "is also an input, four.yaml") {
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
	wantUsageError(t, []string{"sweep", "sweep.yaml", "-o", "sweep"}, "revopt: sweep: sweep/table.csv: is also an input")
	wantUsageError(t, []string{"plot", "sweep", "-o", "sweep/table.csv"}, "revopt: --out: sweep/table.csv: is also an input")
	wantUsageError(t, []string{"figure", "sla-04a", "--quick", "--trace", "figure/sla-04a.csv", "-o", "figure"}, "revopt: figure: figure/sla-04a.csv: is also an input")
	if readText(t, "sweep/table.csv") != jobs || readText(t, "figure/sla-04a.csv") != jobs {
		t.Error("a trace was overwritten")
	}
	wantUsageError(t, []string{"simulate", "nist-one", "--csv", "link.csv", "--save", "four.yaml"}, "revopt: --csv and --save: expected two files")
	wantUsageError(t, []string{"simulate", "nist-one", "--journal", "kept", "--csv", "kept/journal"}, "revopt: --journal and --csv: expected two files")
	wantUsageError(t, []string{"simulate", "nist-one", "--journal", "four.yaml"}, "revopt: --journal: expected a directory, and four.yaml is a file")
	if err := os.Symlink("sweep", "figure/.unfinished"); err != nil {
		t.Fatal(err)
	}
	wantUsageError(t, []string{"figure", "sla-04a", "--quick", "-o", "figure"}, "revopt: figure: figure/.unfinished: expected a directory")
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
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(out), "is also an input") || readText(t, "one.yaml") != text {
		t.Errorf("%v: %s", err, out)
	}
}

// TestFormulasAreText writes a class whose name is a formula.
func TestFormulasAreText(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "evil.yaml", strings.Replace(must(t, "scenario", "show", "nist-four"), "HvHu", "'=1+1'", 1))
	must(t, "solve", "evil.yaml", "--csv", "out.csv")
	if got := readText(t, "out.csv"); !strings.Contains(got, "\n'=1+1,") {
		t.Errorf("got %s", got)
	}
}
func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"solve", "a b", "--set", "x={y: 'z'}", ""})
	if want := `revopt solve 'a b' --set 'x={y: '\''z'\''}' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// A setting that changes no result is not on record.
	got = commandLine([]string{"figure", "--workers", "3", "nist-02", "-q", "--workers=4", "--quick", "--quiet", "--", "--quiet"})
	if want := "revopt figure nist-02 --quick -- --quiet"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

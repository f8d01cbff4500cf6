package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// asProgram makes the test binary behave as the program itself, for tests that
// need a process.
const asProgram = "REVOPT_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		Main()
	}
	os.Exit(m.Run())
}

// outcome is what a command left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// try runs a command line in-process.
func try(args ...string) outcome { return tryWith(context.Background(), "", args...) }

func tryWith(ctx context.Context, stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// must runs a command line that succeeds and returns what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	o := try(args...)
	if o.code != exitDone {
		t.Fatalf("%s: exit %d: %s", commandLine(args), o.code, o.stderr)
	}
	return o.stdout
}

// files lists everything below a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && path != dir {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestResultsCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"solve", "nist-one", "--no-check"}, {"version"}, {"figure", "list"}, {"--help"}} {
		var stderr bytes.Buffer
		code := run(context.Background(), args, nil, brokenWriter{}, &stderr)
		if want := "revopt: cannot write the results: disk full\n"; code != exitFailed || stderr.String() != want {
			t.Errorf("%v: exit %d, %q", args, code, stderr.String())
		}
	}
}

func TestCanceled(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"solve", "nist-cluster", "--no-check", "--csv", "a.csv"},
		{"solve", "nist-four", "--vary", "load=0.1:1:x100", "-o", "out", "--csv", "a.csv"},
		{"simulate", "nist-cluster", "--csv", "a.csv"},
		{"simulate", "nist-cluster", "--admission", "analytic"},
		{"figure", "all", "-o", "out"},
	} {
		o := tryWith(ctx, "", args...)
		if o.code != exitInterrupted || !strings.HasSuffix(o.stderr, "interrupted\n") || strings.Count(o.stderr, "\n") != 1 ||
			o.stdout != "" {
			t.Errorf("%v: %+v", args, o)
		}
	}
	if left := files(t, "."); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// TestInterrupt sends a signal to a process that has finished a figure and is
// busy with the others.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	dir := t.TempDir()
	first := filepath.Join(dir, "nist-02.csv")
	cmd := exec.Command(os.Args[0], "figure", "all", "--format", "csv", "-o", dir)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(first); err == nil || time.Now().After(deadline) {
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if !strings.HasSuffix(stderr.String(), ": interrupted\n") || strings.Contains(stderr.String(), "\r") {
		t.Errorf("stderr %q", stderr.String())
	}
	left := files(t, dir)
	if printed := strings.Fields(stdout.String()); len(left) == 0 || len(left) != len(printed) {
		t.Errorf("files %v, printed %v", left, printed)
	}
	for _, path := range left {
		if filepath.Ext(path) != ".csv" || strings.HasPrefix(filepath.Base(path), ".") {
			t.Errorf("%s is not finished", path)
		}
	}
}

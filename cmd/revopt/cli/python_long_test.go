//go:build long && unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pandasPython returns a Python that has pandas: Debian's (python3-pandas) or the first
// of the path.
func pandasPython(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import pandas").Run() == nil {
			return python
		}
	}
	t.Skip("no python3 with pandas: apt-get install python3-pandas")
	return ""
}

// pythonCommand returns a command in which Python finds the package, and the package this
// program.
func pythonCommand(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "REVOPT="+program, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// TestPython runs the tests of the Python package: the conversation of policies, runs, and the examples against
// policies of this program.
func TestPython(t *testing.T) {
	python := pandasPython(t)
	for _, name := range []string{"policy", "run", "examples"} {
		t.Run(name, func(t *testing.T) {
			cmd := pythonCommand(t, "../../../python", python, "-m", "unittest", "-v", "tests.test_"+name)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

// TestPythonDocument runs the Python and shell blocks of docs/exec.md in a directory where
// python is the package. A Python block that begins with "# NAME.py" is the file of that name.
func TestPythonDocument(t *testing.T) {
	python := pandasPython(t)
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs("../../../python")
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"revopt": program, "python3": python, "python": source} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, b := range blocks(readText(t, "../../../docs/exec.md")) {
		cmd := pythonCommand(t, dir, "sh", "-e", "-c", b.text)
		if b.language == "python" {
			heading, _, _ := strings.Cut(b.text, "\n")
			if name, ok := strings.CutPrefix(heading, "# "); ok {
				writeText(t, filepath.Join(dir, name), b.text)
				continue
			}
			cmd = pythonCommand(t, dir, python, "-c", b.text)
		} else if b.language != "sh" {
			continue
		}
		ran++
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"), "PYTHONPATH="+source)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("line %d: %v: %s", b.line, err, out)
		}
	}
	if ran < 3 {
		t.Errorf("%d blocks ran", ran)
	}
}

// TestStarts compares every start in two logs of a real Slurm with the start that a policy makes in the same state. Runs of
// make test-slurm made the logs: one under settings that resemble EASY, one under priorities, limits and partitions.
func TestStarts(t *testing.T) {
	for _, c := range []struct {
		log, policy string
		pools       []string
		least, most float64 // shares of the starts that the policy allows, and that easy or fcfs allow
		other       string
	}{
		{"sacct.txt", "easy", nil, 0.9, 0.6, "fcfs"},
		{"slurm-site/sacct.txt", "slurm:conf=slurm-site/slurm.conf:qos=slurm-site/qos.txt:assoc=slurm-site/assoc.txt",
			[]string{"--pool", "big=40", "--pool", "small=24"}, 0.95, 0.8, "easy"},
	} {
		t.Run(c.log, func(t *testing.T) {
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"steps.py", program, c.log, "64", c.policy, c.other}, c.pools...)
			out, err := pythonCommand(t, "../../../testdata", "python3", args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			var allowed, other, starts float64
			if _, err := fmt.Sscanf(string(out), "%g %g "+c.policy+"\n%g", &allowed, &starts, &other); err != nil || starts < 120 ||
				allowed < c.least*starts || other > c.most*starts {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

//go:build long && unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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

// TestPython runs the tests of the Python package: the conversation of policies, runs, the
// rules of Gymnasium's interface, and the examples against policies of this program.
func TestPython(t *testing.T) {
	python := pandasPython(t)
	for _, name := range []string{"policy", "run", "env", "examples"} {
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
	if ran < 4 {
		t.Errorf("%d blocks ran", ran)
	}
}

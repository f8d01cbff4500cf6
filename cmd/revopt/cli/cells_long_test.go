//go:build long

package cli

import (
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

// TestCellsInPandas reads raw results with pandas and recomputes from them the means and
// half widths that the commands report.
func TestCellsInPandas(t *testing.T) {
	python := pandasPython(t)
	script, err := filepath.Abs("testdata/cells.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, line := range map[string]string{
		"simulate":     "simulate nist-cluster --load 1.2 --jobs 300 --policy hol,fcfs",
		"validate":     "validate sp2-like --jobs 60 --policy easy,libra",
		"whatif":       "whatif nist-cluster --load 1.2 --jobs 300 --change classes.HvHu.price=+10% --change policy=fcfs",
		"whatif-trace": "whatif site --jobs 200 --change trace.nodes=+16 --change policy=value-bf",
	} {
		args := append(strings.Fields(line), "--replications", "5", "--cells", name+".csv", "--json")
		writeText(t, name+".json", must(t, args...))
	}
	writeText(t, "sweep.yaml", `scenario: nist-cluster
set: {simulation.jobs: 200}
vary: {load: [0.7, 1.1]}
policies: [hol, fcfs]
admissions: [all, analytic]
seeds: 5
classes: true
`)
	must(t, "sweep", "sweep.yaml", "-o", "sweep")
	cmd := exec.Command(python, script)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.Contains(string(out), " 0\n") {
		t.Error("nothing is compared")
	}
	t.Logf("numbers compared: %s", strings.Join(strings.Fields(string(out)), " "))
}

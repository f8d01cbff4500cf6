package cli

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTraceSum holds every result that is made of a trace to the SHA-256 of its file.
func TestTraceSum(t *testing.T) {
	t.Chdir(t.TempDir())
	// Generated jobs have no starts: all waited 0 s.
	started := regexp.MustCompile(`(?m)^(\d+ +\d+) +-1 `).ReplaceAllString(must(t, "trace", "generate", "--jobs", "60"), "$1 0 ")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, started)
	if err := errors.Join(err, w.Close(), os.WriteFile("a.swf.gz", zipped.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	data := zipped.Bytes()
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	writeText(t, "a.yaml", "trace: {file: a.swf.gz}\nclasses: [{name: jobs, price: {per_unit_hour: 1}}]\n")
	writeText(t, "s.yaml", "scenario: a.yaml\npolicies: [easy, fcfs]\nmetrics: [mean_wait]\n")
	for _, line := range []string{
		"trace info a.swf.gz", "trace fit a.swf.gz",
		"trace import a.swf.gz --from swf -o b.swf",
		"solve a.yaml --csv solve.csv", "solve --waits a.yaml --csv wait.csv",
		"solve a.yaml --vary load=0.3,0.4 --csv curve.csv --out curve.png",
		"simulate a.yaml --policy easy --csv simulate.csv --cells cells.csv --gantt gantt.svg",
		"validate a.yaml --policy easy --csv validate.csv",
		"whatif a.yaml --policy easy --change growth=10% --csv whatif.csv",
	} {
		got := must(t, append(strings.Fields(line), "--json")...)
		if !strings.Contains(got, `sha256": "`+sum) {
			t.Errorf("%s: no sum of the trace", line)
		}
	}
	must(t, "sweep", "s.yaml")
	for _, name := range []string{"solve.csv", "wait.csv", "curve.csv", "curve.png", "simulate.csv",
		"cells.csv", "gantt.svg", "validate.csv", "whatif.csv", "s/table.csv", "s/cells.csv", "s/a-points-mean_wait.svg"} {
		if !strings.Contains(readText(t, name), sum) {
			t.Errorf("%s: no sum of the trace", name)
		}
	}
}

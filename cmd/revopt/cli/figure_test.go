package cli

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFigureWritesAllFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	o := try("figure", "nist-02", "nist-13", "nist-02", "--quick")
	if o.code != exitDone || strings.Contains(o.stderr, "\r") {
		t.Fatalf("%+v", o)
	}
	if got := files(t, "out"); len(got) != 8 || strings.Count(o.stdout, "\n") != 8 {
		t.Errorf("files %v, printed %s", got, o.stdout)
	}
	for path := range strings.Lines(o.stdout) {
		if info, err := os.Stat(strings.TrimSpace(path)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	comments, _ := readTable(t, filepath.Join("out", "nist-13.csv"))
	for _, want := range []string{"# version: ", "# scenario: nist-four\n", "# command: revopt figure nist-02",
		"# remark: the paper speaks of 30 jobs"} {
		if !strings.Contains(comments, want) {
			t.Errorf("no %q in %s", want, comments)
		}
	}
	if !strings.Contains(o.stderr, "nist-13: ") || strings.Contains(o.stderr, "eading") {
		t.Errorf("remarks %s", o.stderr)
	}
	must(t, "figure", "nist-10", "--quick", "--reading", "alternative", "--format", "csv", "-o", "other")
	comments, _ = readTable(t, filepath.Join("other", "nist-10.csv"))
	if strings.Contains(comments, "# subtitle") || !strings.Contains(comments, "# remark: alternative reading: ") {
		t.Errorf("no alternative reading in %s", comments)
	}
	if out := must(t, "figure", "nist-13", "--quick", "-o", "two/x.svg"); out != "two/x.svg\n" ||
		!slices.Equal(files(t, "two"), []string{"two/x.svg"}) {
		t.Errorf("got %s and %v", out, files(t, "two"))
	}
	wrong := try("figure", "nist-13", "--reading", "joint")
	if wrong.code != exitUsage || !strings.Contains(wrong.stderr, `--reading: expected alternative, got "joint"`) {
		t.Errorf("%+v", wrong)
	}
	quiet := try("figure", "nist-02", "--quiet", "--format", "csv,CSV", "-o", "one")
	if quiet.stderr != "" || quiet.stdout != filepath.Join("one", "nist-02.csv")+"\n" {
		t.Errorf("%+v", quiet)
	}
}

// The number of workers changes no byte of any file, nor does quiet.
func TestFigureWorkers(t *testing.T) {
	t.Chdir(t.TempDir())
	var want map[string]string
	for _, args := range [][]string{{"--workers", "1"}, {"--workers=3", "--quiet"}} {
		must(t, append(shellWords("figure nist-13 libra-table1 --quick --replications 2 --format csv,svg"),
			args...)...)
		got := make(map[string]string)
		for _, path := range files(t, "out") {
			got[path] = readText(t, path)
		}
		if want != nil && !maps.Equal(got, want) {
			t.Errorf("%v: figures differ", args)
		}
		want = got
	}
	if len(want) != 4 {
		t.Errorf("%d files", len(want))
	}
}

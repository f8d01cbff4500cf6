package cli

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/cells"
	"revopt/plots/paper"
	"revopt/simulate/study"
)

// TestFigureSweep prints the sweep files of all figures that simulate, each of
// which is read as the sweep that the figure runs.
func TestFigureSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	asked := make(map[string]bool)
	for _, r := range paper.Recipes() {
		if r.Sweeps == nil {
			continue
		}
		list, err := r.Sweeps(paper.Options{Seed: 4, Quick: true, Reading: r.Reading()})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			asked[s.Hash()] = true
		}
	}
	for _, text := range strings.Split(must(t, "figure", "all", "--sweep", "--seed", "4", "--quick"), "---\n") {
		writeText(t, "s.yaml", text)
		s, err := study.ReadSweep("s.yaml", nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !asked[s.Hash()] {
			t.Errorf("no figure runs\n%s", text)
		}
		delete(asked, s.Hash())
	}
	if len(asked) > 0 {
		t.Errorf("%d sweeps are not printed", len(asked))
	}
	if left := files(t, "."); len(left) != 1 {
		t.Errorf("files %v", left)
	}
}

// TestFigureTrace takes the trace of REVOPT_TRACE unless --trace names another.
func TestFigureTrace(t *testing.T) {
	t.Setenv("REVOPT_TRACE", "variable.swf")
	for want, args := range map[string][]string{"variable.swf": nil, "flag.swf": {"--trace", "flag.swf"}} {
		for _, id := range []string{"pricing-02a", "sla-02a"} {
			text := must(t, append([]string{"figure", id, "--sweep"}, args...)...)
			if !strings.Contains(text, "trace.file: "+want+"\n") {
				t.Errorf("%s %v: no %s in\n%s", id, args, want, text)
			}
		}
	}
}

// TestFigureSweepRuns runs the first sweep of a figure: the figure has what its
// table says of the jobs that were completed, less those that were late.
func TestFigureSweepRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"figure", "libra-table1", "--replications", "3"}
	must(t, append(args, "--format", "csv")...)
	first, _, _ := strings.Cut(must(t, append(args, "--sweep")...), "---\n")
	writeText(t, "s.yaml", first)
	must(t, "sweep", "s.yaml")
	_, rows := readTable(t, "s/table.csv")
	inTime := make(map[string]float64) // by nodes and policy
	for _, row := range rows[1:] {
		name, _, _ := strings.Cut(row[2], ":")
		switch at := row[0] + name; row[5] {
		case "jobs_completed":
			inTime[at] += numberOf(t, row[6])
		case "jobs_late":
			inTime[at] -= numberOf(t, row[6])
		}
	}
	_, points := readTable(t, "out/libra-table1.csv")
	compared := 0
	for at, name := range map[string]string{"10fcfs": "FCFS", "20fcfs": "FCFS", "10libra": "Libra", "20libra": "Libra"} {
		for _, p := range points {
			if p[0] != name || p[1] != "100 jobs, "+at[:2]+" nodes" {
				continue
			}
			compared++
			if got, ok := inTime[at]; !ok || math.Abs(numberOf(t, p[2])-got) > 1e-9 {
				t.Errorf("the figure has %v, the table %g", p, got)
			}
		}
	}
	if compared != 4 {
		t.Errorf("%d points compared of %v", compared, points)
	}
}

func numberOf(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestUnfinishedDir names the directory after the build, whatever its version.
func TestUnfinishedDir(t *testing.T) {
	this, err := cells.ThisBuild("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := unfinishedDir("out")
	if want := filepath.Join("out", unfinishedName, this.Sum[:16]); err != nil || dir != want {
		t.Errorf("%s, want %s, %v", dir, want, err)
	}
}

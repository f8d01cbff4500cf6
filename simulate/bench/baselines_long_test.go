//go:build long

package bench

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// published are the mean bounded slowdowns of RLScheduler's README on the SDSC SP2, without and with backfilling.
func published() map[string][2]float64 {
	return map[string][2]float64{"FCFS": {1727.54, 1595.12}, "WFP3": {3000.88, 1083.12}, "UNICEP": {1848.45, 548.01},
		"SJF": {2680.55, 2167.84}, "F1": {1232.06, 1098.22}}
}

// TestBaselines runs the baselines of RLScheduler on its ten windows of the SDSC SP2, and compares the table of
// docs/benchmark.md with what is found; with -write it writes the table. A program of its rules finds what it published.
func TestBaselines(t *testing.T) {
	trace := &Trace{}
	for _, in := range Instances() {
		if in.Trace != nil {
			trace = in.Trace
		}
	}
	path, err := trace.find(given())
	if err != nil {
		t.Skip(err)
	}
	starts, mended := replay(t, path)
	scores, bounds := windowScores(t, path, starts)
	mean := func(name string) string {
		i := metric.Estimate(scores[name], metric.DefaultLevel)
		return text.Estimate(i.Mean, i.HalfWidth, 1)
	}
	table := text.NewTable("", "published", "wait mended", "revopt",
		"with backfilling: published", "wait mended", "revopt")
	for _, b := range baselines() {
		p, m := published()[b.name], mended[b.name]
		table.Row(b.name, text.Grouped(p[0]), text.Grouped(m[0]), mean(b.alone),
			text.Grouped(p[1]), text.Grouped(m[1]), mean(b.backfilling))
	}
	table.Row("`saf-bf`", "", "", "", "", "", mean("saf-bf"))
	table.Row("`las`, which preempts", "", "", "", "", "", mean("las"))
	for _, kind := range []string{Whole, Any} {
		i := metric.Estimate(bounds[kind], metric.DefaultLevel)
		found := text.Estimate(i.Mean, i.HalfWidth, 3)
		table.Row("bound, "+kind, "", "", found, "", "", found)
	}
	words := strings.ReplaceAll(table.Markdown(), "\\`", "`")
	const document, head, end = "../../docs/benchmark.md", "<!-- baselines -->\n", "<!-- /baselines -->"
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), head)
	stored, after, marked := strings.Cut(rest, end)
	switch {
	case !marked:
		t.Fatalf("%s: expected %s and %s", document, head, end)
	case *write:
		if err := os.WriteFile(document, []byte(before+head+words+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case stored != words:
		t.Errorf("%s: run make scores; got\n%s", document, words)
	}
}

// baseline is a policy of RLScheduler as labels of revopt, without backfilling and with it.
type baseline struct{ name, alone, backfilling string }

func baselines() []baseline {
	return []baseline{{"FCFS", "fcfs", "easy"}, {"WFP3", "wfp3:backfill=none", "wfp3"},
		{"UNICEP", "unicef:backfill=none", "unicef"}, {"SJF", "sjf", "sjf:backfill=easy"},
		{"F1", "f1:backfill=none", "f1"}}
}

// replay runs a program of RLScheduler's rules. It returns the first jobs of the windows, and by baseline the results if
// waits were right, without backfilling and with it.
func replay(t *testing.T, path string) (starts []int, mended map[string][2]float64) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3, in which the rules of RLScheduler are written")
	}
	out, err := exec.Command(python, "testdata/rlscheduler.py", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, word := range strings.Fields(lines[0]) {
		start, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, start)
	}
	mended = map[string][2]float64{}
	for _, line := range lines[1:] {
		var backfill int
		var name string
		var as, right float64
		if _, err := fmt.Sscan(line, &backfill, &name, &as, &right); err != nil {
			t.Fatal(err)
		}
		if want := published()[name][backfill]; !(math.Abs(as-want) < 0.006) {
			t.Errorf("%s: by RLScheduler's rules %v, published %v", line, as, want)
		}
		both := mended[name]
		both[backfill] = right
		mended[name] = both
	}
	return starts, mended
}

// windowScores returns the mean bounded slowdowns of policies by window, and the bounds by table.
func windowScores(t *testing.T, path string, starts []int) (scores, bounds map[string][]float64) {
	lines := jobLines(t, path)
	labels := []string{"saf-bf", "las"}
	for _, b := range baselines() {
		labels = append(labels, b.alone, b.backfilling)
	}
	var policies []subject.Policy
	for _, label := range labels {
		p, err := subject.ParsePolicy(nil, strings.Split(label, ":"))
		if err != nil {
			t.Fatal(err)
		}
		policies = append(policies, p)
	}
	scores, bounds = map[string][]float64{}, map[string][]float64{}
	ctx := context.Background()
	for _, start := range starts {
		file := filepath.Join(t.TempDir(), "window.swf")
		words := "; MaxProcs: 128\n" + strings.Join(lines[start:start+1024], "\n") + "\n"
		if err := os.WriteFile(file, []byte(words), 0o644); err != nil {
			t.Fatal(err)
		}
		doc, err := scenario.Parse("window.yaml", []byte("name: window\ntrace: {file: "+file+", nodes: 128}\n"))
		if err != nil {
			t.Fatal(err)
		}
		l, err := run.NewLab(ctx, doc, run.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		rows, bound := windowRows(t, l, policies)
		f, err := l.Frame(ctx, append(rows, bound), 1)
		if err != nil {
			t.Fatal(err)
		}
		number := func(s run.Series) float64 {
			x, ok := s.At(0)
			if !ok {
				t.Fatal("no number")
			}
			return x
		}
		jobs := f.Series(bound, run.All, run.DelayTasks)
		for i, label := range labels {
			scores[label] = append(scores[label], number(f.Delivered(run.Slowdown(), rows[i], bound, nil)))
		}
		most := number(f.Most(run.Slowdown(), bound, nil))
		once := number(f.Series(bound, run.All, run.BoundUnpreempted).Over(jobs))
		bounds[Any], bounds[Whole] = append(bounds[Any], most), append(bounds[Whole], max(most, once))
		if n := number(jobs); n != 1024 {
			t.Fatalf("%v jobs", n)
		}
	}
	return scores, bounds
}

// windowRows returns the cases of policies and that of the bounds on their slowdowns.
func windowRows(t *testing.T, l *run.Lab, policies []subject.Policy) (rows []run.Case, bound run.Case) {
	c := l.Base()
	c.Jobs.Drained = true
	for _, p := range policies {
		do, err := l.Policy(p)
		if err != nil {
			t.Fatal(err)
		}
		c.Do = do
		rows = append(rows, c)
	}
	c.Do = run.Action{Bound: run.BoundFor(run.Slowdown(), policies)}
	return rows, c
}

// jobLines returns the jobs of a trace as RLScheduler sees them: without those of run time 0, of 10 s if it is unknown,
// as wide as asked or allocated, whichever is more.
func jobLines(t *testing.T, path string) (lines []string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	if strings.HasSuffix(path, ".gz") {
		g, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		in = bufio.NewScanner(g)
	}
	for in.Scan() {
		fields := strings.Fields(in.Text())
		if len(fields) < 18 || strings.HasPrefix(fields[0], ";") {
			continue
		}
		number := func(k int) int {
			x, err := strconv.Atoi(fields[k])
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		length, width := number(3), strconv.Itoa(max(number(4), number(7)))
		if length == 0 {
			continue
		}
		if length < 0 {
			fields[3] = "10"
		}
		fields[4], fields[7], fields[10] = width, width, "1"
		lines = append(lines, strings.Join(fields, " "))
	}
	return lines
}

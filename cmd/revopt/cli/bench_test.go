package cli

import (
	"regexp"
	"strings"
	"testing"

	"revopt/plots/answer"
)

// TestBench follows a schedule from a simulation to the check, which finds the score of bench run, and breaks it.
func TestBench(t *testing.T) {
	t.Chdir(t.TempDir())
	bound := number(t, told(t, "bench", "run", "tight-1.5", "--policy", "easy"), "scores", 0, "bound")
	writeText(t, "tight-1.5.csv", "job,start,end\n0,0,9481\n")
	got := told(t, "bench", "check", "tight-1.5.csv")
	// The first job has 8 nodes, and pays 4 $ per node-hour by its deadline.
	worth := 4 * 8 * 9481 / 3600.
	checked := answer.Fact{Values: got.Values}
	if !checked.Value("valid").True || checked.Value("value").Number != worth ||
		checked.Value("share").Number != worth/bound {
		t.Errorf("got %+v, want a value of %v of %v", got.Values, worth, bound)
	}
	writeText(t, "tight-1.5.csv", "job,start,end\n0,0,9482\n")
	o := try("bench", "check", "tight-1.5.csv")
	if o.code != exitShort || !strings.Contains(o.stdout, "   2    0  length  9,482  9,481\n") {
		t.Errorf("exit %d, %s", o.code, o.stdout)
	}
	for _, dir := range []string{"tight-1.5.csv", ""} { // refused before the run
		o := try("bench", "run", "tight-1.5", "--policy", "easy", "--schedule", dir)
		if o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: --schedule: expected a directory") {
			t.Errorf("schedules in %q: %+v", dir, o)
		}
	}
	writeText(t, "wait.csv", "job,start,end\n")
	o = try("bench", "check", "wait.csv", "--instance", "users-0.7")
	if o.code != 0 || strings.Contains(o.stdout, "NaN") {
		t.Errorf("no job runs: %+v", o)
	}
	if o := try("bench", "check", "tight-1.5.csv", "--instance", "sp2-value"); o.code != exitUsage {
		t.Errorf("without the trace: exit %d", o.code)
	}
	writeText(t, "SDSC-SP2-1998-4.2-cln.swf", "; another text\n")
	for _, args := range [][]string{
		{"bench", "jobs", "sp2-wait"}, {"bench", "run", "sp2-wait", "--policy", "easy"}, {"bench", "verify", "sp2-wait"},
	} {
		o := try(append(args, "--traces", ".")...)
		const want = "revopt: sp2-wait: SDSC-SP2-1998-4.2-cln.swf: another file: SHA-256 "
		if o.code != exitUsage || !strings.HasPrefix(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%v with another trace: exit %d, %s", args, o.code, o.stderr)
		}
		o = try(append(args, "--traces", t.TempDir())...)
		if o.code != exitUsage || !strings.Contains(o.stderr, "cln.swf.gz of https://www.cs.huji.ac.il") {
			t.Errorf("%v without the trace: exit %d, %s", args, o.code, o.stderr)
		}
	}
}

// TestBenchList: the best of each table is no worse in table any, and that of tight-1.5 preempts.
func TestBenchList(t *testing.T) {
	a := told(t, "bench", "list")
	rows, _ := a.Table("instances")
	if len(rows.Rows) != 48 {
		t.Fatalf("%d rows", len(rows.Rows))
	}
	for i := 0; i < len(rows.Rows); i += 2 {
		name := value(t, a, "instances", i, "instance").Word
		less := value(t, a, "instances", i, "objective").Word != "value"
		for k := i; k <= i+1; k++ {
			x, bound := number(t, a, "instances", k, "built_in_value"), number(t, a, "instances", k, "bound")
			share := x / bound
			if less {
				share = bound / x
			}
			if number(t, a, "instances", k, "share") != share {
				t.Errorf("%s: share of %g is not %g", name, x, share)
			}
		}
		whole, all := number(t, a, "instances", i, "built_in_value"), number(t, a, "instances", i+1, "built_in_value")
		if whole != all && (whole > all) != less {
			t.Errorf("%s: %g of whole schedules, %g of all", name, whole, all)
		}
		best := value(t, a, "instances", i+1, "built_in").Word
		if name == "tight-1.5" && best != "value-bf:preempt=suspend" {
			t.Errorf("%s: %s is best", name, best)
		}
	}
}

// TestBenchLeftOut: a program that fails has no score; other policies and instances have theirs.
func TestBenchLeftOut(t *testing.T) {
	o := try("bench", "run", "tight-0.7", "tight-1.5", "--policy", "exec:false", "--policy", "fcfs", "--json")
	a := readAnswer(t, o.stdout)
	if rows, _ := a.Table("scores"); len(rows.Rows) != 4 {
		t.Fatal(o)
	}
	for i := range 4 {
		why, share := value(t, a, "scores", i, "why").Word, value(t, a, "scores", i, "share")
		if program := value(t, a, "scores", i, "policy").Word == "exec:false"; program != (why == "failed" && !share.Known()) {
			t.Errorf("row %d: %q, %+v", i, why, share)
		}
	}
	if o.code != exitFailed || !strings.HasPrefix(o.stderr, "revopt: tight-0.7: policy exec:") ||
		!strings.Contains(o.stderr, "; tight-1.5: policy exec:") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}

// TestBenchPrograms checks that a program plays the same game as a policy of revopt: EASY in Python has the
// score of easy, with public run times and without.
func TestBenchPrograms(t *testing.T) {
	a := told(t, "bench", "run", "tight-0.7", "classes-wait-0.7", "users-0.7", "--policy", "easy", "--policy",
		pythonEasy(t))
	for i := 0; i < 6; i += 2 {
		if x, y := number(t, a, "scores", i, "value"), number(t, a, "scores", i+1, "value"); x != y {
			t.Errorf("policy %v, program %v", x, y)
		}
	}
}

// TestBenchTable checks that names of policies cannot leave their cells, and that impossible scores are refused.
func TestBenchTable(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "bench", "run", "tight-1.0", "--policy", "fcfs", "--save", "fcfs.json")
	saved := readText(t, "fcfs.json")
	writeText(t, "a.json", strings.ReplaceAll(saved, `"policy": "fcfs"`, `"policy": "<!-- end -->|`+"`"+`<b>"`))
	writeText(t, "doc.md", "<!-- bench -->\n<!-- end -->\n")
	out := must(t, "bench", "table", "a.json", "-o", "doc.md")
	if !strings.Contains(out, "NO_BASELINE") {
		t.Errorf("got %s, want a warning that there are no scores of easy", out)
	}
	const name = "|&lt;!-- end --&gt;\\|\\`&lt;b&gt;|"
	if doc := readText(t, "doc.md"); !strings.Contains(doc, name) {
		t.Errorf("no %s in %s", name, doc)
	}
	writeText(t, "b.json", regexp.MustCompile(`"value": [0-9.]+`).ReplaceAllString(saved, `"value": 200000`))
	o := try("bench", "table", "b.json")
	const line = `revopt: b.json: "fcfs" on "tight-1.0": expected a value within the bound of 100427, got 200000`
	if o.code != exitUsage || o.stderr != line+"\n" {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
}

package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestBench follows a schedule from a simulation to the check, which finds the score of bench run, and breaks it.
func TestBench(t *testing.T) {
	t.Chdir(t.TempDir())
	var row struct {
		Instances []struct{ Value, Bound, Share float64 }
	}
	out := must(t, "bench", "run", "tight-1.5", "--policy", "easy", "--json")
	if err := json.Unmarshal([]byte(out), &row); err != nil {
		t.Fatal(err)
	}
	writeText(t, "tight-1.5.csv", "job,start,end\n0,0,9481\n")
	var got struct {
		Valid        bool
		Value, Share float64
		Faults       []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(must(t, "bench", "check", "tight-1.5.csv", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	// The first job has 8 nodes, and pays 4 $ per node-hour by its deadline.
	worth := 4 * 8 * 9481 / 3600.
	if bound := row.Instances[0].Bound; !got.Valid || got.Value != worth || got.Share != worth/bound {
		t.Errorf("got %+v, want a value of %v of %v", got, worth, bound)
	}
	writeText(t, "tight-1.5.csv", "job,start,end\n0,0,9482\n")
	o := try("bench", "check", "tight-1.5.csv")
	want := "line 2: job 0 ends at 9482 s, and its run time ends at 9481 s"
	if o.code != exitShort || !strings.Contains(o.stdout, want) {
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

// TestBenchList: the fields of the JSON, and the best of tight-1.5, which preempts.
func TestBenchList(t *testing.T) {
	type best struct {
		Policy              string
		Value, Bound, Share float64
	}
	var got struct {
		Instances []struct {
			Name, Objective string
			Best            struct{ Whole, Any best }
		}
	}
	if err := json.Unmarshal([]byte(must(t, "bench", "list", "--json")), &got); err != nil || len(got.Instances) != 24 {
		t.Fatal(got, err)
	}
	for _, in := range got.Instances {
		share := func(b best) float64 {
			if in.Objective == "value" {
				return b.Value / b.Bound
			}
			return b.Bound / b.Value
		}
		whole, all := in.Best.Whole, in.Best.Any
		worse := whole.Value != all.Value && (whole.Value > all.Value) == (in.Objective == "value")
		if whole.Share != share(whole) || all.Share != share(all) || worse || whole.Policy == "" || all.Policy == "" {
			t.Errorf("%+v", in)
		}
		if in.Name == "tight-1.5" && (whole.Policy == all.Policy || all.Policy != "value-bf:preempt=suspend") {
			t.Errorf("%+v", in)
		}
	}
}

// TestBenchLeftOut: a program that fails has no score; other policies and instances have theirs.
func TestBenchLeftOut(t *testing.T) {
	o := try("bench", "run", "tight-0.7", "tight-1.5", "--policy", "exec:false", "--policy", "fcfs", "--json")
	var got struct {
		Instances []struct {
			Name, Policy, Why string
			Share             *float64
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &got); err != nil || len(got.Instances) != 4 {
		t.Fatal(o, err)
	}
	for i, row := range got.Instances {
		if program := i%2 == 0; program != (row.Policy == "exec:false" && row.Why == "failed" && row.Share == nil) {
			t.Errorf("row %d: %+v", i, row)
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
	out := must(t, "bench", "run", "tight-0.7", "classes-wait-0.7", "users-0.7", "--json",
		"--policy", "easy", "--policy", pythonEasy(t))
	var got struct{ Instances []struct{ Value float64 } }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Instances) != 6 {
		t.Fatal(out, err)
	}
	for i := 0; i < 6; i += 2 {
		if a, b := got.Instances[i], got.Instances[i+1]; a != b {
			t.Errorf("policy %v, program %v", a, b)
		}
	}
}

// TestBenchTable checks that names of policies cannot leave their cells, and that errors name the file.
func TestBenchTable(t *testing.T) {
	t.Chdir(t.TempDir())
	row := func(policy string, value int) string {
		return fmt.Sprintf(`{"instances":[{"name":"tight-1.0","objective":"value","bound":100427,`+
			`"policy":"%s","value":%d}]}`, policy, value)
	}
	writeText(t, "a.json", row("<!-- end -->|`<b>"+strings.Repeat("x", 99), 50000))
	out := must(t, "bench", "table", "a.json")
	const name = "&lt;!-- end --&gt;\\|\\`&lt;b&gt;"
	want := "|" + name + strings.Repeat("x", 42) + "…|1.0|1|49.8||\n"
	if !strings.Contains(out, want) || !strings.Contains(out, "no scores of easy") {
		t.Errorf("got %s, want %s", out, want)
	}
	writeText(t, "b.json", row("a", 200000))
	o := try("bench", "table", "a.json", "b.json")
	const line = `revopt: b.json: "a" on "tight-1.0": expected a value within the bound of 100427, got 200000`
	if o.code != exitUsage || o.stderr != line+"\n" {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
}

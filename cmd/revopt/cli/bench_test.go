package cli

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"revopt/internal/truth"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// TestBench follows a schedule from a simulation to the check, which finds the score of bench run, and breaks it.
func TestBench(t *testing.T) {
	t.Chdir(t.TempDir())
	bound := number(t, told(t, "bench", "run", "tight-1.5-1", "--policy", "easy"), "scores", 0, "bound")
	writeText(t, "tight-1.5-1.csv", "job,start,end\n0,0,9481\n")
	got := told(t, "bench", "check", "tight-1.5-1.csv")
	// The first job has 8 nodes, and pays 4 $ per node-hour by its deadline.
	worth := 4 * 8 * 9481 / 3600.
	checked := answer.Fact{Values: got.Values}
	if !checked.Value("valid").True || checked.Value("value").Number != worth ||
		checked.Value("share").Number != worth/bound {
		t.Errorf("got %+v, want a value of %v of %v", got.Values, worth, bound)
	}
	writeText(t, "tight-1.5-1.csv", "job,start,end\n0,0,9482\n")
	o := try("bench", "check", "tight-1.5-1.csv")
	if o.code != exitShort || !strings.Contains(o.stdout, "   2    0  length  9,482  9,481\n") {
		t.Errorf("exit %d, %s", o.code, o.stdout)
	}
	for _, dir := range []string{"tight-1.5-1.csv", ""} { // refused before the run
		o := try("bench", "run", "tight-1.5-1", "--policy", "easy", "--schedule", dir)
		if o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: --schedule: expected a directory") {
			t.Errorf("schedules in %q: %+v", dir, o)
		}
	}
	writeText(t, "wait.csv", "job,start,end\n")
	o = try("bench", "check", "wait.csv", "--instance", "users-1.0-1")
	if o.code != 0 || strings.Contains(o.stdout, "NaN") {
		t.Errorf("no job runs: %+v", o)
	}
	if o := try("bench", "check", "tight-1.5-1.csv", "--instance", "sp2-value-1"); o.code != exitUsage {
		t.Errorf("without the trace: exit %d", o.code)
	}
	writeText(t, "SDSC-SP2-1998-4.2-cln.swf", "; another text\n")
	for _, args := range [][]string{
		{"bench", "jobs", "sp2-wait-1"}, {"bench", "run", "sp2-wait-1", "--policy", "easy"}, {"bench", "verify", "sp2-wait-1"},
	} {
		o := try(append(args, "--traces", ".")...)
		const want = "revopt: sp2-wait-1: SDSC-SP2-1998-4.2-cln.swf: another file: SHA-256 "
		if o.code != exitUsage || !strings.HasPrefix(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%v with another trace: exit %d, %s", args, o.code, o.stderr)
		}
		o = try(append(args, "--traces", t.TempDir())...)
		if o.code != exitUsage || !strings.Contains(o.stderr, "cln.swf.gz of https://www.cs.huji.ac.il") {
			t.Errorf("%v without the trace: exit %d, %s", args, o.code, o.stderr)
		}
	}
}

// TestBenchCausal: a policy that knows the future is named, with exit code 3, and marked in scores.
func TestBenchCausal(t *testing.T) {
	if a := told(t, "bench", "check", "--causal", "--policy", "easy,conservative"); a.Headline.Code != "CAUSAL" {
		t.Errorf("%+v", a)
	}
	spec := policy.Spec{Name: "peek", Make: policy.PerSite(func(policy.Settings) simulate.Policy {
		return &policy.Backfill{Key: func(j *simulate.Job, _ float64) float64 { return j.Left(truth.Key{}, 0) }}
	})}
	with := func(args ...string) (answer.Answer, int) {
		var stdout, stderr strings.Builder
		code := run(context.Background(), append(args, "--json"), strings.NewReader(""), &stdout, &stderr, With(spec))
		return readAnswer(t, stdout.String()), code
	}
	a, code := with("bench", "check", "--causal", "--policy", "easy,peek")
	if a.Headline.Code != "SAW_FUTURE" || code != exitShort || value(t, a, "policies", 0, "causal").Word != "causal" ||
		value(t, a, "policies", 1, "causal").Word != "saw the future" {
		t.Errorf("exit %d, %+v", code, a)
	}
	a, _ = with("bench", "run", "tight-1.0-2", "--policy", "easy,peek")
	if value(t, a, "scores", 0, "causal").Known() || value(t, a, "scores", 1, "causal").Word != "saw the future" {
		t.Errorf("%+v", a)
	}
}

// TestBenchList: no schedule passes a bound, any schedule is no worse than a whole one, and what is known is no worse
// than the best policy of revopt, and with all jobs known no worse than without.
func TestBenchList(t *testing.T) {
	a := told(t, "bench", "list", "--quiet")
	rows, _ := a.Table("instances")
	if families, _ := a.Table("families"); len(families.Rows) != 12 || len(rows.Rows) != 240 {
		t.Fatalf("%d families, %d rows", len(families.Rows), len(rows.Rows))
	}
	kept := 0
	for i := range rows.Rows {
		name := value(t, a, "instances", i, "instance").Word
		worse := func(than, x float64) bool { // x is worse
			if value(t, a, "instances", i, "objective").Word != "value" {
				return x > than*(1+1e-9)
			}
			return x < than*(1-1e-9)
		}
		built := number(t, a, "instances", i, "built_in_value")
		online, offline := number(t, a, "instances", i, "online_value"), number(t, a, "instances", i, "offline_value")
		bound := number(t, a, "instances", i, "bound")
		if worse(built, online) || worse(online, offline) || worse(offline, bound) {
			t.Errorf("%s: bound %g, offline %g, online %g, built in %g", name, bound, offline, online, built)
		}
		if i%2 == 1 && worse(number(t, a, "instances", i-1, "built_in_value"), built) {
			t.Errorf("%s: any schedule is worse than a whole one", name)
		}
		if online != built || offline != built {
			kept++
			if !strings.HasSuffix(name, "-1") {
				t.Errorf("%s: known, though it is not the first", name)
			}
		}
	}
	if kept == 0 {
		t.Error("no schedule is better than those of the policies of revopt")
	}
}

// TestBenchBetter: a schedule that is checked is compared with the best known. Of seeds but the first these are of
// built-in policies, and schedules that know the future are better.
func TestBenchBetter(t *testing.T) {
	t.Chdir(t.TempDir())
	told(t, "bench", "found", "exact-1.0-5", "--found", "100", "-o", "exact-1.0-5.csv")
	a := told(t, "bench", "check", "exact-1.0-5.csv")
	better := value(t, a, "known", 1, "better").Number
	if headline := a.Headline.Value("better").Number; !(better > 0.1) || headline != better ||
		number(t, a, "known", 0, "value") <= 1 {
		t.Errorf("%g better than the best known, %g in the headline", better, headline)
	}
	writeText(t, "exact-1.0-5.csv", "job,start,end\n0,0,1\n")
	o := try("bench", "check", "exact-1.0-5.csv", "--json")
	if _, compared := readAnswer(t, o.stdout).Table("known"); compared {
		t.Errorf("a schedule with faults is compared: %+v", o)
	}
}

// TestBenchPrograms checks that a program plays the same game as a policy of revopt: EASY in Python has the
// score of easy, with public run times and without.
func TestBenchPrograms(t *testing.T) {
	a := told(t, "bench", "run", "tight-1.0-2", "classes-wait-1.0-1", "users-1.0-1", "--policy", "easy", "--policy",
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
	must(t, "bench", "run", "tight-1.0-1", "--policy", "fcfs", "--save", "fcfs.json")
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
	const line = `revopt: b.json: "fcfs" on "tight-1.0-1": expected a value within the bound of `
	if o.code != exitUsage || !strings.HasPrefix(o.stderr, line) || !strings.HasSuffix(o.stderr, ", got 200000\n") {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
}

// TestBenchCheats: edited results and schedules that break a rule are refused or marked. A row that differs from the
// score that the program carries is claimed, whatever the name of its policy.
func TestBenchCheats(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "bench", "run", "tight-1.0-1", "--policy", "easy", "--save", "easy.json")
	claimed := func(file string) float64 {
		return number(t, told(t, "bench", "table", file), "any", 0, "claimed")
	}
	if n := claimed("easy.json"); n != 0 {
		t.Errorf("%g scores of easy are claimed", n)
	}
	saved := readText(t, "easy.json")
	writeText(t, "more.json", regexp.MustCompile(`("value": )[0-9.]+`).ReplaceAllString(saved, "${1}90000"))
	if n := claimed("more.json"); n != 1 {
		t.Errorf("of an edited score, %g are claimed", n)
	}
	writeText(t, "old.json", regexp.MustCompile(`("benchmark": )2`).ReplaceAllString(saved, "${1}1"))
	if o := try("bench", "table", "old.json"); o.code == 0 || !strings.Contains(o.stderr, "version 2 of the benchmark") {
		t.Errorf("scores of another version: %+v", o)
	}
	for lines, fault := range map[string]string{
		"0,-5,9476\n":                "early",  // before it is submitted
		"0,9481,0\n":                 "length", // reversed
		"0,0,1\n":                    "length",
		"0,0,9481\n0,0,9481\n":       "overlap", // paid twice
		"0,0,9481\n0,9000,8000\n":    "empty",
		"99999,0,9481\n":             "unknown",
		"0,0,4000\n0,5000,10481.5\n": "work",
	} {
		writeText(t, "tight-1.0-1.csv", "job,start,end\n"+lines)
		o := try("bench", "check", "tight-1.0-1.csv", "--json")
		a := readAnswer(t, o.stdout)
		if o.code != exitShort || value(t, a, "faults", 0, "fault").Word != fault {
			t.Errorf("%q: exit %d, %s", lines, o.code, o.stdout)
		}
	}
	for _, lines := range []string{"0,,9481\n", "0,0,\n", ",0,9481\n", "0,NaN,1\n", "0,0,Inf\n"} { // blank times
		writeText(t, "tight-1.0-1.csv", "job,start,end\n"+lines)
		if o := try("bench", "check", "tight-1.0-1.csv"); o.code == 0 {
			t.Errorf("%q is accepted", lines)
		}
	}
}

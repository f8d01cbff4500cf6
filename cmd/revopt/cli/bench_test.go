package cli

import (
	"strings"
	"testing"

	"revopt/plots/answer"
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
		{"bench", "jobs", "sp2-wait-1"}, {"bench", "run", "sp2-wait-1", "--policy", "easy"},
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

// TestBenchList: no policy of revopt passes a bound, and every instance has its best policy.
func TestBenchList(t *testing.T) {
	a := told(t, "bench", "list", "--quiet")
	rows, _ := a.Table("instances")
	if families, _ := a.Table("families"); len(families.Rows) != 12 || len(rows.Rows) != 120 {
		t.Fatalf("%d families, %d rows", len(families.Rows), len(rows.Rows))
	}
	for i := range rows.Rows {
		share := number(t, a, "instances", i, "built_in_value") / number(t, a, "instances", i, "bound")
		if value(t, a, "instances", i, "objective").Word != "value" {
			share = 1 / share
		}
		if !(share > 0 && share <= 1+1e-9) || value(t, a, "instances", i, "built_in").Word == "" {
			t.Errorf("%s: a share of %g", value(t, a, "instances", i, "instance").Word, share)
		}
	}
}

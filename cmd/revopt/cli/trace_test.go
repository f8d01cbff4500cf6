package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/plots/answer"
)

// oddTrace has one job of every kind that needs cleaning, out of order.
const oddTrace = `; MaxProcs: 16
; MaxJobs: 99
1 100 -1 50 4 -1 -1 4 80 -1 1 1 1 1 1 -1 -1 -1
2 110 -1 -1 -1 -1 -1 8 80 -1 5 1 1 1 1 -1 -1 -1
3 130 -1 50 4 -1 -1 -1 -1 -1 1 1 1 1 1 -1 -1 -1
4 120 -1 90 32 -1 -1 32 80 -1 1 1 1 1 1 -1 -1 -1
`

// quantity returns the place of a quantity in the answer of trace info.
func quantity(t *testing.T, a answer.Answer, name string) int {
	t.Helper()
	return slices.Index(texts(t, a, "quantities", "quantity"), name)
}

// cleaned returns the table of cleaning as words.
func cleaned(t *testing.T, a answer.Answer) string {
	t.Helper()
	list := []string{fmt.Sprintf("%s: %g of %g", fact(a, "cleaning").Word, fact(a, "left").Number, fact(a, "read").Number)}
	for i, reason := range texts(t, a, "cleaning", "reason") {
		list = append(list, fmt.Sprint(reason, " ", number(t, a, "cleaning", i, "jobs")))
	}
	return strings.Join(list, ", ")
}

func TestTraceInfo(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "odd.swf", oddTrace)
	r := told(t, "trace", "info", "odd.swf", "--sort")
	of := func(name, column string) float64 { return number(t, r, "quantities", quantity(t, r, name), column) }
	const want = "keep: 4 of 4, no_run_time 1, allocated_processors 1, no_estimate 1, overrun 1, too_wide 1"
	if got := cleaned(t, r); got != want || fact(r, "units").Number != 16 || fact(r, "span").Number != 30 ||
		fact(r, "out_of_order").Number != 1 || of("interarrival", "mean") != 10 || of("width", "max") != 32 ||
		of("run time", "min") != 1 || fact(r, "powers_of_two").Number != 1 || !slices.Equal(codes(r), []string{"SORTED"}) {
		t.Errorf("got %s, %+v", got, r)
	}
	r = told(t, "trace", "info", "odd.swf", "--sort", "--cleaning", "drop", "--jobs", "first:2", "--nodes", "2")
	if fact(r, "left").Number != 1 || fact(r, "units").Number != 2 || !strings.HasSuffix(cleaned(t, r), "too_wide 1") {
		t.Errorf("got %+v", r)
	}
	must(t, "trace", "info", "odd.swf", "--sort", "-o", "fig")
	if got := files(t, "fig"); len(got) != 4 {
		t.Errorf("files %v", got)
	}
	must(t, "trace", "info", "sp2-like", "-o", "one.svg")
	svg, err := os.ReadFile("one.svg")
	if err != nil || !strings.Contains(string(svg), "Arrivals") || !strings.Contains(string(svg), "never ran") {
		t.Errorf("%v: the figure lacks its words or its provenance", err)
	}
}

// TestTraceClean: a cleaned trace needs no cleaning, says what was done, and
// cleaning is idempotent.
func TestTraceClean(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "odd.swf", oddTrace)
	for _, out := range []string{"clean.swf", "clean.swf.gz"} {
		a := told(t, "trace", "clean", "odd.swf", "--sort", "-o", out)
		if got := cleaned(t, a); !strings.HasPrefix(got, "drop: 3 of 4, no_run_time 1, ") {
			t.Errorf("got %s", got)
		}
		r := told(t, "trace", "info", out)
		least := number(t, r, "quantities", quantity(t, r, "estimate"), "min")
		if got := cleaned(t, r); got != "keep: 3 of 3, overrun 1, too_wide 1" || least != 50 {
			t.Errorf("%s: got %s, estimates of at least %g s", out, got, least)
		}
	}
	data := readText(t, "clean.swf")
	for _, want := range []string{"; MaxProcs: 16\n", "; MaxJobs: 3\n", "cleaning drop, 4 read, 3 left", "; Note: revopt: sorted, 1 were out of order", "\n3 130 -1 50 4 -1 -1 4 50 "} {
		if !strings.Contains(data, want) {
			t.Errorf("no %q in %s", want, data)
		}
	}
	if strings.Contains(data, "99") {
		t.Errorf("the old number of jobs is still there: %s", data)
	}
	// Under reject, what never ran stays as it is; under keep, it becomes 1 s.
	must(t, "trace", "clean", "odd.swf", "--sort", "--cleaning", "reject", "-o", "r.swf")
	if got := cleaned(t, told(t, "trace", "info", "r.swf")); !strings.Contains(got, "no_run_time 1") {
		t.Errorf("reject: %s", got)
	}
	must(t, "trace", "clean", "odd.swf", "--sort", "--cleaning", "keep", "-o", "k.swf")
	if got := cleaned(t, told(t, "trace", "info", "k.swf")); strings.Contains(got, "no_run_time") || !strings.HasPrefix(got, "keep: 4 of 4") {
		t.Errorf("keep: %s", got)
	}
}

// TestTraceGenerate: a generated file is what sp2-like stands for.
func TestTraceGenerate(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "trace", "generate", "--jobs", "200", "--seed", "7", "-o", "g.swf.gz")
	must(t, "trace", "generate", "--jobs", "200", "--seed", "7", "-o", "g.swf")
	data, err := os.ReadFile("g.swf")
	if err != nil || must(t, "trace", "generate", "--jobs", "200", "--seed", "7") != string(data) {
		t.Errorf("%v: standard output differs from the file", err)
	}
	file := told(t, "trace", "info", "g.swf.gz")
	name := told(t, "trace", "info", "sp2-like", "--jobs", "first:200", "--seed", "7")
	if !reflect.DeepEqual(file.Tables, name.Tables) || fact(file, "load") != fact(name, "load") {
		t.Errorf("the file has %+v, the name %+v", file, name)
	}
	// So are simulations of them.
	scenario := "trace: {file: g.swf, cleaning: drop}\npolicies: [easy]\nsimulation: {replications: 1}\n"
	writeText(t, "g.yaml", scenario)
	writeText(t, "n.yaml", strings.Replace(scenario, "file: g.swf", "file: sp2-like, jobs: last:200", 1))
	a, b := must(t, "simulate", "g.yaml", "--seed", "7", "--quiet"), must(t, "simulate", "n.yaml", "--seed", "7", "--quiet")
	if rows := func(s string) string { return s[strings.Index(s, "\npolicy"):] }; rows(a) != rows(b) {
		t.Errorf("got\n%s\nand\n%s", a, b)
	}
}

// TestSimulateTrace: all outputs agree, and one worker gives what two give.
func TestSimulateTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	line := []string{"simulate", "sp2-sla", "--jobs", "100", "--replications", "3", "--records", "r.csv", "--csv", "t.csv", "--json"}
	out := must(t, line...)
	if one := must(t, append(line, "--workers", "1")...); one != out {
		t.Error("the number of workers changes results")
	}
	a := readAnswer(t, out)
	for i, policy := range []string{"libra:spare=none", "libra-sla"} {
		at := func(column string) float64 { return number(t, a, "policies", i, column) }
		if value(t, a, "policies", i, "policy").Word != policy || at("jobs_completed")+at("jobs_rejected") != 100 ||
			!(at("profitability") > 0 && at("profitability") < 1) || value(t, a, "customers", 2*i+1, "customer").Word != "high" {
			t.Errorf("%+v", a.Tables[0])
		}
	}
	never := slices.Index(texts(t, a, "cleaning", "reason"), "no_run_time")
	if never < 0 || a.Replications != 3 {
		t.Fatalf("%+v", a.Tables)
	}
	records, err := os.ReadFile("r.csv")
	if n := strings.Count(string(records), "\n"); err != nil || n != 1+2*3*100 || strings.Count(string(records), "never ran") == 0 {
		t.Errorf("%v, %d lines of records", err, n)
	}
	_, rows := readTable(t, "t.csv")
	if len(rows) != 3 || rows[2][0] != "libra-sla" {
		t.Errorf("%v", rows)
	}
}

// TestPaperStatistics: trace info has the numbers that the papers print.
func TestPaperStatistics(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "traces", "SDSC-SP2-1998-4.2-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("the SDSC SP2 trace is not at ../shared/traces: get SDSC-SP2-1998-4.2-cln.swf.gz from the Parallel Workloads Archive")
	}
	r := told(t, "trace", "info", path, "--jobs", "last:5000")
	mean := func(name string) float64 { return number(t, r, "quantities", quantity(t, r, name), "mean") }
	got := fmt.Sprintf("%.1f %.1f %.2f", mean("interarrival"), mean("run time"), mean("width"))
	if got != "1968.9 8671.1 16.91" || fact(r, "units").Number != 128 || !strings.Contains(cleaned(t, r), "no_run_time 469") {
		t.Errorf("%s, %s", got, cleaned(t, r))
	}
}

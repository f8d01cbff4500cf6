package cli

import (
	"slices"
	"strings"
	"testing"
)

// TestSimulateUsers works a schedule by hand: on one unit, first come first served, ann runs from 0
// to 100 s and, submitted at 20 s, from 150 s to 250 s; user 2, without a name, runs from 100 s to
// 150 s, submitted at 10 s. A unit-hour is $36, so that the jobs are worth $1, $1 and $0.5.
func TestSimulateUsers(t *testing.T) {
	t.Chdir(t.TempDir())
	const header = "; MaxProcs: 1\n; UnixStartTime: 0\n"
	row := func(id, submit, run, user string) string {
		return id + " " + submit + " -1 " + run + " 1 -1 -1 1 " + run + " -1 1 " + user + " -1 -1 -1 -1 -1 -1\n"
	}
	writeText(t, "a.swf", header+"; User: 1 ann\n"+row("1", "0", "100", "1")+row("2", "10", "50", "2")+
		row("3", "20", "100", "1"))
	writeText(t, "none.swf", header+row("1", "0", "100", "-1"))
	classes := "\nclasses: [{name: jobs, price: {per_unit_hour: 36}}]\n"
	writeText(t, "a.yaml", "trace: {file: a.swf}"+classes)
	writeText(t, "none.yaml", "trace: {file: none.swf}"+classes)

	line := strings.Fields("simulate a.yaml --policy fcfs --by user --quiet")
	a := told(t, line...)
	if got := texts(t, a, "users", "user"); !slices.Equal(got, []string{"ann", "2"}) {
		t.Fatalf("users %s", got)
	}
	for i, want := range [][4]float64{{2, 65, (1 + 2.3) / 2, 2}, {1, 90, 140.0 / 50, 0.5}} {
		at := func(column string) float64 { return number(t, a, "users", i, column) }
		if got := [4]float64{at("jobs_submitted"), at("mean_wait"), at("slowdown"), at("value_total")}; got != want {
			t.Errorf("user %d has %v, want %v", i, got, want)
		}
	}
	for _, name := range []string{"none.yaml", "nist-four"} {
		if o := try("simulate", name, "--by", "user"); o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", name, o.code, o.stderr)
		}
	}
}

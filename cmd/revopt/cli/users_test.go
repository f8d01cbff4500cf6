package cli

import (
	"encoding/json"
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

	line := strings.Fields("simulate a.yaml --policy fcfs --by user --save a.json --quiet")
	table := must(t, line...)
	if !strings.Contains(table, "ann           2     65.0 s     1.650    2.000\n") {
		t.Errorf("no such user in %s", table)
	}
	if got := must(t, "show", "a.json", "--quiet"); got != table {
		t.Errorf("saved: %s, printed: %s", got, table)
	}
	type number struct{ Mean float64 }
	var got struct {
		Policies []struct {
			Users []struct {
				User        string
				Jobs, Value number
				Wait        number `json:"mean_wait"`
				Slowdown    number `json:"bounded_slowdown"`
			}
		}
	}
	if err := json.Unmarshal([]byte(must(t, append(line, "--json")...)), &got); err != nil {
		t.Fatal(err)
	}
	users := got.Policies[0].Users
	if len(users) != 2 {
		t.Fatalf("%d users, want 2", len(users))
	}
	for i, want := range [][4]float64{{2, 65, (1 + 2.3) / 2, 2}, {1, 90, 140.0 / 50, 0.5}} {
		u := users[i]
		if got := [4]float64{u.Jobs.Mean, u.Wait.Mean, u.Slowdown.Mean, u.Value.Mean}; got != want ||
			u.User != []string{"ann", "2"}[i] {
			t.Errorf("%s has %v, want %v", u.User, got, want)
		}
	}
	for _, name := range []string{"none.yaml", "nist-four"} {
		if o := try("simulate", name, "--by", "user"); o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", name, o.code, o.stderr)
		}
	}
}

package cli

import (
	"encoding/json"
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
	if o := try("bench", "check", "tight-1.5.csv", "--instance", "sp2-value"); o.code != exitUsage {
		t.Errorf("without the trace: exit %d", o.code)
	}
}

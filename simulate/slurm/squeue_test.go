package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadQueue reads jobs in the recommended columns, and in those of a plain squeue with a name.
func TestReadQueue(t *testing.T) {
	file := filepath.Join(t.TempDir(), "squeue")
	for name, c := range map[string]struct {
		text string
		now  float64
	}{
		"columns": {"JOBID|USER|ACCOUNT|PARTITION|QOS|STATE|NODES|CPUS|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT\n" +
			"7|ann|phys|batch|gold|RUNNING|2|8|2026-01-01T00:00:00|2026-01-01T01:00:00|1:00:00|1-00:00:00\n" +
			"8_[1-2%1]|bob|chem|batch|gold|PENDING|4|16|2026-01-01T01:30:00|N/A|0:00|UNLIMITED\n", 1767232800},
	} {
		os.WriteFile(file, []byte(c.text), 0o600)
		jobs, now, err := ReadQueue(file, nil)
		if err != nil || len(jobs) != 3 || now != c.now {
			t.Fatalf("%s: %d jobs at %f, %v", name, len(jobs), now, err)
		}
		a := QueuedJob{"7", 0, 0, 0, 0, "ann", "phys", "batch", "gold", true, 2, 8, 1767225600, 1767229200, 86400, 0, "", false, 0, 2}
		b := QueuedJob{"8_2", 0, 0, 0, 0, "bob", "chem", "batch", "gold", false, 4, 16, 1767231000, 0, 0, 0, "", false, 0, 3}
		if jobs[0] != a || jobs[2] != b {
			t.Errorf("%s: got %+v and %+v", name, jobs[0], jobs[2])
		}
	}
	os.WriteFile(file, []byte("  JOBID PARTITION  NAME  USER ST  TIME  NODES NODELIST(REASON)\n"+
		" 9 batch my ann R 10:00 3 n[1-3]\n 10 batch my ann PD 0:00 3 (Nodes required are DOWN)\n"+
		" 11 batch my ann PD 0:00 3 (JobHeldUser)\n 12 batch my ann PD 0:00 3 (Dependency)\n"), 0o600)
	jobs, _, err := ReadQueue(file, nil)
	if err != nil || len(jobs) != 2 || jobs[0].Start != -600 || jobs[1].Nodes != 3 {
		t.Errorf("plain squeue: %+v, %v", jobs, err)
	}
}

// TestHostileQueue gives faulty files: each error names the file, and none panics.
func TestHostileQueue(t *testing.T) {
	file := filepath.Join(t.TempDir(), "squeue")
	head := "JOBID|STATE|NODES|TIME|TIME_LIMIT|SUBMIT_TIME\n"
	for _, text := range []string{
		"", "\n", "hello world\n", "JOBID|NODES\n1|2\n", head + "1|R\n", head + "1|R|x|0:00|1:00|N/A\n", head + "1|R|-3|0:00|1:00|N/A\n",
		head + "1|R|0|0:00|1:00|N/A\n", head + "1|R|1|yesterday|1:00|N/A\n", head + "1|PD|1|0:00|soon|N/A\n",
		head + "1|PD|1|0:00|1:00|2026-13-01T00:00:00\n", head + "1_[1-99999999]|PD|1|0:00|1:00|N/A\n",
		"{", `{"jobs": 3}`, "\x1f\x8b\x00", head + "\xff|R|1e9|0|0|0\n",
	} {
		os.WriteFile(file, []byte(text), 0o600)
		if _, _, err := ReadQueue(file, nil); err == nil || !strings.HasPrefix(err.Error(), file) {
			t.Errorf("%q: got the error %v", text, err)
		}
	}
	for _, text := range []string{
		"NODELIST|STATE|CPUS\nn[1-3]|idle|4\nn2|mixed|4\nn4|drained|4\nn5|down*|4\ng1|alloc|16\n",
	} {
		os.WriteFile(file, []byte(text), 0o600)
		if n, err := ReadNodes(file); n.Up != 4 || n.UpCPUs != 28 || err != nil {
			t.Errorf("%q: %+v, %v", text, n, err)
		}
	}
}

// TestNodeStates tells nodes that can run jobs from others. A state that is not known is an error.
func TestNodeStates(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sinfo")
	for state, up := range map[string]int{
		"idle": 1, "mix-": 1, "alloc+": 1, "idle~": 1, "planned": 1, "idle#": 1, "comp": 1, "alloc@": 1, "POWERED_DOWN": 1,
		"down": 0, "down*": 0, "idle*": 0, "drained": 0, "drng": 0, "maint": 0, "mixed$": 0, "IDLE+DRAIN": 0, "resv": 0,
		"futr": 0, "inval": 0, "error": 0, "unk": 0, "boot^": 0, "MIXED+MAINTENANCE": 0,
	} {
		os.WriteFile(file, []byte("NODELIST|STATE|CPUS\nn1|"+state+"|4\n"), 0o600)
		if n, err := ReadNodes(file); err != nil || n.Up != up || n.All != 1 || n.AllCPUs != 4 || !n.Counted {
			t.Errorf("%s: %+v, %v", state, n, err)
		}
	}
	for _, state := range []string{"", "banana", "idle+banana", "up", "idleish"} {
		os.WriteFile(file, []byte("NODELIST|STATE|CPUS\nn1|"+state+"|4\n"), 0o600)
		_, err := ReadNodes(file)
		if err == nil || !strings.HasPrefix(err.Error(), file+":2: STATE: expected a state") {
			t.Errorf("%s: got the error %v", state, err)
		}
	}
	os.WriteFile(file, []byte("NODELIST|STATE\nn1|idle\n"), 0o600)
	if n, err := ReadNodes(file); err != nil || n.Up != 1 || n.Counted {
		t.Errorf("without CPUs: %+v, %v", n, err)
	}
	os.WriteFile(file, []byte("NODELIST|STATE|CPUS\n"), 0o600)
	if n, err := ReadNodes(file); err != nil || n.All != 0 {
		t.Errorf("header only: %+v, %v", n, err)
	}
}

// TestClearedReasons: an update of a job clears its reason, and the other columns say that it does not wait for units.
func TestClearedReasons(t *testing.T) {
	file := filepath.Join(t.TempDir(), "squeue.txt")
	const text = `JOBID|STATE|NODES|CPUS|SUBMIT_TIME|ELIGIBLE_TIME|START_TIME|TIME|PRIORITY|DEPENDENCY|RESERVATION|HET_JOB_ID|REASON|
1|RUNNING|4|4|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:00|1:00|9|(null)|(null)|N/A|None|
2|PENDING|1|1|2026-01-01T00:00:00|2026-01-01T00:00:00|N/A|0:00|50|(null)|week|N/A|None|
3|PENDING|1|1|2026-01-01T00:00:00|2026-01-01T01:00:00|N/A|0:00|50|(null)|(null)|N/A|None|
4|PENDING|1|1|2026-01-01T00:00:00|2026-01-01T00:00:00|N/A|0:00|1|afterok:1(unfulfilled)|(null)|N/A|None|
5|PENDING|1|1|2026-01-01T00:00:00|2026-01-01T00:00:00|N/A|0:00|0|(null)|(null)|N/A|None|
6+1|PENDING|1|1|2026-01-01T00:00:00|2026-01-01T00:00:00|N/A|0:00|1|(null)|(null)|6|None|
`
	os.WriteFile(file, []byte(text), 0o600)
	jobs, _, err := ReadQueue(file, nil)
	if err != nil || len(jobs) != 3 || jobs[1].ID != "2" || jobs[1].Reservation != "week" || !jobs[2].Parts {
		t.Errorf("got %+v, %v", jobs, err)
	}
}

package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/slurm/weight"
)

// TestOverdue: the timer moves jobs that have waited long enough, and neither held ones nor those that depend on others;
// undo moves those that still wait back.
func TestOverdue(t *testing.T) {
	given := policy.Settings{"longest_wait": "2h", "PriorityWeightQOS": "1000", "qos.queue.Priority": "10",
		"PriorityWeightAge": "500"}
	limited := must(weight.First(given, weight.Overdue))
	if limited["qos."+weight.Overdue+".Priority"] != "20" || limited["PriorityWeightQOS"] != "2000" {
		t.Errorf("%v", limited) // 10 of 20 at a weight of 2000 is 10 of 10 at 1000, and 2000 is more than 1000 + 500
	}
	files := tuned(t, limited, nil)
	if !strings.Contains(files["qos.sh"], "qos '"+weight.Overdue+"' 'Priority=20'") {
		t.Error(files["qos.sh"])
	}
	dir := t.TempDir()
	const squeue = `#!/bin/sh
now=$(date +%s)
case "$*" in
*-j*)
  case $(grep "JobId=$4 " log | tail -n 1) in '' | *=revopt-overdue) echo revopt-overdue ;; *) echo other ;; esac
  ;;
*) echo "1|$((now - 7300))|fast|5|Priority|(null)
2|$((now - 7100))|fast|5|Priority|(null)
3|$((now - 9000))|fast|0|JobHeldUser|(null)
4|$((now - 9000))|fast|5|None|afterany:3(unfulfilled)
5|$((now - 9000))|revopt-overdue|5|Resources|(null)
8|08|slow|5|Resources|
9|99999999999999999999|slow|5|Resources|
6|$((now - 9000))|slow|5|Resources|
7|N/A|slow|5|Resources|" ;;
esac
`
	for name, text := range map[string]string{
		"squeue": squeue, "scontrol": "#!/bin/sh\ntest -f refuse && exit 1\necho \"$*\" >>log\n",
		"overdue.sh": files["overdue.sh"], "refuse": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) error {
		cmd := exec.Command("sh", append([]string{"overdue.sh"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		return cmd.Run()
	}
	// While Slurm refuses, every run tries again, notes a job once, and nothing is forgotten.
	if run() != nil || run() != nil || run("--undo") == nil {
		t.Error("expected that only --undo fails")
	}
	const noted = "1|fast\n6|slow\n"
	if got := string(must(os.ReadFile(filepath.Join(dir, "overdue.txt")))); got != noted {
		t.Errorf("noted %q", got)
	}
	// After --undo the timer moves no more jobs, until it is installed again.
	if run() != nil {
		t.Error("failed")
	}
	for _, name := range []string{"refuse", "overdue.off"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if run() != nil || run("--undo") != nil {
		t.Error("failed")
	}
	const want = "update JobId=1 QOS=revopt-overdue\nupdate JobId=6 QOS=revopt-overdue\n" +
		"update JobId=1 QOS=fast\nupdate JobId=6 QOS=slow\n"
	if got := string(must(os.ReadFile(filepath.Join(dir, "log")))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

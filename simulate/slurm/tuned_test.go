package slurm

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// tuned returns an export of settings by its files, for customers of accounts chem and bio, of
// QOS fast, and of jobs that Slurm does not recognize.
func tuned(t *testing.T, given policy.Settings, set func(*Tuned)) map[string]string {
	t.Helper()
	named := func(names ...string) []model.Party {
		return text.Each(names, func(n string) model.Party { return model.Party{Name: n} })
	}
	x := &Export{Scenario: "a'; touch pwned; '\n$(touch pwned)", whole: []Customer{
		{Name: "Big $(touch pwned)", Of: &model.Selector{Accounts: named("Chem", "bio")}},
		{Name: "queue", Of: &model.Selector{Queues: named("Fast", "faster")}},
		{Name: "'; touch pwned; '\ntouch pwned #", Of: &model.Selector{}},
	}, pools: []model.Pool{{Name: "p", Of: &model.Selector{Partitions: named("p1", "p2")}}}}
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	all := must(spec.Resolve(given))
	made := must(NewTuned(x, "file.yaml", spec, Rounded(all)))
	made.Unit, made.Command, made.Effects = "core", "revopt export", text.NewTable("customer")
	if set != nil {
		set(made)
	}
	dir, files := t.TempDir(), map[string]string{}
	for _, name := range must(made.Write(dir)) {
		files[name] = string(must(os.ReadFile(filepath.Join(dir, name))))
	}
	return files
}

// executed runs a script with a sacctmgr that knows the QOS gold and fast, and returns the arguments
// of its calls.
func executed(t *testing.T, script string) []string {
	t.Helper()
	dir := t.TempDir()
	const fake = "#!/bin/sh\nfor a; do printf '<%s>' \"$a\" >>log; done; echo >>log\n" +
		"case \"$*\" in *show*=gold\" \"*|*show*=fast\" \"*) echo found;; esac\n"
	for name, text := range map[string]string{"sacctmgr": fake, "qos.sh": script, "qos.before": "Name|\ngold|\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"-n", "qos.sh"}, {"qos.sh"}} {
		cmd := exec.Command("sh", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil && !strings.Contains(script, "qos.before") {
			t.Fatalf("%v: %s\n%s", err, out, script)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Errorf("a name ran as a command:\n%s", script)
	}
	log := string(must(os.ReadFile(filepath.Join(dir, "log"))))
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(log), "\n"), func(line string) bool {
		return strings.Contains(line, "<show>")
	})
}

// TestTunedScript: hostile names stay within their words, existing QOS stay as they are unless
// asked for, and the commands of README.md undo the changes.
func TestTunedScript(t *testing.T) {
	given := policy.Settings{
		"PriorityWeightQOS": "12345.6", "PriorityMaxAge": "7-0", "bf_window": "0", "defer": "true",
		"qos.Big $(touch pwned).Priority": "7", "qos.'; touch pwned; '\ntouch pwned #.Priority": "1",
		"qos.gold.Preempt": "queue+low", "file.qos.gold.Priority": "3",
		"qos.gold.Priority": "9999", "qos.queue.GrpTRES": "node=8", "account.Chem.Fairshare": "5",
		"partition.p.PriorityJobFactor": "20", "nice.Big $(touch pwned)": "50",
	}
	modify := func(kind, name, set string) string {
		return "<-i><modify><" + kind + "><where><name=" + name + "><set><" + set + ">"
	}
	const odd = "___touch_pwned____touch_pwned__"
	both := []string{
		modify("account", "chem", "Fairshare=5"),
		"<-i><add><qos><" + odd + ">", modify("qos", odd, "Priority=1"),
		"<-i><add><qos><big___touch_pwned_>", modify("qos", "big___touch_pwned_", "Priority=7"),
		modify("qos", "gold", "Priority=10000"),
		modify("qos", "fast", "GrpTRES=cpu=8"), "<-i><add><qos><faster>", modify("qos", "faster", "GrpTRES=cpu=8"),
		modify("qos", "gold", "Preempt=fast,faster,low"),
		modify("account", "chem", "qos+=big___touch_pwned_"), modify("account", "chem", "defaultqos=big___touch_pwned_"),
		modify("account", "bio", "qos+=big___touch_pwned_"), modify("account", "bio", "defaultqos=big___touch_pwned_"),
	}
	kept := slices.DeleteFunc(slices.Clone(both), func(line string) bool {
		return strings.Contains(line, "=gold>") || strings.Contains(line, "=fast>")
	})
	for _, existing := range []bool{false, true} {
		files := tuned(t, given, func(x *Tuned) { x.Modify = existing })
		want := kept
		if existing {
			want = both
		}
		if got := executed(t, files["qos.sh"]); !slices.Equal(got, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// Nothing in Slurm gives the jobs of the last customer their QOS, and the script says whose.
		const nobody = "# no account or user identifies the jobs of "
		_, whose, _ := strings.Cut(files["qos.sh"], nobody)
		whose, _, _ = strings.Cut(whose, "\n")
		if strings.Count(files["qos.sh"], nobody) != 1 || !strings.HasPrefix(whose, "'; touch pwned; '") ||
			!strings.HasSuffix(whose, ": ask for it by sbatch --qos="+odd) {
			t.Errorf("nobody owns a QOS: %q", whose)
		}
		_, undo, _ := strings.Cut(files["README.md"], "## Undo\n")
		undo = undo[strings.Index(undo, "    sacctmgr"):]
		undo = undo[:strings.Index(undo, "\n\n")]
		got := executed(t, undo)
		for _, line := range []string{modify("account", "chem", "Fairshare=1"), modify("qos", "gold", "Priority=3"),
			modify("account", "bio", "defaultqos=-1")} {
			if !slices.Contains(got, line) {
				t.Errorf("no %s in\n%s", line, strings.Join(got, "\n"))
			}
		}
		if slices.Contains(got, "<-i><delete><qos><where><name=gold>") ||
			slices.Contains(got, "<-i><delete><qos><where><name=faster>") == existing {
			t.Errorf("deleted: %s", strings.Join(got, "\n"))
		}
	}
	const wanted = `PriorityType=priority/multifactor
PriorityWeightQOS=12300 # was 0
PreemptType=preempt/qos
# at PartitionName=p1: PriorityJobFactor=20
# at PartitionName=p2: PriorityJobFactor=20
# SchedulerParameters is one line: keep your others in it. These were bf_window=1440,defer=false
SchedulerParameters=bf_window=43200,defer
`
	got := tuned(t, given, nil)["priorities.conf"]
	for _, line := range strings.SplitAfter(wanted, "\n") {
		if !strings.Contains(got, line) || strings.Count(got, "\n") != 8 {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
}

// TestTunedFiles: files that change nothing are not written, and names that Slurm cannot have
// are refused.
func TestTunedFiles(t *testing.T) {
	files := tuned(t, policy.Settings{"PriorityWeightAge": "1000"}, nil)
	if len(files) != 2 || files["qos.sh"] != "" || !strings.Contains(files["README.md"], "PriorityWeightAge    0") {
		t.Errorf("%q", files)
	}
	files = tuned(t, policy.Settings{"user.ann.Fairshare": "3"}, func(x *Tuned) { x.Origin = "all" })
	if files["priorities.conf"] != "" || files["qos.sh"] == "" || files["job_submit.lua"] == "" {
		t.Errorf("%q", files)
	}
	basic := policy.Settings{"file.PriorityType": "basic", "PriorityType": "multifactor", "PriorityWeightQOS": "1000"}
	if conf := tuned(t, basic, nil)["priorities.conf"]; strings.Count(conf, "PriorityType=") != 1 {
		t.Error(conf)
	}
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	for _, given := range []policy.Settings{{}, {"account.a b.Fairshare": "1"}, {"qos.$(x).Priority": "1"},
		{"user.a'b.Fairshare": "1"}, {"partition.x;y.PriorityJobFactor": "1"}, {"qos.a\nb.GrpJobs": "1"},
		{"qos.a.Preempt": "b;c"}, {"account.a.Parent": "$(b)"}, {"account.a.Parent": "b\nc"},
		{"PriorityWeightAge": "7", "file.PriorityWeightAge": "7"}} {
		if x, err := NewTuned(&Export{}, "file.yaml", spec, must(spec.Resolve(given))); err == nil {
			t.Errorf("%v: %+v", given, x)
		} else if message := err.Error(); strings.Contains(message, "\n") || !strings.Contains(message, "expected ") {
			t.Error(message)
		}
	}
}

// TestRounded: weights, priorities and shares have three digits at most, and others stay.
func TestRounded(t *testing.T) {
	got := Rounded(policy.Settings{"PriorityWeightAge": "0.2", "PriorityWeightQOS": "98765", "qos.a.Priority": "1234",
		"account.a.Fairshare": "parent", "qos.a.GrpTRES": "1234", "file.PriorityWeightAge": "12345", "bf_window": "1441",
		"PriorityWeightFairshare": "0", "user.a.Fairshare": "999.6"})
	want := policy.Settings{"PriorityWeightAge": "1", "PriorityWeightQOS": "98800", "qos.a.Priority": "1230",
		"account.a.Fairshare": "parent", "qos.a.GrpTRES": "1234", "file.PriorityWeightAge": "12345", "bf_window": "1441",
		"PriorityWeightFairshare": "0", "user.a.Fairshare": "1000"}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is %s, want %s", name, got[name], want[name])
		}
	}
}

package slurm

import (
	"maps"
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

// ruleFiles returns the files of an export of settings, for customers of accounts chem and bio, of
// QOS fast, and of jobs that Slurm does not recognize.
func ruleFiles(t *testing.T, given policy.Settings, set func(*Rule)) map[string]string {
	t.Helper()
	named := func(names ...string) []model.Party {
		return text.Each(names, func(n string) model.Party { return model.Party{Name: n} })
	}
	x := &Export{Scenario: "a'; touch pwned; '\n$(touch pwned)", whole: []Customer{
		{Name: "Big $(touch pwned)", Of: &model.Selector{Accounts: named("Chem", "bio")}},
		{Name: "queue", Of: &model.Selector{Queues: named("Fast", "faster")}},
		{Name: "'; touch pwned; '\ntouch pwned #", Of: &model.Selector{}},
	}}
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	made := must(NewRule(x, "file.yaml", spec, must(spec.Resolve(given))))
	made.Unit, made.Command = "core", "revopt export"
	if set != nil {
		set(made)
	}
	return made.Files()
}

// manager is a sacctmgr that knows the QOS gold, fast and old and the accounts chem and bio, whose jobs have the QOS old
// until they get another one. It remembers QOS that are made.
const manager = `#!/bin/sh
for a; do printf '<%s>' "$a" >>log; done; echo >>log
touch made
case "$*" in
*format=LimitFactor | *Accrue* | *format=MaxTRESRunMins* | *format=MinPrio) exit 1 ;;
"-P show qos "*) printf 'Name|Priority\nold|0\n' ;;
*"show qos format=name") printf 'gold\nfast\nold\n'; cat made ;;
*"show qos format=name,priority") echo 'gold|3' ;;
*"show qos where name=gold format=Priority") echo 3 ;;
*"show qos where name=gold format=name,Priority") echo 'gold|3' ;;
*"show qos where name="*format=name,*) echo "${5#name=}|0" ;;
*account=root*format=account,defaultqos) echo 'root|' ;;
*"show qos where name="*" format=name") printf 'gold\nfast\n' | cat - made | grep -x "${5#name=}" ;;
*"show qos where name="*) echo 0 ;;
*format=defaultqos,qos) cat default 2>/dev/null || echo 'old|old' ;;
*account=chem*format=account,partition,qos,defaultqos) echo 'chem||old|old' ;;
*account=bio*format=account,partition,qos,defaultqos) echo 'bio||old|' ;;
*account=chem*priority) echo 'chem||1' ;;
*withsub*account=chem*) echo 'chem|||old' ;;
*withsub*account=bio*) echo 'bio|||old' ;;
*wopl*format=DefaultQOS) cut -d '|' -f 1 default | sed 's/^-1$//' ;;
*wopl*format=Priority) echo 1 ;;
*format=account,qos) echo "x|$(paste -sd , made)" ;;
*"add qos "*) echo "$4" >>made ;;
*"delete qos "*) grep -vx "${5#name=}" made >left; mv left made ;;
*defaultqos=* | *DefaultQOS=*) for a; do echo "${a#*=}|old" >default; done ;;
esac
`

// executed runs qos.sh and undo.sh beside a manager and a queue without jobs. It returns the arguments of the calls of
// each that change something.
func executed(t *testing.T, files map[string]string) (do, undo []string) {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"qos.sh": files["qos.sh"], "undo.sh": files["undo.sh"], "sacctmgr": manager,
		"scontrol": "#!/bin/sh\necho ClusterName = c1\necho No jobs in the system\n", "squeue": "#!/bin/sh\necho 'A|B|STATE|QOS'\n"}
	for name, text := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	calls := func(script string) []string {
		os.Remove(filepath.Join(dir, "log"))
		for _, args := range [][]string{{"-n", script}, {script}} {
			cmd := exec.Command("sh", args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil && !strings.Contains(string(out), "nothing is changed") {
				t.Fatalf("%v: %s\n%s", err, out, all[script])
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Errorf("a name ran as a command:\n%s", all[script])
		}
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(log)), "\n"), func(line string) bool {
			return strings.Contains(line, "<show>") || line == ""
		})
	}
	return calls("qos.sh"), calls("undo.sh")
}

// TestRuleScript: hostile names stay within their words, nothing is changed if QOS and accounts that exist would be
// without being asked for, and undo.sh takes back what was done, the last change first, with the values that it found.
func TestRuleScript(t *testing.T) {
	given := policy.Settings{
		"PriorityWeightQOS": "12300", "PriorityMaxAge": "7-0", "bf_window": "0", "defer": "true",
		"qos.Big $(touch pwned).Priority": "7", "qos.'; touch pwned; '\ntouch pwned #.Priority": "1",
		"qos.gold.Preempt": "queue+low", "file.qos.gold.Priority": "3",
		"qos.gold.Priority": "10000", "qos.queue.GrpTRES": "node=8", "account.Chem.Priority": "5",
		"file.PriorityType": "basic", "file.PreemptType": "none", "PriorityType": "multifactor", "PreemptType": "qos",
	}
	modify := func(kind, name, set string) string {
		name += ">"
		if kind != "qos" {
			name += "<cluster=c1>"
		}
		return "<-i><modify><" + kind + "><where><name=" + name + "<set><" + set + ">"
	}
	const odd, big = "___touch_pwned____touch_pwned__", "big___touch_pwned_"
	add := func(name string) string { return "<-i><add><qos><" + name + ">" }
	both := []string{ // a QOS without accounts is like normal, which is not there
		add(odd), add(big) + "<set><Priority=0>", add("faster"),
		modify("account", "chem", "Priority=5"),
		modify("qos", odd, "Priority=1"), modify("qos", big, "Priority=7"), modify("qos", "gold", "Priority=10000"),
		modify("qos", "fast", "GrpTRES=cpu=8"), modify("qos", "faster", "GrpTRES=cpu=8"),
		modify("qos", "gold", "Preempt=fast,faster,low"),
		modify("account", "chem", "qos+="+big), modify("account", "chem", "defaultqos="+big),
		modify("account", "bio", "qos+="+big), modify("account", "bio", "defaultqos="+big),
	}
	gone := func(name string) string { return "<-i><delete><qos><where><name=" + name + ">" }
	back := []string{
		modify("account", "bio", "DefaultQOS=-1"), modify("account", "bio", "qos-="+big),
		modify("account", "chem", "DefaultQOS=old"), modify("account", "chem", "qos-="+big),
		modify("qos", "gold", "Preempt=0"), modify("qos", "fast", "GrpTRES=cpu=-1,0"), modify("qos", "gold", "Priority=3"),
		modify("account", "chem", "Priority=1"), gone(odd), gone(big), gone("faster"),
	}
	for _, existing := range []bool{false, true} {
		files := ruleFiles(t, given, func(x *Rule) { x.Options.Modify = existing })
		var want, wantUndo []string
		if existing {
			want, wantUndo = both, back
		}
		do, undo := executed(t, files)
		if !slices.Equal(do, want) {
			t.Errorf("%s\nwant\n%s", strings.Join(do, "\n"), strings.Join(want, "\n"))
		}
		if !slices.Equal(undo, wantUndo) {
			t.Errorf("undo: %s\nwant\n%s", strings.Join(undo, "\n"), strings.Join(wantUndo, "\n"))
		}
		// Nothing in Slurm gives the jobs of the last customer their QOS, and the script says whose.
		const nobody = "# no account or user identifies the jobs of "
		_, whose, _ := strings.Cut(files["qos.sh"], nobody)
		whose, _, _ = strings.Cut(whose, "\n")
		if strings.Count(files["qos.sh"], nobody) != 1 || !strings.HasPrefix(whose, "'; touch pwned; '") ||
			!strings.HasSuffix(whose, ": ask for it by sbatch --qos="+odd) {
			t.Errorf("nobody owns a QOS: %q", whose)
		}
	}
	const wanted = `PreemptType=preempt/qos # was none
PriorityType=priority/multifactor # was basic
PriorityWeightQOS=12300 # was 0
# was SchedulerParameters=
SchedulerParameters=bf_window=43200,defer
`
	if got := ruleFiles(t, given, nil)["priorities.conf"]; !strings.HasSuffix(got, "\n"+wanted) {
		t.Errorf("got %s, want %s", got, wanted)
	}
}

// TestRuleFiles: files that change nothing are not written, and names that Slurm cannot have
// are refused.
func TestRuleFiles(t *testing.T) {
	files := ruleFiles(t, policy.Settings{"PriorityWeightAge": "1000"}, nil)
	if len(files) != 4 || files["qos.sh"] != "" ||
		!strings.Contains(strings.Join(strings.Fields(files["README.md"]), " "), "PriorityWeightAge 0 1000") {
		t.Errorf("%q", files)
	}
	files = ruleFiles(t, policy.Settings{"user.ann.Priority": "3"}, func(x *Rule) { x.Origin = "all" })
	if files["qos.sh"] == "" || files["job_submit.lua"] == "" {
		t.Errorf("%q", files)
	}
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	for _, given := range []policy.Settings{{"account.a b.Priority": "1"}, {"qos.$(x).Priority": "1"},
		{"user.a'b.Priority": "1"}, {"partition.x.PriorityJobFactor": "1"}, {"qos.a\nb.GrpJobs": "1"}, {"nice.a": "5"},
		{"qos.a.Preempt": "b;c"}, {"account.a.Parent": "b"}, {"account.a.Fairshare": "5"}} {
		if x, err := NewRule(&Export{}, "file.yaml", spec, must(spec.Resolve(given))); err == nil {
			t.Errorf("%v: %+v", given, x)
		} else if message := err.Error(); strings.Contains(message, "\n") || !strings.Contains(message, "expected ") {
			t.Error(message)
		}
	}
}

// TestUndoConf: slurm.conf is as before if one puts the lines of priorities.conf into it, in place of those of the same
// names, and then does what undo.sh prints.
func TestUndoConf(t *testing.T) {
	file := func(name string) string { return policy.FromFile + name }
	files := ruleFiles(t, policy.Settings{
		file("PriorityType"): "multifactor", file("PriorityWeightFairshare"): "10000", file("PriorityWeightQOS"): "2000",
		file("bf_window"):   "4320",
		"PriorityWeightQOS": "2000000", "PriorityWeightFairshare": "10000", "PriorityMaxAge": "20160", "bf_window": "0",
	}, func(made *Rule) { made.Now = []string{"bf_window=4320", "bf_yield_sleep=5"} })
	before := map[string]string{"PriorityType": "priority/multifactor", "PriorityWeightFairshare": "10000",
		"PriorityWeightQOS": "2000", "SchedulerParameters": "bf_window=4320,bf_yield_sleep=5"}
	conf := maps.Clone(before)
	put := func(lines string) {
		for line := range strings.Lines(lines) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
			if name, value, ok := strings.Cut(line, "="); ok && line[0] != '#' {
				conf[name] = value
			}
		}
	}
	put(files["priorities.conf"])
	if conf["PriorityWeightQOS"] != "2000000" || conf["PriorityMaxAge"] != "20160" {
		t.Fatal(files["priorities.conf"])
	}
	_, undo, _ := strings.Cut(files["undo.sh"], "LINES'\n")
	undo, _, _ = strings.Cut(undo, "\nLINES")
	_, out, ok := strings.Cut(undo, "which did not have them: ")
	if out, _, _ = strings.Cut(out, "\n"); !ok || !strings.Contains(undo, "in place of those of the same names:\n") {
		t.Fatal(undo)
	}
	put(undo)
	for name := range strings.SplitSeq(out, ", ") {
		delete(conf, name)
	}
	if !maps.Equal(conf, before) {
		t.Errorf("%v, want %v:\n%s", conf, before, undo)
	}
}

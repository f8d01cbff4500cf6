package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/slurm/steer"
)

// steerPrograms play those of Slurm: three jobs wait, and scontrol keeps its input.
const steerPrograms = `#!/bin/sh
cd "$(dirname "$0")"
case $(basename "$0") in
squeue) sed "s/|/${*##*:}/g" squeue.txt ;;
sprio)
	echo 'JOBID|PRIORITY|SITE'
	for job in 2 3 4; do
		factor=$(sed -n "s/update JobId=$job SiteFactor=//p" input.txt | tail -n 1)
		echo "$job|$((1000 + ${factor:-0}))|${factor:-0}"
	done ;;
sdiag) echo 'Server thread count: 3' ;;
sinfo) printf 'NODELIST|STATE|CPUS\nn[1-4]|allocated|1\n' ;;
scontrol)
	[ $# -eq 0 ] || exit 0
	[ ! -e denied ] || { echo 'Invalid user id for job 4' >&2; exit 1; }
	cat >>input.txt ;;
esac
`

const steerQueue = `JOBID|JOBID|STATE|USER|ACCOUNT|PARTITION|QOS|NODES|CPUS|SUBMIT_TIME|ELIGIBLE_TIME|START_TIME|TIME|TIME_LIMIT|PRIORITY|DEPENDENCY|RESERVATION|HET_JOB_ID|RESTART_COUNT|REASON|
1|1|RUNNING|ann|chem|batch|q|4|4|2026-01-01T00:00:00|2026-01-01T00:00:00|2026-01-01T00:00:00|1:00|10:00|9|(null)|(null)|N/A|0|None|
2|2|PENDING|ann|bio|batch|q|1|1|2026-01-01T00:00:10|2026-01-01T00:00:10|N/A|0:00|5:00|1000|(null)|(null)|N/A|0|Priority|
3|3|PENDING|ann|bio|batch|q|1|1|2026-01-01T00:00:20|2026-01-01T00:00:20|N/A|0:00|5:00|1000|(null)|(null)|N/A|0|Priority|
4|4|PENDING|bob|chem|batch|q|1|1|2026-01-01T00:00:30|2026-01-01T00:00:30|N/A|0:00|5:00|1000|(null)|(null)|N/A|0|Priority|
5_[1-3]|5|PENDING|bob|chem|batch|q|1|1|2026-01-01T00:00:30|2026-01-01T00:00:30|N/A|0:00|5:00|1000|(null)|(null)|N/A|0|Priority|
`

const steerScenario = `server: {parallel: 4, residual: multiserver}
load: 1.2
classes:
  - {name: chem, share: 0.5, length: {dist: exponential, mean: 300}, price: 10, decay: 0.02}
  - {name: bio, share: 0.5, length: {dist: exponential, mean: 300}, price: 2, decay: 0.001}
`

// TestSteerWithoutSlurm: one line says which program of Slurm does not answer, and what it says.
func TestSteerWithoutSlurm(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeText(t, "s.yaml", steerScenario)
	for _, name := range []string{"squeue", "sprio", "sdiag", "sinfo", "scontrol"} {
		os.WriteFile(name, []byte("#!/bin/sh\necho res_nsearch error: Unknown host >&2\nexit 1\n"), 0o700)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	o := try("steer", "s.yaml", "--policy", "hol", "--anyway", "--once", "--quiet")
	if o.code != exitFailed || strings.Count(o.stderr, "\n") != 1 ||
		!strings.HasPrefix(o.stderr, "revopt: scontrol: res_nsearch error") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}

// TestSteerUnread: an answer of Slurm that cannot be read is a failure at run time, so that a service begins again.
func TestSteerUnread(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeText(t, "s.yaml", steerScenario)
	for _, name := range []string{"squeue", "sprio", "sdiag", "sinfo", "scontrol"} {
		os.WriteFile(name, []byte("#!/bin/sh\n"), 0o700)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	o := try("steer", "s.yaml", "--policy", "hol", "--anyway", "--apply", "--once", "--quiet")
	if o.code != exitFailed || !strings.HasPrefix(o.stderr, "revopt: sprio: expected an answer") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}

// runAdvised runs the command that steer advises for a rule, as a shell reads it, with the files that it says to make.
func runAdvised(t *testing.T, advice string) {
	t.Helper()
	const rule = "slurm:PriorityWeightQOS=1000:qos.bio.Priority=100:qos.chem.Priority=200"
	writeText(t, "static", strings.ReplaceAll(advice, "RULE", rule)+"\n")
	writeText(t, "slurm.conf", "PriorityType=priority/multifactor\nPriorityWeightAge=10\n")
	writeText(t, "qos.txt", "Name|Priority\nnormal|0\n")
	writeText(t, "assoc.txt", "Account|User|ParentName|Share|Priority\nroot|||1|\nchem||root|1|\nbio||root|1|\n")
	a := told(t, "steer", "s.yaml", "--policy", "hol", "--journal", "static", "--set", "simulation.jobs=200")
	if !slices.Equal(codes(a), []string{"STATIC_RULE"}) {
		t.Fatalf("%+v", a.Warnings)
	}
	out := a.Warnings[0].String()
	command := regexp.MustCompile(`revopt (export slurm .* -o \w+)`).FindStringSubmatch(out)
	if command == nil || !strings.Contains(command[1], "'s.yaml'") || !strings.Contains(command[1], "simulation.jobs=200") {
		t.Fatalf("no command in %s", out)
	}
	for _, made := range []string{"slurm.conf: a copy", "sacctmgr show qos -P > qos.txt", "sacctmgr show assoc -P > assoc.txt"} {
		if !strings.Contains(out, made) {
			t.Errorf("%s is not in %s", made, out)
		}
	}
	words, err := exec.Command("sh", "-c", "printf '%s\\n' "+command[1]).Output()
	if err != nil {
		t.Fatal(err)
	}
	must(t, strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")...)
	if conf, _ := os.ReadFile("exported/priorities.conf"); !strings.Contains(string(conf), "PriorityWeightAge=10 # as now") {
		t.Errorf("priorities.conf: %s", conf)
	}
}

// TestSteer: a dry run says what it would change, --apply changes that and nothing else, and --undo restores it.
func TestSteer(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, content := range map[string]string{"s.yaml": steerScenario, "squeue.txt": steerQueue, "input.txt": ""} {
		os.WriteFile(name, []byte(content), 0o600)
	}
	for _, name := range []string{"squeue", "sprio", "sdiag", "sinfo", "scontrol"} {
		os.WriteFile(name, []byte(steerPrograms), 0o700)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	dry := []string{"steer", "s.yaml", "--policy", "hol", "--anyway"}
	out := must(t, dry...)
	if !strings.Contains(out, "hol would move 1 of 3 waiting jobs; left alone: unlisted 1.\n") {
		t.Errorf("got %s", out)
	}
	pass := told(t, dry...)
	if value(t, pass, "jobs", 0, "job").Word != "4" || number(t, pass, "jobs", 0, "place_before") != 3 ||
		number(t, pass, "jobs", 0, "place_after") != 1 || fact(pass, "moved").Number != 1 ||
		!slices.Equal(texts(t, pass, "left_alone", "reason"), []string{"unlisted"}) {
		t.Errorf("got %+v", pass)
	}
	apply := []string{"steer", "s.yaml", "--policy", "hol", "--anyway", "--apply", "--once"}
	writeText(t, "denied", "")
	o := try(apply...)
	if input, _ := os.ReadFile("input.txt"); o.code != exitFailed || len(input) > 0 ||
		!strings.Contains(o.stderr, "operator rights are needed") || !strings.Contains(o.stderr, "--anyway overrides: ") {
		t.Errorf("without rights: exit %d, %s", o.code, o.stderr)
	}
	os.Remove("denied")
	must(t, append(apply, "--quiet")...)
	input, _ := os.ReadFile("input.txt")
	if string(input) != "update JobId=4 SiteFactor=4096\n" {
		t.Errorf("scontrol got %q", input)
	}
	if out := must(t, "steer", "s.yaml", "--policy", "hol", "--anyway", "--apply"); !strings.Contains(out, "nothing to change") {
		t.Errorf("a second pass: %s", out)
	}
	header, _, _ := strings.Cut(steerQueue, "\n")
	writeText(t, "squeue.txt", header+"\n")
	if o := try("steer", "--undo"); o.code != exitFailed || !strings.Contains(o.stdout, "0 of 1 job are restored; 1 not found: undo again.") {
		t.Errorf("undo where squeue lists nothing: exit %d, %s%s", o.code, o.stdout, o.stderr)
	}
	writeText(t, "squeue.txt", steerQueue)
	if out := must(t, "steer", "--undo"); !strings.Contains(out, "The site factors of 1 of 1 job are restored.") {
		t.Errorf("undo: %q", out)
	}
	input, _ = os.ReadFile("input.txt")
	if string(input) != "update JobId=4 SiteFactor=4096\nupdate JobId=4 SiteFactor=0\n" {
		t.Errorf("scontrol got %q", input)
	}
	advice := `{"kind":"start","start":{"version":"` + build().Version + `","scenario":"s.yaml","policy":"hol","advice":` +
		`{"rows":[{"kind":"today","label":"slurm"},{"kind":"steered","label":"hol"}],"static":"slurm",` +
		`"gain":{"mean":0.001,"half_width":0.002},"share":0.01,"reservations":{"cluster":true,"policy":"yes","met":true}}}}`
	os.WriteFile("kept", []byte(advice+"\n"), 0o600)
	o = try("steer", "s.yaml", "--policy", "hol", "--apply", "--journal", "kept")
	if after, _ := os.ReadFile("input.txt"); o.code != exitShort || string(after) != string(input) ||
		!strings.Contains(o.stderr, "adds 3.6 ± 7.2 $/h to the best static rule, slurm") {
		t.Errorf("a static rule that is as good: exit code %d, %s", o.code, o.stderr)
	}
	if out := must(t, "steer", "s.yaml", "--policy", "hol", "--journal", "kept"); !strings.Contains(out, "hol would move 1 of") {
		t.Errorf("a dry run: %s", out)
	}
	if strings.Contains(o.stderr, "revopt export") || !strings.Contains(o.stderr, "; keep today's settings") {
		t.Errorf("today's settings are the best static rule: %s", o.stderr)
	}
	runAdvised(t, strings.NewReplacer(`{"kind":"steered"`, `{"kind":"qos","label":"RULE"},{"kind":"steered"`,
		`"static":"slurm"`, `"static":"RULE"`).Replace(advice))
	// The cluster keeps nodes for waiting jobs, which hol:backfill=true does not: the gain is no promise.
	advice = strings.NewReplacer(`"policy":"hol"`, `"policy":"hol:backfill=true"`, `"policy":"yes","met":true`,
		`"policy":"no","other":"bf_min_prio_reserve=4000000000"`, `"mean":0.001`, `"mean":9`).Replace(advice)
	os.WriteFile("unmet", []byte(advice+"\n"), 0o600)
	o = try("steer", "s.yaml", "--policy", "hol:backfill=true", "--apply", "--journal", "unmet")
	if after, _ := os.ReadFile("input.txt"); o.code != exitShort || string(after) != string(input) ||
		!strings.Contains(o.stderr, "do not expect a simulated gain here") ||
		!strings.Contains(o.stderr, "SchedulerParameters=bf_min_prio_reserve=4000000000 in slurm.conf") {
		t.Errorf("reservations that differ: exit code %d, %s", o.code, o.stderr)
	}
	journal, _, err := steer.OpenJournal("steer.journal")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{apply, {"steer", "--undo"}} {
		if o := try(args...); o.code != exitFailed || !strings.Contains(o.stderr, "another run of steer") {
			t.Errorf("%s with a journal that is locked: exit code %d, %s", args, o.code, o.stderr)
		}
	}
	journal.Close()
	if records, err := steer.ReadJournal("steer.journal"); err != nil || records[0].Start.Anyway == "" {
		t.Errorf("the journal does not say what --anyway overrides: %+v, %v", records, err)
	}
	for _, args := range []string{"steer s.yaml --switch 1d", "steer s.yaml --switch 1d --apply", "steer s.yaml --plan",
		"steer s.yaml --switch 1d --apply --plan", "steer s.yaml --switch 0 --plan", "steer s.yaml --margin 1h --apply",
		"steer s.yaml --switch 1d --every 3h --apply --anyway", "steer s.yaml --switch 1h --margin 16m --plan --policy easy",
		"steer --undo --journal none", "steer s.yaml --once --every 10s",
		"steer s.yaml --policy libra --anyway", "steer s.yaml --policy hol,easy", "steer s.yaml --every never"} {
		if o := try(strings.Fields(args)...); o.code != exitUsage {
			t.Errorf("%s: exit code %d, %s", args, o.code, o.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("--undo creates a journal")
	}
}

// TestSteerAway: the queue of a site that its simulation does not resemble is left alone, unless --anyway says otherwise,
// which the journal has. A dry run says so and ends with 0.
func TestSteerAway(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	jobs := "; MaxNodes: 4\n; MaxProcs: 4\n; Account: 1 chem\n; Account: 2 bio\n"
	for k := range 60 {
		jobs += fmt.Sprintf("%d %d 9000 300 1 -1 -1 1 600 -1 1 1 1 %d 1 1 -1 -1\n", k+1, 2000*k, 1+k%2)
	}
	const scenario = "trace: {file: late.swf}\npresent: {held: none}\npolicies: [easy]\nclasses:\n" +
		"  - {name: chem, of: {account: [chem]}, price: 10, decay: 0.02}\n" +
		"  - {name: bio, of: {account: [bio]}, price: 2, decay: 0.001}\n"
	for name, content := range map[string]string{"late.swf": jobs, "s.yaml": scenario, "squeue.txt": steerQueue, "input.txt": ""} {
		writeText(t, name, content)
	}
	for _, name := range []string{"squeue", "sprio", "sdiag", "sinfo", "scontrol"} {
		os.WriteFile(name, []byte(steerPrograms), 0o700)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	gains := `{"kind":"start","start":{"version":"` + build().Version + `","scenario":"s.yaml","policy":"hol","advice":` +
		`{"rows":[{"kind":"today","label":"slurm"},{"kind":"steered","label":"hol"}],"static":"slurm","steer":true,` +
		`"gain":{"mean":9,"half_width":0.002},"share":0.5,"reservations":{"cluster":true,"policy":"yes","met":true}}}}`
	writeText(t, "kept", gains+"\n")
	steered := []string{"steer", "s.yaml", "--policy", "hol", "--journal", "kept"}
	if o := try(steered...); o.code != exitDone || !strings.Contains(o.stdout, "NOT_THE_SITE") {
		t.Errorf("a dry run: exit %d, %s%s", o.code, o.stdout, o.stderr)
	}
	o := try(append(steered, "--apply")...)
	if o.code != exitShort || readText(t, "input.txt") != "" || !strings.Contains(o.stderr, "NOT_THE_SITE") {
		t.Errorf("exit %d, %s%s", o.code, o.stdout, o.stderr)
	}
	o = try(append(steered, "--apply", "--anyway", "--once")...)
	records, err := steer.ReadJournal("kept")
	anyway := ""
	for _, r := range records {
		if r.Start != nil && r.Start.Anyway != "" {
			anyway = r.Start.Anyway
		}
	}
	if o.code != exitDone || err != nil || !strings.Contains(anyway, "not this site") {
		t.Errorf("--anyway: exit %d, %s; %v; %s%s", o.code, anyway, err, o.stdout, o.stderr)
	}
}

// TestSteerSwitch: a trial is in the journal before it begins, and needs no advice. A restart goes on with it; another trial,
// or none, is refused. Here Slurm refuses the first change, in the first span in which jobs are steered.
func TestSteerSwitch(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, content := range map[string]string{"s.yaml": steerScenario, "squeue.txt": steerQueue, "input.txt": "", "denied": ""} {
		writeText(t, name, content)
	}
	for _, name := range []string{"squeue", "sprio", "sdiag", "sinfo", "scontrol"} {
		os.WriteFile(name, []byte(steerPrograms), 0o700)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	line := []string{"steer", "s.yaml", "--policy", "hol", "--apply", "--every", "0.05", "--switch", "0.5"}
	o := try(append(line, "--seed", "5")...)
	if o.code != exitFailed || !strings.Contains(o.stderr, "operator rights are needed") {
		t.Fatalf("exit %d, %s%s", o.code, o.stdout, o.stderr)
	}
	records, err := steer.ReadJournal("steer.journal")
	if err != nil {
		t.Fatal(err)
	}
	plan, _, _, err := steer.LaidTrial(records)
	if err != nil || plan == nil || plan.Seed != 5 || plan.Span != 0.5 || !(records[0].Time < plan.Begin) || records[1].Pairs[0] != plan.Pair(0) {
		t.Fatalf("%+v", records[:2])
	}
	for i, r := range records {
		intent := r.Kind == steer.KindIntent
		if intent && !plan.On(records[i-1].Time) && !plan.On(r.Time) {
			t.Errorf("a change in a span without steering: %+v", r)
		}
	}
	if o := try(line...); o.code != exitFailed {
		t.Errorf("a restart: exit %d, %s", o.code, o.stderr)
	}
	records, err = steer.ReadJournal("steer.journal")
	if err != nil {
		t.Fatal(err)
	}
	if again, _, _, err := steer.LaidTrial(records); err != nil || *again != *plan {
		t.Errorf("%+v, %v", again, err)
	}
	for _, other := range []string{"", "--switch 0.5 --seed 6", "--switch 0.6"} {
		if o := try(slices.Concat(line[:7], strings.Fields(other), []string{"--anyway"})...); o.code != exitUsage || !strings.Contains(o.stderr, "goes on as it was planned") {
			t.Errorf("%q: exit %d, %s", other, o.code, o.stderr)
		}
	}
	if input := readText(t, "input.txt"); input != "" {
		t.Errorf("scontrol got %s", input)
	}
}

// TestSteerPlan: a trial is simulated without a Slurm, and spans that are too short for the waits are refused.
func TestSteerPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "s.yaml", strings.Replace(steerScenario, "load: 1.2", "load: 0.9\npolicies: [easy]", 1))
	plan := []string{"steer", "s.yaml", "--plan", "--policy", "hol", "--switch"}
	a := told(t, append(plan, "6h")...)
	if a.Headline.Code != "TRIAL" || !(number(t, a, "gains", 0, "gain") > 0.01) || !(number(t, a, "gains", 0, "pairs") >= 6) ||
		!slices.Equal(texts(t, a, "gains", "jobs_of"), []string{"all", "chem", "bio", "width:1-1"}) {
		t.Errorf("%s %+v", a.Headline, a.Tables)
	}
	for _, spans := range []struct{ args, want string }{
		{"10m", "expected spans of"}, {"0.1s --margin 0.01s", "expected spans in which jobs are submitted"},
	} {
		if o := try(append(slices.Clone(plan), strings.Fields(spans.args)...)...); o.code != exitUsage || !strings.Contains(o.stderr, spans.want) {
			t.Errorf("%s: exit %d, %s", spans.args, o.code, o.stderr)
		}
	}
	if o := tryWithin(t.Context(), 3e9, "", append(plan, "3650d")...); o.code != exitUsage || !strings.Contains(o.stderr, " ask for about ") {
		t.Errorf("without memory: exit %d, %s", o.code, o.stderr)
	}
}

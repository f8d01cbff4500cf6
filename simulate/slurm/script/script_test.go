package script

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// start returns a site whose account chem has a user with a list of QOS of its own and a sub-account with another default
// QOS, and whose QOS normal has limits and may be preempted.
func start() *site {
	return &site{
		QOS: map[string]map[string]string{
			"normal": {"Priority": "5", "GraceTime": "00:05:00", "Preempt": "scav", "PreemptMode": "requeue",
				"Flags": "DenyOnLimit", "UsageFactor": "2.0", "GrpTRES": "cpu=16", "MaxTRESPU": "cpu=8", "MaxSubmitPU": "70"},
			"scav":  {"Priority": "0", "Preempt": "", "GraceTime": "00:00:00", "PreemptMode": "cluster", "UsageFactor": "1.0"},
			"first": {"Priority": "9", "GraceTime": "00:00:00", "Preempt": "normal,scav", "PreemptMode": "cluster", "UsageFactor": "1.0"},
		},
		Assocs: []*assoc{
			{Account: "root", Own: []string{"normal", "scav"}},
			{Account: "chem", Parent: "root"},
			{Account: "sub", Parent: "chem", Default: "scav"},
			{Account: "bio", Parent: "root", Own: []string{"normal"}, Default: "normal", Priority: "7"},
			{Account: "chem", User: "ann"},
			{Account: "chem", User: "bob", Own: []string{"normal"}},
			{Account: "sub", User: "ann"},
			{Account: "bio", User: "ann"},
		},
	}
}

var steps = []string{"qos 'gold' 'Priority=50'", "member account 'chem' 'gold' default", "qos 'iron' 'Priority=20'",
	"member account 'bio' 'iron' default", "share account 'bio' 'Priority=40'", "share user 'ann' 'Priority=9'"}

// installed is a directory with the scripts, and a site.
type installed struct {
	t    *testing.T
	dir  string
	file string
}

func open(t *testing.T, s *site, modify bool, steps []string) installed {
	t.Helper()
	dir := t.TempDir()
	i := installed{t: t, dir: dir, file: filepath.Join(dir, "site.json")}
	s.save(i.file)
	self, err := os.Executable()
	for _, name := range []string{"sacctmgr", "scontrol", "squeue"} {
		if err == nil {
			err = os.Symlink(self, filepath.Join(dir, name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"qos.sh": Install("1", "s", modify, Largest{QOS: 50, Association: 40}, steps), "undo.sh": Undo("1", "cpu", nil),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return i
}

func (i installed) site() *site { return load(i.file) }

func (i installed) set(change func(*site)) {
	s := i.site()
	change(s)
	s.save(i.file)
}

// run runs a script, and returns its exit code, -1 if it is killed, and its output.
func (i installed) run(script string) (code int, output string) { return i.shell("sh " + script) }

// full runs a script on a disk that is full: a file takes no byte.
func (i installed) full(script string) (code int, output string) {
	return i.shell("trap '' XFSZ; ulimit -S -f 0; sh " + script)
}

func (i installed) shell(line string) (code int, output string) {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = i.dir
	cmd.Env = append(os.Environ(), "PATH="+i.dir+":"+os.Getenv("PATH"), "FAKE_SLURM="+i.file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

// submit adds jobs that name no QOS, one of each association of a user.
func submit(s *site, state string) {
	for _, a := range s.Assocs {
		if a.User != "" {
			s.Jobs = append(s.Jobs, &job{ID: len(s.Jobs) + 1, Account: a.Account, User: a.User, State: state, QOS: s.given(a.Account, a.User)})
		}
	}
}

// restored compares QOS and associations with those of the start, and looks for jobs without a QOS that they may have.
func (i installed) restored(when string) {
	i.t.Helper()
	got, want := i.site(), start()
	if fmt.Sprint(got.QOS) != fmt.Sprint(want.QOS) {
		i.t.Errorf("%s: QOS %v", when, got.QOS)
	}
	for n, a := range got.Assocs {
		b := want.Assocs[n]
		if a.Default != b.Default || a.Priority != b.Priority || len(a.Plus) > 0 || !reflect.DeepEqual(a.Own, b.Own) {
			i.t.Errorf("%s: %+v, want %+v", when, a, b)
		}
	}
	for _, j := range got.Jobs {
		if j.State == "PENDING" && j.QOS != got.given(j.Account, j.User) {
			i.t.Errorf("%s: job %d of %s waits in QOS %s", when, j.ID, j.Account, j.QOS)
		}
	}
}

// TestInstall: new QOS have every field of those that they replace but the priority, and may be preempted by the same
// ones; users with lists of their own may have them; a second run changes nothing; and undo puts all back, with jobs
// that wait. SchedulerParameters of the cluster that the export does not speak of stay.
func TestInstall(t *testing.T) {
	i := open(t, start(), true, steps)
	lines := filepath.Join(i.dir, "priorities.conf")
	if err := os.WriteFile(lines, []byte("# These SchedulerParameters were defer=true\nSchedulerParameters=bf_window=5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if code, out := i.run("qos.sh"); code != 0 {
			t.Fatalf("%d: %s", code, out)
		}
	}
	text, _ := os.ReadFile(lines)
	if !strings.HasSuffix(string(text), "\nSchedulerParameters=bf_window=5,max_rpc_cnt=9\n") {
		t.Errorf("priorities.conf: %s", text)
	}
	s := i.site()
	for name, priority := range map[string]string{"gold": "50", "iron": "20"} {
		want := start().QOS["normal"]
		want["Priority"] = priority
		if fmt.Sprint(s.QOS[name]) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, s.QOS[name], want)
		}
	}
	if got := s.QOS["first"]["Preempt"]; got != "normal,scav,gold,iron" {
		t.Errorf("first preempts %s", got)
	}
	i.set(func(s *site) { submit(s, "PENDING") })
	var held []string
	for _, j := range i.site().Jobs {
		held = append(held, j.QOS)
	}
	if got := strings.Join(held, " "); got != "gold gold scav iron" {
		t.Errorf("jobs get %s", got)
	}
	for range 2 {
		if code, out := i.run("undo.sh"); code != 0 {
			t.Errorf("%d: %s", code, out)
		}
		i.restored("after undo")
	}
}

// TestNothingChanged: what is in the way is found before the first step.
func TestNothingChanged(t *testing.T) {
	two := func(s *site) { s.Assocs[3].Default, s.Assocs[3].Own = "scav", []string{"scav"} }
	for name, c := range map[string]struct {
		modify bool
		steps  []string
		set    func(*site)
		says   string
	}{
		"existing":  {false, steps, nil, "account chem exists"},
		"QOS":       {false, []string{"qos 'scav' 'Priority=50'"}, nil, "QOS scav exists"},
		"preempted": {false, []string{"qos 'gold' 'Priority=50'"}, nil, "QOS first may preempt normal"},
		"two": {true, []string{"qos 'gold' 'Priority=50'", "member account 'chem' 'gold' default",
			"member account 'bio' 'gold' default"}, two, "would replace scav, the default of account bio"},
		"larger":  {true, steps, func(s *site) { s.QOS["first"]["Priority"] = "51" }, "first (51)"},
		"account": {true, steps, func(s *site) { s.Assocs[2].Priority = "41" }, "account sub (41)"},
		"user":    {true, steps, func(s *site) { s.Assocs[5].Priority = "50" }, "user bob of chem (50)"},
		"nobody":  {true, []string{"share account 'none' 'Priority=3'"}, nil, "none of these accounts"},
		"silence": {true, steps, func(s *site) { s.QOS = nil }, "no answer of sacctmgr"},
	} {
		s := start()
		if c.set != nil {
			c.set(s)
		}
		i := open(t, s, c.modify, c.steps)
		code, out := i.run("qos.sh")
		if code != 1 || !strings.Contains(out, c.says) || !strings.Contains(out, "nothing is changed") {
			t.Errorf("%s: %d: %s", name, code, out)
		}
		if log := i.site().Log; log != nil {
			t.Errorf("%s: %v", name, log)
		}
		if _, err := os.Stat(filepath.Join(i.dir, "former.txt")); err == nil {
			t.Errorf("%s: former.txt", name)
		}
	}
}

// TestLargerBefore: priorities that the steps replace may be larger than all that the export sets.
func TestLargerBefore(t *testing.T) {
	s := start()
	s.Assocs[3].Priority, s.Assocs[4].Priority = "5000", "600"
	if code, out := open(t, s, true, steps).run("qos.sh"); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
}

// TestUndoHeld: a QOS that running jobs hold stays, without priority, and goes when they have ended; one that a job
// which cannot be moved holds keeps all others too; and answers of squeue that cannot be true delete nothing.
func TestUndoHeld(t *testing.T) {
	i := open(t, start(), true, steps)
	if code, out := i.run("qos.sh"); code != 0 {
		t.Fatal(out)
	}
	i.set(func(s *site) { submit(s, "PENDING"); s.Fixed = 2 })
	again := func(want int, says string) {
		t.Helper()
		if code, out := i.run("undo.sh"); code != want || !strings.Contains(out, says) {
			t.Errorf("%d, want %d and %q: %s", code, want, says, out)
		}
	}
	both := func(want bool) {
		t.Helper()
		if s := i.site(); (s.QOS["gold"] != nil) != want || (s.QOS["iron"] != nil) != want {
			t.Errorf("QOS %v", s.QOS)
		}
	}
	again(1, "could not be moved: 2.")
	both(true)
	for _, lie := range []string{"fails", "empty", "silent"} {
		i.set(func(s *site) { s.Fixed, s.Lie = 0, lie })
		again(1, "no answer of")
		both(true)
	}
	i.set(func(s *site) {
		for _, j := range s.Jobs {
			j.State, j.QOS = "RUNNING", map[string]string{"chem": "gold", "bio": "iron", "sub": "scav"}[j.Account]
		}
		s.Lie = "none"
	})
	again(1, "QOS gold stays")
	both(true)
	i.set(func(s *site) { s.Lie = "" })
	again(1, "QOS gold stays, with priority 0, as jobs hold it: 1 2.")
	both(true)
	if p := i.site().QOS["gold"]["Priority"]; p != "0" {
		t.Errorf("priority %s", p)
	}
	// One is requeued: the next run moves it.
	i.set(func(s *site) { s.Jobs[0].State, s.Jobs[1].State = "PENDING", "COMPLETED" })
	again(1, "QOS iron stays")
	i.set(func(s *site) { s.Jobs = slices.DeleteFunc(s.Jobs, func(j *job) bool { return j.State == "RUNNING" }) })
	again(0, "")
	i.set(func(s *site) { s.Lie = "" })
	i.restored("at the end")
}

// TestFaults: whatever the command at which, in turn, qos.sh or undo.sh is killed, or which is refused, undo.sh then puts all back,
// and no job is left without its QOS.
func TestFaults(t *testing.T) {
	fewer := slices.Concat(steps[:2], steps[4:5])
	for _, script := range []string{"qos.sh", "undo.sh"} {
		for at := 1; ; at++ {
			i := open(t, start(), true, fewer)
			if script == "undo.sh" {
				i.run("qos.sh")
				i.set(func(s *site) { submit(s, "PENDING"); s.Calls = 0 })
			}
			kind := []string{"killed after", "killed before", "refused at"}[at%3]
			when := fmt.Sprintf("%s %s %d", script, kind, at)
			i.set(func(s *site) { s.Fault, s.FaultAt = kind, at })
			code, out := i.run(script)
			if i.site().Calls < at { // all commands are done
				break
			}
			if (code == -1) != strings.HasPrefix(kind, "killed") || script == "qos.sh" && code == 0 {
				t.Errorf("%s: %d %s", when, code, out)
			}
			i.set(func(s *site) {
				s.Fault = ""
				if script == "qos.sh" {
					submit(s, "PENDING")
				}
			})
			if code, out := i.run("undo.sh"); code != 0 {
				t.Errorf("%s, then undo.sh: %d %s", when, code, out)
			}
			i.restored(when)
		}
	}
}

// TestIgnored: a command of undo.sh exits with 0 and does nothing. The value is kept, and the next undo.sh puts it back.
func TestIgnored(t *testing.T) {
	for at := 1; ; at++ {
		i := open(t, start(), true, steps)
		i.run("qos.sh")
		i.set(func(s *site) { s.Calls, s.Fault, s.FaultAt = 0, "ignored", at })
		code, _ := i.run("undo.sh")
		if i.site().Calls < at {
			break
		}
		i.set(func(s *site) { s.Fault = "" })
		if code != 0 {
			i.run("undo.sh")
		}
		i.restored(fmt.Sprintf("command %d is ignored", at))
	}
}

// TestTornLine: a full disk has torn the last line of former.txt. It is dropped, and nothing is glued to it.
func TestTornLine(t *testing.T) {
	for _, script := range []string{"qos.sh", "undo.sh"} {
		i := open(t, start(), true, steps)
		former := filepath.Join(i.dir, "former.txt")
		if err := os.WriteFile(former, []byte("account|bio|Priority bio |"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{script, "undo.sh"} {
			if code, out := i.run(name); code != 0 {
				t.Errorf("%s: %d %s", name, code, out)
			}
		}
		i.restored(script)
	}
}

// whole is steps that also change a QOS of the site.
var whole = slices.Concat(steps[:1], []string{"qos 'scav' 'Priority=3'"}, steps[1:2], steps[4:5])

// TestFullDisk: on a full disk neither script changes anything that it cannot note, and undo.sh loses no former value.
func TestFullDisk(t *testing.T) {
	i := open(t, start(), true, whole)
	if code, out := i.full("qos.sh"); code != 1 {
		t.Errorf("qos.sh: %d %s", code, out)
	}
	i.restored("after qos.sh")
	if code, out := i.run("qos.sh"); code != 0 {
		t.Fatal(out)
	}
	i.set(func(s *site) { submit(s, "PENDING") })
	if code, out := i.full("undo.sh"); code != 1 {
		t.Errorf("undo.sh: %d %s", code, out)
	}
	if code, out := i.run("undo.sh"); code != 0 {
		t.Errorf("undo.sh again: %d %s", code, out)
	}
	i.restored("at the end")
}

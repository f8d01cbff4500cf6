package service

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The page says where to copy the program, the scenario and its trace. A scenario in /tmp, which the service does not
// see, has another place.
func TestCopies(t *testing.T) {
	s := &Service{Version: "test", Program: "/opt/revopt", Policy: "value-bf", Every: 10, From: "/tmp/a/site.yaml",
		Scenario: At("/tmp/a/site.yaml"), Files: []string{"/tmp/a/logs/site.swf.gz", "/data/down.csv"}}
	page := s.content("README.md")
	for _, want := range []string{"to `/opt/revopt`", "`/tmp/a/site.yaml` to `/etc/revopt/site.yaml`",
		"`/tmp/a/logs/site.swf.gz` to `/etc/revopt/logs/site.swf.gz`", "`/data/down.csv` to the same path"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if !strings.Contains(s.content("steer.env"), "SCENARIO=/etc/revopt/site.yaml\n") || At("/srv/tmp/a.yaml") != "/srv/tmp/a.yaml" {
		t.Error(s.content("steer.env"))
	}
}

// The watchdog undoes only when the last pass is old, and says so to the program with the journal of steer.env. It leaves
// a steer alone that holds the journal and has just started. A script stands for flock, which not every machine has.
func TestWatchdog(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	program := filepath.Join(dir, "revopt")
	s := &Service{Version: "test", Program: program, Scenario: "site", Policy: "value-bf", Every: 10}
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	called, journal := filepath.Join(dir, "called"), filepath.Join(dir, "steer.journal")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	held := filepath.Join(dir, "held")
	write("flock", "#!/bin/sh\ntest \"$1 $2 $3\" = \"-n "+journal+" true\" && ! test -e "+held+"\n")
	write("revopt", "#!/bin/sh\necho \"$@ $SLURM_CONF\" >>"+called+"\n")
	settings := strings.Replace(s.content("steer.env"), "/var/lib/revopt/steer.journal", journal, 1) + "SLURM_CONF=/c\n"
	write("steer.env", settings)
	now := time.Now().Unix()
	record := func(kind string, ago int) string {
		return fmt.Sprintf("{\"kind\":%q,\"time\":%d.5}\n", kind, now-int64(ago))
	}
	for name, c := range map[string]struct {
		journal    string
		held, undo bool
	}{
		"none":            {"", false, false},
		"fresh":           {record("start", 9000) + record("pass", 20), true, false},
		"old":             {record("start", 9000) + record("pass", 4000), false, true},
		"no pass":         {record("start", 4000) + record("intent", 10), false, true},
		"just started":    {record("start", 10), true, false},
		"starts, no pass": {record("start", 9000) + record("pass", 4000) + record("start", 10), false, true},
		"runs, no pass":   {record("start", 9000) + record("pass", 4000) + record("start", 10), true, false},
	} {
		os.Remove(called)
		os.Remove(journal)
		os.Remove(held)
		if c.held {
			write("held", "")
		}
		if c.journal != "" {
			write("steer.journal", c.journal)
		}
		out, err := exec.Command("sh", filepath.Join(dir, "watchdog.sh")).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		got, _ := os.ReadFile(called)
		want := ""
		if c.undo {
			want = "steer --undo --journal " + journal + " /c\n"
		}
		if string(got) != want {
			t.Errorf("%s: the watchdog called %q, expected %q", name, got, want)
		}
	}
}

// The watchdog stops a steer that holds the journal and makes no pass, also where the journal was begun anew and has no
// record of a start.
func TestWatchdogStops(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	s := &Service{Version: "test", Program: "true", Scenario: "site", Policy: "value-bf", Every: 10}
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	journal, old := filepath.Join(dir, "steer.journal"), time.Now().Unix()-9000
	for _, kind := range []string{"start", "taken"} {
		hangs := exec.Command("sh", "-c", "sleep 60; :", "revopt", "steer", "site")
		if err := hangs.Start(); err != nil {
			t.Fatal(err)
		}
		record := fmt.Sprintf(`{"kind":%q,"time":%d,"start":{"process":%d},"changes":[]}`, kind, old, hangs.Process.Pid)
		for name, text := range map[string]string{
			"flock":         fmt.Sprintf("#!/bin/sh\n! kill -0 %d\n", hangs.Process.Pid),
			"steer.journal": record + "\n",
			"steer.env":     strings.Replace(s.content("steer.env"), "/var/lib/revopt/steer.journal", journal, 1),
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- hangs.Wait() }()
		out, err := exec.Command("sh", filepath.Join(dir, "watchdog.sh")).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", kind, err, out)
		}
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Errorf("%s: the process runs on: %s", kind, out)
			hangs.Process.Kill()
		}
	}
}

// An export leaves a file alone that an operator has edited.
func TestExists(t *testing.T) {
	dir := t.TempDir()
	s := &Service{Version: "test", Program: "revopt", Scenario: "site", Policy: "value-bf", Every: 10}
	if err := s.Write(dir); err != nil || s.Exists(dir) != "" {
		t.Fatal(err, s.Exists(dir))
	}
	edited := filepath.Join(dir, "steer.env")
	if err := os.WriteFile(edited, []byte("ACT=--apply\n"), 0o644); err != nil || s.Exists(dir) != edited {
		t.Fatalf("%v: expected %s, got %q", err, edited, s.Exists(dir))
	}
	for _, name := range Files() {
		if text := s.content(name); strings.Contains(text, "%!") || !strings.Contains(text[:200], "by revopt test") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// The units leave to their processes little more than Slurm needs, as systemd rates it: at most 5.0 of 10.
func TestHardening(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not there")
	}
	dir := t.TempDir()
	s := &Service{Version: "test", Program: "revopt", Scenario: "site", Policy: "value-bf", Every: 10}
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, unit := range []string{"revopt-steer.service", "revopt-steer-watchdog.service"} {
		out, err := exec.Command(analyze, "security", "--offline=yes", "--no-pager", "--threshold=50",
			filepath.Join(dir, unit)).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", unit, err, out)
		}
	}
}

// The reset by hand of the page restores the jobs of a journal to what they had before the first change, and no others.
func TestByHand(t *testing.T) {
	s := &Service{Version: "test", Program: "revopt", Scenario: "site", Policy: "value-bf", Every: 10}
	_, command, _ := strings.Cut(s.content("README.md"), "    grep -hE")
	command, _, _ = strings.Cut(command, "| scontrol")
	journal := filepath.Join(t.TempDir(), "journal")
	err := os.WriteFile(journal, []byte(`{"kind":"taken","changes":[{"job":4,"former":-5,"factor":9}]}
{"kind":"intent","changes":[{"job":7,"former":0,"factor":3},{"job":4,"former":9,"factor":12}]}
{"kind":"result","changes":[{"job":8,"former":1,"factor":3}]}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	command = strings.Replace("grep -hE"+command, "/var/lib/revopt/steer.journal", journal, 1)
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	if err != nil || string(out) != "update JobId=4 SiteFactor=-5\nupdate JobId=7 SiteFactor=0\n" {
		t.Errorf("%s: %q, %v", command, out, err)
	}
}

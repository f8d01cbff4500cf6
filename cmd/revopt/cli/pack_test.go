package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPack packs results of commands and of a sweep, and makes them again elsewhere: all are
// the same. A trace that is not packed is asked for, and a changed byte of a result is found.
func TestPack(t *testing.T) {
	for _, program := range []string{"sh", "tar", "cmp", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	home := t.TempDir()
	t.Chdir(home)
	for _, dir := range []string{"traces", "results/two words"} {
		os.MkdirAll(dir, 0o777)
	}
	must(t, "trace", "generate", "--jobs", "40", "-o", "traces/a.swf.gz")
	writeText(t, "a.yaml", "trace: {file: traces/a.swf.gz}\nclasses: [{name: jobs, price: {per_unit_hour: 1}}]\n")
	writeText(t, "s.yaml", "scenario: a.yaml\npolicies: [easy, {hol: {backfill: true}}]\nmetrics: [mean_wait]\n")
	writeText(t, "my.sh", "read hello\necho '{\"hello\":1,\"name\":\"last\",\"fields\":[],\"wants\":[\"arrive\"]}'\n"+
		"while read line; do\ncase $line in *bye*) exit ;; esac\nid=${line##*\\\"id\\\":}\necho \"{\\\"reject\\\":[{\\\"id\\\":${id%%[!0-9]*},\\\"why\\\":\\\"no\\\"}]}\"\ndone\n")
	writeText(t, "results/notes.txt", "kept as it is\n")
	must(t, "simulate", "a.yaml", "--policy", "easy", "--save", "results/a.json", "--cells", "results/c.csv", "--html", "results/a.html")
	must(t, "simulate", "nist-one", "--jobs", "50", "--replications", "2", "--seed", "5", "--csv=results/two words/it's.csv")
	must(t, "simulate", "a.yaml", "--policy", "exec:sh my.sh", "--csv", "results/exec.csv")
	must(t, "plot", "results/a.json", "--out", "results/a.svg")
	must(t, "sweep", "s.yaml", "--out", "results/sweep")

	// again unpacks an archive in a new directory, and runs its script there after a change.
	again := func(archive string, change func(dir string)) (string, error) {
		t.Helper()
		dir := t.TempDir()
		if out, err := exec.Command("tar", "-xzf", archive, "-C", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		change(filepath.Join(dir, "artifact"))
		cmd := exec.Command("sh", filepath.Join(dir, "artifact", "again.sh"))
		cmd.Env = append(os.Environ(), "REVOPT="+os.Args[0], asProgram+"=1")
		out, err := cmd.Output()
		return string(out), err
	}
	must(t, "pack", "results", "-o", "results/all.tar.gz", "--with-traces")
	first := readText(t, "results/all.tar.gz")
	os.Chtimes("a.yaml", time.Unix(1, 0), time.Unix(1, 0))
	must(t, "pack", "results", "-o", "results/all.tar.gz", "--with-traces")
	if readText(t, "results/all.tar.gz") != first {
		t.Error("two archives of the same files differ")
	}
	if out, err := again("results/all.tar.gz", func(string) {}); err != nil || out != "the same: 8 results\n" {
		t.Errorf("made again: %v: %s", err, out)
	}
	out, err := again("results/all.tar.gz", func(dir string) {
		path := filepath.Join(dir, "results/results/two words/it's.csv")
		writeText(t, path, strings.Replace(readText(t, path), ",", ";", 1))
	})
	if err == nil || out != "differs: results/two words/it's.csv\n" {
		t.Errorf("after a change: %v: %s", err, out)
	}

	must(t, "pack", "results", "-o", "b.tgz")
	if bytes.Contains([]byte(must(t, "pack", "results", "-o", "b.tgz")), []byte("0 by their SHA-256")) {
		t.Error("a trace is packed without being asked for")
	}
	for data, want := range map[string]string{"": "missing: inputs/traces/a.swf.gz", "x": "another file: inputs/traces/a.swf.gz"} {
		out, err := again("b.tgz", func(dir string) {
			if data != "" {
				os.MkdirAll(filepath.Join(dir, "inputs/traces"), 0o777)
				writeText(t, filepath.Join(dir, "inputs/traces/a.swf.gz"), data)
			}
		})
		if err == nil || !strings.HasPrefix(out, want) {
			t.Errorf("%s: %v: %s", want, err, out)
		}
	}
}

// TestPackVersion packs a file whose version would add a line to the script.
func TestPackVersion(t *testing.T) {
	t.Chdir(t.TempDir())
	os.Mkdir("r", 0o777)
	writeText(t, "r/a.json", `{"Version":"1\ntouch planted","Command":"revopt wait nist-one --save r/a.json"}`)
	must(t, "pack", "r", "-o", "a.tar.gz")
	script, err := exec.Command("tar", "-xzOf", "a.tar.gz", "artifact/again.sh").Output()
	if err != nil || !strings.Contains(string(script), "version 1 touch planted.") {
		t.Errorf("%v: %s", err, script)
	}
}

// TestPackRefuses holds directories that cannot be packed to one line, and no archive.
func TestPackRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for what, make := range map[string]func(dir string) error{
		"no file names":       func(dir string) error { return os.WriteFile(dir+"/a.csv", []byte("x,y\n"), 0o666) },
		"regular files":       func(dir string) error { return os.Symlink("/etc/passwd", dir+"/link") },
		"directories only":    func(dir string) error { return syscall.Mkfifo(dir+"/pipe", 0o666) },
		"control characters":  func(dir string) error { return os.WriteFile(dir+"/a\nb", nil, 0o666) },
		"at most 4 GB":        func(dir string) error { os.Create(dir + "/big"); return os.Truncate(dir+"/big", 5<<30) },
		"a command of revopt": func(dir string) error { return command(dir, "revopt solve nist-one --csv a.csv; rm -rf x") },
		"standard input":      func(dir string) error { return command(dir, "revopt solve - --csv a.csv") },
		"writes /a.csv":       func(dir string) error { return command(dir, "revopt solve nist-one --csv /a.csv") },
		"no file my.sh, which": func(dir string) error {
			return command(dir, "revopt simulate nist-one --policy 'exec:k=2:sh my.sh' --csv no-file-my.sh,-which/a.csv")
		},
		"another file": func(dir string) error { return command(dir, "revopt solve nist-one --csv elsewhere.csv") },
	} {
		dir := strings.ReplaceAll(strings.ReplaceAll(what, " ", "-"), "/", "")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		got := try("pack", dir, "-o", "a.tar.gz")
		if got.code != exitUsage || !strings.Contains(got.stderr, what) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", what, got.code, got.stderr)
		}
		if _, err := os.Stat("a.tar.gz"); err == nil {
			t.Errorf("%s: an archive", what)
		}
	}
}

// command writes a table that says that a command made it.
func command(dir, line string) error {
	return os.WriteFile(dir+"/a.csv", []byte("# command: "+line+"\nx,y\n"), 0o666)
}

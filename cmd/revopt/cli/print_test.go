package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v2"
)

// unread is standard output that nobody reads. It notes which files are missing when it is written to first.
type unread struct {
	files   []string
	written bool
	missing []string
}

func (u *unread) Write([]byte) (int, error) {
	if !u.written {
		u.written = true
		u.missing = u.left()
	}
	return 0, syscall.EPIPE
}

// left returns the files that are not there.
func (u *unread) left() []string {
	return slices.DeleteFunc(slices.Clone(u.files), func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() > 0
	})
}

// TestFilesFirst: every command writes the files that were asked for before it prints, so that a closed pipe
// loses nothing but the print. The table has every flag of every command that names a file.
func TestFilesFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	log := "JobID|Submit|Start|End|State|AllocCPUS|ReqCPUS|Timelimit|User|Account|Partition|QOS\n"
	for _, job := range []string{"1|08:00:00|08:00:00|09:00:00", "2|08:00:10|09:00:00|09:30:00"} {
		log += strings.ReplaceAll(job, "|0", "|2026-01-05T0") + "|COMPLETED|4|4|02:00:00|ann|chem|p|normal\n"
	}
	writeText(t, "log.txt", log)
	writeText(t, "log2.txt", log)
	writeText(t, "sweep.yaml", "scenario: nist-one\nset: {simulation.jobs: 40}\nseeds: 2\n")
	must(t, "trace", "import", "log.txt", "-o", "jobs.swf", "--quiet")
	writeText(t, "schedule.csv", "job,start,end\n")
	few := " --jobs 40 --replications 2"
	covered := map[string]bool{}
	for _, test := range []struct {
		line  string   // files that it names begin with out
		files []string // more than these
		open  bool     // it prints while it goes on, and then is not ended
	}{
		{line: "init log2.txt -o out.yaml --html out.html", files: []string{"out.swf.gz"}},
		{line: "solve nist-one --no-check --csv out.csv --html out.html"},
		{line: "solve nist-one --vary load=0.4,0.8 --csv out.csv -o out.svg"},
		{line: "solve --waits nist-one --csv out.csv -o out.svg"},
		{line: "simulate sp2-like --policy easy --html out.html --csv out.csv --cells out.cells " +
			"--records out.records --gantt out.svg" + few},
		{line: "validate nist-one --vary load=0.5,0.9 --html out.html --csv out.csv --cells out.cells " +
			"--policy fcfs -o out.svg" + few},
		{line: "whatif nist-one --change growth=10% --html out.html --csv out.csv --cells out.cells " +
			"-o out.svg" + few},
		{line: "tune nist-one --policy value-bf --vary future --html out.html --csv out.csv --cells out.cells" +
			few},
		{line: "explore nist-one -o out.html"},
		{line: "sweep sweep.yaml -o outs --csv out.csv --html out.html", files: []string{"outs/table.csv",
			"outs/cells.csv", "outs/answer.json"}},
		{line: "figure nist-02 nist-03 --quick --format csv -o outs", files: []string{"outs/nist-02.csv",
			"outs/nist-03.csv"}, open: true},
		{line: "trace import log2.txt -o out.swf"},
		{line: "trace waits jobs.swf -o out.svg --csv out.csv --html out.html"},
		{line: "trace clean jobs.swf -o out.swf"},
		{line: "trace generate -o out.swf --jobs 9"},
		{line: "trace fit sp2-like --set trace.jobs=first:300 -o out.yaml"},
		{line: "bench run tight-1.0-2 --policy easy --csv out.csv --html out.html"},
		{line: "bench list --csv out.csv --html out.html"},
		{line: "bench check schedule.csv --instance tight-1.0-2 --csv out.csv --html out.html"},
		{line: "bench jobs tight-1.0-2 -o out.csv", open: true}, // it prints nothing
		{line: "export slurm nist-one --admission all -o outs", files: []string{"outs/README.md", "outs/job_submit.lua"}},
	} {
		for _, old := range files(t, ".") {
			if strings.HasPrefix(filepath.Base(old), "out") {
				os.RemoveAll(old)
			}
		}
		out := &unread{files: test.files}
		args := strings.Fields(test.line)
		name, flag := "", ""
		for i, arg := range args {
			switch {
			case strings.HasPrefix(arg, "-"):
				flag = strings.TrimLeft(strings.Replace(arg, "-o", "--out", 1), "-")
			case i == 0 || i == 1 && slices.Contains([]string{"trace", "bench", "export"}, args[0]):
				name = strings.TrimSpace(name + " " + arg)
			case strings.HasPrefix(arg, "out"):
				covered[name+" --"+flag] = true
				if arg != "outs" {
					out.files = append(out.files, arg)
				}
			}
		}
		var stderr bytes.Buffer
		code := run(context.Background(), args, nil, out, &stderr)
		switch {
		case strings.Contains(stderr.String(), "built without the engine"): // go test has none
		case len(out.left()) > 0 || len(out.missing) > 0 && !test.open:
			t.Errorf("%s: not written: %v, when it prints: %v: %s", test.line, out.left(), out.missing, &stderr)
		case code != exitUnread && out.written || !out.written && !test.open:
			t.Errorf("%s: exit %d, printed %t: %s", test.line, code, out.written, &stderr)
		}
	}
	var check func(parent string, commands []*cli.Command)
	check = func(parent string, commands []*cli.Command) {
		for _, c := range commands {
			check(parent+c.Name+" ", c.Subcommands)
			for _, flag := range c.Flags {
				name := flag.Names()[0]
				if at := parent + c.Name + " --" + name; slices.Contains(outputFlags[:], name) && flag.(cli.DocGenerationFlag).TakesValue() && !covered[at] {
					t.Errorf("%s is not tried", at)
				}
			}
		}
	}
	check("", newProgram(nil).app().Commands)
}

// TestUnread: a process whose output nobody reads writes its files, says nothing and ends as SIGPIPE ends
// others.
func TestUnread(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no SIGPIPE")
	}
	t.Chdir(t.TempDir())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(os.Args[0], "solve", "nist-one", "--no-check", "--csv", "a.csv", "--json")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = w, &stderr
	cmd.Run()
	info, err := os.Stat("a.csv")
	if cmd.ProcessState.ExitCode() != exitUnread || err != nil || info.Size() == 0 || stderr.Len() > 0 {
		t.Errorf("%v, %v: %s", cmd.ProcessState, err, &stderr)
	}
	both := exec.Command(os.Args[0], "solve", "nist-four", "--csv", "b.csv") // it has warnings
	both.Env = cmd.Env
	both.Stdout, both.Stderr = w, w
	both.Run()
	if info, err := os.Stat("b.csv"); both.ProcessState.ExitCode() != exitUnread || err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", both.ProcessState, err)
	}
}

package cli

import (
	"slices"
	"strings"
	"testing"

	"revopt/plots/answer"
)

// TestTraceReplay replays the log of the test cluster: from the log, and from the
// trace that it is imported as, with the same answers.
func TestTraceReplay(t *testing.T) {
	log := readText(t, "../../../testdata/sacct.txt")
	t.Chdir(t.TempDir())
	writeText(t, "sacct.txt", log)
	must(t, "trace", "import", "sacct.txt", "--nodes", "64", "--since", "eligible", "-o", "jobs.swf", "--quiet")
	var answers [2]answer.Answer
	for i, file := range []string{"sacct.txt", "jobs.swf"} {
		answers[i] = told(t, "trace", "replay", file, "--nodes", "64", "--policy", "easy,fcfs")
	}
	of := func(a answer.Answer, policy int, column string) float64 {
		return number(t, a, "policies", policy, column)
	}
	r := answers[0]
	starts := of(r, 0, "starts")
	if starts != 128 || fact(r, "units").Number != 64 || of(r, 0, "allowed") < 0.9*starts ||
		of(r, 1, "allowed") > 0.5*starts {
		t.Errorf("%+v", r)
	}
	if again := answers[1]; of(again, 0, "allowed") != of(r, 0, "allowed") ||
		of(again, 0, "mean_wait") != of(r, 0, "mean_wait") || fact(again, "recorded_wait") != fact(r, "recorded_wait") {
		t.Errorf("as a trace: %+v", again)
	}
	if fact(r, "wait_since").Word != "eligible" || fact(answers[1], "wait_since").Word != "submit" {
		t.Errorf("waits since %v and %v", fact(r, "wait_since"), fact(answers[1], "wait_since"))
	}
	part := told(t, "trace", "replay", "sacct.txt", "--jobs", "first:20")
	if of(part, 0, "starts") != 20 || fact(part, "sample").Word != "first:20" {
		t.Errorf("first 20 jobs: %+v", part)
	}
	// Warnings of the import, and of what it leaves out.
	open := log + "900|bin|chem|other|low|2026-11-15T22:12:23|2026-11-15T22:12:23|2026-11-15T22:12:23|Unknown|00:01:00|4|RUNNING\n"
	writeText(t, "open.txt", open)
	warned := told(t, "trace", "replay", "open.txt", "--nodes", "60")
	if got := codes(warned); !slices.Contains(got, "OPEN_JOBS") || !strings.Contains(warned.Warnings[0].String(), "more than the 60 stated") {
		t.Errorf("open: %v", warned.Warnings)
	}
	if fact(told(t, "trace", "replay", "jobs.swf", "--nodes", "100"), "units").Number != 100 {
		t.Error("not on 100 cores")
	}
	// Without a size of the machine: jobs of 3 and 4 overlap, the third begins as the first ends.
	const rest = " 10 -1 1 1 1 -1 -1 -1 -1 -1\n"
	writeText(t, "three.swf", "1 0 0 10 3 -1 -1 3"+rest+"2 5 0 10 4 -1 -1 4"+rest+"3 10 0 10 2 -1 -1 2"+rest)
	three := told(t, "trace", "replay", "three.swf")
	imported := must(t, "trace", "import", "three.swf", "--quiet")
	if of(three, 0, "starts") != 3 || fact(three, "units").Number != 7 || !strings.Contains(imported, "; MaxProcs: 7\n") {
		t.Errorf("of unknown size: %+v\n%s", three, imported)
	}
	// Without a start there is no answer, and one job has no load.
	writeText(t, "never.swf", "; MaxProcs: 4\n1 0 5 -1 1 -1 -1 1 20 -1 0 1 1 1 1 1 -1 -1\n")
	for _, flag := range []string{"--json", "--quotes"} {
		o := try("trace", "replay", "never.swf", flag)
		if o.code != exitUsage || o.stderr != "revopt: never.swf: expected jobs that have started, got none\n" {
			t.Errorf("no start: %+v", o)
		}
	}
	writeText(t, "one.swf", "; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n")
	one := told(t, "init", "one.swf", "-o", "one.yaml")
	if fact(one, "jobs").Number != 1 || fact(one, "units").Number != 4 || fact(one, "load").Known() {
		t.Errorf("one job: %+v", one)
	}
	at := "; MaxProcs: 1\n" + strings.Repeat("1 0 5 60 1 -1 -1 1 300 -1 1 1 1 1 1 1 -1 -1\n", 150000)
	if o := tryWithin(t.Context(), 300e6, at, "trace", "replay", "-"); o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: 150,000 logged jobs, 150,000 at a time, ask for about ") {
		t.Errorf("all jobs at once: %+v", o)
	}
}

// TestReplayOfSlurm replays the log of a Slurm with priorities, limits, partitions and a node
// that went down. One run of make test-slurm made it.
func TestReplayOfSlurm(t *testing.T) {
	t.Chdir("../../../testdata/slurm-site")
	args := []string{
		"trace", "replay", "sacct.txt", "--pool", "big=40:n[1-40]", "--pool", "small=24:n[41-64]", "--down", "events.txt",
		"--calculated", "2026-11-16T16:12:00", "--sprio", "sprio.txt", "--policy", "slurm:conf=slurm.conf:qos=qos.txt:assoc=assoc.txt,easy",
	}
	of := func(a answer.Answer, policy int, column string) float64 {
		return number(t, a, "policies", policy, column)
	}
	r := told(t, args...)
	starts, pairs, same := of(r, 0, "starts"), of(r, 0, "pairs"), of(r, 0, "same_order")
	if starts != 131 || fact(r, "units").Number != 64 || of(r, 0, "allowed") < 0.95*starts || of(r, 1, "allowed") > 0.8*starts {
		t.Errorf("%+v", r)
	}
	if of(r, 0, "moments") != 10 || pairs < 600 || same < 0.98*pairs || value(t, r, "policies", 1, "pairs").Known() {
		t.Errorf("sprio: %g of %g pairs", same, pairs)
	}
	// Without the time of the calculations, ages are others.
	args[10] = "2026-11-16T16:12:30"
	if later := of(told(t, args...), 0, "same_order"); later >= same {
		t.Errorf("calculated half a minute later: %g of %g pairs", later, pairs)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--pool", "big", `--pool: expected a name, units and nodes, such as big=40:n[1-40], got "big"`},
		{"--pool", "big=0", "--pool: expected"},
		{"--pool", "big=4:n[", "--pool: expected"},
		{"--calculated", "noon", `--calculated: expected a time such as 2026-11-15T08:46:57, got "noon"`},
		{"--down", "sprio.txt", "sprio.txt:1: expected the header of sacctmgr show event -P"},
		{"--sprio", "qos.txt", "qos.txt:1: expected a time such as # 1794845597.5, and the output of sprio with its header, got "},
		{"--sprio", "none.txt", "none.txt: no such file"},
	} {
		o := try("trace", "replay", "sacct.txt", "--policy", "slurm", c.flag, c.value)
		if o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: "+c.want) {
			t.Errorf("%s %s: %+v", c.flag, c.value, o)
		}
	}
}

// TestReplayNeverStarts: a node goes down and stays down, so that a job of all nodes never starts.
func TestReplayNeverStarts(t *testing.T) {
	t.Chdir(t.TempDir())
	log := "JobID|Submit|Start|End|State|AllocCPUS|Timelimit|Partition\n"
	for _, times := range []string{"1|08:00:00|08:00:00|09:00:00", "2|08:00:10|09:00:00|09:30:00"} {
		log += strings.ReplaceAll(times, "|0", "|2026-01-05T0") + "|COMPLETED|4|02:00:00|p\n"
	}
	writeText(t, "log.txt", log)
	writeText(t, "down.txt", "NodeName|TimeStart|TimeEnd|State\nn1|2026-01-05T08:30:00|Unknown|DOWN\n")
	args := []string{"trace", "replay", "log.txt", "--down", "down.txt", "--policy", "easy,slurm"}
	a := told(t, append(args, "--pool", "p=4:n[1-4]")...)
	if never := number(t, a, "policies", 0, "never_start") + number(t, a, "policies", 1, "never_start"); never != 2 ||
		!slices.Contains(codes(a), "NEVER_START") {
		t.Errorf("%+v", a)
	}
	wantUsageError(t, args, "revopt: --down: expected --pool")
}

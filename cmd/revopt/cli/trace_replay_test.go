package cli

import (
	"strings"
	"testing"

	"revopt/plots/report/logs"
)

// TestTraceReplay replays the log of the test cluster: from the log, and from the
// trace that it is imported as, with the same answers.
func TestTraceReplay(t *testing.T) {
	log := readText(t, "../../../testdata/sacct.txt")
	t.Chdir(t.TempDir())
	writeText(t, "sacct.txt", log)
	must(t, "trace", "import", "sacct.txt", "--nodes", "64", "--since", "eligible", "-o", "jobs.swf", "--quiet")
	var reports [2]logs.LogReplay
	for i, file := range []string{"sacct.txt", "jobs.swf"} {
		decode(t, &reports[i], "trace", "replay", file, "--nodes", "64", "--policy", "easy,fcfs", "--json")
	}
	r := reports[0]
	easy, fcfs := r.Policies[0], r.Policies[1]
	if r.Starts != 128 || r.Nodes != 64 || easy.Allowed*10 < r.Starts*9 || easy.Allowed+easy.Overfull+len(easy.Denied) != r.Starts || fcfs.Allowed*2 > r.Starts {
		t.Errorf("%+v", r)
	}
	if again := reports[1].Policies[0]; again.Allowed != easy.Allowed || again.MeanWait != easy.MeanWait || reports[1].MeanWait != r.MeanWait {
		t.Errorf("as a trace: %+v", reports[1])
	}
	if r.Since != "eligible" || reports[1].Since != "submit" {
		t.Errorf("waits since %s and %s", r.Since, reports[1].Since)
	}
	var part logs.LogReplay
	decode(t, &part, "trace", "replay", "sacct.txt", "--jobs", "first:20", "--json")
	if part.Starts != 20 || part.Subset != "first:20" || !strings.Contains(must(t, "trace", "replay", "sacct.txt"), "waits are since jobs were eligible") {
		t.Errorf("first 20 jobs: %+v", part)
	}
	// Warnings of the import, and of what it leaves out.
	open := log + "900|bin|chem|other|low|2026-11-15T22:12:23|2026-11-15T22:12:23|2026-11-15T22:12:23|Unknown|00:01:00|4|RUNNING\n"
	writeText(t, "open.txt", open)
	if o := try("trace", "replay", "open.txt", "--nodes", "60"); o.code != exitDone || !strings.Contains(o.stderr, "more than the 60 stated") || !strings.Contains(o.stderr, "1 job still running or waiting") {
		t.Errorf("open: %+v", o)
	}
	if out := must(t, "trace", "replay", "jobs.swf", "--nodes", "100"); !strings.Contains(out, " on 100 cores") {
		t.Errorf("on 100 cores: %s", out)
	}
	// Without a size of the machine: jobs of 3 and 4 overlap, the third begins as the first ends.
	const rest = " 10 -1 1 1 1 -1 -1 -1 -1 -1\n"
	writeText(t, "three.swf", "1 0 0 10 3 -1 -1 3"+rest+"2 5 0 10 4 -1 -1 4"+rest+"3 10 0 10 2 -1 -1 2"+rest)
	out := must(t, "trace", "replay", "three.swf") + must(t, "trace", "import", "three.swf", "--quiet")
	if !strings.Contains(out, "3 starts on 7 processors") || !strings.Contains(out, "; MaxProcs: 7\n") {
		t.Errorf("of unknown size: %s", out)
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
	if out := must(t, "init", "one.swf", "-o", "one.yaml"); !strings.HasPrefix(out, "1 job of 1 customer in 0 s on 4 processors; ") {
		t.Errorf("one job: %s", out)
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
	var r logs.LogReplay
	decode(t, &r, append(args, "--json")...)
	slurm, easy := r.Policies[0], r.Policies[1]
	if r.Starts != 131 || r.Nodes != 64 || slurm.Allowed*100 < r.Starts*95 || easy.Allowed*100 > r.Starts*80 {
		t.Errorf("%d starts on %d nodes, slurm allows %d, easy %d", r.Starts, r.Nodes, slurm.Allowed, easy.Allowed)
	}
	if slurm.Moments != 10 || slurm.Pairs < 600 || slurm.Same*100 < slurm.Pairs*98 || easy.Pairs > 0 {
		t.Errorf("sprio: %d of %d pairs at %d moments", slurm.Same, slurm.Pairs, slurm.Moments)
	}
	// Without the time of the calculations, ages are others.
	args[10] = "2026-11-16T16:12:30"
	decode(t, &r, append(args, "--json")...)
	if r.Policies[0].Same >= slurm.Same {
		t.Errorf("calculated half a minute later: %d of %d pairs", r.Policies[0].Same, slurm.Pairs)
	}
	if out := must(t, args...); !strings.Contains(out, "131 starts on 64 cores") || !strings.Contains(out, "\nsprio at 10 moments: ") {
		t.Error(out)
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
	out := must(t, append(args, "--pool", "p=4:n[1-4]")...)
	for _, want := range []string{"easy: 1 job never starts", "slurm: 1 job never starts"} {
		if !strings.Contains(out, want) || strings.Contains(out, " y\n") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	wantUsageError(t, args, "revopt: --down: expected --pool")
}

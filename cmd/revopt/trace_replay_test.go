package main

import (
	"strings"
	"testing"

	"revopt/plots/report"
)

// TestTraceReplay replays the log of the test cluster: from the log, and from the
// trace that it is imported as, with the same answers.
func TestTraceReplay(t *testing.T) {
	log := readText(t, "../../testdata/sacct.txt")
	t.Chdir(t.TempDir())
	writeText(t, "sacct.txt", log)
	must(t, "trace", "import", "sacct.txt", "--nodes", "64", "--since", "eligible", "-o", "jobs.swf", "--quiet")
	var reports [2]report.LogReplay
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
	var part report.LogReplay
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
	at := "; MaxProcs: 1\n" + strings.Repeat("1 0 5 60 1 -1 -1 1 300 -1 1 1 1 1 1 1 -1 -1\n", 150000)
	if o := tryWith(t.Context(), at, "trace", "replay", "-", "--max-memory", "300MB"); o.code != exitUsage || !strings.HasPrefix(o.stderr, "revopt: 150,000 logged jobs, 150,000 at a time, ask for about ") {
		t.Errorf("all jobs at once: %+v", o)
	}
}

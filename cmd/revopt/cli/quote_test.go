package cli

import (
	"os"
	"strings"
	"testing"

	"revopt/simulate/study/quote"
)

// TestQuote quotes the same state once as a moment of a trace and once from squeue and sinfo. It also
// gives states and jobs that cannot be.
func TestQuote(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Two jobs of a user have ended, one runs since 1000 s, and two wait.
	write("jobs.swf", "; MaxNodes: 4\n; MaxProcs: 4\n; UnixStartTime: 1767225600\n; User: 1 ann\n"+
		"1 0 0 300 4 -1 -1 4 900 -1 1 1 1 -1 -1 -1 -1 -1\n2 10 290 700 4 -1 -1 4 900 -1 1 1 1 -1 -1 -1 -1 -1\n"+
		"3 20 980 700 4 -1 -1 4 900 -1 1 1 1 -1 -1 -1 -1 -1\n4 1100 600 500 2 -1 -1 2 900 -1 1 1 1 -1 -1 -1 -1 -1\n"+
		"5 1200 500 500 4 -1 -1 4 900 -1 1 1 1 -1 -1 -1 -1 -1\n")
	write("site.yaml", "name: site\ntrace: {file: jobs.swf, nodes: 4}\npolicies: [fcfs]\n"+
		"classes: [{name: all, price: {per_unit_hour: 1}, decay: {per_hour: 50%}, grace: 1m, max_penalty: 0, slo: {within: 10m, level: 90%}}]\n")
	write("squeue", "JOBID|USER|STATE|NODES|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT\n"+
		"3|ann|RUNNING|4|1767225620|1767226600|3:20|15:00\n4|ann|PD|2|1767226700|N/A|0:00|15:00\n"+
		"5|ann|PD|4|1767226800|N/A|0:00|15:00\n6|ann|COMPLETED|4|1767226800|N/A|0:00|15:00\n")
	write("sinfo", "NODELIST|STATE|CPUS\nn[1-4]|idle|1\nn5|down|1\n")
	var moment, queue quote.Result
	decode(t, &moment, "quote", "site.yaml", "--at", "1200.5s", "--json")
	decode(t, &queue, "quote", "site.yaml", "--squeue", "squeue", "--sinfo", "sinfo", "--json")
	if len(moment.Jobs) != 2 || len(queue.Jobs) != 2 || moment.Running != 1 || queue.Running != 1 {
		t.Fatalf("got %+v and %+v", moment, queue)
	}
	for i, a := range moment.Jobs {
		b := queue.Jobs[i]
		for level, x := range a.Start {
			// The running job took 300/900 or 700/900 of its limit so far, and has run for 200 s.
			if y := b.Start[level]; x-y > 2 || y-x > 2 || i == 0 && (x < 99 || x > 501) {
				t.Errorf("job %s starts in %v s by the trace and %v s by squeue", a.ID, x, y)
			}
		}
		if a.Promise != b.Promise || a.Price < -1e-9 {
			t.Errorf("got %+v and %+v", a, b)
		}
	}
	if out := must(t, "quote", "site.yaml", "--at", "100s", "--job", "width=1,estimate=1h"); !strings.Contains(out, "new") {
		t.Error(out)
	}
	// Of 64 GPUs all are in use, while one of 512 cores is free.
	for pool, want := range map[string]bool{"cpu": true, "gpu": false} {
		var r quote.Result
		decode(t, &r, "quote", "ai-site", "--at", "3d", "--job", "width=1,estimate=1h,class=training,pool="+pool,
			"--replications", "9", "--set", "trace.jobs=first:1300", "--json")
		if at := r.Jobs[0].Start["0.5"] == 0; at != want {
			t.Errorf("a job in pool %s starts at once: %v", pool, at)
		}
	}
	write("none", "JOBID|STATE|NODES\n")
	if out := must(t, "quote", "nist-cluster", "--squeue", "none", "--set", "simulation.jobs=500"); !strings.Contains(out, "no job waits") {
		t.Error(out)
	}
	for _, c := range [][]string{
		{"site.yaml"}, {"site.yaml", "--at", "9y"}, {"site.yaml", "--at", "1s", "--squeue", "squeue"}, {"site.yaml", "--at", "1s", "--sinfo", "sinfo"},
		{"site.yaml", "--at", "1s", "--job", "width=0,estimate=1h"}, {"site.yaml", "--at", "1s", "--job", "color=1"},
		{"site.yaml", "--at", "1s", "--job", "width=1,estimate=1h,class=gold"}, {"site.yaml", "--squeue", "sinfo"},
		{"site.yaml", "--at", "1s", "--job", "width=1,estimate=1h,pool=gpu"}, {"ai-site", "--at", "1d", "--job", "width=1,estimate=1h"},
		{"nist-cluster", "--at", "1s", "--job", "width=1,estimate=1h", "--set", "simulation.jobs=500"},
	} {
		if o := try(append([]string{"quote"}, c...)...); o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("quote %v: exit %d, %s", c, o.code, o.stderr)
		}
	}
}

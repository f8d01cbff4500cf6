package cli

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/study/quote"
)

// quoteFiles writes a small site and its state, and returns a function that writes other files.
func quoteFiles(t *testing.T) (write func(name, text string)) {
	write = func(name, text string) {
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
	return write
}

// TestQuote quotes the same state once as a moment of a trace and once from squeue and sinfo. It also
// gives states and jobs that cannot be.
func TestQuote(t *testing.T) {
	t.Chdir(t.TempDir())
	write := quoteFiles(t)
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

// TestQuoteNever quotes jobs that cannot start: the reason is in place of their times. States that cannot be
// are refused in one line.
func TestQuoteNever(t *testing.T) {
	t.Chdir(t.TempDir())
	write := quoteFiles(t)
	const head = "NODELIST|STATE|CPUS\n"
	for _, nodes := range []string{"", "n[1-4]|down|1\n", "n[1-4]|drained|1\n", "n[1-4]|maint|1\n", "n[1-2]|idle*|1\nn[3-4]|drng|1\n"} {
		write("off", head+nodes)
		write("waits", "JOBID|USER|STATE|NODES\n4|ann|PD|2\n5|ann|PD|4\n")
		for _, c := range []struct {
			args []string
			jobs int
		}{{nil, 2}, {[]string{"--job", "width=1,estimate=1h"}, 1}} {
			var r quote.Result
			decode(t, &r, append([]string{"quote", "site.yaml", "--squeue", "waits", "--sinfo", "off", "--json"}, c.args...)...)
			if len(r.Jobs) != c.jobs || r.Jobs[0].Never != quote.NoNode || r.Jobs[0].Start != nil || r.Jobs[0].Promise != 0 {
				t.Errorf("%q: got %+v", nodes, r.Jobs)
			}
		}
	}
	// Of four nodes two are up: a job of two starts, one of four never does, and keeps no other waiting.
	write("half", head+"n[1-2]|idle|1\nn[3-4]|down|1\n")
	write("wide", "JOBID|USER|STATE|NODES|SUBMIT_TIME\n4|ann|PD|4|1767226700\n5|ann|PD|2|1767226800\n")
	var r quote.Result
	decode(t, &r, "quote", "site.yaml", "--squeue", "wide", "--sinfo", "half", "--json")
	if len(r.Jobs) != 2 || r.Jobs[0].ID != "4" || r.Jobs[0].Never != quote.TooWide || r.Jobs[1].Never != "" ||
		r.Jobs[1].Start["0.9"] != 0 {
		t.Errorf("got %+v", r.Jobs)
	}
	out := must(t, "quote", "site.yaml", "--squeue", "wide", "--sinfo", "half")
	if !strings.Contains(out, "job 4 never starts: it needs 4 nodes, and at most 2 can run jobs") {
		t.Error(out)
	}
	// Two nodes drain, and their job has 100 to 500 s left: two nodes stay, for one job after the other.
	write("drains", head+"n[1-2]|alloc|1\nn[3-4]|drng|1\n")
	write("full", "JOBID|USER|STATE|NODES|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT\n"+
		"3|ann|R|4|1767225620|1767226600|3:20|15:00\n4|ann|PD|2|1767226700|N/A|0:00|15:00\n"+
		"5|ann|PD|2|1767226700|N/A|0:00|15:00\n")
	r = quote.Result{}
	decode(t, &r, "quote", "site.yaml", "--squeue", "full", "--sinfo", "drains", "--json")
	if len(r.Jobs) != 2 || r.Jobs[0].Start["0.5"] >= r.Jobs[1].Start["0.5"] {
		t.Errorf("both jobs start on two nodes at once: %+v", r.Jobs)
	}
	r = quote.Result{}
	decode(t, &r, "quote", "site.yaml", "--at", "1200.5s", "--job", "width=5,estimate=1h", "--json")
	if r.Jobs[0].Never != quote.TooWide || r.Jobs[0].Units != 4 {
		t.Errorf("a job of five of four nodes: got %+v", r.Jobs)
	}
	const columns = "JOBID|USER|STATE|NODES|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT\n" +
		"3|ann|RUNNING|4|1767225620|1767226600|3:20|15:00\n"
	write("unknown", head+"n[1-4]|banana|1\n")
	write("uncounted", "NODELIST|STATE\nn[1-4]|idle\n")
	write("cores.yaml", "name: c\ntrace: {file: jobs.swf, nodes: 4, unit: core}\nclasses: [{name: all, price: 1}]\n")
	write("pools.yaml", "name: p\ntrace: {file: jobs.swf}\npools: [{name: a, units: 4, unit: node}]\n"+
		"classes: [{name: all, price: 1}]\n")
	r = quote.Result{}
	decode(t, &r, "quote", "pools.yaml", "--at", "1200.5s", "--job", "width=5,estimate=1h,class=all", "--json")
	if r.Jobs[0].Never != quote.TooWide || r.Jobs[0].Units != 4 {
		t.Errorf("a job of five of four nodes of a pool: got %+v", r.Jobs)
	}
	write("cpus", "JOBID|USER|STATE|CPUS\n4|ann|PD|2\n")
	write("twice", columns+"4|ann|PD|2|1767226700|N/A|0:00|15:00\n4|ann|PD|2|1767226700|N/A|0:00|15:00\n")
	write("future", columns+"4|ann|PD|2|1767326700|N/A|0:00|15:00\n")
	write("crowd", columns+"4|ann|R|1|1767225620|1767226600|3:20|15:00\n")
	for _, c := range []struct{ words, expected string }{
		{"site.yaml --squeue squeue --sinfo unknown", "unknown:2: STATE: expected"},
		{"pools.yaml --squeue squeue --sinfo sinfo", "expected no --sinfo"},
		{"ai-site --squeue squeue", "expected a scenario in nodes or cores with --squeue"},
		{"cores.yaml --squeue cpus --sinfo uncounted", "expected a column CPUS"},
		{"cores.yaml --squeue squeue", "squeue:2: CPUS: expected a number above 0"},
		{"site.yaml --squeue cpus", "cpus:2: NODES: expected a number above 0"},
		{"site.yaml --squeue twice", "twice:4: JOBID: expected each job once"},
		{"site.yaml --squeue future", "future:3: SUBMIT_TIME: expected"},
		{"site.yaml --squeue crowd", "crowd: expected running jobs on at most 4 nodes, got 5"},
		{"site.yaml --squeue squeue --sinfo half3", "squeue: expected running jobs on at most 3 nodes, got 4"},
		{"pools.yaml --squeue crowd", "crowd: expected running jobs on at most 4 nodes, got 5"},
	} {
		write("half3", head+"n[1-3]|idle|1\n")
		o := try(append([]string{"quote"}, strings.Fields(c.words)...)...)
		if o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, c.expected) {
			t.Errorf("quote %s: exit %d, %s", c.words, o.code, o.stderr)
		}
	}
}

// TestQuoteRecords writes the quotes of a log as a table: the scores follow from it.
func TestQuoteRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	quoteFiles(t)
	r := told(t, "trace", "replay", "jobs.swf", "--quotes", "--records", "quotes.csv")
	file, err := os.Open("quotes.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 6 || fact(r, "quotes").Number != 5 ||
		strings.Join(rows[0], " ") != "id submit start low median high reservation naive" {
		t.Fatalf("%v, %v", rows, err)
	}
	var reserved, median float64
	for i, row := range rows[1:] {
		x := text.Each(row, func(word string) float64 { x, _ := strconv.ParseFloat(word, 64); return x })
		if int(x[0]) != i+1 || x[3] > x[4] || x[4] > x[5] {
			t.Error(row)
		}
		reserved += math.Abs(x[2]-x[1]-x[6]) / 2 / 5
		median += math.Abs(x[2]-x[1]-x[4]) / 2 / 5
	}
	// The starts at 0, 300 and 1000 s are known at 1100 and 1200 s: waits of 0, 290 and 980 s.
	if rows[5][7] != "290" || rows[4][7] != "290" || rows[3][7] != "0" {
		t.Errorf("naive medians: %v", rows)
	}
	losses := [2]float64{fact(r, "reservation_pinball").Number, fact(r, "median_pinball").Number}
	if math.Abs(reserved-losses[0]) > 1e-9 || math.Abs(median-losses[1]) > 1e-9 {
		t.Errorf("losses %v, by the records %g and %g", losses, reserved, median)
	}
	if o := try("trace", "replay", "jobs.swf", "--records", "x.csv"); o.code != exitUsage {
		t.Errorf("--records without --quotes: exit %d", o.code)
	}
}

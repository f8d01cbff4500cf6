package cli

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/quote"
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
	moment := told(t, "quote", "site.yaml", "--at", "1200.5s")
	queue := told(t, "quote", "site.yaml", "--squeue", "squeue", "--sinfo", "sinfo")
	for _, a := range []answer.Answer{moment, queue} {
		if len(texts(t, a, "jobs", "job")) != 2 || known(t, a, "running").Number != 1 {
			t.Fatalf("got %+v", a)
		}
	}
	for i := range 2 {
		for _, level := range []string{"start_10", "start_50", "start_90"} {
			// The running job took 300/900 or 700/900 of its limit so far, and has run for 200 s.
			x, y := number(t, moment, "jobs", i, level), number(t, queue, "jobs", i, level)
			if math.Abs(x-y) > 2 || i == 0 && (x < 99 || x > 501) {
				t.Errorf("job %d: %s is %v s by the trace and %v s by squeue", i, level, x, y)
			}
		}
		if number(t, moment, "jobs", i, "promise") != number(t, queue, "jobs", i, "promise") ||
			value(t, moment, "jobs", i, "price").Number < 0 {
			t.Errorf("got %+v and %+v", moment, queue)
		}
	}
	if a := told(t, "quote", "site.yaml", "--at", "100s", "--job", "width=1,estimate=1h"); a.Headline.Code != "QUOTE" {
		t.Errorf("%+v", a)
	}
	// Of 64 GPUs all are in use, while one of 512 cores is free.
	for pool, want := range map[string]bool{"cpu": true, "gpu": false} {
		a := told(t, "quote", "ai-site", "--at", "3d", "--job", "width=1,estimate=1h,class=training,pool="+pool,
			"--replications", "9", "--set", "trace.jobs=first:1300")
		if at := number(t, a, "jobs", 0, "start_50") == 0; at != want {
			t.Errorf("a job in pool %s starts at once: %v", pool, at)
		}
	}
	write("none", "JOBID|STATE|NODES\n")
	if a := told(t, "quote", "nist-cluster", "--squeue", "none", "--set", "simulation.jobs=500"); a.Headline.Code != "NO_JOB" {
		t.Errorf("%+v", a)
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
			a := told(t, append([]string{"quote", "site.yaml", "--squeue", "waits", "--sinfo", "off"}, c.args...)...)
			never := texts(t, a, "jobs", "never")
			if len(never) != c.jobs || never[0] != quote.NoNode || value(t, a, "jobs", 0, "start_50").Known() ||
				number(t, a, "jobs", 0, "promise") != 0 {
				t.Errorf("%q: got %+v", nodes, a)
			}
		}
	}
	// Of four nodes two are up: a job of two starts, one of four never does, and keeps no other waiting.
	write("half", head+"n[1-2]|idle|1\nn[3-4]|down|1\n")
	write("wide", "JOBID|USER|STATE|NODES|SUBMIT_TIME\n4|ann|PD|4|1767226700\n5|ann|PD|2|1767226800\n")
	wide := told(t, "quote", "site.yaml", "--squeue", "wide", "--sinfo", "half")
	if never := texts(t, wide, "jobs", "never"); len(never) != 2 || value(t, wide, "jobs", 0, "job").Word != "4" ||
		never[0] != "it needs 4 nodes, and at most 2 can run jobs" || never[1] != "" ||
		number(t, wide, "jobs", 1, "start_90") != 0 {
		t.Errorf("got %+v", wide)
	}
	// Two nodes drain, and their job has 100 to 500 s left: two nodes stay, for one job after the other.
	write("drains", head+"n[1-2]|alloc|1\nn[3-4]|drng|1\n")
	write("full", "JOBID|USER|STATE|NODES|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT\n"+
		"3|ann|R|4|1767225620|1767226600|3:20|15:00\n4|ann|PD|2|1767226700|N/A|0:00|15:00\n"+
		"5|ann|PD|2|1767226700|N/A|0:00|15:00\n")
	full := told(t, "quote", "site.yaml", "--squeue", "full", "--sinfo", "drains")
	if number(t, full, "jobs", 0, "start_50") >= number(t, full, "jobs", 1, "start_50") {
		t.Errorf("both jobs start on two nodes at once: %+v", full)
	}
	const never = "it needs 5 nodes, and at most 4 can run jobs"
	five := told(t, "quote", "site.yaml", "--at", "1200.5s", "--job", "width=5,estimate=1h")
	if five.Headline.Code != "NEVER" || value(t, five, "jobs", 0, "never").Word != never {
		t.Errorf("a job of five of four nodes: got %+v", five)
	}
	const columns = "JOBID|USER|STATE|NODES|SUBMIT_TIME|START_TIME|TIME|TIME_LIMIT\n" +
		"3|ann|RUNNING|4|1767225620|1767226600|3:20|15:00\n"
	write("unknown", head+"n[1-4]|banana|1\n")
	write("uncounted", "NODELIST|STATE\nn[1-4]|idle\n")
	write("cores.yaml", "name: c\ntrace: {file: jobs.swf, nodes: 4, unit: core}\nclasses: [{name: all, price: 1}]\n")
	write("pools.yaml", "name: p\ntrace: {file: jobs.swf}\npools: [{name: a, units: 4, unit: node}]\n"+
		"classes: [{name: all, price: 1}]\n")
	five = told(t, "quote", "pools.yaml", "--at", "1200.5s", "--job", "width=5,estimate=1h,class=all")
	if value(t, five, "jobs", 0, "never").Word != never {
		t.Errorf("a job of five of four nodes of a pool: got %+v", five)
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
	reserved := 0.0
	for i, row := range rows[1:] {
		x := text.Each(row, func(word string) float64 { x, _ := strconv.ParseFloat(word, 64); return x })
		if int(x[0]) != i+1 || x[3] > x[4] || x[4] > x[5] {
			t.Error(row)
		}
		reserved += math.Abs(x[2]-x[1]-x[6]) / 2 / 5
	}
	// The starts at 0, 300 and 1000 s are known at 1100 and 1200 s: waits of 0, 290 and 980 s.
	if rows[5][7] != "290" || rows[4][7] != "290" || rows[3][7] != "0" {
		t.Errorf("naive medians: %v", rows)
	}
	if loss := fact(r, "reservation_pinball").Number; math.Abs(reserved-loss) > 1e-9 {
		t.Errorf("loss %g, by the records %g", loss, reserved)
	}
	if o := try("trace", "replay", "jobs.swf", "--records", "x.csv"); o.code != exitUsage {
		t.Errorf("--records without --quotes: exit %d", o.code)
	}
}

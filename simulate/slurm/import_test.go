package slurm

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// imported imports a log and returns its records and the text of the trace,
// which is checked by reading it again.
func imported(t testing.TB, log string, options ImportOptions) (*Imported, []workload.Record, string, error) {
	t.Helper()
	m, err := Import(context.Background(), "log", strings.NewReader(log), options)
	if err != nil {
		return nil, nil, "", err
	}
	var out bytes.Buffer
	if err := workload.WriteSWF(context.Background(), &out, m.Header.Lines, m, nil); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	r := must(workload.NewReader("trace", &out))
	var list []workload.Record
	for {
		var rec workload.Record
		ok, err := r.Next(&rec)
		if err != nil {
			t.Fatalf("the trace cannot be read: %v\n%s", err, text)
		}
		if !ok {
			break
		}
		list = append(list, rec)
	}
	if int64(len(list)) != m.Jobs {
		t.Fatalf("got %d jobs, want %d", len(list), m.Jobs)
	}
	return m, list, text, nil
}

// counted returns the counts of an import as "name=n", sorted.
func counted(m *Imported) string {
	var list []string
	for _, c := range m.Counts {
		list = append(list, fmt.Sprintf("%s=%d", c.Name, c.N))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// plainSacct reads a log in the columns of the samples without any of the care
// of the importer: of each number the last job that is neither open nor a step,
// as "number submit start end width state account".
func plainSacct(t *testing.T, text string) []string {
	t.Helper()
	var header []string
	jobs := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Split(line, "|")
		if header == nil {
			header = fields
			continue
		}
		get := func(name string) string { return fields[slices.Index(header, name)] }
		if strings.Contains(get("JobID"), ".") || get("End") == "Unknown" {
			continue
		}
		tell := func(name string) string {
			at, err := time.Parse("2006-01-02T15:04:05", get(name))
			if err != nil {
				return "-"
			}
			return fmt.Sprint(at.Unix())
		}
		word, _, _ := strings.Cut(get("State"), " ")
		state := map[string]string{"COMPLETED": "1", "CANCELLED": "5"}[word]
		start, end := tell("Start"), tell("End")
		if get("AllocTRES") == "" {
			start, end = "-", "-"
		}
		_, cpus, _ := strings.Cut(get("ReqTRES"), "cpu=")
		cpus, _, _ = strings.Cut(cpus, ",")
		id := get("JobIDRaw")
		jobs[id] = strings.Join([]string{id, tell("Submit"), start, end, cpus, cmp.Or(state, "0"), get("Account")}, " ")
	}
	var list []string
	for _, job := range jobs {
		list = append(list, job)
	}
	slices.Sort(list)
	return list
}

// TestImportSamples compares an import with a plain reading of the same log.
func TestImportSamples(t *testing.T) {
	t.Run("included", func(t *testing.T) { compareImport(t, "testdata/sacct.txt") })
	t.Run("sample", func(t *testing.T) {
		path := filepath.Join("..", "..", "..", "shared", "traces", "sacct-sample.txt")
		if _, err := os.Stat(path); err != nil {
			t.Skip("the sample of sacct is not at ../shared/traces")
		}
		compareImport(t, path)
	})
}

// compareImport compares an import of a log with a plain reading of it.
func compareImport(t *testing.T, path string) {
	t.Helper()
	log := must(os.ReadFile(path))
	m, jobs, _, err := imported(t, string(log), ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[float64]string{}
	for name, n := range m.Header.Names()["account"] {
		names[float64(n)] = name
	}
	base, _ := m.Header.Int("UnixStartTime")
	var got []string
	for _, r := range jobs {
		submit := int64(r[workload.SubmitTime]) + int64(base)
		start, end := fmt.Sprint(submit+int64(r[workload.WaitTime])), fmt.Sprint(submit+int64(r[workload.WaitTime]+r[workload.RunTime]))
		if r[workload.RunTime] < 0 {
			start, end = "-", "-"
		}
		got = append(got, fmt.Sprintf("%.0f %d %s %s %.0f %.0f %s", r[workload.JobNumber], submit, start, end,
			r[workload.Requested], r[workload.Status], names[r[workload.Executable]]))
	}
	slices.Sort(got)
	if want := plainSacct(t, string(log)); !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestImportSmall checks the included log by hand.
func TestImportSmall(t *testing.T) {
	log := must(os.ReadFile("testdata/sacct.txt"))
	m, jobs, text, err := imported(t, string(log), ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const counts = "array_ranges=1 eligible_later=1 never_started=2 no_limit=1 running=1 steps=2 superseded=1 waiting=1"
	if got := counted(m); got != counts {
		t.Errorf("counts: got %s, want %s", got, counts)
	}
	// Job 105 beside job 100.
	if m.Procs != 33 || len(m.Warnings) != 1 || m.Warnings[0].Kind != "partitions" {
		t.Errorf("got %d processors, %v", m.Procs, m.Warnings)
	}
	for _, want := range []workload.Record{
		{104, 120, 1686, 1830, 4, -1, -1, 4, 1800, -1, 0, 1, -1, 1, 1, 1, -1, -1},
		{105, 361, 120, 90, 1, -1, -1, 1, -1, -1, 1, 3, -1, 3, 1, 2, -1, -1, 0, 120},
	} {
		if !slices.Contains(jobs, want) {
			t.Errorf("no %v in %v", want, jobs)
		}
	}
	if got := m.Header.Names()["queue"]["high"]; got != 2 {
		t.Errorf("queue high is %d in\n%s", got, text)
	}

	// Tasks that are left of an array keep its number and come after those that have
	// numbers of their own: the queue is in that order.
	const row = "|2026-03-02T08:00:00|2026-03-02T08:00:0%d|2026-03-02T08:30:00|4|COMPLETED\n"
	array := "JobID|JobIDRaw|Submit|Start|End|NCPUS|State\n" +
		fmt.Sprintf("7_3|7"+row+"7_1|8"+row+"7_2|9"+row, 3, 1, 2)
	_, tasks, _, err := imported(t, array, ImportOptions{})
	if err != nil || len(tasks) != 3 || tasks[0][workload.JobNumber] != 8 || tasks[2][workload.JobNumber] != 7 {
		t.Errorf("array: %v, %v", tasks, err)
	}

	// Two jobs of whole nodes show the machine; a third that shares one does not.
	const head, node = "JobID|Submit|Start|End|NCPUS|NNodes|State\n", "1|2026-03-02T08:00:00|2026-03-02T08:00:00|2026-03-02T08:30:00|%d|%d|COMPLETED\n"
	whole := head + fmt.Sprintf("1"+node+"2"+node, 16, 2, 8, 1)
	for log, want := range map[string][2]int{whole: {24, 3}, whole + fmt.Sprintf("3"+node, 4, 1): {28, 0}} {
		m, _, _, err := imported(t, log, ImportOptions{})
		if err != nil || m.Header.Unit() != "core" || m.Procs != want[0] || m.Header.Hosts(m.Procs) != want[1] {
			t.Errorf("%d %ss on %d nodes, want %v: %v", m.Procs, m.Header.Unit(), m.Header.Hosts(m.Procs), want, err)
		}
	}

	// By nodes, of one partition.
	m, jobs, _, err = imported(t, string(log), ImportOptions{Units: must(ParseUnits("nodes")), Partition: "batch", Nodes: 10})
	if err != nil {
		t.Fatal(err)
	}
	if jobs[0][workload.Requested] != 2 || len(jobs) != 6 || m.Header.Nodes() != 10 ||
		!strings.Contains(counted(m), "other_partitions=1") {
		t.Errorf("by nodes: %v, %s", jobs, counted(m))
	}

	// Without names.
	m, jobs, text, err = imported(t, string(log), ImportOptions{Anonymize: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ana", "bo", "cy", "chem", "phys", "bio", "debug", "normal", "relax"} {
		if strings.Contains(text, " "+name) {
			t.Errorf("the trace names %s", name)
		}
	}
	if m.Header.Names()["account"]["a3"] != 3 || jobs[0][workload.JobNumber] != 1 {
		t.Errorf("got\n%s", text)
	}

	// The columns in another order, twice, are the same log.
	var turned []string
	for _, line := range strings.Split(strings.TrimSpace(string(log)), "\n") {
		fields := strings.Split(line, "|")
		slices.Reverse(fields)
		turned = append(turned, strings.Join(fields, ";")+"\r")
	}
	_, again, _, err := imported(t, strings.Join(append(turned, turned...), "\n")+"\n", ImportOptions{})
	if _, plain, _, _ := imported(t, string(log), ImportOptions{}); err != nil || !slices.Equal(plain, again) {
		t.Errorf("turned: %v: got %v, want %v", err, again, plain)
	}
}

// TestImportHostile gives the importer logs that are broken in one way each.
func TestImportHostile(t *testing.T) {
	const head = "JobID|User|Account|Partition|State|Submit|Start|End|Elapsed|Timelimit|NCPUS|JobName\n"
	row := func(id, state, submit, start, end, elapsed, name string) string {
		return strings.Join([]string{id, "ana", "chem", "batch", state, submit, start, end, elapsed, "01:00:00", "4", name}, "|") + "\n"
	}
	day := func(clock string) string { return "2026-03-02T" + clock }
	done := func(id, submit, start, end, elapsed string) string {
		return row(id, "COMPLETED", submit, start, end, elapsed, "a")
	}
	good := done("1", day("08:00:00"), day("08:00:10"), day("08:10:10"), "00:10:00")
	minute := func(id string) string { return done(id, day("08:00:00"), day("08:00:10"), day("08:01:10"), "00:01:00") }
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(head + strings.Repeat(good, 1000)))
	z.Close()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	for _, tt := range []struct {
		name, log string
		options   ImportOptions
		fails     string // the error, or
		counts    string
		run       float64 // s of the last job written
	}{
		{name: "empty", log: "", fails: "log:1: expected a log of jobs, got an empty file"},
		{name: "blank", log: "\n \n\n", fails: "log:1: expected a log of jobs, got an empty file"},
		{name: "binary", log: "\x7fELF\x02\x00\x01\n\x00",
			fails: "log:1: expected a log of jobs, of the format sacct, pbs, swf or csv"},
		{name: "no header", log: good, fails: "log:1: expected the header of sacct --parsable2"},
		{name: "header alone", log: head, fails: "log: expected jobs that have ended, got none"},
		{name: "columns missing", log: "JobID|User|Start|State\n",
			fails: "log:1: expected more columns of sacct: Submit, Start and End (or Elapsed), NCPUS (or AllocTRES) missing"},
		{name: "cut", log: head + good + good[:40], counts: "cut=1", run: 600},
		{name: "empty lines", log: head + "\n" + good + " \n\n" + minute("2") + "\n", run: 60},
		{name: "gzip cut", log: zipped.String()[:zipped.Len()/2], fails: "the compressed file ends early"},
		{name: "huge line", log: head + good + strings.Repeat("x", conf.MaxLine+1), fails: "log:3: expected lines of at most"},
		{name: "short line", log: head + good + "2|ana|chem\n" + good, fails: "log:3: expected 12 fields, got 3"},
		{name: "few short lines", log: head + strings.Repeat(good, 20) + "2|ana|chem\n" + good,
			counts: "superseded=20 unreadable=1", run: 600},
		{name: "negative time", log: head + done("1", "-5", day("08:00:10"), day("08:10:10"), "00:10:00"),
			fails: `log:2: Submit: expected a time such as 2026-11-15T08:46:57, got "-5"`},
		{name: "no such day", log: head + done("1", "2026-02-30T08:00:00", day("08:00:10"), day("08:10:10"), "00:10:00"),
			fails: "log:2: Submit: expected a time"},
		{name: "mixed zones", log: head + good + row("2", "COMPLETED", day("09:00:00+01:00"), day("08:00:20Z"), day("04:00:20-0500"), "01:00:00", "b"),
			run: 3600},
		{name: "epoch", log: head + done("1", "1772438400", "1772438410", "1772438470", "00:01:00"), run: 60},
		{name: "reordered columns", log: "NCPUS|End|State|Submit|JobID|Start\n4|" + day("08:10:10") + "|COMPLETED|" + day("08:00:00") + "|1|" + day("08:00:10") + "\n",
			counts: "no_limit=1", run: 600},
		{name: "unicode", log: head + strings.ReplaceAll(good, "chem", "Физика 物理 ñ"), run: 600},
		{name: "formula", log: head + strings.ReplaceAll(good, "chem", `=cmd|'/c'!A1`),
			counts: "delimiter_in_text=1", fails: "log:2: expected 12 fields, got 13"},
		{name: "steps alone", log: head + "7.batch|||||2026-03-02T08:00:00|||||1|batch\n7.0|||||2026-03-02T08:00:00|||||1|x\n" + good,
			counts: "steps=2 steps_without_job=1", run: 600},
		{name: "billion seconds", log: head + good + row("2", "COMPLETED", day("08:00:00"), day("08:00:00"), "2057-11-09T09:46:40", "11574-01:46:40", "b"),
			counts: "too_long=1", run: 600},
		{name: "pipes", log: head + row("1", "COMPLETED", day("08:00:00"), day("08:00:10"), day("08:10:10"), "00:10:00", "a|b||c"),
			counts: "delimiter_in_text=1", run: 600},
		{name: "headers", log: head + good + head + good, counts: "headers=1 superseded=1", run: 600},
		{name: "CRLF and BOM", log: "\ufeff" + strings.ReplaceAll(head+good, "\n", "\r\n"), run: 600},
		{name: "clock backwards", log: head + done("1", day("08:00:00"), day("08:10:00"), day("08:05:00"), "00:55:00"),
			counts: "clock_backwards=1", run: 3300},
		{name: "end before start", log: head + good + done("2", day("08:00:00"), day("08:10:00"), day("08:05:00"), ""),
			counts: "end_before_start=1", run: 600},
		{name: "start before submission", log: head + done("1", day("08:00:00"), day("07:59:00"), day("08:09:00"), "00:10:00"),
			counts: "start_before_submit=1", run: 600},
		{name: "clocks put back", log: head + done("1", "2026-10-25T01:50:00", "2026-10-25T02:50:00", "2026-10-25T02:10:00", "00:20:00"),
			options: ImportOptions{Zone: berlin}, run: 1200},
		{name: "clocks put forward", log: head + done("1", "2026-03-29T01:50:00", "2026-03-29T01:50:00", "2026-03-29T03:10:00", "00:20:00"),
			options: ImportOptions{Zone: berlin}, run: 1200},
		{name: "clocks put forward, zone unknown", log: head + done("1", "2026-03-29T01:50:00", "2026-03-29T01:50:00", "2026-03-29T03:10:00", "00:20:00"),
			counts: "clock_change=1", run: 1200},
		{name: "arrays", log: head + good + minute("2_3") + row("2_[4-9%2]", "PENDING", day("08:00:00"), "Unknown", "Unknown", "00:00:00", "a"),
			counts: "waiting=1", run: 600},
		{name: "heterogeneous", log: head + minute("1+0") + done("1+1", day("08:00:00"), day("08:00:10"), day("08:01:11"), "00:01:01"),
			counts: "heterogeneous=1", run: 61},
		{name: "suspended for half an hour", log: head + done("1", day("08:00:00"), day("08:00:10"), day("08:40:10"), "00:10:00"),
			counts: "suspended=1", run: 600},
		{name: "suspended for an hour, zone known", log: head + done("1", day("08:00:00"), day("08:00:10"), day("09:10:10"), "00:10:00"),
			options: ImportOptions{Zone: berlin}, counts: "suspended=1", run: 600},
		{name: "suspended for an hour, as the log says", log: strings.Replace(head, "JobName", "Suspended", 1) +
			row("1", "COMPLETED", day("08:00:00"), day("08:00:10"), day("09:10:10"), "00:10:00", "01:00:00"),
			counts: "suspended=1", run: 600},
		{name: "requeue storm", log: head + strings.Repeat(row("1", "REQUEUED", day("08:00:00"), day("08:00:10"), day("08:01:10"), "00:01:00", "a"), 500) + row("1", "NODE_FAIL", day("08:30:00"), day("08:30:10"), day("08:32:10"), "00:02:00", "a"),
			counts: "superseded=500", run: 120},
		{name: "no end", log: head + good + done("2", day("08:00:00"), day("08:00:10"), "Unknown", "") + done("3", day("08:00:00"), day("08:00:10"), "Unknown", "00:00:40"),
			counts: "end_from_elapsed=1 no_end=1", run: 40},
		{name: "same number, two clusters", log: strings.Replace(head, "JobName", "Cluster", 1) + good + strings.Replace(good, "|a\n", "|b\n", 1),
			counts: "numbers_reused=1", run: 600},
		{name: "strange state", log: head + strings.Replace(good, "COMPLETED", "MELTED", 1), counts: "unknown_state=1", run: 600},
		{name: "other partition", log: head + good,
			options: ImportOptions{Partition: "gpu"}, fails: `log: expected jobs of partition "gpu", got none that ended; the log has batch`},
		{name: "wrong format", log: head + good, options: ImportOptions{Format: workload.PBS}, fails: "log:1: expected a record such as"},
		{name: "no number", log: head + strings.Replace(good, "1|", "one|", 1), fails: `log:2: JobID: expected a number, got "one"`},
		{name: "named like a header", log: "JobName|JobID|Submit|Elapsed|NCPUS\nJobID|1|" + day("08:00:00") + "|00:10:00|4\n",
			counts: "no_limit=1", run: 600},
		{name: "headers that differ", log: head + good + "NCPUS|Elapsed|Submit|JobIDRaw\n4|00:00:30|" + day("09:00:00") + "|2\n",
			counts: "headers=1 no_limit=1", run: 30},
		{name: "half a processor", log: head + strings.Replace(good, "|4|", "|4.5|", 1), fails: "log:2: NCPUS: expected a whole number"},
		{name: "amounts that are no numbers", log: "JobID|Submit|Start|End|NCPUS|AllocTRES\n1|" + day("08:00:00") + "|" +
			day("08:00:00") + "|" + day("08:01:00") + "|4|billing=4,cpu=abc,mem=8G\n",
			fails: `log:2: AllocTRES: expected amounts such as cpu=4,node=2,gres/gpu=1, got "billing=4,cpu=abc,mem=8G"`},
		{name: "thousands", log: head + strings.Replace(good, "|4|", "|4K|", 1), run: 600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, jobs, text, err := imported(t, tt.log, tt.options)
			if tt.fails != "" {
				var e *workload.Error
				if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), "\n") {
					t.Errorf("got %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := counted(m); got != tt.counts {
				t.Errorf("counts: got %q, want %q", got, tt.counts)
			}
			if got := jobs[len(jobs)-1][workload.RunTime]; got != tt.run {
				t.Errorf("run time: got %g, want %g\n%s", got, tt.run, text)
			}
		})
	}
}

// TestImportHeterogeneous: a job of three components is one with the units of all. Its steps are not jobs, and what it
// held before it was requeued does not count.
func TestImportHeterogeneous(t *testing.T) {
	const log = `JobID|JobIDRaw|Submit|Eligible|Start|End|Timelimit|NNodes|NCPUS|State
10+0|10|1000|1060|1100|1200|10|1|4|REQUEUED
10+1|11|1000|1060|1100|1200|10|2|8|REQUEUED
10+0|10|2000|2060|2100|2200|10|1|4|COMPLETED
10+0.batch|10.batch|2000|2060|2100|2200||1|4|COMPLETED
10+1|11|2000|2060|2100|2201|10|2|8|COMPLETED
10+1.0|11.0|2000|2060|2100|2200||2|8|COMPLETED
10+2|12|2000|2060|2100|2200|10|3|12|COMPLETED
13|13|2001|2001|2201|2301|10|1|4|COMPLETED
`
	m, jobs, _, err := imported(t, log, ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := counted(m); got != "eligible_later=1 heterogeneous=1 steps=2 superseded=2" || len(jobs) != 2 {
		t.Errorf("counts: got %q, %d jobs", got, len(jobs))
	}
	want := workload.Record{10, 0, 100, 101, 24, -1, -1, 24, 600, -1, 1, -1, -1, -1, -1, -1, -1, -1, 0, 60}
	if jobs[0] != want || m.Procs != 24 || m.Nodes != 6 {
		t.Errorf("got %v, want %v; %d cores on %d nodes", jobs[0], want, m.Procs, m.Nodes)
	}
}

// TestImportEligible counts waits from when jobs could run: one that was held, one
// canceled before its start time, one canceled while held, and one without a word.
func TestImportEligible(t *testing.T) {
	const log = `JobID|Submit|Eligible|Start|End|Timelimit|NCPUS|State
1|1000|1000|1005|1010|1|4|COMPLETED
2|1001|1020|1025|1030|1|4|COMPLETED
3|1002|5000|1003|1003|1|4|CANCELLED by 0
4|1003|Unknown|None|1009|1|4|CANCELLED by 0
5|1004|1004|None|1011|1|4|CANCELLED by 0
6|1005|Unknown|1006|1007|1|4|COMPLETED
`
	for _, tt := range []struct {
		eligible bool
		counts   string
		waits    []float64
	}{
		{false, "eligible_later=2 never_started=3", []float64{5, 24, 1, 6, 7, 1}},
		{true, "from_eligible=1 never_eligible=2 never_started=1", []float64{5, 7, 1, 5}},
	} {
		m, jobs, _, err := imported(t, log, ImportOptions{Eligible: tt.eligible})
		if err != nil {
			t.Fatal(err)
		}
		var waits []float64
		for _, r := range jobs {
			waits = append(waits, r[workload.WaitTime])
		}
		if got := counted(m); got != tt.counts || !slices.Equal(waits, tt.waits) {
			t.Errorf("eligible %v: got %s %v, want %s %v", tt.eligible, got, waits, tt.counts, tt.waits)
		}
	}
}

// TestImportPBS reads records of workload.PBS and of Torque.
func TestImportPBS(t *testing.T) {
	const log = `03/02/2026 08:00:00;Q;7.pbs;queue=workq
03/02/2026 08:00:10;S;7.pbs;user=ana group=users
03/02/2026 08:10:10;E;7.pbs;user=ana group=users account="chem" project=_pbs_project_default jobname=x queue=workq ctime=1772438400 qtime=1772438400 etime=1772438400 start=1772438410 exec_host=n1/0*16+n2/0*16 Resource_List.ncpus=32 Resource_List.nodect=2 Resource_List.walltime=01:00:00 session=1 end=1772439010 Exit_status=0 resources_used.walltime=00:10:00
03/02/2026 08:00:30;Q;8.pbs;queue=workq
03/02/2026 08:00:40;D;8.pbs;requestor=bo@login
03/02/2026 08:00:50;Q;9.pbs;queue=workq
03/02/2026 08:00:50;Q;10.pbs;queue=workq
03/02/2026 08:00:51;S;10.pbs;user=bo
03/02/2026 08:00:52;L;license;floating
03/02/2026 08:20:00;E;11.pbs;user=bo group=users queue=long ctime=1772438460 qtime=1772438460 etime=1772438460 start=1772438470 exec_host=n3/0-7+n4/0-3 Resource_List.nodes=1:ppn=8+1:ppn=4 Resource_List.walltime=2:00:00 end=1772438530 Exit_status=271 resources_used.walltime=00:01:00
`
	m, jobs, _, err := imported(t, log, ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []workload.Record{
		{7, 0, 10, 600, 32, -1, -1, 32, 3600, -1, 1, 1, 1, 1, 1, -1, -1, -1},
		{11, 60, 10, 60, 12, -1, -1, 12, 7200, -1, 5, 2, 1, -1, 2, -1, -1, -1},
	}
	if m.Format != workload.PBS || !slices.Equal(jobs, want) || counted(m) != "no_width=1 other_records=1 running=1 waiting=1" {
		t.Errorf("%s, %s: got\n%v\nwant\n%v", m.Format, counted(m), jobs, want)
	}
	if m.Procs != 44 || m.Nodes != 4 {
		t.Errorf("got %d processors on %d nodes", m.Procs, m.Nodes)
	}
	_, jobs, _, err = imported(t, log, ImportOptions{Partition: "long", Units: must(ParseUnits("nodes"))})
	if err != nil || len(jobs) != 1 || jobs[0][workload.Allocated] != 2 {
		t.Errorf("queue long by nodes: %v, %v", jobs, err)
	}
}

// FuzzImport gives the importer any bytes: it refuses them with an *workload.Error, or
// writes a trace that can be read, in order.
func FuzzImport(f *testing.F) {
	log := must(os.ReadFile("testdata/sacct.txt"))
	for scanner := bufio.NewScanner(bytes.NewReader(log)); scanner.Scan(); {
		f.Add("JobIDRaw|JobID|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|ReqTRES|AllocTRES|JobName\n"+scanner.Text(), false)
	}
	f.Add("JobId=7 UserId=ana(1) JobState=COMPLETED TimeLimit=60 StartTime=2026-03-02T08:00:10 EndTime=2026-03-02T08:10:10 ProcCnt=32 SubmitTime=2026-03-02T08:00:00", true)
	f.Add("03/02/2026 08:10:10;E;7.pbs;user=ana qtime=1772438400 start=1772438410 exec_host=n1/0*16 end=1772439010 Exit_status=0", true)
	f.Add("; MaxProcs: 8\n2 60 1 5 4 -1 -1 4 10 -1 1 7 -1 5 1 2 1 3\n", false)
	f.Add("t,d,n,p\n0,5,2,\"a,b\"\n2026-03-02 08:00:00,1.5,0.25,c\n", true)
	table := columns(f, "submit=t,run=d,units=n,pool=p")
	table.Pools = PerPartition
	units := must(ParseUnits("billing"))
	f.Fuzz(func(t *testing.T, log string, hide bool) {
		for _, options := range []ImportOptions{{}, {Pools: Proposed}, {Pools: PerPartition, Units: units}, table} {
			options.Anonymize = hide
			_, _, _, err := imported(t, log, options)
			var e *workload.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("%T: %v", err, err)
			}
		}
	})
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

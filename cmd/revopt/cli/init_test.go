package cli

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// loggedJob is a job for which writeLog makes a line of every kind of log.
type loggedJob struct {
	account                   int // place of its name
	cores, submit, start, end int // s
}

// writeLog writes jobs as a log. Names are those of accounts.
func writeLog(format string, names []string, jobs []loggedJob) string {
	var b strings.Builder
	at := func(s int) string { return time.Unix(1772438400+int64(s), 0).UTC().Format("2006-01-02T15:04:05") }
	switch format {
	case "sacct":
		b.WriteString("JobIDRaw|User|Account|Submit|Start|End|Timelimit|NCPUS|State\n")
	case "swf":
		b.WriteString("; MaxProcs: 64\n")
		for i, name := range names {
			fmt.Fprintf(&b, "; Account: %d %s\n", i+7, name)
		}
	}
	for i, j := range jobs {
		name := names[j.account]
		switch format {
		case "sacct":
			fmt.Fprintf(&b, "%d|u%d|%s|%s|%s|%s|02:00:00|%d|COMPLETED\n", i+1, i%3, name, at(j.submit), at(j.start), at(j.end), j.cores)
		case "pbs":
			const zero = 1772438400
			fmt.Fprintf(&b, "03/02/2026 08:10:10;E;%d.pbs;user=u account=%q queue=w ctime=%d start=%d exec_host=n1/0*%d end=%d Exit_status=0\n",
				i+1, name, zero+j.submit, zero+j.start, j.cores, zero+j.end)
		case "swf":
			fmt.Fprintf(&b, "%d %d %d %d %d -1 -1 %[5]d 7200 -1 1 %d -1 %d 1 -1 -1 -1\n",
				i+1, j.submit, j.start-j.submit, j.end-j.start, j.cores, i%3+1, j.account+7)
		}
	}
	return b.String()
}

// TestInit makes scenarios of logs of every kind, whose accounts have hostile names: names
// stay names, jobs and work are those of the table of jobs, and the scenario runs.
func TestInit(t *testing.T) {
	names := []string{"yes", "123", "null", "a:b", "#x", "[z", "Größe", "it's", "!t&*", "others", "R<D"}
	free := append([]string{`say "hi"`, "- x: {y}", "1e5 \\n", "tab\there", "\x1b[31mred", "日本 語"}, names[:5]...)
	tidy := strings.NewReplacer("\t", " ", "\x1b", "")
	for _, format := range []string{"sacct", "swf", "pbs"} {
		t.Run(format, func(t *testing.T) {
			t.Chdir(t.TempDir())
			names := names
			if format == "sacct" || format == "swf" {
				names = free
			}
			var jobs []loggedJob
			count, hours, waits := map[string]int64{}, map[string]float64{}, map[string]float64{}
			for i := range 5 * len(names) {
				j := loggedJob{account: i % len(names), cores: 1 + i%7, submit: 60 * i, start: 60*i + i*i%100, end: 60*i + 3600}
				jobs = append(jobs, j)
				name := tidy.Replace(names[j.account])
				count[name]++
				waits[name] += float64(j.start-j.submit) / 5 // of 5 jobs
				hours[name] += float64(j.cores*(j.end-j.start)) / 3600
			}
			writeText(t, "log", writeLog(format, names, jobs))
			must(t, "init", "log", "-o", "dir/site.yaml", "--quiet", "--nodes", "64")
			site := readText(t, "dir/site.yaml")
			var generic struct {
				Classes []struct{ Name any }
			}
			if err := yaml.Unmarshal([]byte(site), &generic); err != nil || len(generic.Classes) != len(names) {
				t.Fatalf("%d classes, %v:\n%s", len(generic.Classes), err, site)
			}
			simulated := told(t, "simulate", "dir/site.yaml", "--policy", "easy")
			for i, class := range generic.Classes {
				name := value(t, simulated, "customers", i, "customer").Word
				jobs := number(t, simulated, "customers", i, "jobs_submitted")
				if class.Name != any(name) || count[name] != int64(jobs) {
					t.Errorf("class %q of %v has %v jobs, want %d", name, class.Name, jobs, count[name])
				}
			}
			trace := "dir/site.swf.gz"
			if format == "swf" {
				trace = "log"
			}
			info := told(t, "trace", "info", trace)
			for i, name := range texts(t, info, "customers", "customer") {
				jobs, work := number(t, info, "customers", i, "jobs"), number(t, info, "customers", i, "unit_hours")
				wait := number(t, info, "customers", i, "mean_wait")
				if jobs != float64(count[name]) || math.Abs(work-hours[name]) > 1e-9 || math.Abs(wait-waits[name]) > 1e-9 ||
					!strings.Contains(site, fmt.Sprintf("# %g jobs, ", jobs)) {
					t.Errorf("%q: %g jobs, %g h, want %d, %g", name, jobs, work, count[name], hours[name])
				}
			}
			fitted := must(t, "trace", "fit", trace, "--quiet")
			writeText(t, "fit.yaml", fitted)
			must(t, "solve", "fit.yaml", "--quiet", "--no-check")

			// A second run refuses to overwrite, and elsewhere writes the same.
			wantUsageError(t, []string{"init", "log", "-o", "dir/site.yaml"}, "revopt: init: expected a new file")
			if err := os.Rename("dir", "old"); err != nil {
				t.Fatal(err)
			}
			must(t, "init", "log", "-o", "dir/site.yaml", "--quiet", "--nodes", "64")
			if readText(t, "dir/site.yaml") != site {
				t.Error("not the same scenario again")
			}
		})
	}
}

// TestInitTrace runs a trace in place of a scenario as the scenario that init writes, and
// other files as before.
func TestInitTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	// The work of 3 users is 8, 1 and 1: two have 90 %, the last gives the rest its name.
	var log strings.Builder
	for i, user := range []int{1, 2, 3} {
		fmt.Fprintf(&log, "%d %d 5 %d 1 -1 -1 1 -1 -1 1 %d -1 -1 -1 -1 -1 -1\n", i+1, i, []int{800, 100, 100}[i], user)
	}
	writeText(t, "bare.swf", log.String())
	writeText(t, "jobs.swf", "; MaxProcs: 2\n"+log.String())
	site := must(t, "init", "jobs.swf")
	for _, want := range []string{"of: {user: [1]}", "of: {user: [2]}", `name: "user3"`, "mean 5.00 s"} {
		if !strings.Contains(site, want) || strings.Contains(site, "user: [3]") {
			t.Errorf("no %s in\n%s", want, site)
		}
	}
	writeText(t, "site.yaml", site)
	want, got := told(t, "simulate", "site.yaml", "--policy", "easy"), told(t, "simulate", "jobs.swf", "--policy", "easy")
	if !reflect.DeepEqual(got.Tables, want.Tables) || !slices.Equal(codes(got), []string{"GUESSED"}) ||
		!slices.Equal(codes(want), []string{"GUESSED"}) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, line := range []string{"whatif jobs.swf --change growth=20%", "validate jobs.swf", "solve jobs.swf", "simulate bare.swf --set trace.nodes=3"} {
		if o := try(strings.Fields(line)...); o.code != exitDone || strings.Count(o.stdout+o.stderr, "guesses") != 1 {
			t.Errorf("%s: %+v", line, o)
		}
	}
	writeText(t, "log", writeLog("sacct", []string{"a"}, []loggedJob{{0, 1, 0, 1, 2}, {0, 90, 5, 9, 9}, {0, 2, 6, 9, 11}, {0, 50, 7, 9, 19}}))
	t.Setenv("TMPDIR", t.TempDir())
	for _, file := range []string{"jobs.swf", "log"} {
		must(t, "simulate", file, "--journal", "j")
		must(t, "simulate", file, "--journal", "j", "--quiet") // the same work
		if err := os.RemoveAll("j"); err != nil {
			t.Fatal(err)
		}
	}
	if list := files(t, os.Getenv("TMPDIR")); len(list) > 0 {
		t.Errorf("a log leaves files: %v", list)
	}
	printed := must(t, "init", "log")
	for _, want := range []string{"# init -o FILE writes site.swf.gz too", "nodes: 52 ", "# leaves out 1 job ", "busy at a time: one job is over 10 times as wide as any other"} {
		if !strings.Contains(printed, want) {
			t.Errorf("no %s in\n%s", want, printed)
		}
	}
	if stated := must(t, "init", "log", "--nodes", "3"); !strings.Contains(stated, "nodes: 3    ") || !strings.Contains(stated, "as stated: 1 wider job rejected") {
		t.Error(stated)
	}
	const wide = " 5 100 2 -1 -1 2 200 -1 1 1 -1 -1 -1 -1 -1 -1\n"
	writeText(t, "wide.swf", "; MaxProcs: 1\n1 0"+wide+"2 9"+wide)
	writeText(t, "once.swf", "; MaxProcs: 2\n1 0"+wide+"2 0"+wide)
	writeText(t, "broken.yaml", "# JobID|a|b|c\ntrace: {file: x\n")
	for _, tt := range []struct{ line, want string }{
		{"export slurm jobs.swf -o new", "export slurm: expected a scenario with your prices"},
		{"simulate broken.yaml", "broken.yaml:2:8: not valid YAML"},
		{"init bare.swf", "bare.swf: the header gives neither MaxProcs nor MaxNodes: state the size of the machine with --nodes"},
		{"init wide.swf", "wide.swf: every job is wider than the machine of 1 processor: state its size with --nodes"},
		{"tune once.swf", "once.swf: has no parts to tune and to test on: all its jobs come at one time"},
		{"init jobs.swf --by account", "jobs.swf: expected accounts to divide the jobs by, it has none"},
		{"init site.yaml", "site.yaml:1: expected a log of jobs, of the format sacct, pbs, swf or csv, got a scenario"},
		{"init log --by group -o new.yaml", "new.swf.gz: expected groups to divide the jobs by, it has none"},
	} {
		wantUsageError(t, strings.Fields(tt.line), "revopt: "+tt.want)
	}
	if list := files(t, "."); len(list) != 7 {
		t.Errorf("a refusal leaves files: %v", list)
	}
}

// TestInitUnlike: the largest share of a customer in any pool makes it one. Account ml has all GPU-hours and
// few unit-hours.
func TestInitUnlike(t *testing.T) {
	t.Chdir(t.TempDir())
	const row = "%d|%s|%s|2026-03-02T08:00:00|2026-03-02T08:00:05|2026-03-02T09:00:05|%s|COMPLETED\n"
	log := "JobID|Account|Partition|Submit|Start|End|AllocTRES|State\n"
	for i, j := range [][3]string{{"chem", "cpu", "cpu=900"}, {"bio", "cpu", "cpu=20"}, {"ml", "gpu", "cpu=1,gres/gpu=4"}} {
		log += fmt.Sprintf(row, i+1, j[0], j[1], j[2])
	}
	writeText(t, "log.txt", log+fmt.Sprintf(row, 9, "art", "cpu", "cpu=10"))
	must(t, "init", "log.txt", "-o", "site.yaml")
	site := readText(t, "site.yaml")
	if got := strings.Count(site, "- name:"); got != 3 || !strings.Contains(site, "- name: \"ml\"") ||
		!strings.Contains(site, "- name: \"chem\"") {
		t.Error(site)
	}
}

// TestInitPolicies: easy stands for today, or slurm with the files of the site, by their paths. A file
// that is none of a site is an error.
func TestInitPolicies(t *testing.T) {
	t.Chdir(t.TempDir())
	log := writeLog("swf", []string{"a", "b"}, []loggedJob{{0, 4, 0, 0, 100}, {1, 4, 10, 10, 100}})
	writeText(t, "log.swf", log)
	writeText(t, "slurm.conf", "PriorityType=priority/multifactor\n")
	writeText(t, "qos.txt", "Name|Priority\nnormal|0\n")
	for flags, want := range map[string]string{
		"":                                "\n  - easy\n  - \"slurm\"\n  - \"hol:backfill=true\"\n  - \"value-bf\"\n",
		"--conf slurm.conf --qos qos.txt": "\n  - slurm: {conf: \"slurm.conf\", qos: \"qos.txt\"}\n  - \"easy\"\n",
	} {
		if site := must(t, append([]string{"init", "log.swf"}, strings.Fields(flags)...)...); !strings.Contains(site, want) {
			t.Errorf("%q: got\n%s", flags, site)
		}
	}
	if o := try("init", "log.swf", "--conf", "missing.conf"); o.code != exitUsage {
		t.Errorf("exit %d, %s", o.code, o.stderr)
	}
}

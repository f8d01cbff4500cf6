package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// These targets run whole commands in this process, on input that was tampered with.
// Without -fuzz they run their seeds. The budget of `make fuzz` is in the Makefile.

// tame runs a command, interrupts it after two seconds, and reports an exit code that
// is not documented, one without its line, or a crash. A command that goes on for ten
// seconds is a failure to the go command when it fuzzes.
func tame(t *testing.T, stdin string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer time.AfterFunc(2*time.Second, cancel).Stop()
	o := tryWithin(ctx, 500e6, stdin, args...)
	lines := strings.Split(strings.TrimSuffix(o.stderr, "\n"), "\n")
	codes := []int{exitDone, exitFailed, exitUsage, exitShort}
	if ctx.Err() != nil {
		codes = append(codes, exitInterrupted)
	}
	switch {
	case !slices.Contains(codes, o.code):
		t.Errorf("%q: exit %d is not documented: %s", args, o.code, o.stderr)
	case o.code != exitDone && !strings.HasPrefix(lines[len(lines)-1], "revopt: "):
		t.Errorf("%q: exit %d does not say why: %s", args, o.code, o.stderr)
	case o.code == exitUsage && (len(lines) > 1 || o.stdout != ""):
		t.Errorf("%q: more than one line: %s%s", args, o.stderr, o.stdout)
	}
}

// smallScenarios are a workload of each kind.
var smallScenarios = []string{
	`name: c
server: {parallel: 4, residual: pooled}
load: 0.8
classes:
  - {name: a, share: 0.4, length: {mean: 60, sd: 30}, price: 10, decay: 0.1, grace: 30, max_penalty: 1, slo: {within: 90, level: 90%}}
  - {name: b, share: 60%, length: {mean: 100, sd: 40}, price: {per_unit_hour: 90}, decay: {per_hour: 10%}}
simulation: {jobs: 40, replications: 2}
`, `name: e
server: {parallel: 2, residual: pooled}
load: 1.2
classes:
  - {name: a, share: 1, length: {mean: 60, dist: exponential}, price: 10, decay: 0.01, demand: {curve: linear, elasticity: 1.5}}
`, `name: t
trace: {file: sp2-like, jobs: last:25, nodes: 128, cleaning: keep}
classes:
  - {name: wide, of: {width: [9, 128]}, price: {per_unit_hour: 2}, decay: {per_hour: 10%}, deadline: {lengths: 4}, max_penalty: {of_price: 20%}}
  - {name: rest, price: 3, decay: 0.001, grace: 5m, max_penalty: 0}
`, `name: q
trace: {file: sp2-like, jobs: last:25, nodes: 64, arrival_delay_factor: 0.1}
qos: {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 7, sd: 0.5}, budget: {low_mean: 2, ratio: 7, sd: 0.5}, penalty: {low_mean: 0.02, ratio: 4, sd: 0.5}, hard: high, inaccuracy: 0.1}
policies: [easy, libra-sla]
`, `name: g
sites: [{processors: 3, mips: 500}, {processors: 2, mips: 1500}]
applications: {count: 12, interarrival: 5m, parts: [1, 4], mandatory: [600000, 7200000], optional: [0.5, 4], reward: 0.001, laxity: 10%, rate: 0.2, spread: 0.5}
policies: [mf-edf, hard-m]
`,
}

// isGrid tells scenarios of grids, which have no --jobs and no queueing model.
func isGrid(text string) bool { return strings.Contains(text, "sites:") }

// fuzzCommand runs a command in several ways on a scenario of which one field is
// overridden, with so many jobs where it takes them.
func fuzzCommand(f *testing.F, command []string, jobs string, ways ...string) {
	line := func(text string) []string {
		if jobs == "" || isGrid(text) {
			return slices.Clone(command)
		}
		return slices.Concat(command, []string{"--jobs", jobs})
	}
	overrides := [][2]string{{"", ""}, {"load", "1e3"}, {"classes.a.decay", "{per_hour: 1000%}"},
		{"arrivals", "{renewal: {cv: 9}}"}, {"trace.nodes", "3"},
		{"server.residual", "multiserver"}, {"classes.a.length", "{mean: 1e-9, sd: 1e9}"}, {"growth",
			"-99%"}, {"qos.deadline.sd", "0"}, {"applications.parts", "[1, 99]"}, {"sites", "[{processors: 1, mips: 1e-3}]"}}
	for i, text := range smallScenarios {
		if o := tryWith(f.Context(), text, append(line(text), "-")...); o.code != exitDone &&
			!(isGrid(text) && o.code == exitUsage) {
			f.Fatalf("scenario %d is no good: %+v", i, o)
		}
		for way := range ways {
			o := overrides[(i+way)%len(overrides)]
			f.Add(text, o[0], o[1], uint8(way))
			f.Add(text, "", "", uint8(way))
		}
	}
	f.Fuzz(func(t *testing.T, text, field, value string, way uint8) {
		args := slices.Concat(line(text), strings.Fields(ways[int(way)%len(ways)]), []string{"-"})
		if field != "" {
			args = append(args, "--set", field+"="+value)
		}
		tame(t, text, args...)
	})
}

func FuzzSolve(f *testing.F) {
	fuzzCommand(f, []string{"solve"}, "", "", "--utility exact --no-check", "--method cg --json",
		"--prices --no-check")
}

func FuzzSimulate(f *testing.F) {
	fuzzCommand(f, []string{"simulate", "--replications", "2"}, "30", "", "--policy mf-timeshare,hard-mo",
		"--admission all,analytic", "--policy easy,fcfs --json", "--policy libra-sla", "--classes")
}

func FuzzValidate(f *testing.F) {
	fuzzCommand(f, []string{"validate", "--replications", "1"}, "15", "", "--policy easy --json", "--admission all,analytic")
}

func FuzzWhatIf(f *testing.F) {
	fuzzCommand(f, shellWords("whatif --replications 2 --change growth=10%"), "30", "", "--change load=+0.3 --json",
		"--change trace.nodes=+16 --cost 0.3/node-hour", "--change policy=easy,fcfs", "--change admission=analytic", "--change classes.a.price=-50%")
}

// FuzzTraceCommands gives anything as a trace to the commands that read one.
func FuzzTraceCommands(f *testing.F) {
	dir := f.TempDir()
	prepared(f, "trace", "generate", "--jobs", "15", "-o", filepath.Join(dir, "t.swf"))
	good, err := os.ReadFile(filepath.Join(dir, "t.swf"))
	if err != nil {
		f.Fatal(err)
	}
	job := "1 0 -1 60 4 -1 -1 4 300 -1 1 1 1 1 1 1 -1 -1\n"
	ways := []string{"trace info t.swf", "trace info t.swf --sort --jobs last:9 --json",
		"trace clean t.swf --cleaning drop -o c.swf", "trace clean t.swf --cleaning keep --sort -o c.swf.gz", "trace fit t.swf",
		"trace fit t.swf --seed 2", "simulate s.yaml --policy easy,libra-sla", "simulate s.yaml --policy value-bf,conservative --gantt g.svg --records r.csv", "validate s.yaml --policy easy --csv v.csv"}
	for way := range ways {
		f.Add(uint8(way), string(good))
		for _, text := range []string{"; MaxProcs: 1073741824\n" + job, job + strings.Replace(job, "1 0", "2 -1", 1),
			strings.Replace(job, " 60 ", " 1e300 ", 1), strings.Replace(job, "1 0", "1 1e18", 1) + job} {
			f.Add(uint8(way), text)
		}
	}
	scenario := "name: s\ntrace: {file: t.swf, cleaning: reject}\nqos: {high_urgency: 0.2, deadline: {low_mean: 2, ratio: 7, sd: 0.5}, budget: {low_mean: 2, ratio: 7, sd: 0.5}, penalty: {low_mean: 0.02, ratio: 4, sd: 0.5}, hard: high}\nsimulation: {replications: 1}\n"
	f.Fuzz(func(t *testing.T, way uint8, text string) {
		t.Chdir(t.TempDir())
		writeText(t, "t.swf", text)
		writeText(t, "s.yaml", scenario)
		tame(t, "", strings.Fields(ways[int(way)%len(ways)])...)
	})
}

// FuzzImportCommand gives anything as an accounting log to revopt trace import, and
// looks at what comes of it.
func FuzzImportCommand(f *testing.F) {
	ways := []string{"", "--units nodes --json", "--anonymize", "--partition batch --time-zone Europe/Berlin", "--from swf",
		"--from sacct --nodes 7", "--from pbs", "--pools partition --units billing",
		"--columns submit=t,run=d,units=n,pool=p --scenario t.yaml"}
	for way := range ways {
		for _, text := range []string{
			"JobIDRaw|User|Account|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|ReqTRES|AllocTRES\n7|ana|x|batch|COMPLETED|2026-03-02T08:00:00|2026-03-02T08:00:10|2026-03-02T08:10:10|600|60|1|cpu=32,node=1|cpu=32,node=1\n",
			"JobId=7 UserId=ana(1) JobState=COMPLETED TimeLimit=60 StartTime=2026-03-02T08:00:10 EndTime=2026-03-02T08:10:10 ProcCnt=32 SubmitTime=2026-03-02T08:00:00\n",
			"03/02/2026 08:10:10;E;7.pbs;user=ana qtime=1772438400 start=1772438410 exec_host=n1/0*16 end=1772439010 Exit_status=0\n",
			"; MaxProcs: 8\n2 60 1 5 4 -1 -1 4 10 -1 1 7 -1 5 1 2 1 3\n", "", "t,d,n,p\n0,5,2,\"a,b\"\n7,1.5,0.25,c\n",
		} {
			f.Add(uint8(way), text)
		}
	}
	f.Fuzz(func(t *testing.T, way uint8, text string) {
		t.Chdir(t.TempDir())
		tame(t, text, append(shellWords("trace import - -o t.swf"), strings.Fields(ways[int(way)%len(ways)])...)...)
		if _, err := os.Stat("t.swf"); err == nil {
			if o := try("trace", "info", "t.swf"); o.code != exitDone {
				t.Errorf("%q: what was imported is no trace: %+v", ways[int(way)%len(ways)], o)
			}
		}
	})
}

// prepared runs a command that others build upon.
func prepared(f *testing.F, args ...string) {
	f.Helper()
	if o := try(args...); o.code != exitDone {
		f.Fatalf("%q: %+v", args, o)
	}
}

// FuzzKeptJournal resumes, inspects and merges journals of which all lines after the head are
// anything, with the checksums that they should have, or of which nothing is right.
func FuzzKeptJournal(f *testing.F) {
	spec := filepath.Join(f.TempDir(), "s.yaml")
	if err := os.WriteFile(spec,
		[]byte("scenario: nist-four\nset: {simulation.jobs: 30}\nvary: {load: [0.4, 0.8]}\nseeds: 2\nmetrics: [revenue]\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	commands := [][]string{
		{"simulate", "nist-one", "--jobs", "30", "--replications", "2", "--journal"},
		{"validate", "nist-one", "--jobs", "10", "--replications", "1", "--policy", "hol", "--admission", "all", "--journal"},
		{"sweep", spec, "-o"},
		{"sweep", "status"}, {"sweep", "merge"}, // of the sweep before
	}
	var heads []string
	for i, args := range commands {
		if args[1] == "status" || args[1] == "merge" {
			heads = append(heads, heads[2])
			continue
		}
		dir := filepath.Join(f.TempDir(), "kept")
		prepared(f, append(args, dir)...)
		data, err := os.ReadFile(filepath.Join(dir, "journal"))
		if err != nil {
			f.Fatal(err)
		}
		lines := strings.SplitAfter(string(data), "\n")
		heads = append(heads, lines[0]+lines[1])
		var payloads string
		for _, line := range lines[2 : len(lines)-1] {
			payloads += line[9:]
		}
		f.Add(uint8(i), true, payloads)
		f.Add(uint8(i), false, string(data))
	}
	for i, tail := range []string{"", "0 1", "1 0 5", "-1 0 1", "0 NaN", `1 0 {"Numbers":[],"Cut":false,"Last":0}`,
		"1 0 null", "9999999999999999999 1"} {
		f.Add(uint8(i), true, tail)
	}
	f.Fuzz(func(t *testing.T, which uint8, checked bool, text string) {
		i := int(which) % len(commands)
		if checked {
			payloads := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			text = heads[i]
			for _, payload := range payloads {
				text += record(payload)
			}
		}
		dir := t.TempDir()
		writeText(t, filepath.Join(dir, "journal"), text)
		tame(t, "", append(slices.Clone(commands[i]), dir)...)
	})
}

package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"revopt/model"
)

// TestInfoPartitions: a log whose header names partitions has their jobs, waits and the
// most units in use. In partition b, 3 units are in use from 40 to 50 s, and a job that
// ends makes room for one that starts at the same time.
func TestInfoPartitions(t *testing.T) {
	t.Chdir(t.TempDir())
	job := func(n, submit, wait, run, width, partition int) string {
		const fields = "%d %d %d %d %d -1 -1 %d -1 -1 1 -1 -1 -1 -1 %d -1 -1\n"
		return fmt.Sprintf(fields, n, submit, wait, run, width, width, partition)
	}
	const names = "; MaxProcs: 8\n; Partition: 1 a\n; Partition: 2 b\n"
	jobs := job(1, 0, 10, 40, 1, 2) + job(2, 0, 40, 20, 2, 2) + job(3, 20, 30, 5, 1, 2) + job(4, 30, 0, 100, 4, 1)
	writeText(t, "t.swf", names+jobs)
	r := told(t, "trace", "info", "t.swf")
	of := func(row int, column string) float64 { return number(t, r, "partitions", row, column) }
	if names := texts(t, r, "partitions", "partition"); !slices.Equal(names, []string{"a", "b"}) ||
		of(0, "most_in_use") != 4 || of(0, "jobs") != 1 || of(1, "most_in_use") != 3 || of(1, "jobs") != 3 ||
		of(1, "mean_wait") != 80.0/3 {
		t.Errorf("%+v", r.Tables)
	}
	for _, command := range []string{"trace", "trace fit"} {
		for _, name := range model.Generators() {
			if _, _, text := newProgram(nil).section(command); !strings.Contains(text, name) {
				t.Errorf("help of %s: expected %s in %s", command, name, text)
			}
		}
	}
}

// TestExportInPools: a probability that is stated for a customer is its own in all pools.
func TestExportInPools(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = "export slurm ai-site --set trace.jobs=first:100 --admission training=0.25 -o x --quiet"
	must(t, strings.Fields(line)...)
	script := readText(t, "x/job_submit.lua")
	for name, share := range map[string]string{
		"interactive in gpu": "1", "training in cpu": "0.25", "training in gpu": "0.25", "students in cpu": "1",
	} {
		if want := `{ name = "` + name + `", admit = ` + share + ","; !strings.Contains(script, want) {
			t.Errorf("no %s in %s", want, script)
		}
	}
}

// TestUnlikeUnits: nothing adds up cores and GPUs, and a schedule of the log with 3 of 2 GPUs in use at a
// time is not one that a simulated present can have.
func TestUnlikeUnits(t *testing.T) {
	t.Chdir(t.TempDir())
	const site = `trace: {file: log.swf}
pools:
  - {name: cpu, units: 8, unit: core, of: {partition: [cpu]}}
  - {name: gpu, units: 2, unit: UNIT, of: {partition: [gpu]}}
classes: [{name: a, price: {per_unit_hour: 1}, decay: {per_hour: 100%}, max_penalty: 0}]
`
	writeText(t, "log.swf", `; MaxProcs: 11
; Partition: 1 cpu
; Partition: 2 gpu
1 0 0 3600 8 -1 -1 8 -1 -1 1 -1 -1 -1 -1 1 -1 -1
2 0 0 3600 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 2 -1 -1
3 60 0 3600 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 2 -1 -1
`)
	writeText(t, "same.yaml", strings.Replace(site, "UNIT", "core", 1))
	writeText(t, "unlike.yaml", strings.Replace(site, "UNIT", "gpu", 1))
	for _, name := range []string{"same", "unlike"} {
		a := told(t, "simulate", name+".yaml", "--policy", "easy,recorded", "--html", name+".html")
		if used := value(t, a, "policies", 0, "utilization"); used.Known() != (name == "same") {
			t.Errorf("%s: used %+v", name, used)
		}
		if a.Headline.Code != "ONE_POLICY" || !slices.Contains(codes(a), "OVERCOMMITTED") {
			t.Errorf("%s: %s, %v", name, a.Headline, a.Warnings)
		}
		if got := slices.Contains(codes(a), "OTHER_MACHINE"); got != (name == "same") {
			t.Errorf("%s: %v", name, a.Warnings)
		}
	}
}

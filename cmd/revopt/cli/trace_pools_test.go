package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"revopt/model"
)

// TestGeneratePools writes the jobs of scenarios with pools as traces. The scenario itself,
// or one with its pools as partitions, runs them again with the same measures in every pool.
func TestGeneratePools(t *testing.T) {
	t.Chdir(t.TempDir())
	const value = "grace: 1h, max_penalty: 0, expire: never"
	writeText(t, "classes.yaml", strings.ReplaceAll(`
pools: [{name: cpu, units: 40, unit: core}, {name: gpu, units: 8, unit: gpu}]
load: 0.9
classes:
  - {name: gold, pool: gpu, share: 30%, length: {mean: 1h, sd: 20m}, width: 2, price: 3, decay: 1e-4, %s}
  - {name: base, pool: cpu, share: 70%, length: {mean: 30m, sd: 10m}, width: 4, price: 1, decay: 1e-5, %s}
`, "%s", value))
	writeText(t, "again.yaml", strings.ReplaceAll(`trace: {file: b.swf}
pools:
  - {name: cpu, units: 40, unit: core, of: {partition: [cpu]}}
  - {name: gpu, units: 8, unit: gpu, of: {partition: [gpu]}}
classes:
  - {name: gold, of: {group: [gold]}, price: 3, decay: 1e-4, %s}
  - {name: base, price: 1, decay: 1e-5, %s}
`, "%s", value))
	must(t, "trace", "generate", "ai-site", "--jobs", "400", "-o", "a.swf")
	must(t, "trace", "generate", "classes.yaml", "--jobs", "400", "-o", "b.swf")
	for what, lines := range map[string][2]string{
		"a trace": {"ai-site --jobs 400", "ai-site --set trace.file=a.swf"},
		"classes": {"classes.yaml --jobs 400 --warmup 0", "again.yaml"},
	} {
		var cells [2]map[string]float64
		for i, line := range lines {
			args := "simulate " + line + " --replications 1 --policy easy,conservative --quiet --cells cells.csv"
			must(t, strings.Fields(args)...)
			data, err := os.ReadFile("cells.csv")
			if err != nil {
				t.Fatal(err)
			}
			cells[i] = map[string]float64{}
			in := csv.NewReader(bytes.NewReader(data))
			in.Comment = '#'
			rows, _ := in.ReadAll()
			value := slices.Index(rows[0], "number")
			for _, row := range rows {
				x, err := strconv.ParseFloat(row[value], 64)
				if err == nil && (slices.Contains(row, "mean_wait") || slices.Contains(row, "jobs_late")) {
					cells[i][strings.Join(row[:value], ",")] = x
				}
			}
		}
		found := 0
		for key, x := range cells[1] {
			want, ok := cells[0][key] // the sections of classes have no measures beside theirs
			if ok {
				found++
			}
			if ok && math.Abs(x-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: %s is %g, expected %g", what, key, x, want)
			}
		}
		if found < 20 {
			t.Errorf("%s: %d measures", what, found)
		}
	}
	must(t, "init", "a.swf", "-o", "c.yaml")
	must(t, "trace", "generate", "c.yaml", "--jobs", "100", "-o", "c.swf")
	for _, file := range []string{"a.swf", "b.swf", "c.swf"} {
		site, want := must(t, "init", file), []string{`name: "cpu"`, "unit: core", `name: "gpu"`, "unit: gpu"}
		for _, words := range want {
			_, rest, ok := strings.Cut(site, words)
			if site = rest; !ok {
				t.Errorf("init %s: expected %s in order, without %s", file, want, words)
			}
		}
	}
}

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
	// Small partitions are listed too, the 20 largest with their units.
	header, rows := "; MaxProcs: 99\n; Unit: unit\n; PoolUnit: 25 gpu\n; PoolUnit: 24 core\n", ""
	for i := range 25 {
		header += fmt.Sprintf("; Partition: %d p%[1]d\n", i+1)
		rows += job(i+1, 0, 0, 10*i*i*i+10, 2, i+1)
	}
	writeText(t, "many.swf", header+rows)
	r = told(t, "trace", "info", "many.swf")
	listed, units := texts(t, r, "partitions", "partition"), texts(t, r, "partitions", "unit")
	if len(listed) != 21 || listed[19] != "p6" || listed[20] != "5 others" || of(20, "most_in_use") != 10 ||
		units[0] != "GPU" || units[1] != "core" || units[20] != "unit" {
		t.Errorf("%v %v", listed, units)
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

package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const smallLog = "../../../simulate/slurm/testdata/sacct.txt"

// TestTraceImport imports the included log, from a file and from standard
// input, and simulates customers by account.
func TestTraceImport(t *testing.T) {
	log := readText(t, smallLog)
	t.Chdir(t.TempDir())
	writeText(t, "sacct.txt", log)
	must(t, "trace", "import", "sacct.txt", "-o", "jobs.swf.gz")
	info := told(t, "trace", "info", "jobs.swf.gz")
	if fact(info, "jobs").Number != 7 || fact(info, "units").Number != 33 || fact(info, "unit").Word != "core" {
		t.Errorf("%+v", info)
	}
	o := tryWith(t.Context(), log, "trace", "import", "-", "--anonymize")
	if o.code != exitDone || strings.Contains(o.stdout+o.stderr, "chem") || !strings.Contains(o.stdout, "; Account: 1 a1\n") || !strings.Contains(o.stderr, "p1, p2") {
		t.Errorf("anonymous: %+v", o)
	}
	const customers = "trace: {file: jobs.swf.gz, cleaning: keep}\nclasses:\n  - {name: chemistry, of: {account: [chem]}, price: 2}\n  - {name: high, of: {queue: high}, price: 1}\n"
	writeText(t, "site.yaml", customers)
	if got := told(t, "simulate", "site.yaml", "--policy", "easy"); number(t, got, "customers", 0, "jobs_submitted") != 4 {
		t.Errorf("%+v", got.Tables)
	}
	r := told(t, "trace", "import", "sacct.txt", "-o", "batch.swf", "--partition", "batch", "--units", "nodes", "--nodes", "8")
	if fact(r, "jobs").Number != 6 || fact(r, "format").Word != "sacct" || len(r.Tables[0].Rows) == 0 || fact(r, "lines").Number != 13 {
		t.Errorf("%+v", r)
	}
	info = told(t, "trace", "info", "batch.swf")
	if fact(info, "jobs").Number != 6 || fact(info, "units").Number != 8 || fact(info, "unit").Word != "node" {
		t.Errorf("%+v", info)
	}

	// Refusals.
	writeText(t, "cut.txt", string(log[:300]))
	for _, tt := range []struct{ line, want string }{
		{"trace import sacct.txt --units gpu", "sacct.txt: expected jobs that state gpu, for --units gpu, got none"},
		{"trace import sacct.txt --from pbs --columns submit=Submit", "--columns: expected --from csv, got --from pbs"},
		{"trace import sacct.txt --json", "trace import: expected -o FILE with --json"},
		{"trace import sacct.txt -o sacct.txt", "--out: sacct.txt: is also an input"},
		{"trace import sacct.txt --partition gpu -o no.swf", `sacct.txt: expected jobs of partition "gpu"`},
		{"trace import cut.txt -o no.swf", "cut.txt: expected jobs that have ended, got none: 1 last line cut short"},
	} {
		wantUsageError(t, strings.Fields(tt.line), "revopt: "+tt.want)
	}
	if _, err := os.Stat("no.swf"); err == nil {
		t.Error("a refused log leaves a trace")
	}
}

// TestTraceImportPools imports a log of two partitions into pools, and finds the same scenario by init.
func TestTraceImportPools(t *testing.T) {
	t.Chdir(t.TempDir())
	row := func(id, partition, account, start, end, tres string) string {
		return fmt.Sprintf("%s|%s|%s|2026-01-01T08:00:00|2026-01-01T%s|2026-01-01T%s|%s|COMPLETED\n",
			id, account, partition, start, end, tres)
	}
	writeText(t, "log", "JobID|Account|Partition|Submit|Start|End|AllocTRES|State\n"+
		row("1", "batch", "a", "08:00:00", "09:00:00", "cpu=32,mem=64G,node=2")+
		row("2", "gpu", "b", "08:10:00", "10:00:00", "cpu=16,gres/gpu=4,gres/gpu:x=4,node=1")+
		row("3", "gpu", "b", "09:00:00", "10:00:00", "cpu=8,gres/gpu:x=2,gres/gpu:y=1,node=1"))
	pools := `pools:
  - {name: "batch", units: 32, unit: core, of: {partition: ["batch"]}} # guess: at most 32 in use at once; 1 job
  - {name: "gpu", units: 7, unit: gpu, of: {partition: ["gpu"]}} # guess: at most 7 in use at once; 2 jobs
`
	a := told(t, "trace", "import", "log", "--pools", "partition", "-o", "printed.swf")
	if strings.Join(texts(t, a, "pools", "of"), " ") != `{partition: ["batch"]} {partition: ["gpu"]}` ||
		number(t, a, "pools", 1, "units") != 7 || value(t, a, "pools", 1, "unit").Word != "gpu" || len(a.Warnings) > 0 {
		t.Errorf("%+v", a)
	}
	must(t, "trace", "import", "log", "--pools", "partition", "-o", "jobs.swf", "--quiet")
	must(t, "init", "log", "--pools", "partition", "-o", "one.yaml", "--quiet")
	must(t, "init", "log", "--pools", "partition", "-o", "two.yaml", "--quiet")
	must(t, "init", "jobs.swf", "--pools", "partition", "-o", "three.yaml", "--quiet")
	one := readText(t, "one.yaml")
	const price = `price: {per_unit_hour: {"batch": 1, "gpu": 10}}`
	if !strings.Contains(one, pools) || strings.Contains(one, "nodes:") || !strings.Contains(one, price) {
		t.Error(one)
	}
	_, rest, _ := strings.Cut(one, "which the log billed\n")
	for _, file := range []string{"two.yaml", "three.yaml"} {
		if text := readText(t, file); !strings.HasSuffix(text, rest) {
			t.Errorf("%s: got\n%s\nwant the end of\n%s", file, text, one)
		}
		must(t, "simulate", file, "--policy", "easy", "--quiet")
	}
	site := must(t, "init", "log", "--pools", "none")
	if strings.Contains(site, "pools:\n") || !strings.Contains(site, "nodes: 48 ") {
		t.Error(site)
	}
	site = must(t, "init", "log", "--partition", "gpu")
	if !strings.Contains(site, `{name: "gpu", units: 7, unit: gpu,`) {
		t.Error(site)
	}
}

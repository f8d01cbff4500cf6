package main

import (
	"os"
	"strings"
	"testing"

	"revopt/plots/report"
)

const smallLog = "../../simulate/slurm/testdata/sacct.txt"

// TestTraceImport imports the included log, from a file and from standard
// input, and simulates customers by account.
func TestTraceImport(t *testing.T) {
	log := readText(t, smallLog)
	t.Chdir(t.TempDir())
	writeText(t, "sacct.txt", log)
	must(t, "trace", "import", "sacct.txt", "-o", "jobs.swf.gz")
	info := must(t, "trace", "info", "jobs.swf.gz")
	if !strings.Contains(info, "7 jobs on 33 cores") {
		t.Error(info)
	}
	o := tryWith(t.Context(), log, "trace", "import", "-", "--anonymize")
	if o.code != exitDone || strings.Contains(o.stdout+o.stderr, "chem") || !strings.Contains(o.stdout, "; Account: 1 a1\n") || !strings.Contains(o.stderr, "p1, p2") {
		t.Errorf("anonymous: %+v", o)
	}
	const customers = "trace: {file: jobs.swf.gz}\nclasses:\n  - {name: chemistry, of: {account: [chem]}, price: 2}\n  - {name: high, of: {queue: high}, price: 1}\n"
	writeText(t, "site.yaml", customers)
	if got := must(t, "simulate", "site.yaml", "--policy", "easy", "--quiet"); !strings.Contains(got, "chemistry") {
		t.Error(got)
	}
	var r report.LogImport
	decode(t, &r, "trace", "import", "sacct.txt", "--json", "-o", "batch.swf", "--partition", "batch", "--by", "nodes", "--nodes", "8")
	if r.Jobs != 6 || r.Format != "sacct" || len(r.Counts) == 0 || r.Lines != 13 {
		t.Errorf("%+v", r)
	}
	if info := must(t, "trace", "info", "batch.swf"); !strings.Contains(info, "6 jobs on 8 nodes") {
		t.Error(info)
	}

	// Refusals.
	writeText(t, "cut.txt", string(log[:300]))
	for _, tt := range []struct{ line, want string }{
		{"trace import sacct.txt --from lsf", "--from: expected sacct, pbs, jobcomp, swf or csv"},
		{"trace import sacct.txt --from jobcomp", "sacct.txt:1: JobId: expected a number"},
		{"trace import sacct.txt --by sockets", "--units: column 1: expected a number, cpu, node, gpu"},
		{"trace import sacct.txt --units max(cpu,mem/4G", "--units: column 15: expected a comma or a closing parenthesis"},
		{"trace import sacct.txt --units gpu", "sacct.txt: expected jobs that state gpu, for --units gpu, got none"},
		{"trace import sacct.txt --columns submit=Submit", "--columns: expected a column for units, got none"},
		{"trace import sacct.txt --from pbs --columns submit=Submit", "--columns: expected --from csv, got --from pbs"},
		{"trace import sacct.txt --from csv", "--columns: expected submit, run, units"},
		{"trace import sacct.txt --nodes 0", "--nodes: expected a whole number from 1"},
		{"trace import sacct.txt --time-zone Mars/Base", "--time-zone: expected a time zone such as UTC"},
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

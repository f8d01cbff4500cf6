package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

// TestParseUnits reads the words for units.
func TestParseUnits(t *testing.T) {
	for text, want := range map[string]string{"cpu": "core", "cores": "core", "nodes": "node", "gpu": "gpu", "gpus": "gpu",
		"billing": "unit"} {
		if u, err := ParseUnits(text); err != nil || u.Word() != want {
			t.Errorf("%s: got %v, %v", text, u, err)
		}
	}
	for _, text := range []string{"", "sockets", "max(cpu, mem/4G)", "4"} {
		if _, err := ParseUnits(text); err == nil || !strings.HasPrefix(err.Error(), "expected cores, nodes, gpu or billing") {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// TestImportResources counts the units of jobs in trackable resources, by hand.
func TestImportResources(t *testing.T) {
	const log = "JobID|Submit|Start|End|NNodes|NCPUS|ReqMem|ReqTRES|AllocTRES|State\n"
	row := func(id, columns string) string {
		return id + "|2026-01-01T08:00:00|2026-01-01T08:00:00|2026-01-01T09:00:00|" + columns + "|COMPLETED\n"
	}
	text := log +
		row("1", "2|8||cpu=8,mem=40G,node=2|billing=11,cpu=8,gres/gpu:a=3,gres/gpu:b=1,mem=40G,node=2") +
		row("2", "1|1|||billing=2,cpu=1,gres/gpu=2,gres/gpu:a=2,mem=500M,node=1") +
		row("3", "2|6|3Gn|cpu=6,node=2,gres/gpu=4|") +
		row("4", "1|6|1.5Gc|cpu=6,node=1|cpu=6,node=1,billing=0") +
		row("5", "1|2|4000|cpu=2,node=1|cpu=2,node=1")
	for units, want := range map[string][]float64{
		"cores": {8, 1, 6, 6, 2}, "nodes": {2, 1, 2, 1, 1}, "gpu": {4, 2, 4, 1, 1}, "billing": {11, 2, 1, 1, 1},
	} {
		_, jobs, _, err := imported(t, text, ImportOptions{Units: must(ParseUnits(units))})
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, r := range jobs {
			if got = append(got, r[workload.Allocated]); r[workload.Allocated] != r[workload.Requested] {
				t.Errorf("--units %s: job %g has %g units and asks for %g", units, r[workload.JobNumber],
					r[workload.Allocated], r[workload.Requested])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("--units %s: got %v, want %v", units, got, want)
		}
	}
	wide := log + row("1", "1|1|||billing=2000000000,cpu=1,node=1")
	_, _, _, err := imported(t, wide, ImportOptions{Units: must(ParseUnits("billing"))})
	if got := fmt.Sprint(err); !strings.HasPrefix(got, "log:2: --units: expected at most 1073741824 units by billing") {
		t.Errorf("got %v", err)
	}
}

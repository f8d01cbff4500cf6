package slurm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

// randomUnits returns a random expression, and its value for some resources.
func randomUnits(rng *rand.Rand, r *resources, depth int) (string, float64) {
	if depth == 0 || rng.IntN(4) == 0 {
		if i := rng.IntN(resourceCount + 1); i < resourceCount {
			return resourceNames[i], r[i]
		}
		return "1.5K", 1536
	}
	a, x := randomUnits(rng, r, depth-1)
	b, y := randomUnits(rng, r, depth-1)
	switch rng.IntN(6) {
	case 0:
		return "(" + a + " +" + b + ")", x + y
	case 1:
		return "(" + a + "-" + b + " )", x - y
	case 2:
		return "( " + a + ")*(" + b + ")", x * y
	case 3:
		return "((" + a + ")/(" + b + "))", x / y
	case 4:
		return "max(" + a + "," + b + ")", max(x, y)
	default:
		return "min( " + a + " , " + b + ")", min(x, y)
	}
}

func TestUnitsExpressions(t *testing.T) {
	r := resources{8, 2, 3, 20 << 30, 40}
	for text, want := range map[string]float64{
		"cores": 8, "nodes": 2, "gpus": 3, "2+3*cpu-4/node": 24, "8-4-2": 2, "16/4/2": 2, "max(cpu, mem/4G)": 8,
		"max(cpu,mem/2G,1)": 10, "min(gpu,billing)": 3, "mem/1024M": 20,
	} {
		u, err := ParseUnits(text)
		if err != nil || u.eval(&r) != want {
			t.Errorf("%s: got %v, want %g", text, err, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		text, want := randomUnits(rng, &r, 4)
		u, err := ParseUnits(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := u.eval(&r); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: got %g, want %g", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"": "column 1: ", "cpu +": "column 6: ", "cpu) ": `column 4: expected an operator, got ")`, "4X": "column 2: ",
		"max cpu": "column 1: ", "(cpu": "column 5: expected a closing parenthesis, got", "1.2.3": "column 1: ",
		strings.Repeat("(", 1e5): "column 100001: ", "0": "expected an expression with a resource such as cpu, or",
	} {
		if _, err := ParseUnits(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %s", text, err, want)
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
		"max(cpu, mem/1G)": {40, 1, 6, 9, 4}, "mem/100M": {410, 5, 62, 93, 40},
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
	for units, want := range map[string]string{
		"mem":            "log:2: --units: expected at most 1073741824 units by mem, got 4.29497e+10",
		"1/0":            "log:2: --units: division by 0 in 1/0",
		"cpu/gpu":        "log:5: --units: division by 0 in cpu/gpu",
		"cpu/0.00000001": "log: expected at most 1073741824 units in use at one time, got 2300000000",
	} {
		_, _, _, err := imported(t, text, ImportOptions{Units: must(ParseUnits(units))})
		if got := fmt.Sprint(err); !strings.HasPrefix(got, want[:min(40, len(want))]) {
			t.Errorf("--units %s: got %v, want %s", units, err, want)
		}
	}
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// whatIfJSON is the contract with scripts.
type whatIfJSON struct {
	Unit    string `json:"unit"`
	Changes []struct {
		Name       string `json:"name"`
		Formula    *struct{ Before, After *float64 }
		Simulation struct {
			Before, After, Difference struct {
				Mean      float64 `json:"mean"`
				HalfWidth float64 `json:"half_width"`
			}
		} `json:"simulation"`
		Bound struct {
			Before, After float64
		} `json:"bound"`
		Headline  string
		Lines     []string
		Verdict   string
		Customers []map[string]any
		BreakEven *struct{ Mean float64 } `json:"break_even"`
	} `json:"changes"`
	Verdict string
}

// TestWhatIf checks the table, the JSON contract and the files.
func TestWhatIf(t *testing.T) {
	t.Chdir(t.TempDir())
	args := shellWords("whatif site --jobs 200 --replications 3 --change nodes=+16 --change policy=value-bf,first-reward --change admission=students=0.5")
	table := must(t, append(slices.Clone(args), "--csv", "a.csv", "--html", "a.html", "-o", "a.svg")...)
	wantWords(t, table, []string{
		"under easy\n", "gain", "\nas it is ", "\nnodes=+16 ", "\npolicy=value-bf ", "\npolicy=first-reward ", "\nadmission=students=0.5 ", "\nall together, ",
		"\npolicy=value-bf: +", " $/month", "node-hour", " jobs of students", "breaks the promise to urgent: ", "\nBest first, before costs: ",
	})
	var got whatIfJSON
	decode(t, &got, append(slices.Clone(args), "--json")...)
	if len(got.Changes) != 5 || got.Unit != "$/h" || got.Changes[0].BreakEven == nil || got.Verdict == "" {
		t.Fatalf("%+v", got)
	}
	for _, c := range got.Changes {
		d := c.Simulation.After.Mean - c.Simulation.Before.Mean
		if c.Verdict != strings.Join(append([]string{c.Headline}, c.Lines...), "; ") || c.Formula != nil || abs(d-c.Simulation.Difference.Mean) > 1e-9*abs(d) ||
			!(c.Simulation.After.Mean <= c.Bound.After) {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range got.Changes { // every job is accounted for
		for _, customer := range c.Customers {
			left := customer["jobs_submitted"].(float64)
			for _, fate := range []string{"completed", "rejected", "given_up", "expired", "killed"} {
				left -= customer["jobs_"+fate].(float64)
			}
			if abs(left) > 1e-9 {
				t.Errorf("%s: %g jobs are left of %v", c.Name, left, customer)
			}
		}
	}
	for name, want := range map[string]string{"a.csv": "nodes=+16,simulation,students,killed,",
		"a.html": "<p class=\"lead\">Best first, ", "a.svg": "policy=value-bf"} {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s without %q: %v", name, want, err)
		}
	}
	decode(t, &got, append(slices.Clone(args), "--json", "--formula")...)
	if got.Changes[0].Formula == nil {
		t.Error("--formula: no formula")
	}
}

// TestWhatIfWords: the answer about two changes is short, that on a log too. docs/operator.md has others.
func TestWhatIfWords(t *testing.T) {
	log, err := filepath.Abs("../../../testdata/site-sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	must(t, "init", log, "-o", "log.yaml", "--quiet")
	scenario := "trace: {file: log.swf.gz, cleaning: drop}\nclasses:\n"
	for _, class := range []string{"climate]}, price: {per_unit_hour: 0.08}, grace: 3h, slo: {within: 3h, level: 80%}",
		"astro]}, price: {per_unit_hour: 0.05}, grace: 1h, slo: {within: 6h, level: 60%}", "bio]}, price: {per_unit_hour: 0.02}"} {
		scenario += "  - {name: " + strings.Split(class, "]")[0] + ", decay: {per_hour: 8%}, max_penalty: 0, demand: {curve: linear, elasticity: 0.8}, of: {account: [" + class + "}\n"
	}
	if err := os.WriteFile("two.yaml", []byte(scenario), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"whatif site --jobs 500 --change nodes=+16 --change policy=value-bf":                     "gives up ",
		"whatif nist-cluster --jobs 500 --change nodes=+500 --change policy=fcfs":                "wait of ",
		"whatif log.yaml --change nodes=+128 --change policy=value-bf --cost 400/core --life 5y": "\nToday: easy reproduces ",
		"whatif two.yaml --change cores=+128 --change policy=best --resample none":               "cores=+128 (16 nodes)",
	} {
		out := must(t, append(shellWords(args), "--quiet")...)
		if n := len(strings.Fields(out)); n > 210 || !strings.Contains(out, want) {
			t.Errorf("%s: %d words\n%s", args, n, out)
		}
	}
}

// TestWhatIfCost: a price over a life is a cost by the hour; mistakes are told.
func TestWhatIfCost(t *testing.T) {
	var hourly, priced struct {
		Cost, Price, Life float64
		Changes           []struct {
			Net     struct{ Mean float64 }
			Payback float64
		}
	}
	args := shellWords("whatif nist-cluster --jobs 500 --replications 2 --json --change nodes=+500 --cost")
	decode(t, &hourly, append(slices.Clone(args), "0.25/unit-hour")...)
	decode(t, &priced, append(slices.Clone(args), "4380/node", "--life", "2y")...) // 17,520 h
	if hourly.Cost != 0.25 || priced.Cost != 0.25 || priced.Price != 4380 || priced.Life != 17520*3600 || hourly.Changes[0].Net != priced.Changes[0].Net {
		t.Errorf("%+v, %+v", hourly, priced)
	}
	if gain := hourly.Changes[0].Net.Mean + 0.25*500; abs(priced.Changes[0].Payback-3600*4380*500/gain) > 1 {
		t.Errorf("payback %g at a gain of %g", priced.Changes[0].Payback, gain)
	}
	// A trace that knows its nodes prices them: 24 cores on 3 nodes.
	t.Chdir(t.TempDir())
	jobs := "; MaxProcs: 24\n; MaxNodes: 3\n"
	for k := range 9 {
		jobs += fmt.Sprintf("%d %d 0 600 24 -1 -1 24 600 -1 1 1 1 1 1 1 -1 -1\n", k+1, 300*k)
	}
	if err := os.WriteFile("cores.swf", []byte(jobs), 0o644); err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]float64{
		"0.2/node-hour": 0.025, "0.2/core-hour": 0.2, "9000/node --life 5y": 9000.0 / 8 / 43800,
	} {
		decode(t, &hourly, shellWords("whatif cores.swf --quiet --json --change nodes=+8 --cost "+flags)...)
		if abs(hourly.Cost-want) > 1e-12 {
			t.Errorf("%s: %g $ an hour, want %g", flags, hourly.Cost, want)
		}
	}
	o := try(shellWords("whatif cores.swf --set trace.nodes=32 --change nodes=+8 --cost 0.2/node-hour")...)
	wantWords(t, o.stderr,
		[]string{"--cost: expected the cost of a core, as it is not known how many cores a node has"})
	for flags, want := range map[string]string{
		"9000/node": "--life: expected", "9000/node --life 5": "--life: expected",
		"9000/node --life 200000": "--life: expected", "0.2 --life 5y": "--life: expected a price",
		"9000/": "--cost: expected", "0.2/gpu-hour": "--cost: expected", "20%": "--cost: expected",
	} {
		o := try(append(slices.Clone(args), shellWords(flags)...)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: exit %d, %s", flags, o.code, o.stderr)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

// TestMisnamedChange: a change that is no field of a scenario is suggested as others are.
func TestMisnamedChange(t *testing.T) {
	for arg, want := range map[string]string{
		"polcy=hol": "policy", "longest-wait=3d": "longest_wait", "priorty=urgent": "priority", "laod=0.5": "load",
	} {
		o := try("whatif", "site", "--change", arg)
		if o.code != exitUsage || !strings.HasSuffix(o.stderr, "; did you mean "+want+"?\n") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: exit %d: %s", arg, o.code, o.stderr)
		}
	}
}

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// whatIfJSON is the contract with scripts.
type whatIfJSON struct {
	Unit    string `json:"unit"`
	Changes []struct {
		Name    string `json:"name"`
		Formula struct {
			Before, After *float64
		} `json:"formula"`
		Simulation struct {
			Before, After, Difference struct {
				Mean      float64 `json:"mean"`
				HalfWidth float64 `json:"half_width"`
			}
		} `json:"simulation"`
		Bound struct {
			Before, After float64
		} `json:"bound"`
		Verdict   string
		BreakEven *struct{ Mean float64 } `json:"break_even"`
	} `json:"changes"`
	Verdict string
}

// TestWhatIf checks the table, the JSON contract and the files.
func TestWhatIf(t *testing.T) {
	t.Chdir(t.TempDir())
	args := shellWords("whatif site --jobs 200 --replications 3 --change trace.nodes=+16 --change policy=value-bf,first-reward --change admission=students=0.5")
	table := must(t, append(slices.Clone(args), "--csv", "a.csv", "--html", "a.html", "-o", "a.svg")...)
	wantWords(t, table, []string{
		"under easy\n", "gain", "\nas it is ", "\ntrace.nodes=+16 ", "\npolicy=value-bf ", "\npolicy=first-reward ", "\nadmission=students=0.5 ", "\nall together, ", "\nAs it is: easy earns ",
		"node-hour", " of students", "promised",
	})
	var got whatIfJSON
	decode(t, &got, append(slices.Clone(args), "--json")...)
	if len(got.Changes) != 5 || got.Unit != "$/h" || got.Changes[0].BreakEven == nil || got.Verdict == "" {
		t.Fatalf("%+v", got)
	}
	for _, c := range got.Changes {
		d := c.Simulation.After.Mean - c.Simulation.Before.Mean
		if c.Verdict == "" || c.Formula.After == nil || abs(d-c.Simulation.Difference.Mean) > 1e-9*abs(d) ||
			!(c.Simulation.After.Mean <= c.Bound.After) {
			t.Errorf("%+v", c)
		}
	}
	for name, want := range map[string]string{"a.csv": "trace.nodes=+16,formula,,revenue_per_hour,",
		"a.html": "<h2>Verdicts</h2>\n<p>As it is: easy earns", "a.svg": "policy=value-bf"} {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s without %q: %v", name, want, err)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

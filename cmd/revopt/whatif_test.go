package main

import (
	"encoding/json"
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
	args := []string{"whatif", "site", "--jobs", "200", "--replications", "3", "--change", "trace.nodes=+16", "--change", "policy=value-bf,first-reward", "--change", "admission=students=0.5"}
	table := must(t, append(slices.Clone(args), "--csv", "a.csv", "--html", "a.html", "-o", "a.svg")...)
	wantWords(t, table, []string{
		"under easy\n", "gain", "\nas it is ", "\ntrace.nodes=+16 ", "\npolicy=value-bf ", "\npolicy=first-reward ", "\nadmission=students=0.5 ", "\nall together, ", "\nAs it is: easy earns ",
		"node-hour", " of students", "promised",
	})
	var got whatIfJSON
	if err := json.Unmarshal([]byte(must(t, append(slices.Clone(args), "--json")...)), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Changes) != 5 || got.Unit != "$/h" || got.Changes[0].BreakEven == nil || got.Verdict == "" {
		t.Fatalf("%+v", got)
	}
	for _, c := range got.Changes {
		d := c.Simulation.After.Mean - c.Simulation.Before.Mean
		if c.Verdict == "" || c.Formula.After == nil || abs(d-c.Simulation.Difference.Mean) > 1e-9*abs(d) || !(c.Simulation.After.Mean <= c.Bound.After) {
			t.Errorf("%+v", c)
		}
	}
	for name, want := range map[string]string{"a.csv": "trace.nodes=+16,formula,,revenue_per_hour,", "a.html": "<h2>Verdicts</h2>\n<p>As it is: easy earns", "a.svg": "policy=value-bf"} {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s without %q: %v", name, want, err)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }

func TestWhatIfUsageErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ line, want string }{
		{"", "whatif: expected --change"},
		{"--change growth=20%", "whatif: expected SCENARIO"},
		{"site --change growth", "--change growth: expected path=value"},
		{"site --change growth=20", "--change growth=20: growth: 20 is 2000 %: write 20%"},
		{"site --change trace.nods=+16", "--change trace.nods=+16: nothing to add to"},
		{"site --change trace.nodes=+0.5", "--change trace.nodes=+0.5: trace.nodes: expected a whole number of nodes"},
		{"site --change policy=esy", `--change policy=esy: unknown policy "esy"; did you mean easy?`},
		{"site --change admission=some", "--change admission=some: expected all, analytic, simulated"},
		{"site --change admission=all --change admission=all", "--change: admission=all is given twice"},
		{"site --change policy=mf-edf", "policy mf-edf needs optional parts"},
		{"nist-four --change policy=best", "--change policy=best: expected a scenario that lists other policies than hol"},
		{"site --change name=x", "--change name=x: it changes nothing that is earned"},
		{"site --change classes.urgent.name=x", "--change classes.urgent.name=x: it changes nothing that is earned"},
		{"site --change simulation.replications=3", "--change simulation.replications=3: it changes nothing that is earned: --set simulation.replications=3 sets it"},
		{"site --change policies=[easy]", "--change policies=[easy]: expected policy=P"},
		{"site --change load=1 --change growth=20%", "--change load: expected no growth beside it"},
		{"site --change classes.urgent.price.per_node_hour=0", "--change classes.urgent.price.per_node_hour=0: classes.urgent.price.per_node_hour: expected a price above 0 beside demand"},
		{"site --change growth=20% --policy easy,hol", "--policy: expected one policy, got 2"},
		{"site --change growth=20% --admission all,analytic", "--admission: expected one admission, got 2"},
		{"site --change growth=20% --cost 30%", "--cost: expected $ above 0 per node-hour"},
		{"site --change growth=20% --cost x", "--cost: expected $ above 0 per node-hour"},
		{"site --change growth=20% --level 2", "--level: expected a share"},
		{"site --change growth=20% --precision 1%", "whatif: unknown flag --precision"},
		{"nist-four --change classes.HvHu.slo={within: 600}", "--change classes.HvHu.slo={within: 600}: "},
	} {
		args := []string{"whatif"}
		for i, part := range strings.Split(tt.line, " --") {
			if i > 0 {
				part = "--" + part
			}
			name, value, ok := strings.Cut(part, " ")
			if args = append(args, name); ok {
				args = append(args, value)
			}
		}
		args = slices.DeleteFunc(args, func(a string) bool { return a == "" })
		wantUsageError(t, append(args, "--html", "page.html"), "revopt: "+tt.want)
	}
	if left := files(t, "."); len(left) != 0 {
		t.Errorf("files left: %v", left)
	}
}

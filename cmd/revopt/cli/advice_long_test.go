//go:build long

package cli

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// adviceWrite is a flag of TestAdvice, behind -args.
var adviceWrite = flag.Bool("write-advice", false, "write the table of advice into docs/theory.md")

// TestAdvice holds the table of docs/theory.md to what solve and validate say of every built-in scenario under every
// residual: the promise of the formula, its advice and admitting all on the simulator, and the bound of any schedule.
// The table is written by
//
//	go test -tags long ./cmd/revopt/cli -run '^TestAdvice$' -args -write-advice
func TestAdvice(t *testing.T) {
	const path, begin, end = "../../../docs/theory.md", "<!-- advice -->\n", "<!-- end of advice -->\n"
	var b strings.Builder
	b.WriteString("\n|scenario, policy|`printed`|`pooled`|`multiserver`|admitting all|bound|\n|---|---|---|---|---|---|\n")
	for _, info := range scenario.Builtins() {
		name, policy, all := info.Name, "", ""
		var cells []string
		for _, residual := range []string{"printed", "pooled", "multiserver"} {
			args := []string{"solve", name, "--set", "server.residual=" + residual}
			if said := try(args...).stderr; strings.Contains(said, "can be simulated, not solved") ||
				strings.Contains(said, "server.residual") {
				break // there is no advice, or no server whose delays a scenario could choose
			}
			got := told(t, args...)
			hourly := func(name string) string {
				v, half := known(t, got, name), math.Inf(1)
				if v.Random {
					half = (v.High - v.Low) / 2
				}
				return text.Estimate(v.Number, half, text.Digits(v.Number, 4))
			}
			stands := ""
			if !known(t, got, "stands").True {
				stands = " **no**"
			}
			policy, all = known(t, got, "policy").Word, hourly("all")
			cells = append(cells, fmt.Sprintf("%s; %s%s", text.Grouped(known(t, got, "value").Number), hourly("checked"),
				stands))
		}
		if cells != nil {
			fmt.Fprintf(&b, "|`%s`, `%s`|%s|%s|%s|\n", name, policy, strings.Join(cells, "|"), all, adviceBound(t, name, policy))
		}
	}
	b.WriteString("\n")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, known := strings.Cut(string(data), begin)
	table, after, ended := strings.Cut(rest, end)
	switch {
	case !known || !ended:
		t.Fatalf("%s has no %s", path, begin)
	case *adviceWrite:
		if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case table != b.String():
		t.Errorf("%s has\n%s\nwant\n%s", path, table, b.String())
	}
}

// adviceBound returns what no schedule exceeds on the jobs of three replications, in $/h.
func adviceBound(t *testing.T, name, policy string) string {
	t.Helper()
	v := validated(t, name, "--policy", policy, "--replications", "3", "--quiet")
	for _, b := range v.Tables["bounds"] {
		if b["bound"] == "clairvoyant" {
			return text.Grouped(b["value"].(float64))
		}
	}
	t.Fatalf("%s: no clairvoyant bound", name)
	return ""
}

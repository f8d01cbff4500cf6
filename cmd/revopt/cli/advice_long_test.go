//go:build long

package cli

import (
	"flag"
	"fmt"
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
			args := []string{"solve", name, "--set", "server.residual=" + residual, "--json", "--quiet"}
			if said := try(args...).stderr; strings.Contains(said, "can be simulated, not solved") ||
				strings.Contains(said, "server.residual") {
				break // there is no advice, or no server whose delays a scenario could choose
			}
			var got struct {
				RevenuePerHour float64 `json:"revenue_per_hour"`
				Checked        struct {
					Policy         string
					Admission, All struct {
						Mean      float64
						HalfWidth float64 `json:"half_width"`
					}
					Stands bool
				}
			}
			decode(t, &got, args...)
			c := got.Checked
			hourly := func(mean, half float64) string {
				return text.Estimate(3600*mean, 3600*half, text.Digits(3600*mean, 4))
			}
			stands := ""
			if !c.Stands {
				stands = " **no**"
			}
			policy, all = c.Policy, hourly(c.All.Mean, c.All.HalfWidth)
			cells = append(cells, fmt.Sprintf("%s; %s%s", text.Grouped(got.RevenuePerHour),
				hourly(c.Admission.Mean, c.Admission.HalfWidth), stands))
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
	var got struct {
		Bounds []struct {
			Name             string
			RevenuePerSecond float64 `json:"revenue_per_second"`
		}
	}
	decode(t, &got, "validate", name, "--policy", policy, "--replications", "3", "--json", "--quiet")
	for _, b := range got.Bounds {
		if b.Name == "clairvoyant" {
			return text.Grouped(3600 * b.RevenuePerSecond)
		}
	}
	t.Fatalf("%s: no clairvoyant bound", name)
	return ""
}

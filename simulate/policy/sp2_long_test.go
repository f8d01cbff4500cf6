//go:build long

package policy_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// TestSP2Table: docs/sp2-easy.csv is what the policies make of the
// trace, to the last digit printed.
func TestSP2Table(t *testing.T) {
	table := string(policytest.Must(os.ReadFile("../../docs/sp2-easy.csv")))
	var kill, exact = policy.Settings{"overrun": "kill"}, policy.Settings{"estimates": "exact"}
	for _, cleaning := range []string{policytest.Drop, policytest.Reject, policytest.Keep} {
		jobs := policytest.SP2(t, cleaning)
		check := func(jobs []policytest.Submission, got policytest.Fates, words ...string) {
			t.Helper()
			wait, slowdown, killed := policytest.Means(jobs, got)
			cells := append([]string{cleaning}, words...)
			cells = append(cells, fmt.Sprintf("%.0f", wait), fmt.Sprintf("%.1f", slowdown), fmt.Sprint(killed))
			var row strings.Builder
			w := csv.NewWriter(&row)
			if err := w.Write(cells); err != nil {
				t.Fatal(err)
			}
			w.Flush()
			if !strings.Contains(table, "\n"+row.String()) {
				t.Errorf("not in docs/sp2-easy.csv: %s", row.String())
			}
		}
		for _, name := range []string{"easy", "conservative"} {
			check(jobs, policytest.Execute(t, 128, policytest.ByName(t, name, nil), jobs), name, "user", "extend")
			check(jobs, policytest.Execute(t, 128, policytest.ByName(t, name, kill), jobs), name, "user", "kill")
			check(jobs, policytest.Execute(t, 128, policytest.ByName(t, name, exact), jobs), name, "exact", "-")
		}
		check(jobs, policytest.Execute(t, 128, policytest.ByName(t, "fcfs", nil), jobs), "fcfs", "-", "-")
		if cleaning == policytest.Keep {
			n := &naive{processors: 128, noExtra: true}
			check(jobs, n.run(jobs, n.easy), "EASY without the extra processors", "user", "extend")
		}
		if cleaning != policytest.Drop {
			continue
		}
		check(jobs, policytest.Execute(t, 128, policytest.ByName(t, "fcfs", policy.Settings{"backfill": "true"}), jobs), "first fit, no reservation", "-", "-")
		for name, n := range map[string]*naive{
			"EASY without the extra processors":                    {noExtra: true},
			"EASY, overdue jobs expected to have ended":            {frozen: true},
			"EASY, overdue jobs expected after a further estimate": {patient: true},
			"EASY by estimate (shortest first)":                    {key: func(s policytest.Submission) float64 { return s.Estimate }},
		} {
			n.processors = 128
			check(jobs, n.run(jobs, n.easy), name, "user", "extend")
		}
		raised := append([]policytest.Submission(nil), jobs...)
		for i := range raised {
			raised[i].Estimate = max(raised[i].Estimate, raised[i].Runtime)
		}
		check(raised, policytest.Execute(t, 128, policytest.ByName(t, "easy", nil), raised), "easy", "user, raised to the runtime", "-")
	}
}

//go:build long

package policy_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// TestSP2Table: the table in the documentation is what the policies make of the
// trace, to the last digit printed.
func TestSP2Table(t *testing.T) {
	document := policytest.Must(os.ReadFile("../../docs/simulation.md"))
	var kill, exact = policy.Settings{"overrun": "kill"}, policy.Settings{"estimates": "exact"}
	for _, cleaning := range []string{policytest.Drop, policytest.Reject, policytest.Keep} {
		jobs := policytest.SP2(t, cleaning)
		check := func(jobs []policytest.Submission, got policytest.Fates, words ...string) {
			t.Helper()
			wait, slowdown, killed := policytest.Means(jobs, got)
			cells := append([]string{cleaning}, words...)
			cells = append(cells, grouped(wait), strconv.FormatFloat(slowdown, 'f', 1, 64), grouped(float64(killed)))
			row := "| " + strings.Join(cells, " | ") + " |"
			if !strings.Contains(string(document), row+"\n") {
				t.Errorf("not in the documentation: %s", row)
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

// grouped prints a whole number with commas.
func grouped(x float64) string {
	s := fmt.Sprintf("%.0f", x)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

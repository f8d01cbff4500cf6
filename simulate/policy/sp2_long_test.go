//go:build long

package policy_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"revopt/simulate/policy"
)

// TestSP2Table: the table in the documentation is what the policies make of the
// trace, to the last digit printed.
func TestSP2Table(t *testing.T) {
	document := must(os.ReadFile("../../docs/reproduction.md"))
	var kill, exact = policy.Settings{"overrun": "kill"}, policy.Settings{"estimates": "exact"}
	for _, cleaning := range []string{drop, reject, keep} {
		jobs := sp2(t, cleaning)
		check := func(jobs []submission, got fates, words ...string) {
			t.Helper()
			wait, slowdown, killed := means(jobs, got)
			cells := append([]string{cleaning}, words...)
			cells = append(cells, grouped(wait), strconv.FormatFloat(slowdown, 'f', 1, 64), grouped(float64(killed)))
			row := "| " + strings.Join(cells, " | ") + " |"
			if !strings.Contains(string(document), row+"\n") {
				t.Errorf("not in the documentation: %s", row)
			}
		}
		for _, name := range []string{"easy", "conservative"} {
			check(jobs, execute(t, 128, named(t, name, nil), jobs), name, "user", "extend")
			check(jobs, execute(t, 128, named(t, name, kill), jobs), name, "user", "kill")
			check(jobs, execute(t, 128, named(t, name, exact), jobs), name, "exact", "-")
		}
		check(jobs, execute(t, 128, named(t, "fcfs", nil), jobs), "fcfs", "-", "-")
		if cleaning == keep {
			n := &naive{processors: 128, noExtra: true}
			check(jobs, n.run(jobs, n.easy), "EASY without the extra processors", "user", "extend")
		}
		if cleaning != drop {
			continue
		}
		check(jobs, execute(t, 128, named(t, "fcfs", policy.Settings{"backfill": "true"}), jobs), "first fit, no reservation", "-", "-")
		for name, n := range map[string]*naive{
			"EASY without the extra processors":                    {noExtra: true},
			"EASY, overdue jobs expected to have ended":            {frozen: true},
			"EASY, overdue jobs expected after a further estimate": {patient: true},
			"EASY by estimate (shortest first)":                    {key: func(s submission) float64 { return s.estimate }},
		} {
			n.processors = 128
			check(jobs, n.run(jobs, n.easy), name, "user", "extend")
		}
		raised := append([]submission(nil), jobs...)
		for i := range raised {
			raised[i].estimate = max(raised[i].estimate, raised[i].runtime)
		}
		check(raised, execute(t, 128, named(t, "easy", nil), raised), "easy", "user, raised to the runtime", "-")
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

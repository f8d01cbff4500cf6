package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"revopt/plots/answer"
)

// oddTrace has one job of every kind that needs cleaning, out of order.
const oddTrace = `; MaxProcs: 16
; MaxJobs: 99
1 100 -1 50 4 -1 -1 4 80 -1 1 1 1 1 1 -1 -1 -1
2 110 -1 -1 -1 -1 -1 8 80 -1 5 1 1 1 1 -1 -1 -1
3 130 -1 50 4 -1 -1 -1 -1 -1 1 1 1 1 1 -1 -1 -1
4 120 -1 90 32 -1 -1 32 80 -1 1 1 1 1 1 -1 -1 -1
`

// quantity returns the place of a quantity in the answer of trace info.
func quantity(t *testing.T, a answer.Answer, name string) int {
	t.Helper()
	return slices.Index(texts(t, a, "quantities", "quantity"), name)
}

// cleaned returns the table of cleaning as words.
func cleaned(t *testing.T, a answer.Answer) string {
	t.Helper()
	list := []string{fmt.Sprintf("%s: %g of %g", fact(a, "cleaning").Word, fact(a, "left").Number, fact(a, "read").Number)}
	for i, reason := range texts(t, a, "cleaning", "reason") {
		list = append(list, fmt.Sprint(reason, " ", number(t, a, "cleaning", i, "jobs")))
	}
	return strings.Join(list, ", ")
}

// TestTraceClean: a cleaned trace needs no cleaning, says what was done, and
// cleaning is idempotent.
func TestTraceClean(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "odd.swf", oddTrace)
	for _, out := range []string{"clean.swf", "clean.swf.gz"} {
		a := told(t, "trace", "clean", "odd.swf", "--sort", "-o", out)
		if got := cleaned(t, a); !strings.HasPrefix(got, "drop: 3 of 4, no_run_time 1, ") {
			t.Errorf("got %s", got)
		}
		r := told(t, "trace", "info", out)
		least := number(t, r, "quantities", quantity(t, r, "estimate"), "min")
		if got := cleaned(t, r); got != "keep: 3 of 3, overrun 1, too_wide 1" || least != 50 {
			t.Errorf("%s: got %s, estimates of at least %g s", out, got, least)
		}
	}
	data := readText(t, "clean.swf")
	for _, want := range []string{"; MaxProcs: 16\n", "; MaxJobs: 3\n", "cleaning drop, 4 read, 3 left", "; Note: revopt: sorted, 1 were out of order", "\n3 130 -1 50 4 -1 -1 4 50 "} {
		if !strings.Contains(data, want) {
			t.Errorf("no %q in %s", want, data)
		}
	}
	if strings.Contains(data, "99") {
		t.Errorf("the old number of jobs is still there: %s", data)
	}
	// Under reject, what never ran stays as it is; under keep, it becomes 1 s.
	must(t, "trace", "clean", "odd.swf", "--sort", "--cleaning", "reject", "-o", "r.swf")
	if got := cleaned(t, told(t, "trace", "info", "r.swf")); !strings.Contains(got, "no_run_time 1") {
		t.Errorf("reject: %s", got)
	}
	must(t, "trace", "clean", "odd.swf", "--sort", "--cleaning", "keep", "-o", "k.swf")
	if got := cleaned(t, told(t, "trace", "info", "k.swf")); strings.Contains(got, "no_run_time") || !strings.HasPrefix(got, "keep: 4 of 4") {
		t.Errorf("keep: %s", got)
	}
}

package ask

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/run"
	"revopt/simulate/warn"
)

// The classes fitted to a trace have floors, expiry and promises as those of a
// file have: whatever rests on the formulas says that these ignore them.
func TestFittedIgnored(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := analytic.Ignored(a.System.Classes)
	if len(want) < 3 || !reflect.DeepEqual(a.Ignored[:len(want)], want) {
		t.Fatalf("a trace says\n%swant first\n%s", texts(a.Ignored), texts(want))
	}
	for i, field := range []string{"max_penalty", "expire", "slo"} {
		if w := want[i]; !w.Ignores(field) || !strings.Contains(w.Value("classes").Word, "industry") {
			t.Errorf("%v, want %s of industry", w, field)
		}
	}
	all := func(list []warn.Warning) bool {
		for _, w := range want {
			if !strings.Contains(texts(list), w.String()) {
				return false
			}
		}
		return true
	}
	solved, err := best(context.Background(), a, solveOptions{})
	if err != nil || !all(solved.Warnings) {
		t.Errorf("solve: %v\n%s", err, texts(solved.Warnings))
	}
	waits, err := waitsIn(context.Background(), a, waitOptions{Admission: run.Admission{Name: scenario.AdmitAnalytic}})
	said := texts(waits.Warnings)
	const scope = "analytic admission"
	if err != nil || !strings.Contains(said, want[0].About(scope).String()) || !strings.Contains(said, want[2].About(scope).String()) {
		t.Errorf("waits: %v\n%s", err, said)
	}
}

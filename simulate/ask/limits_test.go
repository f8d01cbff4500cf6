package ask

import (
	"reflect"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/run"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// TestLimitsOfScenarios: limits of a scenario hold back jobs, bounds ignore them, and what does not obey is named.
func TestLimitsOfScenarios(t *testing.T) {
	text := fixture.Customers(t)
	open := func(more string) (a answer.Answer, s *run.Lab) {
		s = openLab(t, text+more, run.Options{Workers: 1})
		return validated(t, s, Request{Policies: []string{"easy,libra"}, Replications: "1"}), s
	}
	free, _ := open("")
	held, l := open("limits: [{group: 1, units: 8, wide: never}, {user: 2, jobs: 1}]\n")
	bound := func(a answer.Answer) []float64 { return numbers(t, a, "bounds", "value", "bound", run.Clairvoyant) }
	if a, b := bound(free), bound(held); len(a) == 0 || !reflect.DeepEqual(a, b) {
		t.Errorf("%v, %v under limits", a, b)
	}
	wait := func(a answer.Answer) float64 { return numbers(t, a, "policies", "mean_wait", "policy", "easy")[0] }
	if wait(free) == wait(held) {
		t.Errorf("a mean wait of %g s with and without limits", wait(free))
	}
	wide := 0
	for i := range 40 { // as fixture.TraceOfGroups has them
		if 1+i*7%16 > 8 && 1+i%3 == 1 {
			wide++
		}
	}
	warnings := warn.Union(SubjectWarnings(l.Subject()), PolicyWarnings(l.Subject(), fixture.Named(t, "easy", "libra")))
	for code, want := range map[string]string{"LIMITS_IGNORED": "libra", "WIDER_THAN_LIMIT": "1"} {
		found := ""
		for _, w := range warnings {
			if w.Code == code {
				found = w.Value("policies").Word + w.Value("name").Word
				if jobs := w.Value("jobs"); jobs.Unit != "" && jobs.Number != float64(wide) {
					t.Errorf("%s: %g jobs, want %d", code, jobs.Number, wide)
				}
			}
		}
		if found != want {
			t.Errorf("%s names %q, want %q", code, found, want)
		}
	}
	rejected := new(simulate.Audit)
	if _, err := under(t, l.Subject().Workload, "easy", nil, nil, 1).Run(t.Context(), 0, rejected); err != nil ||
		rejected.Err() != nil || rejected.Count(simulate.Rejected) != int64(wide) {
		t.Errorf("%v, %v, %d jobs rejected, want %d", err, rejected.Err(), rejected.Count(simulate.Rejected), wide)
	}
}

// TestLimitsOfPools: one limit holds in both pools together, unless they count other units; policies of pools count.
func TestLimitsOfPools(t *testing.T) {
	open := func(unit, policy string) *run.Lab {
		text := "trace: {file: " + fixture.TraceOfGroups(t) + "}\npools: [{name: a, units: 16, of: {group: 1}}, " +
			"{name: b, units: 16, unit: " + unit + ", policy: " + policy + "}]\nlimits: [{user: 2, units: 9}]\n" +
			"classes: [{name: all, price: 1, deadline: {lengths: 3}, max_penalty: 0}]\n"
		return openLab(t, text, run.Options{Workers: 1})
	}
	for unit, apart := range map[string][]bool{"node": {false, false}, "gpu": {true, false}} {
		l := open(unit, "easy")
		if got := workload.Limits(l.Subject().Workload)[0].Apart; !reflect.DeepEqual(got, apart) {
			t.Errorf("%s: pools apart %v, want %v", unit, got, apart)
		}
		audit := new(simulate.Audit)
		if _, err := under(t, l.Subject().Workload, "easy", nil, nil, 1).Run(t.Context(), 0, audit); err != nil || audit.Err() != nil {
			t.Error(err, audit.Err())
		}
	}
	said := PolicyWarnings(open("node", "libra").Subject(), fixture.Named(t, "easy"))
	if !strings.Contains(texts(said), "LIMITS_IGNORED") || !strings.Contains(texts(said), "libra") {
		t.Errorf("got %s", texts(said))
	}
}

package policy_test

import (
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// TestRunsOn: settings decide where a policy runs: predictions need a plug-in, and no
// scheduler knows true run times or preempts by value.
func TestRunsOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		given policy.Settings
		want  string
	}{
		{"easy", nil, "slurm"}, {"easy", policy.Settings{"overrun": "kill"}, "slurm"},
		{"easy", policy.Settings{"estimates": "predicted"}, "plugin"},
		{"conservative", policy.Settings{"estimates": "exact"}, "research"},
		{"hol", policy.Settings{"backfill": "true"}, "slurm"}, {"sjf-bf", nil, "plugin"},
		{"value-bf", policy.Settings{"estimates": "user"}, "plugin"},
		{"value-bf", policy.Settings{"preempt": "none"}, "plugin"},
		{"value-bf", policy.Settings{"preempt": "restart"}, "research"}, {"libra", nil, "research"},
	} {
		spec, err := policy.Lookup(catalog.Standard(), c.name)
		if err != nil {
			t.Fatal(err)
		}
		if got := spec.RunsOn(c.given).Key(); got != c.want {
			t.Errorf("%s runs on %s, want %s", spec.Label(c.given), got, c.want)
		}
	}
	if own := (policy.Spec{Name: "own"}); own.RunsOn(nil) != policy.Research || own.RunsOn(nil).String() != "research" {
		t.Error("a new policy runs on a scheduler")
	}
}

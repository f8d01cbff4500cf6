package scenario

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// sweepOf reads a sweep file with the given text.
func sweepOf(t *testing.T, text string) (*Sweep, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("s.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadSweep("s.yaml", func(sc *Scenario) ([]KnownPolicy, []string) {
		if sc.Trace != nil {
			return []KnownPolicy{{Name: "easy"}}, []string{"utility"}
		}
		check := func(_, value string) error {
			if value != "1" {
				return fmt.Errorf("%s will not do", value)
			}
			return nil
		}
		return []KnownPolicy{{Name: "hol", Options: []string{"backfill"}, Check: check}, {Name: "fcfs"}},
			[]string{"mean_wait", "utilization"}
	})
}

func TestReadSweep(t *testing.T) {
	s, err := sweepOf(t, `scenario: nist-four
set: {phi: 2}
vary: {classes.HvHu.decay: [1, 2], load: 0.1:0.5:0.2}
policies: [hol, fcfs]
admissions: [all, [1, 0, 0.5, 20%]]
seed: 7
seeds: 3
metrics: [utilization]
classes: true
`)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Set) != 1 || len(s.Vary) != 2 || len(s.Policies) != 2 || s.Seed != 7 || s.Replications != 3 || !s.Classes {
		t.Errorf("got %+v", s)
	}
	for _, tt := range []struct {
		text string
		want SweepPrecision
	}{
		{"{precision: 1%}", SweepPrecision{Relative: 0.01}},
		{"{precision: 0.05, metric: mean_wait, least: 4, most: 200}", SweepPrecision{0.05, "mean_wait", 4, 200}},
	} {
		s, err := sweepOf(t, "scenario: nist-four\nseeds: "+tt.text+"\n")
		if err != nil || *s.Precision != tt.want || s.Replications != 0 {
			t.Errorf("%s: %+v, %v", tt.text, s, err)
		}
	}
	for want, got := range map[string]string{
		"s.yaml:3:32: vary classes.HvHu.decay=2": s.Vary[0].Override(1).Source,
		"s.yaml:3:42: vary load=0.5":             s.Vary[1].Override(2).Source, "s.yaml:2:12: set phi=2": s.Set[0].Source,
	} {
		if got != want {
			t.Errorf("an override of %s, want %s", got, want)
		}
	}
	if !slices.Equal(s.Vary[1].Values, []float64{0.1, 0.3, 0.5}) || !slices.Equal(s.Admissions[1].Admit, []float64{1, 0, 0.5, 0.2}) {
		t.Errorf("values %v, admission %v", s.Vary[1].Values, s.Admissions[1])
	}
}

func TestParseValues(t *testing.T) {
	for text, want := range map[string][]float64{
		"0.1:0.4:0.1": {0.1, 0.2, 0.3, 0.4}, "1:2:x3": {1, 1.5, 2}, "3": {3}, "1, 5": {1, 5}, "2:0:-1": {2, 1, 0}, "4:4:1": {4},
	} {
		if got, err := ParseValues(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "a", "1:2", "1:2:-1", "1:2:0", "1:2:x1", "1:2:x1.5", "0:1:1e-9", "NaN", "Inf", "1:2:3:4"} {
		if got, err := ParseValues(text); err == nil {
			t.Errorf("%q: read as %v", text, got)
		}
	}
}

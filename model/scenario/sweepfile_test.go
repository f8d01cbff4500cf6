package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		return []KnownPolicy{{Name: "hol", Options: []string{"backfill"}, Check: check}, {Name: "fcfs"}}, []string{"mean_wait", "utilization"}
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
		"s.yaml:3:32: vary classes.HvHu.decay=2": s.Vary[0].Override(1).Source, "s.yaml:3:42: vary load=0.5": s.Vary[1].Override(2).Source, "s.yaml:2:12: set phi=2": s.Set[0].Source,
	} {
		if got != want {
			t.Errorf("an override of %s, want %s", got, want)
		}
	}
	if !slices.Equal(s.Vary[1].Values, []float64{0.1, 0.3, 0.5}) || !slices.Equal(s.Admissions[1].Admit, []float64{1, 0, 0.5, 0.2}) {
		t.Errorf("values %v, admission %v", s.Vary[1].Values, s.Admissions[1])
	}
}

// TestReadSweepBesides opens the scenario relative to the sweep file.
func TestReadSweepBesides(t *testing.T) {
	dir := t.TempDir()
	doc, err := Builtin("nist-four")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"own.yaml": string(doc.Source()), "s.yaml": "scenario: own.yaml\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ReadSweep(filepath.Join(dir, "s.yaml"), func(*Scenario) ([]KnownPolicy, []string) { return nil, nil })
	if err != nil || s.Scenario.File() != filepath.Join(dir, "own.yaml") {
		t.Errorf("%v, %v", s, err)
	}
}

func TestBadSweeps(t *testing.T) {
	const head = "scenario: nist-four\n"
	for _, tt := range []struct{ text, want string }{
		{"vary: {load: 1}\n", "s.yaml:1:1: scenario: missing, expected the path of a scenario"},
		{"scenario: nist-fuor\n", "s.yaml:1:11: scenario: no such file beside the sweep, and no built-in scenario of that name"},
		{"scenario: s.yaml\n", "s.yaml:1:1: "},
		{head + "polices: [hol]\n", "s.yaml:2:1: polices: unknown field"},
		{head + "policies: [hlo]\n", "s.yaml:2:12: policies.0: unknown policy \"hlo\""},
		{head + "metrics: [revenue]\n", "s.yaml:2:11: metrics.0: expected mean_wait or utilization, got \"revenue\""},
		{head + "metrics: [utilization, utilization]\n", "expected every figure once"},
		{head + "vary: {laod: [1]}\n", "s.yaml:2:14: vary.laod: not a numeric field"},
		{head + "vary: {load: [1, x]}\n", "s.yaml:2:18: vary.load.1: expected a number, got \"x\""},
		{head + "vary: {load: [1, 1]}\n", "vary.load: expected every value once"},
		{head + "vary: {load: 1:2}\n", "s.yaml:2:14: vary.load: expected numbers as in"},
		{head + "vary: {load: 1:2:-1}\n", "s.yaml:2:14: vary.load: expected a step that leads from the first value to the last"},
		{head + "admissions: [all, [1, 1]]\n", "s.yaml:2:19: admissions.1: expected a probability for each of 4 classes, got 2"},
		{head + "vary: {load: {a: 1}}\n", "vary.load: expected numbers as in"},
		{head + "vary: [load]\n", "vary: expected a mapping of paths to values"},
		{head + "vary: {}\n", "vary: expected a mapping of paths to values"},
		{head + "set: {load: -1}\n", "s.yaml:2:13: set load=-1: load: expected a number above 0"},
		{head + "set: {load: [1]}\n", "set.load: expected a single value, got a list"},
		{head + "seeds: 0\n", "s.yaml:2:8: seeds: expected a whole number of at least 1, got 0"},
		{head + "seed: -1\n", "seed: expected a whole number of at least 0, got -1"},
		{head + "admissions: [best]\n", "admissions.0: expected all, analytic, simulated, promise, threshold, state or prices, got \"best\""},
		{head + "admissions: [all, all]\n", "expected every admission once"},
		{head + "admissions: [[2]]\n", "expected a fraction from 0 to 1"},
		{head + "seed: 18446744073709551616\n", "s.yaml:2:7: seed: expected a whole number of at least 0, got 18446744073709551616"},
		{head + "seed: 1.5\n", "seed: expected a whole number"},
		{head + "seed: [1]\n", "seed: expected a whole number of at least 0, got a list"},
		{head + "admissions: [{simulated: {jbos: 5}}]\n", "s.yaml:2:27: admissions.0.simulated.jbos: unknown field, expected jobs, replications or step"},
		{head + "admissions: [{analytic: {}}]\n", "s.yaml:2:15: admissions.0.analytic: unknown field, expected simulated"},
		{head + "admissions: [{simulated: 5}]\n", "s.yaml:2:26: admissions.0.simulated: expected the effort of a search"},
		{head + "admissions: [{}]\n", "s.yaml:2:14: admissions.0: expected one search such as {simulated: {jobs: 5000}}, got 0"},
		{head + "admissions: [{simulated: {jobs: 5}, threshold: {jobs: 5}}]\n", "s.yaml:2:14: admissions.0: expected one search such as {simulated: {jobs: 5000}}, got 2"},
		{head + "admissions: [{threshold: {jobs: 0}}]\n", "s.yaml:2:33: admissions.0.threshold.jobs: expected a whole number of at least 1, got 0"},
		{head + "admissions: [{state: {}}]\n", "s.yaml:2:15: admissions.0.state: unknown field, expected simulated, promise or threshold"},
		{head + "admissions: [{simulated: {step: 0}}]\n", "admissions.0.simulated.step: expected a step of at least 0.0001 and at most 0.25, got 0"},
		{head + "admissions: [{simulated: {jobs: 0}}]\n", "s.yaml:2:33: admissions.0.simulated.jobs: expected a whole number of at least 1, got 0"},
		{head + "admissions: [{simulated: {replications: 1e9}}]\n", "replications: expected a whole number from 1 to 100000, got 1e9"},
		{head + "admissions: [simulated, {simulated: {}}]\n", "admissions.1: expected every admission once"},
		{"scenario: sp2-like\nadmissions: [[1]]\n", "admissions.0: expected a probability for each of 2 classes, got 1"},
		{head + "seeds: {}\n", "s.yaml:2:8: seeds.precision: missing, expected a fraction above 0 and below 1"},
		{head + "seeds: {precision: 0}\n", "s.yaml:2:20: seeds.precision: expected a fraction above 0 and below 1"},
		{head + "seeds: {precision: 1%, mots: 3}\n", "s.yaml:2:24: seeds.mots: unknown field, expected precision, metric, least or most"},
		{head + "seeds: {precision: 1%, most: 1}\n", "seeds.most: expected a whole number from 2 to 1000000, got 1"},
		{head + "seeds: {precision: 1%, least: 20, most: 10}\n", "s.yaml:2:41: seeds.most: expected at least as many as least, 20, got 10"},
		{head + "seeds: {precision: 1%, metric: profit}\n", "seeds.metric: expected mean_wait or utilization, got \"profit\""},
		{head + "metrics: [utilization]\nseeds: {precision: 1%, metric: mean_wait}\n", "s.yaml:3:32: seeds.metric: expected utilization, got \"mean_wait\""},
		{head + "seeds: [1, 2]\n", "seeds: expected a whole number of at least 1, got a list"},
		{head + "vary: {policies.hol.x: [1]}\n", "s.yaml:2:24: vary.policies.hol.x: expected an option of hol (backfill)"},
		{head + "vary: {policies.hlo.backfill: [1]}\n", "expected policies.NAME.OPTION of a policy there is (hol, fcfs); did you mean hol?"},
		{head + "vary: {policies.hol: [1]}\n", "vary.policies.hol: expected policies.NAME.OPTION"},
		{head + "vary: {policies.hol.backfill: [3]}\n", "vary.policies.hol.backfill: 3 will not do"},
		{head + "vary: {simulation.replications: [3]}\n", "vary.simulation.replications: expected seeds instead"},
		{"scenario: ic-grid\nvary: {applications.laxty: [1]}\n", "vary.applications.laxty: not a numeric field, in applications there is"},
		{"scenario: |\n  server: 3\nload: 3\n", "s.yaml:3:1: load: unknown field"},
		{"scenario: |\n  server: {machines: 3\n  load: 3\n", "s.yaml: scenario:"},
		{"scenario: |\n  load: 3\n  phi: 1\n", "s.yaml: scenario:1:1: server: missing"},
		{head + "classes: yes please\n", "classes: expected false or true"},
	} {
		_, err := sweepOf(t, tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want %s", tt.text, err, tt.want)
		}
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

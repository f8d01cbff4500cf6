package scenario

import (
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
	return ReadSweep("s.yaml", func(trace bool) ([]KnownPolicy, []string) {
		if trace {
			return []KnownPolicy{{Name: "easy"}}, []string{"utility"}
		}
		return []KnownPolicy{{Name: "hol"}, {Name: "fcfs"}}, []string{"mean_wait", "utilization"}
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
	s, err := ReadSweep(filepath.Join(dir, "s.yaml"), func(bool) ([]KnownPolicy, []string) { return nil, nil })
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
		{head + "vary: {load: {a: 1}}\n", "vary.load: expected numbers as in"},
		{head + "vary: [load]\n", "vary: expected a mapping of paths to values"},
		{head + "vary: {}\n", "vary: expected a mapping of paths to values"},
		{head + "set: {load: -1}\n", "s.yaml: set load=-1: load: expected a number above 0"},
		{head + "set: {load: [1]}\n", "set.load: expected a single value, got a list"},
		{head + "seeds: 0\n", "s.yaml:2:8: seeds: expected a whole number of at least 1, got 0"},
		{head + "seed: -1\n", "seed: expected a whole number of at least 0, got -1"},
		{head + "admissions: [best]\n", "admissions.0: expected all or analytic, got \"best\""},
		{head + "admissions: [all, all]\n", "expected every admission once"},
		{head + "admissions: [[2]]\n", "expected a fraction from 0 to 1"},
		{"scenario: sp2-like\nadmissions: [all]\n", "admissions: expected none with a trace"},
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

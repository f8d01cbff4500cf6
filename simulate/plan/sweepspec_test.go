package plan

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// specOf reads a sweep file with the given text in a directory.
func specOf(t *testing.T, dir, text string) (*Plan, error) {
	t.Helper()
	path := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadSweep(path, nil)
}

// TestSpecRoundTrip writes sweeps and reads them back as the same.
func TestSpecRoundTrip(t *testing.T) {
	dir := t.TempDir()
	doc, err := scenario.Builtin("nist-four")
	if err != nil {
		t.Fatal(err)
	}
	source := string(doc.Source())
	for name, text := range map[string]string{
		"own.yaml":    "# Mine.\n\n" + source,
		"odd.yaml":    "# Größe \\ \"x\"  \n" + source + "\n\n",
		"spaces.yaml": "  \n# \t\n" + source + "# end",
		"crlf.yaml":   strings.ReplaceAll(source, "\n", "\r\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{
		"scenario: nist-cluster\n",
		smallSweep,
		"scenario: own.yaml\nclasses: true\n",
		"scenario: odd.yaml\nvary: {classes.HvLu.decay: [1e-7, 0.30000000000000004, 1e17]}\n",
		"scenario: spaces.yaml\nset: {load: 90%}\n",
		"scenario: crlf.yaml\nseed: 18446744073709551615\n",
		"scenario: nist-cluster\nset: {server.residual: \"multiserver\", name: 'a  b #1', simulation.warmup: 1d}\nadmissions: [simulated, {simulated: {jobs: 500, step: 0.05}}, [1, 0.5, 10%, 0], threshold]\n",
		"scenario: nist-cluster\nadmissions: [state]\n", // refused at a point, not as a file
		"scenario: nist-cluster\nseeds: {precision: 1%}\n",
		"scenario: nist-cluster\nseeds: {precision: 0.05, metric: mean_wait, least: 4, most: 16}\nmetrics: [utilization, mean_wait]\n",
		"scenario: sp2-sla\nvary: {policies.libra+$.beta: [0.1, 0.3], trace.arrival_delay_factor: [0.5, 1]}\npolicies: [easy, {libra+$: {alpha: 2}}]\n",
		"scenario: ic-grid\nvary: {applications.laxity: [0.1, 0.5]}\n",
		"scenario: libra-2004\npolicies: [fcfs, {libra: {choice: least-loaded, spare: equal}}]\n",
	} {
		spec, err := specOf(t, dir, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var out bytes.Buffer
		if err := spec.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		again, err := specOf(t, dir, out.String())
		if err != nil || again.Name() != spec.Name() {
			t.Errorf("%s was written as\n%s%v", text, out.String(), err)
		}
	}
}

// TestNewSpec gives the same sweep in Go and in a file.
func TestNewSpec(t *testing.T) {
	doc, err := scenario.Builtin("nist-cluster")
	if err != nil {
		t.Fatal(err)
	}
	s := scenario.Sweep{
		Scenario: doc, Set: []scenario.Override{scenario.Set("simulation.jobs", 100)},
		Vary:     []scenario.Axis{{Path: "load", Values: []float64{0.5, 0.9}}, {Path: "phi", Values: []float64{1, 2, 3}}},
		Policies: []scenario.Policy{{Name: "hol"}, {Name: "fcfs"}},
		Admissions: []scenario.Admission{{Name: scenario.AdmitAll}, {Name: scenario.AdmitAnalytic},
			{Admit: []float64{1, 1, 0.5, 0}}},
		Seed: 1, Replications: 4, Metrics: []string{"utilization", "acceptance"},
	}
	got, err := NewSweep(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := specOf(t, t.TempDir(), smallSweep)
	if err != nil || got.Name() != want.Name() {
		t.Errorf("%+v from Go, %+v from a file, %v", got, want, err)
	}
	for name, change := range map[string]func(*scenario.Sweep){
		"unknown policy \"edf\"":              func(s *scenario.Sweep) { s.Policies = []scenario.Policy{{Name: "edf"}} },
		"not a numeric field":                 func(s *scenario.Sweep) { s.Vary = []scenario.Axis{{Path: "laod", Values: []float64{1}}} },
		"expected overrides in what the":      func(s *scenario.Sweep) { s.Scenario, _ = doc.With(scenario.Set("load", 1)) },
		"expected every value once":           func(s *scenario.Sweep) { s.Vary = []scenario.Axis{{Path: "load", Values: []float64{1, 1}}} },
		"expected a fraction from 0 to 1":     func(s *scenario.Sweep) { s.Admissions = []scenario.Admission{{Admit: []float64{2}}} },
		"expected revenue_per_second":         func(s *scenario.Sweep) { s.Metrics = []string{"revenue"} },
		"expected a whole number of at least": func(s *scenario.Sweep) { s.Replications = -1 },
	} {
		bad := s
		change(&bad)
		if _, err := NewSweep(bad, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
}

// TestResults compares the figures of cases with experiments of the same.
func TestResults(t *testing.T) {
	p := plan(t, strings.Replace(smallSweep, "analytic, ", "", 1)+"classes: true\n")
	r, err := runOn(context.Background(), p, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	const point = 4
	if !slices.Equal(p.Plan.At(point), []float64{0.9, 2}) || p.Plan.Points() != 6 {
		t.Errorf("point %d at %v", point, p.Plan.At(point))
	}
	doc, err := p.Plan.DocumentAt(point)
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := under(t, s.Workload, "fcfs", nil, []float64{1, 1, 0.5, 0}, 1)
	o, err := Replicate(context.Background(), e, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := metric.Lookup("acceptance")
	at := Case{Point: point, Admission: 1, Policy: 1}
	for class := -1; class < 4; class++ {
		name := append([]string{""}, r.Names()...)[class+1]
		if got, want := r.Values(at, "acceptance", name), o.Values(f, class); !slices.Equal(got, want) {
			t.Errorf("class %q: %v, want %v", name, got, want)
		}
	}
	if got, want := r.Interval(at, "acceptance", ""), o.Interval(f, -1); got != want {
		t.Errorf("interval %v, want %v", got, want)
	}
}

// TestOptionAxis varies an option of a policy.
func TestOptionAxis(t *testing.T) {
	head := "scenario: sp2-sla\nset: {trace.jobs: last:60}\nseeds: 1\nmetrics: [utility, revenue_per_second]\n"
	p := plan(t, head+"vary: {policies.libra+$.beta: [0, 0.5]}\npolicies: [easy, libra+$]\n")
	r, err := runOn(context.Background(), p, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	q := plan(t, head+"policies: [easy, {libra+$: {beta: 0}}, {libra+$: {beta: 0.5}}]\n")
	s, err := runOn(context.Background(), q, Engine{})
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range p.Plan.Measures {
		for point := range 2 {
			if got, want := r.Values(Case{point, 0, 1}, figure, ""), s.Values(Case{0, 0, 1 + point}, figure, ""); !slices.Equal(got, want) {
				t.Errorf("%s of point %d: %v, want %v", figure, point, got, want)
			}
			if got, want := r.Values(Case{point, 0, 0}, figure, ""), s.Values(Case{0, 0, 0}, figure, ""); !slices.Equal(got, want) {
				t.Errorf("%s of the other policy: %v, want %v", figure, got, want)
			}
		}
	}
	if slices.Equal(r.Values(Case{0, 0, 1}, "revenue_per_second", ""), r.Values(Case{1, 0, 1}, "revenue_per_second", "")) {
		t.Error("the option changes nothing")
	}
	if got := r.Policy(1, 1).Settings["beta"]; got != "0.5" {
		t.Errorf("the option is %s", got)
	}
}

// FuzzSpec reads anything as a sweep file: what is wrong with it is said in one
// line, and what is not is written and read back as the same.
func FuzzSpec(f *testing.F) {
	for _, text := range stagedSweeps {
		f.Add([]byte(text))
	}
	for _, text := range []string{smallSweep, "scenario: |\n  a: 1\n", "scenario: nist-one\nseeds: {precision: 1%}\n", "scenario: sp2-sla\nvary: {policies.libra+$.beta: 0:1:x3}\n",
		"scenario: nist-two\nset: {name: \"'\"}\n", "scenario: [x]\n", "scenario: nist-one\nadmissions: [[1], {simulated: {step: 1%}}]\nseed: 1e3\n"} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "s.yaml")
	read := func(text []byte) (*Plan, error) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, err
		}
		return ReadSweep(path, nil)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("/")) {
			t.Skip("may be a device")
		}
		spec, err := read(text)
		if err != nil {
			var e *scenario.Error
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 2000 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var out bytes.Buffer
		if err := spec.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		again, err := read(out.Bytes())
		if err != nil || again.Name() != spec.Name() {
			t.Fatalf("%s was written as\n%s%v", text, out.Bytes(), err)
		}
	})
}

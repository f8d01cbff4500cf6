package scenario

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model"
)

// goodTrace is the trace scenario that the bad ones differ from in one place.
const goodTrace = `name: test
trace: {file: sp2.swf, jobs: last:5000, cleaning: reject, arrival_delay_factor: 50%, nodes: 128}
nodes: {speed: 168}
qos:
  high_urgency: 20%
  deadline: {low_mean: 2, ratio: 4, sd: 0.25}
  budget: {low_mean: 3, ratio: 5}
  penalty: {low_mean: 0.02, ratio: 4, sd: 0.5}
  hard: all
  inaccuracy: 10%
policies:
  - easy
  - libra+$: {beta: 0.5}
simulation: {replications: 3}
`

// knownPolicies is a small table of policies.
func knownPolicies() []KnownPolicy {
	none := func(option, value string) error { return nil }
	return []KnownPolicy{
		{Name: "easy", Options: []string{"estimates", "overrun"}, Check: none},
		{Name: "libra-sla", NeedsQoS: true, Check: none},
		{Name: "libra+$", Options: []string{"alpha", "beta"}, NeedsQoS: true, Check: func(option, value string) error {
			if value == "much" {
				return fmt.Errorf("%s is %q, want a number", option, value)
			}
			return nil
		}},
	}
}

// decodeTrace parses and decodes a trace scenario given as text.
func decodeTrace(text string, overrides ...Override) (*Scenario, error) {
	doc, err := Parse(filepath.Join("dir", "s.yaml"), []byte(text))
	if err != nil {
		return nil, err
	}
	if doc, err = doc.With(overrides...); err != nil {
		return nil, err
	}
	return doc.Scenario(knownPolicies())
}

func TestTrace(t *testing.T) {
	got, err := decodeTrace(goodTrace)
	if err != nil {
		t.Fatal(err)
	}
	want := &Scenario{
		Name: "test", Nodes: 128, Simulation: Simulation{Replications: 3},
		Trace: &Trace{
			File: filepath.Join("dir", "sp2.swf"), Jobs: model.Subset{Last: 5000}, Cleaning: "reject", Delay: 0.5, Nodes: 128,
			QoS: &model.QoS{
				HighUrgency: 0.2, Deadline: model.Spread{LowMean: 2, Ratio: 4, SD: 0.25}, Budget: model.Spread{LowMean: 3,
					Ratio: 5, SD: 0.25}, Penalty: model.Spread{LowMean: 0.02, Ratio: 4, SD: 0.5},
				Hard: [2]float64{1, 1}, Inaccuracy: 0.1,
			},
		},
		Policies: []Policy{{Name: "easy"}, {Name: "libra+$", Options: map[string]string{"beta": "0.5"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestTraceDefaults: what a scenario may leave out.
func TestTraceDefaults(t *testing.T) {
	got, err := decodeTrace("trace: {file: sp2-like}\n")
	want := &Scenario{Name: "s", Simulation: Simulation{Replications: 10},
		Trace: &Trace{File: model.SP2Like, Cleaning: "drop", Delay: 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	got, err = decodeTrace("trace: {file: sp2-like}\nqos: {}\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := (model.QoS{HighUrgency: 0.2, Deadline: model.Spread{LowMean: 2, Ratio: 4, SD: 0.25},
		Budget: model.Spread{LowMean: 2, Ratio: 4, SD: 0.25}, Penalty: model.Spread{LowMean: 0, Ratio: 4, SD: 0.25},
		Hard: [2]float64{0, 1}}); *got.Trace.QoS != want {
		t.Errorf("got %+v, want %+v", *got.Trace.QoS, want)
	}
}

// TestTraceChanges: one change to the good scenario, and what follows.
func TestTraceChanges(t *testing.T) {
	absolute, err := filepath.Abs("x.swf")
	if err != nil {
		t.Fatal(err)
	}
	machines := func(n int, m Machine) []Machine { return slices.Repeat([]Machine{m}, n) }
	for _, test := range []struct {
		old, new string
		got      func(s *Scenario) any
		want     any
	}{
		{"last:5000", "first:7", func(s *Scenario) any { return s.Trace.Jobs }, model.Subset{First: 7}},
		{"last:5000", "all", func(s *Scenario) any { return s.Trace.Jobs }, model.Subset{}},
		{"last:5000", "from:1h:2d", func(s *Scenario) any { return s.Trace.Jobs }, model.Subset{From: 3600, To: 172800}},
		{"sp2.swf", "'" + absolute + "'", func(s *Scenario) any { return s.Trace.File }, absolute},
		{"hard: all", "hard: none", func(s *Scenario) any { return s.Trace.QoS.Hard }, [2]float64{0, 0}},
		{"hard: all", "hard: high", func(s *Scenario) any { return s.Trace.QoS.Hard }, [2]float64{0, 1}},
		{"hard: all", "hard: 30%", func(s *Scenario) any { return s.Trace.QoS.Hard }, [2]float64{0.3, 0.3}},
		{"nodes: {speed: 168}", "nodes: {memory: 64}", func(s *Scenario) any { return s.Trace.Machines }, machines(128,
			Machine{Speed: 1, Memory: 64})},
		{"ratio: 5}", "ratio: 5, dist: gamma, power: 0.5, scale: 2h}", func(s *Scenario) any { return s.Trace.QoS.Budget },
			model.Spread{LowMean: 3, Ratio: 5, SD: 0.25, Kind: model.Gamma, Curve: -0.5, Scale: 7200}},
		{"inaccuracy: 10%", "overestimated: 25%\n  inaccuracy_sd: 0.3",
			func(s *Scenario) any { return [2]float64{s.Trace.QoS.Over, s.Trace.QoS.Scatter} }, [2]float64{0.25, 0.3}},
		{"nodes: {speed: 168}", "nodes: [{count: 100, price: 2}, {count: 28, price: 0.5}]",
			func(s *Scenario) any { return s.Trace.Machines },
			append(machines(100, Machine{Speed: 1, Price: 2}), machines(28, Machine{Speed: 1, Price: 0.5})...)},
		{"nodes: {speed: 168}", "nodes: [{count: 100, speed: 200}, {count: 28, speed: 100, disk: 9}]",
			func(s *Scenario) any { return s.Trace.Machines },
			append(machines(100, Machine{Speed: 1}), machines(28, Machine{Speed: 0.5, Disk: 9})...)},
		{"nodes: 128}\nnodes: {speed: 168}", "speed: 100}\nnodes: [{count: 2, speed: 200}]",
			func(s *Scenario) any { return s.Trace.Machines }, machines(2, Machine{Speed: 2})},
		{"  - easy\n", "", func(s *Scenario) any { return len(s.Policies) }, 1},
		{"  - easy\n", "  - easy: {overrun: kill}\n  - easy\n", func(s *Scenario) any { return len(s.Policies) }, 3},
	} {
		s, err := decodeTrace(strings.Replace(goodTrace, test.old, test.new, 1))
		if err != nil {
			t.Errorf("%s: %v", test.new, err)
			continue
		}
		if got := test.got(s); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.new, got, test.want)
		}
	}
}

// FuzzTrace feeds any text to the decoder: it returns a one-line *Error or a
// scenario with sane numbers.
func FuzzTrace(f *testing.F) {
	f.Add(goodTrace)
	f.Add("trace: {file: a}\nnodes: [{count: 2}]\npolicies: [{a: }, {b: {c: [1]}}]\n")
	f.Add(customers)
	f.Add("trace: {file: a, unit: gpu}\npolicies: [a:b=c, ':=']\n")
	f.Add("trace: 1\n")
	f.Add("trace: {file: sp2-like, jobs: from:0:1}\nqos: {hard: 1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := decodeTrace(text)
		var e *Error
		switch {
		case err != nil:
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error %T %q", err, err)
			}
		case s.Trace == nil:
		case s.Trace.File == "" || !(s.Trace.Delay > 0) || s.Nodes < 0 || s.Simulation.Replications < 1 ||
			s.Trace.Machines != nil && len(s.Trace.Machines) != s.Nodes:
			t.Errorf("%+v", s)
		}
	})
}

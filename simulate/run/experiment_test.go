package run

import (
	"context"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
)

// Nodes of half the speed make jobs take twice as long, under policies that know
// nodes; others refuse.
func TestUnlikeNodes(t *testing.T) {
	finish := func(nodes string) float64 {
		s := fixture.Opened(t, "trace: {file: sp2-like, jobs: first:1, speed: 100}\nqos: {deadline: {low_mean: 9, ratio: 1}}\nnodes: "+nodes+"\n")
		got, err := under(t, s.Workload, "libra", nil, nil, 1).Run(context.Background(), 0)
		if err != nil || got.Total.Completed != 1 {
			t.Fatal(err, got.Total)
		}
		return got.Total.Seconds
	}
	if fast, slow := finish("[{count: 128, speed: 100}]"), finish("[{count: 128, speed: 50}]"); slow < 1.999*fast || slow > 2.001*fast {
		t.Errorf("the job ends at %g, and at %g on nodes of half the speed", fast, slow)
	}
	s := fixture.Opened(t, "trace: {file: sp2-like, jobs: first:1}\nnodes: [{count: 64}, {count: 64, speed: 2}]\n")
	if err := under(t, s.Workload, "easy", nil, nil, 1).Check(); err == nil || !strings.Contains(err.Error(), "speed 1") {
		t.Errorf("got %v", err)
	}
}

func TestOverloaded(t *testing.T) {
	for _, test := range []struct {
		scenario string
		load     float64
		admit    []float64
		want     bool
	}{
		{"nist-one", 0.9, nil, false},
		{"nist-one", 1.1, nil, true},
		{"nist-one", 1.1, []float64{0.5}, false},
		{"nist-cluster", 5, nil, false}, // jobs give up
	} {
		w := fixture.Builtin(t, test.scenario, scenario.Set("load", test.load)).Workload
		if got := under(t, w, "hol", nil, test.admit, 1).Overloaded(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
	// The last class never gives up: it fits by itself, but not behind those that
	// do give up and hardly need to. First come, first served makes them.
	patient := fixture.Opened(t, `
server: {nodes: 10}
load: 1.2
classes:
  - {name: urgent, share: 0.5, length: {mean: 100, sd: 10}, price: 10, decay: 0.1, max_penalty: 0, expire: zero}
  - {name: patient, share: 0.5, length: {mean: 100, sd: 10}, price: 1, decay: 0}
`).Workload
	for name, want := range map[string]bool{"hol": true, "fcfs": false} {
		if got := under(t, patient, name, nil, nil, 1).Overloaded(); got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
	if under(t, fixture.Opened(t, fixture.SmallTrace, scenario.Set("trace.arrival_delay_factor", 0.01)).Workload, "easy", nil, nil, 1).Overloaded() {
		t.Error("a trace comes to an end")
	}
}

package bench

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// policies reads policies by their labels.
func policies(t *testing.T, labels ...string) []subject.Policy {
	t.Helper()
	list, err := text.Try(labels, func(label string) (subject.Policy, error) {
		return subject.ParsePolicy(nil, strings.Split(label, ":"))
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestCheckOfSimulation exports the schedules of simulations and checks them: the scores are those of the simulations.
func TestCheckOfSimulation(t *testing.T) {
	easy := policies(t, "easy")
	for _, in := range named("tight-1.0-2", "pools-1.0-2", "users-1.0-2", "classes-wait-1.0-2") {
		result, err := (&Run{Instances: []*Instance{in}, Policies: easy}).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := result[0]
		w := in.subject.Workload
		e := &run.Experiment{Workload: w.Drained(int(w.Size() + 0.5)), Policy: easy[0], Seed: in.Seed}
		var file bytes.Buffer
		records := metric.NewRecords(&file)
		if _, err := e.Run(t.Context(), 0, e.Recorder(records, "easy", 0)); err != nil {
			t.Fatal(err)
		}
		records.Flush()
		got, err := in.Check(&file)
		if err != nil || !got.Valid || got.NotRun != want.NotRun {
			t.Fatalf("%s: %+v, %v", in.Name, got, err)
		}
		far := func(a, b float64) bool { return !(math.Abs(a/b-1) <= 1e-9) }
		if far(got.Value, want.Value) || far(got.Share, want.Share) {
			t.Errorf("%s: schedule %v, %v, simulation %v, %v", in.Name, got.Value, got.Share, want.Value, want.Share)
		}
	}
}

// TestWhy: a policy that an instance does not suit, that knows run times or that stops jobs whose waits are bounded, and
// a trace that is not given, have rows without a share.
func TestWhy(t *testing.T) {
	r := &Run{Instances: named("loose-1.5-1", "sp2-value-1", "users-1.0-1"),
		Policies: policies(t, "libra", "easy:estimates=exact", "value-bf:preempt=suspend")}
	list, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := text.Each(list, func(s Score) string { return s.Name + " " + s.Policy + " " + s.Why })
	want := []string{"loose-1.5-1 libra ", "loose-1.5-1 easy:estimates=exact ", "loose-1.5-1 value-bf:preempt=suspend ",
		"sp2-value-1 libra trace not given", "sp2-value-1 easy:estimates=exact trace not given",
		"sp2-value-1 value-bf:preempt=suspend trace not given",
		"users-1.0-1 libra needs deadlines", "users-1.0-1 easy:estimates=exact knows run times",
		"users-1.0-1 value-bf:preempt=suspend "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, s := range list {
		if (s.Why != "") != math.IsNaN(s.Share) {
			t.Errorf("%+v", s)
		}
	}
	if s := named("users-1.0-1")[0].score("stops", 100, 0, true); s.Why != Stopped || !math.IsNaN(s.Share) || s.Value != 100 {
		t.Errorf("jobs are stopped: %+v", s)
	}
}

// best runs all policies on an instance and returns the best one of those that have a share. Of equals, it is the
// first.
func best(t *testing.T, in *Instance, traces string) (b Score) {
	t.Helper()
	list, err := (&Run{Instances: []*Instance{in}, Specs: subject.Standard(), All: true, Traces: traces}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if !math.IsNaN(s.Share) && !(s.Share <= b.Share) {
			b = s
		}
	}
	return b
}

// isStored fails if another policy than the stored one is the best of an instance, or reaches something else.
func isStored(t *testing.T, in *Instance, traces string) {
	t.Helper()
	b := best(t, in, traces)
	if b.Policy != in.BuiltIn || !(math.Abs(b.Value/in.Reached-1) <= 1e-9) {
		t.Error(fmt.Sprintf("%s: %s reaches %v, stored are %s and %v", in.Name, b.Policy, b.Value, in.BuiltIn, in.Reached),
			"(make scores stores them)")
	}
}

// TestBuiltIn runs all policies on an instance of each objective. The long tests do so on more.
func TestBuiltIn(t *testing.T) {
	for _, in := range named("tight-1.5-1", "users-1.0-1", "classes-wait-1.0-1") {
		isStored(t, in, "")
	}
}

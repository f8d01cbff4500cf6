package ask

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

func TestOpenTraces(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	if want := []string{"industry", "science", "no customer"}; !slices.Equal(s.Names(), want) || s.Kind != "trace" || s.Nodes() != 16 || s.Trace == nil {
		t.Errorf("%+v", s)
	}
	if n := s.Workload.(*workload.Replay).Others(); n != 13 {
		t.Errorf("%d jobs of others", n)
	}
	if got := SubjectWarnings(s); len(got) != 1 || got[0].Code != "OTHERS" || got[0].Value("jobs").Number != 13 {
		t.Errorf("%v", got)
	}
	for _, c := range []struct{ text, want string }{
		{"trace: {file: none.swf}\n", "none.swf"},
		{strings.Replace(fixture.Customers(t), "[1]", "[nobody]", 1), `no group "nobody"`},
		{"sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 3}\npolicies: [libre]\n", `unknown policy "libre"`},
		{fixture.SmallTrace + "policies: [libra: {spare: all}]\n", "option spare of libra"},
		{fixture.SmallTrace + "policies: [libra+$: {beta: lots}]\n", "option beta of libra+$"},
		{fixture.SmallTrace + "policies: [fcfs, {libra: {spare: none, delta: 2}}, libra-sla, hol]\n", ""},
	} {
		_, err := subject.Open(context.Background(), fixture.Parsed(t, c.text), 1, nil)
		var a *scenario.Error
		var b *workload.Error
		var d *workload.SelectorError
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) || strings.Contains(got, "\n") ||
			err != nil && !errors.As(err, &a) && !errors.As(err, &b) && !errors.As(err, &d) {
			t.Errorf("%s: %T %v", c.text, err, err)
		}
	}
}

// Growth divides the times between arrivals, a stated load scales them, and
// more nodes bring no more jobs.
func TestDemand(t *testing.T) {
	base := fixture.Opened(t, fixture.Customers(t)).Workload
	for _, c := range []struct {
		set  []scenario.Override
		load float64
	}{
		{[]scenario.Override{scenario.Set("growth", 0.25)}, 1.25 * base.Load()},
		{[]scenario.Override{scenario.Set("load", 0.7)}, 0.7},
		{[]scenario.Override{scenario.Set("trace.nodes", 32)}, base.Load() / 2},
		{[]scenario.Override{scenario.Set("trace.nodes", 32), scenario.Set("load", 0.7)}, 0.7},
	} {
		s := fixture.Opened(t, fixture.Customers(t), c.set...)
		if got := s.Workload.Load(); math.Abs(got-c.load) > 1e-9*c.load {
			t.Errorf("%v: load %g, want %g", c.set, got, c.load)
		}
	}
	grown := fixture.Opened(t, fixture.Customers(t), scenario.Set("growth", 0.25))
	if !slices.ContainsFunc(SubjectWarnings(grown), func(w warn.Warning) bool { return w.Code == "GROWTH" && w.Value("growth").Number == 0.25 }) {
		t.Errorf("growth is not said: %v", SubjectWarnings(grown))
	}
	classes := fixture.Builtin(t, "nist-cluster")
	more := fixture.Builtin(t, "nist-cluster", scenario.Set("server.nodes", 10000))
	if a, b := classes.Workload, more.Workload; math.Abs(a.Stream()-b.Stream()) > 1e-12 || math.Abs(b.Load()-a.Load()/2) > 1e-9 {
		t.Errorf("%g jobs/s at load %g, then %g at %g", a.Stream(), a.Load(), b.Stream(), b.Load())
	}
}

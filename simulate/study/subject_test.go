package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Every built-in scenario opens, and its usual policy runs.
func TestOpenBuiltins(t *testing.T) {
	kinds := map[string]int{}
	for _, b := range scenario.Builtins() {
		s := builtin(t, b.Name)
		kinds[s.Kind]++
		list, err := s.Policies()
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %v", b.Name, err)
		}
		if s.Scenario.Trace != nil {
			s = builtin(t, b.Name, scenario.Override{Path: "trace.jobs", Value: "last:100"})
		}
		e := under(t, s.Workload, s.Usual, nil, nil, 1)
		if _, err := e.Run(context.Background(), 0); err != nil || s.Nodes() < 1 || len(s.Names()) < 1 {
			t.Errorf("%s under %s: %v", b.Name, s.Usual, err)
		}
		if words := s.Describe(s.Workload.Size()); !strings.Contains(words, "job") || !strings.Contains(words, "at load ") {
			t.Errorf("%s: %s", b.Name, words)
		}
		if (s.Axis == "") != (s.Kind == "grid" && s.Scenario.Grid.Batch != nil) || s.Axis != "" && !(s.Value > 0) {
			t.Errorf("%s: axis %q at %g", b.Name, s.Axis, s.Value)
		}
	}
	if kinds["classes"] == 0 || kinds["trace"] == 0 || kinds["grid"] == 0 {
		t.Errorf("%v", kinds)
	}
}

func TestOpenTraces(t *testing.T) {
	s := opened(t, customers(t))
	if want := []string{"industry", "science", "others"}; !slices.Equal(s.Names(), want) || s.Kind != "trace" || s.Nodes() != 16 || s.Trace == nil {
		t.Errorf("%+v", s)
	}
	if n := s.Workload.(*workload.Replay).Others(); n != 13 {
		t.Errorf("%d jobs of others", n)
	}
	if got := subjectWarnings(s); len(got) != 1 || got[0].Kind != "others" || !slices.Equal(got[0].Numbers, []float64{13}) {
		t.Errorf("%v", got)
	}
	for _, c := range []struct{ text, want string }{
		{"trace: {file: none.swf}\n", "none.swf"},
		{strings.Replace(customers(t), "[1]", "[nobody]", 1), `no group "nobody"`},
		{"sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 3}\npolicies: [libre]\n", `unknown policy "libre"`},
		{smallTrace + "policies: [libra: {spare: all}]\n", "option spare of libra"},
		{smallTrace + "policies: [libra+$: {beta: lots}]\n", "option beta of libra+$"},
		{smallTrace + "policies: [fcfs, {libra: {spare: none, delta: 2}}, libra-sla, hol]\n", ""},
	} {
		_, err := Open(context.Background(), parsed(t, c.text), 1, nil)
		var a *scenario.Error
		var b *workload.Error
		var d *workload.SelectorError
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) || strings.Contains(got, "\n") ||
			err != nil && !errors.As(err, &a) && !errors.As(err, &b) && !errors.As(err, &d) {
			t.Errorf("%s: %T %v", c.text, err, err)
		}
	}
}

// An opener reads a trace once.
func TestOpener(t *testing.T) {
	doc := parsed(t, customers(t))
	o := Opener{Seed: 1}
	a, err := o.Open(context.Background(), doc)
	if err != nil {
		t.Fatal(err)
	}
	faster, err := doc.With(scenario.Set("trace.arrival_delay_factor", 0.5))
	if err != nil {
		t.Fatal(err)
	}
	b, err := o.Open(context.Background(), faster)
	if err != nil || a.Trace != b.Trace || a.Workload == b.Workload || b.Value != 0.5 {
		t.Errorf("%p, %p, %v", a.Trace, b.Trace, err)
	}
	if got, want := b.Workload.Load(), 2*a.Workload.Load(); math.Abs(got-want) > 1e-9 {
		t.Errorf("load %g, want %g", got, want)
	}
}

// Growth divides the times between arrivals, a stated load scales them, and
// more nodes bring no more jobs.
func TestDemand(t *testing.T) {
	base := opened(t, customers(t)).Workload
	for _, c := range []struct {
		set  []scenario.Override
		load float64
	}{
		{[]scenario.Override{scenario.Set("growth", 0.25)}, 1.25 * base.Load()},
		{[]scenario.Override{scenario.Set("load", 0.7)}, 0.7},
		{[]scenario.Override{scenario.Set("trace.nodes", 32)}, base.Load() / 2},
		{[]scenario.Override{scenario.Set("trace.nodes", 32), scenario.Set("load", 0.7)}, 0.7},
	} {
		s := opened(t, customers(t), c.set...)
		if got := s.Workload.Load(); math.Abs(got-c.load) > 1e-9*c.load {
			t.Errorf("%v: load %g, want %g", c.set, got, c.load)
		}
	}
	grown := opened(t, customers(t), scenario.Set("growth", 0.25))
	if !slices.ContainsFunc(subjectWarnings(grown), func(w Warning) bool { return w.Kind == "growth" && slices.Equal(w.Numbers, []float64{0.25}) }) {
		t.Errorf("growth is not said: %v", subjectWarnings(grown))
	}
	classes := builtin(t, "nist-cluster")
	more := builtin(t, "nist-cluster", scenario.Set("server.nodes", 10000))
	if a, b := classes.Workload, more.Workload; math.Abs(a.Stream()-b.Stream()) > 1e-12 || math.Abs(b.Load()-a.Load()/2) > 1e-9 {
		t.Errorf("%g jobs/s at load %g, then %g at %g", a.Stream(), a.Load(), b.Stream(), b.Load())
	}
}

// workloads are one of every kind, by what their jobs and machines have.
func workloads(t *testing.T) map[string]*Subject {
	undated := strings.Replace(customers(t), "grace: 5m, decay: 0.01", "decay: 0", 1)
	return map[string]*Subject{
		"classes":               opened(t, constant),
		"classes, deadlines":    opened(t, strings.Replace(constant, "decay: 1", "decay: 1, deadline: 25", 1)),
		"classes, grace":        opened(t, strings.Replace(constant, "decay: 1", "decay: 1, grace: {lengths: 2}", 1)),
		"trace":                 opened(t, "trace: {file: sp2-like, jobs: last:60}\n"),
		"trace, qos":            opened(t, smallTrace),
		"trace, parts":          opened(t, smallTrace+"ic: {rate: 0.2}\n"),
		"trace, customers":      opened(t, customers(t)),
		"trace, no deadline":    opened(t, undated),
		"trace, unlike nodes":   opened(t, "trace: {file: sp2-like, jobs: last:60}\nnodes: [{count: 64, speed: 168}, {count: 64, speed: 84}]\nqos: {}\n"),
		"grid":                  opened(t, "sites: [{processors: 2, mips: 10}, {processors: 3, mips: 20}]\napplications: {count: 5}\n"),
		"batch":                 opened(t, "sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 9}\n"),
		"grid of a single site": opened(t, "sites: [{processors: 4, mips: 89}]\napplications: {count: 5}\n"),
	}
}

// Whether a policy runs follows from its needs alone, and a refusal names the
// need.
func TestNeeds(t *testing.T) {
	runs := map[string]int{}
	for name, s := range workloads(t) {
		h := s.Workload.Has()
		for _, spec := range Standard() {
			n := spec.Needs
			missing := map[string]bool{
				"deadlines": n.Deadlines && !h.Deadlines, "optional parts": n.Optional && !h.Optional,
				"a single site": spec.Grid == nil && h.Sites > 1, "nodes of speed 1": n.Alike && !h.Alike,
				"the schedule of a log": n.Recorded && !h.Recorded,
			}
			e := &Experiment{Workload: s.Workload, Policy: PolicyOf(spec), Seed: 1}
			_, err := e.Run(context.Background(), 0)
			var need *policy.NeedError
			if err == nil {
				runs[name]++
				for what, is := range missing {
					if is {
						t.Errorf("%s: %s runs without %s", name, spec.Name, what)
					}
				}
				continue
			}
			if !errors.As(err, &need) || need.Policy != spec.Name {
				t.Errorf("%s: %s: %v", name, spec.Name, err)
				continue
			}
			named := false
			for what, is := range missing {
				named = named || is && strings.HasPrefix(need.Need, what) && strings.Contains(err.Error(), what)
			}
			if !named {
				t.Errorf("%s: %s is refused for %v", name, spec.Name, err)
			}
		}
	}
	standard := slices.DeleteFunc(Standard(), func(s policy.Spec) bool { return s.Needs.Recorded })
	all, whole, deadlines, unlike := len(standard), 0, 0, 0
	for _, spec := range standard {
		if !spec.Needs.Optional {
			whole++
		}
		if !spec.Needs.Optional && spec.Needs.Deadlines {
			deadlines++
		}
		if !spec.Needs.Optional && !spec.Needs.Alike {
			unlike++
		}
	}
	want := map[string]int{
		"classes": whole - deadlines, "classes, deadlines": whole, "classes, grace": whole, "trace": whole - deadlines, "trace, qos": whole, "trace, parts": all,
		"trace, customers": whole + 1, "trace, no deadline": whole - deadlines + 1, "trace, unlike nodes": unlike, "grid": all - whole, "batch": whole, "grid of a single site": all,
	}
	for name, n := range want {
		if runs[name] != n {
			t.Errorf("%s: %d policies run, want %d", name, runs[name], n)
		}
	}
	undated := workloads(t)["trace, no deadline"].Workload
	if err := under(t, undated, "libra", nil, nil, 1).Check(); err == nil || !strings.Contains(err.Error(), "science states none") {
		t.Errorf("the customer without a deadline is not named: %v", err)
	}
}

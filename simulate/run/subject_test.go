package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Whether a policy runs follows from its needs alone, and a refusal names the
// need.
func TestNeeds(t *testing.T) {
	runs := map[string]int{}
	for name, s := range workloads(t) {
		h := s.Workload.Has()
		for _, spec := range subject.Standard() {
			n := spec.Needs
			missing := map[string]bool{
				"deadlines": n.Deadlines && !h.Deadlines, "optional parts": n.Optional && !h.Optional,
				"a single site": !spec.Grid && h.Sites > 1, "nodes of speed 1": n.Alike && !h.Alike,
				"the schedule of a log": n.Recorded && !h.Recorded,
			}
			e := &Experiment{Workload: s.Workload, Policy: subject.PolicyOf(spec), Seed: 1}
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
	standard := slices.DeleteFunc(subject.Standard(), func(s policy.Spec) bool { return s.Needs.Recorded })
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

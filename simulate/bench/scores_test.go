package bench

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/simulate/subject"
)

// compareStored fails if a policy beats the best that is stored, or has another score than is stored.
func compareStored(t *testing.T, r *Run) {
	found, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	stored, best := knownScores(), BestKnown()
	for _, s := range found {
		k := slices.IndexFunc(r.Instances, func(in *Instance) bool { return in.Name == s.Name })
		known := text.Where(best, func(b Best) bool { return b.Name == s.Name })
		old := slices.IndexFunc(stored, func(o Score) bool { return o.Name == s.Name && o.Policy == s.Policy })
		if s.Why == NoTrace {
			continue
		}
		if known == nil || old < 0 {
			t.Errorf("%s: no score of %s is stored", s.Name, s.Policy)
			continue
		}
		const rounding = 1e-9
		if s.Why != "" {
			continue
		}
		for _, b := range known {
			if b.Table == Whole && s.Table != Whole {
				continue
			}
			x, y := s.Value, b.Value
			if r.Instances[k].better(x, y) && math.Abs(x-y) > rounding*math.Abs(y) {
				t.Errorf("%s: %s has %v, the best stored is %s with %v", s.Name, s.Policy, x, b.Policy, y)
			}
		}
		if o := stored[old]; o.Table != s.Table || !(math.Abs(o.Value/s.Value-1) <= rounding) {
			t.Errorf("%s, %s: %v in table %s, stored %v in %s", s.Name, s.Policy, s.Value, s.Table, o.Value, o.Table)
		}
	}
	if t.Failed() {
		t.Log("make scores writes the stored scores anew")
	}
}

// TestScoresAreCurrent runs all policies on one instance of each objective; the long tests do on all. Every policy of
// revopt has a score somewhere, unless it needs a log or jobs with optional parts, and none is beyond a bound.
func TestScoresAreCurrent(t *testing.T) {
	chosen := []string{"tight-1.5-1", "users-1.0-1", "classes-wait-1.0-1"}
	r := &Run{Specs: subject.Standard(), All: true}
	all := Instances()
	for _, in := range all {
		if slices.Contains(chosen, in.Name) {
			r.Instances = append(r.Instances, in)
		}
	}
	compareStored(t, r)
	named := map[string]bool{}
	for _, s := range knownScores() {
		spec, err := subject.ParsePolicy(r.Specs, strings.Split(s.Policy, ":"))
		if err != nil {
			t.Fatal(err)
		}
		named[spec.Spec.Name] = true
		in := all[slices.IndexFunc(all, func(in *Instance) bool { return in.Name == s.Name })]
		limit := in.Limit(s.Table)
		if share := in.share(s.Value, limit); s.Why == "" && !(share >= 0 && share <= 1+1e-6) {
			t.Errorf("%s: %s has a share of %v", s.Name, s.Policy, share)
		}
	}
	for _, spec := range r.Specs {
		if !named[spec.Name] && !spec.Needs.Recorded && !spec.Needs.Optional && !spec.Program && !spec.Grid {
			t.Errorf("%s has no score: run make scores", spec.Name)
		}
	}
	if n := len(BestKnown()); n != 2*len(all) {
		t.Errorf("the best is known %d times, want twice on each of %d instances", n, len(all))
	}
}

// TestTableOfSchedule: the table is that of the schedule made. D-over preempts under load and does not where nothing
// waits, Libra shares units, and EASY does neither.
func TestTableOfSchedule(t *testing.T) {
	list := knownScores()
	for _, want := range [][3]string{
		{"tight-1.5-1", "easy", Whole}, {"tight-1.5-1", "d-over", Any}, {"tight-1.5-1", "libra", Any},
		{"users-1.0-1", "d-over", Whole}, {"tight-1.5-1", "value-bf:preempt=suspend", Any},
		{"users-1.0-1", "value-bf:preempt=suspend", Whole},
	} {
		k := slices.IndexFunc(list, func(s Score) bool { return s.Name == want[0] && s.Policy == want[1] })
		if k < 0 || list[k].Table != want[2] {
			t.Errorf("%v: not so in the stored scores", want)
		}
	}
}

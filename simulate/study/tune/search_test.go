package tune

import (
	"context"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// A setting that hurts leaves, and one that gains stays: x is at its best value, y is worse than today.
func TestSettingThatHurtsLeaves(t *testing.T) {
	u := tuneLate(t, 1)
	ctx := context.Background()
	if err := u.Open(ctx); err != nil {
		t.Fatal(err)
	}
	r := u.race
	r.runner = &plan.Runner{}
	if err := r.confirm(ctx, r.now); err != nil {
		t.Fatal(err)
	}
	s := &search{race: r, left: make([]bool, len(r.knobs))}
	x, y := r.index("x"), r.index("y")
	place := func(k int, value string) int {
		for i, v := range r.knobs[k].values {
			if v == value {
				return i
			}
		}
		t.Fatalf("no value %s", value)
		return 0
	}
	both := r.moved(r.moved(r.now, x, place(x, "50")), y, place(y, "10"))
	got, err := s.leave(ctx, both)
	if err != nil {
		t.Fatal(err)
	}
	if got != r.moved(r.now, x, place(x, "50")) || !s.left[y] || s.left[x] {
		t.Errorf("left with %s, which left %v", got.policy.Label(), s.left)
	}
}

// Settings that earn more by harm are not recommended, unless that is allowed.
func TestTuneHarm(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		specs := append(subject.Standard(), unfairSpec())
		s, err := subject.Open(context.Background(), fixture.Parsed(t, unfairScenario), 1, specs)
		if err != nil {
			t.Fatal(err)
		}
		u := &Tune{Subject: s, Policy: subject.PolicyOf(unfairSpec()), Seed: 1, Replications: 8, Harm: allowed}
		r, err := u.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.Kept == allowed || (len(r.Harm) > 0) != allowed {
			t.Errorf("harm is allowed: %t; %s, kept %t, harm %+v", allowed, r.Label, r.Kept, r.Harm)
		}
	}
}

// The longest wait of all jobs, of a customer and of a group of width are rules.
func TestGroupRules(t *testing.T) {
	s, err := subject.Open(context.Background(), fixture.Parsed(t, unfairScenario), 1,
		append(subject.Standard(), unfairSpec()))
	if err != nil {
		t.Fatal(err)
	}
	for words, harmless := range map[string]bool{"wait_max <= 2h": true, "wide.wait_max <= 2h": true,
		"narrow.wait_max <= 2h": false, "width:2501-10000.wait_max <= 2h": true, "width:1-625.mean_wait <= 2h": false,
		"width:2501-10000.wait_max <= 1d": false} {
		rule, err := ParseRule(s, words)
		if err != nil {
			t.Fatal(err)
		}
		u := &Tune{Subject: s, Policy: subject.PolicyOf(unfairSpec()), Seed: 1, Replications: 4, Harm: true,
			Keep: []Rule{rule}, Runs: 400}
		r, err := u.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.Kept != harmless || !r.Rules[0].Holds || r.Rules[0].After.Mean == 0 && harmless {
			t.Errorf("%s: %s, rules %+v", words, r.Label, r.Rules)
		}
	}
	for _, words := range []string{"width:1-7.wait_max <= 2h", "width:1-625.utilization <= 2", "nobody.wait_max <= 2h",
		"wait_max <= soon", "wait_max"} {
		if _, err := ParseRule(s, words); err == nil {
			t.Errorf("%s is a rule", words)
		}
	}
	if _, err := ParseRule(s, "wait_mx <= 3d"); err == nil || !strings.HasSuffix(err.Error(), "; did you mean wait_max?") {
		t.Error(err)
	}
}

// TestOthersQOS: a QOS of the site that no job has is not varied, although Slurm divides priorities by the largest of all.
func TestOthersQOS(t *testing.T) {
	s, err := subject.Open(context.Background(), fixture.Parsed(t, unfairScenario), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	today, err := subject.NewPolicy(nil, "slurm", policy.Settings{
		policy.FromFile + "qos.admin.Priority": "100000", policy.FromFile + "qos.wide.Priority": "5", "PriorityWeightQOS": "1000"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range newBoard(s, today, []string{"qos"}).knobs {
		names = append(names, k.name)
	}
	if want := []string{"qos.narrow.Priority", "qos.wide.Priority"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// TestSpread: every knob is tried at places in order, none of them twice or at today's value.
func TestSpread(t *testing.T) {
	for values := 1; values < 20; values++ {
		for now := range values {
			for start := range values {
				list := knob{values: make([]string, values), now: now}.spread(start)
				if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) < len(list) || slices.Contains(list, now) ||
					start != now && !slices.Contains(list, start) {
					t.Fatalf("%d values, now %d, start %d: %v", values, now, start, list)
				}
			}
		}
	}
}

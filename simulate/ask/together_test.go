package ask

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/run"
)

// kindsOfChanges are changes by what they change. Those of one kind exclude each other.
func kindsOfChanges() map[string][]string {
	return map[string][]string{
		"nodes":  {"nodes=+16", "nodes=+10%", "trace.nodes=160"},
		"growth": {"growth=10%"},
		"price":  {"classes.urgent.price.per_unit_hour=+10%"},
		"policy": {"policy=value-bf", "policy=slurm,fcfs", "policy=easy", "policy=libra", "policy=value-bf:preempt=suspend"},
		"first":  {"priority=urgent", "priority=research,students"},
		"limit":  {"longest_wait=6h", "longest_wait=1d,3d"},
		"admit":  {"admission=1,0.5,1"},
	}
}

// someChanges draws changes.
func someChanges(rnd *rand.Rand) (list []string) {
	kinds := kindsOfChanges()
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		args := slices.Clone(kinds[kind])
		rnd.Shuffle(len(args), func(i, k int) { args[i], args[k] = args[k], args[i] })
		list = append(list, args[:rnd.IntN(min(len(args), 2)+1)]...)
	}
	if len(list) == 0 {
		list = []string{"nodes=+16"}
	}
	return list
}

// leftOut returns what the warnings of an answer say is not made together.
func leftOut(c *Comparison) map[string]bool {
	left := map[string]bool{}
	for _, f := range c.Answer.Warnings {
		if f.Code == "EXCLUDED" {
			names := strings.Split(f.Value("changes").Word, ", ")
			for _, name := range names[1:] {
				left[name] = true
			}
		}
	}
	return left
}

// TestTogether: on 15 random scenarios with random changes, all together has every change that no warning names as left
// out, at most one of a kind and at least one of each kind but the policies that a priority excludes. The best change,
// of which the headline and the values name one, harms nobody.
func TestTogether(t *testing.T) {
	rnd := rand.New(rand.NewPCG(56, 3))
	rows, excluded, best := 0, 0, 0
	for k := range 15 {
		l := openLab(t, "site", run.Options{Workers: 2}, scenario.Override{Path: "trace.jobs", Value: "last:40"},
			scenario.Set("simulation.replications", 2), scenario.Set("load", 0.7+0.4*rnd.Float64()))
		args := someChanges(rnd)
		c := whatIfOn(t, l, Request{Policies: []string{[]string{"easy", "slurm", "value-bf", "fcfs"}[rnd.IntN(4)]}}, args...)
		left := leftOut(c)
		i := slices.IndexFunc(c.Rows, func(r Row) bool { return strings.HasPrefix(r.Label, "all together") })
		if i >= 0 {
			rows++
			excluded += len(left)
			checkTogether(t, fmt.Sprintf("%d %q", k, args), l, c, c.Rows[i], left)
		}
		best += checkBest(t, c)
	}
	if rows < 10 || excluded < 10 || best < 5 {
		t.Errorf("%d rows of all together, %d changes left out, %d best changes", rows, excluded, best)
	}
}

// checkTogether holds the row of all together against the changes that are not left out.
func checkTogether(t *testing.T, name string, l *run.Lab, c *Comparison, r Row, left map[string]bool) {
	t.Helper()
	s, err := l.SubjectOf(t.Context(), r.Case)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, alone := range c.Rows {
		kind, value, _ := strings.Cut(alone.Label, "=")
		if !slices.Contains([]string{"nodes", "trace.nodes", "growth", "policy", "priority", "longest_wait", "admission",
			"classes.urgent.price.per_unit_hour"}, kind) || left[alone.Label] {
			continue
		}
		count[strings.TrimPrefix(kind, "trace.")]++
		own, err := l.SubjectOf(t.Context(), alone.Case)
		if err != nil {
			t.Fatal(err)
		}
		has := false
		switch kind {
		case "nodes", "trace.nodes":
			has = s.Nodes() == own.Nodes()
		case "growth":
			has = s.Scenario.Growth == own.Scenario.Growth
		case "policy":
			prior := r.Policy.Spec.Name == slurmName && slices.Contains(ownNames(), alone.Policy.Spec.Name)
			has = r.Policy.Spec.Name == alone.Policy.Spec.Name || prior // with a priority it is slurm
		case "priority":
			has = r.Policy.Settings["qos."+value+".Priority"] != ""
		case "longest_wait":
			has = r.Policy.Settings[policy.LongestWait] == alone.Policy.Settings[policy.LongestWait]
		case "admission":
			has = slices.Equal(r.Case.Admission.Admit, alone.Case.Admission.Admit)
		default:
			has = s.Scenario.Classes[0].Price == own.Scenario.Classes[0].Price
		}
		if !has {
			t.Errorf("%s: %s is not in %s, and nothing says so (left out: %v)", name, alone.Label, r.Policy.Label(), left)
		}
	}
	for kind, n := range count {
		if n > 1 {
			t.Errorf("%s: %d changes of %s", name, n, kind)
		}
	}
}

// checkBest checks that an answer names one best change, which harms nobody, and returns how many there are.
func checkBest(t *testing.T, c *Comparison) int {
	t.Helper()
	named := (answer.Fact{Values: c.Answer.Values}).Value("best").Word
	said := c.Answer.Headline.Value("change").Word
	i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Label == named })
	switch {
	case i < 0 || len(c.Rows[i].harmed) > 0:
		t.Errorf("best is %q, which harms", named)
	case c.Answer.Headline.Code == "BEST_CHANGE" && said != named:
		t.Errorf("best is %s and %s", said, named)
	case c.Answer.Headline.Code != "BEST_CHANGE" && i != c.Present:
		t.Errorf("%s beside %s", named, c.Answer.Headline.Code)
	case c.Answer.Headline.Code == "BEST_CHANGE":
		return 1
	}
	return 0
}

// TestPolicyBest: policy=best has policies of Slurm, then plug-ins, and no other; policy=all has all that apply.
func TestPolicyBest(t *testing.T) {
	l := openLab(t, "site", run.Options{Workers: 2}, fewJobs()...)
	policies, err := l.Subject().Policies()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{bestPolicy, allPolicies} {
		list, err := parseChange(l, policies[0], "policy="+word)
		if err != nil {
			t.Fatal(err)
		}
		where := text.Each(list, func(c change) string {
			p, _ := c.policy(policies[0])
			return p.Spec.RunsOn(p.Settings).Key()
		})
		research := slices.Contains(where, policy.Research.Key())
		first := slices.Index(where, policy.Plugin.Key())
		if research != (word == allPolicies) || first < 1 {
			t.Errorf("%s: %v", word, where)
		}
		if word == bestPolicy && slices.Contains(where[first:], policy.Slurm.Key()) {
			t.Errorf("%s: %v", word, where)
		}
	}
	grid := openLab(t, "ic-grid", run.Options{Workers: 2})
	_, err = parseChange(grid, policies[0], "policy=best")
	if err == nil || !strings.Contains(err.Error(), "policy=all") {
		t.Errorf("%v", err)
	}
}

package weight

import (
	"strconv"
	"strings"
	"testing"

	"revopt/simulate/policy"
)

// priority returns what Slurm computes for a job of a QOS whose other factors are all 1 or all 0, by the definition of
// the multifactor plug-in: the weight of QOS times the priority over the highest one, plus the other weights.
func priority(s policy.Settings, qos string, factor float64) float64 {
	number := func(name string) float64 {
		value, ok := s[name]
		if !ok {
			value = s[policy.FromFile+name]
		}
		x, _ := strconv.ParseFloat(value, 64)
		return x
	}
	highest, sum := 1.0, 0.0
	for name := range s {
		if strings.HasSuffix(name, ".Priority") {
			highest = max(highest, number(strings.TrimPrefix(name, policy.FromFile)))
		}
	}
	for _, name := range []string{"Age", "Fairshare", "JobSize", "Partition"} {
		sum += number("PriorityWeight" + name)
	}
	return number("PriorityWeightQOS")*number("qos."+qos+".Priority")/highest + factor*sum
}

// TestFirst: the worst job of the QOS is before the best of all others, whose priorities by their QOS stay, whether a file
// of the site states the weights or the settings do.
func TestFirst(t *testing.T) {
	const file = policy.FromFile
	for _, given := range []policy.Settings{
		{},
		{"PriorityWeightAge": "5000", "PriorityWeightFairshare": "120000"},
		{file + "PriorityWeightFairshare": "120000", file + "PriorityWeightAge": "5000", file + "PriorityWeightQOS": "1000"},
		{file + "PriorityWeightFairshare": "120000", "PriorityWeightFairshare": "7", "PriorityWeightQOS": "3"},
		{"PriorityWeightQOS": "1000", file + "qos.gold.Priority": "30", file + "qos.tin.Priority": "10",
			file + "PriorityWeightJobSize": "1e6"},
	} {
		s, err := First(given, "new")
		if err != nil {
			t.Errorf("%v: %v", given, err)
			continue
		}
		for _, qos := range []string{"gold", "tin", "none"} {
			if got, best := priority(s, "new", 0), priority(s, qos, 1); got <= best {
				t.Errorf("%v: a job of new has %g, one of %s %g", given, got, qos, best)
			}
			if got, was := priority(s, qos, 0), priority(given, qos, 0); got != was {
				t.Errorf("%v: a job of %s has %g by its QOS, before %g", given, qos, got, was)
			}
		}
	}
	basic := policy.Settings{file + "PriorityType": "priority/basic", file + "PriorityWeightAge": "500",
		file + "PriorityWeightQOS": "9", file + "qos.gold.Priority": "30"}
	s, err := First(basic, "new")
	if err == nil && (s["PriorityType"] != "multifactor" || s["PriorityWeightAge"] != "0") {
		t.Errorf("basic: %v", s)
	}
	if err == nil && priority(s, "gold", 1) != priority(s, "none", 1) {
		t.Errorf("basic: jobs of gold pass others: %v", s)
	}
	if _, err := First(policy.Settings{"qos.gold.Priority": "30"}, "new"); err == nil {
		t.Error("a weight of QOS would bring the priority of gold into effect")
	}
	if _, err := First(policy.Settings{file + "PriorityFlags": "no_normal_qos"}, "new"); err == nil {
		t.Error("priorities count as they are")
	}
	if _, err := First(policy.Settings{"PriorityWeightAge": "4294967295"}, "new"); err == nil {
		t.Error("no weight of QOS is larger")
	}
}

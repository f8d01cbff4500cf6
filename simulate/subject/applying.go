package subject

import (
	"maps"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// LeftOut is a policy that does not apply to a scenario, and why.
type LeftOut struct {
	Policy string `json:"name"`
	Reason string `json:"reason"`
}

// ByReason joins the names of policies that are left out for one reason.
func ByReason(list []LeftOut) []LeftOut {
	var joined []LeftOut
	for _, l := range list {
		if i := slices.IndexFunc(joined, func(j LeftOut) bool { return j.Reason == l.Reason }); i >= 0 {
			joined[i].Policy += ", " + l.Policy
		} else {
			joined = append(joined, l)
		}
	}
	return joined
}

// Applying returns all policies whose needs the workload meets, in the order in which the
// subject knows them and without the schedule of a log, and those that are left out. A policy
// that the scenario lists takes part
// with the options listed, as often as it is listed, others with their defaults and as
// Also says, which a policy that Slurm can run does in any case. A policy that may backfill
// without a reservation does so as well where jobs differ in width.
func (s *Subject) Applying() (list []Policy, leftOut []LeftOut) {
	for _, spec := range s.Specs {
		listed := slices.ContainsFunc(s.Scenario.Policies, func(p scenario.Policy) bool { return p.Name == spec.Name })
		if spec.Needs.Recorded || spec.Program && !listed {
			continue
		}
		if reason := s.unmet(spec); reason != "" {
			leftOut = append(leftOut, LeftOut{spec.Name, reason})
			continue
		}
		named := false
		add := func(given policy.Settings) {
			all, err := spec.Resolve(given)
			same := func(p Policy) bool { return p.Spec.Name == spec.Name && maps.Equal(p.Settings, all) }
			if err == nil && !slices.ContainsFunc(list, same) {
				list = append(list, Policy{spec, all})
			}
		}
		for _, p := range s.Scenario.Policies {
			if listedSpec, err := policy.Lookup([]policy.Spec{spec}, p.Name); err == nil {
				named = true
				if all, err := listedSpec.Resolve(p.Options); err == nil {
					list = append(list, Policy{spec, all})
				}
			}
		}
		if !named {
			add(nil)
		}
		if spec.Also != nil && (!named || spec.RunsOn(spec.Also) == policy.Slurm) {
			add(spec.Also)
		}
		if !named && s.Workload.Stream() > 0 && Widths(s.Workload.Customers()) > 1 {
			add(policy.Settings{"backfill": "true"})
		}
	}
	return list, leftOut
}

// Widths returns how many widths jobs of classes have. Where all have one, the
// job that comes first fits first, and there is nothing to backfill.
func Widths(classes []model.Class) int {
	all := map[float64]bool{}
	for _, c := range classes {
		if len(c.Width.Values) == 0 {
			all[1] = true
		}
		for _, w := range c.Width.Values {
			all[w] = true
		}
	}
	return len(all)
}

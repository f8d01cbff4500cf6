package ask

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/subject"
)

// The changes that are no fields of a scenario.
const (
	changePolicy    = "policy"
	changePriority  = "priority" // serves a customer before others on the site's own scheduler
	changeAdmission = "admission"

	bestPolicy  = "best" // asks for every policy that applies and that Slurm runs, also with a plug-in
	allPolicies = "all"  // asks for every policy that applies
)

// parseChange reads a value of --change: one change, or one for each policy, admission or pool.
func parseChange(l *run.Lab, now subject.Policy, arg string) ([]change, error) {
	what, value, _ := strings.Cut(arg, "=")
	what = strings.TrimSpace(what)
	value = strings.TrimSpace(value)
	switch what {
	case policy.LongestWait:
		return parseLimits(now, arg, value)
	case changePriority:
		return parsePriorities(l, now, arg, value)
	case changePolicy:
		return parsePolicies(l, now, arg, value)
	case changeAdmission:
		list, err := ParseAdmissions(l.Subject(), []string{value})
		if err != nil {
			return nil, changeError(arg, err)
		}
		return text.Each(list, func(a run.Admission) change {
			return change{name: "admission=" + a.Name, admission: &a, choice: what}
		}), nil
	}
	if err := misnamed(l.Subject(), what, arg); err != nil {
		return nil, err
	}
	return parseFields(l.Subject(), arg)
}

// parsePolicies returns a change for each policy of a list, or for each other one that suits the word.
func parsePolicies(l *run.Lab, now subject.Policy, arg, value string) (list []change, err error) {
	var policies []subject.Policy
	switch value {
	case bestPolicy:
		policies = atHand(l.Subject())
	case allPolicies:
		policies, _ = l.Subject().Applying()
	default:
		policies, err = ParsePolicies(l.Specs(), value)
		if err != nil {
			return nil, changeError(arg, err)
		}
	}
	word := value == bestPolicy || value == allPolicies
	for _, p := range policies {
		if !word || p.Label() != now.Label() {
			list = append(list, change{name: "policy=" + p.Label(), policy: replacing(p), choice: changePolicy})
		}
	}
	if list == nil {
		hint := ""
		if value == bestPolicy {
			hint = " and runs on Slurm, or as a plug-in of it; policy=all tries research policies"
		}
		return nil, Usagef("--change %s: no other policy than %s applies%s", arg, now.Label(), hint)
	}
	return list, nil
}

// atHand returns the policies that Slurm can run, then those that it can run with a plug-in.
func atHand(s *subject.Subject) []subject.Policy {
	all, _ := s.Applying()
	where := func(p subject.Policy) policy.Where { return p.Spec.RunsOn(p.Settings) }
	list := text.Where(all, func(p subject.Policy) bool { return where(p) != policy.Research })
	slices.SortStableFunc(list, func(a, b subject.Policy) int { return cmp.Compare(where(b), where(a)) })
	return list
}

// misnamed returns the error that a change is neither a field of the scenario nor one of the other changes, and is
// spelled almost as one of these.
func misnamed(s *subject.Subject, what, arg string) error {
	known := []string{
		changePolicy, changePriority, policy.LongestWait, changeAdmission, "nodes", s.Unit() + "s",
	}
	near := text.DidYouMean(what, known)
	if near == "" || strings.Contains(what, ".") || slices.Contains(known, what) {
		return nil
	}
	with, err := s.Document.With(scenario.Override{Path: what, Value: "1", Source: "--change " + arg})
	if err == nil {
		_, err = with.Scenario(nil)
	}
	if err == nil || !strings.Contains(err.Error(), "unknown field") {
		return nil
	}
	return Usagef("--change %s: unknown change %q%s", arg, what, near)
}

// parseLimits returns limits on waiting, a change for each.
func parseLimits(now subject.Policy, arg, values string) (list []change, err error) {
	for value := range strings.SplitSeq(values, ",") {
		value = strings.TrimSpace(value)
		limit := func(p subject.Policy) (subject.Policy, error) {
			given := maps.Clone(p.Settings)
			given[policy.LongestWait] = value
			all, err := p.Spec.Resolve(given)
			return subject.Policy{Spec: p.Spec, Settings: all}, err
		}
		limited, err := limit(now)
		if err != nil {
			return nil, Usagef("--change %s: %v", arg, err)
		}
		shown := value
		if last := value[len(value)-1]; last >= '0' && last <= '9' {
			shown = limited.Settings[policy.LongestWait] // plain numbers are seconds, which the name says
		}
		list = append(list, change{name: policy.LongestWait + "=" + shown, policy: limit, choice: policy.LongestWait})
	}
	return list, nil
}

// parsePriorities returns the site's own scheduler with a customer before all others, a change for each customer of a
// list.
func parsePriorities(l *run.Lab, now subject.Policy, arg, values string) (list []change, err error) {
	names := text.Each(l.Subject().Scenario.Classes, func(c model.Class) string { return c.Name })
	for name := range strings.SplitSeq(values, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(names, name) {
			return nil, Usagef("--change %s: unknown customer %q%s", arg, name, ExpectedOne(name, names))
		}
		prefer := func(p subject.Policy) (subject.Policy, error) {
			own, err := ownScheduler(l, p)
			if err != nil {
				return own, err
			}
			all, err := weight.First(own.Settings, name)
			if err == nil {
				all, err = own.Spec.Resolve(all)
			}
			return subject.Policy{Spec: own.Spec, Settings: all}, err
		}
		if _, err := prefer(now); err != nil {
			return nil, Usagef("--change %s: %v", arg, err)
		}
		list = append(list, change{name: changePriority + "=" + name, policy: prefer, choice: changePriority})
	}
	return list, nil
}

// ownNames are the policies that slurm has settings for.
func ownNames() []string { return []string{slurmName, "easy", "fcfs"} }

// ownScheduler returns a policy if it is slurm, else the settings of slurm that are nearest to it: easy has one
// reservation, fcfs no backfilling.
func ownScheduler(l *run.Lab, p subject.Policy) (subject.Policy, error) {
	if p.Spec.Name == slurmName {
		return p, nil
	}
	given := policy.Settings{}
	maps.Copy(given, map[string]policy.Settings{
		"easy": {"bf_job_part_count_reserve": "1"}, "fcfs": {"bf_interval": "-1"},
	}[p.Spec.Name])
	if limit := p.Settings[policy.LongestWait]; limit != "" {
		given[policy.LongestWait] = limit
	}
	return subject.NewPolicy(l.Specs(), slurmName, given)
}

// changeError says of an error about a flag that a change is to blame.
func changeError(arg string, err error) error {
	_, message, _ := strings.Cut(err.Error(), ": ")
	return Usagef("--change %s: %s", arg, message)
}

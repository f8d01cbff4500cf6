package ask

import (
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

	bestPolicy = "best" // asks for every policy that applies
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
		return text.Each(list, func(a run.Gate) change {
			given := run.Admission{Name: a.Name, Admit: a.Admit}
			return change{name: "admission=" + a.Name, admission: &given, choice: what}
		}), nil
	}
	if err := misnamed(l.Subject(), what, arg); err != nil {
		return nil, err
	}
	return parseFields(l.Subject(), arg)
}

// parsePolicies returns a change for each policy of a list, or for each other one that applies.
func parsePolicies(l *run.Lab, now subject.Policy, arg, value string) (list []change, err error) {
	var policies []subject.Policy
	if value == bestPolicy {
		policies, _ = l.Subject().Applying()
	} else {
		policies, err = ParsePolicies(l.Specs(), value)
		if err != nil {
			return nil, changeError(arg, err)
		}
	}
	for _, p := range policies {
		if value != bestPolicy || p.Label() != now.Label() {
			list = append(list, change{name: "policy=" + p.Label(), policy: &p, choice: changePolicy})
		}
	}
	if list == nil {
		return nil, Usagef("--change policy=best: no other policy than %s applies", now.Label())
	}
	return list, nil
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

// parseLimits returns the policy now with limits on waiting, a change for each.
func parseLimits(now subject.Policy, arg, values string) (list []change, err error) {
	for value := range strings.SplitSeq(values, ",") {
		value = strings.TrimSpace(value)
		given := maps.Clone(now.Settings)
		given[policy.LongestWait] = value
		all, err := now.Spec.Resolve(given)
		if err != nil {
			return nil, Usagef("--change %s: %v", arg, err)
		}
		if last := value[len(value)-1]; last >= '0' && last <= '9' {
			value = all[policy.LongestWait] // plain numbers are seconds, which the name says
		}
		list = append(list, change{
			name: policy.LongestWait + "=" + value, policy: &subject.Policy{Spec: now.Spec, Settings: all},
			choice: changePolicy,
		})
	}
	return list, nil
}

// parsePriorities returns the site's own scheduler with a customer before all others, a change for each customer of a
// list.
func parsePriorities(l *run.Lab, now subject.Policy, arg, values string) (list []change, err error) {
	own, err := ownScheduler(l, now)
	if err != nil {
		return nil, err
	}
	names := text.Each(l.Subject().Scenario.Classes, func(c model.Class) string { return c.Name })
	for name := range strings.SplitSeq(values, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(names, name) {
			return nil, Usagef("--change %s: unknown customer %q%s", arg, name, ExpectedOne(name, names))
		}
		all, err := weight.First(own.Settings, name)
		if err == nil {
			all, err = own.Spec.Resolve(all)
		}
		if err != nil {
			return nil, Usagef("--change %s: %v", arg, err)
		}
		list = append(list, change{name: changePriority + "=" + name, choice: changePolicy,
			policy: &subject.Policy{Spec: own.Spec, Settings: all}})
	}
	return list, nil
}

// ownScheduler returns the policy now if it is slurm, else the settings of slurm that are nearest to it: easy has one
// reservation, fcfs no backfilling.
func ownScheduler(l *run.Lab, now subject.Policy) (subject.Policy, error) {
	if now.Spec.Name == slurmName {
		return now, nil
	}
	return subject.NewPolicy(l.Specs(), slurmName, map[string]map[string]string{
		"easy": {"bf_job_part_count_reserve": "1"}, "fcfs": {"bf_interval": "-1"},
	}[now.Spec.Name])
}

// changeError says of an error about a flag that a change is to blame.
func changeError(arg string, err error) error {
	_, message, _ := strings.Cut(err.Error(), ": ")
	return Usagef("--change %s: %s", arg, message)
}

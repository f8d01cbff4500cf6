package request

import (
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
	"revopt/simulate/subject"
)

// WhatIf returns the changes that the request asks for.
func (q *Question) WhatIf() (*whatif.WhatIf, error) {
	w := &whatif.WhatIf{
		Subject: q.Subject, Resample: q.Run.Resample, Plain: q.Plain, Seed: q.Seed, Level: q.Run.Level,
		Replications: q.Run.Count, Overrides: q.Overrides, Formula: q.Formula, Alone: q.Alone,
	}
	switch policies := q.Run.Policies; {
	case len(policies) > 1:
		return nil, study.Usagef("--policy: expected one policy, got %d: --change policy=A,B tries others",
			len(policies))
	case len(policies) == 1:
		w.Policy = &policies[0]
	}
	var err error
	w.Objective, err = q.objective()
	if err != nil {
		return nil, err
	}
	if len(q.Admission) > 0 {
		w.Admission, err = OneAdmission(q.Subject, q.Admission[0])
		if err != nil {
			return nil, err
		}
	}
	w.Costs, err = q.costs()
	if err != nil {
		return nil, err
	}
	for _, arg := range q.Changes {
		list, err := q.parseChange(w, arg)
		if err != nil {
			return nil, err
		}
		for _, change := range list {
			if slices.ContainsFunc(w.Changes, func(o whatif.Change) bool { return o.Name == change.Name }) {
				return nil, study.Usagef("--change: %s is given twice", change.Name)
			}
			w.Changes = append(w.Changes, change)
		}
	}
	has := func(what string) bool {
		return slices.ContainsFunc(w.Changes, func(o whatif.Change) bool { return o.Choice == what })
	}
	if has("load") && has("growth") {
		return nil, study.Usagef("--change load: expected no growth beside it, as both say how many jobs come")
	}
	return w, nil
}

func (r Request) checkWhatIf() error {
	if len(r.Changes) == 0 {
		return study.Usagef("whatif: expected --change, such as --change nodes=+16, growth=20%%, policy=value-bf " +
			"or admission=simulated")
	}
	objective, err := r.objective()
	switch {
	case err != nil || objective == "":
		return err
	case len(r.Costs) > 0 || r.Life != "":
		return study.Usagef("--objective %s: expected no --cost and no --life: %s has no price", objective, objective)
	case r.Formula:
		return study.Usagef("--objective %s: expected no --formula: the formula predicts money", objective)
	}
	return nil
}

// costs returns the costs of added units, nil if none are given.
func (q *Question) costs() (whatif.Costs, error) {
	if q.Costs == nil && q.Life == "" {
		return nil, nil
	}
	list := q.Costs
	if list == nil {
		list = []string{""}
	}
	costs, err := whatif.ParseCosts(q.Subject, list)
	if err != nil {
		return nil, study.Usagef("--cost: %s", err)
	}
	costs, err = costs.Over(q.Life)
	if err != nil {
		return nil, study.Usagef("--life: %v", err)
	}
	return costs, nil
}

// OneAdmission reads an admission where only one is meant.
func OneAdmission(s *subject.Subject, value string) (experiment.Admission, error) {
	list, err := study.ParseAdmissions(s, []string{value})
	if err != nil {
		return experiment.Admission{}, err
	}
	if len(list) != 1 {
		return experiment.Admission{}, study.Usagef("--admission: expected one admission, got %q", value)
	}
	return list[0], nil
}

// bestPolicy asks for every policy that applies.
const bestPolicy = "best"

// parseChange reads a value of --change: one change, or one for each policy or admission.
func (q *Question) parseChange(w *whatif.WhatIf, arg string) ([]whatif.Change, error) {
	what, value, _ := strings.Cut(arg, "=")
	var list []whatif.Change
	what = strings.TrimSpace(what)
	value = strings.TrimSpace(value)
	switch what {
	case policy.LongestWait:
		return q.limits(w, arg, value)
	case changePriority:
		return q.priorities(w, arg, value)
	case whatif.ChoicePolicy:
		before, err := w.PolicyNow()
		if err != nil {
			return nil, err
		}
		var policies []subject.Policy
		if value == bestPolicy {
			policies, _ = q.Subject.Applying()
		} else {
			policies, err = study.ParsePolicies(q.Specs, value)
			if err != nil {
				return nil, changeError(arg, err)
			}
		}
		for _, p := range policies {
			if value != bestPolicy || p.Label() != before.Label() {
				list = append(list, whatif.Change{Name: "policy=" + p.Label(), Policy: &p, Choice: what})
			}
		}
		if list == nil {
			return nil, study.Usagef("--change policy=best: no other policy than %s applies", before.Label())
		}
		return list, nil
	case "admission":
		admissions, err := study.ParseAdmissions(q.Subject, []string{value})
		if err != nil {
			return nil, changeError(arg, err)
		}
		for _, a := range admissions {
			list = append(list, whatif.Change{Name: "admission=" + a.Name, Admission: &a, Choice: what})
		}
		return list, nil
	}
	if err := q.misnamed(what, arg); err != nil {
		return nil, err
	}
	return whatif.ParseChanges(q.Subject, arg)
}

// misnamed returns the error that a change is neither a field of the scenario nor one of the other changes, and is spelled
// almost as one of these.
func (q *Question) misnamed(what, arg string) error {
	known := []string{
		whatif.ChoicePolicy, changePriority, policy.LongestWait, "admission", "nodes", q.Subject.Unit() + "s",
	}
	near := text.DidYouMean(what, known)
	if near == "" || strings.Contains(what, ".") || slices.Contains(known, what) {
		return nil
	}
	with, err := q.Subject.Document.With(scenario.Override{Path: what, Value: "1", Source: "--change " + arg})
	if err == nil {
		_, err = with.Scenario(nil)
	}
	if err == nil || !strings.Contains(err.Error(), "unknown field") {
		return nil
	}
	return study.Usagef("--change %s: unknown change %q%s", arg, what, near)
}

// limits returns the policy now with limits on waiting, a change for each.
func (q *Question) limits(w *whatif.WhatIf, arg, values string) (list []whatif.Change, err error) {
	before, err := w.PolicyNow()
	if err != nil {
		return nil, err
	}
	for value := range strings.SplitSeq(values, ",") {
		value = strings.TrimSpace(value)
		given := maps.Clone(before.Settings)
		given[policy.LongestWait] = value
		all, err := before.Spec.Resolve(given)
		if err != nil {
			return nil, study.Usagef("--change %s: %v", arg, err)
		}
		if last := value[len(value)-1]; last >= '0' && last <= '9' {
			value = all[policy.LongestWait] // plain numbers are seconds, which the name says
		}
		list = append(list, whatif.Change{
			Name: policy.LongestWait + "=" + value, Policy: &subject.Policy{Spec: before.Spec, Settings: all},
			Choice: whatif.ChoicePolicy,
		})
	}
	return list, nil
}

// changeError says of an error about a flag that a change is to blame.
func changeError(arg string, err error) error {
	_, message, _ := strings.Cut(err.Error(), ": ")
	return study.Usagef("--change %s: %s", arg, message)
}

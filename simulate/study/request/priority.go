package request

import (
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
	"revopt/simulate/subject"
)

// changePriority serves a customer before others on the site's own scheduler.
const changePriority = "priority"

// slurmName is the policy that can serve a customer before others by its settings.
const slurmName = "slurm"

// priorities returns the site's own scheduler with a customer before all others, a change for each customer of a list.
func (q *Question) priorities(w *whatif.WhatIf, arg, values string) (list []whatif.Change, err error) {
	now, err := q.ownScheduler(w)
	if err != nil {
		return nil, err
	}
	names := text.Each(q.Subject.Scenario.Classes, func(c model.Class) string { return c.Name })
	for name := range strings.SplitSeq(values, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(names, name) {
			return nil, study.Usagef("--change %s: unknown customer %q%s", arg, name, study.ExpectedOne(name, names))
		}
		all, err := weight.First(now.Settings, name)
		if err == nil {
			all, err = now.Spec.Resolve(all)
		}
		if err != nil {
			return nil, study.Usagef("--change %s: %v", arg, err)
		}
		list = append(list, whatif.Change{Name: changePriority + "=" + name, Choice: whatif.ChoicePolicy,
			Policy: &subject.Policy{Spec: now.Spec, Settings: all}})
	}
	return list, nil
}

// ownScheduler returns the policy now if it is slurm, else the settings of slurm that are nearest to it: easy has one
// reservation, fcfs no backfilling.
func (q *Question) ownScheduler(w *whatif.WhatIf) (subject.Policy, error) {
	now, err := w.PolicyNow()
	if err != nil || now.Spec.Name == slurmName {
		return now, err
	}
	return subject.NewPolicy(q.Specs, slurmName, map[string]map[string]string{
		"easy": {"bf_job_part_count_reserve": "1"}, "fcfs": {"bf_interval": "-1"},
	}[now.Spec.Name])
}

package request

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
	"revopt/simulate/subject"
)

// changePriority serves a customer before others on the site's own scheduler.
const changePriority = "priority"

// slurmName is the policy that can serve a customer before others by its settings.
const slurmName = "slurm"

// The settings of slurm that a priority changes.
const (
	priorityType   = "PriorityType"
	priorityWeight = "PriorityWeight" // and the name of a factor
	qosWeight      = priorityWeight + "QOS"
)

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
		all, err := now.Spec.Resolve(before(now.Settings, name))
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

// before returns settings of slurm under which the jobs of a customer have a higher priority than all others, which
// keep their order: the weight of its QOS exceeds the sum of all other weights, and those of the other QOS stay as they are.
func before(now policy.Settings, customer string) policy.Settings {
	const least, share = 100_000, 1000 // the weight and the priority of a QOS where there is none yet
	given := maps.Clone(now)
	var sum, highest float64
	for name, value := range given {
		x, _ := strconv.ParseFloat(value, 64)
		switch {
		case name == qosWeight:
		case strings.HasPrefix(name, priorityWeight):
			sum += x
		case strings.HasPrefix(name, "qos.") && strings.HasSuffix(name, ".Priority"):
			highest = math.Max(highest, x)
		}
	}
	weight, _ := strconv.ParseFloat(given[qosWeight], 64)
	if given[priorityType] == "basic" { // the other weights have no effect yet
		given[priorityType] = "multifactor"
		for name := range given {
			if strings.HasPrefix(name, priorityWeight) {
				given[name] = "0"
			}
		}
		sum, weight = 0, 0
	}
	raised := math.Max(least, 2*(sum+weight))
	priority := float64(share)
	if weight > 0 && highest > 0 {
		priority = math.Ceil(highest * raised / weight)
	}
	given[qosWeight] = fmt.Sprintf("%.0f", raised)
	given["qos."+customer+".Priority"] = fmt.Sprintf("%.0f", priority)
	return given
}

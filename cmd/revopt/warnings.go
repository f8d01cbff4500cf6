package main

import (
	"fmt"
	"math"
	"strings"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
)

// ignored returns warnings about what a scenario says and the analytic model
// does not look at.
func ignored(sc *scenario.Scenario) []string {
	list := texts(sc.Warnings, func(scenario.Warning) bool { return true })
	if names := classesWhere(sc, func(c model.Class) bool { return c.Decay > 0 && !c.Floor.None }); names != "" {
		list = append(list, "the linear utility ignores the floor (largest penalty) of "+names)
	}
	if names := classesWhere(sc, func(c model.Class) bool { return c.Decay > 0 && c.Expire != model.ExpireNever }); names != "" {
		list = append(list, "the analytic model ignores expiry: every admitted job of "+names+" waits until it is served")
	}
	if names := classesWhere(sc, func(c model.Class) bool { return c.SLO != nil }); names != "" {
		list = append(list, "the optimum ignores the promised waits (slo) of "+names)
	}
	return list
}

// texts returns the warnings that are wanted in words.
func texts(warnings []scenario.Warning, wanted func(scenario.Warning) bool) []string {
	var list []string
	for _, w := range warnings {
		if wanted(w) {
			list = append(list, w.String())
		}
	}
	return list
}

// aboutWaits reports whether a warning concerns waits in the pooled queue, which
// are computed whatever the convention of the scenario.
func aboutWaits(w scenario.Warning) bool { return w.Kind != scenario.WarnResidual }

// classesWhere names the classes for which is holds.
func classesWhere(sc *scenario.Scenario, is func(model.Class) bool) string {
	var names []string
	for _, c := range sc.Classes {
		if is(c) {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// doubts returns warnings about an admission, other than that it is unproven.
func doubts(r optimize.Result, s *solution) []string {
	var list []string
	if r.StabilityBinds {
		list = append(list, "the optimum lies at the edge of stability: in this model only the server's capacity limits admission, and waits explode there")
	}
	for _, c := range s.Classes {
		if c.AdmittedRate > 0 && math.IsInf(float64(c.MeanWait), 0) {
			list = append(list, "the mean wait of "+c.Name+" is infinite")
		}
	}
	return list
}

// unproven warns where an optimum is not certain
func unproven(residual model.Residual, r optimize.Result, gap float64) []string {
	switch {
	case r.Certified:
		return nil
	case residual == model.Multiserver:
		return []string{"not proven to be the optimum: the multiserver approximation allows no proof, this is the best of many local searches"}
	case r.Method == optimize.MethodCG:
		return []string{"not proven to be the optimum: conjugate gradients are a local search, use --method certified"}
	}
	return []string{fmt.Sprintf("not proven to within %.1e: the search for a proof was stopped", gap)}
}

package report

import (
	"maps"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

func unit(name string) string {
	if m, ok := metric.Lookup(name); ok {
		return m.Unit
	}
	switch name {
	case metric.TotalWait().Name:
		return metric.TotalWait().Unit
	case "total", "delivered":
		return "$"
	case "gain":
		return "$/s"
	}
	return "1"
}

// optionNames returns the names of the options of policies, sorted.
func optionNames(list []policy.Settings) []string {
	all := policy.Settings{}
	for _, s := range list {
		maps.Copy(all, s)
	}
	return slices.Sorted(maps.Keys(all))
}

func optionHeadings(names []string) []string {
	return text.Each(names, func(name string) string { return "option." + name })
}

// optionCells are the cells of a policy below them, empty for options of other policies.
func optionCells(names []string, s policy.Settings) []string {
	return text.Each(names, func(name string) string { return s[name] })
}

func rowOptions(rows []study.Row) []string {
	return optionNames(text.Each(rows, func(r study.Row) policy.Settings { return r.Policy.Settings }))
}

func planOptions(p *plan.Plan) []string {
	return optionNames(text.Each(p.Rows, func(r plan.Row) policy.Settings { return r.Policy.Settings }))
}

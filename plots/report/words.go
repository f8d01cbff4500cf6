package report

import (
	"slices"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// variates says how many times smaller control variates make the variance of a measure, "" without any. The
// name is the one that readers know the measure by.
func variates(r *study.Result, measure, name string) string {
	var list []float64
	for _, row := range r.Policies {
		if x := float64(row.Total.Get(measure).Reduced); x > 0 {
			list = append(list, x)
		}
	}
	if list == nil {
		return ""
	}
	times := func(x float64) string { return text.Fixed(x, text.Digits(x, 2)) }
	least, most := slices.Min(list), slices.Max(list)
	words := "reduced " + times(least) + " to " + times(most) + " times"
	switch {
	case most < 1.05:
		words = "not reduced"
	case least < 1.05:
		words = "reduced up to " + times(most) + " times"
	case times(least) == times(most):
		words = "reduced " + times(most) + " times"
	}
	return "control variates: variance of " + name + " " + words + " (--plain: without)"
}

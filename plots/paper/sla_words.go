package paper

import (
	"fmt"
	"strings"

	"revopt/simulate/metric"
)

// average writes the improvement over the whole axis in every setting.
func (t *traced) average(f metric.Figure) string {
	var words []string
	for c := range len(t.contenders) / 2 {
		name := t.contenders[2*c].name
		words = append(words, fmt.Sprintf("%s %% (%s)", inPercent(t.meanImprovement(c, f)), strings.ToLower(name[:1])+name[1:]))
	}
	return "improvement over all delay factors: " + strings.Join(words, ", ")
}

// trend writes the improvement of a setting at both ends of the axis.
func (t *traced) trend(setting int, f metric.Figure) string {
	return fmt.Sprintf("%s %% at delay factor %s and %s %% at %s", inPercent(t.improvement(setting, 0, f)), t.axis.word(0),
		inPercent(t.improvement(setting, t.last(), f)), t.axis.word(t.last()))
}

// gap returns how many points more the improvement over the whole axis is in
// one setting than in another.
func (t *traced) gap(setting, over int, f metric.Figure) float64 {
	return 100 * (t.meanImprovement(setting, f).Mean - t.meanImprovement(over, f).Mean)
}

func hardWords(t *traced, f metric.Figure) []string {
	quoted := 20
	if f.Name == utility().Name {
		quoted = 10
	}
	return []string{
		t.average(f),
		fmt.Sprintf("%.1f points more with 20 %% hard deadlines than with 80 %%; the paper has about %d", t.gap(0, 2, f), quoted),
		"the paper has the improvement fall with the arrival delay factor; with 20 % hard deadlines it is " + t.trend(0, f),
	}
}

func deadlineWords(t *traced, f metric.Figure) []string {
	return []string{
		t.average(f),
		"the paper has factor 1 gain most while the delay factor is at most 0.025; with factor 1 the improvement is " + t.trend(0, f),
		"with factor 3 it is " + t.trend(2, f),
	}
}

func budgetWords(t *traced, f metric.Figure) []string {
	list := []string{t.average(f)}
	if f.Name == utility().Name {
		list = append(list, "the paper has the improvement diminish as the delay factor nears 0.04; with factor 3 it is "+t.trend(2, f))
	}
	return list
}

func penaltyWords(t *traced, f metric.Figure) []string { return []string{t.average(f)} }

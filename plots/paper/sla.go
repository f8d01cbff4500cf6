package paper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// slaSource names a figure of Yeo and Buyya (2005) as the source of a recipe.
func slaSource(figure int, part string) string {
	return fmt.Sprintf("Yeo and Buyya, Service Level Agreement based Allocation of Cluster Resources: Handling Penalty to Enhance Utility (2005), figure %d(%s)", figure, part)
}

// A setting is one curve of a figure: the two policies in a scenario with a field
// of its own. With a factor the field is so many times that of the scenario.
type setting struct {
	name, path    string
	value, factor float64
}

// set returns the field as the options read the paper.
func (s setting) set(o Options) scenario.Override {
	for _, v := range o.Reading.Set {
		if base, err := strconv.ParseFloat(v.Value, 64); v.Path == s.path && err == nil && s.factor > 0 {
			return scenario.Set(s.path, s.factor*base)
		}
	}
	return scenario.Set(s.path, s.value)
}

// An slaStudy is the experiment behind the two parts of a figure.
type slaStudy struct {
	figure   int
	title    string // what varies from curve to curve
	values   string // and which values it takes
	settings []setting
	claims   [2]string
	words    func(t *traceStudy, f metric.Measure) []string
}

// slaStudies are the experiments of figures 2 to 5 of the paper.
func slaStudies() []slaStudy {
	const high = "large with factor 1 while the delay factor is at most 0.025; lower and more constant with 2 and 3"
	return []slaStudy{
		hardStudy(),
		slaFactor(3, "deadline", 2, deadlineWords, high, high),
		slaFactor(4, "budget", 2, budgetWords, "more with higher budgets", "more with higher budgets, and less of it as the delay factor nears 0.04"),
		slaFactor(5, "penalty", 0.02, penaltyWords, "less with higher penalties", "less with higher penalties"),
	}
}

// slaRecipes are both parts of those figures.
func slaRecipes() []Recipe {
	var list []Recipe
	for _, s := range slaStudies() {
		list = append(list, s.part(0, "Jobs", completed()), s.part(1, "Utility", utility()))
	}
	return list
}

// completed is the number of jobs that ended, late or not.
func completed() metric.Measure { return measure("jobs_completed") }

// utility is what users gained, less penalties.
func utility() metric.Measure { return measure("utility") }

func (s slaStudy) part(i int, what string, f metric.Measure) Recipe {
	letter := string(rune('a' + i))
	return Recipe{
		ID: fmt.Sprintf("sla-%02d%s", s.figure, letter), Title: what + " by " + s.title + ", LibraSLA over Libra",
		Source: slaSource(s.figure, letter), Claim: s.claims[i],
		Parameters: "scenario sp2-sla (section 5.1), 1000 jobs, 20 replications, LibraSLA and Libra (best fit, no spare), arrival delay factor from 0.005 to 0.04, " + s.title + " of " + s.values,
		Sweeps:     func(o Options) ([]*study.SweepSpec, error) { return s.plan(o).sweeps(o) },
		draw: func(o Options, found []*study.SweepResults) Result {
			t := s.plan(o).study(found)
			fig := plots.Figure{X: t.axis.drawn(), Y: plots.Axis{Label: "Improvement over Libra", Percent: true}, Notes: t.notes()}
			for c := range s.settings {
				fig.Series = append(fig.Series, t.improvementSeries(c, f))
			}
			fig.HLines = []plots.Rule{{At: 0}}
			remarks := []string{t.remark(), "improvement: the total of LibraSLA over that of Libra on the same jobs, less 100 %; jobs that end late count as completed"}
			return Result{Picture: fig, Provenance: t.provenance(o), Remarks: append(remarks, s.words(t, f)...)}
		},
	}
}

// plan returns what the study simulates. The contenders are LibraSLA and Libra,
// setting by setting.
func (s slaStudy) plan(o Options) tracePlan {
	plan := tracePlan{
		scenario: "sp2-sla", trace: o.Trace, replications: o.replications(20, 8), metrics: []metric.Measure{completed(), utility(), whole(utility())}, points: o.Reading.Points,
		axis: axis{path: "trace.arrival_delay_factor", label: "Arrival delay factor", values: grid(1, 8, 200), coarse: []float64{0.005, 0.02, 0.04}}.in(o),
	}
	for i, c := range s.settings {
		set := []scenario.Override{c.set(o)}
		plan.contenders = append(plan.contenders,
			contender{name: c.name, policy: "libra-sla", set: set, look: i + 1},
			contender{name: c.name, policy: "libra", options: map[string]string{"spare": "none"}, set: set, look: i + 1})
	}
	return plan
}

// improvement returns by what share a figure of LibraSLA exceeds that of Libra
// in a setting at the i-th value.
func (t *traceStudy) improvement(setting, i int, f metric.Measure) metric.Interval {
	return pooled(t.gains(setting, f, i))
}

// meanImprovement is the improvement over the whole axis: totals over totals.
func (t *traceStudy) meanImprovement(setting int, f metric.Measure) metric.Interval {
	return pooled(t.gains(setting, f))
}

// gains are the improvement in a setting, over the totals at some values of the axis
// or at all of them, by replication: their mean is the improvement, and their spread
// that of its estimate.
func (t *traceStudy) gains(setting int, f metric.Measure, at ...int) []float64 {
	return t.over(t.totals(2*setting, f, at...), t.totals(2*setting+1, f, at...), t.totals(2*setting, whole(f), at...))
}

// pooled returns the mean of replications with its interval.
func pooled(values []float64) metric.Interval { return metric.Estimate(values, metric.DefaultLevel) }

// whole is all that a measure of jobs or of money could be: the jobs that were
// submitted, or their budgets.
func whole(f metric.Measure) metric.Measure {
	if f.Name == utility().Name {
		return measure("price_total")
	}
	return submitted()
}

// over returns what a has more than b, as a share of b or, in points, of the whole.
func (t *traceStudy) over(a, b, whole []float64) []float64 {
	if !t.points {
		return ratio(a, b)
	}
	shares := make([]float64, len(a))
	for k := range a {
		shares[k] = (a[k] - b[k]) / whole[k]
	}
	return shares
}

// totals returns the sums of a figure over some values of the axis, all by default,
// by replication.
func (t *traceStudy) totals(contender int, f metric.Measure, at ...int) []float64 {
	sums := make([]float64, t.replications)
	for i := range t.axis.values {
		if len(at) == 0 || slices.Contains(at, i) {
			for k, v := range t.values(contender, i, f) {
				sums[k] += v
			}
		}
	}
	return sums
}

// ratio returns the sum of a over that of b, less 1, as the mean of values whose
// spread is that of the ratio: r - 1 + (a[k] - r b[k]) / mean b.
func ratio(a, b []float64) []float64 {
	under := pooled(b).Mean
	r := pooled(a).Mean / under
	values := make([]float64, len(b))
	for k := range b {
		values[k] = r - 1 + (a[k]-r*b[k])/under
	}
	return values
}

// improvementSeries draws the improvement in a setting.
func (t *traceStudy) improvementSeries(setting int, f metric.Measure) plots.Series {
	line := plots.Series{Name: t.contenders[2*setting].name, X: t.axis.values, Look: setting + 1}
	for i := range t.axis.values {
		addInterval(&line, t.improvement(setting, i, f))
	}
	return line
}

// hardStudy is figure 2.
func hardStudy() slaStudy {
	s := slaStudy{
		figure: 2, title: "share of hard deadlines", values: "20, 50 and 80 %",
		claims: [2]string{
			"less with more hard deadlines: on average about 20 points more at 20 % than at 80 %; falls with the arrival delay factor",
			"less with more hard deadlines: on average about 10 points more at 20 % than at 80 %; falls with the arrival delay factor",
		},
		words: hardWords,
	}
	for _, share := range []float64{0.2, 0.5, 0.8} {
		s.settings = append(s.settings, setting{name: percent(share) + " hard deadlines", path: "qos.high_urgency", value: share})
	}
	return s
}

// slaFactor is a figure whose curves have a mean of once, twice and three times
// that of the scenario.
func slaFactor(figure int, what string, mean float64, words func(*traceStudy, metric.Measure) []string, claims ...string) slaStudy {
	s := slaStudy{figure: figure, title: what + " factor", values: "1, 2 and 3", claims: [2]string(claims), words: words}
	for _, k := range []float64{1, 2, 3} {
		s.settings = append(s.settings, setting{name: fmt.Sprintf("%s factor %g", capital(what), k), path: "qos." + what + ".low_mean", value: k * mean, factor: k})
	}
	return s
}

// average writes the improvement over the whole axis in every setting.
func (t *traceStudy) average(f metric.Measure) string {
	var words []string
	for c := range len(t.contenders) / 2 {
		name := t.contenders[2*c].name
		words = append(words, fmt.Sprintf("%s %% (%s)", inPercent(t.meanImprovement(c, f)), strings.ToLower(name[:1])+name[1:]))
	}
	return "improvement over all delay factors: " + strings.Join(words, ", ")
}

// trend writes the improvement of a setting at both ends of the axis.
func (t *traceStudy) trend(setting int, f metric.Measure) string {
	return fmt.Sprintf("%s %% at delay factor %s and %s %% at %s", inPercent(t.improvement(setting, 0, f)), t.axis.word(0),
		inPercent(t.improvement(setting, t.last(), f)), t.axis.word(t.last()))
}

// gap returns how many points more the improvement over the whole axis is in
// one setting than in another.
func (t *traceStudy) gap(setting, over int, f metric.Measure) float64 {
	return 100 * (t.meanImprovement(setting, f).Mean - t.meanImprovement(over, f).Mean)
}

func hardWords(t *traceStudy, f metric.Measure) []string {
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

func deadlineWords(t *traceStudy, f metric.Measure) []string {
	return []string{
		t.average(f),
		"the paper has factor 1 gain most while the delay factor is at most 0.025; with factor 1 the improvement is " + t.trend(0, f),
		"with factor 3 it is " + t.trend(2, f),
	}
}

func budgetWords(t *traceStudy, f metric.Measure) []string {
	list := []string{t.average(f)}
	if f.Name == utility().Name {
		list = append(list, "the paper has the improvement diminish as the delay factor nears 0.04; with factor 3 it is "+t.trend(2, f))
	}
	return list
}

func penaltyWords(t *traceStudy, f metric.Measure) []string { return []string{t.average(f)} }

package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// wordText has words that are the same wherever they stand.
//
//go:embed words.txt
var wordText string

var fixedWords = text.NewSentences(wordText, formats)

// said returns words of words.txt, "" where there are none of the name.
func said(name string, value any) string {
	words, _ := fixedWords.Say(name, value)
	return words
}

// sentences returns words of words.txt that a ¶ divides, without those that say nothing.
func sentences(name string, value any) []string {
	list := text.Each(strings.Split(said(name, value), "¶"), strings.TrimSpace)
	return text.Where(list, func(words string) bool { return words != "" })
}

// delayWords returns the delays that a convention computes, in words.
func delayWords(residual string) string { return cmp.Or(said("delays-"+residual, nil), residual) }

// Closest says in a few sentences which policy to run and why: what it delivers of
// the possible, how far the next one is, and what makes the comparison doubtful.
func (r *Report) Closest() string {
	if len(r.Policies) == 0 {
		return ""
	}
	if r.Validated.Objective != "" {
		return r.smallest()
	}
	if math.IsNaN(r.share(0).Mean) {
		return "No bound above zero applies, so no policy has an efficiency."
	}
	rows := slices.DeleteFunc(r.shown(), func(i int) bool { return r.Policies[i].Policy.Name == subject.Recorded })
	if len(rows) == 0 {
		return r.Recorded()
	}
	ties := 1
	for ties < len(rows) && tied(r.behind(rows[ties])) {
		ties++
	}
	name := func(i int) string { return text.OneLine(r.Policies[rows[i]].Label) }
	words := struct {
		First, Share, OfKind, Doubt, Recorded string
		Worthless, Runs                       bool
		Ties                                  int // others
		Second, Next, NextShare, Behind       string
		Compared, Sure                        bool
	}{
		First: name(0), Share: percent(r.share(0)), Doubt: r.doubt(rows), Recorded: r.Recorded(),
		Worthless: r.share(0).Mean <= 0, Ties: ties - 1, Second: name(min(1, len(rows)-1)),
		Compared: r.Replications > 1, // else nothing says how much is chance
	}
	if on := r.Policies[rows[0]].Policy.RunsOn; on == "" || on == policy.Slurm.Key() {
		words.Runs = true
	}
	if own := r.Policies[0].Validated.OfKind.Interval(); percent(own) != words.Share && own.Mean > 0 {
		words.OfKind = percent(own)
	}
	if ties < len(rows) && !math.IsNaN(r.share(rows[ties]).Mean) {
		next := rows[ties]
		words.Next, words.NextShare, words.Behind = name(ties), percent(r.share(next)), points(r.behind(next))
		low, _ := r.behind(next).Bounds()
		words.Sure = low > 0
	}
	return said("closest", words)
}

// Recorded says which share of the possible the log delivered, "" if it is not compared.
func (r *Report) Recorded() string {
	last := len(r.Policies) - 1
	if r.Policies[last].Policy.Name != subject.Recorded {
		return ""
	}
	return fmt.Sprintf("The schedule of the log (%s) delivered %s of what no policy can exceed.", subject.Recorded, percent(r.share(last)))
}

// doubt says that the first place rests on deadlines that cost nothing, if it does.
func (r *Report) doubt(rows []int) string {
	const much = 0.01 // of the jobs
	of := func(i int, name string) float64 { return float64(r.Policies[i].Total.Get(name).Mean) }
	kept := func(i int) float64 { return of(i, "job_qos_satisfaction") }
	first := rows[0]
	late := of(first, "acceptance") - kept(first)
	if !r.Validated.Lenient || !(late > much) {
		return ""
	}
	words := fmt.Sprintf("but missed deadlines cost nothing here and it ends %s of the jobs late", share(late))
	for _, i := range rows[1:] {
		if kept(i) > kept(first)+much {
			return words + fmt.Sprintf("; of those that do better in this, run %s (%s)", text.OneLine(r.Policies[i].Label), percent(r.share(i)))
		}
	}
	return words
}

// Foresight says how much of the distance between the first policy and the bound
// is known to come from not knowing the future: a schedule that knows it was found.
func (r *Report) Foresight() []string {
	best, ok := r.best()
	if !ok || len(r.Policies) == 0 || !(best.Total > 0) {
		return nil
	}
	for _, b := range r.Validated.Bounds {
		if found := float64(b.Found) / float64(best.Total); b.Limits == plan.UnpreemptedPolicies && found > 0 {
			got := r.share(0).Mean
			return []string{said("foresight", struct {
				Found, Total, Lost, Lacks, Bound float64
				Best, First                      string
				More                             bool
			}{found, float64(b.Total / best.Total), found - got, 1 - got, 1 - found,
				best.Name, r.Policies[0].Label, found > got})}
		}
	}
	return nil
}

// tied reports whether a row delivers in every replication what the best does,
// but for rounding. One replication has no half width.
func tied(behind metric.Interval) bool {
	return math.Abs(behind.Mean) < rounding && !(behind.HalfWidth > rounding && !math.IsInf(behind.HalfWidth, 0))
}

// rounding is the share below which two sums of the same amounts may differ.
const rounding = 1e-9

// Kinds says what the two kinds of bounds are good for, of those there are.
func (r *Report) Kinds() []string {
	best, proven := r.best()
	if r.Validated.Objective != "" {
		return sentences("kinds-small", r.Validated.Objective)
	}
	return sentences("kinds", struct {
		study.BoundResult
		Proven, Share, ByKind, Model bool
	}{best, proven, best.Money.Mean > 0, r.ByKind(), len(r.of(study.Model)) > 0})
}

// Predictions says how far the model bounds are from the best policy, and from the policy that does just
// what a model predicts.
func (r *Report) Predictions() []string {
	models := r.of(study.Model)
	if len(r.Policies) == 0 || len(models) == 0 {
		return nil
	}
	scale, unit := r.money()
	best := r.richest()
	parts := text.Each(models, func(b study.BoundResult) string {
		return fmt.Sprintf("%s %s (%s), %s", amount(b.Money, scale), unit, text.OneLine(b.Name), distance(b.Money.Mean, r.delivered(best).Mean))
	})
	predict := "the model predicts "
	if len(models) > 1 {
		predict = "the models predict "
	}
	list := []string{fmt.Sprintf("In simulation the best policy, %s, delivers %s %s; %s%s.",
		text.OneLine(r.Policies[best].Label), amount(r.delivered(best), scale), unit, predict, strings.Join(parts, "; "))}
	for _, b := range models {
		for i, row := range r.Policies {
			if b.Row != "" && row.Label == b.Row && i != best { // of the best it has been said
				list = append(list, fmt.Sprintf("The admission of the %s earns %s %s when it is simulated (%s): the prediction for it is %s.",
					text.OneLine(b.Name), amount(r.delivered(i), scale), unit, text.OneLine(row.Label), distance(b.Money.Mean, r.delivered(i).Mean)))
			}
		}
	}
	return list
}

// richest returns the row that delivers most: the first one where there are
// efficiencies, as those are shares of the same bounds.
func (r *Report) richest() int {
	best := 0
	for i := range r.Policies {
		if math.IsNaN(r.share(best).Mean) && r.Policies[i].Policy.Name != subject.Recorded && r.delivered(i).Mean > r.delivered(best).Mean {
			best = i
		}
	}
	return best
}

// distance says how far a prediction is from what came true.
func distance(predicted, simulated float64) string {
	switch {
	case math.IsNaN(predicted) || math.IsNaN(simulated):
		return "not to be compared"
	case predicted == simulated:
		return "right"
	case !(simulated > 0):
		return "too high, by more than a percentage can say"
	case predicted > simulated:
		return share(predicted/simulated-1) + " too high"
	}
	return share(1-predicted/simulated) + " too low"
}

// Head says what was run, in a few lines.
func (r *Report) Head() []string {
	lines := []string{strings.TrimSuffix(text.OneLine(r.Scenario)+": "+text.OneLine(r.What), ": ")}
	lines = append(lines, poolLine(r.Pools)...)
	if r.Cleaning != nil {
		lines = append(lines, "cleaning "+Cleaning(r.Cleaning))
	}
	run := fmt.Sprintf("%s, no warm-up, all jobs followed to their end, seed %d", text.Plural(r.Replications, "replication"), r.Seed)
	if r.Replications > 1 {
		run += levelSuffix(r.Result)
	}
	if r.Covers != "" {
		lines = append(lines, run)
		run = r.Covers
	}
	return append(append(lines, run), clockWords(r.Result)...)
}

// Notes say what a reader of the table of a validation should know besides.
func (r *Report) Notes() []string {
	v := r.Validated
	list := sentences("notes", struct {
		*study.ValidationResult
		Late, Fewer bool
		Drained     int
		Prices      string
	}{v, !r.Stream && len(r.of(study.Model)) > 0, v.Drawn < r.Replications, workload.DrainedJobs,
		ResultPrices(r.Result)})
	for _, words := range promiseWords(r.Result) {
		list = append(list, words+".") // it begins with a customer's name
	}
	for _, words := range promiseOrigins(r.Result) {
		list = append(list, strings.ToUpper(words[:1])+words[1:]+".")
	}
	if words := variates(r.Result, "utilization", "used"); words != "" && !r.Unlike() {
		list = append(list, strings.ToUpper(words[:1])+words[1:]+". Efficiencies, and amounts beside bounds, are plain.")
	}
	list = append(list, r.admissions()...)
	for _, l := range subject.ByReason(v.LeftOut) {
		list = append(list, fmt.Sprintf("Left out: %s (%s).", l.Policy, l.Reason))
	}
	return list
}

// admissions says which jobs the computed admissions let in.
func (r *Report) admissions() []string {
	var list []string
	for _, row := range r.Policies {
		a := row.Admission
		searched := a.Name == scenario.AdmitSimulated || a.Name == scenario.AdmitPromise
		limited := a.Thresholds != nil && !a.ByState
		if a.Name != scenario.AdmitAnalytic && !searched && !limited {
			continue
		}
		name := row.Label
		if a.Name == scenario.AdmitAnalytic { // it does not depend on the policy
			name = a.Name
		}
		var shares []string
		for i, name := range a.Parties {
			shares = append(shares, name+" "+admitted(a, i, "while fewer than %d wait"))
		}
		words := fmt.Sprintf("Admitted, %s: %s.", name, strings.Join(shares, ", "))
		if recorded(r.Result) && searched && r.Resampled == nil {
			words += " It was found on these jobs, with other lots (in-sample)."
		}
		if !slices.Contains(list, words) {
			list = append(list, words)
		}
	}
	return list
}

func fillProves(v *study.ValidationResult, list []study.BoundResult) {
	for i := range list {
		list[i].Proves = proves(list[i], v.Serves)
	}
}

// proves says what a bound limits, given what it allows a scheduler.
func proves(b study.BoundResult, serves string) string {
	kind := b.Name
	if b.Kind == study.Model {
		if kind = "model"; b.Residual == "" {
			kind = "fitted"
		}
	}
	data := struct {
		Delays, Serves string
		Gap            metric.Number
	}{delayWords(cmp.Or(b.Residual, model.Pooled.String())), serves, b.Gap}
	return cmp.Or(said("proves-"+kind, data), said("proves-stream", data))
}

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

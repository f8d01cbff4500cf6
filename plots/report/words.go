package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

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
	first := text.OneLine(r.Policies[rows[0]].Label)
	delivers := wording.Percent(r.share(0))
	if r.share(0).Mean <= 0 {
		return fmt.Sprintf("Run none of these: to turn every job away delivers nothing, and the best, %s, delivers "+
			"%s of what no policy can exceed.", first, delivers)
	}
	on := r.Policies[rows[0]].Policy.RunsOn
	doubt := r.doubt(rows)
	var words string
	switch {
	case doubt != "":
		words = fmt.Sprintf("%s delivers most, %s of what no policy can exceed, %s", first, delivers, doubt)
	case on == "" || on == policy.Slurm.Key():
		words = fmt.Sprintf("Run %s: it delivers %s of what no policy can exceed", first, delivers)
	default:
		words = fmt.Sprintf("%s comes closest: it delivers %s of what no policy can exceed", first, delivers)
	}
	if kind := r.Policies[0].Validated.OfKind.Interval(); wording.Percent(kind) != delivers && kind.Mean > 0 {
		words += ", " + wording.Percent(kind) + " of what none of its kind can"
	}
	return strings.TrimSpace(words + r.tiedWords(rows, ties) + r.nextBest(rows, ties) + ". " + r.Recorded())
}

// tiedWords says how many policies deliver as much as the first. Ties counts it too.
func (r *Report) tiedWords(rows []int, ties int) string {
	switch ties {
	case 1:
		return ""
	case 2:
		return "; so does " + text.OneLine(r.Policies[rows[1]].Label)
	}
	return fmt.Sprintf("; so do %d others", ties-1)
}

// nextBest says how far the first policy after the ties is behind. One replication does not tell how much of that is
// chance.
func (r *Report) nextBest(rows []int, ties int) string {
	if ties >= len(rows) || math.IsNaN(r.share(rows[ties]).Mean) {
		return ""
	}
	next := rows[ties]
	words := fmt.Sprintf("; the next is %s with %s, %s less", text.OneLine(r.Policies[next].Label),
		wording.Percent(r.share(next)), wording.Points(r.behind(next)))
	if r.Replications == 1 {
		return words
	}
	if low, _ := r.behind(next).Bounds(); !(low > 0) {
		words += ", perhaps by chance"
	}
	return words + " (paired)"
}

// Recorded says which share of the possible the log delivered, "" if it is not compared.
func (r *Report) Recorded() string {
	last := len(r.Policies) - 1
	if r.Policies[last].Policy.Name != subject.Recorded {
		return ""
	}
	return fmt.Sprintf("The schedule of the log (%s) delivered %s of what no policy can exceed.", subject.Recorded,
		wording.Percent(r.share(last)))
}

// doubt says that the first place rests on deadlines that cost nothing, if it does.
func (r *Report) doubt(rows []int) string {
	const much = 0.01 // of the jobs
	mean := func(i int, name string) float64 { return float64(r.Policies[i].Total.Get(name).Mean) }
	kept := func(i int) float64 { return mean(i, "job_qos_satisfaction") }
	first := rows[0]
	late := mean(first, "acceptance") - kept(first)
	if !r.Validated.Lenient || !(late > much) {
		return ""
	}
	words := fmt.Sprintf("but missed deadlines cost nothing here and it ends %s of the jobs late", wording.Share(late))
	for _, i := range rows[1:] {
		if kept(i) > kept(first)+much {
			return words + fmt.Sprintf("; of those that do better in this, run %s (%s)",
				text.OneLine(r.Policies[i].Label), wording.Percent(r.share(i)))
		}
	}
	return words
}

// Foresight says how much of the distance between the first policy and the bound
// is known to come from not knowing the future: a schedule that knows it was found.
func (r *Report) Foresight() []string {
	best, ok := r.best()
	if r.Validated.Objective != "" {
		return r.smallForesight()
	}
	if !ok || len(r.Policies) == 0 || !(best.Total > 0) {
		return nil
	}
	for _, b := range r.Validated.Bounds {
		found := float64(b.Found) / float64(best.Total)
		if b.Limits != plan.UnpreemptedPolicies || !(found > 0) {
			continue
		}
		words := fmt.Sprintf("With knowledge of the future, and whole jobs that run once, between %s and %s of the "+
			"%s bound can be had: a schedule that was found, and the bound for such schedules.",
			wording.Share(found), wording.Share(float64(b.Total/best.Total)), text.OneLine(best.Name))
		if got := r.share(0).Mean; found > got {
			words += fmt.Sprintf(" So at least %s of the %s points that %s lacks belong to what it does not know "+
				"or does not do, at most %s to the bound.", text.Hundredths(found-got), text.Hundredths(1-got),
				text.OneLine(r.Policies[0].Label), text.Hundredths(1-found))
		}
		return []string{words}
	}
	return nil
}

// tied reports whether a row delivers in every replication what the best does,
// but for rounding. One replication has no half width.
func tied(behind metric.Interval) bool {
	return math.Abs(behind.Mean) < wording.Rounding &&
		!(behind.HalfWidth > wording.Rounding && !math.IsInf(behind.HalfWidth, 0))
}

// Kinds says what the two kinds of bounds are good for, of those there are.
func (r *Report) Kinds() []string {
	best, proven := r.best()
	if r.Validated.Objective != "" {
		return []string{smallKinds(r.Validated.Objective, r.ByKind())}
	}
	var list []string
	if proven {
		words := "A proven bound cannot be exceeded: no policy collects more on the jobs that arrived, whatever it " +
			"knows of the future."
		if best.Money.Mean > 0 {
			words += " Efficiencies are shares of the " + text.OneLine(best.Name) + " one."
		}
		if best.Money.Mean > 0 && r.ByKind() {
			words += " The unpreempted one limits policies that run every job once, whole, on processors of its " +
				"own; all others limit any policy."
		}
		list = append(list, words)
	}
	if len(r.of(study.Model)) > 0 {
		list = append(list, "A model bound predicts what the best static admission delivers in a queueing model. It "+
			"is no limit: a policy may pass it.")
	}
	return list
}

// smallKinds is Kinds for an objective that is to be small.
func smallKinds(objective string, byKind bool) string {
	measure := "The slowdown is response over length, at least 1, where a shorter length counts as 10 s."
	if objective == plan.ObjectiveWait {
		measure = "The wait is response less length, also of jobs that are interrupted or share nodes."
	}
	words := "A proven bound holds for every policy that runs all jobs, whatever it knows of the future"
	if byKind {
		words += "; the unpreempted one holds for those that run every job once, whole, on processors of its own"
	}
	return words + ". Efficiencies are the bound as a share of what a policy reaches: at 100 % nothing can be better. " +
		measure + " Policies that did not run all jobs are not compared."
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
		return fmt.Sprintf("%s %s (%s), %s", wording.Amount(b.Money, scale), unit, text.OneLine(b.Name),
			distance(b.Money.Mean, r.delivered(best).Mean))
	})
	predict := "the model predicts "
	if len(models) > 1 {
		predict = "the models predict "
	}
	list := []string{fmt.Sprintf("In simulation the best policy, %s, delivers %s %s; %s%s.",
		text.OneLine(r.Policies[best].Label), wording.Amount(r.delivered(best), scale), unit, predict,
		strings.Join(parts, "; "))}
	for _, b := range models {
		for i, row := range r.Policies {
			if b.Row != "" && row.Label == b.Row && i != best { // of the best it has been said
				list = append(list, fmt.Sprintf("The admission of the %s delivers %s %s when it is simulated (%s): "+
					"the prediction for it is %s.",
					text.OneLine(b.Name), wording.Amount(r.delivered(i), scale), unit, text.OneLine(row.Label),
					distance(b.Money.Mean, r.delivered(i).Mean)))
			}
		}
	}
	return list
}

// richest returns the row that delivers most. Rows are in the order of their efficiencies, which are shares of the
// same bounds, so that it is the first one where there are efficiencies.
func (r *Report) richest() int {
	best := 0
	for i := range r.Policies {
		if !math.IsNaN(r.share(best).Mean) {
			return best
		}
		if r.Policies[i].Policy.Name != subject.Recorded && r.delivered(i).Mean > r.delivered(best).Mean {
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
		return wording.Share(predicted/simulated-1) + " too high"
	}
	return wording.Share(1-predicted/simulated) + " too low"
}

// Verdict is the answer in a few lines.
func (r *Report) Verdict() []string {
	if best := r.First(); best != nil {
		return best
	}
	return []string{r.Closest()}
}

// Head says what was run, in a few lines.
func (r *Report) Head() []string {
	lines := []string{strings.TrimSuffix(text.OneLine(r.Scenario)+": "+text.OneLine(r.What), ": ")}
	run := fmt.Sprintf("%s, seed %d", text.Plural(r.Replications, "replication"), r.Seed)
	if r.Replications > 1 {
		run += levelSuffix(r.Result)
	}
	return append(lines, run)
}

// Setting says how it was run.
func (r *Report) Setting() []string {
	lines := poolLine(r.Pools)
	if r.Cleaning != nil {
		lines = append(lines, "cleaning "+r.Cleaning.Words())
	}
	lines = append(lines, "no warm-up, all jobs followed to their end")
	if r.Covers != "" {
		lines = append(lines, r.Covers)
	}
	return append(lines, clockWords(r.Result)...)
}

// Notes say what a reader of the table of a validation should know besides.
func (r *Report) Notes() []string {
	v := r.Validated
	var list []string
	if long := v.SteadyState; long != nil {
		list = append(list, fmt.Sprintf("In the long run no policy delivers more than %s $/h on such a stream of "+
			"jobs (%s); a short replication may.", text.Grouped(3600*float64(long.RevenuePerSecond)), long.Name))
	}
	if !r.Stream && len(r.of(study.Model)) > 0 {
		list = append(list, "The model predicts what is delivered while jobs arrive; policies also deliver from the "+
			"last arrival until the last job has ended.")
	}
	if v.Cut != 0 {
		list = append(list, fmt.Sprintf("The scenario's own replications have about %s jobs; here they are cut to "+
			"about %s, so that the bound is found in seconds. --jobs changes that.", text.Fixed(float64(v.Cut), 0),
			text.Fixed(workload.DrainedJobs, 0)))
	}
	if v.Drawn > 0 && v.Drawn < r.Replications {
		list = append(list, "The figures are of the first "+text.Plural(v.Drawn, "replication")+".")
	}
	if prices := ResultPrices(r.Result); prices != "" {
		list = append(list, "Prices: "+prices+".")
	}
	for _, words := range promiseWords(r.Result) {
		list = append(list, words+".") // it begins with a customer's name
	}
	if words := variates(r.Result, "utilization", "used"); words != "" && !r.Unlike() {
		list = append(list, strings.ToUpper(words[:1])+words[1:]+
			". Efficiencies, and amounts beside bounds, are plain.")
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
		searched := a.Name == scenario.AdmitSimulated
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
		if v.Objective != "" && list[i].Name == plan.UnpreemptedBound {
			list[i].Proves = "the least that a scheduler with knowledge of the future can reach if every job runs once, " +
				"whole, on processors of its own: it limits policies that neither preempt jobs nor share nodes"
		}
	}
}

// proves says what a bound limits, given what it allows a scheduler.
func proves(b study.BoundResult, serves string) string {
	delays := wording.DelayWords(b.Residual)
	switch {
	case b.Kind == study.Model && math.IsNaN(float64(b.Gap)):
		return "the most that a static admission delivers in the queueing model, " + delays +
			"; the best of many local searches, not proven to be the optimum"
	case b.Kind == study.Model:
		return "the most that a static admission delivers in the queueing model, " + delays
	}
	switch b.Name {
	case "fluid":
		return "the jobs that arrived, packed by value per unit of work into all of the machine's time up to " +
			"the last possible finish, whenever they arrive"
	case plan.ClairvoyantBound:
		return "the most that a scheduler with knowledge of the future can collect, free to preempt, move and " +
			"split jobs, serving " + serves + ", paid by the work that is done"
	case "indivisible":
		return "the same, and a job, or the mandatory part of one, pays only as a whole"
	case "unpreempted":
		return "the most that a scheduler with knowledge of the future can collect if every job runs once, whole, on " +
			"processors of its own: it limits policies that neither preempt jobs nor share nodes"
	case "busy-time":
		return "the least that a scheduler with knowledge of the future can reach if it runs every job, free to " +
			"preempt, move and split jobs: a job ends no earlier than the mean time of its work plus half its length"
	}
	return "the most that any policy delivers on such a stream of jobs in the long run"
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

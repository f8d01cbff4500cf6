package report

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Closest says in a few sentences which policy to run and why: what it delivers of
// the possible, how far the next one is, and what makes the comparison doubtful.
func (r *Report) Closest() string {
	if len(r.Policies) == 0 {
		return ""
	}
	if math.IsNaN(r.share(0).Mean) {
		return "No bound above zero applies, so no policy has an efficiency."
	}
	rows := r.shown()
	name := func(i int) string { return text.OneLine(r.Policies[rows[i]].Label) }
	doubt := r.doubt(rows)
	s := fmt.Sprintf("Run %s: it delivers %s of what no policy can exceed", name(0), percent(r.share(0)))
	if doubt != "" {
		s = fmt.Sprintf("%s delivers most, %s of what no policy can exceed, %s", name(0), percent(r.share(0)), doubt)
	}
	if r.share(0).Mean <= 0 {
		return fmt.Sprintf("Run none of these: to turn every job away earns nothing, and the best, %s, delivers %s of what no policy can exceed.", name(0), percent(r.share(0)))
	}
	if own := r.Policies[0].Validated.OfKind.Interval(); percent(own) != percent(r.share(0)) && own.Mean > 0 {
		s += fmt.Sprintf(", %s of what none of its kind can", percent(own))
	}
	ties := 1
	for ties < len(rows) && tied(r.behind(rows[ties])) {
		ties++
	}
	switch ties {
	case 1:
	case 2:
		s += fmt.Sprintf("; so does %s", name(1))
	default:
		s += fmt.Sprintf("; so do %d others", ties-1)
	}
	if ties < len(rows) && !math.IsNaN(r.share(rows[ties]).Mean) {
		next := rows[ties]
		s += fmt.Sprintf("; the next is %s with %s, %s less", name(ties), percent(r.share(next)), points(r.behind(next)))
		switch b := r.behind(next); {
		case r.Replications == 1: // nothing says how much is chance
		case above(b):
			s += " (paired)"
		default:
			s += ", perhaps by chance (paired)"
		}
	}
	return s + "."
}

// doubt says what the first place rests on where that is jobs that do not end, or
// deadlines that cost nothing, and which policy is first without that.
func (r *Report) doubt(rows []int) string {
	const much = 0.01 // of the jobs
	of := func(i int, name string) float64 { return float64(r.Policies[i].Total.Get(name).Mean) }
	open := func(i int) float64 {
		return 1 - (of(i, "jobs_completed")+of(i, "jobs_rejected")+of(i, "jobs_expired"))/of(i, "jobs_submitted")
	}
	kept := func(i int) float64 { return of(i, "job_qos_satisfaction") }
	first := rows[0]
	var words string
	sound := func(i int) bool { return !(open(i) > much) }
	switch late := of(first, "acceptance") - kept(first); {
	case open(first) > much:
		words = fmt.Sprintf("but %s of the jobs never end under it", share(open(first)))
	case r.Validated.Lenient && late > much:
		words = fmt.Sprintf("but missed deadlines cost nothing here and it ends %s of the jobs late", share(late))
		sound = func(i int) bool { return !(open(i) > much) && kept(i) > kept(first)+much }
	default:
		return ""
	}
	for _, i := range rows[1:] {
		if sound(i) {
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
		if found := float64(b.Found) / float64(best.Total); b.Limits == study.UnpreemptedPolicies && found > 0 {
			s := fmt.Sprintf("With knowledge of the future, and whole jobs that run once, between %s and %s of the %s bound can be had: a schedule that was found, and the bound for such schedules.",
				share(found), share(float64(b.Total/best.Total)), text.OneLine(best.Name))
			if got := r.share(0).Mean; found > got {
				s += fmt.Sprintf(" So at least %s of the %s points that %s lacks belong to what it does not know or does not do, at most %s to the bound.",
					text.Fixed(100*(found-got), 1), text.Fixed(100*(1-got), 1), text.OneLine(r.Policies[0].Label), text.Fixed(100*(1-found), 1))
			}
			return []string{s}
		}
	}
	return nil
}

// above reports whether a difference is above 0 by more than chance.
func above(i metric.Interval) bool {
	low, _ := i.Bounds()
	return low > 0
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
	var list []string
	if best, ok := r.best(); ok {
		s := "A proven bound cannot be exceeded: no policy collects more on the jobs that arrived, whatever it knows of the future."
		if best.Money.Mean > 0 {
			s += fmt.Sprintf(" Efficiencies are shares of the %s one.", text.OneLine(best.Name))
			if r.ByKind() {
				s += " The unpreempted one limits policies that run every job once, whole, on processors of its own; all others limit any policy."
			}
		}
		list = append(list, s)
	}
	if len(r.of(study.Model)) > 0 {
		list = append(list, "A model bound predicts what the best static admission earns in a queueing model. It is no limit: a policy may pass it.")
	}
	return list
}

// Predictions says how far the model bounds are from what the simulation shows:
// from the best policy, and from the policy that does just what a model
// predicts where there is one.
func (r *Report) Predictions() []string {
	models := r.of(study.Model)
	if len(r.Policies) == 0 || len(models) == 0 {
		return nil
	}
	scale, unit := r.money()
	best := r.richest()
	var parts []string
	for _, b := range models {
		parts = append(parts, fmt.Sprintf("%s %s (%s), %s", amount(b.Money, scale), unit, text.OneLine(b.Name), distance(b.Money.Mean, r.delivered(best).Mean)))
	}
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
		if math.IsNaN(r.share(best).Mean) && r.delivered(i).Mean > r.delivered(best).Mean {
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
	if r.Cleaning != nil {
		lines = append(lines, "cleaning "+Cleaning(r.Cleaning))
	}
	run := fmt.Sprintf("%s, no warm-up, all jobs followed to their end, seed %d", text.Plural(r.Replications, "replication"), r.Seed)
	if r.Replications > 1 {
		run += Level(r.Result)
	}
	if r.Covers != "" {
		lines = append(lines, run)
		run = r.Covers
	}
	return append(lines, run)
}

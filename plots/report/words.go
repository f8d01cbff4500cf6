package report

import (
	"fmt"
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Closest says in a sentence which policy comes closest to the possible, and
// how far the next one is. The rows must be sorted.
func (r *Report) Closest() string {
	if len(r.Rows) == 0 {
		return ""
	}
	first := r.Rows[0]
	if math.IsNaN(first.Efficiency.Mean) {
		return "No bound above zero applies, so no policy has an efficiency."
	}
	s := fmt.Sprintf("%s comes closest: it delivers %s of what no policy can exceed", text.OneLine(first.Name), percent(first.Efficiency))
	ties := 1
	for ties < len(r.Rows) && tied(r.Rows[ties].Behind) {
		ties++
	}
	switch ties {
	case 1:
	case 2:
		s += fmt.Sprintf("; so does %s", text.OneLine(r.Rows[1].Name))
	default:
		s += fmt.Sprintf("; so do %d others", ties-1)
	}
	if ties == len(r.Rows) || math.IsNaN(r.Rows[ties].Efficiency.Mean) {
		return s + "."
	}
	next := r.Rows[ties]
	s += fmt.Sprintf("; the next is %s with %s, %s less", text.OneLine(next.Name), percent(next.Efficiency), points(next.Behind))
	switch b := next.Behind; {
	case r.Replications == 1: // nothing says how much is chance
	case b.Mean > b.HalfWidth:
		s += " (paired)"
	default:
		s += ", perhaps by chance (paired)"
	}
	return s + "."
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
		if best.Amount.Mean > 0 {
			s += fmt.Sprintf(" Efficiencies are shares of the least, %s.", text.OneLine(best.Name))
		}
		list = append(list, s)
	}
	if len(r.of(Model)) > 0 {
		list = append(list, "A model bound predicts what the best static admission earns in a queueing model. It is no limit: a policy may pass it.")
	}
	return list
}

// Predictions says how far the model bounds are from what the simulation shows:
// from the best policy, and from the policy that does just what a model
// predicts where there is one.
func (r *Report) Predictions() []string {
	models := r.of(Model)
	if len(r.Rows) == 0 || len(models) == 0 {
		return nil
	}
	scale, unit := r.money()
	best := r.richest()
	var parts []string
	for _, b := range models {
		parts = append(parts, fmt.Sprintf("%s %s (%s), %s", amount(b.Amount, scale), unit, text.OneLine(b.Name), distance(b.Amount.Mean, best.Delivered.Mean)))
	}
	predict := "the model predicts "
	if len(models) > 1 {
		predict = "the models predict "
	}
	list := []string{fmt.Sprintf("In simulation the best policy, %s, delivers %s %s; %s%s.",
		text.OneLine(best.Name), amount(best.Delivered, scale), unit, predict, strings.Join(parts, "; "))}
	for _, b := range models {
		for _, row := range r.Rows {
			if b.Row != "" && row.Name == b.Row && row.Name != best.Name { // of the best it has been said
				list = append(list, fmt.Sprintf("The admission of the %s earns %s %s when it is simulated (%s): the prediction for it is %s.",
					text.OneLine(b.Name), amount(row.Delivered, scale), unit, text.OneLine(row.Name), distance(b.Amount.Mean, row.Delivered.Mean)))
			}
		}
	}
	return list
}

// richest returns the row that delivers most: the first one where there are
// efficiencies, as those are shares of the same bounds.
func (r *Report) richest() Row {
	best := r.Rows[0]
	for _, row := range r.Rows[1:] {
		if math.IsNaN(best.Efficiency.Mean) && row.Delivered.Mean > best.Delivered.Mean {
			best = row
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
	if r.Cleaning != "" {
		lines = append(lines, "cleaning "+text.OneLine(r.Cleaning))
	}
	run := text.Plural(r.Replications, "replication")
	if r.Length != "" {
		run += " of " + r.Length
	}
	run = fmt.Sprintf("%s, no warm-up, all jobs followed to their end, seed %d", run, r.Seed)
	if r.Replications > 1 {
		run += fmt.Sprintf("; ± is %s %% confidence", text.Plain(100*r.Level))
	}
	return append(lines, run)
}

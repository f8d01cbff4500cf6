package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// Notes say what a reader of the table of a validation should know besides.
func (r *Report) Notes() []string {
	var list []string
	v := r.Validated
	if s := v.SteadyState; s != nil {
		list = append(list, fmt.Sprintf(
			"In the long run no policy earns more than %s $/h on such a stream of jobs (%s); a short replication may.",
			text.Grouped(3600*float64(s.RevenuePerSecond)), s.Name))
	}
	if !v.Timed && len(r.of(study.Model)) > 0 {
		list = append(list, "The model predicts what is earned while jobs arrive; "+
			"policies also earn from the last arrival until the last job has ended.")
	}
	if v.Cut > 0 {
		list = append(list, fmt.Sprintf("The scenario's own replications have about %s jobs; here they are cut to about %s, "+
			"so that the bound is found in seconds. --jobs changes that.",
			text.Fixed(v.Cut, 0), text.Fixed(workload.DrainedJobs, 0)))
	}
	if v.Drawn > 0 && v.Drawn < r.Replications {
		list = append(list, fmt.Sprintf("The figures are of the first %s.", text.Plural(v.Drawn, "replication")))
	}
	if words := ResultPrices(r.Result); words != "" {
		list = append(list, "Prices: "+words+".")
	}
	for _, words := range slices.Concat(Promises(r.Result), PromiseOrigins(r.Result)) {
		list = append(list, strings.ToUpper(words[:1])+words[1:]+".")
	}
	if words := variates(r.Result, "utilization", "used"); words != "" {
		list = append(list, strings.ToUpper(words[:1])+words[1:]+". Efficiencies, and amounts beside bounds, are plain.")
	}
	list = append(list, r.admissions()...)
	for _, l := range study.ByReason(v.LeftOut) {
		list = append(list, fmt.Sprintf("Left out: %s (%s).", l.Policy, l.Reason))
	}
	return list
}

// admissions says which jobs the computed admissions let in, those that are the
// same for several policies once.
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
		for _, c := range row.Customers {
			if a.Admit != nil {
				shares = append(shares, c.Name+" "+text.Percent(c.Admit))
			}
		}
		for _, t := range a.Thresholds {
			q := float64(*t.Admit)
			share := t.Name + " " + text.Percent(q)
			if t.Waiting != nil && *t.Waiting == 0 {
				share = t.Name + " " + text.Percent(0)
			} else if t.Waiting != nil && q > 0 {
				share += fmt.Sprintf(" while fewer than %d wait", *t.Waiting)
			}
			shares = append(shares, share)
		}
		words := fmt.Sprintf("Admitted, %s: %s.", name, strings.Join(shares, ", "))
		if r.Trace != "" && r.Trace != scenario.SP2Like && searched && r.Resampled == nil {
			words += " It was found on these jobs, with other lots (in-sample)."
		}
		if !slices.Contains(list, words) {
			list = append(list, words)
		}
	}
	return list
}

// fillProves says of bounds what they prove.
func fillProves(v *study.ValidationResult, list []study.BoundResult) {
	for i := range list {
		list[i].Proves = proves(list[i], v.Serves)
	}
}

// proves says what a bound limits, given what it allows a scheduler.
func proves(b study.BoundResult, serves string) string {
	switch {
	case b.Kind == study.Model && b.Residual == "":
		return "job classes fitted to the trace by customer, as by trace fit; " +
			"the most that a static admission earns with them in the queueing model, " + Residual(model.Pooled.String()) + ", while jobs arrive"
	case b.Kind == study.Model:
		words := "the most that a static admission earns in the queueing model, " + Residual(b.Residual)
		if math.IsNaN(float64(b.Gap)) {
			words += "; the best of many local searches, not proven to be the optimum"
		}
		return words
	case b.Name == study.FluidBound:
		return "the jobs that arrived, packed by value per node-second into all of the machine's time " +
			"up to the last possible finish, whenever they arrive"
	case b.Name == study.ClairvoyantBound:
		return "the most that a scheduler with knowledge of the future can collect, free to preempt, move and split jobs, " +
			"serving " + serves + ", paid by the work that is done"
	case b.Name == study.IndivisibleBound:
		return "the same, and a job, or the mandatory part of one, pays only as a whole"
	case b.Name == study.UnpreemptedBound:
		return "the most that a scheduler with knowledge of the future can collect if every job runs once, whole, " +
			"on processors of its own: it limits policies that neither preempt jobs nor share nodes"
	}
	return "the most that any policy earns on such a stream of jobs in the long run"
}

// variates says how many times smaller control variates make the variance of a measure
// in the rows of a result; it is "" without control variates. The name is the one that
// readers know the measure by.
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

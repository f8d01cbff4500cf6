package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/served"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// harms says whom a change harms most.
func (v verdict) harms() []remark {
	if len(v.Harm) == 0 {
		return nil
	}
	return []remark{{HarmLine(v.Harm), ""}}
}

// harmsAndLoses says whom a change harms most and how many jobs are lost, unless the harm is that a customer loses them.
func (v verdict) harmsAndLoses() []remark {
	harm := v.harms()
	if harm != nil && v.Harm[0].ByNotRun() && v.Harm[0].Kind == served.Customer {
		return harm
	}
	return append(harm, v.lost()...)
}

// served says which customer waits longer than before, and how many others do.
func (v verdict) served() []remark {
	if len(v.Worse) == 0 || len(v.Harm) > 0 { // the line on harm says more
		return nil
	}
	w := v.Worse[0]
	words := fmt.Sprintf(" %s (was %s)", text.Duration(float64(w.After.Mean)), text.Duration(float64(w.Before.Mean)))
	if more := len(v.Worse) - 1; more > 0 {
		words += ", " + text.Plural(more, "other") + " longer"
	}
	return []remark{{"wait of " + w.Name, words}}
}

// lost says how many jobs leave without being served, if some customer loses at least half
// a job more than now, and how many prices keep away; all together in one line.
func (v verdict) lost() []remark {
	kinds := []loss{
		{"gives up", v.GivenUp}, {"refuses", v.Refused}, {"kills", v.Killed}, {"lets expire", v.Expired},
	}
	away := loss{"prices keep away", v.KeptAway}
	if v.together() {
		return v.count(v.sum(append([]loss{away}, kinds...)))
	}
	lines := v.count(away)
	if lines != nil && slices.ContainsFunc(v.KeptAway, v.promised) {
		lines[0].numbers += "; promises count the rest"
	}
	return append(lines, v.count(v.sum(kinds))...)
}

// loss is the jobs that customers lose in one way, and its verb.
type loss struct {
	verb string
	jobs []whatif.LostJobs // by customer
}

// sum adds losses by customer. The verb is that of the only kind that has jobs, or "loses". The scenario as it is
// has nothing before it.
func (v verdict) sum(kinds []loss) loss {
	var all loss
	for _, kind := range kinds {
		for _, c := range kind.jobs {
			if v.ChangeResult == v.all.Before {
				c.Before = 0
			}
			if c.Jobs > 0 && all.verb == "" {
				all.verb = kind.verb
			} else if c.Jobs > 0 && all.verb != kind.verb {
				all.verb = "loses"
			}
			k := slices.IndexFunc(all.jobs, func(l whatif.LostJobs) bool { return l.Name == c.Name })
			if k < 0 {
				all.jobs = append(all.jobs, c)
				continue
			}
			all.jobs[k].Jobs += c.Jobs
			all.jobs[k].Before += c.Before
		}
	}
	return all
}

// promised reports whether the customer that loses jobs has a promise.
func (v verdict) promised(l whatif.LostJobs) bool {
	return slices.ContainsFunc(v.Promises, func(p whatif.PromiseChange) bool { return p.Name == l.Name })
}

// count says how many jobs customers lose, and how many now, first those of the customer whose
// loss grows most, where a job with a promise counts for ten; nothing where no loss grows.
func (v verdict) count(of loss) []remark {
	var first, others whatif.LostJobs
	weight := func(l whatif.LostJobs) metric.Number {
		more := l.Jobs - l.Before
		if v.promised(l) && more >= 0.5 {
			return 10 * more
		}
		return more
	}
	for _, l := range of.jobs {
		if weight(l) >= 0.5 && weight(l) > weight(first) {
			first = l
		}
		others.Jobs, others.Before = others.Jobs+l.Jobs, others.Before+l.Before
	}
	if first.Name == "" {
		return nil
	}
	now := func(l whatif.LostJobs) string {
		if l.Before > 0 {
			return " (now " + meanJobs(l.Before) + ")"
		}
		return ""
	}
	words := fmt.Sprintf(" %s of %s jobs of %s", meanJobs(first.Jobs), meanJobs(first.Of), first.Name) + now(first)
	others.Jobs, others.Before = others.Jobs-first.Jobs, others.Before-first.Before
	if others.Jobs > 0 {
		words += ", " + meanJobs(others.Jobs) + " other jobs" + now(others)
	}
	return []remark{{of.verb, words}}
}

// worse is the fate of a promise that is not kept now and less so after a change.
const worse = "worsens"

// fates are what becomes of a promise, by its state after a change, or before and after.
var fates = map[string]string{
	"kept": "keeps", "not kept": "breaks", "undecided": "may keep",
	"not kept, not kept": "still breaks", "not kept, undecided": "may now keep", "kept, undecided": "may break",
}

// promises says which promises a change breaks or keeps unlike the log if that kept them,
// else unlike the scenario as it is, and of a change of promises what becomes of each.
// Promises with the same fate share a line.
func (v verdict) promises() (broken, others []remark) {
	log := &whatif.ChangeResult{}
	if v.all.Recorded != nil {
		log = v.all.Recorded
	}
	if e := v.Simulation; v.Small {
		if d := e.Difference.Mean; d < 0 && e.After.Mean > 1.001*log.Simulation.After.Mean && v.all.Recorded != nil {
			amount := aim(v.all.Objective).number(float64(log.Simulation.After.Mean))
			others = append(others, remark{"more than in the log, ", amount})
		}
	} else if e.Difference.Mean > 0 && e.After.Mean < 0.999*log.Simulation.After.Mean {
		others = append(others, remark{"delivers less than the log, ", money(log.Simulation.After, true) + " $/h"})
	}
	names, kept := map[string][]string{}, map[string]string{} // by fate; the latter of the last promise
	for _, p := range v.Promises {
		from := study.PromiseState(p.Before, float64(p.Level), v.Once)
		than := ""
		for _, q := range log.Promises {
			if same := q.Name == p.Name && q.Level == p.Level && q.Within == p.Within; same && q.Kept == "kept" {
				from = q.Kept
				if p.Kept != from {
					than = "log " + text.Hundredths(float64(q.After.Mean)) + ", "
				}
			}
		}
		if state := study.PromiseState(p.OfAdmitted, float64(p.Level), v.Once); state != p.Kept && state != "void" {
			than = text.Hundredths(float64(p.OfAdmitted.Mean)) + " of admitted, "
		}
		fate := cmp.Or(fates[from+", "+p.Kept], fates[p.Kept])
		falls := p.Difference.Mean < 0 && v.Beyond(p.Difference) && (!v.Once || p.Difference.Mean < -0.01)
		if falls && p.Kept == from && p.Kept != "kept" && !v.OfPromises {
			fate, than = worse, than+"now "+text.Hundredths(float64(p.Before.Mean))+", "
		}
		switch {
		case (p.Kept == from || p.Difference.Mean == 0) && !v.OfPromises && fate != worse:
		case p.Kept == "void":
			others = append(others, remark{p.Name + " submits no jobs: its promise is void", ""})
		default:
			names[fate] = append(names[fate], p.Name)
			kept[fate] = fmt.Sprintf(": %s (%spromised %s)", text.Percent(float64(p.After.Mean)), than,
				text.Plain(100*float64(p.Level)))
		}
	}
	for _, fate := range slices.Sorted(maps.Keys(names)) {
		list := names[fate]
		line := remark{fate + " the promise to " + list[0], kept[fate]}
		if n := len(list); n > 3 {
			line = remark{fmt.Sprintf("%s the promises to %s, %s and %d more", fate, list[0], list[1], n-2), ""}
		} else if n > 1 {
			line = remark{fate + " the promises to " + wording.Enumerate(list), ""}
		}
		if fate == worse || strings.Contains(fate, "break") {
			broken = append(broken, line)
		} else {
			others = append(others, line)
		}
	}
	return broken, others
}

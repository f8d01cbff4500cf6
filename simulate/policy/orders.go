package policy

import (
	"math"

	"revopt/simulate"
)

// ByArea is the key of smallest area first, by processor-seconds.
func ByArea(j *simulate.Job, estimate float64) float64 { return estimate * float64(j.Width) }

// ByF1 is the key F1 of Carastan-Santos and de Camargo (2017), which they found by regression
// over simulated schedules. The submission counts from time 0 of the run. Times count as 0.1 s
// at least.
func ByF1(j *simulate.Job, estimate float64) float64 {
	return math.Log10(max(estimate, 0.1))*float64(j.Width) + 870*math.Log10(max(j.Submit, 0.1))
}

// ByWFP3 is the order WFP of Tang et al. (2009): jobs become more urgent the longer they wait
// for their estimates, wide jobs more than others.
func ByWFP3(j *simulate.Job, estimate, now float64) float64 {
	wait := now - j.Submit
	if wait == 0 { // also of jobs without work
		return 0
	}
	x := wait / estimate
	return -x * x * x * float64(j.Width)
}

// orderSpec returns a policy that differs from EASY in the order of the queue. Its option
// backfill has the given values, the default first; without any, jobs are backfilled.
//
// # Policies sjf, saf-bf, wfp3, f1
//
// Orders that papers compare with: easy with another order of the queue, whose head is chosen again at every decision.
// They ignore deadlines and prices. With backfill=none no job starts before the head. wfp3 is that of Tang et al. (2009),
// and f1 that of Carastan-Santos and de Camargo (2017), who found it by regression over simulated schedules. In f1
// estimates and submissions, in seconds, count as at least 0.1.
func orderSpec(name, title, summary string, cost float64, order Backfill, backfill ...string) Spec {
	options := planOptions()
	if len(backfill) > 0 {
		options = append(options, Option{Name: "backfill", Values: backfill})
	}
	return Spec{
		Name: name, Title: title, Summary: summary, Options: options,
		Needs: Needs{Alike: true}, Runs: Plugin, Limited: true, Cost: cost,
		Make: PerSite(func(s Settings) simulate.Policy {
			return &Backfill{
				Terms: s.Terms(), Key: order.Key, Order: order.Order, InOrder: s["backfill"] == "none", Limit: s.Limit(),
			}
		}),
	}
}

package paper

import (
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// impreciseReadings are the ways to read Kim, Buyya and Kim (2007).
func impreciseReadings() []Reading {
	const rates = "section 4, figures 4(c) and 6: budget functions are linear with different rates, of which figure 6 states the averages"
	of := func(name, reads, means string, set ...scenario.Override) Reading {
		return Reading{Paper: "ic", Name: name, Reads: reads, Means: means, Of: "ic-grid", Set: set}
	}
	const (
		base  = "section 4, figure 4(b): deadlines exceed the average execution time, averaged over what is not said"
		equal = "section 3.1: the site that can complete the most is chosen; of equal ones, which all idle ones are, none is named"
		sites = "{processors: 24, mips: 1500}, {processors: 32, mips: 1250}, {processors: 24, mips: 1000}, {processors: 16, mips: 1000}, {processors: 16, mips: 750}, {processors: 32, mips: 500}"
	)
	execution := func(e model.Execution) scenario.Override {
		return scenario.Override{Path: "applications.execution", Value: string(e)}
	}
	fastest := scenario.Override{Path: "sites", Value: "[" + sites + "]"}
	return []Reading{
		of("processors", base, "the average is over the processors", execution(model.OverProcessors)),
		of("speed", base, "the average is the time at the mean speed of the processors, 1000 MIPS", execution(model.AtMeanSpeed)),
		of("mandatory", base, "the average, over the sites, is of the mandatory part alone", execution(model.OfMandatory)),
		of("fastest", equal, "the fastest of equal sites", fastest),
		of("fastest-speed", equal, "the fastest of equal sites, and deadlines by the mean speed of the processors", fastest, execution(model.AtMeanSpeed)),
		of("one-rate", rates, "all applications have the average rate", scenario.Set("applications.spread", 0)),
		of("all-rates", rates, "rates are drawn evenly from 0 to twice the average", scenario.Set("applications.spread", 1)),
	}
}

// impreciseClaims are the claims of Kim, Buyya and Kim (2007). How long its estimate
// takes, O(processors x jobs) in section 3.4, is no result and not among them.
func impreciseClaims() []Claim {
	return slices.Concat(impreciseRules(), impreciseSetup(), impreciseResults())
}

// impreciseRules are the model and the schemes of sections 2 to 4, on processors of
// 1000 MIPS.
func impreciseRules() []Claim {
	rule := items("ic", "")
	try := func(e *Evidence, scheme string, processors []int, jobs ...simulate.Job) *trial {
		sites := alike(processors...)
		for i := range sites {
			sites[i].Machines = []simulate.Machine{{Speed: 1000}}
		}
		return e.try(made(scheme, nil), sites, jobs...)
	}
	// The first would take 2000 s and is due at 3000, the second comes at 500, would
	// take as long and is due at 2600. Both mandatory parts are done at 2000.
	first := inParts(0, 1e6, 1e6, 3000, 1000, simulate.Linear(0.0005))
	second := inParts(500, 1e6, 1e6, 2100, 1000, simulate.Linear(0.0002))
	scheme := func(name, place, says, by string, want ...float64) Claim {
		return rule(name, System, place, says, by, func(e *Evidence) Verdict {
			return matches("paid", try(e, name, []int{1}, first, second).each(paid), want)
		})
	}
	const two = "two applications on one processor, "
	return []Claim{
		rule("budget", Formula, "section 2", "an application of p parts pays p (b^m + b^o(o)) at most", "three parts on three idle processors: 3 (1000 + 500) $", func(e *Evidence) Verdict {
			j := first
			j.Width = 3
			j.Value.Price *= 3
			return matches("paid", try(e, "mf-edf", []int{3}, j).each(paid), []float64{4500})
		}),
		rule("budget-shape", System, "section 2, figure 1", "a part pays b^m once its mandatory length is done, and then more, never less, with the executed optional length", "deadlines that leave none, a quarter and all of the optional length, with a straight and a concave function of 500 $", func(e *Evidence) Verdict {
			var got []float64
			for _, due := range []float64{1000, 1250, 2000} {
				for _, b := range []simulate.Bonus{simulate.Linear(0.0005), simulate.Concave{Top: 500, Length: 1e6, Exponent: 0.5}} {
					got = append(got, try(e, "mf-edf", []int{1}, inParts(0, 1e6, 1e6, due, 1000, b)).ends[0].paid)
				}
			}
			return matches("paid", got, []float64{1000, 1000, 1125, 1250, 1500, 1500})
		}),
		rule("expiry", System, "sections 2 and 3.2", "at its deadline a job is returned with what it has", "an optional length that would end at 2000 s, deadline 1250 s", func(e *Evidence) Verdict {
			return matches("end", try(e, "mf-edf", []int{1}, inParts(0, 1e6, 1e6, 1250, 1000, simulate.Linear(0))).each(ended), []float64{1250})
		}),
		rule("broker", System, "section 3.1, figure 2", "the broker sends an application to the site that gains the most budget by it", "two sites of one processor: the first application to the first, the second to the idle one, where its optional part pays too", func(e *Evidence) Verdict {
			t := try(e, "mf-edf", []int{1, 1}, first, second)
			a, b := t.ends[0], t.ends[1]
			return is(a.site == 0 && b.site == 1 && a.paid+b.paid == 2700, "sites %d and %d, paid %.5g", a.site, b.site, a.paid+b.paid)
		}),
		rule("mandatory-first", System, "section 3.2, figure 3", "optional lengths run while no mandatory one waits, and are preempted by those that come", "an application at 1200 s stops the optional length of the first for 1000 s: 1250 and 1000 $, ends at 2500 and 2200 s", func(e *Evidence) Verdict {
			t := try(e, "mf-hbf", []int{1}, inParts(0, 1e6, 1e6, 2500, 1000, simulate.Linear(0.0005)), inParts(1200, 1e6, 0, 1000, 1000, simulate.Linear(0)))
			return matches("paid and ends", append(t.each(paid), t.each(ended)...), []float64{1250, 1000, 2500, 2200})
		}),
		scheme("mf-edf", "section 3.3", "mandatory and optional lengths by deadline", two+"optional lengths of 400 and 600 s", 1200, 1120),
		scheme("mf-hbf", "section 3.3", "mandatory lengths by deadline, optional ones by what all of them pays", two+"the whole optional length of the first", 1500, 1000),
		scheme("mf-timeshare", "section 3.3", "mandatory lengths by deadline, optional ones share what is left", two+"optional lengths of 300 + 400 and 300 s", 1350, 1060),
		rule("refuse", System, "section 3.4", "an application is refused where a mandatory part, its own or another's, could not be done in time", "a third on the same processor, due 900 s after 600", func(e *Evidence) Verdict {
			t := try(e, "mf-hbf", []int{1}, first, second, inParts(600, 1e6, 0, 900, 1000, simulate.Linear(0)))
			return is(t.refused(2) && t.ends[2].why == simulate.Deadline, "refused %t: %v", t.refused(2), t.ends[2].why)
		}),
		scheme("hard-mo", "section 4", "Hard-M+O takes both lengths as one, by deadline", two+"the second is refused", 1500, 0),
		scheme("hard-m", "section 4", "Hard-M runs mandatory lengths alone, by deadline", two+"nothing for optional lengths", 1000, 1000),
	}
}

// impreciseSetup is figure 4.
func impreciseSetup() []Claim {
	setup := items("ic", "")
	const grid = "ic-grid"
	// within decides that drawn numbers fill a range: none is beyond, and the extremes
	// are less than a fiftieth of it away from its ends.
	within := func(what string, drawn []float64, low, high float64) Verdict {
		least, most := slices.Min(drawn), slices.Max(drawn)
		slack := (high - low) / 50
		ok := least >= low*(1-1e-9) && most <= high*(1+1e-9) && least <= low+slack && most >= high-slack
		return is(ok, "%s %.4g to %.4g", what, least, most)
	}
	each := func(jobs []simulate.Job, f func(j *simulate.Job) float64) (list []float64) {
		for i := range jobs {
			list = append(list, f(&jobs[i]))
		}
		return list
	}
	return []Claim{
		setup("04a-resources", Number, "section 4, figure 4(a)", "six resources of 32, 16, 16, 24, 32 and 24 processors, 144 in all, of 500 to 1500 MIPS", "the sites of ic-grid", func(e *Evidence) Verdict {
			var got []float64
			all := 0.0
			for _, s := range e.scenarioOf(grid).Grid.Sites {
				got = append(got, float64(s.Processors), s.MIPS)
				all += float64(s.Processors)
			}
			return matches("processors, MIPS and sum", append(got, all), []float64{32, 500, 16, 750, 16, 1000, 24, 1000, 32, 1250, 24, 1500, 144})
		}),
		setup("04b-applications", System, "section 4, figure 4(b)", "1000 applications of 1 to 16 parts, mandatory lengths of 0.6 to 7.2 million MI at 0.001 $, optional ones of 0.5 to 4 times that", "drawn applications: ranges met within a fiftieth", func(e *Evidence) Verdict {
			jobs := e.drawnJobs(grid)
			return all(is(len(jobs) == 1000, "%d applications", len(jobs)), within("parts", each(jobs, func(j *simulate.Job) float64 { return float64(j.Width) }), 1, 16),
				within("mandatory", each(jobs, func(j *simulate.Job) float64 { return j.Spec.Imprecise.Mandatory }), 6e5, 7.2e6),
				within("optional over mandatory", each(jobs, func(j *simulate.Job) float64 { return j.Spec.Imprecise.Optional / j.Spec.Imprecise.Mandatory }), 0.5, 4),
				within("$ per MI", each(jobs, func(j *simulate.Job) float64 { return j.Spec.Imprecise.Reward / j.Spec.Imprecise.Mandatory }), 0.001, 0.001))
		}),
		setup("04b-deadlines", System, "section 4, figure 4(b)", "deadlines are 10, 20, 40, 60 or 80 % more than the average execution time", "drawn applications: deadline over the mean of the execution times on the six resources", func(e *Evidence) Verdict {
			mean := 0.0
			for _, s := range e.scenarioOf(grid).Grid.Sites {
				mean += 1 / s.MIPS / 6
			}
			var got []float64
			for _, laxity := range []float64{0.1, 0.2, 0.4, 0.6, 0.8} {
				over := each(e.drawnJobs(grid, scenario.Set("applications.laxity", laxity)), func(j *simulate.Job) float64 { return j.Value.Due/(j.Work*mean) - 1 })
				got = append(got, slices.Min(over), slices.Max(over))
			}
			return matches("laxities", got, []float64{0.1, 0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8})
		}),
		setup("04c-linear", System, "section 4, figure 4(c)", "budget functions are straight lines of different slopes", "drawn applications: half the optional length pays half; the slopes, over b^m and a million MI, are from 0.1 to 0.3", func(e *Evidence) Verdict {
			jobs := e.drawnJobs(grid)
			straight := each(jobs, func(j *simulate.Job) float64 {
				i := j.Spec.Imprecise
				return (i.Worth(i.Optional/2) - i.Reward) / i.Rate()
			})
			return all(within("half pays", straight, 0.5, 0.5), within("slopes", each(jobs, func(j *simulate.Job) float64 {
				i := j.Spec.Imprecise
				return i.Rate() / i.Optional / i.Reward * workload.RateUnit
			}), 0.1, 0.3))
		}),
		setup("arrivals", Number, "section 4", "applications come as a Poisson process, one every 5 minutes on average", "drawn applications: mean time between them within 10 % of 300 s, its standard deviation within 10 % of the mean", func(e *Evidence) Verdict {
			jobs := e.drawnJobs(grid)
			var sum, squares float64
			for i, j := range jobs {
				gap := j.Submit
				if i > 0 {
					gap -= jobs[i-1].Submit
				}
				sum, squares = sum+gap, squares+gap*gap
			}
			n := float64(len(jobs))
			mean := sum / n
			return all(exact(mean).near(300, 30, " s"), exact(math.Sqrt(squares/n-mean*mean)/mean).near(1, 0.1, " times that"))
		}),
	}
}

// impreciseResults are figures 5 and 6. Schemes are compared on the same applications.
func impreciseResults() []Claim {
	result := func(id string, kind ClaimKind, place, says, by string, decide func(e *Evidence) Verdict) Claim {
		return Claim{ID: "ic-" + id, Kind: kind, Place: "section 4, figure " + place, Says: says, By: by + ", beyond 95 % intervals", On: "ic-grid", Decide: decide}
	}
	const (
		edf, hbf, share, whole, mandatory = 0, 1, 2, 3, 4 // among the schemes
		money                             = " million $"
	)
	flexible, hard := []int{edf, hbf, share}, []int{whole, mandatory}
	taken := func(e *Evidence) impreciseStudy { return e.impreciseStudy(laxityStudy, "acceptance", 100) }
	earned := func(e *Evidence) impreciseStudy { return e.impreciseStudy(laxityStudy, "utility", 1e-6) }
	byRate := func(e *Evidence) impreciseStudy { return e.impreciseStudy(rateStudy, "utility", 1e-6) }
	return []Claim{
		result("05a-whole", Number, "5(a)", "Hard-M+O accepts less than half of the applications", "every laxity, below 50 %", func(e *Evidence) Verdict {
			var list []Verdict
			for i := range taken(e).x {
				list = append(list, exceeds(exact(50), averaged(taken(e).of(whole, i)), " %"))
			}
			return all(list...)
		}),
		result("05a-flexible", Number, "5(a)", "the mandatory-first schemes accept about 80 %", "each scheme, mean over the laxities within 2.5 points", func(e *Evidence) Verdict {
			var list []Verdict
			for _, k := range flexible {
				list = append(list, taken(e).mean(k).near(80, 2.5, " % "+schemes()[k].name))
			}
			return all(list...)
		}),
		result("05a-order", Order, "5(a)", "the mandatory-first schemes accept more than Hard-M+O", "every laxity", func(e *Evidence) Verdict {
			return taken(e).above(flexible, hard[:1], nil, " points")
		}),
		result("05a-mandatory", Number, "5(a)", "Hard-M accepts all", "mean over the laxities within a point of 100 %", func(e *Evidence) Verdict {
			return taken(e).mean(mandatory).near(100, 1, " %")
		}),
		result("05b-mandatory", Order, "5(b)", "Hard-M has low profit", "below every other scheme at every laxity", func(e *Evidence) Verdict {
			return earned(e).above([]int{edf, hbf, share, whole}, hard[1:], nil, money)
		}),
		result("05b-more", Order, "5(b)", "the mandatory-first schemes have more profit than those for hard deadlines", "each against both at every laxity", func(e *Evidence) Verdict {
			return earned(e).above(flexible, hard, nil, money)
		}),
		result("05b-overload", Order, "5(b)", "in overload the mandatory-first schemes do better than those for hard deadlines", "each against both at laxities of 10 and 20 %", func(e *Evidence) Verdict {
			return earned(e).above(flexible, hard, func(x float64) bool { return x < 0.21 }, money)
		}),
		result("06-crossing", Order, "6", "at low budget rates Hard-M+O earns even less than Hard-M", "mean rates of 0.05 and 0.1", func(e *Evidence) Verdict {
			return byRate(e).above(hard[1:], hard[:1], func(x float64) bool { return x < 0.11 }, money)
		}),
		result("06-more", Order, "6", "the mandatory-first schemes earn more than those for hard deadlines", "each against both at every rate", func(e *Evidence) Verdict {
			return byRate(e).above(flexible, hard, nil, money)
		}),
	}
}

// An impreciseStudy is a measure of the schemes along the parameter of a figure.
type impreciseStudy struct {
	x  []float64
	of func(scheme, i int) []float64 // by replication
}

// impreciseStudy returns a measure, in a unit of so many of its own, under the reading.
func (e *Evidence) impreciseStudy(from func(Options) design, measure string, scale float64) impreciseStudy {
	d := from(e.o)
	found := e.sweeps(specs(e.o, d))
	return impreciseStudy{d.values, func(scheme, i int) []float64 {
		values := slices.Clone(found[0].Values(study.Case{Point: i, Policy: scheme}, measure, ""))
		for k := range values {
			values[k] *= scale
		}
		return values
	}}
}

// above decides that all of some schemes have more than all of others wherever
// keep(x) is true; nil keeps all.
func (s impreciseStudy) above(more, less []int, keep func(x float64) bool, unit string) Verdict {
	var list []Verdict
	for _, a := range more {
		for _, b := range less {
			var pair []Verdict
			least, most := math.Inf(1), math.Inf(-1)
			for i, x := range s.x {
				if keep == nil || keep(x) {
					d := paired(s.of(a, i), s.of(b, i))
					pair = append(pair, exceeds(d, exact(0), ""))
					least, most = min(least, d.mean), max(most, d.mean)
				}
			}
			v := all(pair...)
			v.Got = fmt.Sprintf("%s less %s %+.3g to %+.3g%s", schemes()[a].name, schemes()[b].name, least, most, unit)
			list = append(list, v)
		}
	}
	return all(list...)
}

// mean returns the mean of a scheme along the parameter.
func (s impreciseStudy) mean(scheme int) value {
	var sums []float64
	for i := range s.x {
		values := s.of(scheme, i)
		sums = append(sums, make([]float64, len(values)-len(sums))...)
		for k, v := range values {
			sums[k] += v / float64(len(s.x))
		}
	}
	return averaged(sums)
}

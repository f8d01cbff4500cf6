package paper

import (
	"fmt"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// slaReadings are the ways to read Yeo and Buyya (2005). The paper states the ratios
// of means of its agreements, not the means nor the spreads.
func slaReadings() []Reading {
	const (
		means = "section 5.1: deadlines, budgets and penalties are normal, with means in given ratios; neither the means nor the spreads are stated"
		more  = "section 5.3: with a fifth of the deadlines hard about 20 % more jobs and 10 % more utility than with four fifths; of which whole is not stated"
	)
	of := func(name, reads, means string, points bool, set ...scenario.Override) Reading {
		return Reading{Paper: "sla", Name: name, Reads: reads, Means: means, Of: "sp2-sla", Points: points, Set: set}
	}
	spread := func(sd float64) (list []scenario.Override) {
		for _, what := range []string{"deadline", "budget", "penalty"} {
			list = append(list, scenario.Set("qos."+what+".sd", sd))
		}
		return list
	}
	fitted := func(name, means string, points bool) Reading {
		r := of(name, "section 5.1: the means of deadlines and penalties are not stated", means, points,
			scenario.Set("qos.deadline.low_mean", 1.3), scenario.Set("qos.penalty.low_mean", 0.005))
		r.Free, r.Tried = []string{"qos.deadline.low_mean", "qos.penalty.low_mean"}, 20
		return r
	}
	spare := of("spare", "section 5.1: Libra takes nodes by best fit; whether it gives away capacity that is left is not said",
		"Libra gives spare capacity to its jobs in proportion to their shares", false)
	spare.Options = map[string]map[string]string{"libra": {"spare": "proportional"}}
	last := of("return-last", "section 4.2, line 5 of algorithm 1: a node must not lose return; when its return without the job was computed is not said",
		"the return of a node without the job is that of the last change of its jobs", false)
	last.Options = map[string]map[string]string{"libra-sla": {"return": "last"}}
	alone := of("alone", more, "the quoted improvements are in points, of all jobs and all budgets, and those with 20 % hard deadlines: with 80 % there is less", true)
	alone.Of, alone.Takes = "sp2-sla/quoted", "20 % alone"
	return []Reading{
		of("points", more, "improvements are in points of all jobs that were submitted, and of all budgets", true),
		alone,
		fitted("tight", "deadlines of 1.3 run times and penalties of 0.005 $/s at the low means", false),
		fitted("tight-points", "the same, with improvements in points", true),
		of("narrow", means, "standard deviations of a quarter of the means, as in the pricing paper", false, spread(0.25)...),
		of("narrow-points", means, "the same, with improvements in points", true, spread(0.25)...),
		spare,
		last,
	}
}

// slaClaims are the claims of Yeo and Buyya (2005). Other schedulers that section 2
// compares in words are claims of their own papers.
func slaClaims() []Claim {
	return slices.Concat(slaRules(), slaSetup(), slaResults())
}

// slaRules are the agreement, the formulas and the algorithms of sections 3 and 4,
// on one or two nodes and a few jobs at time 0.
func slaRules() []Claim {
	rule := items("sla", "")
	var (
		sla, libra = made("libra-sla", nil), made("libra", policy.Settings{"spare": "none"})
		one        = alike(1)
		valued     = agreed(100, 200, 400, 1, false) // return 0.02
		soft, hard = agreed(100, 250, 300, 0.1, false), agreed(100, 250, 300, 0.1, true)
		rival      = func(penalty float64) simulate.Job { return agreed(100, 200, 200, penalty, false) }
		late       = agreed(100, 125, 100, 0.1, false) // has half a node beside valued, and ends at 200
	)
	return []Claim{
		rule("utility", Formula, "section 3, (1)", "a job pays its budget less its delay times its penalty rate", "a soft job that a job of higher return delays by 75 s at 0.1 $/s",
			func(e *Evidence) Verdict {
				return matches("paid", []float64{e.try(sla, one, valued, late).ends[1].paid}, []float64{100 - 75*0.1})
			}),
		rule("delay", Formula, "section 3, (2)", "the delay is the time from submission to end, less the deadline; a job that ends by then has none", "delays of the same two jobs",
			func(e *Evidence) Verdict {
				t := e.try(sla, one, valued, late)
				return matches("ends and delays", []float64{t.ends[0].at, t.ends[0].late, t.ends[1].at, t.ends[1].late}, []float64{200, 0, 200, 75})
			}),
		rule("penalty-shape", System, "section 3, figure 1", "utility is flat up to the deadline, then falls on a straight line through zero, without a floor", "value at 0, deadline, and 100, 400 and 4000 s beyond",
			func(e *Evidence) Verdict {
				var got []float64
				for _, at := range []float64{0, 200, 300, 600, 4200} {
					got = append(got, valued.Value.At(at))
				}
				return matches("value", got, []float64{400, 400, 300, 0, -3600})
			}),
		rule("hard-soft", System, "section 3", "hard deadlines are met by all accepted jobs, soft ones may be late", "LibraSLA on eight nodes, the first 400 drawn jobs that fit them, delay factor 0.005",
			func(e *Evidence) Verdict {
				jobs := e.drawnJobs("sp2-sla", scenario.Set("trace.arrival_delay_factor", 0.005))
				jobs = slices.DeleteFunc(jobs, func(j simulate.Job) bool { return j.Void || j.Width > 8 })
				jobs = jobs[:min(len(jobs), 400)]
				t := e.try(sla, alike(8), jobs...)
				late := map[bool]int{}
				for i, end := range t.ends {
					if end.late > 0 {
						late[jobs[i].Value.Hard]++
					}
				}
				return is(late[true] == 0 && late[false] > 0, "%d hard and %d soft jobs of %d are late", late[true], late[false], len(jobs))
			}),
		rule("too-short", System, "section 4", "a job whose deadline is shorter than its run time is not accepted", "deadlines of 99 and 101 s for 100 s of work, on an empty node",
			func(e *Evidence) Verdict {
				t := e.try(sla, one, agreed(100, 99, 400, 1, true))
				u := e.try(sla, one, agreed(100, 101, 400, 1, true))
				return is(t.refused(0) && !u.refused(0), "refused: %t and %t", t.refused(0), u.refused(0))
			}),
		rule("bid-share", System, "section 4", "in share by bids a job has the part of the node that its bid is of all bids", "policy bid-share, budgets of 300 and 100 for equal work",
			func(e *Evidence) Verdict {
				return matches("shares", e.try(made("bid-share", nil), one, agreed(100, 800, 300, 0, false), agreed(100, 800, 100, 0, false)).shares, []float64{0.75, 0.25})
			}),
		rule("share", Formula, "section 4, (3)", "a job's share is its remaining run time over its remaining deadline", "Libra without spare: 100 s due in 200, 400 and 800 s",
			func(e *Evidence) Verdict {
				jobs := []simulate.Job{agreed(100, 200, 1e4, 0, true), agreed(100, 400, 1e4, 0, true), agreed(100, 800, 1e4, 0, true)}
				return matches("shares", e.try(libra, one, jobs...).shares, []float64{0.5, 0.25, 0.125})
			}),
		rule("total-share", Formula, "section 4, (4)", "a node delays jobs only where its shares sum to more than one", "two jobs of half a node each, without and with a third of 0.4",
			func(e *Evidence) Verdict {
				two, three := e.try(sla, one, valued, rival(0.5)), e.try(sla, one, valued, rival(0.5), soft)
				return is(two.ends[1].late == 0 && three.ends[1].late > 0, "late by %.4g s with a sum of 1, by %.4g s with 1.4", two.ends[1].late, three.ends[1].late)
			}),
		rule("return", Formula, "section 4.1, (5)", "the return of a job is its utility over its run time and its deadline", "spare capacity goes to 300 $ due in 200 s, not to 400 $ due in 400 s, both for 100 s",
			func(e *Evidence) Verdict {
				return matches("shares", e.try(sla, one, agreed(100, 200, 300, 1, false), agreed(100, 400, 400, 1, false)).shares, []float64{0.75, 0.25})
			}),
		rule("node-return", Formula, "section 4.1, (6)", "the return of a node is the sum over its jobs", "a job goes beside another of high return, where the sum is higher, not to the empty node",
			func(e *Evidence) Verdict {
				t := e.try(sla, alike(2), valued, agreed(100, 400, 100, 1, false))
				at := t.each(node)
				return is(at[0] == at[1], "nodes %g and %g", at[0], at[1])
			}),
		rule("alg1", System, "section 4.2, algorithm 1", "a job is accepted where enough nodes do not lose return and keep its hard deadline", "last of three jobs, soft and hard, against penalties of 0.5, 2, 0.5 and 0.1; a job of two processors on one node",
			func(e *Evidence) Verdict {
				var got []bool
				for _, c := range []struct {
					penalty float64
					last    simulate.Job
				}{{0.5, soft}, {2, soft}, {0.5, hard}, {0.1, hard}} {
					got = append(got, e.try(sla, one, valued, rival(c.penalty), c.last).refused(2))
				}
				wide := valued
				wide.Width = 2
				got = append(got, e.try(sla, one, wide).refused(0))
				return is(slices.Equal(got, []bool{false, true, true, false, true}), "refused %t, by hand no, yes, yes, no, yes", got)
			}),
		rule("alg2", System, "section 4.2, algorithm 2", "spare capacity goes to the job of highest return; on a short node it and hard jobs keep their shares and the others share the shortfall (line 11 is inverted in print)", "first shares of one, two and three jobs",
			func(e *Evidence) Verdict {
				got := slices.Concat(e.try(sla, one, valued).shares, e.try(sla, one, valued, agreed(100, 400, 400, 1, false)).shares,
					e.try(sla, one, valued, rival(0.5), soft).shares, e.try(sla, one, valued, rival(0.1), hard).shares)
				return matches("shares", got, []float64{1, 0.75, 0.25, 0.5, 5. / 18, 4. / 18, 0.5, 0.1, 0.4})
			}),
		rule("libra", System, "section 5.1", "Libra takes all deadlines for hard, and the nodes with the least capacity left", "a second job joins the first on its node; a soft job that does not fit is refused, by LibraSLA it is not",
			func(e *Evidence) Verdict {
				fit := e.try(libra, alike(2), valued, agreed(100, 400, 1e4, 1, false))
				full, delayed := e.try(libra, one, valued, late), e.try(sla, one, valued, late)
				at := fit.each(node)
				return is(at[0] == at[1] && full.refused(1) && !delayed.refused(1),
					"nodes %g and %g; refused by Libra %t, by LibraSLA %t", at[0], at[1], full.refused(1), delayed.refused(1))
			}),
	}
}

// slaSetup is what section 5.1 says of the workload and of what varies.
func slaSetup() []Claim {
	setup := items("sla", "")
	const place = "section 5.1"
	return []Claim{
		setup("trace", Number, place, "the last 1000 jobs of the SP2 come every 2276 s, take 10610 s and 18 processors, on average", "the jobs of sp2-sla at a delay factor of 1, each mean within 2 %, processors within half a one",
			func(e *Evidence) Verdict {
				if e.o.Trace == "" {
					return Verdict{Got: "needs the trace: the jobs are generated", Off: 1}
				}
				jobs := e.drawnJobs("sp2-sla", scenario.Set("trace.arrival_delay_factor", 1))
				var runtime, width float64
				for _, j := range jobs {
					runtime, width = runtime+j.Work, width+float64(j.Width)
				}
				n := float64(len(jobs))
				gap := (jobs[len(jobs)-1].Submit - jobs[0].Submit) / (n - 1)
				return all(exact(gap).near(2276, 0.02*2276, " s between jobs"), exact(runtime/n).near(10610, 0.02*10610, " s"), exact(width/n).near(18, 0.5, " processors"))
			}),
		setup("machine", System, place, "the machine has 128 nodes, all rated 168", "scenario sp2-sla: 128 nodes, none of a speed of its own",
			func(e *Evidence) Verdict {
				s := e.scenarioOf("sp2-sla")
				return is(s.Trace.Nodes == 128 && s.Trace.Machines == nil, "%d nodes, alike %t", s.Trace.Nodes, s.Trace.Machines == nil)
			}),
		setup("classes", System, place, "a fifth of the jobs are urgent, with hard and short deadlines, high budgets and penalties; means in ratios of 7, 7 and 4; normal; in random order", "drawn jobs: share of urgent ones within 3 points; ratios of the means of the normals, before draws that are no agreement are repeated",
			func(e *Evidence) Verdict {
				jobs := e.drawnJobs("sp2-sla")
				q, urgent, plain := e.scenarioOf("sp2-sla").Trace.QoS, 0.0, true
				for _, j := range jobs {
					plain = plain && j.Value.Hard == (j.Class == model.HighUrgency) && j.Value.Due > j.Work
					urgent += float64(j.Class)
				}
				return all(exact(100*urgent/float64(len(jobs))).near(20, 3, " % urgent"), is(plain, "hard where urgent %t", plain),
					matches("ratios", []float64{q.Deadline.Ratio, q.Budget.Ratio, q.Penalty.Ratio}, []float64{7, 7, 4}))
			}),
		setup("delay-factor", System, place, "with an arrival delay factor of 0.01 a job 400 s after another comes 4 s after it", "times between the jobs of sp2-sla at factors of 1 and 0.01",
			func(e *Evidence) Verdict {
				slow, fast := e.drawnJobs("sp2-sla", scenario.Set("trace.arrival_delay_factor", 1)), e.drawnJobs("sp2-sla", scenario.Set("trace.arrival_delay_factor", 0.01))
				return matches("seconds", []float64{400 * fast[len(fast)-1].Submit / slow[len(slow)-1].Submit}, []float64{4})
			}),
		setup("mean-factor", System, place, "a mean factor of 2 doubles the mean of deadlines, budgets or penalties", "penalty rates of the same jobs at factors 1 and 2",
			func(e *Evidence) Verdict {
				sum := func(mean float64) (s float64) {
					for _, j := range e.drawnJobs("sp2-sla", scenario.Set("qos.penalty.low_mean", mean)) {
						s += j.Value.Decay
					}
					return s
				}
				return matches("ratio of the sums", []float64{sum(0.04) / sum(0.02)}, []float64{2})
			}),
	}
}

// slaResults are sections 5.2 to 6. An improvement over several delay factors is that
// of the totals, and settings are compared on the same jobs.
func slaResults() []Claim {
	jobs, money := completed(), utility()
	result := items("sla", "sp2-sla")
	const beyond, points = ", beyond 95 % intervals of paired differences", ", within 2.5 points"
	both := func(figure int, kind ClaimKind, word, place, says, by string, decide func(e *Evidence, t *traceStudy, f metric.Measure) Verdict) (list []Claim) {
		for i, f := range []metric.Measure{jobs, money} {
			letter, what := string(rune('a'+i)), []string{"in jobs completed ", "in utility "}[i]
			list = append(list, result(fmt.Sprintf("%02d%s-%s", figure, letter, word), kind, fmt.Sprintf("%s, figure %d(%s)", place, figure, letter), what+says, by,
				func(e *Evidence) Verdict { return decide(e, e.slaStudy(figure), f) }))
		}
		return list
	}
	order := func(settings ...int) func(*Evidence, *traceStudy, metric.Measure) Verdict {
		return func(_ *Evidence, t *traceStudy, f metric.Measure) Verdict { return t.ranked(f, settings...) }
	}
	number := func(id, letter, says string, f metric.Measure, want float64) Claim {
		by := "improvement over all delay factors with 20 % hard deadlines, less that with 80 % unless the reading takes the first alone" + points
		return items("sla", "sp2-sla/quoted")(id, Number, "section 5.3, figure 2("+letter+")", says, by, func(e *Evidence) Verdict {
			t := e.slaStudy(2)
			if e.o.Reading.Takes == "20 % alone" {
				return ofInterval(t.meanImprovement(0, f)).in(100).near(want, 2.5, " points")
			}
			return paired(t.gains(0, f), t.gains(2, f)).in(100).near(want, 2.5, " points")
		})
	}
	list := both(2, Direction, "falls", "section 5.2", "the improvement over Libra falls as the delay factor rises", "20 % hard deadlines, factors of 1: improvement at the lowest delay factor above that at the highest, and of the lower half above that of the upper one"+beyond,
		func(_ *Evidence, t *traceStudy, f metric.Measure) Verdict {
			n := len(t.axis.values)
			found := all(t.drop(0, f, []int{0}, []int{n - 1}), t.drop(0, f, span(0, n/2), span((n+1)/2, n)))
			found.Got = fmt.Sprintf("from %v to %v %%", ofInterval(t.improvement(0, 0, f)).in(100), ofInterval(t.improvement(0, n-1, f)).in(100))
			return found
		})
	list = append(list, both(2, Order, "hard", "section 5.3", "the improvement is less the more deadlines are hard", "improvement over all delay factors with 20 above 50 above 80 %"+beyond, order(0, 1, 2))...)
	list = append(list,
		number("02a-twenty", "a", "about 20 % more jobs with a fifth of the deadlines hard than with four fifths", jobs, 20),
		number("02b-ten", "b", "about 10 % more utility with a fifth of the deadlines hard than with four fifths", money, 10))
	low := func(t *traceStudy) (below, above []int) {
		for i, x := range t.axis.values {
			if x < 0.0251 {
				below = append(below, i)
			} else {
				above = append(above, i)
			}
		}
		return below, above
	}
	list = append(list, both(3, Direction, "short", "section 5.4", "with short deadlines (factor 1) the improvement is large at delay factors up to 0.025", "factor 1: improvement up to 0.025 above that beyond"+beyond,
		func(_ *Evidence, t *traceStudy, f metric.Measure) Verdict {
			below, above := low(t)
			return t.drop(0, f, below, above)
		})...)
	list = append(list, both(3, Order, "long", "section 5.4", "the improvement is lower with longer deadlines (factors 2 and 3)", "improvement over all delay factors with factor 1 above those with 2 and 3"+beyond,
		func(_ *Evidence, t *traceStudy, f metric.Measure) Verdict {
			return all(t.ranked(f, 0, 1), t.ranked(f, 0, 2))
		})...)
	list = append(list, both(3, Order, "constant", "section 5.4", "the improvement is more constant with long deadlines than with short ones", "largest less smallest improvement of a curve: with factor 1 above those with 2 and 3, beyond 95 % intervals",
		func(_ *Evidence, t *traceStudy, f metric.Measure) Verdict {
			short := t.reach(0, f)
			return all(exceeds(short, t.reach(1, f), " points (factor 2)"), exceeds(short, t.reach(2, f), " points (factor 3)"))
		})...)
	list = append(list, both(4, Order, "budget", "section 5.5", "the improvement is more with higher budgets", "improvement over all delay factors with factor 3 above 2 above 1"+beyond, order(2, 1, 0))...)
	list = append(list, result("04b-diminishes", Direction, "section 5.5, figure 4(b)", "the improvement in utility is less at delay factors of 0.03 to 0.04", "every factor: improvement from 0.03 on below that before"+beyond,
		func(e *Evidence) Verdict {
			t := e.slaStudy(4)
			below, above := low(t)
			return all(t.drop(0, money, below, above), t.drop(1, money, below, above), t.drop(2, money, below, above))
		}))
	list = append(list, both(5, Order, "penalty", "section 5.6", "the improvement is less with higher penalties", "improvement over all delay factors with factor 1 above 2 above 3"+beyond, order(0, 1, 2))...)
	return append(list, result("better", Order, "section 6", "LibraSLA completes more jobs and has more utility than Libra", "improvements over all delay factors above 0 in all twelve settings, beyond 95 % intervals",
		func(e *Evidence) Verdict {
			var list []Verdict
			least := map[string]value{}
			for _, s := range slaStudies() {
				t := e.slaStudy(s.figure)
				for c := range s.settings {
					for _, f := range []metric.Measure{jobs, money} {
						v := ofInterval(t.meanImprovement(c, f)).in(100)
						if old, ok := least[f.Name]; !ok || v.mean < old.mean {
							least[f.Name] = v
						}
						list = append(list, exceeds(v, exact(0), ""))
					}
				}
			}
			found := all(list...)
			found.Got = fmt.Sprintf("least %v %% in jobs, %v %% in utility", least[jobs.Name], least[money.Name])
			return found
		}))
}

// slaStudy returns the study of a figure under the reading.
func (e *Evidence) slaStudy(figure int) *traceStudy {
	s := slaStudies()[figure-2]
	plan := s.plan(e.o)
	return plan.study(e.sweeps(plan.sweeps(e.o)))
}

// scenarioOf returns a built-in scenario under the reading.
func (e *Evidence) scenarioOf(name string) *scenario.Scenario {
	return must(e.o.open(name).scenario())
}

// drop decides that the improvement in a setting is more at some values of the axis
// than at others.
func (t *traceStudy) drop(setting int, f metric.Measure, from, to []int) Verdict {
	return outdoes(t.gains(setting, f, from...), t.gains(setting, f, to...))
}

// ranked decides that the improvement falls from each setting to the next.
func (t *traceStudy) ranked(f metric.Measure, settings ...int) Verdict {
	var list []Verdict
	for i := 1; i < len(settings); i++ {
		list = append(list, outdoes(t.gains(settings[i-1], f), t.gains(settings[i], f)))
	}
	return all(list...)
}

// outdoes decides that one improvement is more than another on the same jobs.
func outdoes(a, b []float64) Verdict {
	d := paired(a, b)
	return decided(d.low > 0, d.high <= 0, fmt.Sprintf("%v against %v %%, %v points more", exact(pooled(a).Mean).in(100), exact(pooled(b).Mean).in(100), d.in(100)))
}

// reach returns the largest less the smallest improvement along a curve, in points.
func (t *traceStudy) reach(setting int, f metric.Measure) value {
	top, bottom := 0, 0
	for i := range t.axis.values {
		switch mean := t.improvement(setting, i, f).Mean; {
		case mean > t.improvement(setting, top, f).Mean:
			top = i
		case mean < t.improvement(setting, bottom, f).Mean:
			bottom = i
		}
	}
	return paired(t.gains(setting, f, top), t.gains(setting, f, bottom)).in(100)
}

// span returns the whole numbers from first up to, not including, end.
func span(first, end int) (list []int) {
	for i := first; i < end; i++ {
		list = append(list, i)
	}
	return list
}

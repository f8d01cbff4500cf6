package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// pricingReadings are the ways to read Yeo and Buyya (2007).
func pricingReadings() []Reading {
	const (
		free  = "section VI, (6): free processor time from arrival to deadline excludes the estimates of the other jobs"
		lapse = "section VII.B: waiting jobs past their deadlines are not run, and jobs are chosen at the latest time"
		sd    = "section VII.B: deadlines and budgets are normal about their means, with spreads that are not given"
		least = "section VII.C: the workload is high where the arrival delay factor is low; the least factor is not given"
	)
	means := map[string]string{
		"full": "the whole estimates of the other jobs count", "remaining": "what is left of the estimates of the other jobs counts",
		"window":  "of the other jobs counts what they are to get before the deadline of the new one",
		"nominal": "each other job holds the share that it was taken with until it ends",
	}
	var list []Reading
	add := func(r Reading) { r.Paper, r.Of = "pricing", "sp2-like"; list = append(list, r) }
	options := func(of string, spare bool) map[string]map[string]string {
		o := map[string]map[string]string{"libra+$": {"free": of}}
		if !spare {
			o["libra+$"]["spare"], o["libra"] = "none", map[string]string{"spare": "none"}
		}
		return o
	}
	tried := func(of string, r Reading) Reading {
		if of == "nominal" { // what a node has room for, and what an overdue job holds, are not in the text
			r.Free, r.Tried = []string{"the rule for room on a node"}, 7
		}
		return r
	}
	for _, of := range []string{"full", "remaining", "window", "nominal"} {
		if of != "full" {
			add(tried(of, Reading{Name: of, Reads: free, Means: means[of], Options: options(of, true)}))
		}
		add(tried(of, Reading{Name: of + "-none", Reads: free + "; Algorithm 2: a job has the share that it needs", Means: means[of] + ", and the rest of a node idles", Options: options(of, false)}))
	}
	latest := func(o map[string]map[string]string) map[string]map[string]string {
		for _, name := range []string{"fcfs-bf", "sjf-bf", "edf-bf"} {
			o[name] = map[string]string{"lapse": "latest"}
		}
		return o
	}
	add(Reading{Name: "latest", Reads: lapse, Means: "a waiting job leaves when it can no longer end in time", Options: latest(map[string]map[string]string{})})
	add(Reading{Name: "window-none-latest", Reads: free + "; " + lapse, Means: "both window-none and latest", Options: latest(options("window", false))})
	for _, x := range []float64{0.1, 0.5} {
		add(Reading{Name: fmt.Sprintf("sd-%g", x), Reads: sd, Means: fmt.Sprintf("standard deviations are %g of the means", x), Set: []scenario.Override{scenario.Set("qos.deadline.sd", x), scenario.Set("qos.budget.sd", x)}})
	}
	for _, x := range []float64{0.02, 0.05} {
		add(Reading{Name: fmt.Sprintf("from-%g", x), Reads: least, Means: fmt.Sprintf("claims on figures 2 and 4 begin at a delay factor of %g rather than 0.1", x), From: x})
	}
	return list
}

// quotedWithin is the tolerance of a percentage that the paper quotes of a figure,
// in points: about two standard deviations of one draw of deadlines and budgets,
// which is all that the paper simulates.
const quotedWithin = 2.5

// betaCurve is the name of the curve of a pricing factor.
func betaCurve(beta float64) string { return fmt.Sprintf("Libra+$, β = %g", beta) }

// pricingClaims are the claims of Yeo and Buyya (2007), in the order of the text.
func pricingClaims() []Claim {
	return slices.Concat(pricingRules(), pricingMethod(), pricingWorkload(), pricingFactor(), pricingUrgency(), pricingEstimates())
}

// pricingRules are the systems and formulas of sections III to VI.
func pricingRules() []Claim {
	rate := func(alpha, beta, most, others, own float64) float64 {
		return policy.Pricing{Alpha: alpha, Beta: beta}.Rate(1, most, most-others-own)
	}
	return []Claim{
		{ID: "pricing-01-flow", Kind: System, Place: "section III, figure 1", Says: "a job is accepted or rejected when it is submitted, and an accepted one is dispatched to nodes at once",
			By: "the worked example of Algorithm 1: each job is rejected for a reason, or ends on as many nodes as it asked for",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra+$", nil), alike(2), algorithmOne())
				ok, in := true, 0
				for i, f := range got.ends {
					if f.why == simulate.NoReason {
						ok, in = ok && len(f.nodes) == max(1, algorithmOne()[i].width), in+1
					}
				}
				return is(ok, "%d of %d accepted", in, len(got.ends))
			}},
		{ID: "pricing-eq2-specification", Kind: System, Place: "section IV, (1) and (2)", Says: "a job states its runtime, its memory, disk and processors, its deadline and its budget",
			By: "one job on two nodes with 10 units of memory, with one need at a time that they do not meet: it is rejected for that",
			Decide: func(e *Evidence) Verdict {
				small := simulate.Machine{Speed: 1, Memory: 10}
				got := e.byHand(made("libra+$", nil), unlike(small, small), []handJob{
					{runtime: 10, deadline: 40, budget: 20}, {runtime: 10, deadline: 40, budget: 20, memory: 11},
					{runtime: 10, deadline: 40, budget: 20, width: 3}, {runtime: 10, deadline: 9, budget: 20}, {runtime: 10, deadline: 40, budget: 9},
				})
				return agrees(got.each(why), []float64{float64(simulate.NoReason), float64(simulate.Resources), float64(simulate.Resources), float64(simulate.Deadline), float64(simulate.Budget)})
			}},
		{ID: "pricing-iv-optimization", Kind: System, Place: "section IV", Says: "a job may ask for the earliest end within its budget, or for the least cost by its deadline",
			By: "a job on a slow cheap node and one that is twice as fast at three times the price: it ends on the second if it asks for time, on the first if for cost",
			Decide: func(e *Evidence) Verdict {
				nodes := unlike(simulate.Machine{Speed: 1, Price: 1}, simulate.Machine{Speed: 2, Price: 3})
				var taken []float64
				for _, wish := range []string{"time", "cost"} {
					got := e.byHand(made("libra+$", policy.Settings{"optimize": wish}), nodes, []handJob{{runtime: 10, deadline: 40, budget: 1000}})
					taken = append(taken, got.each(node)...)
				}
				return agrees(taken, []float64{1, 0})
			}},
		{ID: "pricing-eq3-rate", Kind: Formula, Place: "section V, (3)", Says: "the price is α times the base price and β times the price of utilization",
			By: "RESMax 12, RESFree 4 by hand",
			Decide: func(*Evidence) Verdict {
				return agrees([]float64{rate(1, 0, 12, 6, 2), rate(0, 1, 12, 6, 2), rate(2, 0.5, 12, 6, 2)}, []float64{1, 3, 3.5})
			}},
		{ID: "pricing-eq4-example", Kind: Number, Place: "section V, (4) and the example", Says: "with 100 units an hour, 90 taken and 10 asked for, a deadline of 2 h costs $2 a unit and one of 5 h $1.25",
			By: "(4) and (5), exactly",
			Decide: func(*Evidence) Verdict {
				return agrees([]float64{rate(0, 1, 200, 90, 10), rate(0, 1, 500, 90, 10)}, []float64{2, 1.25})
			}},
		{ID: "pricing-eq5-resources", Kind: Formula, Place: "section V, (5)", Says: "each resource has a price of its own, and a job pays their sum",
			By: "the paper's example in a run: memory alone, and with processor time beside it",
			Decide: func(e *Evidence) Verdict {
				var got []float64
				for _, base := range []policy.Prices{{Memory: 1}, {Processor: 1, Memory: 1}} {
					priced := func(int) ([]simulate.Policy, simulate.Broker, error) {
						return []simulate.Policy{policy.NewLibraDollar(policy.DollarTerms{Pricing: policy.Pricing{Beta: 1}, Base: base})}, nil, nil
					}
					found := e.byHand(priced, unlike(simulate.Machine{Speed: 1, Memory: 100}),
						[]handJob{{runtime: 1.125, deadline: 100, budget: 1e9, memory: 80}, {runtime: 0.5, deadline: 2, budget: 1e9, memory: 20}})
					got = append(got, found.ends[1].paid)
				}
				return agrees(got, []float64{20, 20 + 0.5*2/(2-1.625)})
			}},
		{ID: "pricing-v-requirements", Kind: System, Place: "section V", Says: "the price is flexible, fair, dynamic and adaptive: it rises with α and β, with the amount asked for, with a shorter deadline, and with what others hold",
			By: "(3) to (5) with one of them changed at a time",
			Decide: func(*Evidence) Verdict {
				usual := rate(1, 0.1, 200, 90, 10)
				list := []float64{rate(1.1, 0.1, 200, 90, 10), rate(1, 0.2, 200, 90, 10), rate(1, 0.1, 200, 90, 20), rate(1, 0.1, 150, 90, 10), rate(1, 0.1, 200, 100, 10)}
				return is(slices.Min(list) > usual, "%.4g, each above %.4g", list, usual)
			}},
		{ID: "pricing-eq6-free", Kind: Formula, Place: "section VI, (6)", Says: "the free processor time is the time to the deadline less the estimates of the other jobs and of the job itself",
			By: "10 s due in 25 beside a job of 10 s: RESFree 5, $15 with α = 1 and β = 0.1",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra+$", nil), alike(1), []handJob{{runtime: 10, deadline: 40, budget: 20}, {at: 5, runtime: 10, deadline: 25, budget: 40}})
				return agrees(got.each(paid), []float64{10 * (1 + 0.1*40/30), 15})
			}},
		{ID: "pricing-algorithm1", Kind: System, Place: "section VI, Algorithm 1", Says: "resources, deadline and budget are looked at in this order; nodes are taken in ascending order of RESFree, those that are too dear left out; the dearest of them is paid",
			By: "eight jobs on two nodes worked by hand: payments, nodes and reasons",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra+$", nil), alike(2), algorithmOne())
				return all(agrees(got.each(paid), algorithmOnePays()), agrees(got.each(node), []float64{0, 0, 0, 1, -1, -1, -1, 0}),
					agrees(got.each(why), []float64{4: float64(simulate.Budget), 5: float64(simulate.Deadline), 6: float64(simulate.Resources), 7: 0}))
			}},
		{ID: "pricing-algorithm2", Kind: System, Place: "section VI, Algorithm 2", Says: "a job has the share of its estimate left over the time left to its deadline, brought up to date as jobs come and go",
			By: "10 s due in 40, and 5 s later 10 s due in 25, with the rest of the node shared in proportion: shares of 1/7 and 2/5, ends at 20 and 18.571",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra", nil), alike(1), []handJob{{runtime: 10, deadline: 40, budget: 20}, {at: 5, runtime: 10, deadline: 25, budget: 40}})
				share := 2. / 5 / (1./7 + 2./5)
				return agrees(got.each(ended), []float64{20, 5 + 10/share})
			}},
		{ID: "pricing-vi-unlike", Kind: System, Place: "section VI, assumption 5", Says: "on unlike nodes an estimate is translated to that of the node",
			By: "30 s due in 20 on nodes of speed 1 and 2: the fast one takes it, for 15 s",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra+$", nil), unlike(simulate.Machine{Speed: 1}, simulate.Machine{Speed: 2}), []handJob{{runtime: 30, deadline: 20, budget: 100}})
				return agrees(slices.Concat(got.each(node), got.each(ended), got.each(paid)), []float64{1, 15, 15 * (1 + 0.1*20/5)})
			}},
	}
}

// algorithmOne is an example of Algorithm 1 on two nodes. RESFree of the nodes:
// 30 and 30 for the first job; 5 and 5; 3 and 13; 1 and 13, of which the first is
// too dear; 1 and 11, both too dear; none; and 2 and 12 for the last.
func algorithmOne() []handJob {
	return []handJob{
		{runtime: 10, deadline: 40, budget: 20, width: 2}, {at: 5, runtime: 10, deadline: 25, budget: 40},
		{at: 5, runtime: 2, deadline: 25, budget: 10}, {at: 5, runtime: 2, deadline: 25, budget: 2.5}, {at: 5, runtime: 2, deadline: 25, budget: 2},
		{at: 5, runtime: 24, deadline: 25, budget: 99}, {at: 5, runtime: 1, deadline: 25, budget: 99, width: 3},
		{at: 5, runtime: 1, deadline: 25, budget: 100, width: 2},
	}
}

// algorithmOnePays is what its jobs pay.
func algorithmOnePays() []float64 {
	return []float64{10 * (1 + 4./30), 10 * 1.5, 2 * (1 + 2.5/3), 2 * (1 + 2.5/13), 0, 0, 0, 1 + 2.5/2}
}

// meanOf returns the mean of a number of those jobs that keep has; nil keeps all.
func meanOf(list []simulate.Job, keep func(*simulate.Job) bool, of func(*simulate.Job) float64) float64 {
	var sum, n float64
	for i := range list {
		if j := &list[i]; keep == nil || keep(j) {
			sum += of(j)
			n++
		}
	}
	return sum / n
}

// pricingMethod are the measures, policies and settings of section VII.A and B.
func pricingMethod() []Claim {
	return []Claim{
		{ID: "pricing-eq7-satisfaction", Kind: Formula, Place: "section VII.A, (7)", Says: "Job QoS Satisfaction is the jobs that end in time and within their budget over all that were submitted",
			By: "the example of Algorithm 1: 5 of 8",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra+$", nil), alike(2), algorithmOne())
				return agrees([]float64{metric.JobQoSSatisfaction().Of(got.total)}, []float64{5. / 8})
			}},
		{ID: "pricing-eq8-profitability", Kind: Formula, Place: "section VII.A, (8)", Says: "Cluster Profitability is what those jobs pay over the budgets of all that were submitted",
			By: "the example of Algorithm 1",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra+$", nil), alike(2), algorithmOne())
				var pay, budgets float64
				for i, j := range algorithmOne() {
					pay, budgets = pay+algorithmOnePays()[i], budgets+j.budget
				}
				return agrees([]float64{metric.ClusterProfitability().Of(got.total)}, []float64{pay / budgets})
			}},
		{ID: "pricing-table1-settings", Kind: System, Place: "section VII.A, Table I", Says: "20 % of high urgency, ratios of 4 and low means of 2 for deadlines and budgets, delay factor 0.5, no inaccuracy, α = 1, β = 0.1",
			By: "the built-in scenario and the defaults of Libra+$",
			Decide: func(*Evidence) Verdict {
				s := must(open("sp2-like").scenario())
				q, d := s.Trace.QoS, policy.DefaultDollar()
				return agrees([]float64{q.HighUrgency, q.Deadline.Ratio, q.Deadline.LowMean, q.Budget.Ratio, q.Budget.LowMean, s.Trace.Delay, q.Inaccuracy, d.Alpha, d.Beta},
					[]float64{0.2, 4, 2, 4, 2, 0.5, 0, 1, 0.1})
			}},
		{ID: "pricing-vii-trace", Kind: Number, Place: "section VII.B", Says: "the last 5000 jobs ask for 17 processors on average, come every 1969 s and run for 8671 s, on 128 nodes",
			By: "the jobs of the figures at delay factor 1: within half a processor and 2 %",
			Decide: func(e *Evidence) Verdict {
				list := e.drawnJobs("sp2-like", scenario.Set("trace.arrival_delay_factor", 1))
				width := meanOf(list, nil, func(j *simulate.Job) float64 { return float64(j.Width) })
				run := meanOf(list, nil, func(j *simulate.Job) float64 { return j.Work })
				gap := (list[len(list)-1].Submit - list[0].Submit) / float64(len(list)-1)
				return all(exact(width).near(17, 0.5, " processors"), exact(gap).near(1969, 0.02*1969, " s between"), exact(run).near(8671, 0.02*8671, " s each"))
			}},
		{ID: "pricing-vii-urgency", Kind: System, Place: "section VII.B", Says: "jobs of high urgency have short deadlines and large budgets, the others long and small ones, normal about means a ratio apart; deadlines always exceed run times",
			By: "20,000 or all jobs of a replication: means of D/R and B/R by urgency within 5 % of 2, 8, 8 and 2, and none of D/R up to 1",
			Decide: func(e *Evidence) Verdict {
				list := e.drawnJobs("sp2-like")
				list = list[:min(len(list), 20000)]
				urgent := func(j *simulate.Job) bool { return j.Value.Price > 4.5*j.Work }
				patient := func(j *simulate.Job) bool { return !urgent(j) }
				factor := func(j *simulate.Job) float64 { return j.Value.Due / j.Work }
				budget := func(j *simulate.Job) float64 { return j.Value.Price / j.Work }
				var found []Verdict
				for _, c := range []struct {
					what string
					keep func(*simulate.Job) bool
					of   func(*simulate.Job) float64
					want float64
				}{{" D/R", urgent, factor, 2}, {" B/R of high urgency", urgent, budget, 8}, {" D/R", patient, factor, 8}, {" B/R of low", patient, budget, 2}} {
					found = append(found, exact(meanOf(list, c.keep, c.of)).near(c.want, 0.05*c.want, c.what))
				}
				short := slices.ContainsFunc(list, func(j simulate.Job) bool { return j.Value.Due <= j.Work })
				return all(append(found, is(!short, "D > R"))...)
			}},
		{ID: "pricing-vii-delay", Kind: Formula, Place: "section VII.B", Says: "with a delay factor of 0.1, 600 s between two jobs become 60",
			By: "the times between jobs of one replication at 0.1 over those at 1",
			Decide: func(e *Evidence) Verdict {
				short, whole := e.drawnJobs("sp2-like", scenario.Set("trace.arrival_delay_factor", 0.1)), e.drawnJobs("sp2-like", scenario.Set("trace.arrival_delay_factor", 1))
				return agrees([]float64{600 * (short[999].Submit - short[0].Submit) / (whole[999].Submit - whole[0].Submit)}, []float64{60})
			}},
		{ID: "pricing-vii-inaccuracy", Kind: Formula, Place: "section VII.B", Says: "inaccuracy is the part of the true run time by which the estimate is too short",
			By: "estimates over run times of 1000 jobs at 0 and 20 %",
			Decide: func(e *Evidence) Verdict {
				of := func(inaccuracy float64) float64 {
					return meanOf(e.drawnJobs("sp2-like", scenario.Set("qos.inaccuracy", inaccuracy))[:1000], nil, func(j *simulate.Job) float64 { return j.Spec.Details.Estimate / j.Work })
				}
				return agrees([]float64{of(0), of(0.2)}, []float64{1, 0.8})
			}},
		{ID: "pricing-vii-overestimates", Kind: System, Place: "section VII.B", Says: "jobs accepted by an estimate that is too long still end in time",
			By: "500 jobs on 8 nodes, estimates up to three times too long, Libra and Libra+$: none is late",
			Decide: func(e *Evidence) Verdict {
				r := simulate.Stream(e.o.Seed, 0, "byhand", 0)
				var list []handJob
				for i := range 500 {
					run := 1 + 99*r.Float64()
					long := run * (1 + 2*r.Float64())
					list = append(list, handJob{at: 5 * float64(i), runtime: run, estimate: long, deadline: long * (1 + 5*r.Float64()), budget: 1e9, width: 1 + r.IntN(4)})
				}
				late, in := 0, 0
				for _, name := range []string{"libra", "libra+$"} {
					l, i := e.byHand(made(name, nil), alike(8), list).lateness()
					late, in = late+l, in+i
				}
				return is(late == 0, "%d of %d late", late, in)
			}},
		{ID: "pricing-vii-backfilling", Kind: System, Place: "section VII.B", Says: "FCFS-BF, SJF-BF and EDF-BF are EASY backfilling by arrival, estimate and deadline: a later job starts first if it does not delay the head",
			By: "four jobs on one processor in three orders, and four on two processors of which one may start first",
			Decide: func(e *Evidence) Verdict {
				queue := []handJob{{runtime: 10, deadline: 99, budget: 99}, {at: 1, runtime: 5, deadline: 99, budget: 99}, {at: 2, runtime: 2, deadline: 48, budget: 99}, {at: 3, runtime: 4, deadline: 27, budget: 99}}
				var found []Verdict
				for _, c := range []struct {
					name string
					ends []float64
				}{{"fcfs-bf", []float64{10, 15, 17, 21}}, {"sjf-bf", []float64{10, 21, 12, 16}}, {"edf-bf", []float64{10, 21, 16, 14}}} {
					got := e.byHand(made(c.name, nil), alike(1), queue)
					found = append(found, agrees(got.each(ended), c.ends))
				}
				got := e.byHand(made("fcfs-bf", nil), alike(2), []handJob{
					{runtime: 10, deadline: 99, budget: 99}, {at: 1, runtime: 5, deadline: 99, budget: 99, width: 2}, {at: 2, runtime: 5, deadline: 99, budget: 99}, {at: 3, runtime: 20, deadline: 99, budget: 99},
				})
				return all(append(found, agrees(got.each(ended), []float64{10, 15, 7, 35}))...)
			}},
		{ID: "pricing-vii-lapse", Kind: System, Place: "section VII.B", Says: "a job that still waits at its deadline leaves the queue and counts as rejected; one that ends in time pays its estimate at the base price, a late one nothing",
			By: "three jobs on one processor",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("fcfs-bf", nil), alike(1), []handJob{{runtime: 10, deadline: 10, budget: 99}, {at: 1, runtime: 5, deadline: 5, budget: 99}, {at: 2, runtime: 5, deadline: 9, budget: 99}})
				return all(agrees(got.each(paid), []float64{10, 0, 0}), agrees(got.each(ended), []float64{10, math.NaN(), 15}),
					agrees(got.each(why), []float64{0, float64(simulate.Lapsed), 0}))
			}},
		{ID: "pricing-vii-without", Kind: Order, Place: "section VII.B", Says: "backfilling does very poorly where jobs past their deadlines stay in the queue", On: "sp2-like",
			By: "Job QoS Satisfaction of EASY, which lets none leave, against FCFS-BF at Table I: less than half of it",
			Decide: func(e *Evidence) Verdict {
				plan := tracePlan{scenario: "sp2-like", trace: e.o.Trace, contenders: compared("easy", "fcfs-bf"), replications: e.o.replications(10, 3), metrics: []metric.Measure{metric.JobQoSSatisfaction()}}
				plan.axis = axis{path: "trace.arrival_delay_factor", values: []float64{0.5}}
				t := plan.study(e.sweeps(plan.sweeps(e.o)))
				of := func(c int) value { return ofInterval(t.interval(c, 0, metric.JobQoSSatisfaction())).in(100) }
				v := exceeds(of(1).in(0.5), of(0), " %")
				v.Got = fmt.Sprintf("%v against %v %%", of(0), of(1))
				return v
			}},
		{ID: "pricing-vii-libra-cost", Kind: Formula, Place: "section VII.B", Says: "Libra charges γ RE + δ RE/D, both factors 1",
			By: "10 s due in 40: $10.25; 10 s due in 20: $10.5",
			Decide: func(e *Evidence) Verdict {
				got := e.byHand(made("libra", nil), alike(2), []handJob{{runtime: 10, deadline: 40, budget: 20}, {runtime: 10, deadline: 20, budget: 20}})
				return agrees(got.each(paid), []float64{10.25, 10.5})
			}},
	}
}

// figureClaim is a claim that figures of sp2-like decide.
func figureClaim(id string, kind ClaimKind, figure, says, by string, decide func(e *Evidence) Verdict) Claim {
	return Claim{ID: "pricing-" + id, Kind: kind, Place: "section VII, figure " + figure, Says: says, By: by, On: "sp2-like", Decide: decide}
}

// curveFrom returns a curve from the least value of the axis on that the reading
// of the evidence takes for drawn.
func (e *Evidence) curveFrom(id, name string) plots.Series {
	s := e.curve(id, name)
	least := cmp.Or(e.o.Reading.From, 0.1)
	k := slices.IndexFunc(s.X, func(x float64) bool { return x >= least-1e-9 })
	s.X, s.Y = s.X[k:], s.Y[k:]
	if s.Low != nil {
		s.Low, s.High = s.Low[k:], s.High[k:]
	}
	return s
}

// meanAlong returns the mean of a curve along its axis, by the trapezoidal rule: it
// depends little on how fine the axis is. Its interval is the mean of theirs, as
// wide as it is where replications rise and fall together.
func meanAlong(s plots.Series) value {
	var v value
	for i := 1; i < len(s.X); i++ {
		w := (s.X[i] - s.X[i-1]) / (s.X[len(s.X)-1] - s.X[0]) / 2
		a, b := nth(s, i-1).in(w), nth(s, i).in(w)
		v = value{v.mean + a.mean + b.mean, v.low + a.low + b.low, v.high + a.high + b.high}
	}
	return v
}

// plus returns a value moved by a number.
func (v value) plus(x float64) value { return value{v.mean + x, v.low + x, v.high + x} }

// less returns the difference of two values whose errors may add up.
func (v value) less(w value) value { return value{v.mean - w.mean, v.low - w.high, v.high - w.low} }

// similar decides that two values are the same within a tolerance.
func similar(a, b value, tolerance float64, unit string) Verdict {
	found := a.less(b).near(0, tolerance, unit)
	found.Got = fmt.Sprintf("%v and %v%s", a, b, unit)
	return found
}

// pricingWorkload are the claims on figure 2.
func pricingWorkload() []Claim {
	others := []string{"FCFS-BF", "SJF-BF", "EDF-BF", "Libra"}
	rising := func(id string) func(e *Evidence) Verdict {
		return func(e *Evidence) Verdict {
			var list []Verdict
			for _, name := range append(others, "Libra+$") {
				v := risesAlong(e.curveFrom(id, name), 100, " %")
				v.Got = name + " " + v.Got
				list = append(list, v)
			}
			return all(list...)
		}
	}
	// against decides an order of both Libras and some others at the i-th factor.
	against := func(last, below bool, names ...string) func(e *Evidence) Verdict {
		return func(e *Evidence) Verdict {
			var list []Verdict
			for _, ours := range []string{"Libra", "Libra+$"} {
				s, i := e.curveFrom("pricing-02a", ours), 0
				if last {
					i = len(s.X) - 1
				}
				for _, name := range names {
					a, b := nth(s, i).in(100), nth(e.curveFrom("pricing-02a", name), i).in(100)
					v := exceeds(a, b, "")
					if below {
						v = exceeds(b, a, "")
					}
					v.Got = fmt.Sprintf("at %g %s %v, %s %v", s.X[i], ours, a, name, b)
					list = append(list, v)
				}
			}
			return all(list...)
		}
	}
	return []Claim{
		figureClaim("02a-rises", Direction, "2(a)", "as the workload decreases Job QoS Satisfaction rises, under all five policies", "figure pricing-02a, beyond the 95 % intervals", rising("pricing-02a")),
		figureClaim("02b-rises", Direction, "2(b)", "as the workload decreases Cluster Profitability rises, under all five policies", "figure pricing-02b, beyond the 95 % intervals", rising("pricing-02b")),
		figureClaim("02a-above", Order, "2(a)", "Libra and Libra+$ satisfy substantially more jobs than FCFS-BF and EDF-BF", "figure pricing-02a, means along the axis: by more than 2.5 points",
			func(e *Evidence) Verdict {
				var list []Verdict
				for _, ours := range []string{"Libra", "Libra+$"} {
					for _, name := range []string{"FCFS-BF", "EDF-BF"} {
						a, b := meanAlong(e.curveFrom("pricing-02a", ours)).in(100), meanAlong(e.curveFrom("pricing-02a", name)).in(100)
						v := exceeds(a, b.plus(2.5), "")
						v.Got = fmt.Sprintf("%s %v, %s %v %%", ours, a, name, b)
						list = append(list, v)
					}
				}
				return all(list...)
			}),
		figureClaim("02a-below-libra", Order, "2(a)", "Libra+$ satisfies fewer jobs than Libra", "figure pricing-02a, at every delay factor",
			func(e *Evidence) Verdict {
				return exceedsAll(e.curveFrom("pricing-02a", "Libra"), e.curveFrom("pricing-02a", "Libra+$"), nil, 100, " points")
			}),
		figureClaim("02a-high-load", Order, "2(a)", "under high workload Libra and Libra+$ satisfy fewer jobs than SJF-BF and EDF-BF", "figure pricing-02a, at the smallest delay factor", against(false, true, "SJF-BF", "EDF-BF")),
		figureClaim("02a-low-load", Order, "2(a)", "as the workload decreases Libra and Libra+$ come to satisfy more jobs than SJF-BF and EDF-BF", "figure pricing-02a, at delay factor 1", against(true, false, "SJF-BF", "EDF-BF")),
		figureClaim("02b-most", Order, "2(b)", "Libra+$ earns most of all policies", "figure pricing-02b, at every delay factor",
			func(e *Evidence) Verdict {
				var list []Verdict
				for _, name := range others {
					v := exceedsAll(e.curveFrom("pricing-02b", "Libra+$"), e.curveFrom("pricing-02b", name), nil, 100, " points")
					v.Got = name + " " + v.Got
					list = append(list, v)
				}
				return all(list...)
			}),
		figureClaim("02b-edf", Order, "2(b)", "EDF-BF earns much as FCFS-BF does, though it satisfies more jobs", "figures pricing-02a and 02b, means along the axis: the profitability within 2.5 points",
			func(e *Evidence) Verdict {
				mean := func(id, name string) value { return meanAlong(e.curveFrom(id, name)).in(100) }
				return all(similar(mean("pricing-02b", "EDF-BF"), mean("pricing-02b", "FCFS-BF"), 2.5, " %"),
					exceeds(mean("pricing-02a", "EDF-BF"), mean("pricing-02a", "FCFS-BF"), " %"))
			}),
		figureClaim("02a-caption", Order, "2, caption", "Libra+$ satisfies about as many jobs as each other policy, or fewer", "figure pricing-02a, means along the axis: more by at most 2.5 points",
			func(e *Evidence) Verdict {
				var list []Verdict
				a := meanAlong(e.curveFrom("pricing-02a", "Libra+$")).in(100)
				for _, name := range others {
					b := meanAlong(e.curveFrom("pricing-02a", name)).in(100)
					v := exceeds(b.plus(2.5), a, "")
					v.Got = fmt.Sprintf("%s %v", name, b)
					list = append(list, v)
				}
				v := all(list...)
				v.Got = fmt.Sprintf("Libra+$ %v, %s %%", a, v.Got)
				return v
			}),
	}
}

// pricingFactor are the claims on figures 3 and 4.
func pricingFactor() []Claim {
	high := func(x float64) bool { return x <= 0.5 }
	betas := pricingFactors()
	list := []Claim{
		figureClaim("03a-falls", Direction, "3(a)", "Job QoS Satisfaction of Libra+$ falls with β", "figure pricing-03a, beyond the 95 % intervals",
			func(e *Evidence) Verdict { return fallsAlong(e.curve("pricing-03a", "Libra+$"), 100, " %") }),
		figureClaim("03b-rises", Direction, "3(b)", "Cluster Profitability of Libra+$ rises with β before it falls", "figure pricing-03b, from β = 0.1 to 0.5, beyond the 95 % intervals",
			func(e *Evidence) Verdict {
				s := e.curve("pricing-03b", "Libra+$")
				k := indexOf(s.X, 0.5) + 1
				return risesAlong(plots.Series{X: s.X[:k], Y: s.Y[:k], Low: s.Low[:k], High: s.High[:k]}, 100, " %")
			}),
		figureClaim("03b-too-high", Direction, "3(b)", "too high a β, such as 1, earns less again", "figure pricing-03b, β = 1 below the largest",
			func(e *Evidence) Verdict {
				s := e.curve("pricing-03b", "Libra+$")
				top := topOf(s)
				v := exceeds(nth(s, top).in(100), valueAt(s, 1).in(100), " %")
				v.Got = fmt.Sprintf("largest at %g: %s", s.X[top], v.Got)
				return v
			}),
		figureClaim("03a-too-high", Order, "3(a)", "with too high a β Libra+$ satisfies fewer jobs than EDF-BF and FCFS-BF", "figure pricing-03a, β = 1",
			func(e *Evidence) Verdict {
				ours := valueAt(e.curve("pricing-03a", "Libra+$"), 1).in(100)
				var list []Verdict
				for _, name := range []string{"EDF-BF", "FCFS-BF"} {
					v := exceeds(valueAt(e.curve("pricing-03a", name), 1).in(100), ours, " %")
					v.Got = name + " " + v.Got
					list = append(list, v)
				}
				return all(list...)
			}),
		figureClaim("04b-above-libra", Order, "4(b)", "Libra+$ always earns more than Libra", "figure pricing-04b, every β at every delay factor",
			func(e *Evidence) Verdict {
				return ofEach(betas, func(beta float64) Verdict {
					return exceedsAll(e.curveFrom("pricing-04b", betaCurve(beta)), e.curveFrom("pricing-04b", "Libra"), nil, 100, " points")
				})
			}),
		figureClaim("04a-below-libra", Order, "4(a)", "under high workload Libra+$ satisfies fewer jobs than Libra", "figure pricing-04a, every β at delay factors up to 0.5",
			func(e *Evidence) Verdict {
				return ofEach(betas, func(beta float64) Verdict {
					return exceedsAll(e.curveFrom("pricing-04a", "Libra"), e.curveFrom("pricing-04a", betaCurve(beta)), high, 100, " points")
				})
			}),
		figureClaim("04a-order", Order, "4(a)", "under high workload a higher β satisfies fewer jobs", "figure pricing-04a, each β below the one before at delay factors up to 0.5",
			func(e *Evidence) Verdict {
				return ofEach(betas[1:], func(beta float64) Verdict {
					before := betas[slices.Index(betas, beta)-1]
					return exceedsAll(e.curveFrom("pricing-04a", betaCurve(before)), e.curveFrom("pricing-04a", betaCurve(beta)), high, 100, " points")
				})
			}),
		figureClaim("04b-order", Order, "4(b)", "under high workload a higher β earns more", "figure pricing-04b, β = 0.3 above 0.1 and 0.5 above 0.3 at delay factors up to 0.5; by the numbers of the text 1 is not above 0.5",
			func(e *Evidence) Verdict {
				return ofEach([]float64{0.3, 0.5}, func(beta float64) Verdict {
					before := betas[slices.Index(betas, beta)-1]
					return exceedsAll(e.curveFrom("pricing-04b", betaCurve(beta)), e.curveFrom("pricing-04b", betaCurve(before)), high, 100, " points")
				})
			}),
	}
	quotes := []struct{ beta, from, to float64 }{{0.1, 23, 40}, {0.5, 32, 57}, {1, 31, 44}}
	profit := func(e *Evidence, beta, x float64) value {
		return valueAt(e.curve("pricing-04b", betaCurve(beta)), x).in(100)
	}
	for _, q := range quotes {
		for _, p := range []struct{ x, want float64 }{{0.25, q.from}, {1, q.to}} {
			list = append(list, figureClaim(fmt.Sprintf("04b-beta-%g-at-%g", q.beta, p.x), Number, "4(b)",
				fmt.Sprintf("profitability is %g %% at an arrival delay factor of %g with β = %g", p.want, p.x, q.beta), fmt.Sprintf("figure pricing-04b, within %g points", quotedWithin),
				func(e *Evidence) Verdict { return profit(e, q.beta, p.x).near(p.want, quotedWithin, " %") }))
		}
	}
	gain := func(e *Evidence, beta float64) value { return profit(e, beta, 1).less(profit(e, beta, 0.25)) }
	return append(list, figureClaim("04b-gains", Number, "4(b)", "between delay factors of 0.25 and 1 profitability gains 17, 25 and 13 points with β = 0.1, 0.5 and 1", fmt.Sprintf("figure pricing-04b, within %g points", quotedWithin),
		func(e *Evidence) Verdict {
			var list []Verdict
			for _, q := range quotes {
				list = append(list, gain(e, q.beta).near(q.to-q.from, quotedWithin, ""))
			}
			return all(list...)
		}),
		figureClaim("04b-gains-order", Order, "4(b)", "as the workload decreases a higher β gains more profitability, one too high less", "figure pricing-04b: the gain with β = 0.5 above that with 0.1, that with 1 below that with 0.5",
			func(e *Evidence) Verdict {
				return all(exceeds(gain(e, 0.5), gain(e, 0.1), " points"), exceeds(gain(e, 0.5), gain(e, 1), " points"))
			}))
}

// ofEach decides that a claim holds for each of several factors.
func ofEach(betas []float64, decide func(beta float64) Verdict) Verdict {
	var list []Verdict
	for _, beta := range betas {
		v := decide(beta)
		v.Got = fmt.Sprintf("β = %g: %s", beta, v.Got)
		list = append(list, v)
	}
	return all(list...)
}

// pricingUrgency are the claims on figure 5.
func pricingUrgency() []Claim {
	return []Claim{
		figureClaim("05a-rises", Direction, "5(a)", "with a high β Job QoS Satisfaction rises with the jobs of high urgency, to almost that of a low β", "figure pricing-05a: β = 1 rises, and ends within 2.5 points of β = 0.1",
			func(e *Evidence) Verdict {
				s := e.curve("pricing-05a", betaCurve(1))
				return all(risesAlong(s, 100, " %"), similar(valueAt(s, 1).in(100), valueAt(e.curve("pricing-05a", betaCurve(0.1)), 1).in(100), 2.5, " %"))
			}),
		figureClaim("05b-many", Order, "5(b)", "where there are more jobs of high urgency a high β earns more", "figure pricing-05b, all of high urgency: β = 1 above 0.1, 0.3 and 0.5",
			func(e *Evidence) Verdict {
				return ofEach([]float64{0.1, 0.3, 0.5}, func(beta float64) Verdict {
					return exceeds(valueAt(e.curve("pricing-05b", betaCurve(1)), 1).in(100), valueAt(e.curve("pricing-05b", betaCurve(beta)), 1).in(100), " %")
				})
			}),
		figureClaim("05b-few", Order, "5(b)", "where there are fewer jobs of high urgency a high β can earn less", "figure pricing-05b, none of high urgency: β = 1 below 0.5",
			func(e *Evidence) Verdict {
				return exceeds(valueAt(e.curve("pricing-05b", betaCurve(0.5)), 0).in(100), valueAt(e.curve("pricing-05b", betaCurve(1)), 0).in(100), " %")
			}),
	}
}

// pricingEstimates are the claims on figure 6.
func pricingEstimates() []Claim {
	betas := pricingFactors()
	// ahead decides that each β is above what before returns at 20 %, and not below
	// it at larger under-estimates.
	ahead := func(id string, betas []float64, before func(beta float64) string) func(e *Evidence) Verdict {
		return func(e *Evidence) Verdict {
			return ofEach(betas, func(beta float64) Verdict {
				more, less := e.curve(id, betaCurve(beta)), e.curve(id, before(beta))
				found := exceeds(valueAt(more, 0.2).in(100), valueAt(less, 0.2).in(100), " %")
				for i, x := range more.X {
					if x > 0.2 && nth(less, i).low > nth(more, i).high {
						found.Outcome, found.Off = Fails, 2
						found.Got += fmt.Sprintf(", less at %g", x)
					}
				}
				return found
			})
		}
	}
	previous := func(beta float64) string { return betaCurve(betas[slices.Index(betas, beta)-1]) }
	plain := func(float64) string { return "Libra" }
	const by = ", at 20 %, and nowhere beyond the other way round"
	return []Claim{
		figureClaim("06a-exact", Order, "6(a)", "with exact estimates a higher β satisfies much fewer jobs", "figure pricing-06a at 0: each β below the one before, and β = 1 at least 5 points below 0.1",
			func(e *Evidence) Verdict {
				at := func(beta float64) value { return valueAt(e.curve("pricing-06a", betaCurve(beta)), 0).in(100) }
				found := ofEach(betas[1:], func(beta float64) Verdict { return exceeds(at(betas[slices.Index(betas, beta)-1]), at(beta), " %") })
				return all(found, exceeds(at(0.1), at(1).plus(5), " % with 5 points"))
			}),
		figureClaim("06a-under", Order, "6(a)", "with under-estimates a higher β satisfies more jobs", "figure pricing-06a"+by, ahead("pricing-06a", betas[1:], previous)),
		figureClaim("06a-libra", Order, "6(a)", "with under-estimates Libra satisfies fewest jobs", "figure pricing-06a"+by, ahead("pricing-06a", betas, plain)),
		figureClaim("06b-libra", Order, "6(b)", "with under-estimates Libra earns least", "figure pricing-06b"+by, ahead("pricing-06b", betas, plain)),
		figureClaim("06b-under", Order, "6(b)", "with under-estimates a higher β earns more", "figure pricing-06b"+by, ahead("pricing-06b", betas[1:], previous)),
	}
}

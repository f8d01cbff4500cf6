package paper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// nistFormulas are the systems and equations of Marbukh and Mills, each computed a
// second time by hand, by search over all cases, or by simulation.
func nistFormulas() []Claim {
	claim := items("nist", "")
	return []Claim{
		claim("01-providers", System, "section I, figure 1", "a user offers a job to one provider after another until one takes it", "two simulated M/G/1 queues that admit half of what comes to them: the first has half of the jobs and both a quarter left, within 1 point; waits by (16), within 5 %",
			func(e *Evidence) Verdict {
				sys := must(open("nist-one", scenario.Set("server.parallel", 1), scenario.Set("load", 1), scenario.Set("classes.all.grace", 0)).system())
				half := study.Admission{Admit: []float64{0.5}}
				x := &study.Experiment{
					Workload: must(workload.NewClasses(sys.Classes, 1, workload.Length{Jobs: 20000, WarmupFraction: 0.1})), Policy: must(study.NewPolicy(nil, "hol", nil)),
					Admission: half, Providers: []study.Provider{{Name: "second", Nodes: 1, Waiting: -1, Admission: half}}, Seed: e.o.Seed, Plain: true,
				}
				found := must(study.Replicate(e.ctx, x, 10, 1))
				var list []Verdict
				for i, share := range []float64{0.5, 0.25} {
					var taken, wait []float64
					for _, s := range found.Samples {
						taken = append(taken, float64(s.Providers[i].Admitted)/float64(s.Providers[0].Submitted))
						wait = append(wait, metric.MeanWait().Of(s.Providers[i]))
					}
					want := must(model.NewHOL(sys)).Waits(make([]float64, 1), []float64{share})[0]
					list = append(list, averaged(taken).in(100).near(100*share, 1, " %"),
						averaged(wait).in(100/want).near(100, 5, " % of the wait"))
				}
				return all(list...)
			}),
		claim("e01-budgets", Formula, "section II, (1)", "jobs of a class have budgets of their own and lose the same by delay", "two budgets at four delays, to rounding",
			func(*Evidence) Verdict {
				rich, poor := model.Linear(1000, 0.1), model.Linear(400, 0.1)
				var off float64
				for _, tau := range []float64{0, 100, 5000, 20000} {
					off = max(off, math.Abs(rich.At(tau)-poor.At(tau)-600))
				}
				return same(off, "difference of the values")
			}),
		claim("02-corners", Formula, "section II, (2), (4), figure 2", "a job is worth v+ up to τmin, less by b a second from there, and −v− from τmax on", "figure nist-02 at both corners and its end; slope (4), to rounding",
			func(e *Evidence) Verdict {
				u, b := e.curve("nist-02", "Willingness"), (utilityBase+utilityPenalty)/float64(utilityCorner-utilityGrace)
				corners := e.curve("nist-02", "Corners")
				slope := (corners.Y[0] - corners.Y[1]) / (corners.X[1] - corners.X[0])
				return same(max(math.Abs(valueAt(u, utilityGrace).mean-utilityBase), math.Abs(valueAt(u, utilityCorner).mean+utilityPenalty),
					math.Abs(u.Y[len(u.Y)-1]+utilityPenalty), math.Abs(slope-b)), "corners and slope")
			}),
		items("nist", "nist-cluster/e03")("e03-intercept", Formula, "section II, (3)", "the line of (2) has the intercept a = (v+ τmax − v− τmin)/(τmax − τmin)", "the line a − bτ meets v+ at τmin and −v− at τmax, to rounding",
			func(e *Evidence) Verdict {
				sign := -1.0
				if e.o.Reading.Takes == "plus" {
					sign = 1
				}
				const d = utilityCorner - utilityGrace
				a, b := (utilityBase*utilityCorner+sign*utilityPenalty*utilityGrace)/d, (utilityBase+utilityPenalty)/float64(d)
				return same(max(math.Abs(a-b*utilityGrace-utilityBase), math.Abs(a-b*utilityCorner+utilityPenalty)), "jump at the corners, $")
			}),
		claim("03-linear", Formula, "section II, (5), figure 3", "without grace and bound the value falls from v0 by v1 a second", "figure nist-03: v0 at 0, 0 at v0/v1, below −v0 at the end, to rounding",
			func(e *Evidence) Verdict {
				u := e.curve("nist-03", "Willingness")
				last := len(u.X) - 1
				return same(max(math.Abs(u.Y[0]-utilityBase), math.Abs(valueAt(u, 1e4).mean), math.Abs(u.Y[last]-(utilityBase-0.1*u.X[last]))), "values of the line")
			}),
		claim("e06-charge", Formula, "section II, (6)", "the provider charges the base price less the loss, and pays the user where that is negative", "a simulated M/G/1 queue: what each job is charged against its price, wait and decay, to rounding",
			func(e *Evidence) Verdict {
				q := e.oneServer()
				return all(same(q.charge, "charges"), is(q.paid > 0, "%d jobs are paid for", q.paid))
			}),
		claim("e06-demand", System, "section II, below (6)", "a user comes only where the base price is within the budget, so that the price controls demand", "linear demand against 10,000 evenly spread budgets, within 1 %",
			func(*Evidence) Verdict {
				d := model.Demand{Curve: model.LinearDemand, Elasticity: 1.5, Price: 1000, Rate: 1}
				const users = 10000
				top := d.Price * (1 + 1/d.Elasticity) // the largest budget
				var off float64
				for _, price := range []float64{200, 500, 1000, 1500} {
					willing := 0
					for i := range users {
						if (float64(i)+0.5)/users*top >= price {
							willing++
						}
					}
					off = max(off, math.Abs(d.RateAt(price)/d.RateAt(0)-float64(willing)/users))
				}
				return within(100*off, 1, " points of all users")
			}),
		claim("04-provider", System, "section III, figure 4", "jobs are admitted by a probability of their class, wait by priority, and are not preempted; the rest leave", "a simulated M/G/1 queue: shares admitted within 1 point, the urgent class waits less",
			func(e *Evidence) Verdict {
				q := e.oneServer()
				return all(q.share[0].in(100).near(100*q.admit[0], 1, " %"), q.share[1].in(100).near(100*q.admit[1], 1, " %"), exceeds(q.wait[1], q.wait[0], " s"))
			}),
		claim("e07-revenue", Formula, "section III, (7), (9)", "with a linear utility mean revenue is that of the mean delay", "a simulated M/G/1 queue: what a job of each class pays against p − v T, within 1 % of p",
			func(e *Evidence) Verdict {
				q := e.oneServer()
				return within(100*q.linear, 1, " % of the price")
			}),
		claim("e08-joint", Formula, "section III, (8), (10) to (13)", "the best schedule for given rates, then the best rates, is the best of both together", "two classes: every order and 101 by 101 admissions against the optimizer, within 0.1 %",
			func(e *Evidence) Verdict {
				sys := must(e.o.open("nist-two", scenario.Set("classes.high.grace", 0), scenario.Set("classes.low.grace", 0)).system())
				best := math.Inf(-1)
				for _, order := range [][]int{{0, 1}, {1, 0}} {
					for i := range 101 {
						for j := range 101 {
							q := []float64{float64(i) / 100, float64(j) / 100}
							best = max(best, handRevenue(sys, order, q, 1, false))
						}
					}
				}
				return exact(100*e.solve(sys).Revenue/best).near(100, 0.1, " % of the best found by search")
			}),
		claim("e15-order", Formula, "section III, (11), (14), (15)", "delay costs least where the class with the largest v1/b1 is served first", "four classes of several lengths: all 24 orders",
			func(e *Evidence) Verdict {
				sys := must(e.o.open("nist-four").system())
				sys.Classes = slices.Clone(sys.Classes)
				for i, mean := range []float64{9000, 1200, 4400, 700} {
					sys.Classes[i].Length, _ = model.New(model.Normal, mean, mean/3, 0)
					sys.Classes[i].Rate = 0.2 * sys.Parallel / mean
				}
				q := []float64{1, 1, 1, 1}
				best, most := []int(nil), math.Inf(-1)
				permutations(4, func(order []int) {
					if r := handRevenue(sys, order, q, 1, false); r > most {
						best, most = slices.Clone(order), r
					}
				})
				want := model.ServiceOrder(sys.Classes)
				return is(slices.Equal(best, want), "best order %v, by (15) %v", best, want)
			}),
		claim("e16-waits", Formula, "section III, (16)", "mean waits under head-of-line priorities", "a simulated M/G/1 queue of two classes, within 3 %",
			func(e *Evidence) Verdict {
				q := e.oneServer()
				return all(q.wait[0].in(100/q.formula[0]).near(100, 3, " %"), q.wait[1].in(100/q.formula[1]).near(100, 3, " %"))
			}),
		items("nist", "nist-four")("e17-residual", Formula, "section III, (17)", "T0 is the work that an arriving job finds in service, on one server of capacity C", "T0 of nist-four against Σ λ b2/(2n²), that of an M/G/1 queue whose server is n times as fast, within 1 %",
			func(e *Evidence) Verdict {
				sys := must(e.o.open("nist-four").system())
				q := []float64{1, 1, 1, 1}
				t0, _ := handQueue(sys, []int{0, 1, 2, 3}, q)
				want := t0 / (sys.Parallel * sys.Parallel)
				return exact(must(model.NewHOL(sys)).Residual(q)).near(want, want/100, fmt.Sprintf(" s against %.3g s", want))
			}),
		claim("e18-utilization", Formula, "section III, (18), (19)", "utilization is admitted work over capacity, summed over classes", "a simulated M/G/1 queue, within 1 point",
			func(e *Evidence) Verdict {
				q := e.oneServer()
				return q.used.in(100).near(100*q.sigma, 1, " %")
			}),
		claim("e20-revenue", Formula, "section III, (20)", "mean revenue under the best schedule", "nist-four at three admissions against the sum by hand, to rounding",
			func(e *Evidence) Verdict { return e.handVerdict("nist-four", 1) }),
		claim("e21-optimum", Formula, "section III, (21)", "the best admission solves one problem in the utilizations", "nist-four at a load of 70 %: the optimum is proven to 10⁻⁶, and none of 11⁴ admissions earns more",
			func(e *Evidence) Verdict {
				sys := must(e.o.open("nist-four", scenario.Set("load", 0.7)).system())
				r, hol, most := e.solve(sys), must(model.NewHOL(sys)), math.Inf(-1)
				for i := range 11 * 11 * 11 * 11 {
					most = max(most, hol.Revenue([]float64{float64(i%11) / 10, float64(i/11%11) / 10, float64(i/121%11) / 10, float64(i/1331) / 10}))
				}
				holds := r.Certified && most <= r.Revenue*(1+1e-6)
				return is(holds, "$%.0f an hour, $%.0f by search, gap %.1g", perHour*r.Revenue, perHour*most, r.Gap)
			}),
		claim("e22-objective", Formula, "section IV, (22), (23)", "with one class revenue is proportional to ρ (p0 − ṽ1 ρ/(1 − ρ))", "nist-one without grace at 9 loads, to rounding",
			func(e *Evidence) Verdict {
				var off float64
				for i := 1; i < 10; i++ {
					rho := float64(i) / 10
					sys := must(e.withoutGrace(scenario.Set("load", rho)).system())
					one := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual)
					scale := sys.Parallel / sys.Classes[0].Length.Mean()
					off = max(off, math.Abs(must(model.NewHOL(sys)).Revenue([]float64{1})/(scale*one.Objective(rho))-1))
				}
				return same(off, "revenue, relative")
			}),
		claim("e24-peak", Formula, "section IV, (24)", "(22) is greatest at ρ* = 1 − √(ṽ1/(p0 + ṽ1))", "search over 10⁵ utilizations at six decays, within 10⁻⁴",
			func(e *Evidence) Verdict {
				var off float64
				for _, decay := range oneClassDecays() {
					sys := must(e.withoutGrace(scenario.Set(oneClassPath, decay)).system())
					one := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual)
					best := 0.0
					for i := range 100000 {
						if rho := float64(i) / 100000; one.Objective(rho) > one.Objective(best) {
							best = rho
						}
					}
					off = max(off, math.Abs(best-one.Utilization()))
				}
				return within(off, 1e-4, "")
			}),
		claim("e25-admission", Formula, "section IV, (25)", "the best admission of one class is min(1, ρ*/β)", "the optimizer at five loads and four decays, within 10⁻⁴",
			func(e *Evidence) Verdict {
				var off float64
				for _, beta := range []float64{0.1, 0.5, 0.9, 1, 1.4} {
					for _, ratio := range []float64{1e4, 1e5, 1e6, 1e7} {
						sys := must(e.withoutGrace(scenario.Set("load", beta), scenario.Set(oneClassPath, 1000/ratio)).system())
						off = max(off, math.Abs(e.solve(sys).Admit[0]-model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual).Admission(beta)))
					}
				}
				return within(off, 1e-4, "")
			}),
		claim("e26-all", Formula, "section IV, (26)", "all jobs are admitted where p0/v1 is at least C b2/2 (1/(1 − β)² − 1)", "the optimizer 1 % above and 1 % below that, at four loads",
			func(e *Evidence) Verdict {
				holds := true
				for _, beta := range []float64{0.2, 0.5, 0.8, 0.95} {
					sys := must(e.withoutGrace(scenario.Set("load", beta)).system())
					edge := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual).Threshold(beta)
					admits := func(ratio float64) float64 {
						return e.solve(must(e.withoutGrace(scenario.Set("load", beta), scenario.Set(oneClassPath, 1000/ratio)).system())).Admit[0]
					}
					holds = holds && admits(1.01*edge) >= 1-1e-9 && admits(0.99*edge) < 1-1e-5
				}
				return is(holds, "edge within 1 %% at four loads")
			}),
		claim("05-phase", Formula, "section IV, (27), figure 5", "the regions of the phase diagram", "figure nist-05: edges that the optimizer finds by bisection against (26) and (27), within 0.01 %",
			func(e *Evidence) Verdict {
				sys := must(e.withoutGrace().system())
				one, found := model.NewOneClass(sys.Classes[0], sys.Parallel, sys.Residual), e.curve("nist-05", "Numerical")
				var off float64
				for i, beta := range found.X {
					closest := math.Inf(1)
					for _, q := range []float64{1, 0.9, 0.7, 0.5} {
						closest = min(closest, math.Abs(found.Y[i]/one.Contour(q, beta)-1))
					}
					off = max(off, closest)
				}
				return within(100*off, 0.01, fmt.Sprintf(" %% of %d edges", len(found.X)))
			}),
		claim("s4-gradient", System, "section IV, above (28)", "conjugate gradients find the best admission of any number of classes", "nist-four at loads of 40, 80 and 120 %: revenue of conjugate gradients against the proven optimum, within 0.1 %",
			func(e *Evidence) Verdict {
				least := 1.0
				for _, load := range []float64{0.4, 0.8, 1.2} {
					sys := must(e.o.open("nist-four", scenario.Set("load", load)).system())
					least = min(least, must(optimize.ConjugateGradient(e.ctx, sys, optimize.Settings{Starts: 8})).Revenue/e.solve(sys).Revenue)
				}
				return exact(100*least).near(100, 0.1, " %")
			}),
		claim("e28-grace", Formula, "section IV, (28)", "with a grace the loss counts from max(0, T0 − τmin)", "nist-two at three admissions against the sum by hand, to rounding",
			func(e *Evidence) Verdict { return e.handVerdict("nist-two", 1) }),
		claim("s4-numbers", Number, "section IV", "lengths have b1 = 4400 s and b2 = 4400² + 1500² s², 30 jobs run at a time, the grace is 3 b1, and p0 = $1000", "scenario nist-one, b2 within 1 %: lengths are not negative",
			func(*Evidence) Verdict {
				sys := must(open("nist-one").system())
				c := sys.Classes[0]
				holds := sys.Parallel == 30 && c.Length.Mean() == 4400 && c.MeanGrace() == 3*4400 && c.MeanPrice() == 1000 && c.Decay == oneClassDecay
				return all(is(holds, "n, b1, τmin, p0, d"), exact(100*c.Length.Moment(2)/(4400*4400+1500*1500)).near(100, 1, " % of b2"))
			}),
		claim("e29-load", Formula, "section V, (29)", "aggregate load is Σ μ b1/C; the load of each class is a fixed part of it", "nist-four at loads of 0.3 and 1.2, to rounding",
			func(e *Evidence) Verdict {
				low, high := must(e.o.open("nist-four", scenario.Set("load", 0.3)).system()), must(e.o.open("nist-four", scenario.Set("load", 1.2)).system())
				off := max(math.Abs(low.Load()-0.3), math.Abs(high.Load()-1.2))
				for i := range low.Classes {
					off = max(off, math.Abs(high.Classes[i].Rate/low.Classes[i].Rate-4))
				}
				return same(off, "loads")
			}),
		claim("e30-revenue", Formula, "section VI, (30)", "with bounded penalties the loss counts from max(0, Φ T0 − τmin)", "nist-cluster at three admissions against the sum by hand, to rounding",
			func(e *Evidence) Verdict { return e.handVerdict("nist-cluster", paperPhi) }),
	}
}

// within decides that numbers are no further apart than a tolerance.
func within(off, tolerance float64, unit string) Verdict {
	return is(off <= tolerance, "%.2g%s apart at most", off, unit)
}

// same decides that numbers agree to rounding.
func same(off float64, unit string) Verdict {
	if off < 1e-9 {
		return is(true, "%s agree to rounding", unit)
	}
	return is(false, "%s: %.3g off", unit, off)
}

func (e *Evidence) solve(sys model.System) optimize.Result {
	return must(optimize.Solve(e.ctx, sys, optimize.Settings{Gap: 1e-10}))
}

// withoutGrace is the one class with the linear utility (5).
func (e *Evidence) withoutGrace(overrides ...scenario.Override) builtin {
	return e.o.open("nist-one", scenario.Set("classes.all.grace", 0)).with(overrides...)
}

// handQueue returns T0 by (17) and 1/((1-sigma_s)(1-sigma_{s+1})), (19), of classes that
// are served in an order, the last first. The factors are infinite where the queue
// is not stable.
func handQueue(sys model.System, order []int, q []float64) (t0 float64, factor []float64) {
	factor = make([]float64, len(order))
	sigma := 0.0
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		c := sys.Classes[i]
		above := sigma
		sigma += q[i] * c.Rate * c.Length.Mean() / sys.Parallel
		t0 += q[i] * c.Rate * c.Length.Moment(2) / 2
		factor[i] = 1 / ((1 - above) * (1 - sigma))
		if sigma >= 1 {
			factor[i] = math.Inf(1)
		}
	}
	return t0, factor
}

// handRevenue is (20), and (28) and (30) with a grace.
func handRevenue(sys model.System, order []int, q []float64, phi float64, grace bool) float64 {
	t0, factor := handQueue(sys, order, q)
	var sum float64
	for i, c := range sys.Classes {
		if q[i] == 0 {
			continue
		}
		late := phi * t0
		if grace {
			late = max(0, late-c.Grace.Of(c.Length.Mean()))
		}
		sum += q[i] * c.Rate * (c.Price.Of(c.Length.Mean(), c.Width.Mean()) - c.Decay*late*factor[i])
	}
	return sum
}

// handVerdict compares the revenue of a built-in scenario, by the printed formula,
// with the sum by hand.
func (e *Evidence) handVerdict(name string, phi float64) Verdict {
	sys := must(open(name, scenario.Set("load", 0.98)).system())
	hol, off := must(model.NewHOL(sys)), 0.0
	for _, share := range []float64{1, 0.7, 0.3} {
		q := slices.Repeat([]float64{share}, hol.Len())
		q[0] /= 2
		off = max(off, math.Abs(hol.Revenue(q)/handRevenue(sys, model.ServiceOrder(sys.Classes), q, phi, true)-1))
	}
	return same(off, "revenue, relative")
}

// permutations calls f with every order of n things.
func permutations(n int, f func(order []int)) {
	order := make([]int, 0, n)
	var next func()
	next = func() {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				order = append(order, i)
				next()
				order = order[:len(order)-1]
			}
		}
	}
	next()
}

// A queueRun is a simulated M/G/1 queue of two classes, the urgent one first, and
// the same by formulas.
type queueRun struct {
	admit       []float64
	share, wait []value
	formula     []float64 // waits by (16)
	used        value
	linear      float64 // how far the mean price of a class is from p − v T, relative to p
	sigma       float64 // (19)
	charge      float64 // how far off a charge is, at most, relative to the price
	paid        int     // jobs that the user is paid for
}

// check returns an observer that compares charges with (6).
func (q *queueRun) check(classes []model.Class) simulate.Observer {
	return observer(func(v simulate.Event) {
		if v.Kind == simulate.Completed {
			c := classes[v.Job.Class]
			want := c.Price.Fixed - c.Decay*(v.Job.Start-v.Job.Submit)
			q.charge = max(q.charge, math.Abs(v.Job.Revenue-want)/c.Price.Fixed)
			if v.Job.Revenue < 0 {
				q.paid++
			}
		}
	})
}

// An observer is a function that sees every transition.
type observer func(simulate.Event)

// Observe implements simulate.Observer.
func (f observer) Observe(v simulate.Event) { f(v) }

// oneServer simulates 10 replications of 40,000 jobs.
func (e *Evidence) oneServer() *queueRun {
	if e.queue != nil {
		return e.queue
	}
	sys := must(open("nist-two", scenario.Set("server.parallel", 1), scenario.Set("load", 0.6), scenario.Set("classes.high.grace", 0), scenario.Set("classes.low.grace", 0),
		scenario.Set("classes.high.decay", 10), scenario.Set("classes.low.decay", 1)).system()) // τ = 3000 and 6000 s
	for i := range sys.Classes {
		sys.Classes[i].Floor = model.Floor{None: true}
	}
	q := &queueRun{admit: []float64{0.9, 0.7}}
	jobs := must(workload.NewClasses(sys.Classes, 1, workload.Length{Jobs: 40000, WarmupFraction: 0.1}))
	x := &study.Experiment{Workload: jobs, Policy: must(study.NewPolicy(nil, "hol", nil)), Admission: study.Admission{Admit: q.admit}, Seed: e.o.Seed, Plain: true}
	found := study.Outcome{Samples: must(metric.Replicate(e.ctx, 0, 10, 1, func(ctx context.Context, k int) (study.Sample, error) {
		return x.Run(ctx, k, q.check(sys.Classes))
	}))}
	of := func(name string, class int) value { return ofInterval(found.Interval(measure(name), class)) }
	hol := must(model.NewHOL(sys))
	q.formula, q.sigma = hol.Waits(make([]float64, 2), q.admit), hol.Utilization(q.admit)
	q.used = of("utilization", -1)
	for i, c := range sys.Classes {
		q.share = append(q.share, of("acceptance", i))
		q.wait = append(q.wait, of("mean_wait", i))
		q.linear = max(q.linear, math.Abs(of("revenue_per_completed", i).mean-c.Price.Fixed+c.Decay*q.wait[i].mean)/c.Price.Fixed)
	}
	e.queue = q
	return q
}

package paper

import (
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// nistClaims are the claims of Marbukh and Mills, in the order of the text.
func nistClaims() []Claim {
	return slices.Concat(nistFormulas(), nistCurves(), nistCluster(), nistSimulated())
}

// nistCurves are the claims on the analytic figures, sections IV and V. Loads and
// shares that the text names to the point hold within one.
func nistCurves() []Claim {
	one, two, four, stated := items("nist", "nist-one"), items("nist", "nist-two"), items("nist", "nist-four"), items("nist", "")
	list := []Claim{
		one("06-peak", Direction, "section IV, figure 6", "revenue rises with utilization to a maximum and then drops", "figure nist-06: every curve rises up to its maximum, falls beyond, and ends below 0",
			func(e *Evidence) Verdict {
				return eachCurve(e.figure("nist-06"), func(s plots.Series) bool {
					top := topOf(s)
					for i := 1; i < len(s.X); i++ {
						if (s.Y[i] > s.Y[i-1]) != (i <= top) {
							return false
						}
					}
					return s.Y[len(s.Y)-1] < 0
				})
			}),
		one("06-lower", Direction, "section IV, figure 6", "shorter τ have a lower maximum", "figure nist-06, the maxima in order of τ", func(e *Evidence) Verdict {
			return fallsAlong(peaks(e.figure("nist-06"), true), 1, " $/h")
		}),
		one("06-earlier", Direction, "section IV, figure 6", "with shorter τ revenue declines from a lower utilization on", "figure nist-06, the places of the maxima in order of τ", func(e *Evidence) Verdict {
			return fallsAlong(peaks(e.figure("nist-06"), false), 100, " %")
		}),
		one("07-admission", Direction, "section IV, figure 7", "all jobs are admitted up to the maximum, ever fewer beyond", "figures nist-06 and nist-07: the last load at which all are admitted is that of the maximum, within 2.5 points; no curve rises",
			func(e *Evidence) Verdict {
				free, k := e.figure("nist-06"), -1
				return eachCurve(e.figure("nist-07"), func(s plots.Series) bool {
					k++
					top := free.Series[k].X[topOf(free.Series[k])]
					falls := true
					for i := 1; i < len(s.Y); i++ {
						falls = falls && s.Y[i] <= s.Y[i-1]+1e-6
					}
					return falls && math.Abs(lastFull(s.X, s.Y)-top) < 0.025
				})
			}),
		one("08-kept", Direction, "section IV, figure 8", "with the best admission revenue stays at its maximum as load grows", "figures nist-06 and nist-08: revenue beyond the maximum within 1 % of it",
			func(e *Evidence) Verdict {
				free, k := e.figure("nist-06"), -1
				return eachCurve(e.figure("nist-08"), func(s plots.Series) bool {
					k++
					top := topOf(free.Series[k])
					for i, x := range s.X {
						if x >= free.Series[k].X[top] && math.Abs(s.Y[i]/free.Series[k].Y[top]-1) > 0.01 {
							return false
						}
					}
					return true
				})
			}),
		stated("09-tau", Number, "section V, figure 9", "two classes: $30,000 against $6,000, decays of 0.1 and 0.01 $/s, τ = 3·10⁵ and 6·10⁵ s", "figure nist-09, to rounding",
			func(e *Evidence) Verdict {
				return e.lines("nist-09", map[string][2]float64{"High value": {30000, 3e5}, "Low value": {6000, 6e5}})
			}),
		two("10-high", Number, "section V, figure 10", "all high-value jobs are admitted up to a share of 75 %", "figure nist-10, within 1 point", func(e *Evidence) Verdict {
			s := e.curve("nist-10", "High")
			return exact(100*lastFull(s.X, s.Y)).near(75, 1, " %")
		}),
		items("nist", "nist-two/low")("10-low-share", Number, "section V, figure 10", "with any high-value jobs no more than 70 % of the low-value jobs can be admitted", "figure nist-10, the largest admission of the low-value jobs, within 1 point",
			func(e *Evidence) Verdict {
				most := 100 * slices.Max(e.curve("nist-10", "Low").Y)
				if e.o.Reading.Takes == "utilization" {
					most *= must(e.o.open("nist-two").system()).Load()
				}
				return exact(most).near(70, 1, " %")
			}),
		two("10-low-falls", Direction, "section V, figure 10", "the admission of low-value jobs falls with the share of high-value jobs", "figure nist-10", func(e *Evidence) Verdict {
			return fallsAlong(e.curve("nist-10", "Low"), 100, " %")
		}),
		two("10-low-gone", Number, "section V, figure 10", "no low-value job is admitted once the share of high-value jobs reaches 60 %", "figure nist-10, the first share at which none is, within 1 point",
			func(e *Evidence) Verdict {
				s := e.curve("nist-10", "Low")
				gone, ok := firstGone(s.X, s.Y)
				if !ok {
					return Verdict{Fails, "some are admitted at all shares", 2}
				}
				return exact(100*gone).near(60, 1, " %")
			}),
		two("11-most", Number, "section V, figure 11", "revenue reaches its maximum at a share of 75 %", "figure nist-11, the first share within 10⁻⁶ of the maximum, within 1 point", func(e *Evidence) Verdict {
			s := e.figure("nist-11").Series[0]
			most := slices.Max(s.Y)
			return exact(100*s.X[slices.IndexFunc(s.Y, func(y float64) bool { return y > most*(1-1e-6) })]).near(75, 1, " %")
		}),
		stated("12-tau", Number, "section V, figure 12", "four classes of 5, 20, 15 and 60 % of the jobs: $60,000, 40,000, 20,000 and 10,000, τ = 1.5, 3, 2 and 4·10⁴ s", "figure nist-12, to rounding",
			func(e *Evidence) Verdict {
				return e.lines("nist-12", map[string][2]float64{"High value, high": {60000, 1.5e4}, "High value, low": {40000, 3e4}, "Low value, high": {20000, 2e4}, "Low value, low": {10000, 4e4}})
			}),
	}
	for _, c := range []struct {
		id, curve, says string
		from, to        float64
	}{
		{"13-LvLu", "Low value, low", "low-value, low-urgency jobs are shut out between loads of 15 and 21 %", 15, 21},
		{"13-LvHu", "Low value, high", "low-value, high-urgency jobs are shut out between loads of 28 and 40 %", 28, 40},
		{"13-HvHu", "High value, high", "high-value, high-urgency jobs are squeezed out between loads of 60 and 80 %", 60, 80},
		{"13-HvLu", "High value, low", "high-value, low-urgency jobs are rejected from a load of 90 % on", 90, 0},
	} {
		list = append(list, four(c.id, Number, "section V, figure 13", c.says, "figure nist-13: the last load at which all are admitted and the first at which none is, within 1 point", func(e *Evidence) Verdict {
			s := e.curve("nist-13", c.curve)
			found := exact(100*lastFull(s.X, s.Y)).near(c.from, 1, " %")
			switch gone, ok := firstGone(s.X, s.Y); {
			case ok:
				found = all(found, exact(100*gone).near(c.to, 1, " %"))
			case c.to > 0:
				found = all(found, Verdict{Fails, "some are admitted at all loads", 2})
			}
			return found
		}))
	}
	return append(list,
		four("14-slopes", Direction, "section V, figure 14", "the slope of revenue falls as each class becomes subject to admission control", "figure nist-14: mean slopes between the loads where a class begins to be rejected; each less than the one before",
			func(e *Evidence) Verdict {
				var slopes plots.Series
				for i, r := range regionsOf(e.figure("nist-14")) {
					n := len(r.X) - 1
					slopes.X, slopes.Y = append(slopes.X, float64(i)), append(slopes.Y, (r.Y[n]-r.Y[0])/(r.X[n]-r.X[0]))
				}
				found := fallsAlong(slopes, 0.01, " $/h per point")
				found.Got = fmt.Sprintf("%.0f $/h per unit of load", slopes.Y)
				return found
			}),
		four("14-linear", Direction, "section V, figure 14", "revenue is linear in each of the four regions", "figure nist-14: no further from the chord of a region than 2 % of the largest revenue", func(e *Evidence) Verdict {
			var off, most float64
			for _, r := range regionsOf(e.figure("nist-14")) {
				n := len(r.X) - 1
				for i, x := range r.X {
					off = max(off, math.Abs(r.Y[i]-r.Y[0]-(r.Y[n]-r.Y[0])*(x-r.X[0])/(r.X[n]-r.X[0])))
					most = max(most, r.Y[i])
				}
			}
			return exact(100*off/most).near(0, 2, " % off the chord")
		}),
	)
}

// topOf returns the place of the largest value.
func topOf(s plots.Series) int { return slices.Index(s.Y, slices.Max(s.Y)) }

// eachCurve decides that all curves of a figure have a property.
func eachCurve(fig plots.Figure, has func(plots.Series) bool) Verdict {
	n := 0
	for _, s := range fig.Series {
		if has(s) {
			n++
		}
	}
	return is(n == len(fig.Series), "%d of %d curves", n, len(fig.Series))
}

// peaks returns the heights or places of the maxima of the curves of a figure.
func peaks(fig plots.Figure, height bool) plots.Series {
	var found plots.Series
	for i, s := range fig.Series {
		found.X = append(found.X, float64(i))
		if top := topOf(s); height {
			found.Y = append(found.Y, s.Y[top])
		} else {
			found.Y = append(found.Y, s.X[top])
		}
	}
	return found
}

// lines decides that utilities begin at a price and are 0 at τ.
func (e *Evidence) lines(id string, want map[string][2]float64) Verdict {
	var off float64
	for name, w := range want {
		s := e.curve(id, name)
		off = max(off, math.Abs(s.Y[0]/w[0]-1), math.Abs(valueAt(s, w[1]).mean)/w[0])
	}
	return same(off, "prices and τ, relative")
}

// regionsOf cuts the curve of a figure at its vertical lines.
func regionsOf(fig plots.Figure) []plots.Series {
	s, last := fig.Series[0], 0
	var ends []int
	for _, r := range fig.VLines {
		ends = append(ends, indexOf(s.X, r.At))
	}
	slices.Sort(ends)
	var list []plots.Series
	for _, end := range append(ends, len(s.X)-1) {
		if end > last {
			list = append(list, plots.Series{X: s.X[last : end+1], Y: s.Y[last : end+1]})
		}
		last = end
	}
	return list
}

// nistCluster are the claims on the cluster of section VI before it is simulated.
func nistCluster() []Claim {
	claim, stated := items("nist", "nist-cluster"), items("nist", "")
	return []Claim{
		stated("t1-jobs", Number, "section VI, table 1", "5000 processors; jobs of 500 processors and 7200 ± 2400 s, at least 300 s; penalties of at most 5 %; the grace is 3 lengths", "10⁵ draws of nist-cluster: mean and deviation within 2 %, the rest exactly",
			func(e *Evidence) Verdict {
				s := must(open("nist-cluster").scenario())
				c := s.Classes[0]
				var sum, squares float64
				least := math.Inf(1)
				rnd := simulate.Stream(e.o.Seed, 0, "claims", 0)
				const n = 100000
				for range n {
					x := c.Length.Rand(rnd)
					sum, squares, least = sum+x, squares+x*x, min(least, x)
				}
				mean := sum / n
				holds := s.Nodes == 5000 && c.Width.Mean() == 500 && c.Grace.Lengths == 3 && c.Floor.OfPrice == 0.05 && least >= 300
				return all(is(holds, "widths, grace and penalty"), exact(mean).near(7200, 144, " s"), exact(math.Sqrt(squares/n-mean*mean)).near(2400, 48, " s"))
			}),
		stated("t2-classes", Number, "section VI, table 2", "classes of 64, 16, 16 and 4 % worth $1000 or 5000, $1800 on average, with decays of 0.1, 1, 0.5 and 5 $/s", "scenario nist-cluster, to rounding",
			func(e *Evidence) Verdict {
				sys := must(open("nist-cluster").system())
				var off, rate, mean float64
				for _, c := range sys.Classes {
					rate += c.Rate
				}
				for i, c := range sys.Classes {
					share, price := []float64{0.64, 0.16, 0.16, 0.04}[i], []float64{1000, 1000, 5000, 5000}[i]
					off = max(off, math.Abs(c.Rate/rate-share), math.Abs(c.MeanPrice()/price-1), math.Abs(c.Decay/[]float64{0.1, 1, 0.5, 5}[i]-1))
					mean += share * c.MeanPrice()
				}
				return same(max(off, math.Abs(mean/1800-1)), "shares, prices and decays, relative")
			}),
		stated("s6-expire", System, "section VI, below table 1", "jobs expire 10,000 or 1,000 s after the grace (mean jobs); an expired job leaves the queue and costs the largest penalty", "5 days of nist-cluster at a load of 400 %: every expired job by the second and the cent",
			func(e *Evidence) Verdict {
				f := open("nist-cluster", scenario.Set("load", 4), scenario.Override{Path: "simulation.horizon", Value: "5d"})
				x := study.Experiment{Workload: e.subject(f).Workload, Policy: must(study.NewPolicy(nil, "hol", nil)), Seed: e.o.Seed}
				var expired int
				var off float64
				must(x.Run(e.ctx, 0, observer(func(v simulate.Event) {
					if v.Kind == simulate.Expired {
						expired++
						price := v.Job.Work / perHour * 500 * []float64{1, 1, 5, 5}[v.Job.Class]
						lasts := 3*v.Job.Work + price/[]float64{0.1, 1, 0.5, 5}[v.Job.Class]
						off = max(off, math.Abs((v.Time-v.Job.Submit)/lasts-1), math.Abs(v.Job.Revenue/(0.05*price)+1))
					}
				})))
				return all(is(expired > 0, "%d jobs expire", expired), same(off, "times and penalties, relative"))
			}),
		stated("s6-priority", System, "section VI, below table 2", "the simulator serves jobs in the order of (14), (15)", "5 days of nist-cluster at a load of 200 %: no job starts while one of a more urgent class waits",
			func(e *Evidence) Verdict {
				f := open("nist-cluster", scenario.Set("load", 2), scenario.Override{Path: "simulation.horizon", Value: "5d"})
				x := study.Experiment{Workload: e.subject(f).Workload, Policy: must(study.NewPolicy(nil, "hol", nil)), Seed: e.o.Seed}
				var waiting [4]int
				place := [4]int{}
				for k, i := range model.ServiceOrder(must(f.system()).Classes) {
					place[i] = k
				}
				started, wrong := 0, 0
				must(x.Run(e.ctx, 0, observer(func(v simulate.Event) {
					switch v.Kind {
					case simulate.Admitted:
						waiting[place[v.Job.Class]]++
					case simulate.Expired:
						waiting[place[v.Job.Class]]--
					case simulate.Started:
						at := place[v.Job.Class]
						waiting[at]--
						started++
						for _, n := range waiting[at+1:] {
							wrong += n
						}
					}
				})))
				return decided(wrong == 0 && started > 0, wrong > 0, fmt.Sprintf("%d starts, %d out of order", started, wrong))
			}),
		items("nist", "nist-cluster/phi")("phi-value", Number, "section VI, above (30)", "between loads of 0.85 and 1.00 bounded penalties cut delay to 56 % on average", "figure nist-phi, the mean ratio at loads of 0.85, 0.90, 0.95 and 1.00, within 1 point",
			func(e *Evidence) Verdict {
				p := newPhiStudy(e.o, e.sweeps(phiSweeps(e.simulatedAs())))
				return ofInterval(p.mean(phiTaken(e.o.Reading.Takes, p.loads))).in(100).near(100*paperPhi, 1, " %")
			}),
		claim("phi-diverges", Direction, "section VI, above (30)", "delays with bounded and unbounded penalties diverge as load grows, most between 0.85 and 1.00", "figure nist-phi: the ratio falls along the load, and by more beyond 0.85 than before", func(e *Evidence) Verdict {
			s := newPhiStudy(e.o, e.sweeps(phiSweeps(e.simulatedAs()))).draw().Series[0]
			first, edge, last := nth(s, 0), valueAt(s, 0.85), nth(s, len(s.Y)-1)
			return all(fallsAlong(s, 1, ""), exceeds(edge.less(last), first.less(edge), ""))
		}),
		claim("15-start", Number, "section VI, figures 15 and 16", "from a load of 65 % on the optimum earns less than admitting all, so that it rejects jobs from there on", "figure nist-15, the last load at which all jobs are admitted, within 2.5 points: the text names loads in steps of 5",
			func(e *Evidence) Verdict {
				first := math.Inf(1)
				for _, s := range e.figure("nist-15", 0).Series {
					first = min(first, lastFull(s.X, s.Y))
				}
				return exact(100*first).near(65, 2.5, " %")
			}),
		claim("15-high-only", Number, "section VI, figure 17", "only high-value jobs are admitted beyond a load of 285 %", "figure nist-15, the first load at which no low-value job is admitted, within 2.5 points",
			func(e *Evidence) Verdict {
				last := 0.0
				for _, name := range []string{"Low value, high", "Low value, low"} {
					s := e.curve("nist-15", name, 0)
					gone, ok := firstGone(s.X, s.Y)
					if !ok {
						return Verdict{Fails, name + " urgency: still admitted at 500 %", 2}
					}
					last = max(last, gone)
				}
				return exact(100*last).near(285, 2.5, " %")
			}),
	}
}

// phiTaken returns the loads over which Φ is averaged.
func phiTaken(takes string, loads []float64) []float64 {
	from, below := 0.85, 2.0
	switch takes {
	case "":
		return phiLoads()
	case "from 90 %":
		return phiLoads()[1:]
	case "below 100 %":
		below = 1
	}
	return slices.DeleteFunc(slices.Clone(loads), func(x float64) bool { return x < from-1e-9 || x > below-1e-9 })
}

// sweeps returns the results of sweeps, which are run once.
func (e *Evidence) sweeps(list []*study.SweepSpec, err error) []*study.SweepResults {
	return must(e.o.runSweeps(e.ctx, must(list, err)))
}

// simulatedAs returns the options under which simulations are the same and shared: a
// reading of the formulas alone leaves jobs as they are.
func (e *Evidence) simulatedAs() Options {
	o := e.o
	if !slices.ContainsFunc(o.Reading.Set, func(v scenario.Override) bool {
		return v.Path != "phi" && v.Path != "server.residual" && v.Path != "server.grace"
	}) {
		o.Reading = Reading{}
	}
	return o
}

// tuned returns the simulations of section VI with the admission that was tuned on
// the simulator.
func (e *Evidence) tuned() *loadStudy {
	o := e.simulatedAs()
	return sectionVI(o).study(e.sweeps(sectionVISweeps(o)), 0)
}

// cluster returns the simulations of section VI without it.
func (e *Evidence) cluster() *loadStudy {
	if len(e.o.Reading.Set) == 0 || e.simulatedAs().Reading.Name == e.o.Reading.Name {
		return e.tuned()
	}
	return e.untuned(sectionVI(e.o))
}

// widths returns those of several widths.
func (e *Evidence) widths() *loadStudy { return e.untuned(widthPlan(e.o)) }

// untuned runs a plan under its first policy, without a search.
func (e *Evidence) untuned(p loadPlan) *loadStudy {
	d := p.design()
	d.admissions = d.admissions[:simulatorTuned]
	if len(d.policies) > 0 {
		d.policies = d.policies[:1]
	}
	return p.study(e.sweeps(specs(e.o, d)), 0)
}

// nistSimulated are the claims on the simulations of section VI. Optimum means the
// admission that (30) finds.
func nistSimulated() []Claim {
	claim, widths := items("nist", "nist-cluster"), items("nist", "nist-cluster-widths")
	const revenue, perJob, delay, used = "revenue_per_second", "revenue_per_job", "mean_wait", "utilization"
	return []Claim{
		claim("16-all-top", Number, "section VI, figure 16", "with all jobs admitted revenue rises in overload up to a load of about 300 %, and declines beyond", "figure nist-16: the load of the largest mean within the step of the loads; less at 100 % and at 500 %, beyond the intervals",
			func(e *Evidence) Verdict {
				s := e.cluster().series(admitEverybody, measure(revenue))
				top := topOf(s)
				return all(exact(100*s.X[top]).near(300, 100*(s.X[1]-s.X[0]), " %"), exceeds(nth(s, top), valueAt(s, 1), " $/s"), exceeds(nth(s, top), nth(s, len(s.Y)-1), " $/s"))
			}),
		claim("16-65-300", Order, "section VI, figure 16", "admitting all earns more than the optimum between loads of 65 and 300 %", "figure nist-16, paired differences at all loads between",
			func(e *Evidence) Verdict {
				return e.cluster().ahead(admitEverybody, paperOptimum, revenue, func(x float64) bool { return x > 0.65 && x < 3 })
			}),
		claim("16-beyond-300", Order, "section VI, figure 16", "the optimum earns more beyond a load of 300 %", "figure nist-16, paired differences at all loads beyond",
			func(e *Evidence) Verdict {
				return e.cluster().ahead(paperOptimum, admitEverybody, revenue, func(x float64) bool { return x > 3 })
			}),
		claim("16-most", Direction, "section VI, figure 16", "the optimum earns most as load nears 500 %", "figure nist-16: revenue rises along the load",
			func(e *Evidence) Verdict {
				return risesAlong(e.cluster().series(paperOptimum, measure(revenue)), 1, " $/s")
			}),
		claim("17-1800", Number, "section VI, figure 17", "a job earns $1800 on average up to a load of 90 %, under both admissions", "nist-cluster at loads of 50, 75 and 90 %, within 2 %",
			func(e *Evidence) Verdict {
				d := design{scenario: "nist-cluster", path: "load", values: []float64{0.5, 0.75, 0.9}, replications: e.o.replications(20, 8),
					admissions: []scenario.Admission{{Name: scenario.AdmitAll}, {Name: scenario.AdmitAnalytic}}, metrics: []metric.Measure{measure(perJob)}}
				found := e.sweeps(specs(e.o, d))[0]
				var list []Verdict
				for a := range d.admissions {
					for i := range d.values {
						list = append(list, ofInterval(found.Interval(study.Case{Point: i, Admission: a}, perJob, "")).near(1800, 36, " $"))
					}
				}
				return all(list...)
			}),
		claim("17-all-falls", Direction, "section VI, figure 17", "with all admitted a job earns less and less beyond a load of 90 %", "figure nist-17, loads from 100 % on",
			func(e *Evidence) Verdict {
				return fallsAlong(kept(e.cluster().series(admitEverybody, measure(perJob)), overload), 1, " $")
			}),
		claim("17-optimum-rises", Direction, "section VI, figure 17", "with the optimum a job earns more and more beyond a load of 90 %", "figure nist-17, loads from 100 % on",
			func(e *Evidence) Verdict {
				return risesAlong(kept(e.cluster().series(paperOptimum, measure(perJob)), overload), 1, " $")
			}),
		claim("17-mix", Direction, "section VI, figure 17", "beyond a load of 90 % the optimum admits a growing part of high-value jobs", "figure nist-15: the part of high-value jobs among those admitted, loads from 100 % on, rises along the load",
			func(e *Evidence) Verdict { return risesAlong(e.highShare(), 100, " %") }),
		claim("17-5000", Number, "section VI, figure 17", "beyond a load of 285 % a job earns $5000 on average with the optimum", "figure nist-17, loads from 300 % on, within 2 %",
			func(e *Evidence) Verdict {
				s := kept(e.cluster().series(paperOptimum, measure(perJob)), func(x float64) bool { return x > 2.85 })
				var list []Verdict
				for i := range s.Y {
					list = append(list, nth(s, i).near(5000, 100, " $"))
				}
				found := all(list...)
				found.Got = fmt.Sprintf("from %v to %v $", nth(s, 0), nth(s, len(s.Y)-1))
				return found
			}),
		claim("17-expired", Direction, "section VI, figure 17", "with all admitted ever more jobs expire as load grows", "the simulations of nist-16, loads from 100 % on",
			func(e *Evidence) Verdict {
				return risesAlong(kept(e.cluster().series(admitEverybody, measure("expired_share")), overload), 100, " %")
			}),
		claim("18-low", Order, "section VI, figure 18", "the optimum keeps delay below that of admitting all", "figure nist-18, paired differences at loads from 100 % on",
			func(e *Evidence) Verdict { return e.cluster().ahead(admitEverybody, paperOptimum, delay, overload) }),
		claim("18-all-falls", Direction, "section VI, figure 18", "with all admitted delay decreases with load under overload", "figure nist-18: less at 500 % than at its maximum, beyond the intervals",
			func(e *Evidence) Verdict {
				s := e.cluster().series(admitEverybody, measure(delay))
				return exceeds(nth(s, topOf(s)).in(1.0/perHour), nth(s, len(s.Y)-1).in(1.0/perHour), " h")
			}),
		claim("19-all", Number, "section VI, figure 19", "with all admitted the cluster is used to 100 %, given sufficient load", "figure nist-19, the largest utilization, within 1 point",
			func(e *Evidence) Verdict {
				s := e.cluster().series(admitEverybody, measure(used))
				return nth(s, topOf(s)).in(100).near(100, 1, " %")
			}),
		claim("19-all-falls", Direction, "section VI, figure 19", "with all admitted utilization decreases with load under overload", "figure nist-19: at 500 % a point or more below the maximum",
			func(e *Evidence) Verdict {
				s := e.cluster().series(admitEverybody, measure(used))
				top, last := nth(s, topOf(s)).in(100), nth(s, len(s.Y)-1).in(100)
				return decided(top.low-last.high >= 1, top.high-last.low < 1, fmt.Sprintf("%v %% at most, %v %% at 500 %%", top, last))
			}),
		claim("19-optimum", Number, "section VI, figure 19", "with the optimum utilization is about 69 % on average", "figure nist-19, mean over loads from 100 % on, within 2.5 points",
			func(e *Evidence) Verdict {
				return e.cluster().meanOver(paperOptimum, used, overload).in(100).near(69, 2.5, " %")
			}),
		claim("19-lower", Order, "section VI, figure 19", "the optimum uses less of the cluster than admitting all", "figure nist-19, paired differences at loads from 100 % on",
			func(e *Evidence) Verdict { return e.cluster().ahead(admitEverybody, paperOptimum, used, overload) }),
		claim("s6-maximizes", Order, "abstract, section VI", "the admission of the model with unbounded penalties maximizes revenue where they are bounded", "figure nist-16: the optimum earns at most 2 % less than the admission that was tuned on the simulator, at every load",
			func(e *Evidence) Verdict {
				s, tuned := e.cluster(), e.tuned()
				f, worst, at := metric.RevenuePerSecond(), exact(0), 0.0
				for i, load := range s.loads {
					best := tuned.values(simulatorTuned, i, f)
					lead := paired(best, s.values(paperOptimum, i, f)).in(100 / pooled(best).Mean)
					if lead.mean > worst.mean {
						worst, at = lead, load
					}
				}
				return decided(worst.high <= 2, worst.low > 2, fmt.Sprintf("%v %% less at a load of %s", worst, percent(at)))
			}),
		claim("s7-restricts", Order, "section VII", "a provider must restrict utilization to maximize revenue", "figure nist-19: the tuned admission uses less than admitting all, paired differences at loads from 125 % on",
			func(e *Evidence) Verdict {
				return e.tuned().ahead(admitEverybody, simulatorTuned, used, func(x float64) bool { return x > 1.1 })
			}),
		claim("s6-90", Number, "end of section VI", "revenue asks for less than the utilization of 90 % that operators strive for", "figure nist-19: the tuned admission, mean over loads from 100 % on",
			func(e *Evidence) Verdict {
				return exceeds(exact(90), e.tuned().meanOver(simulatorTuned, used, overload).in(100), " %")
			}),
		widths("widths-pattern", Direction, "end of section VI", "with jobs of several widths revenue and delay have the same pattern", "figure nist-widths: with all admitted revenue is highest within 50 points of that of one width and delay falls from its maximum; the optimum earns more at 500 % and delays less at loads from 100 % on",
			func(e *Evidence) Verdict {
				s := e.widths()
				all1, one := s.series(admitEverybody, measure(revenue)), e.cluster().series(admitEverybody, measure(revenue))
				wait := s.series(admitEverybody, measure(delay))
				return all(exact(100*all1.X[topOf(all1)]).near(100*one.X[topOf(one)], 50, " %"), exceeds(nth(wait, topOf(wait)).in(1.0/perHour), nth(wait, len(wait.Y)-1).in(1.0/perHour), " h"),
					s.ahead(paperOptimum, admitEverybody, revenue, func(x float64) bool { return x >= 5 }), s.ahead(admitEverybody, paperOptimum, delay, overload))
			}),
		widths("widths-all", Number, "end of section VI", "with jobs of several widths and without backfilling utilization averages 90 % with all admitted", "figure nist-widths, mean over loads from 100 % on, within 2.5 points",
			func(e *Evidence) Verdict {
				return e.widths().meanOver(admitEverybody, used, overload).in(100).near(90, 2.5, " %")
			}),
		widths("widths-optimum", Number, "end of section VI", "with the optimum utilization then averages 65 %", "figure nist-widths, mean over loads from 100 % on, within 2.5 points",
			func(e *Evidence) Verdict {
				return e.widths().meanOver(paperOptimum, used, overload).in(100).near(65, 2.5, " %")
			}),
		widths("widths-lower", Order, "end of section VI", "jobs that do not fit lower utilization, with all admitted and with the optimum", "figures nist-19 and nist-widths, means over loads from 100 % on",
			func(e *Evidence) Verdict {
				s, one := e.widths(), e.cluster()
				return all(exceeds(one.meanOver(admitEverybody, used, overload).in(100), s.meanOver(admitEverybody, used, overload).in(100), " %"),
					exceeds(one.meanOver(paperOptimum, used, overload).in(100), s.meanOver(paperOptimum, used, overload).in(100), " %"))
			}),
	}
}

// overload reports whether a load is more than the cluster can do.
func overload(load float64) bool { return load >= 1 }

// kept returns the points of a series at the values of x to keep.
func kept(s plots.Series, keep func(x float64) bool) plots.Series {
	var t plots.Series
	for i, x := range s.X {
		if keep(x) {
			v := nth(s, i)
			t.X, t.Y, t.Low, t.High = append(t.X, x), append(t.Y, v.mean), append(t.Low, v.low), append(t.High, v.high)
		}
	}
	return t
}

// ahead decides that a measure of one admission is above that of another at all
// loads to keep, on common random numbers.
func (s *loadStudy) ahead(more, less int, name string, keep func(load float64) bool) Verdict {
	var line plots.Series
	zero := plots.Series{}
	for i, load := range s.loads {
		if keep(load) {
			line.X = append(line.X, load)
			addInterval(&line, s.lead(more, less, i, measure(name)))
			zero.X, zero.Y = append(zero.X, load), append(zero.Y, 0)
		}
	}
	scale, unit := 1.0, " $/s"
	switch name {
	case "utilization":
		scale, unit = 100, " points"
	case "mean_wait":
		scale, unit = 1.0/perHour, " h"
	}
	found := exceedsAll(line, zero, nil, scale, unit)
	var where []float64
	for i := range line.Y {
		if nth(line, i).low > 0 {
			where = append(where, line.X[i])
		}
	}
	if len(where) < len(line.Y) {
		found.Got += ", above beyond chance " + atLoads(where)
	}
	return found
}

// meanOver returns the mean of a measure over the loads to keep, in each
// replication, and over replications.
func (s *loadStudy) meanOver(admission int, name string, keep func(load float64) bool) value {
	means := make([]float64, s.replications)
	n := 0.0
	for i, load := range s.loads {
		if keep(load) {
			n++
			for k, v := range s.values(admission, i, measure(name)) {
				means[k] += v
			}
		}
	}
	for k := range means {
		means[k] /= n
	}
	return averaged(means)
}

// highShare returns the part of high-value jobs among those that (30) admits, along
// the load from 100 % on.
func (e *Evidence) highShare() plots.Series {
	sys := must(open("nist-cluster").system())
	var total, high []float64
	var found plots.Series
	for _, c := range sys.Classes {
		s := e.curve("nist-15", className(c.Name), 0)
		if total == nil {
			total, high, found.X = make([]float64, len(s.X)), make([]float64, len(s.X)), s.X
		}
		for i, q := range s.Y {
			total[i] += q * c.Rate
			if c.MeanPrice() > 2000 {
				high[i] += q * c.Rate
			}
		}
	}
	for i := range total {
		found.Y = append(found.Y, high[i]/total[i])
	}
	return kept(found, overload)
}

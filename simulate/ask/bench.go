package ask

import (
	"math"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/bench"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// benched is an answer about the benchmark.
func benched(what string, headline answer.Fact, tables ...answer.Table) answer.Answer {
	return answer.Answer{Command: "bench " + what, Scenario: "benchmark", Level: metric.DefaultLevel, Headline: headline,
		Tables: tables}
}

// goalUnit returns the unit of an objective. The value of all jobs of an instance is an amount.
func goalUnit(o run.Objective) answer.Unit {
	if o == run.Value() {
		return answer.Amount
	}
	return unitOf(o.Unit)
}

// BenchScores answers what policies reach on instances of the benchmark: means of families.
func BenchScores(list []bench.Score) answer.Answer {
	scored := text.Where(list, func(s bench.Score) bool { return !math.IsNaN(s.Share) })
	values := []answer.Named{count(bench.Version).As("benchmark"), count(len(scored)).As("scored"),
		count(len(list)).As("rows")}
	if len(scored) > 0 {
		best := scored[0]
		for _, s := range scored {
			if s.Share > best.Share {
				best = s
			}
		}
		values = append(values, word("policy", best.Policy), word("instance", best.Name),
			answer.Exactly(answer.Share, best.Share).As("share"))
	}
	t := answer.TableOf("scores", bench.Means(list),
		answer.Texts("family", "of instances", func(m bench.Mean) string { return m.Name }),
		answer.Texts("objective", "what is scored", func(m bench.Mean) string { return m.Objective }),
		answer.Texts("policy", "label", func(m bench.Mean) string { return m.Policy }),
		answer.Valued("value", answer.Own, "mean over the instances", func(m bench.Mean) answer.Value {
			return answer.Estimated(goalUnit(m.Goal()), m.Value)
		}),
		answer.Valued("bound", answer.Own, "that no schedule passes; mean", func(m bench.Mean) answer.Value {
			return answer.Exactly(goalUnit(m.Goal()), m.Bound)
		}),
		answer.Valued("share", answer.Share, "of the bound; of a mean, the bound over it",
			func(m bench.Mean) answer.Value { return answer.Estimated(answer.Share, m.Share).AtMostOne() }),
		answer.Field[bench.Mean]{Column: answer.Column{Name: "difference", Unit: answer.Share, Signed: true,
			Means: "of shares to the first policy, paired by instance"},
			Of: func(m bench.Mean) answer.Value { return answer.Estimated(answer.Share, m.Difference) }},
		answer.Texts("why", "there is no share", func(m bench.Mean) string { return m.Why }))
	a := benched("run", answer.New("BENCH_SCORES", values...), t)
	a.Values = values[:1]
	return a
}

// BenchList answers what the instances are, and what the best policies of revopt reach on them.
func BenchList(list []*bench.Family) answer.Answer {
	families := answer.TableOf("families", list,
		answer.Texts("family", "of instances", func(f *bench.Family) string { return f.Name }),
		answer.Texts("objective", "what is scored", func(f *bench.Family) string { return f.Objective }),
		answer.Numbered("instances", answer.Count, "one for each seed",
			func(f *bench.Family) int { return len(f.Instances) }),
		answer.Texts("jobs", "of each instance", func(f *bench.Family) string { return f.About }))
	families.Whole = true
	all := bench.Instances()
	reached := func(in *bench.Instance, x float64) answer.Value { return answer.Exactly(goalUnit(in.Goal()), x) }
	instances := answer.TableOf("instances", all,
		answer.Texts("instance", "of the benchmark", func(in *bench.Instance) string { return in.Name }),
		answer.Texts("objective", "what is scored", func(in *bench.Instance) string { return in.Objective }),
		answer.Valued("bound", answer.Own, "that no schedule passes",
			func(in *bench.Instance) answer.Value { return reached(in, in.Bound) }),
		answer.Texts("built_in", "best policy of revopt", func(in *bench.Instance) string { return in.BuiltIn }),
		answer.Valued("built_in_value", answer.Own, "that it reaches",
			func(in *bench.Instance) answer.Value { return reached(in, in.Reached) }))
	values := []answer.Named{count(bench.Version).As("benchmark"), count(len(all)).As("instances")}
	a := benched("list", answer.New("BENCH_LIST", values...), families, instances)
	a.Values = values[:1]
	return a
}

// BenchCheck answers whether a schedule is valid and what it scores.
func BenchCheck(c *bench.Checked) answer.Answer {
	t := answer.TableOf("faults", c.Faults,
		answer.Numbered("line", answer.Count, "of the file", func(f bench.Fault) int { return f.Line }),
		answer.Numbered("job", answer.Count, "number", func(f bench.Fault) int { return f.Job }),
		answer.Texts("fault", "unknown job; early start; wrong length or work; empty piece; overlap of pieces; units in use",
			func(f bench.Fault) string { return f.Kind }),
		answer.Numbered("got", answer.Ratio, "time, seconds of work, or units", func(f bench.Fault) float64 { return f.Got }),
		answer.Numbered("limit", answer.Ratio, "that it passes", func(f bench.Fault) float64 { return f.Limit }))
	unit := goalUnit(c.Goal())
	values := []answer.Named{word("instance", c.Name), answer.Yes(c.Valid).As("valid"),
		answer.Exactly(unit, c.Value).As("value"), answer.Exactly(unit, c.Bound).As("bound"),
		answer.Exactly(answer.Share, c.Share).As("share"), count(c.NotRun).As("not_run")}
	code := "SCHEDULE_VALID"
	if !c.Valid {
		code = "SCHEDULE_INVALID"
		values = append(values, count(len(c.Faults)).As("faults"))
	}
	a := benched("check", answer.New(code, values...), t)
	a.Values = values
	return a
}

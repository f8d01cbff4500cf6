package ask

import (
	"context"
	"math"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

// warnings are what a reader should beware of, the most important first.
func (c *Comparison) warnings(ctx context.Context) []answer.Fact {
	list := c.unfinished()
	list = append(list, SubjectWarnings(c.Subject)...)
	list = append(list, c.ofModels(ctx)...)
	list = append(list, c.uncertain()...)
	var few skewed
	few.add(c)
	list = append(list, few.warnings(c.level)...)
	var policies []subject.Policy
	for _, r := range c.Rows {
		policies = append(policies, r.Policy)
		list = warn.Union(append(list, r.e.Overcommitted(c.Subject.Unit())...), r.e.Unread())
	}
	list = append(list, c.overloaded()...)
	list = append(append(list, PolicyWarnings(c.Subject, policies)...), c.noted...)
	return append(answer.WarnAll(list), c.notCompared()...)
}

// unfinished says what is missing.
func (c *Comparison) unfinished() (list []warn.Warning) {
	if c.broken != nil && c.frame.Replications() < c.wanted {
		list = append(list, interrupted("replication", c.frame.Replications(), c.wanted))
	}
	for _, failed := range c.frame.Failures() {
		list = append(list, warn.New("FAILED", warn.Words("policy", failed.Policy),
			warn.Count("replication", failed.Replication)))
	}
	return list
}

// interrupted says how many things are done of those that are wanted.
func interrupted(what string, done, wanted int) warn.Warning {
	return warn.New("INTERRUPTED", warn.Words("what", what), warn.Count("done", done), warn.Count("wanted", wanted))
}

// ofModels says what the model ignores if it chooses an admission.
func (c *Comparison) ofModels(ctx context.Context) []warn.Warning {
	i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Case.Admission.Name == scenario.AdmitAnalytic })
	if i < 0 {
		return nil
	}
	models, err := c.Lab.Models(ctx, c.Rows[i].Case)
	if err != nil {
		return nil
	}
	return models.Warnings()
}

// uncertain says where there are no intervals, or wider ones than asked for.
func (c *Comparison) uncertain() (list []warn.Warning) {
	n, least := c.frame.Replications(), metric.SpreadLeast(c.level)
	random := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.e.Random() })
	list = repeated(n, c.count, random)
	warn.AddIf(&list, c.Resample && n > 1 && n < least, warn.New("FEW_SPANS", warn.Count("spans", n),
		warn.Share("level", c.level), warn.Count("least", least), warn.Words("shown", "minimum and maximum")))
	if c.imprecise != nil {
		list = append(list, imprecise(c.stop, n))
	}
	return list
}

// repeated says where there are no intervals: of n replications, count were asked for.
func repeated(n, count int, random bool) (list []warn.Warning) {
	warn.AddIf(&list, n == 1 && random, warn.New("ONE_REPLICATION"))
	warn.AddIf(&list, !random && count > 1, warn.New("ONCE", warn.Count("asked", count)))
	return list
}

// imprecise says that n replications do not reach the precision of a rule to stop.
func imprecise(stop run.Stop, n int) warn.Warning {
	return warn.New("PRECISION", warn.Words("measure", stop.Column), warn.Count("replications", n),
		warn.Share("relative", stop.Relative))
}

// skewed counts the rows whose intervals cover too rarely.
type skewed struct {
	rows, all float64
	jobs      float64 // that a replication should have; 0: more replications would do
}

// add counts the rows of a comparison.
func (s *skewed) add(c *Comparison) {
	s.all += float64(len(c.Rows))
	for _, r := range c.Rows {
		if needed, yes := c.frame.Skewed(r.Case, r.e); yes {
			s.rows++
			s.jobs = math.Max(s.jobs, roundedUp(needed))
		}
	}
}

// warnings says how many rows there are.
func (s skewed) warnings(level float64) (list []warn.Warning) {
	jobs := s.jobs
	if jobs == 0 {
		jobs = math.NaN()
	}
	warn.AddIf(&list, s.rows > 0, skewedRows(s.rows, s.all, level, jobs))
	return list
}

// skewedRows says in how many rows intervals cover too rarely, and how many jobs would do; NaN is unknown.
func skewedRows(rows, all, level, jobs float64) warn.Warning {
	return warn.New("SKEWED", warn.Count("rows", rows), warn.Count("all", all), warn.Share("level", level),
		warn.Count("jobs", jobs))
}

// roundedUp returns a number rounded up to one digit.
func roundedUp(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	size := math.Pow(10, math.Floor(math.Log10(x)))
	return math.Ceil(x/size) * size
}

// overloaded says in which rows the machine or a pool has no steady state.
func (c *Comparison) overloaded() (list []warn.Warning) {
	var pools []string // "" is the machine
	rows := map[string][]string{}
	for _, r := range c.Rows {
		cut := c.frame.Series(r.Case, run.All, run.ColumnCut).Positive() > 0
		r.e.Parts()(func(where []string, part *run.Experiment) bool {
			if !part.Unstable() && !(cut && part.AdmittedLoad() >= 1) {
				return true
			}
			pool := strings.Join(where, "")
			if rows[pool] == nil {
				pools = append(pools, pool)
			}
			rows[pool] = append(rows[pool], r.Label)
			return true
		})
	}
	for _, pool := range pools {
		w := warn.New("OVERLOAD", warn.Words("policy", strings.Join(rows[pool], "; ")))
		if pool != "" {
			w.Values = append(w.Values, warn.Words("pool", pool))
		}
		list = append(list, w)
	}
	return list
}

// notCompared names the rows that do not run all jobs.
func (c *Comparison) notCompared() []answer.Fact {
	var names []string
	for _, r := range c.Rows {
		if !r.compared && !r.Policy.RepeatsLog() {
			names = append(names, r.Label)
		}
	}
	if names == nil {
		return nil
	}
	all := answer.Word(strings.Join(names, ", "))
	return []answer.Fact{answer.New("NOT_COMPARED", answer.Named{Name: "policies", Value: all})}
}

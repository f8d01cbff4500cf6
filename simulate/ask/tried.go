package ask

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// rival is another admission than the recommended one, on the same jobs. Money is the value delivered, in $/s.
type rival struct {
	Does  string          // what it does, as advice
	Value metric.Interval // at 95 %
	Gain  metric.Interval // over the advice, paired, at 95 % for all rivals together

	*tested
}

// tested is an experiment with the replications that it has so far.
type tested struct {
	experiment *run.Experiment // nil: no job is let in, so that nothing is delivered
	samples    []run.Sample
}

// The cost of the comparison: every admission runs in about screened divided by their number of replications, of
// checkReplications; only the finalists run in all of them. So it takes at most about as long as (screened + 10
// finalists) / 20 checks of the advice and of all jobs alone.
const (
	screened      = 64
	leastScreened = 2
	finalists     = 8
)

// alternatives returns the admissions that advice has to stand against: none, all, the best static ones of the formulas
// by either convention, and the advice with one customer at 0 or at 1. Equal ones are there once.
func alternatives(ctx context.Context, a *analytic.Analysis, answer *solved, all, advised *run.Experiment) ([]*rival, error) {
	list := []*rival{{Does: "Refuse all jobs", tested: &tested{}}, {Does: "Admit all jobs", tested: &tested{experiment: all}}}
	add := func(does string, e run.Experiment, gate run.Gate) {
		e.Admission = gate
		known := func(other *rival) bool { return same(other.experiment, &e) }
		if !same(advised, &e) && !gate.None() && !slices.ContainsFunc(list, known) {
			list = append(list, &rival{Does: does, tested: &tested{experiment: &e}})
		}
	}
	for _, r := range []model.Residual{model.Pooled, model.Multiserver} {
		admit := answer.Admit()
		if r != a.System.Residual || answer.Exact || answer.Stated != nil {
			best, err := a.Best(ctx, r)
			if err != nil {
				return nil, err
			}
			admit = best.Admit()
		}
		add("Use the admission of --residual "+r.String(), *all, run.Gate{Admit: byCustomer(a, admit, all)})
	}
	n := len(all.Workload.Customers())
	for i, c := range a.System.Classes {
		customer, name := a.Customer[i], text.OneLine(classLabel(c.Name, c.Pool))
		if c.Rate > 0 && slices.Index(a.Customer, customer) == i {
			add("Refuse all of "+name+", others by formula", *advised, advised.Admission.With(customer, n, 0))
			add("Admit all of "+name+", others by formula", *advised, advised.Admission.With(customer, n, 1))
		}
	}
	return list, nil
}

// same reports whether two experiments have the same runs.
func same(a, b *run.Experiment) bool {
	return a != nil && b != nil && a.Workload == b.Workload && a.Admission.Same(b.Admission)
}

// compare simulates the advice and its rivals on the same jobs, and says whether the advice stands. Rivals that do worse
// in the first replications run in no more.
func (c checker) compare(ctx context.Context, k *verdict, advice *tested, list []*rival) error {
	all := list[1]
	both := []*rival{{tested: advice}, all}
	if same(all.experiment, advice.experiment) {
		all.tested, both = advice, both[:1]
	}
	if err := c.extend(ctx, k.Replications, both); err != nil {
		return err
	}
	list = text.Where(list, func(r *rival) bool {
		return r.experiment == nil || !k.Endless || !r.experiment.Endless()
	})
	level := 1 - (1-metric.DefaultLevel)/math.Max(1, float64(len(list)-1))
	first := min(k.Replications, max(leastScreened, min(checkLeast, screened/len(list))))
	if err := c.extend(ctx, first, list); err != nil {
		return err
	}
	for _, r := range list {
		r.Gain = r.over(advice, level)
	}
	better := text.Where(list, func(r *rival) bool { return r.Gain.Mean > 0 })
	slices.SortStableFunc(better, func(a, b *rival) int { return cmp.Compare(b.Gain.Mean, a.Gain.Mean) })
	better = better[:min(finalists, len(better))]
	if err := c.extend(ctx, k.Replications, better); err != nil {
		return err
	}
	k.Admission, k.All = advice.delivers(), all.delivers()
	k.judge(advice, list, level)
	return nil
}

// judge says whether advice stands beside its rivals. That of no jobs is certain to deliver nothing, so that any loss is
// worse.
func (k *verdict) judge(advice *tested, list []*rival, level float64) {
	k.Stands = true
	for i, r := range list {
		r.Value, r.Gain = r.delivers(), r.over(advice, level)
		low, _ := r.Gain.Bounds()
		certain := r.experiment == nil || math.IsInf(low, -1) // the latter of one replication
		if low > 0 || certain && r.Gain.Mean > 0 {
			k.Stands = false
		}
		found := rival{Does: r.Does, Value: r.Value, Gain: r.Gain}
		if i == 0 || r.Gain.Mean > k.Best.Gain.Mean {
			k.Best = found
		}
		k.Tried = append(k.Tried, found)
	}
}

// extend runs experiments until each has n replications; one is enough of those that are not random.
func (c checker) extend(ctx context.Context, n int, list []*rival) error {
	type due struct {
		of          *tested
		replication int
	}
	var all []due
	for _, r := range list {
		for k := len(r.samples); r.experiment != nil && k < n && (k == 0 || r.experiment.Random()); k++ {
			all = append(all, due{r.tested, k})
		}
	}
	samples, err := metric.Replicate(ctx, 0, len(all), c.Workers, func(ctx context.Context, k int) (run.Sample, error) {
		return all[k].of.experiment.Run(ctx, all[k].replication)
	})
	for k, s := range samples {
		all[k].of.samples = append(all[k].of.samples, s)
	}
	return err
}

// value returns what an experiment delivers in each replication, in $/h.
func (t *tested) value() run.Series {
	if t.experiment == nil {
		return run.Constant(0)
	}
	s := run.NewRuns(t.experiment, t.samples).Series(run.All, run.ColumnValue)
	if !t.experiment.Random() {
		x, _ := s.At(0)
		return run.Constant(x)
	}
	return s
}

// delivers is the estimate of all replications at 95 %, in $/s.
func (t *tested) delivers() metric.Interval {
	return perSecond(t.value(), metric.DefaultLevel)
}

// over returns what a rival delivers more than the advice in the replications that both have.
func (r *rival) over(advice *tested, level float64) metric.Interval {
	return perSecond(r.value().Less(advice.value()), level)
}

// perSecond returns the estimate of an hourly number, in $/s.
func perSecond(s run.Series, level float64) metric.Interval {
	return (&run.Frame{Level: level}).Estimate(s).Times(1.0 / metric.Hour)
}

// tried is the table of the admissions that the advice was compared with.
func (s *solved) tried() answer.Table {
	var list []rival
	if s.Checked != nil {
		list = s.Checked.Tried
	}
	return answer.TableOf("tried", list,
		answer.Texts("admission", "what is done in place of the advice", func(r rival) string { return r.Does }),
		answer.Valued("value", answer.Money, "value delivered, by simulation",
			func(r rival) answer.Value { return hourlyEstimate(r.Value) }).Titled("$/h"),
		answer.Valued("gain", answer.Money, "over the advice on the same jobs; at 95 % for all rows together",
			func(r rival) answer.Value { return hourlyEstimate(r.Gain) }).Titled("gain $/h"))
}

package ask

import (
	"cmp"
	"context"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// trial is candidates on numbers that the search has not seen.
type trial struct {
	*tuner
	order []*tried
	rows  map[string]*tried // by the row of the candidate

	// The numbers: of a log as it happened, or of a stream that drains; histories that are drawn from the log, or the
	// stream after its warm-up, or the first again; of a log, the part that was tuned on as it happened.
	whole, outcome, trained *run.Frame
	drawn                   bool // outcome is not whole
	beside                  []*run.Candidate
	warnings                []warn.Warning
}

// tried is a candidate on these numbers.
type tried struct {
	*run.Candidate
	whole, outcome, trained run.Case
}

// runnable reports whether Slurm can run a policy by its settings alone.
func runnable(p subject.Policy) bool { return p.Spec.RunsOn(p.Settings) == policy.Slurm }

// run tests the candidates that the search has found, and policies beside them, and returns the one to recommend.
func (x *trial) run(ctx context.Context, best *run.Candidate, others []*run.Candidate) (*run.Candidate, error) {
	s := x.search
	chosen := best
	for _, c := range others {
		if s.Gains(c, chosen, run.FlatShare) {
			chosen = c
		}
	}
	beside, err := x.named("easy", "hol:backfill=true", "value-bf")
	if err != nil {
		return nil, err
	}
	list := slices.Concat([]*run.Candidate{s.Now, best}, others, s.Without(best), beside)
	if err := x.measure(ctx, list); err != nil {
		return nil, err
	}
	chosen, err = x.choose(ctx, chosen, best, others)
	x.beside = slices.Concat([]*run.Candidate{best}, beside, others) // what was found, beside what is recommended
	return chosen, err
}

// on returns the case of a candidate at another base.
func (x *trial) on(base run.Case, c *run.Candidate) run.Case {
	base.Do, base.Admission = c.Case.Do, c.Case.Admission
	return base.With(false, c.Case.Set[len(x.train.Set):]...)
}

// measure runs candidates that have not run yet.
func (x *trial) measure(ctx context.Context, list []*run.Candidate) error {
	whole, drawn, trained := x.test, x.test, x.test
	whole.Jobs.Drained = true
	trained.Set = x.train.Set
	switch {
	case x.steady:
		x.drawn, drawn.Set = true, x.train.Set
	case x.subject.Logged():
		tested, err := x.lab.SubjectOf(ctx, x.test)
		if err != nil {
			return err
		}
		_, short := tested.Resample(ctx, &workload.Resampling{})
		x.drawn, drawn.Jobs.Weeks = short == nil, short == nil
		if short != nil {
			x.warnings = []warn.Warning{warn.New("FEW_SPANS", warn.Words("why", short.Error()))}
		}
	}
	if !x.drawn {
		drawn = whole
	}
	for _, c := range list {
		name := c.Case.Row()
		if x.rows[name] == nil {
			x.rows[name] = &tried{c, x.on(whole, c), x.on(drawn, c), x.on(trained, c)}
			x.order = append(x.order, x.rows[name])
		}
	}
	var err error
	x.whole, err = x.frame(ctx, func(t *tried) run.Case { return t.whole })
	if err == nil {
		x.outcome, err = x.frame(ctx, func(t *tried) run.Case { return t.outcome })
	}
	if err == nil && x.subject.Logged() {
		x.trained, err = x.frame(ctx, func(t *tried) run.Case { return t.trained })
	}
	return err
}

// frame runs all candidates on some numbers.
func (x *trial) frame(ctx context.Context, of func(*tried) run.Case) (*run.Frame, error) {
	f, err := x.lab.Frame(ctx, text.Each(x.order, of), cmp.Or(x.settings.count, tuneReplications))
	if err != nil {
		return nil, err
	}
	for _, failed := range f.Failures() {
		return nil, failed
	}
	f.Level = x.settings.level
	return f, nil
}

// row returns a candidate on the numbers of the test.
func (x *trial) row(c *run.Candidate) *tried { return x.rows[c.Case.Row()] }

// now returns today on the numbers of the test.
func (x *trial) now() *tried { return x.row(x.search.Now) }

// gain returns the paired gain of a candidate over another one.
func (x *trial) gain(a, over *tried) metric.Interval {
	return x.outcome.Estimate(x.gained(x.outcome, a.outcome, over.outcome))
}

func (x *trial) gained(f *run.Frame, a, over run.Case) run.Series {
	at := func(c run.Case) run.Series { return f.Series(c, run.All, x.settings.objective.Column) }
	return x.settings.objective.Gain(at(a), at(over))
}

// merit returns the objective of a candidate with the sign that makes more of it better.
func (x *trial) merit(c *run.Candidate) float64 {
	mean, _ := x.outcome.Series(x.row(c).outcome, run.All, x.settings.objective.Column).Mean()
	return x.settings.objective.Merit(mean)
}

// fewer reports whether a candidate runs a smaller share of the jobs than today, on some numbers of the test.
func (x *trial) fewer(row *tried) bool {
	s, now := x.search, x.now()
	return s.Fewer(x.whole, row.whole, now.whole)+s.Fewer(x.outcome, row.outcome, now.outcome) > 0
}

// sure reports whether a gain is beyond chance; that of one history has no chance.
func sure(gain metric.Interval) bool {
	low, _ := gain.Bounds()
	if gain.N < 2 {
		low = gain.Mean
	}
	return low > 0
}

// better reports whether a candidate may replace today's: it breaks fewer rules, or no more and gains. It gained beyond
// chance on the part that was tuned on. Here fresh replications have to show it once more. Another part of a
// log is one history: the gain on it as it happened is above 0, and so is the mean of the histories that are drawn from
// it, whose range is of single histories.
func (x *trial) better(c *run.Candidate) bool {
	now, row := x.now(), x.row(c)
	broken := x.broken(row) - x.broken(now)
	gain := x.gain(row, now)
	gains := sure(gain)
	if x.drawn && x.subject.Logged() {
		happened, _ := x.gained(x.whole, row.whole, now.whole).Mean()
		gains = gain.Mean > 0 && happened > 0
	}
	return broken < 0 || broken == 0 && gains
}

// broken returns by how much a candidate breaks rules. Harm on the tested part of a log as it happened, on histories
// that are drawn from it, and on the part that was tuned on as it happened counts.
func (x *trial) broken(row *tried) float64 {
	s, now := x.search, x.now()
	sum := text.Sum(s.Promises, func(p run.Promise) float64 { return p.Excess(x.outcome, row.outcome) }) +
		float64(len(s.Harmed(x.whole, row.whole, now.whole))) + metric.Indicator(x.fewer(row))
	if x.drawn {
		sum += float64(len(s.Harmed(x.outcome, row.outcome, now.outcome)))
	}
	if x.subject.Logged() {
		sum += float64(len(s.Harmed(x.trained, row.trained, now.trained)))
	}
	return sum
}

// affected returns how customers and groups of width are served by a candidate and today: of a log on the part as it
// happened.
func (x *trial) affected(row *tried) (all, harmed []run.Affected) {
	now, groups := x.now(), x.lab.Groups()
	if x.subject.Logged() {
		return x.whole.Affected(row.whole, now.whole, groups)
	}
	return x.outcome.Affected(row.outcome, now.outcome, groups)
}

// harm returns who is harmed by a candidate: on the numbers of affected or, if nobody is harmed on them, on others on
// which harm counts against it.
func (x *trial) harm(row *tried) []run.Affected {
	now, groups := x.now(), x.lab.Groups()
	_, harmed := x.affected(row)
	if len(harmed) == 0 && x.subject.Logged() && x.drawn {
		_, harmed = x.outcome.Affected(row.outcome, now.outcome, groups)
	}
	if len(harmed) == 0 && x.subject.Logged() {
		_, harmed = x.trained.Affected(row.trained, now.trained, groups)
	}
	return harmed
}

// choose returns the candidate to recommend. It is the choice of the search, less the coordinates that hurt here.
// Another policy that Slurm can run takes its place if it gains more beyond chance, or if the choice does not gain;
// today's settings stay if nothing does.
func (x *trial) choose(ctx context.Context, chosen, best *run.Candidate, others []*run.Candidate) (*run.Candidate,
	error) {
	s := x.search
	for chosen == best {
		back := x.hurting(best)
		if back == nil {
			break
		}
		back, err := s.Leave(ctx, back)
		if err != nil {
			return nil, err
		}
		best, chosen = back, back
		if err := x.measure(ctx, append(s.Without(best), best)); err != nil {
			return nil, err
		}
	}
	list := slices.DeleteFunc(append([]*run.Candidate{chosen, best}, others...), func(c *run.Candidate) bool {
		return c == s.Now || !x.better(c)
	})
	if len(list) == 0 {
		return s.Now, nil
	}
	first := list[0]
	if first != chosen { // the others by what they deliver here
		first = slices.MaxFunc(list, func(a, b *run.Candidate) int { return cmp.Compare(x.merit(a), x.merit(b)) })
	}
	for _, c := range list {
		if sure(x.gain(x.row(c), x.row(first))) {
			first = c
		}
	}
	return first, nil
}

// hurting returns a candidate without the coordinate that breaks rules or, if none does, costs most here; nil if none
// hurts.
func (x *trial) hurting(best *run.Candidate) *run.Candidate {
	var out *run.Candidate
	least, most := 0.0, 0.0
	for _, back := range x.search.Without(best) {
		broken := x.broken(x.row(back)) - x.broken(x.row(best))
		cost := x.gain(x.row(back), x.row(best)).Mean
		if broken < least || broken == least && cost > most {
			out, least, most = back, broken, cost
		}
	}
	return out
}

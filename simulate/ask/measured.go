package ask

import (
	"errors"
	"math"
	"strconv"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/slurm/queued"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/slurm/switchback"
	"revopt/simulate/workload"
)

// measured is what switching steering on and off on the site has shown.
type measured struct {
	Plan    switchback.Plan
	Refused *switchback.MarginError // nil: the spans are long enough for their margins
	Gain    switchback.Gain         // of all jobs
	Needs   int                     // pairs that a gain of steer.Worthwhile takes; 0: not known
	Waits   float64                 // that nine of ten jobs do not exceed, s
	Margin  float64
	Closed  []switchback.Scored
	Open    int
	Others  int // pairs that were laid down too late, or without a pass in them
	Groups  []measuredGroup
}

// measuredGroup is what steering brings a group of jobs.
type measuredGroup struct {
	run.JobGroup
	switchback.Gain
	On   float64 // mean score
	Jobs int     // that have a score
}

// measure scores the trial of a journal, nil if it has none.
func (q *steered) measure(all []ran) (*measured, error) {
	plan, pairs, others, err := steer.LaidTrial(q.Records)
	if err != nil {
		return nil, &workload.Error{File: q.Journal, Message: err.Error(), Cause: err}
	}
	if plan == nil {
		return nil, nil
	}
	jobs, err := q.trialJobs(all)
	if err != nil {
		return nil, err
	}
	t := switchback.Trial{Pairs: pairs, Span: plan.Span, Margin: plan.Margin, Jobs: jobs, Now: q.known()}
	m, err := measureTrial(*plan, t, q.groups())
	if err != nil {
		return nil, err
	}
	m.Others = others
	return m, nil
}

// measureTrial scores a trial and what it brings groups, by their names in switchback.Job.
func measureTrial(plan switchback.Plan, t switchback.Trial, groups []run.JobGroup) (*measured, error) {
	m := &measured{Plan: plan, Waits: t.Waits()}
	r, err := t.Score()
	var short *switchback.MarginError
	if errors.As(err, &short) {
		m.Refused, m.Margin = short, short.Margin
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	m.Margin = r.Margin
	m.Gain = switchback.GainOf(r.Pairs, metric.DefaultLevel)
	m.Needs = m.Gain.Needs(steer.Worthwhile*m.Gain.Off, metric.DefaultLevel)
	closed := func(s switchback.Scored) bool { return !math.IsInf(s.Closed, 1) }
	m.Closed = text.Where(r.Pairs, closed)
	m.Open = len(r.Pairs) - len(m.Closed)
	for _, g := range append([]run.JobGroup{{}}, groups...) {
		name := ""
		if g.Kind != "" {
			name = run.GroupName(g)
		}
		pairs := text.Where(r.Of(name), closed)
		one := measuredGroup{JobGroup: g, Gain: switchback.GainOf(pairs, metric.DefaultLevel)}
		one.On = one.Off + one.Mean
		one.Jobs = text.Sum(pairs, func(s switchback.Scored) int { return s.On.Jobs + s.Off.Jobs })
		if one.Jobs > 0 {
			m.Groups = append(m.Groups, one)
		}
	}
	return m, nil
}

// known returns the time up to which the journal, and the log, know what happened.
func (q *steered) known() (now float64) {
	for _, r := range q.Records {
		now = max(now, r.Time)
	}
	for _, r := range q.Log {
		now = max(now, r.Start)
		if r.ended() {
			now = max(now, r.End)
		}
	}
	return now
}

// trialJobs returns the jobs of a journal as a trial scores them. Those that left without a start have no score. The run
// time of a job that has not ended is its limit, or the mean of the others.
func (q *steered) trialJobs(all []ran) ([]switchback.Job, error) {
	all = text.Where(all, func(x ran) bool { return x.begun() || !x.ended() })
	ended, _ := ranOf(all)
	if len(all) == 0 {
		return nil, nil
	}
	mean := text.Sum(ended, func(x ran) float64 { return x.End - x.Start }) / float64(max(len(ended), 1))
	sized := text.Each(all, func(x ran) ran {
		if !x.ended() {
			length := mean
			if x.Limit > 0 {
				length = x.Limit
			}
			x.Start, x.End = x.Submit, x.Submit+length
		}
		return x
	})
	jobs, err := q.jobs(sized)
	if err != nil {
		return nil, err
	}
	groups := q.groups()
	return text.EachAt(jobs, func(i int, j queued.Job) switchback.Job {
		x := switchback.Job{Submit: all[i].Submit, Start: all[i].Start}
		if j.Stray {
			return x
		}
		x.Paid = func(wait float64) float64 { return j.Value.At(wait + j.Work) }
		for _, g := range groups {
			if q.within(g, j) {
				x.Groups = append(x.Groups, run.GroupName(g))
			}
		}
		return x
	}), nil
}

// why says why there is no gain yet, "" if there is one.
func (m *measured) why() string {
	switch {
	case m.Refused != nil:
		return m.Refused.Error()
	case !m.Gain.Enough():
		return "too few pairs of spans are closed and have jobs in both, " + text.Whole(float64(m.Gain.N)) + " of at least " +
			text.Whole(switchback.LeastPairs)
	}
	return ""
}

// facts are the values of the headline of a gain. Money is that of jobs that pay so much at once, $/h.
func (m *measured) facts(policy string, atOnce float64) []answer.Named {
	list := []answer.Named{answer.Word(policy).As("policy"), answer.Estimated(answer.Share, m.Gain.Interval).As("gain"),
		answer.Estimated(answer.Money, m.Gain.Times(atOnce)).As("value"), count(m.Gain.N).As("pairs"),
		seconds(m.Plan.Span).As("span"), share(steer.Worthwhile).As("least")}
	if m.Gain.Contains(0) {
		list = append(list, answer.Word("perhaps by chance").As("chance"))
	}
	if m.Needs > 0 {
		list = append(list, count(m.Needs).As("needs"))
	}
	if m.Waits > m.Margin {
		list = append(list, seconds(m.Waits).As("waits"))
	}
	return list
}

// values are what was measured.
func (m *measured) values() []answer.Named {
	list := []answer.Named{seconds(m.Plan.Span).As("span_length"),
		answer.Word(strconv.FormatUint(m.Plan.Seed, 10)).As("trial_seed"), seconds(m.Margin).As("margin"),
		count(len(m.Closed)).As("pairs_closed"), count(m.Open).As("pairs_open"), count(m.Others).As("pairs_left_out")}
	if m.Gain.Enough() {
		list = append(list, answer.Estimated(answer.Share, m.Gain.Interval).As("gain"))
	}
	if m.Needs > 0 {
		list = append(list, count(m.Needs).As("pairs_needed"))
	}
	return list
}

// gains is the table of what steering brings to whom.
func (m *measured) gains() answer.Table {
	t := answer.Table{Name: "gains", Shown: true, Columns: []answer.Column{
		{Name: "jobs_of", Title: "jobs of", Unit: answer.Text, Means: "customer or group of width"},
		{Name: "jobs", Unit: answer.Count, Means: "that are scored: outside of margins, in closed pairs"},
		{Name: "pairs", Unit: answer.Count, Means: "that have jobs of it in both spans"},
		{Name: "steered", Unit: answer.Share, Means: "value over what the jobs pay at once, in steered spans"},
		{Name: "own", Title: "site's own", Unit: answer.Share, Means: "the same in the other spans"},
		{Name: "gain", Unit: answer.Share, Signed: true, Means: "mean difference of pairs; it has an interval from six pairs on"},
		{Name: "spread", Unit: answer.Share, Means: "standard deviation of the differences"},
	}}
	for _, g := range m.Groups {
		name := "all"
		if g.Kind != "" {
			name = groupWord(g.JobGroup)
		}
		t.Rows = append(t.Rows, []answer.Value{answer.Word(name), count(g.Jobs), count(g.N), share(g.On), share(g.Off),
			answer.Estimated(answer.Share, g.Interval), share(g.Spread)})
	}
	return t
}

// spans is the table of the spans of the closed pairs.
func (m *measured) spans() answer.Table {
	t := answer.Table{Name: "blocks", Columns: []answer.Column{
		{Name: "order", Unit: answer.Text, Means: "steered, or the site's own"},
		{Name: "pair", Unit: answer.Text, Means: "number, from 1", Axis: true},
		{Name: "from", Unit: answer.Text, Means: "begin, UTC"},
		{Name: "to", Unit: answer.Text, Means: "end, UTC"},
		{Name: "jobs", Unit: answer.Count, Means: "submitted outside of the margins"},
		{Name: "waited", Unit: answer.Count, Means: "of them, that had not started when the pair was closed"},
		{Name: "paid", Unit: answer.Amount, Means: "by these jobs"},
		{Name: "at_once", Unit: answer.Amount, Means: "that they pay if each starts at once"},
		{Name: "score", Unit: answer.Share, Means: "paid over at once", Drawn: true},
	}}
	for _, p := range m.Closed {
		for _, on := range []bool{p.OnFirst, !p.OnFirst} {
			from, to, side, order := p.From, p.Switch, p.Off, "site's own"
			if on != p.OnFirst {
				from, to = p.Switch, p.To
			}
			if on {
				side, order = p.On, "steered"
			}
			t.Rows = append(t.Rows, []answer.Value{answer.Word(order), answer.Word(text.Whole(float64(p.Number + 1))),
				clock(from), clock(to), count(side.Jobs), count(side.Waited), answer.Exactly(answer.Amount, side.Paid),
				answer.Exactly(answer.Amount, side.AtOnce), share(side.Score())})
		}
	}
	return t
}

// pairs is the table of the difference as it grows.
func (m *measured) pairs() answer.Table {
	t := answer.Table{Name: "pairs", Columns: []answer.Column{
		{Name: "closed", Unit: answer.Count, Means: "pairs of spans that are closed", Axis: true},
		{Name: "at", Unit: answer.Text, Means: "time from which on the last one is closed, UTC"},
		{Name: "difference", Unit: answer.Share, Signed: true, Means: "score of its steered span less that of the other"},
		{Name: "gain", Unit: answer.Share, Signed: true, Means: "mean difference so far, with its interval from six pairs on",
			Drawn: true},
	}}
	for i := range m.Closed {
		g := switchback.GainOf(m.Closed[:i+1], metric.DefaultLevel)
		t.Rows = append(t.Rows, []answer.Value{count(i + 1), clock(m.Closed[i].Closed), share(m.Closed[i].Difference()),
			answer.Estimated(answer.Share, g.Interval)})
	}
	return t
}

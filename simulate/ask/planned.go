package ask

import (
	"cmp"
	"context"
	"math"

	memory "revopt/internal/budget"
	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/slurm/steer"
	"revopt/simulate/slurm/switchback"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Sizes of what a trial is planned from.
const (
	plannedCoins = 10 // sequences of coins that are simulated
	plannedPairs = 30 // at most, of one sequence
	fewestPairs  = 2
)

// planned is a trial that is simulated before it is made.
type planned struct {
	question *Question
	plan     switchback.Plan
	today    *run.Experiment
	steered  *run.Experiment
	pairs    int
	groups   []run.JobGroup
	trials   []*switchback.Result // one for each sequence of coins
	on, off  *switchback.Result   // always steered, and never
}

// PlanSwitching simulates a trial that switches between the first policy of a scenario and another one, on its jobs, and says
// how many pairs of spans see the difference between always steering and never. The first span, and the warm-up of the
// scenario, have the first policy, so that the machine is no longer empty when the trial begins.
func PlanSwitching(ctx context.Context, q *Question, by subject.Policy, ask steer.Switching) (answer.Answer, error) {
	var none answer.Answer
	list, err := q.Subject.Policies()
	if err != nil {
		return none, err
	}
	today := list[0]
	if today.Label() == by.Label() {
		return none, Usagef("--plan: expected another --policy than today's, the first of the scenario: %s", today.Label())
	}
	for _, p := range []subject.Policy{today, by} {
		if err := steer.Orders(q.Subject, p); err != nil {
			return none, err
		}
	}
	x := &planned{question: q,
		plan:    switchback.Plan{Begin: max(ask.Span, warmup(q.Subject.Workload)), Span: ask.Span, Seed: ask.Seed, Margin: ask.Margin},
		today:   &run.Experiment{Workload: q.Subject.Workload, Policy: today, Seed: q.Seed},
		steered: &run.Experiment{Workload: q.Subject.Workload, Policy: by, Seed: q.Seed}}
	if err := x.plan.Check(); err != nil {
		return none, err
	}
	if err := x.size(ctx); err != nil {
		return none, err
	}
	if err := x.simulate(ctx); err != nil {
		return none, err
	}
	if all := x.expect(""); math.IsNaN(all.on - all.off) {
		return none, Usagef("--switch: expected spans in which jobs are submitted outside of the margins, got %s with margins of %s",
			text.Duration(ask.Span), text.Duration(x.on.Margin))
	}
	return x.answer(), nil
}

// warmup returns for how long the jobs of a stream are not measured, s. It is 0 for finitely many jobs.
func warmup(w workload.Workload) float64 {
	if w.Stream() == 0 {
		return 0
	}
	window := w.Window()
	return math.Max(window.WarmupTime, float64(window.WarmupJobs)/w.Stream())
}

// bytesOfTrial is about what a job takes while trials are simulated.
const bytesOfTrial = 1000

// size sets the number of pairs: those of the log, a span before them and one behind them left out.
func (x *planned) size(ctx context.Context) error {
	x.pairs = plannedPairs
	if sites := x.question.Subject.Workload.Sites(); len(sites) == 1 {
		x.groups = groupsOf(x.question.Subject, sites[0].Processors)
	} else {
		x.groups = groupsOf(x.question.Subject, 0)
	}
	if rate := x.question.Subject.Workload.Stream(); rate > 0 {
		jobs := rate * x.end()
		return memory.Memory(ctx, jobs*bytesOfTrial, "%s jobs of %s of %s ask for", text.Fixed(jobs, 0),
			text.Plural(2*x.pairs, "span"), text.Duration(x.plan.Span))
	}
	last, err := x.last(ctx)
	if err != nil {
		return err
	}
	x.pairs = min(x.pairs, int(((last-x.plan.Begin)/x.plan.Span-1)/2))
	if x.pairs < fewestPairs {
		return Usagef("--switch: expected spans of %s or less, so that the jobs, of %s, have %d pairs of them",
			text.Duration(last/(2*fewestPairs+2)), text.Duration(last), fewestPairs)
	}
	return nil
}

// last returns when the last job is submitted.
func (x *planned) last(ctx context.Context) (time float64, err error) {
	source, err := x.today.Workload.Jobs(x.today.Seed, 0)
	if err != nil {
		return 0, err
	}
	defer run.Close(source)
	for n := 0; ; n++ {
		var j simulate.Job
		ok, err := source.Next(&j)
		if !ok || err != nil || n&0xfff == 0 && ctx.Err() != nil {
			return time, cmp.Or(err, ctx.Err())
		}
		time = max(time, j.Submit)
	}
}

// end returns when a simulation ends: a span after the last pair.
func (x *planned) end() float64 { return x.plan.Pair(x.pairs).Switch }

// simulate makes the trials, and runs each policy alone.
func (x *planned) simulate(ctx context.Context) (err error) {
	x.off, err = x.run(ctx, x.plan, []run.Turn{{Until: x.end()}})
	if err == nil {
		x.on, err = x.run(ctx, x.plan, []run.Turn{{Until: x.end(), On: true}})
	}
	for n := uint64(0); n < plannedCoins && err == nil; n++ {
		plan := x.plan
		plan.Seed += n
		turns := []run.Turn{{Until: plan.Begin}}
		for k := range x.pairs {
			p := plan.Pair(k)
			turns = append(turns, run.Turn{Until: p.Switch, On: p.OnFirst}, run.Turn{Until: p.To, On: !p.OnFirst})
		}
		var r *switchback.Result
		r, err = x.run(ctx, plan, append(turns, run.Turn{Until: x.end()}))
		x.trials = append(x.trials, r)
	}
	return err
}

// run simulates turns and scores their spans.
func (x *planned) run(ctx context.Context, plan switchback.Plan, turns []run.Turn) (*switchback.Result, error) {
	jobs, err := (&run.Relay{Off: x.today, On: x.steered, Turns: turns}).Run(ctx)
	if err != nil {
		return nil, err
	}
	customers := x.question.Subject.Workload.Customers()
	t := switchback.Trial{Span: plan.Span, Margin: plan.Margin, Now: x.end()}
	for k := range x.pairs {
		t.Pairs = append(t.Pairs, plan.Pair(k))
	}
	for _, j := range jobs {
		one := switchback.Job{Submit: j.Submit, Start: j.Start,
			Paid: func(wait float64) float64 { return j.Value.At(wait + j.Work) }}
		for _, g := range x.groups {
			if g.Kind == run.ByCustomer && customers[j.Class].Name == g.Name ||
				g.Kind == run.ByWidth && j.Width >= g.From && j.Width <= g.To {
				one.Groups = append(one.Groups, run.GroupName(g))
			}
		}
		t.Jobs = append(t.Jobs, one)
	}
	return t.Score()
}

// expected is what a group of jobs is expected to show.
type expected struct {
	on, off float64 // mean scores of always and never
	spread  float64 // of the differences of pairs
	needs   int     // pairs; 0: not known
}

// expect returns what the jobs of a group are expected to show, of all if it is "".
func (x *planned) expect(group string) expected {
	mean := func(r *switchback.Result) float64 {
		var scores []float64
		for _, p := range r.Of(group) {
			scores = append(scores, p.On.Score(), p.Off.Score())
		}
		return metric.Estimate(scores, metric.DefaultLevel).Mean
	}
	e := expected{on: mean(x.on), off: mean(x.off)}
	squares, n := 0.0, 0
	for _, r := range x.trials {
		if g := switchback.GainOf(r.Of(group), metric.DefaultLevel); !math.IsNaN(g.Spread) {
			squares += g.Spread * g.Spread
			n++
		}
	}
	e.spread = math.Sqrt(squares / float64(n))
	e.needs = switchback.Gain{Spread: e.spread}.Needs(e.on-e.off, metric.DefaultLevel)
	return e
}

// answer says what the simulations have shown.
func (x *planned) answer() answer.Answer {
	all := x.expect("")
	trial := x.trials[0]
	policy, today := x.steered.Policy.Label(), x.today.Policy.Label()
	facts := []answer.Named{{Name: "policy", Value: answer.Word(policy)}, {Name: "today", Value: answer.Word(today)},
		{Name: "gain", Value: share(all.on - all.off)}, {Name: "span", Value: seconds(x.plan.Span)}}
	if all.needs > 0 {
		facts = append(facts, answer.Named{Name: "needs", Value: count(all.needs)},
			answer.Named{Name: "time", Value: seconds(2 * x.plan.Span * float64(all.needs))})
	}
	t := answer.Table{Name: "gains", Columns: []answer.Column{
		{Name: "jobs_of", Title: "jobs of", Unit: answer.Text, Means: "customer or group of width"},
		{Name: "steered", Unit: answer.Share, Means: "value over what the jobs pay at once, always steered"},
		{Name: "own", Title: "site's own", Unit: answer.Share, Means: "the same, never steered"},
		{Name: "gain", Unit: answer.Share, Signed: true, Means: "steered less the site's own"},
		{Name: "spread", Unit: answer.Share, Means: "standard deviation of the difference in a pair of spans"},
		{Name: "pairs", Unit: answer.Count, Means: "after which four of five trials see the gain"},
	}}
	for _, g := range append([]run.JobGroup{{}}, x.groups...) {
		name, e := "all", all
		if g.Kind != "" {
			name, e = groupWord(g), x.expect(run.GroupName(g))
		}
		if math.IsNaN(e.on) || math.IsNaN(e.off) {
			continue
		}
		pairs := answer.Value{}
		if e.needs > 0 {
			pairs = count(e.needs)
		}
		t.Rows = append(t.Rows, []answer.Value{answer.Word(name), share(e.on), share(e.off), share(e.on - e.off),
			share(e.spread), pairs})
	}
	return answer.Answer{Command: "steer", Scenario: x.question.Subject.Scenario.Name, Seed: x.question.Seed,
		Headline: answer.New("TRIAL", facts...), Tables: []answer.Table{t},
		Values: []answer.Named{{Name: "span_length", Value: seconds(x.plan.Span)},
			{Name: "margin", Value: seconds(trial.Margin)}, {Name: "longest_wait", Value: seconds(trial.Longest)},
			{Name: "pairs_simulated", Value: count(x.pairs)}, {Name: "coins", Value: count(len(x.trials))}}}
}

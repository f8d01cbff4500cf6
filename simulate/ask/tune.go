package ask

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Tuning asks which settings of a policy deliver most, and prefers few changes. It searches, tries the policies that
// Slurm can run as well, and answers by numbers that the search has not seen: other random numbers or, for the jobs of a
// log, the second half of the log.
type Tuning struct {
	Request
	Policy subject.Policy // with today's settings
	Varied []string       // of Tunable; nil: all
	Runs   int            // of the search, about; 0: as many as tuneJobs allows

	Near func(label string) string // a policy as the command line takes it; nil: as it is
}

const (
	tuneJobs         = 20e6 // that a search simulates, about
	tuneSpanJobs     = 5000 // of a span that is drawn from a log for a search
	tuneReplications = 40
	tuneLevel        = 0.99 // of confidence that a setting gains, or that of the answer if it is higher
)

// AskedTuning returns the tuning that a question asks for.
func AskedTuning(q *Question, l *run.Lab) (Tuning, error) {
	t := Tuning{Request: q.Request}
	return t, t.setPolicy(q)
}

// setPolicy sets the policy and what of it is varied.
func (t *Tuning) setPolicy(q *Question) (err error) {
	switch policies := q.Named; {
	case len(policies) > 1:
		return Usagef("--policy: expected one policy to tune, got %d", len(policies))
	case len(policies) == 1:
		t.Policy = policies[0]
	default:
		t.Policy, err = SlurmPolicy(q.Subject)
		if err != nil {
			return err
		}
	}
	known := Tunable(t.Policy)
	if len(known) == 0 {
		return Usagef("--policy: expected slurm, or a policy with numbers such as value-bf, got %s",
			t.Policy.Label())
	}
	if q.Vary != "" {
		t.Varied = strings.Split(q.Vary, ",")
	}
	for _, word := range t.Varied {
		if !slices.Contains(known, word) {
			return Usagef("--vary: expected %s, got %q", text.OneOf(known), word)
		}
	}
	return nil
}

// tuner is a tuning with the cases that it starts from.
type tuner struct {
	Tuning
	settings settings
	lab      *run.Lab
	subject  *subject.Subject
	trained  *subject.Subject // the part that is tuned on
	promises []run.Promise    // of the scenario
	search   *run.Search
	chosen   map[string]subject.Policy // of candidates, by label

	train, test run.Case // what the search runs, and what the test runs; neither names a policy yet
	steady      bool     // the jobs of the search are tested, with their warm-up, beside those that drain
}

// open finds whatever is wrong before anything runs.
func (t Tuning) open(ctx context.Context, l *run.Lab) (*tuner, error) {
	s := l.Subject()
	t.Command = "tune"
	asked, err := t.settings()
	if err != nil {
		return nil, err
	}
	x := &tuner{Tuning: t, settings: asked, lab: l, subject: s, trained: s, chosen: map[string]subject.Policy{}}
	if err := asked.priced(s); err != nil {
		return nil, err
	}
	if err := t.Policy.Spec.Check(s.Workload.Has()); err != nil {
		return nil, err
	}
	x.promises = promisesOf(s)
	x.search = &run.Search{Lab: l, Objective: asked.objective, Promises: x.promises, Most: run.SearchMost,
		Level: max(tuneLevel, asked.level)}
	x.train, x.test = l.Base(), l.Base()
	x.test.Detail = run.Detail{Customers: true, Waits: true}
	if err := x.shorten(ctx); err != nil {
		return nil, err
	}
	x.train.Seed = run.DerivedSeed(x.train.Seed, "tune")
	x.train.Detail = run.Detail{Customers: len(x.promises) > 0, Waits: true}
	x.size()
	x.coordinates()
	return x, nil
}

// shorten sets the jobs that are tuned on and tested on: the halves of a log, or shorter replications of a stream.
func (x *tuner) shorten(ctx context.Context) (err error) {
	s := x.subject
	switch l := s.Scenario.Simulation; {
	case s.Logged():
		x.train, err = x.part(x.train, 0, 0.5)
		if err == nil {
			x.test, err = x.part(x.test, 0.5, 1)
		}
		if err != nil {
			return err
		}
	case s.Workload.Stream() > 0 && l.Jobs > run.SearchJobs:
		shorter := []string{scenario.Set("simulation.jobs", run.SearchJobs).String()}
		if l.Warmup.Seconds*s.Workload.Stream() > run.SearchJobs/2 { // it would leave too few jobs
			shorter = append(shorter, "simulation.warmup=50%")
		}
		x.train = x.train.With(false, shorter...)
	}
	x.trained, err = x.lab.SubjectOf(ctx, x.train)
	if err != nil {
		return err
	}
	if s.Logged() {
		if _, err := x.lab.SubjectOf(ctx, x.test); err != nil {
			return err
		}
		x.shortSpans(ctx)
	}
	window := x.trained.Workload.Window()
	x.steady = window.WarmupJobs > 0 || window.WarmupTime > 0 ||
		s.Workload.Stream() > 0 && x.trained.Workload.Size() > workload.DrainedJobs
	return nil
}

// part returns a case of a part of a log, at the arrival delay factor of the whole.
func (x *tuner) part(c run.Case, from, to float64) (run.Case, error) {
	s := x.subject
	for _, o := range s.Scenario.Down {
		if !o.Dated && o.Events == "" && o.Reservations == "" {
			return c, s.Document.Blame("expected dates: a part of the log has another first submission",
				"machine", "down")
		}
	}
	span := s.Trace.Part(from, to)
	if span.To <= span.From {
		return c, s.Misfit("has no parts to tune and to test on: all its jobs come at one time")
	}
	list := []string{"trace.jobs=" + span.String()}
	if s.Scenario.Trace.Load > 0 {
		delay := s.Workload.(*workload.Replay).Delay() * (1 + s.Scenario.Growth)
		list = append(list, scenario.Set("trace.arrival_delay_factor", delay).String())
	}
	return c.With(false, list...), nil
}

// shortSpans lets the search draw spans of two weeks or more from the part of a log to tune on, unless it is too short.
// Many short spans tell settings apart as well as few long ones.
func (x *tuner) shortSpans(ctx context.Context) {
	drawn, err := x.trained.Resample(ctx, &workload.Resampling{})
	if err != nil {
		return
	}
	w := drawn.Workload.(*workload.Replay)
	whole, _, _ := w.Resampled()
	span := min(whole, max(14*24*metric.Hour*w.Delay(), whole*tuneSpanJobs/w.Size()))
	x.search.Again = span / (span + whole)
	x.train.Jobs = run.Jobs{Weeks: true, Span: span}
}

// size sets how long the search may be.
func (x *tuner) size() {
	r, w := x.search, x.trained.Workload
	jobs := w.Size()
	if x.train.Jobs.Weeks {
		jobs = min(jobs, tuneSpanJobs)
	} else if !w.Random() {
		r.Most = 1
	}
	r.Limit = cmp.Or(x.Runs, max(500, min(10000, int(tuneJobs/jobs))))
	r.Most = min(r.Most, max(4, r.Limit))
}

// coordinates sets what the search varies.
func (x *tuner) coordinates() {
	b := newBoard(x.trained, x.Policy, x.Varied)
	x.search.Coordinates = b.knobs
	x.search.At = func(places []int) run.Case {
		c, err := x.candidate(x.train, b.policy(places))
		if err != nil {
			panic("ask: " + err.Error()) // the files of today's settings were read
		}
		return c
	}
}

// candidate returns a case with a policy.
func (x *tuner) candidate(base run.Case, p subject.Policy) (run.Case, error) {
	var err error
	base.Do, err = x.lab.Policy(p)
	base.Admission.Name = scenario.AdmitAll
	x.chosen[base.Do.Policy] = p
	return base, err
}

// Tuned is what a tuning comes to.
type Tuned struct {
	*Comparison                // on the numbers of the test
	Policy      subject.Policy // that is recommended
	Broken      []string       // promises that are kept today and not in the test, in words
}

// Tune searches and tests. If it is interrupted there is no answer.
func Tune(ctx context.Context, l *run.Lab, t Tuning) (*Tuned, error) {
	x, err := t.open(ctx, l)
	if err != nil {
		return nil, err
	}
	best, err := x.search.Run(ctx)
	if err != nil {
		return nil, err
	}
	flat, err := x.search.Flat(ctx, best)
	if err != nil {
		return nil, err
	}
	others, err := x.alternatives(ctx)
	if err != nil {
		return nil, err
	}
	test := &trial{tuner: x, rows: map[string]*tried{}}
	chosen, err := test.run(ctx, best, others)
	if err != nil {
		return nil, err
	}
	return test.answer(ctx, chosen, flat)
}

// named returns the candidates of the policies of some labels that apply and are not today's.
func (x *tuner) named(labels ...string) (list []*run.Candidate, err error) {
	for _, words := range labels {
		p, wrong := subject.ParsePolicy(x.subject.Specs, strings.Split(words, ":"))
		if wrong != nil || p.Spec.Check(x.subject.Workload.Has()) != nil || p.Label() == x.Policy.Label() {
			continue
		}
		c, err := x.candidate(x.train, p)
		if err != nil {
			return nil, err
		}
		list = append(list, x.search.Candidate(c, nil))
	}
	return list, nil
}

// alternatives returns the policies that Slurm can run and that gain beyond chance over today's settings on the part to
// tune on, the best first; none if today's policy needs a plug-in.
func (x *tuner) alternatives(ctx context.Context) ([]*run.Candidate, error) {
	if !runnable(x.Policy) {
		return nil, nil
	}
	list, err := x.named("easy", "hol:backfill=true")
	if err != nil {
		return nil, err
	}
	r := x.search
	list = slices.DeleteFunc(list, func(c *run.Candidate) bool { return !runnable(x.chosen[c.Case.Do.Policy]) })
	if err := r.Confirm(ctx, list...); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c *run.Candidate) bool { return !r.Gains(c, r.Now, run.FlatShare) })
	slices.SortStableFunc(list, func(a, b *run.Candidate) int { return cmp.Compare(r.Mean(b), r.Mean(a)) })
	return list, nil
}

package ask

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Present is the simulated present of a log, held against the log. It resembles the log if it waits where the log did,
// judged on the second half of the jobs with the limits that the first half shows.
type Present struct {
	Policy      string  // label of the policy that stands for today
	Why         string  // the log cannot say whether the present is its own; "": it can
	Held        bool    // the scenario takes unexplained waiting as given
	Resembles   bool    // without that
	WithHolds   bool    // with it, which proves less, as it is taken from the waits themselves
	Recorded    float64 // mean wait in the log, s; NaN if it has no starts
	Simulated   float64 // mean wait of the present as the scenario runs it, s
	Unexplained float64 // share of the recorded waiting that neither the queue, nor stated limits and outages explain
	Groups      []PresentGroup
	Unlike      *Likeness // in the second half, where all jobs are alike: the group that is most unlike; nil: there is none

	subject *subject.Subject // whose log it is; nil if that does not say when jobs started
}

// PresentGroup is a group of jobs in a part of the log.
type PresentGroup struct {
	Part string // all: as the scenario runs; first, second: halves, as they are judged
	Likeness
}

// Refusal says why money is not to be claimed of a simulated present; its code is "" where it may be. Nil is no log.
func (p *Present) Refusal() answer.Fact {
	switch {
	case p == nil || p.Resembles:
		return answer.Fact{}
	case p.WithHolds && p.Held:
		return answer.New("HELD", answer.Named{Name: "unexplained", Value: share(p.Unexplained)})
	}
	if p.Unlike != nil {
		return answer.New("NOT_THE_SITE", answer.Named{Name: "group", Value: answer.Word(p.Unlike.words())},
			answer.Named{Name: "group_recorded", Value: seconds(p.Unlike.Recorded)},
			answer.Named{Name: "group_simulated", Value: seconds(p.Unlike.Simulated)})
	}
	return answer.New("NOT_THE_SITE", answer.Named{Name: "recorded", Value: seconds(p.Recorded)},
		answer.Named{Name: "simulated", Value: seconds(p.Simulated)}, answer.Named{Name: "why", Value: answer.Maybe(p.Why)})
}

// noStarts says why a log has no present.
const noStarts = "the log does not say when its jobs started"

// Foreign reports whether the present is not that of the site, not even with unexplained waiting as given.
func (p *Present) Foreign() bool { return p.Refusal().Code == "NOT_THE_SITE" }

// refuses reports whether nothing may be said to pay.
func (p *Present) refuses() bool { return p.Refusal().Code != "" }

// qualify adds the present to an answer. Where the present is not that of the site, the headline says so first.
func (p *Present) qualify(a *answer.Answer) {
	if p == nil {
		return
	}
	a.Values = append(a.Values, p.values()...)
	if p.Groups != nil {
		a.Tables = append(a.Tables, p.table())
	}
	refusal := p.Refusal()
	if refusal.Code == "" {
		return
	}
	best := a.Headline.Value("change")
	if !best.Known() {
		best = a.Headline.Value("policy")
	}
	if gain := a.Headline.Value("gain"); gain.Known() {
		refusal.Values = append(refusal.Values, answer.Named{Name: "best", Value: best},
			answer.Named{Name: "gain", Value: gain})
	}
	a.Headline = refusal
}

// fold adds to an answer where the waiting of the log came from.
func (p *Present) fold(ctx context.Context, a *answer.Answer) error {
	if p == nil || p.subject == nil {
		return nil
	}
	w, err := WaitingOf(ctx, p.subject)
	if err != nil {
		return err
	}
	a.Tables = append(a.Tables, w.fold()...)
	return nil
}

// values are those of the object present.
func (p *Present) values() []answer.Named {
	list := []answer.Named{{Name: "present.policy", Value: answer.Word(p.Policy)}}
	if p.Why == "" {
		list = append(list, answer.Named{Name: "present.resembles", Value: answer.Yes(p.Resembles)},
			answer.Named{Name: "present.resembles_with_holds", Value: answer.Yes(p.WithHolds)})
	}
	return append(list, answer.Named{Name: "present.recorded_wait", Value: seconds(p.Recorded)},
		answer.Named{Name: "present.simulated_wait", Value: seconds(p.Simulated)})
}

// table holds the present against the log.
func (p *Present) table() answer.Table {
	number := func(name, means string, unit answer.Unit, of func(g PresentGroup) float64) answer.Field[PresentGroup] {
		return answer.Valued(name, unit, means, func(g PresentGroup) answer.Value { return answer.Exactly(unit, of(g)) })
	}
	return answer.TableOf("present", p.Groups,
		answer.Texts("part", "all: as the scenario runs; first, second: halves of the log, as they are judged",
			func(g PresentGroup) string { return g.Part }),
		answer.Texts("kind", "customer or width; none: all jobs", func(g PresentGroup) string { return g.Kind }),
		answer.Texts("name", "of the group", func(g PresentGroup) string { return g.Name }),
		number("jobs", "that start in both", answer.Count, func(g PresentGroup) float64 { return float64(g.Jobs) }),
		number("recorded_wait", "mean in the log", answer.Time, func(g PresentGroup) float64 { return g.Recorded }),
		number("simulated_wait", "mean in the simulation", answer.Time, func(g PresentGroup) float64 { return g.Simulated }),
		number("ratio", "simulated over recorded; waits count as at least ten minutes", answer.Ratio,
			func(g PresentGroup) float64 { return g.Ratio() }),
		number("recorded_median", "of waits", answer.Time, func(g PresentGroup) float64 { return g.RecordedMedian }),
		number("simulated_median", "of waits", answer.Time, func(g PresentGroup) float64 { return g.SimulatedMedian }),
		number("share_of_wait", "of all waiting, recorded or simulated, the larger", answer.Share,
			func(g PresentGroup) float64 { return g.ShareOfWait() }),
		number("earlier", "share of starts that come earlier than in the log", answer.Share,
			func(g PresentGroup) float64 { return g.Earlier }),
		number("same", "share of starts within a minute, or the time between passes of backfilling", answer.Share,
			func(g PresentGroup) float64 { return g.Same }),
		number("later", "share of starts that come later", answer.Share, func(g PresentGroup) float64 { return g.Later }))
}

// JudgePresent holds the present of the scenario of a lab against its log. It is nil if there is no log. The policy is
// that in use; nil is the first of the scenario. Where overrides make another machine or other jobs of the log, it is the
// scenario without overrides that is judged.
func JudgePresent(ctx context.Context, l *run.Lab, now *subject.Policy) (*Present, error) {
	if !l.Subject().Logged() {
		return nil, nil
	}
	if !l.Subject().Workload.Has().Recorded {
		var err error
		l, err = l.Stated(ctx)
		if err != nil {
			return nil, err
		}
	}
	s := l.Subject()
	if now == nil {
		policies, err := s.Policies()
		if err != nil {
			return nil, err
		}
		now = &policies[0]
	}
	p := &Present{Policy: now.Label(), Recorded: math.NaN(), Simulated: math.NaN(), Held: s.Scenario.Held == scenario.HeldInferred}
	if has := s.Workload.Has(); !has.Recorded {
		p.Why = cmp.Or(has.Unrecorded, noStarts)
		return p, nil
	}
	p.subject = s
	return p, newJudge(l, *now).judge(ctx, p)
}

// judge simulates a log under a policy in several ways, each once.
type judge struct {
	lab       *run.Lab
	policy    subject.Policy
	tolerance float64
	done      map[string][]run.Started
}

func newJudge(l *run.Lab, p subject.Policy) *judge {
	return &judge{lab: l, policy: p, tolerance: sameStart(p), done: map[string][]run.Started{}}
}

// sameStart returns by how much starts of a policy may differ that are the same, s.
func sameStart(p subject.Policy) float64 {
	if interval, err := scenario.ParseTime(p.Settings["bf_interval"] + "s"); err == nil {
		return math.Max(sameTime, interval)
	}
	return sameTime
}

// starts simulates the log with overrides.
func (j *judge) starts(ctx context.Context, set ...string) ([]run.Started, error) {
	name := strings.Join(set, "\n")
	if jobs, known := j.done[name]; known {
		return jobs, nil
	}
	at, err := j.lab.With(ctx, set...)
	if err != nil {
		return nil, err
	}
	it := at.Base()
	it.Do, err = at.Policy(j.policy)
	if err != nil {
		return nil, err
	}
	j.done[name], err = at.Starts(ctx, it)
	return j.done[name], err
}

// groups compares a part of the log.
func (j *judge) groups(jobs []run.Started, part string) []Likeness {
	return likeness(half(jobs, part), j.lab.Groups(), j.tolerance)
}

func (j *judge) judge(ctx context.Context, p *Present) error {
	s := j.lab.Subject()
	present, err := j.starts(ctx)
	if err != nil {
		return err
	}
	limits, err := limitsOfFirstHalf(ctx, s)
	if err != nil {
		return err
	}
	held, err := j.starts(ctx, limits...)
	if err != nil {
		return err
	}
	free, judged := held, held
	if p.Held {
		free, err = j.starts(ctx, append(limits, withoutHolds)...)
	} else {
		held, err = j.starts(ctx, append(limits, withHolds)...)
	}
	if err != nil {
		return err
	}
	p.Resembles = resembles(j.groups(free, secondHalf))
	p.WithHolds = resembles(j.groups(held, secondHalf))
	p.Unlike = unlike(j.groups(judged, secondHalf))
	for _, part := range []struct {
		name string
		jobs []Likeness
	}{{wholeLog, j.groups(present, wholeLog)}, {firstHalf, j.groups(free, firstHalf)}, {secondHalf, j.groups(free, secondHalf)}} {
		p.Groups = append(p.Groups, text.Each(part.jobs, func(l Likeness) PresentGroup { return PresentGroup{part.name, l} })...)
	}
	if i := slices.IndexFunc(p.Groups, func(g PresentGroup) bool { return g.Part == wholeLog }); i >= 0 {
		p.Recorded, p.Simulated = p.Groups[i].Recorded, p.Groups[i].Simulated
	}
	p.Unexplained, err = s.Unexplained(ctx)
	return err
}

// The overrides that take unexplained waiting as given, or not.
const (
	withHolds    = "present.held=" + scenario.HeldInferred
	withoutHolds = "present.held=" + scenario.HeldNone
)

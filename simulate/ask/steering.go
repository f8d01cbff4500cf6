package ask

import (
	"context"
	"fmt"

	"revopt/internal/text"
	"revopt/simulate/slurm/steer"
)

// SteerAdvice says what steering adds to the best static rule, by tune and simulations on the jobs of the scenario.
func SteerAdvice(
	ctx context.Context, q *Question, s *steer.Steerer, progress func(done, total int),
) (*steer.Advice, error) {
	short, err := steer.Shortened(ctx, q.Subject)
	if err != nil {
		return nil, err
	}
	search := *q
	search.Subject, search.Document = short, short.Document
	search.Named, search.Replications = nil, Number(steer.AdviceReplications)
	lab, err := search.Lab(ctx, nil, progress)
	if err != nil {
		return nil, err
	}
	tuning, err := AskedTuning(&search, lab)
	if err != nil {
		return nil, err
	}
	tuning.Policy, tuning.Runs = s.Site.Today(q.Subject, tuning.Policy), steer.AdviceRuns
	tuned, err := Tune(ctx, lab, tuning)
	if err != nil {
		return nil, err
	}
	return s.Advise(ctx, lab, tuning.Policy, tuned.Policy)
}

// StaticRule says how to use the best static rule of an advice: with which command, and which files to make for it.
func (t Typed) StaticRule(a *steer.Advice) string {
	switch {
	case a == nil:
		return ""
	case a.Best().Kind == steer.RuleToday:
		return "keep today's settings"
	}
	command, files := t.Export(a.Static)
	if files == "" {
		return command
	}
	return command + " (" + files + ")"
}

// PassLine says in one line what a pass of a loop has done.
func PassLine(p *steer.Pass) string {
	words := fmt.Sprintf("%s: %d of %s changed", steer.Clock(float64(p.Now)), p.After.Changed,
		text.Plural(p.Waiting, "waiting job"))
	if p.After.Pairs > 0 {
		words += fmt.Sprintf("; %s of pairs in the order of %s", text.Percent(float64(p.After.Agree)/float64(p.After.Pairs)),
			p.Policy)
	}
	if p.After.Restored > 0 {
		words += fmt.Sprintf("; former factors of %s sent", text.Plural(p.After.Restored, "job"))
	}
	if len(p.Unreadable) > 0 {
		words += fmt.Sprintf("; %s cannot be read, first %s", text.Plural(len(p.Unreadable), "row"),
			text.Quote([]byte(p.Unreadable[0])))
	}
	return words
}

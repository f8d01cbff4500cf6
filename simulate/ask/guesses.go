package ask

import (
	"context"
	"fmt"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/workload"
)

// While prices are guessed, the rows of a comparison run under other guesses, too, on the same jobs, with the same
// rules of harm. A row is named as the best only if it is the best in mostGuesses of all of them, the stated one
// included.
const mostGuesses = 5.0 / 6

// guesses is how often rows are the best.
type guesses struct {
	of    int            // guesses
	best  map[string]int // by the label of a row, in how many of them
	other string         // the best row under the first guess that has another one; "": there is none
	when  string         // that guess, in words
}

// firm reports whether the best row does not depend on guesses.
func (g *guesses) firm(label string) bool {
	return g == nil || float64(g.best[label]) >= mostGuesses*float64(g.of)-1e-9
}

// tryGuesses counts how often each row is the best. A function returns the rows that are the best of a comparison, of
// equal ones all. After an interruption there are no counts, and the answer under the stated guess stays.
func (c *Comparison) tryGuesses(ctx context.Context, best func(*Comparison) []Row) error {
	err := c.countGuesses(ctx, best)
	if ctx.Err() == nil {
		return err
	}
	c.broken = ctx.Err()
	return nil
}

func (c *Comparison) countGuesses(ctx context.Context, best func(*Comparison) []Row) error {
	stated := best(c)
	if c.broken != nil || ctx.Err() != nil || len(c.ranked()) < 2 || len(stated) == 0 {
		return nil
	}
	s := c.Lab.Subject()
	if len(s.Scenario.Guessed) == 0 {
		return nil
	}
	work, err := workload.Work(s.Workload, c.Lab.Base().Seed)
	if err != nil {
		return err
	}
	list := s.Scenario.OtherGuesses(work[:len(s.Scenario.Classes)])
	if len(list) == 0 {
		return nil
	}
	lab, partly, err := c.guessLab(ctx)
	if err != nil {
		return err
	}
	c.doing("trying other prices")
	g := &guesses{of: 1 + len(list), best: map[string]int{}}
	for _, r := range stated {
		g.best[r.Label]++
	}
	for i, guess := range list {
		other, err := c.under(ctx, lab, partly, guess)
		if ctx.Err() != nil {
			c.noted = append(c.noted, interrupted("guessed price", i, len(list)))
		}
		if err != nil {
			return err
		}
		rows := best(other)
		for _, r := range rows {
			g.best[r.Label]++
		}
		same := func(r Row) bool { return r.Label == stated[0].Label }
		if g.other == "" && len(rows) > 0 && !slices.ContainsFunc(rows, same) {
			g.other, g.when = rows[0].Label, guess.Words
		}
	}
	c.guesses = g
	return nil
}

// guessLab returns the lab on which guesses are tried, and whether it has a part of the jobs alone.
func (c *Comparison) guessLab(ctx context.Context) (l *run.Lab, partly bool, err error) {
	s := c.Lab.Subject()
	const most = sampledJobs
	if !s.Logged() || s.Windows() > 0 || !sampled(s, s.Workload.Size(), false) {
		return c.Lab, false, nil
	}
	part := s.Trace.Subset()
	switch {
	case part.From > 0 || part.To > 0:
		return c.Lab, false, nil
	case part.First > 0:
		part = model.Subset{Begin: part.First - most, End: part.First}
	case part.End > 0:
		part = model.Subset{Begin: part.End - most, End: part.End}
	default:
		part = model.Subset{Last: most}
	}
	l, err = c.Lab.With(ctx, "trace.jobs="+part.String())
	return l, true, err
}

// under returns the comparison under another guess. On a part of the jobs, a row harms also whom it harms on all.
func (c *Comparison) under(ctx context.Context, l *run.Lab, partly bool, g scenario.Guess) (*Comparison, error) {
	other := *c
	other.Lab, other.Rows, other.Points, other.beside = l, nil, nil, nil
	other.stop = run.Stop{}
	other.count = max(1, c.frame.Replications()/5)
	base, own := l.Base().Set, len(c.Lab.Base().Set)
	for _, r := range c.Rows {
		if r.Policy.RepeatsLog() {
			continue
		}
		it := r.Case
		it.Inputs, it.Set = l.Base().Inputs, slices.Concat(base, it.Set[own:])
		for _, o := range g.Set {
			it = it.With(true, o.String())
		}
		if _, err := l.Policy(r.Policy); err != nil {
			return nil, err
		}
		r.Case, r.Bound = it, nil
		other.Rows = append(other.Rows, r)
	}
	if c.Present >= 0 {
		now := c.Rows[c.Present]
		other.Present = slices.IndexFunc(other.Rows, func(r Row) bool { return r.Label == now.Label })
	}
	if err := other.run(ctx); err != nil {
		return nil, err
	}
	for i := range other.Rows {
		before := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Label == other.Rows[i].Label })
		if partly && len(other.Rows[i].harmed) == 0 {
			other.Rows[i].harmed = c.Rows[before].harmed
		}
	}
	return &other, other.broken
}

// bestColumns say in how many guesses a row is the best without harm.
func (c *Comparison) bestColumns() []Column {
	known := func(r Row) bool { return c.guesses != nil && r.compared }
	in := answer.Valued("best_in", answer.Count, "guesses of the prices under which it is the best without harm",
		func(r Row) answer.Value {
			if !known(r) {
				return answer.Value{}
			}
			return count(c.guesses.best[r.Label])
		})
	of := answer.Valued("best_of", answer.Count, "guesses that were tried, the stated one included",
		func(r Row) answer.Value {
			if !known(r) {
				return answer.Value{}
			}
			return count(c.guesses.of)
		})
	if c.guesses != nil {
		in = in.Titled(fmt.Sprintf("best in %d", c.guesses.of))
	}
	return []Column{in, of.Hidden()}
}

// depends is the headline where guesses decide which row is the best.
func (c *Comparison) depends(best Row) answer.Fact {
	g := c.guesses
	return answer.New("DEPENDS_ON_GUESSES", answer.Named{Name: "policy", Value: answer.Word(best.Label)},
		answer.Named{Name: "in", Value: count(g.best[best.Label])}, answer.Named{Name: "of", Value: count(g.of)},
		answer.Named{Name: "other", Value: answer.Maybe(g.other)}, answer.Named{Name: "when", Value: answer.Maybe(g.when)})
}

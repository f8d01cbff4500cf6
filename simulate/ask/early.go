package ask

import (
	"context"
	"slices"

	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// doing tells what is computed from now on.
func (c *Comparison) doing(what string) {
	if c.Doing != nil {
		c.Doing(what)
	}
}

// judgePresent is JudgePresent for a comparison.
func (c *Comparison) judgePresent(ctx context.Context, now *subject.Policy) (*Present, error) {
	if c.Lab.Subject().Logged() {
		c.doing("comparing the present with the log")
	}
	site, err := JudgePresent(ctx, c.Lab, now)
	c.doing("simulating")
	return site, err
}

// unbounded tells what policies deliver before bounds are known. Errors are those of the whole run, which follows and
// does not simulate them again.
func (c *Comparison) unbounded(ctx context.Context, site *Present) {
	if c.Early == nil {
		return
	}
	first := *c
	first.Rows = slices.Clone(c.Rows)
	first.Points, first.beside = nil, nil
	first.bounds(first.Rows, run.Bound{On: c.objective.Name, None: true})
	if first.run(ctx) != nil || first.broken != nil {
		return
	}
	first.finish()
	unknown := answer.Word("...")
	for i := range first.Columns {
		column := &first.Columns[i]
		switch column.Name {
		case c.objective.Column:
			column.Bound = unknown
		case "share":
			column.Bound = unknown
			column.Of = func(Row) answer.Value { return unknown }
		}
	}
	first.tell(ctx, site)
	c.doing("computing bounds")
}

// tell tells the table of a comparison. Which row is the best may depend on what is computed next, so that the headline
// has nothing but a refusal of the present.
func (c *Comparison) tell(ctx context.Context, site *Present) {
	a := c.answer(context.WithoutCancel(ctx))
	a.Headline, a.Warnings = answer.Fact{}, nil
	site.qualify(&a)
	c.Early(a)
}

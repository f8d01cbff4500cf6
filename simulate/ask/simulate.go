package ask

import (
	"context"
	"slices"

	"revopt/plots/answer"
	"revopt/simulate/run"
)

// Simulate asks what policies deliver over the window of the scenario. After an interruption the answer is of the
// replications that are whole, and the error says why it ended. A policy that fails is left out, with a warning; its
// error is returned, too.
func Simulate(ctx context.Context, l *run.Lab, r Request) (*Comparison, error) {
	r.Command = "simulate"
	q, err := r.settings()
	if err != nil {
		return nil, err
	}
	admissions, err := ParseAdmissions(l.Subject(), q.Admission)
	if err != nil {
		return nil, err
	}
	policies, reason, err := q.policies(l, admissions)
	if err != nil {
		return nil, err
	}
	several := len(policies)*max(len(admissions), 1) > 1
	rows, err := q.rows(l, policies, admissions, run.Detail{Customers: true, Waits: several || q.Widths})
	if err != nil {
		return nil, err
	}
	now, err := present(l.Subject(), rows)
	if err != nil {
		return nil, err
	}
	c, err := compare(ctx, l, q, rows, now)
	if err != nil {
		return nil, err
	}
	c.Answer.Warnings = append(c.Answer.Warnings, answer.WarnAll(run.Unrecorded(reason))...)
	if c.broken != nil {
		return c, c.broken
	}
	return c, c.failed()
}

// compare simulates rows, one of which is the present; -1: none.
func compare(ctx context.Context, l *run.Lab, q settings, rows []Row, now int) (*Comparison, error) {
	c := &Comparison{settings: q, Lab: l, Rows: rows, Present: now}
	var err error
	c.Subject, err = l.SubjectOf(ctx, rows[0].Case)
	if err != nil {
		return nil, err
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	c.Columns = c.usualColumns(policyColumn(), c.admissionColumn())
	c.Answer = c.answer(context.WithoutCancel(ctx), c.simulated()...)
	c.Answer.Headline = c.extremes()
	return c, nil
}

// simulated returns the tables beside that of the policies.
func (c *Comparison) simulated() []answer.Table {
	return slices.Concat([]answer.Table{c.customers(), c.widths(), c.affected()}, c.providers(), c.admitted(), c.cleaning())
}

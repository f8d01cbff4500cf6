package ask

import (
	"context"
	"slices"

	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Simulate asks what policies deliver over the window of the scenario. After an interruption the answer is of the
// replications that are whole, and the error says why it ended. A policy that fails is left out, with a warning; its
// error is returned, too.
func Simulate(ctx context.Context, l *run.Lab, q Request) (*Comparison, error) {
	objective, err := q.objective()
	if err != nil {
		return nil, err
	}
	if q.Precision > 0 {
		if _, err := q.stop(objective); err != nil {
			return nil, err
		}
	}
	admissions, err := q.admissions(l.Subject())
	if err != nil {
		return nil, err
	}
	policies, reason, err := q.policies(l, admissions)
	if err != nil {
		return nil, err
	}
	c, err := compare(ctx, l, q, objective, policies, admissions)
	if err != nil {
		return nil, err
	}
	c.Answer.Warnings = append(c.Answer.Warnings, answer.WarnAll(run.Unrecorded(reason))...)
	if c.broken == nil {
		return c, c.failed()
	}
	return c, c.broken
}

// compare simulates every policy behind every admission.
func compare(ctx context.Context, l *run.Lab, q Request, objective run.Objective, policies []subject.Policy,
	admissions []run.Gate) (*Comparison, error) {
	several := len(policies)*max(len(admissions), 1) > 1
	detail := run.Detail{Customers: true, Waits: several || q.Widths, Batches: !q.Plain}
	rows, err := q.rows(l, policies, admissions, detail)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Request: q, Command: "simulate", Lab: l, Objective: objective, Rows: rows}
	c.Subject, err = l.SubjectOf(ctx, rows[0].Case)
	if err != nil {
		return nil, err
	}
	c.Present, err = present(l.Subject(), rows)
	if err != nil {
		return nil, err
	}
	shown, quiet := measureColumns(objective)
	c.Columns = slices.Concat([]Column{policyColumn(), admissionColumn(len(admissions) < 2), presentColumn(), shown[0],
		gainColumn(objective), harmsColumn(), runsOnColumn()}, shown[1:], quiet)
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	tables, err := c.simulated(ctx)
	if err != nil {
		return nil, err
	}
	c.Answer = c.answer(context.WithoutCancel(ctx), tables...)
	return c, nil
}

// simulated returns the tables beside that of the policies.
func (c *Comparison) simulated(ctx context.Context) ([]answer.Table, error) {
	var list []answer.Table
	if c.Users && c.broken == nil {
		users, err := c.users(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, users)
	}
	list = append(list, c.customers(), c.widths(), c.affected())
	return slices.Concat(list, c.providers(), c.admitted(), c.cleaning()), nil
}

package ask

import (
	"context"
	"slices"

	"revopt/plots/answer"
	"revopt/simulate/experiment"
	"revopt/simulate/run"
)

// Simulate asks what policies deliver over the window of the scenario. After an interruption the answer is of the
// replications that are whole, and the error says why it ended. A policy that fails is left out, with a warning.
func Simulate(ctx context.Context, l *run.Lab, q Request) (answer.Answer, error) {
	objective, err := q.objective()
	if err != nil {
		return answer.Answer{}, err
	}
	policies, reason, err := q.policies(l.Subject())
	if err != nil {
		return answer.Answer{}, err
	}
	admissions, err := q.admissions(l.Subject())
	if err != nil {
		return answer.Answer{}, err
	}
	detail := run.Detail{Customers: true, Waits: len(policies)*len(admissions) > 1, Batches: !q.Plain}
	rows, err := q.rows(l, policies, admissions, detail)
	if err != nil {
		return answer.Answer{}, err
	}
	c := Comparison{Request: q, Command: "simulate", Lab: l, Objective: objective, Rows: rows}
	c.Subject, err = l.SubjectOf(ctx, rows[0].Case)
	if err != nil {
		return answer.Answer{}, err
	}
	c.Present, err = present(l.Subject(), rows)
	if err != nil {
		return answer.Answer{}, err
	}
	shown, quiet := measureColumns(objective)
	c.Columns = slices.Concat([]Column{policyColumn(), admissionColumn(), presentColumn(), shown[0], gainColumn(),
		harmsColumn(), runsOnColumn()}, shown[1:], quiet)
	if err := c.run(ctx); err != nil {
		return answer.Answer{}, err
	}
	a := c.answer(context.WithoutCancel(ctx), c.customers(), c.affected())
	a.Warnings = append(a.Warnings, answer.WarnAll(experiment.Unrecorded(reason))...)
	return a, c.broken
}

package tune

import (
	"context"
	"math"

	"revopt/simulate/experiment"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// compareToday sets how far today's settings resemble the site of the log, on all of the log as it happened.
func (x *trial) compareToday(ctx context.Context) error {
	if !x.Subject.Logged() {
		return nil
	}
	policies := []subject.Policy{x.Policy}
	if log, _ := experiment.RecordedPolicy(x.Subject, nil); log != nil {
		policies = append(policies, *log)
	}
	samples, err := runPolicies(ctx, x.Runner, x.Subject, policies, x.Level, "testing", func(p *plan.Plan) {
		p.Seed = x.Seed
		p.CompareBy = x.Objective
		p.Replications = 1
	})
	if err != nil {
		return err
	}
	earned := []float64{math.NaN(), math.NaN()} // by today's settings, and by the log
	for i := range policies {
		earned[i] = samples.Row(0, i).Interval(plan.ObjectiveMeasure(x.Objective), -1).Mean
	}
	x.out.Baseline, err = study.NewBaseline(ctx, x.Subject, x.Policy, earned[1], earned[0])
	return err
}

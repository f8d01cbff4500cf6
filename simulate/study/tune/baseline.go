package tune

import (
	"context"
	"math"

	"revopt/simulate/experiment"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// compareToday sets how far today's settings resemble the site of the log, on all of the log as it happened.
func (x *trial) compareToday(ctx context.Context) error {
	if !x.Subject.Logged() {
		return nil
	}
	value := func(o plan.Outcome) float64 { return o.Interval(metric.ValuePerSecond(), -1).Mean }
	recorded := math.NaN()
	if log, _ := experiment.RecordedPolicy(x.Subject, nil); log != nil {
		samples, err := runPolicies(ctx, x.Runner, x.Subject, []subject.Policy{*log}, x.Level, "testing",
			func(p *plan.Plan) { p.Seed, p.Replications = x.Seed, 1 })
		if err != nil {
			return err
		}
		recorded = value(samples.Row(0, 0))
	}
	var err error
	x.out.Baseline, err = study.NewBaseline(ctx, x.Subject, x.Policy, recorded, value(x.of(x.race.now).whole))
	return err
}

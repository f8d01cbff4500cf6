package ask

import (
	"context"

	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// A formula prices capacity as if it came in any amount. Jobs want whole units, often several at a time, so that one more
// unit may change nothing. Its price is therefore said only where a simulation shows, beyond chance, that it delivers
// something. Classes that are fitted to a log have no such price: the log is one history, in which a unit more or less
// changes the value by chance.

// grown finds the pools of which one more unit delivers more under an admission that stands; a machine without pools
// is the pool "".
func (c checker) grown(ctx context.Context, a *analytic.Analysis, answer *solved, k *verdict, advice *tested) error {
	if a.Fit != nil || !k.Stands {
		return nil
	}
	k.Grows = map[string]bool{}
	for _, part := range answer.parts() {
		grows, err := c.grows(ctx, a, answer, k, advice, part.Name)
		if err != nil {
			return err
		}
		k.Grows[part.Name] = grows
	}
	return nil
}

// grows reports whether the advice delivers more with one more unit of a pool on the same jobs, beyond chance.
func (c checker) grows(
	ctx context.Context, a *analytic.Analysis, answer *solved, k *verdict, advice *tested, pool string,
) (bool, error) {
	path := "nodes"
	if pool != "" {
		path = "pools." + pool
	}
	change, err := parseField(c.Subject, path+"=+1")
	if err != nil {
		return false, nil // the machine has no unit to add
	}
	s, err := c.Subject.With(ctx, change.set...)
	if err != nil {
		return false, err
	}
	larger := checker{s, c.Seed, c.Workers}
	e, err := larger.experiment(ctx)
	if err != nil || e == nil {
		return false, err
	}
	e.Workload = run.Shortened(s.Workload, int(advice.experiment.Workload.Size()))
	e, err = larger.advised(ctx, a, answer, *e)
	if err != nil {
		return false, err
	}
	more := &rival{tested: &tested{experiment: e}}
	if err := c.extend(ctx, k.Replications, []*rival{more}); err != nil {
		return false, err
	}
	low, _ := more.over(advice, metric.DefaultLevel).Bounds()
	return low > 0, nil
}

// priced returns a price of capacity. It is not known of classes that are fitted to a log, and under an admission that
// does not stand.
func (s *solved) priced(v answer.Value) answer.Value {
	if s.model.Fit != nil || s.Checked != nil && !s.Checked.Stands {
		return answer.Value{}
	}
	return v
}

// unit returns the price of one unit of a pool. It is not known where a simulation does not confirm it.
func (s *solved) unit(pool string, v answer.Value) answer.Value {
	if s.Checked != nil && !(s.Checked.Grows[pool] && v.Number > 0) {
		return answer.Value{}
	}
	return s.priced(v)
}

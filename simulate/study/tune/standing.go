package tune

import (
	"cmp"

	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// setStanding sets where the site stands, on the numbers of the test: today's settings, those that are recommended, the
// best of the other policies that harm nobody, and the bound if it is on these numbers.
func (x *trial) setStanding() {
	r := x.out
	size := float64(metric.Hour)
	s := &study.Standing{Quantity: cmp.Or(x.Objective, study.QuantityValue), Unit: cmp.Or(r.Unit, "$/h"), Judged: true}
	if x.Objective != "" {
		size = 1
	}
	mark := func(label, runsOn string, e study.Estimate) *study.Mark {
		return &study.Mark{Label: label, RunsOn: runsOn, Amount: study.NewEstimate(e.Interval().Times(size))}
	}
	s.Today = mark(r.Today, x.Policy.Spec.RunsOn(x.Policy.Settings).Key(), r.Before)
	tuned := mark(r.Label, r.RunsOn, r.After)
	s.Overall = tuned
	if r.RunsOn == policy.Slurm.Key() {
		s.Runnable = tuned
	}
	better := func(m, than *study.Mark) bool {
		return than == nil || plan.Merit(x.Objective, float64(m.Amount.Mean-than.Amount.Mean)) > 0
	}
	for _, v := range r.Versus {
		m := mark(v.Label, v.RunsOn, v.Reached())
		if !v.Fewer && len(v.Harm) == 0 && better(m, s.Overall) {
			s.Overall = m
		}
	}
	for _, v := range r.Versus {
		m := mark(v.Label, v.RunsOn, v.Reached())
		if !v.Fewer && len(v.Harm) == 0 && v.RunsOn == policy.Slurm.Key() && better(m, s.Runnable) {
			s.Runnable = m
		}
		if !v.Fewer && len(v.Harm) > 0 && better(m, s.Overall) && better(m, s.Harmful) {
			s.Harmful = m
		}
	}
	s.Tied, s.Partial = x.tied(s), x.partial()
	if !x.drawn {
		bounds := x.point.Best()
		if x.Objective == "" && x.point.Seconds != nil {
			bounds = plan.Hourly(bounds, x.point.Seconds)
		}
		name := plan.ClairvoyantBound
		if x.Objective != "" {
			name = plan.BusyTimeBound
		}
		s.Bound = study.NewBoundMark(name, bounds)
	}
	r.Standing = s
}

// tied reports whether the best of all may be better than the best that Slurm runs by chance.
func (x *trial) tied(s *study.Standing) bool {
	if s.Runnable == nil || s.Runnable.Label == s.Overall.Label {
		return false
	}
	best, runnable := x.rows[s.Overall.Label], x.rows[s.Runnable.Label]
	if best == nil || runnable == nil {
		return false
	}
	gain := x.gain(best, runnable)
	low, high := gain.Interval().Bounds()
	return gain.N > 1 && low <= 0 && high >= 0
}

// partial reports whether Slurm can run other policies that apply.
func (x *trial) partial() bool {
	tried := []string{x.out.Today, x.out.Label}
	for _, v := range x.out.Versus {
		tried = append(tried, v.Label)
	}
	var best study.Best
	best.SetPartial(x.Subject, tried)
	return best.Partial
}

package main

import (
	"context"
	"fmt"
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
)

// run carries out the validation: the table's point first, so that it is there
// if the rest is interrupted.
func (v *validation) run(ctx context.Context) error {
	if err := v.runOwn(ctx); err != nil || v.along.work == nil {
		return err
	}
	return v.runStage(ctx, &v.along)
}

// runOwn carries out the table's point. With --precision it does so in rounds,
// each of twice as many replications, until all intervals are narrow enough.
func (v *validation) runOwn(ctx context.Context) error {
	stop := v.options.stop
	if stop == nil {
		return v.runStage(ctx, &v.own)
	}
	if v.options.capped {
		stop.Precision.Max = v.own.work.Replications
	}
	most := stop.Precision.Most()
	for n := min(10, most); ; n = min(2*n, most) {
		round := v.own.work.Validation // with the admissions of the round before
		round.Replications = n
		work, err := round.Open()
		if err != nil {
			return err
		}
		next := stage{work: work, own: true}
		err = v.runStage(ctx, &next)
		if next.found != nil && (err == nil || v.own.found == nil) {
			v.own = next
		}
		if v.met = err == nil && v.precise(next.found); err != nil || v.met || n == most {
			return err
		}
	}
}

// precise reports whether the interval of the figure of --metric is narrow
// enough in every row.
func (v *validation) precise(found *sweep.Validated) bool {
	stop := v.options.stop
	for _, row := range found.Points[0].Rows {
		if !(row.Interval(stop.Figure, -1).Relative() <= stop.Precision.Relative) {
			return false
		}
	}
	return true
}

// runStage carries out some points. What is finished of the table's point is
// kept when it is interrupted.
func (v *validation) runStage(ctx context.Context, s *stage) error {
	if err := v.prepare(ctx, s); err != nil {
		return err
	}
	show := &pace{meter: progress(v.stderr, "validating", v.quiet)}
	found, err := s.work.Validate(ctx, sweep.Engine{Workers: v.options.workers, Progress: show.step})
	show.clear()
	if err == nil || s.own {
		s.found = found
	}
	if ctx.Err() != nil { // in plainer words than those of the run it stopped
		return ctx.Err()
	}
	return err
}

// prepare computes what the simulator cannot: admissions and model bounds.
func (v *validation) prepare(ctx context.Context, s *stage) error {
	for point := range s.work.Points() {
		models, err := v.modelsAt(ctx, s, point)
		if err != nil {
			return err
		}
		s.models = append(s.models, models)
	}
	if v.classed == nil {
		return nil
	}
	// The work owns its contenders: those of the other stage stay as they are.
	s.work.Contenders = slices.Clone(s.work.Contenders)
	for i := range s.work.Contenders {
		if err := v.admit(ctx, s, &s.work.Contenders[i]); err != nil {
			return err
		}
	}
	return nil
}

// admit gives a contender its probabilities at every point.
func (v *validation) admit(ctx context.Context, s *stage, c *sweep.Contender) error {
	if c.Admission != admitAnalytic && c.Admission != admitSimulated || len(c.Admit) > 0 {
		return nil
	}
	for point := range s.work.Points() {
		sc, err := s.scenarioOf(point)
		if err != nil {
			return err
		}
		admit := s.models[point][0].admit
		if c.Admission == admitSimulated {
			starts, err := s.startsOf(ctx, point, sc)
			if err == nil {
				admit, err = v.search(ctx, sc, *c, starts)
			}
			if err != nil {
				return fmt.Errorf("search for the best admission under %s: %w", c.Policy, err)
			}
		}
		c.Admit = append(c.Admit, admit)
	}
	return nil
}

// startsOf returns where searches at a point start, whatever the policy.
func (s *stage) startsOf(ctx context.Context, point int, sc *scenario.Scenario) ([][]float64, error) {
	if list, ok := s.starts[point]; ok {
		return list, nil
	}
	list, err := searchStarts(ctx, sc)
	if err == nil {
		if s.starts == nil {
			s.starts = make(map[int][][]float64)
		}
		s.starts[point] = list
	}
	return list, err
}

// search looks for the admission that earns most on the simulator.
func (v *validation) search(ctx context.Context, sc *scenario.Scenario, c sweep.Contender, starts [][]float64) ([]float64, error) {
	short := *sc
	short.Simulation.Horizon, short.Simulation.Jobs = 0, sweep.DrainedJobs
	if v.jobs > 0 {
		short.Simulation.Jobs = v.jobs
	}
	show := &pace{meter: progress(v.stderr, "searching the best admission under "+c.Policy+", runs", v.quiet)}
	defer show.clear()
	e := &sweep.Experiment{Scenario: &short, Policy: c.Policy, Options: c.Options, Seed: v.options.seed}
	found, err := sweep.Search(ctx, e, starts, v.options.workers, show.count)
	return slices.Clone(found.Admit), err
}

// admission returns the probabilities of a contender at the scenario's own
// point.
func (v *validation) admission(c sweep.Contender) []float64 {
	if len(c.Admit) == 0 {
		return admitEverybody(v.classed.Classes)
	}
	return c.Admit[0]
}

// chosenPolicyOf returns a contender's policy with all its options.
func chosenPolicyOf(c sweep.Contender) chosenPolicy {
	spec, err := policy.Lookup(c.Policy)
	if err != nil {
		panic("revopt: " + err.Error())
	}
	options, err := spec.Resolve(c.Options)
	if err != nil {
		panic("revopt: " + err.Error())
	}
	return chosenPolicy{spec.Name, options, policyLabel(spec, options)}
}

// residuals returns the conventions for the delays, the given one first.
func residuals(first model.Residual) []model.Residual {
	list := []model.Residual{first}
	for _, r := range []model.Residual{model.Printed, model.Pooled, model.Multiserver} {
		if r != first {
			list = append(list, r)
		}
	}
	return list
}

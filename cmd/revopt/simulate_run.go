package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/sweep"
	"revopt/simulate/tune"
)

// simulation is a comparison of policies and admissions as it is carried out.
type simulation struct {
	options simulateSettings
	sc      *scenario.Scenario
	wishes  []chosenAdmission
	stderr  io.Writer // progress
	quiet   bool

	rows     []simulateRow
	most     int              // replications there may be
	analytic *optimize.Result // nil where no row needs it
	warmup   *sweep.Warmup    // nil unless MSER-5 was asked for
}

// simulateRow is a policy with an admission.
type simulateRow struct {
	policy     chosenPolicy
	admission  chosenAdmission
	search     *tune.Result // nil unless the admission was searched
	experiment *sweep.Experiment
}

// run computes the admissions that are not numbers yet, then simulates.
// Whatever is wrong with the scenario or the flags is found first.
func (r *simulation) run(ctx context.Context) (sweep.Compared, error) {
	none := sweep.Compared{Outcomes: make([]sweep.Outcome, 1)}
	for _, p := range r.options.policies {
		for _, a := range r.wishes {
			e := &sweep.Experiment{Scenario: r.sc, Policy: p.name, Options: p.options, Admit: a.admit, Seed: r.options.seed}
			r.rows = append(r.rows, simulateRow{policy: p, admission: a, experiment: e})
		}
	}
	comparison, err := r.comparison()
	if err != nil {
		return none, err
	}
	if err := comparison.Check(); err != nil {
		return none, usagef("%s: %s", r.sc.Name, bare(err))
	}
	if err := r.admissions(ctx); err != nil {
		return none, err
	}
	if err := r.findWarmup(ctx, comparison); err != nil {
		return none, err
	}
	show := r.progress("simulating")
	defer show.clear()
	comparison.Progress = func(finished int) { show.step(finished, r.most) }
	return comparison.Run(ctx)
}

// comparison returns the rows side by side.
func (r *simulation) comparison() (*sweep.Comparison, error) {
	c := &sweep.Comparison{Replications: r.sc.Simulation.Replications, Stop: r.options.stop, Workers: r.options.workers, Level: r.options.level}
	for _, row := range r.rows {
		c.Experiments = append(c.Experiments, row.experiment)
	}
	if c.Stop != nil && r.options.capped {
		if c.Replications < 2 {
			return nil, usagef("--replications: expected at least 2 with --precision, got %d", c.Replications)
		}
		c.Stop.Precision.Max = c.Replications
		c.Stop.Precision.First = min(10, c.Replications)
	}
	r.most = c.Replications
	if c.Stop != nil {
		r.most = c.Stop.Precision.Most()
	}
	return c, nil
}

// admissions gives every row its probabilities.
func (r *simulation) admissions(ctx context.Context) error {
	for i := range r.rows {
		row := &r.rows[i]
		if row.admission.admit != nil {
			continue
		}
		best, err := r.solve(ctx)
		if err != nil {
			return err
		}
		row.admission.admit = best.Admit
		if row.admission.name == admitSimulated {
			if err := r.search(ctx, row); err != nil {
				return fmt.Errorf("simulate: search for the best admission under %s: %w", row.policy.label, err)
			}
		}
		row.experiment.Admit = row.admission.admit
	}
	return nil
}

// solve returns the optimum of the scenario's own convention.
func (r *simulation) solve(ctx context.Context) (*optimize.Result, error) {
	if r.analytic == nil {
		best, err := solveSystem(ctx, r.sc.System())
		if err != nil {
			return nil, err
		}
		r.analytic = &best
	}
	return r.analytic, nil
}

func solveSystem(ctx context.Context, sys model.System) (optimize.Result, error) {
	return optimize.Solve(ctx, sys, optimize.Settings{})
}

// search looks for the admission that earns most on the simulator.
func (r *simulation) search(ctx context.Context, row *simulateRow) error {
	starts, err := searchStarts(ctx, r.sc)
	if err != nil {
		return err
	}
	show := r.progress("searching the best admission under " + row.policy.label + ", runs")
	defer show.clear()
	found, err := sweep.Search(ctx, row.experiment, starts, r.options.workers, show.count)
	if err != nil {
		return err
	}
	row.search, row.admission.admit = &found, slices.Clone(found.Admit)
	return nil
}

// findWarmup replaces the scenario's warm-up where MSER-5 is to find it.
func (r *simulation) findWarmup(ctx context.Context, c *sweep.Comparison) error {
	if !r.options.mser {
		return nil
	}
	found, err := c.FindWarmup(ctx)
	if err != nil {
		return fmt.Errorf("simulate: pilot runs for the warm-up: %w", err)
	}
	r.warmup, r.sc = &found, found.With(r.sc)
	for _, e := range c.Experiments {
		e.Scenario = r.sc
	}
	return nil
}

// progress shows on a terminal how far the work is.
func (r *simulation) progress(label string) *pace {
	return &pace{meter: progress(r.stderr, label, r.quiet)}
}

// pace is a meter for work that many goroutines do in small steps: it shows
// only some of them.
type pace struct {
	meter meter
	mu    sync.Mutex
	last  time.Time
	steps int
}

// step shows how much is done.
func (p *pace) step(done, total int) {
	p.now(func() { p.meter.step(done, total) })
}

// count shows how often it was called.
func (p *pace) count() {
	p.mu.Lock()
	p.steps++
	steps := p.steps
	p.mu.Unlock()
	p.now(func() { p.meter.note(steps) })
}

// now calls show unless something was shown just before.
func (p *pace) now(show func()) {
	const pause = 100 * time.Millisecond
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) >= pause {
		p.last = time.Now()
		show()
	}
}

func (p *pace) clear() { p.meter.clear() }

// note shows a number without an end to compare it with.
func (m meter) note(done int) {
	if m.w != nil {
		fmt.Fprintf(m.w, "%s%s: %d", clearLine, m.label, done)
	}
}

package run

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Progress reports a stage of a study and its finished steps; total is 0 where it is not known. Any
// goroutine may call it. A nil Progress does nothing.
type Progress func(what string, done, total int)

func (p Progress) Tell(what string, done, total int) {
	if p != nil {
		p(what, done, total)
	}
}

// SearchJobs is the largest length of a replication of a search: many short ones tell admissions apart as
// well as few long ones, on more workers.
const SearchJobs = 20000

// admissionSearch looks for the admission with which an experiment earns most on the simulator. The queueing model knows the best
// admission of its queue; with bounded penalties, expiry and jobs side by side
// another one may earn more.
//
// A search draws other random numbers than the measurement, which would favor the
// admission otherwise.
type admissionSearch struct {
	Experiment *Experiment
	Effort     scenario.SearchEffort // jobs of a replication of a stream at most (0 is 20000), and settings of Maximize
	Workers    int                   // 0: one per processor
	Progress   func()                // is told after each run, from any goroutine; may be nil
}

// Admission searches for admission probabilities, from the given ones.
func (s admissionSearch) Admission(ctx context.Context, starts [][]float64) ([]float64, error) {
	return Maximize(ctx, s.try, searchSettings{
		Starts: starts, Replications: s.Effort.Replications, LastStep: s.Effort.Step, Workers: s.Workers,
	})
}

// try runs the experiment with an admission, on numbers of the search. It returns the money earned: per second of a
// stream, else in all.
func (s admissionSearch) try(ctx context.Context, admit []float64, replication int) (float64, error) {
	e := *s.Experiment
	e.Workload = Shortened(e.Workload, s.Effort.Jobs)
	e.Seed = DerivedSeed(e.Seed, "search")
	e.Plain = true
	e.Admission = Gate{Admit: admit}
	sample, err := e.Run(ctx, replication)
	if err == nil && s.Progress != nil {
		s.Progress()
	}
	switch {
	case sample.Providers != nil: // the search is for the first of them
		return metric.RevenuePerSecond().Of(sample.Providers[0]), err
	case e.Workload.Stream() == 0:
		return sample.Total.Revenue, err
	}
	return metric.RevenuePerSecond().Of(sample.Total), err
}

// Shortened returns a stream with replications of at most so many jobs, 0 being SearchJobs. A warm-up in
// seconds stays, up to half of the rest.
func Shortened(w workload.Workload, jobs int) workload.Workload {
	jobs = cmp.Or(jobs, SearchJobs)
	c, ok := w.(*workload.Classes)
	scale := float64(jobs) / w.Size()
	if !ok || !(scale < 1) {
		return w
	}
	l := c.Length()
	if l.Horizon > 0 {
		l.Horizon *= scale
	} else {
		l.Jobs = int64(jobs)
	}
	l.WarmupSeconds = min(l.WarmupSeconds, float64(jobs)/c.Stream()/2)
	return c.WithLength(l)
}

// revenueFunc returns the revenue of one replication under admission probabilities. The replication chooses
// the random numbers, common to all admissions.
type revenueFunc func(ctx context.Context, admit []float64, replication int) (float64, error)

// searchSettings control a search. Starts are needed, the rest has defaults.
type searchSettings struct {
	Starts       [][]float64 // admissions to start from; the result earns no less than they do
	Replications int         // per admission tried; 0 means 8
	LastStep     float64     // the search ends below it; 0 means 1/64
	Workers      int         // 0: one per processor
}

// firstStep is how far a search first moves a probability.
const firstStep = 0.25

func (s searchSettings) withDefaults() searchSettings {
	s.Replications = cmp.Or(s.Replications, 8)
	s.LastStep = cmp.Or(s.LastStep, 1.0/64)
	return s
}

// Maximize searches for the admission with the largest mean revenue.
//
// From the better of its starts it runs a compass search: try every
// probability one step up and one step down, go to the best of them, and
// where none is better halve the step. It uses the replications 0, 1, ...,
// n-1. Then it compares the admission found with all starts on the replications
// n, ..., 3n-1, which the search has not seen, and returns the best, so that no
// start beats it by more than chance.
func Maximize(ctx context.Context, revenue revenueFunc, settings searchSettings) ([]float64, error) {
	s := settings.withDefaults()
	if len(s.Starts) == 0 {
		return nil, errors.New("experiment: no admission to start from")
	}
	v := &evaluator{revenue, s.Workers}
	tried, err := v.try(ctx, s.Starts, 0, s.Replications)
	if err != nil {
		return nil, err
	}
	top, err := v.compass(ctx, best(tried), firstStep, s)
	if err != nil {
		return nil, err
	}
	finalists, err := v.try(ctx, append([][]float64{top.admit}, s.Starts...), s.Replications, 3*s.Replications)
	if err != nil {
		return nil, err
	}
	return best(finalists).admit, nil
}

// evaluator simulates admissions.
type evaluator struct {
	revenue revenueFunc
	workers int
}

// trial is an admission that was simulated.
type trial struct {
	admit []float64
	value float64 // its mean revenue over replications
}

// try simulates admissions in the replications from, ..., to-1. All runs of all
// admissions are spread over the workers at once.
func (v *evaluator) try(ctx context.Context, admissions [][]float64, from, to int) ([]trial, error) {
	n := to - from
	x, err := metric.Replicate(ctx, 0, len(admissions)*n, v.workers,
		func(ctx context.Context, k int) (float64, error) {
			return v.revenue(ctx, admissions[k/n], from+k%n)
		})
	if err != nil {
		return nil, err
	}
	tried := make([]trial, len(admissions))
	for k, admit := range admissions {
		tried[k].admit = admit
		for _, revenue := range x[k*n : (k+1)*n] {
			tried[k].value += revenue / float64(n)
		}
	}
	return tried, nil
}

// compass climbs from a trial on the first replications, in steps of the given size at first.
func (v *evaluator) compass(ctx context.Context, at trial, step float64, s searchSettings) (trial, error) {
	for step >= s.LastStep {
		tries, err := v.try(ctx, neighbors(at.admit, step), 0, s.Replications)
		if err != nil {
			return at, err
		}
		// All moves that help, taken together, often help more.
		both, err := v.try(ctx, joined(at, tries), 0, s.Replications)
		if err != nil {
			return at, err
		}
		top := best(append([]trial{best(tries)}, both...))
		if top.value > at.value {
			at = top
		} else {
			step /= 2
		}
	}
	return at, nil
}

// neighbors returns the admissions one step up and down in each probability.
func neighbors(at []float64, step float64) [][]float64 {
	var out [][]float64
	for i, q := range at {
		for _, to := range [2]float64{math.Min(1, q+step), math.Max(0, q-step)} {
			if to != q {
				next := append([]float64(nil), at...)
				next[i] = to
				out = append(out, next)
			}
		}
	}
	return out
}

// joined returns an admission with every probability at its better neighbor, if there is one.
func joined(at trial, tries []trial) [][]float64 {
	out := append([]float64(nil), at.admit...)
	gain := make([]float64, len(out))
	moved := false
	for _, try := range tries {
		for i, q := range at.admit {
			if d := try.value - at.value; try.admit[i] != q && d > gain[i] {
				gain[i] = d
				out[i] = try.admit[i]
				moved = true
			}
		}
	}
	if !moved {
		return nil
	}
	return [][]float64{out}
}

// best returns the trial of the largest value, the first of equal ones.
func best(tried []trial) trial {
	return slices.MaxFunc(tried, func(a, b trial) int { return cmp.Compare(a.value, b.value) })
}

package study

import (
	"context"
	"errors"
	"math"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// searchJobs is how long a replication of a search is at most. Many short
// replications tell two admissions apart as well as few long ones, and the
// search spreads over more workers.
const searchJobs = 20000

// Search looks for the admission with which an experiment earns most, starting
// from the given ones. The queueing model knows the best admission of its own
// queue. On a simulator with bounded penalties, expiry and jobs side by side
// another one may earn more.
//
// The search has random numbers of its own, or the measurement would favor the
// admission found. The effort says how many jobs a replication of a stream has at
// most (0 is 20000), how many replications each admission is tried on, and the
// last step, whose defaults are those of SearchSettings. The progress function,
// which may be nil, is told after each run, from any goroutine.
func Search(ctx context.Context, e *Experiment, effort scenario.SearchEffort, starts [][]float64, workers int, progress func()) (Found, error) {
	return e.maximize(ctx, effort, starts, func(x []float64) Admission { return Admission{Admit: x} }, workers, progress)
}

// maximize searches over the admissions that numbers from 0 to 1 stand for.
func (e *Experiment) maximize(ctx context.Context, effort scenario.SearchEffort, starts [][]float64, admission func(x []float64) Admission, workers int, progress func()) (Found, error) {
	if effort.Jobs == 0 {
		effort.Jobs = searchJobs
	}
	short, seed := shortened(e.Workload, effort.Jobs), derived(e.Seed, "search")
	earned := metric.RevenuePerSecond()
	if short.Stream() == 0 { // all jobs count, whenever the last one ends
		earned.Of = func(s metric.Sum) float64 { return s.Revenue }
	}
	v := &evaluator[Sample]{workers: workers, run: func(ctx context.Context, x []float64, replication int) (Sample, error) {
		try := *e
		try.Workload, try.Seed, try.Admission = short, seed, admission(x)
		sample, err := try.Run(ctx, replication)
		if err == nil && progress != nil {
			progress()
		}
		return sample, err
	}, values: func(samples []Sample) []float64 { return Outcome{Samples: samples}.Values(earned, -1) }}
	return v.maximize(ctx, SearchSettings{Starts: starts, Replications: effort.Replications, LastStep: effort.Step, Workers: workers})
}

// shortened returns a workload whose replications are of so many jobs where the
// given one is a stream with longer ones. A warm-up stated in seconds stays, up
// to half of the rest.
func shortened(w workload.Workload, jobs int) workload.Workload {
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

// RevenueFunc returns the revenue of one replication under the given admission
// probabilities. The replication alone chooses the random numbers, so that
// admissions are compared on common ones.
type RevenueFunc func(ctx context.Context, admit []float64, replication int) (float64, error)

// SearchSettings control a search. Starts are needed, the rest has defaults.
type SearchSettings struct {
	Starts       [][]float64 // admissions to start from; the result is none of them less
	Replications int         // per admission tried; 0 means 8
	LastStep     float64     // the search ends below it; 0 means 1/64
	Workers      int         // 0: one per processor
}

// firstStep is how far a search first moves a probability.
const firstStep = 0.25

func (s SearchSettings) withDefaults() SearchSettings {
	if s.Replications == 0 {
		s.Replications = 8
	}
	if s.LastStep == 0 {
		s.LastStep = 1.0 / 64
	}
	return s
}

// Found is the best admission of a search.
type Found struct {
	Admit       []float64
	Evaluations int  // admissions tried
	Improved    bool // it is not one of the starts
}

// Maximize searches for the admission with the largest mean revenue.
//
// From the better of its starts it runs a compass search: try every
// probability one step up and one step down, go to the best of them, and
// where none is better halve the step. It uses the replications 0, 1, ...,
// n-1. Then it compares the admission found with all starts on the replications
// n, ..., 3n-1, which the search has not seen, and returns the best, so that no
// start beats it by more than chance.
func Maximize(ctx context.Context, revenue RevenueFunc, settings SearchSettings) (Found, error) {
	v := &evaluator[float64]{run: revenue, workers: settings.Workers, values: func(x []float64) []float64 { return x }}
	return v.maximize(ctx, settings)
}

func (v *evaluator[T]) maximize(ctx context.Context, settings SearchSettings) (Found, error) {
	s := settings.withDefaults()
	if len(s.Starts) == 0 {
		return Found{}, errors.New("study: no admission to start from")
	}
	values, err := v.means(ctx, s.Starts, 0, s.Replications)
	if err != nil {
		return Found{}, err
	}
	best := argmax(values)
	found, err := v.compass(ctx, s.Starts[best], values[best], s)
	if err != nil {
		return Found{}, err
	}
	finalists := append([][]float64{found}, s.Starts...)
	values, err = v.means(ctx, finalists, s.Replications, 3*s.Replications)
	if err != nil {
		return Found{}, err
	}
	winner := argmax(values)
	return Found{Admit: finalists[winner], Evaluations: v.count, Improved: winner == 0}, nil
}

// evaluator simulates admissions.
type evaluator[T any] struct {
	run     func(ctx context.Context, admit []float64, replication int) (T, error)
	values  func([]T) []float64 // the revenue of each replication of an admission
	workers int
	count   int
}

// means returns the mean revenue of each admission over the replications from,
// ..., to-1. All runs of all admissions are spread over the workers at once.
func (v *evaluator[T]) means(ctx context.Context, admissions [][]float64, from, to int) ([]float64, error) {
	n := to - from
	v.count += len(admissions)
	x, err := metric.Replicate(ctx, 0, len(admissions)*n, v.workers, func(ctx context.Context, k int) (T, error) {
		return v.run(ctx, admissions[k/n], from+k%n)
	})
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(admissions))
	for i := range values {
		for _, r := range v.values(x[i*n : (i+1)*n]) {
			values[i] += r / float64(n)
		}
	}
	return values, nil
}

// compass climbs from start, whose value is known, on the replications 0, ...,
// s.Replications-1.
func (v *evaluator[T]) compass(ctx context.Context, start []float64, value float64, s SearchSettings) ([]float64, error) {
	at := append([]float64(nil), start...)
	for step := firstStep; step >= s.LastStep; {
		tries := neighbors(at, step)
		values, err := v.means(ctx, tries, 0, s.Replications)
		if err != nil {
			return nil, err
		}
		best := argmax(values)
		if !(values[best] > value) {
			step /= 2
			continue
		}
		// All moves that help, taken together, often help more.
		together := joined(at, tries, values, value)
		both, err := v.means(ctx, [][]float64{together}, 0, s.Replications)
		if err != nil {
			return nil, err
		}
		if both[0] > values[best] {
			at, value = together, both[0]
		} else {
			at, value = tries[best], values[best]
		}
	}
	return at, nil
}

// neighbors returns the admissions one step up and one step down in each
// probability, cut off at 0 and 1.
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

// joined returns at with every probability moved to its better neighbor where
// that is worth more than value.
func joined(at []float64, tries [][]float64, values []float64, value float64) []float64 {
	out := append([]float64(nil), at...)
	gain := make([]float64, len(at))
	for k, try := range tries {
		for i := range at {
			if d := values[k] - value; try[i] != at[i] && d > gain[i] {
				gain[i], out[i] = d, try[i]
			}
		}
	}
	return out
}

// argmax returns the index of the largest value, the first of equal ones.
func argmax(x []float64) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

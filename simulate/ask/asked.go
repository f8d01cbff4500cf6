package ask

import (
	"context"

	"revopt/simulate/run"
	"revopt/simulate/study/request"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Open returns the lab of a question whose scenario is open. The lab uses the policies and the traces of the question.
func Open(ctx context.Context, q *request.Question, store *run.Store, progress func(done, total int)) (*run.Lab,
	error) {
	return run.NewLab(ctx, q.Document, run.Options{Seed: q.Seed, Policies: q.Filed, Named: q.Specs, Opener: q.Opener,
		Store: store, Workers: q.Workers, Progress: progress})
}

// Asked returns what a question about runs asks for.
func Asked(q *request.Question) Request {
	r := Request{Admissions: q.Admission, Replications: q.Run.Count, Metric: q.Metric, Level: q.Run.Level,
		Objective: q.Objective, Plain: q.Plain, Version: q.Version, Changes: q.Changes, Costs: q.Costs, Life: q.Life,
		Formula: q.Formula, Alone: q.Alone}
	if len(q.Policies) > 0 {
		r.Policies = q.Policies
	}
	if q.Run.Stop != nil {
		r.Precision = q.Run.Stop.Precision.Relative
	}
	if q.Run.Resample != nil {
		r.Weeks, r.Span = true, q.Run.Resample.Span
	}
	return r
}

// AskedValidation returns what a question about bounds asks for.
func AskedValidation(q *request.Question) (Request, error) {
	r := Asked(q)
	// A horizon of few jobs stays one; of more it says how many.
	size := q.Subject.Workload.Size()
	if q.Subject.Workload.Stream() > 0 && (q.Jobs != "" || q.Horizon != "" && size > workload.DrainedJobs) {
		r.Jobs = int(min(size, 1e18))
	}
	if q.Vary == "" {
		return r, nil
	}
	axis, err := q.Variation()
	if err != nil {
		return r, err
	}
	for _, x := range axis.Values { // a fault names the flag
		at, err := axis.At(q.Document, x)
		if err != nil {
			return r, err
		}
		if _, err := at.Scenario(subject.Known(q.Filed)); err != nil {
			return r, err
		}
	}
	r.Vary = axis.Axis
	return r, nil
}

package request

import (
	"slices"
	"strings"

	"revopt/internal/removed"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/study"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Run is how a request simulates.
type Run struct {
	Policies   []subject.Policy // nil: as the scenario says
	All        bool             // adds all policies that apply
	Admissions []run.Gate
	Stop       *Stop                // nil runs the scenario's number of replications
	Resample   *workload.Resampling // nil replays a trace as it is
	Count      int                  // replications asked for, 0 where none are
	Level      float64
}

// Stop ends the replications when the interval of a measure is narrow enough in every row.
type Stop struct {
	Measure   metric.Measure
	Precision metric.Precision // its Level is that of the answer
}

// run reads how to simulate, as far as that needs no scenario.
func (r Request) run(specs []policy.Spec) (*Run, error) {
	o := &Run{}
	level, ok := study.ParseFraction(r.Level)
	if !ok || level >= 1 {
		return nil, study.Usagef("--level: expected a share above 0 and below 1 such as 0.95, got %q", r.Level)
	}
	o.Level = level
	var err error
	named := r.Policies
	if r.Command == Validate || r.Command == Simulate {
		named, o.All = study.WithoutAll(named...)
	}
	if len(named) > 0 {
		o.Policies, err = study.ParsePolicies(specs, named...)
		if err != nil {
			return nil, err
		}
	}
	o.Resample, err = r.resampling()
	if err != nil {
		return nil, err
	}
	if r.Precision == "" {
		if r.Metric != "" {
			return nil, study.Usagef("--metric: expected --precision with it, such as --precision 1%%")
		}
		return o, nil
	}
	relative, ok := study.ParseFraction(r.Precision)
	if !ok {
		return nil, study.Usagef("--precision: expected a share of the mean above 0 such as 1%%, got %q", r.Precision)
	}
	o.Stop = &Stop{Measure: metric.RevenuePerSecond(), Precision: metric.Precision{Relative: relative}}
	if r.Metric != "" && r.Command != Simulate { // whose answer has other measures
		measure, ok := metric.Lookup(r.Metric)
		if !ok {
			if version := removed.Version(removed.Measure, r.Metric); version != "" {
				return nil, study.Usagef("--metric: measure %s was removed in %s", r.Metric, version)
			}
			known := metric.Names(metric.Measures())
			return nil, study.Usagef("--metric: unknown measure %q%s", r.Metric, study.ExpectedOne(r.Metric, known))
		}
		o.Stop.Measure = measure
	}
	return o, nil
}

func (r Request) resampling() (*workload.Resampling, error) {
	switch {
	case !r.Resample && r.Span != "":
		return nil, study.Usagef("--span: expected --resample weeks with it")
	case !r.Resample:
		return nil, nil
	case r.Precision != "":
		return nil, study.Usagef("--precision: expected none with --resample: the range of spans does not shrink " +
			"with replications")
	}
	o := &workload.Resampling{}
	if r.Span != "" {
		span, err := scenario.ParseTime(r.Span)
		if err != nil || !(span > 0) {
			return nil, study.Usagef("--span: expected a time above 0 such as 12w, got %q", r.Span)
		}
		o.Span = span
	}
	return o, nil
}

// settle reads what needs the scenario: admissions and the number of replications.
func (q *Question) settle() error {
	n := q.Subject.Scenario.Simulation.Replications
	if q.Replications != "" {
		q.Run.Count = n
	}
	values := q.Admission
	if q.Command == WhatIf { // it has one, of the time before the changes
		values = nil
	}
	if err := q.checkPrices(values); err != nil {
		return err
	}
	admissions, err := study.ParseAdmissions(q.Subject, values)
	if err != nil {
		return err
	}
	q.Run.Admissions = admissions
	if q.Run.All && q.Command == Simulate {
		q.Run.Policies, _ = q.Subject.WithAll(q.Run.Policies)
	}
	if q.Run.Stop != nil && q.Replications != "" {
		if n < 2 {
			return study.Usagef("--replications: expected at least 2 with --precision, got %d", n)
		}
		q.Run.Stop.Precision.Max = n
	}
	return nil
}

// checkPrices refuses prices beside other admissions.
func (q *Question) checkPrices(values []string) error {
	priced := func(name string) bool { return name == scenario.AdmitPrices }
	switch {
	case !slices.ContainsFunc(strings.Split(strings.Join(values, ","), ","), priced):
		return nil
	case len(values) > 1 || !priced(values[0]):
		return study.Usagef("--admission: prices cannot be combined with other admissions")
	}
	return nil
}

func (r Request) checkValidation() error {
	if r.Warmup != "" {
		return study.Usagef("--warmup: expected none, a validation has no warm-up: against a bound every job counts")
	}
	return nil
}

// objective returns the objective of a request, "" for the value.
func (r Request) objective() (string, error) {
	objective, err := scenario.ParseObjective(r.Objective)
	if err != nil {
		return "", study.Usagef("--objective %s: %v", r.Objective, err)
	}
	return objective, nil
}

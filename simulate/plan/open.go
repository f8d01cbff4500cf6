package plan

import (
	"cmp"
	"context"

	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

func NewRows(policies []subject.Policy, admissions []run.Gate) []Row {
	var list []Row
	for _, p := range policies {
		for _, a := range run.AdmissionsUnder(p, admissions) {
			list = append(list, Row{Policy: p, Admission: a})
		}
	}
	return list
}

// OpenRows opens a plan of rows with settings. It completes the level of confidence.
func OpenRows(ctx context.Context, s *subject.Subject, rows []Row, set func(*Plan), stop *Stop,
	level *float64) (*Execution, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	p := New(s.Document, s.Specs, rows)
	set(p)
	*level = cmp.Or(*level, metric.DefaultLevel)
	if stop != nil {
		if p.Resample != nil {
			return nil, s.Misfit("cannot resample weeks: a precision cannot be reached, " +
				"as the range of spans does not shrink with replications")
		}
		asked := stop.Precision
		p.Stop = &StopRule{Metric: stop.Measure.Name, Relative: asked.Relative, First: asked.First, Level: *level}
		p.Replications = asked.Most()
	}
	x, err := p.Open(ctx, s.Opener)
	if err == nil {
		x.level = *level
	}
	return x, err
}

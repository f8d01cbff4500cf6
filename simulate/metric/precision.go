package metric

import (
	"context"
	"fmt"
)

// Precision runs replications until intervals are narrow enough. It looks only
// after First, 2 First, 4 First, ... replications and never between, so that
// the number of replications, and with it every result, is the same at any
// number of workers.
//
// An interval at which a run stops because it is narrow covers the mean a
// little less often than Level says; few looks at doubling sizes keep that
// small (Law & Kelton, section 9.4.1).
type Precision struct {
	Relative float64 // half width as a share of the mean, 0.01 is 1 %
	Level    float64 // of confidence; 0 is DefaultLevel
	First    int     // replications before the first look; 0 is 10
	Max      int     // replications at most; 0 is 1280
}

// defaults returns p with its zero fields filled in.
func (p Precision) defaults() Precision {
	if p.Level == 0 {
		p.Level = DefaultLevel
	}
	if p.First == 0 {
		p.First = 10
	}
	if p.Max == 0 {
		p.Max = 1280
	}
	return p
}

// Most returns how many replications there are at most.
func (p Precision) Most() int { return p.defaults().Max }

// Until runs replications until the interval of every one of the numbers that
// figures returns of a result is as narrow as p says. It reports whether they
// are; if not, p.Max was reached, or there is an error. Results are those of
// Replicate.
func Until[T any](ctx context.Context, p Precision, workers int, run func(ctx context.Context, replication int) (T, error), figures func(T) []float64) (results []T, met bool, err error) {
	p = p.defaults()
	if !(p.Relative > 0) || p.First < 2 || p.Max < p.First {
		return nil, false, fmt.Errorf("metric: precision %g with %d to %d replications", p.Relative, p.First, p.Max)
	}
	var rows [][]float64
	for n := p.First; ; n = min(2*n, p.Max) {
		more, err := Replicate(ctx, len(results), n, workers, run)
		results = append(results, more...)
		for _, r := range more {
			rows = append(rows, figures(r))
		}
		if err != nil {
			return results, false, err
		}
		if p.met(rows) {
			return results, true, nil
		}
		if n == p.Max {
			return results, false, nil
		}
	}
}

// met reports whether all intervals are narrow enough.
func (p Precision) met(rows [][]float64) bool {
	for c := range rows[0] {
		column := make([]float64, len(rows))
		for r := range rows {
			column[r] = rows[r][c]
		}
		if !(Estimate(column, p.Level).Relative() <= p.Relative) {
			return false
		}
	}
	return true
}
